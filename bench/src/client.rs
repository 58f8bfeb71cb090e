//! A Gremlin client over WebSocket, as thin as can be: GraphBinary scripts with bindings, one request at a time.

use std::net::{Ipv4Addr, SocketAddr};

use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use uuid::Uuid;
use values::{Map, Str, Value};
use wire::{Args, RequestMessage, WireValue, graphbinary};

use crate::parameters::Bindings;

type Problem = Box<dyn std::error::Error + Send + Sync>;

const MIME: &[u8] = b"\x20application/vnd.graphbinary-v1.0";

/// One connection.
pub struct Client {
    socket: WebSocketStream<TcpStream>,
}

impl Client {
    /// Connects to `/gremlin`.
    ///
    /// # Errors
    /// If there is no server.
    pub async fn connect(address: SocketAddr) -> Result<Self, Problem> {
        Self::over(TcpStream::connect(address).await?, address).await
    }

    /// Connects to `/gremlin` as a client of this address.
    ///
    /// # Errors
    /// If there is no server, or the address is not one of this machine's.
    pub async fn connect_from(client: Ipv4Addr, address: SocketAddr) -> Result<Self, Problem> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((client, 0)))?;
        Self::over(socket.connect(address).await?, address).await
    }

    async fn over(stream: TcpStream, address: SocketAddr) -> Result<Self, Problem> {
        stream.set_nodelay(true)?;
        // Small reads, as in the server: the library's default zeroes 128 KiB before each.
        let config = WebSocketConfig::default().read_buffer_size(8 * 1024);
        let (socket, _) =
            client_async_with_config(format!("ws://{address}/gremlin"), stream, Some(config)).await?;
        Ok(Self { socket })
    }

    /// Sends a script and does not wait.
    ///
    /// # Errors
    /// If the connection is gone.
    pub async fn send(
        &mut self,
        script: &str,
        bindings: &Bindings,
        timeout_ms: Option<i64>,
    ) -> Result<(), Problem> {
        let bindings: Map = bindings.iter().map(|(k, v)| (Value::String(k.clone()), v.clone())).collect();
        let argument = |name: &str, value: Value| (Str::from(name), WireValue::from(value));
        let mut args = vec![
            argument("gremlin", script.into()),
            argument("language", "gremlin-lang".into()),
            argument("bindings", bindings.into()),
        ];
        args.extend(timeout_ms.map(|ms| argument("evaluationTimeout", ms.into())));
        let request =
            RequestMessage { id: Uuid::new_v4(), op: "eval".into(), processor: "".into(), args: Args(args) };
        let mut frame = MIME.to_vec();
        graphbinary::encode_request(&request, &mut frame)?;
        self.socket.send(Message::Binary(frame.into())).await?;
        Ok(())
    }

    /// Says who it is, as the server asks for.
    ///
    /// # Errors
    /// If the server does not ask, or does not know it.
    pub async fn log_in(&mut self, user: &str, password: &str) -> Result<(), Problem> {
        self.send("g.inject(1)", &Bindings::new(), None).await?;
        let (asked, _) = self.finish().await?;
        let sasl = data_encoding::BASE64.encode(format!("\0{user}\0{password}").as_bytes());
        let args = vec![(Str::from("sasl"), WireValue::from(Value::from(sasl)))];
        let id = Uuid::new_v4();
        let request =
            RequestMessage { id, op: "authentication".into(), processor: "".into(), args: Args(args) };
        let mut frame = MIME.to_vec();
        graphbinary::encode_request(&request, &mut frame)?;
        self.socket.send(Message::Binary(frame.into())).await?;
        match (asked, self.finish().await?) {
            (407, (200, _)) => Ok(()),
            (asked, (answer, _)) => Err(format!("status {asked}, then {answer}").into()),
        }
    }

    /// Waits for the end of the answer: its status code and the number of responses.
    ///
    /// # Errors
    /// If the connection is gone or the answer is malformed.
    pub async fn finish(&mut self) -> Result<(u16, usize), Problem> {
        let mut responses = 0;
        while let Some(message) = self.socket.next().await {
            let Message::Binary(frame) = message? else { continue };
            let response = graphbinary::decode_response(&frame)?;
            responses += 1;
            if response.status.code != 206 {
                return Ok((response.status.code, responses));
            }
        }
        Err("the server closed the connection".into())
    }

    /// Sends a script and waits for its answer, which must be a success.
    ///
    /// # Errors
    /// If it is not, or the connection is gone.
    pub async fn ask(&mut self, script: &str, bindings: &Bindings) -> Result<(), Problem> {
        self.send(script, bindings, None).await?;
        match self.finish().await? {
            (200 | 204, _) => Ok(()),
            (code, _) => Err(format!("status {code}").into()),
        }
    }
}
