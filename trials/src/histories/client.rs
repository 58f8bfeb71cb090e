//! A client over WebSocket: GraphBinary scripts with bindings, one request at a time.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};
use uuid::Uuid;
use values::{Map, Str, Value};
use wire::{Args, RequestMessage, WireValue, graphbinary};

const MIME: &[u8] = b"\x20application/vnd.graphbinary-v1.0";

/// How long an answer may take. Requests have the server's own time-out, which is shorter.
const PATIENCE: Duration = Duration::from_secs(60);

/// A script and its variables.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Gremlin.
    pub script: String,
    /// What the names in it stand for.
    pub bindings: Vec<(String, Value)>,
}

impl Request {
    /// A script without variables.
    pub fn of(script: impl Into<String>) -> Self {
        Self { script: script.into(), bindings: Vec::new() }
    }

    /// The same with one more variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.bindings.push((name.to_owned(), value.into()));
        self
    }

    /// For people.
    pub fn text(&self) -> String {
        self.bindings
            .iter()
            .fold(self.script.clone(), |text, (name, value)| format!("{text} │ {name} = {value}"))
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// All results.
    Results(Vec<Value>),
    /// An error, by its status code.
    Error(u16, String),
    /// The connection is gone, or nothing was heard for a long time.
    Silence,
}

/// One connection.
pub(crate) struct Client {
    socket: WebSocketStream<TcpStream>,
}

impl Client {
    /// Connects to `/gremlin`; none if there is no server.
    pub async fn connect(address: SocketAddr) -> Option<Self> {
        let stream = TcpStream::connect(address).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let (socket, _) = client_async(format!("ws://{address}/gremlin"), stream).await.ok()?;
        Some(Self { socket })
    }

    /// Sends a request and waits for all of its answer. After silence the connection is of no use any more.
    pub async fn ask(&mut self, request: &Request) -> Answer {
        match timeout(PATIENCE, self.exchange(request)).await {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => Answer::Silence,
        }
    }

    async fn exchange(&mut self, request: &Request) -> Option<Answer> {
        self.socket.send(Message::Binary(encode(request)?.into())).await.ok()?;
        let mut results = Vec::new();
        loop {
            let Message::Binary(frame) = self.socket.next().await?.ok()? else { continue };
            let response = graphbinary::decode_response(&frame).ok()?;
            match response.status.code {
                200 | 204 | 206 => {
                    if let WireValue::Value(Value::List(items)) = &response.data {
                        results.extend(items.iter().cloned());
                    }
                    if response.status.code != 206 {
                        return Some(Answer::Results(results));
                    }
                }
                code => return Some(Answer::Error(code, response.status.message.to_string())),
            }
        }
    }
}

fn encode(request: &Request) -> Option<Vec<u8>> {
    let bindings: Map =
        request.bindings.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
    let argument = |name: &str, value: Value| (Str::from(name), WireValue::from(value));
    let args = Args(vec![
        argument("gremlin", Value::str(request.script.as_str())),
        argument("language", "gremlin-lang".into()),
        argument("bindings", bindings.into()),
    ]);
    let message = RequestMessage {
        id: Uuid::from_u128(fastrand::u128(..)),
        op: "eval".into(),
        processor: "".into(),
        args,
    };
    let mut frame = MIME.to_vec();
    graphbinary::encode_request(&message, &mut frame).ok()?;
    Some(frame)
}
