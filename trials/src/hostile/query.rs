//! One hostile query, and the forms that it is sent in.

use std::time::Duration;

use values::{Map, Str, Uuid, Value};
use wire::graphson::Dialect;
use wire::{Args, Format, RequestMessage, WireValue};

use super::needs::Needs;
use super::server::TIMEOUT;
use crate::Problem;

/// A query that wants too much, or looks as if it did.
#[derive(Clone, Debug)]
pub(crate) struct Hostile {
    /// The name of its kind.
    pub kind: &'static str,
    /// What is sent.
    pub body: Body,
    /// The graph that it is for.
    pub target: Target,
    /// What it would need.
    pub needs: Needs,
    /// How long it may take.
    pub limit: Limit,
    /// Results per frame that it asks for.
    pub batch: Option<i32>,
    /// How it is sent, if it needs what it does only then.
    pub form: Option<Form>,
}

/// What is sent.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Gremlin with values for its variables.
    Script(String, Vec<(&'static str, Value)>),
    /// A WebSocket message that is made by hand, with what it is.
    Frame(Vec<u8>, &'static str),
}

/// The graph that a query is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Target {
    /// The graph of [`ground`](super::ground), which nobody changes.
    #[default]
    Ground,
    /// The one that is written to.
    Scratch,
    /// The graph of this name: where `g` is another one.
    Named(&'static str),
}

impl Target {
    /// The name of its traversal source.
    pub fn source(self) -> &'static str {
        match self {
            Self::Ground => "g",
            Self::Scratch => "w",
            Self::Named(name) => name,
        }
    }
}

/// How long a query may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// What the trial gives it, as an argument of the request.
    Usual,
    /// It says something about it itself, in this argument or in its text. What the deadline is then: `None` if it is that
    /// of the server, by its ceiling or its default.
    Own { argument: Option<i64>, deadline: Option<Duration> },
}

/// How a script is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As text, in GraphBinary.
    Binary,
    /// As text, in GraphSON 3.
    Json,
    /// As bytecode, in GraphBinary. Text that cannot be read here is sent as it is.
    Bytecode,
    /// As text, by HTTP.
    Http,
}

impl Hostile {
    /// A script on the graph that nobody changes.
    pub fn script(text: impl Into<String>) -> Self {
        let body = Body::Script(text.into(), Vec::new());
        Self {
            kind: "",
            body,
            target: Target::Ground,
            needs: Needs::default(),
            limit: Limit::Usual,
            batch: None,
            form: None,
        }
    }

    /// A message made by hand. It says nothing about its time.
    pub fn frame(bytes: Vec<u8>, what: &'static str) -> Self {
        let limit = Limit::Own { argument: None, deadline: Some(TIMEOUT) };
        Self { body: Body::Frame(bytes, what), limit, ..Self::script("") }
    }

    /// The same with these needs.
    pub fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    /// The same for the graph that is written to.
    pub fn on_scratch(mut self) -> Self {
        self.target = Target::Scratch;
        self
    }

    /// The same, sent as text: bytecode gets one result for many equal ones.
    pub fn in_text(mut self) -> Self {
        self.form = Some(Form::Binary);
        self
    }

    /// The same with a value for a variable.
    pub fn with(mut self, name: &'static str, value: Value) -> Self {
        if let Body::Script(_, bindings) = &mut self.body {
            bindings.push((name, value));
        }
        self
    }

    /// The script, or what the message is.
    pub fn text(&self) -> &str {
        match &self.body {
            Body::Script(text, _) => text,
            Body::Frame(_, what) => what,
        }
    }

    /// The text as people can read it: of what is long, the beginning and the end.
    pub fn shown(&self) -> String {
        const BEGINNING: usize = 200;
        const END: usize = 100;
        let (text, bytes) = (self.text(), self.text().len());
        let beginning = text.char_indices().nth(BEGINNING).map(|(at, _)| at);
        let end = text.char_indices().nth_back(END).map(|(at, _)| at);
        match (beginning, end) {
            (Some(beginning), Some(end)) if beginning < end => {
                format!("{} … {} ({bytes} bytes)", &text[..beginning], &text[end..])
            }
            _ => text.to_owned(),
        }
    }
}

/// The message that a query is sent in over a WebSocket.
///
/// # Errors
/// If a value cannot be expressed.
pub(crate) fn message(query: &Hostile, form: Form, timeout: Option<i64>) -> Result<Vec<u8>, Problem> {
    let (text, bindings) = match &query.body {
        Body::Frame(bytes, _) => return Ok(bytes.clone()),
        Body::Script(text, bindings) => (text, bindings),
    };
    let aliases: Map = [(Value::str("g"), Value::str(query.target.source()))].into_iter().collect();
    let mut args = vec![argument("aliases", Value::from(aliases))];
    args.extend(timeout.map(|millis| argument("evaluationTimeout", Value::Long(millis))));
    args.extend(query.batch.map(|size| argument("batchSize", Value::Int(size))));
    let traversal = (form == Form::Bytecode && bindings.is_empty())
        .then(|| gremlin::parse_traversal(text, &gremlin::Bindings::new()).ok())
        .flatten();
    let (op, processor) = match traversal {
        Some(traversal) => {
            let traversal = gremlin::Argument::Traversal(traversal);
            args.push((Str::from("gremlin"), WireValue::argument(traversal)));
            ("bytecode", "traversal")
        }
        None => {
            let bindings: Map =
                bindings.iter().map(|(name, value)| (Value::str(*name), value.clone())).collect();
            args.push(argument("gremlin", Value::str(text.as_str())));
            args.push(argument("bindings", Value::from(bindings)));
            ("eval", "")
        }
    };
    let request =
        RequestMessage { id: Uuid::new_v4(), op: op.into(), processor: processor.into(), args: Args(args) };
    let format = match form {
        Form::Json => Format::GraphSon(Dialect::V3),
        _ => Format::GraphBinary,
    };
    let mut frame = Vec::new();
    format.encode_frame(&request, &mut frame)?;
    Ok(frame)
}

fn argument(name: &str, value: Value) -> (Str, WireValue) {
    (Str::from(name), value.into())
}

/// The HTTP request that a script is sent in; none for what only a WebSocket can carry.
pub(crate) fn http(query: &Hostile, timeout: Option<i64>) -> Option<Vec<u8>> {
    let Body::Script(text, bindings) = &query.body else { return None };
    if !bindings.is_empty() {
        return None;
    }
    let mut body = serde_json::json!({ "gremlin": text, "aliases": { "g": query.target.source() } });
    if let Some(millis) = timeout {
        body["evaluationTimeout"] = millis.into();
    }
    let body = body.to_string();
    let head = format!(
        "POST /gremlin HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    Some([head, body].concat().into_bytes())
}
