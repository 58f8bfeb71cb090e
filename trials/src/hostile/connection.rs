//! One connection, of which no more is read than how a request has ended.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use values::Value;
use wire::Format;
use wire::graphson::Dialect;

use crate::Problem;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(2);

/// How a request has ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// All results have come.
    Done,
    /// An error: what people and what programs are told.
    Failed { code: u16, message: String, exception: String },
    /// The server has closed the connection, with this code if it was polite.
    Closed(Option<u16>),
}

/// A WebSocket.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: WebSocketStream<TcpStream>,
}

impl Connection {
    /// Connects to `/gremlin`.
    ///
    /// # Errors
    /// If the server does not take the connection, or takes too long over it.
    pub async fn open(address: SocketAddr) -> Result<Self, Problem> {
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let connect = async {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            let url = format!("ws://{address}/gremlin");
            let (socket, _) = client_async_with_config(url, stream, Some(config)).await?;
            Ok::<_, Problem>(socket)
        };
        Ok(Self { socket: timeout(HANDSHAKE, connect).await?? })
    }

    /// Sends a message.
    ///
    /// # Errors
    /// If the connection is gone.
    pub async fn send(&mut self, message: Vec<u8>) -> Result<(), Error> {
        self.socket.send(Message::Binary(message.into())).await
    }

    /// Reads until the request that was sent last has ended.
    pub async fn end(&mut self) -> End {
        while let Some(message) = self.socket.next().await {
            let frame = match message {
                Ok(Message::Binary(frame)) => frame,
                Ok(Message::Text(frame)) => frame.into(),
                Ok(Message::Close(close)) => return End::Closed(close.map(|close| close.code.into())),
                Ok(_) => continue,
                Err(_) => return End::Closed(None),
            };
            match status(&frame) {
                Some(206) => {}
                Some(200 | 204) => return End::Done,
                code => return failure(code, &frame),
            }
        }
        End::Closed(None)
    }

    /// The bare connection, for what a WebSocket would not do.
    pub fn stream(&mut self) -> &mut TcpStream {
        self.socket.get_mut()
    }

    /// Says good-bye without waiting for an answer.
    pub async fn say_goodbye(&mut self) {
        // It is left either way.
        let _ = timeout(Duration::from_millis(100), self.socket.close(None)).await;
    }
}

/// The status code of a response, without looking at its results.
///
/// ```text
/// GraphBinary   version, 1 byte │ 0, id of 16 bytes, or 1 │ code, 4 bytes │ …
/// GraphSON      {"requestId":…,"status":{"message":"","code":200,…
/// ```
fn status(frame: &[u8]) -> Option<u16> {
    if frame.first() == Some(&b'{') {
        const BEFORE: &[u8] = b"\"code\":";
        let place = frame.windows(BEFORE.len()).position(|window| window == BEFORE)?;
        let digits = frame[place + BEFORE.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        return digits.fold(None, |code, digit| Some(code.unwrap_or(0) * 10 + u16::from(digit - b'0')));
    }
    let place = if frame.get(1) == Some(&0) { 18 } else { 2 };
    let code = frame.get(place..place + 4)?;
    u16::try_from(i32::from_be_bytes(code.try_into().ok()?)).ok()
}

fn failure(code: Option<u16>, frame: &[u8]) -> End {
    let format =
        if frame.first() == Some(&b'{') { Format::GraphSon(Dialect::V3) } else { Format::GraphBinary };
    let Ok(response) = format.decode_response(frame) else {
        return End::Failed {
            code: code.unwrap_or(0),
            message: "unreadable".into(),
            exception: String::new(),
        };
    };
    let exceptions = response.status.attributes.get(&Value::str("exceptions")).and_then(Value::as_list);
    let exception = exceptions.and_then(|all| all.first()).map(Value::to_string).unwrap_or_default();
    End::Failed { code: response.status.code, message: response.status.message.to_string(), exception }
}

/// Sends an HTTP request on a connection of its own and reads until it has ended.
pub(crate) async fn http(address: SocketAddr, request: &[u8]) -> End {
    match exchange(address, request).await {
        Ok(answer) => http_end(&answer),
        Err(_) => End::Closed(None),
    }
}

/// The body of what `GET` answers.
///
/// # Errors
/// If there is no answer in the time there is for it, or it is none.
pub(crate) async fn get(address: SocketAddr, path: &str, patience: Duration) -> Result<String, Problem> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let answer = timeout(patience, exchange(address, request.as_bytes())).await??;
    let answer = String::from_utf8(answer)?;
    if !answer.starts_with("HTTP/1.1 200") {
        return Err(format!("{path}: {}", answer.lines().next().unwrap_or_default()).into());
    }
    Ok(answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

async fn exchange(address: SocketAddr, request: &[u8]) -> Result<Vec<u8>, Problem> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    stream.write_all(request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn http_end(answer: &[u8]) -> End {
    let code = answer.get(9..12).and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
    let Some(code) = code else { return End::Closed(None) };
    if code == 200 {
        return End::Done;
    }
    let body = answer
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .map_or(&[][..], |place| &answer[place + 4..]);
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let said = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    End::Failed { code, message: said("message"), exception: said("Exception-Class") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_response_is_found_in_either_format() {
        let mut binary = vec![0x81, 0];
        binary.extend([7; 16]);
        binary.extend(598i32.to_be_bytes());
        assert_eq!(status(&binary), Some(598));
        assert_eq!(status(&[0x81, 1, 0, 0, 1, 242]), Some(498));
        assert_eq!(
            status(br#"{"requestId":null,"status":{"message":"","code":206,"attributes":{}}}"#),
            Some(206)
        );
        assert_eq!(status(b""), None);
    }

    #[test]
    fn the_end_of_an_http_request_is_in_its_first_line_and_its_body() {
        assert_eq!(http_end(b"HTTP/1.1 200 OK\r\n\r\n{}"), End::Done);
        let refused =
            http_end(b"HTTP/1.1 413 Too large\r\n\r\n{\"message\":\"too large\",\"Exception-Class\":\"x\"}");
        assert_eq!(refused, End::Failed { code: 413, message: "too large".into(), exception: "x".into() });
        assert_eq!(http_end(b""), End::Closed(None));
    }
}
