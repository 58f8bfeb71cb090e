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
    /// If not empty: requests that are sent instead, one after the other, in a session, and committed at the end.
    pub in_session: Vec<Request>,
}

impl Request {
    /// A script without variables.
    pub fn of(script: impl Into<String>) -> Self {
        Self { script: script.into(), bindings: Vec::new(), in_session: Vec::new() }
    }

    /// Several requests as one transaction, whose answers are one.
    pub fn in_session(requests: Vec<Self>) -> Self {
        Self { in_session: requests, ..Self::of("") }
    }

    /// The same with one more variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.bindings.push((name.to_owned(), value.into()));
        self
    }

    /// For people.
    pub fn text(&self) -> String {
        if !self.in_session.is_empty() {
            let all: Vec<_> = self.in_session.iter().map(Self::text).collect();
            return all.join(" ▸ ");
        }
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
        let asked = async {
            if request.in_session.is_empty() {
                self.exchange(request, None).await
            } else {
                self.transact(&request.in_session).await
            }
        };
        match timeout(PATIENCE, asked).await {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => Answer::Silence,
        }
    }

    /// The same as a part of a session of this connection, which begins with its first request.
    pub async fn ask_in(&mut self, session: &str, request: &Request) -> Answer {
        match timeout(PATIENCE, self.exchange(request, Some(session))).await {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => Answer::Silence,
        }
    }

    /// Ends a session; what it has not committed is rolled back.
    pub async fn close(&mut self, session: &str) -> Answer {
        let closed = async {
            self.send("close", session_args(session)).await?;
            self.answer().await
        };
        match timeout(PATIENCE, closed).await {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => Answer::Silence,
        }
    }

    /// Runs requests as one transaction. One that is refused is rolled back, and that is its answer.
    async fn transact(&mut self, requests: &[Request]) -> Option<Answer> {
        let session = &*Uuid::from_u128(fastrand::u128(..)).to_string();
        let mut all = Vec::new();
        let mut refused = None;
        for request in requests {
            match self.exchange(request, Some(session)).await? {
                Answer::Results(results) => all.extend(results),
                other => {
                    refused = Some(other);
                    break;
                }
            }
        }
        let end = if refused.is_some() { "g.tx().rollback()" } else { "g.tx().commit()" };
        let ended = self.exchange(&Request::of(end), Some(session)).await?;
        self.send("close", session_args(session)).await?;
        self.answer().await?;
        Some(match (refused, ended) {
            (Some(refused), _) => refused,
            (None, Answer::Results(_)) => Answer::Results(all),
            (None, other) => other,
        })
    }

    async fn exchange(&mut self, request: &Request, session: Option<&str>) -> Option<Answer> {
        let bindings: Map =
            request.bindings.iter().map(|(name, value)| (Value::str(name.as_str()), value.clone())).collect();
        let mut args = session.map(session_args).unwrap_or_default();
        args.extend([
            argument("gremlin", Value::str(request.script.as_str())),
            argument("language", "gremlin-lang".into()),
            argument("bindings", bindings.into()),
        ]);
        self.send("eval", args).await?;
        self.answer().await
    }

    async fn send(&mut self, op: &str, args: Vec<(Str, WireValue)>) -> Option<()> {
        let in_session = args.iter().any(|(name, _)| name == "session");
        let message = RequestMessage {
            id: Uuid::from_u128(fastrand::u128(..)),
            op: op.into(),
            processor: if in_session { "session" } else { "" }.into(),
            args: Args(args),
        };
        let mut frame = MIME.to_vec();
        graphbinary::encode_request(&message, &mut frame).ok()?;
        self.socket.send(Message::Binary(frame.into())).await.ok()
    }

    async fn answer(&mut self) -> Option<Answer> {
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

fn argument(name: &str, value: Value) -> (Str, WireValue) {
    (Str::from(name), WireValue::from(value))
}

fn session_args(session: &str) -> Vec<(Str, WireValue)> {
    vec![argument("session", Value::str(session))]
}
