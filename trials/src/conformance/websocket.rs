//! Over WebSocket.

use std::path::Path;

use gremlin::Bindings;
use server::{ErrorKind, ServerOptions};
use tokio::runtime::{Builder, Runtime};
use wire::Format;
use wire::graphson::Dialect;

use super::door::{self, Answer, Door, Failure, TIMEOUT};
use crate::Problem;
use crate::client::{self, Ask, Client};
use crate::served::Served;

/// How requests are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Scripts with bindings, in GraphBinary.
    Script,
    /// Bytecode, in GraphSON 3.
    Bytecode,
}

/// A server in this process and one connection to it.
#[derive(Debug)]
pub struct WebSocket {
    form: Form,
    // Before what it is connected to, so that it is closed first.
    client: Client,
    runtime: Runtime,
    _served: Served,
}

impl WebSocket {
    /// Opens all graphs, serves them and connects.
    ///
    /// # Errors
    /// If a sample cannot be read or no port is free.
    pub fn open(data: &Path, form: Form) -> Result<Self, Problem> {
        let graphs = door::open(data)?.into_iter().map(|(name, graph)| (source(&name), graph));
        let options = ServerOptions { evaluation_timeout: Some(TIMEOUT), ..ServerOptions::default() };
        let served = Served::start(graphs, options)?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(Client::connect(served.address, form.format()))?;
        Ok(Self { form, client, runtime, _served: served })
    }

    fn send(&mut self, graph: &str, ask: Ask<'_>) -> Answer {
        let source = source(graph);
        let request = self.client.ask(&source, ask);
        let patient = async { tokio::time::timeout(TIMEOUT * 2, request).await };
        match self.runtime.block_on(patient) {
            Ok(answer) => answer.map_err(failure),
            Err(_) => Err(Failure::Broken("the server does not answer".into())),
        }
    }
}

impl Form {
    fn format(self) -> Format {
        match self {
            Self::Script => Format::GraphBinary,
            Self::Bytecode => Format::GraphSon(Dialect::V3),
        }
    }
}

impl Door for WebSocket {
    fn name(&self) -> &'static str {
        match self.form {
            Form::Script => "served",
            Form::Bytecode => "bytecode",
        }
    }

    fn ask(&mut self, graph: &str, text: &str, bindings: &Bindings) -> Answer {
        match self.form {
            Form::Script => self.send(graph, Ask::Script(text, bindings)),
            Form::Bytecode => {
                // What a driver's program would build.
                let traversal = gremlin::parse(text, bindings).and_then(gremlin::Query::into_traversal);
                let (traversal, _) = traversal.map_err(|error| Failure::Error(error.to_string()))?;
                self.send(graph, Ask::Bytecode(&traversal))
            }
        }
    }
}

/// The traversal source of a graph, as TinkerPop's test server names it.
fn source(graph: &str) -> String {
    if graph == door::EMPTY { "ggraph".into() } else { format!("g{graph}") }
}

/// The kinds of errors that a scenario may be about.
const KINDS: [ErrorKind; 4] =
    [ErrorKind::Syntax, ErrorKind::Unsupported, ErrorKind::Evaluation, ErrorKind::FailStep];

fn failure(failure: client::Failure) -> Failure {
    match failure {
        client::Failure::Answered { message, exception, .. } => {
            let kind = KINDS.into_iter().find(|kind| kind.name() == exception);
            Failure::of(kind.unwrap_or(ErrorKind::Internal), message)
        }
        client::Failure::Connection(problem) => Failure::Broken(format!("the connection failed: {problem}")),
    }
}
