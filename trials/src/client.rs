//! A Gremlin client over WebSocket: scripts and bytecode, GraphBinary and GraphSON, one request at a time.

use std::net::SocketAddr;

use futures_util::{SinkExt, StreamExt};
use gremlin::{Argument, Bindings, Traversal};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{WebSocketStream, client_async};
use uuid::Uuid;
use values::{Map, Str, Value};
use wire::{Args, Extended, Format, RequestMessage, ResponseMessage, WireValue};

use crate::Problem;

/// One connection.
#[derive(Debug)]
pub struct Client {
    socket: WebSocketStream<TcpStream>,
    format: Format,
}

/// What a request runs.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// Text, with values for its variables.
    Script(&'a str, &'a Bindings),
    /// A traversal as the drivers of programming languages send it.
    Bytecode(&'a Traversal),
}

/// Why a request has no complete answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The server said so.
    #[error("{message}")]
    Answered {
        /// The status code.
        code: u16,
        /// What people are told.
        message: String,
        /// What programs are told: the first of the `exceptions`, such as `mangrove.SyntaxError`.
        exception: String,
    },
    /// The connection failed, or what came over it cannot be read.
    #[error("{0}")]
    Connection(#[source] Problem),
}

impl Client {
    /// Connects to `/gremlin` of the server at `address`.
    ///
    /// # Errors
    /// If there is no server.
    pub async fn connect(address: SocketAddr, format: Format) -> Result<Self, Problem> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (socket, _) = client_async(format!("ws://{address}/gremlin"), stream).await?;
        Ok(Self { socket, format })
    }

    /// Runs something on the graph behind a traversal source and waits for all results.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn ask(&mut self, source: &str, ask: Ask<'_>) -> Result<Vec<Value>, Failure> {
        let request = request(source, ask);
        self.send(&request).await.map_err(Failure::Connection)?;
        let mut results = Vec::new();
        loop {
            let response = self.receive().await.map_err(Failure::Connection)?;
            // The rest of an answer that was given up on.
            if response.id.is_some_and(|id| id != request.id) {
                continue;
            }
            match response.status.code {
                200 | 204 | 206 => {}
                _ => return Err(failure(response)),
            }
            let last = response.status.code != 206;
            results.extend(page(response.data).map_err(Failure::Connection)?);
            if last {
                return Ok(results);
            }
        }
    }

    async fn send(&mut self, request: &RequestMessage) -> Result<(), Problem> {
        let mut frame = Vec::new();
        self.format.encode_frame(request, &mut frame)?;
        Ok(self.socket.send(Message::Binary(frame.into())).await?)
    }

    async fn receive(&mut self) -> Result<ResponseMessage, Problem> {
        while let Some(message) = self.socket.next().await {
            match message? {
                Message::Binary(frame) => return Ok(self.format.decode_response(&frame)?),
                Message::Text(frame) => return Ok(self.format.decode_response(frame.as_bytes())?),
                _ => {}
            }
        }
        Err("the server closed the connection".into())
    }
}

fn request(source: &str, ask: Ask<'_>) -> RequestMessage {
    let argument = |name: &str, value: WireValue| (Str::from(name), value);
    let aliases: Map = [(Value::str("g"), Value::str(source))].into_iter().collect();
    let mut args = vec![argument("aliases", Value::from(aliases).into())];
    let (op, processor) = match ask {
        Ask::Script(text, bindings) => {
            let bound = |(name, bound): (&Str, &Argument)| {
                (Value::String(name.clone()).into(), WireValue::argument(bound.clone()))
            };
            let bindings = WireValue::map(bindings.iter().map(bound).collect());
            args.push(argument("gremlin", Value::str(text).into()));
            args.push(argument("language", Value::str("gremlin-lang").into()));
            args.push(argument("bindings", bindings));
            ("eval", "")
        }
        Ask::Bytecode(traversal) => {
            let traversal = Argument::Traversal(traversal.clone());
            args.push(argument("gremlin", WireValue::argument(traversal)));
            ("bytecode", "traversal")
        }
    };
    RequestMessage { id: Uuid::new_v4(), op: op.into(), processor: processor.into(), args: Args(args) }
}

fn failure(response: ResponseMessage) -> Failure {
    let status = response.status;
    let exceptions = status.attributes.get(&Value::str("exceptions")).and_then(Value::as_list);
    let exception = exceptions.and_then(|all| all.first()).map(Value::to_string).unwrap_or_default();
    Failure::Answered { code: status.code, message: status.message.into(), exception }
}

/// A result as a value, trees and graphs included.
fn plain(value: WireValue) -> Result<Value, Problem> {
    match value {
        WireValue::Extended(extended) => match *extended {
            Extended::Tree(tree) => tree.into_value().ok_or_else(|| "a tree of what is no value".into()),
            Extended::Graph(graph) => Ok(graph.into_value()),
            other => Ok(WireValue::from(other).into_value().map_err(|problem| problem.to_string())?),
        },
        value => Ok(value.into_value().map_err(|problem| problem.to_string())?),
    }
}

/// The results in a response, those of bytecode as often as their bulk says.
fn page(data: WireValue) -> Result<Vec<Value>, Problem> {
    let items = match data {
        WireValue::Value(Value::Null) => return Ok(Vec::new()),
        WireValue::Value(Value::List(items)) => return Ok(items.to_vec()),
        WireValue::List(items) => items,
        other => return Err(format!("results that are no list: {other:?}").into()),
    };
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        let (value, bulk) = match item {
            WireValue::Extended(extended) => match *extended {
                Extended::Traverser { bulk, value } => (value, bulk),
                other => (other.into(), 1),
            },
            other => (other, 1),
        };
        let value = plain(value)?;
        values.extend(std::iter::repeat_n(value, usize::try_from(bulk)?));
    }
    Ok(values)
}
