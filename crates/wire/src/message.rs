//! Requests and responses, whatever their encoding.

use values::{Map, Str, Uuid, Value};

use crate::WireValue;

/// What a client asks.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestMessage {
    /// Chosen by the client; every response to this request carries it.
    pub id: Uuid,
    /// The operation, such as `eval`, `bytecode`, `authentication` or `close`.
    pub op: Str,
    /// Who has to execute it: nobody in particular, `traversal` or `session`.
    pub processor: Str,
    /// The operation's arguments.
    pub args: Args,
}

/// The arguments of a request, by name.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Args(pub Vec<(Str, WireValue)>);

impl Args {
    /// The argument called `name`.
    pub fn get(&self, name: &str) -> Option<&WireValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Takes the argument called `name` out.
    pub fn take(&mut self, name: &str) -> Option<WireValue> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.swap_remove(at).1)
    }

    /// The text called `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The integer called `name`.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_value()?.as_i64()
    }

    /// The map called `name`, such as `bindings` or `aliases`.
    pub fn map(&self, name: &str) -> Option<&Map> {
        self.get(name)?.as_value()?.as_map()
    }
}

/// What the server answers; a request may get several.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseMessage {
    /// The request's id, where the request could be read that far.
    pub id: Option<Uuid>,
    /// How it went.
    pub status: ResponseStatus,
    /// Results, or null.
    pub data: WireValue,
    /// About the results.
    pub meta: Map,
}

/// How a request went.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseStatus {
    /// A code as Gremlin Server uses them: 200, 206, 500….
    pub code: u16,
    /// For people; empty when all is well.
    pub message: Str,
    /// For programs, such as `exceptions` and `stackTrace`.
    pub attributes: Map,
}

impl ResponseStatus {
    /// A status without attributes.
    pub fn new(code: u16, message: impl Into<Str>) -> Self {
        Self { code, message: message.into(), attributes: Map::new() }
    }
}

/// The results of one response, borrowed from where the query left them.
#[derive(Clone, Copy, Debug)]
pub enum Results<'a> {
    /// No results at all: null.
    None,
    /// A list of values, as a script's results are sent.
    Values(&'a [Value]),
    /// A list of traversers, as a bytecode's results are sent: values with how often each occurs.
    Traversers(&'a [(Value, u64)]),
    /// Anything else.
    Data(&'a WireValue),
}

/// How much of an element's properties to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Properties {
    /// The properties the element has; one without any is sent as a mere reference.
    Given,
    /// The properties the element has, be it none (`materializeProperties: all`).
    #[default]
    All,
    /// Ids and labels alone (`materializeProperties: tokens`).
    Tokens,
}

impl Properties {
    /// What the argument `materializeProperties` means.
    pub fn from_argument(argument: &str) -> Self {
        if argument == "tokens" { Self::Tokens } else { Self::All }
    }

    /// The properties to send; `None` for a mere reference.
    pub(crate) fn of<T>(self, properties: &[T]) -> Option<&[T]> {
        match self {
            Self::All => Some(properties),
            Self::Given if !properties.is_empty() => Some(properties),
            Self::Given | Self::Tokens => None,
        }
    }
}
