//! The arguments of a request message.

use gremlin::Argument;
use values::{Map, Str, Value};
use wire::{Args, WireValue};

use crate::request::Refusal;

/// Named arguments, taken out one by one with the type they should have.
#[derive(Debug)]
pub(crate) struct Arguments {
    args: Args,
    /// Whether it is a request of TinkerPop 4, where no name of a variable is reserved.
    is_of_four: bool,
}

impl Arguments {
    pub(crate) fn new(args: Args) -> Self {
        Self { args, is_of_four: false }
    }

    /// Those of a request of TinkerPop 4.
    pub(crate) fn of_four(args: Args) -> Self {
        Self { args, is_of_four: true }
    }

    pub(crate) fn reserves_names(&self) -> bool {
        !self.is_of_four
    }

    /// Takes an argument of any type. Null is as good as absent.
    pub(crate) fn take(&mut self, name: &str) -> Option<WireValue> {
        self.args.take(name).filter(|value| *value != WireValue::NULL)
    }

    /// Whether there is one that was not taken yet.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.args.get(name).is_some_and(|value| *value != WireValue::NULL)
    }

    /// An argument without which `op` makes no sense.
    pub(crate) fn require(&mut self, name: &str, op: &str) -> Result<WireValue, Refusal> {
        self.take(name).ok_or_else(|| {
            Refusal::arguments(format!("A message with an [{op}] op code requires a [{name}] argument."))
        })
    }

    pub(crate) fn string(&mut self, name: &str) -> Result<Option<Str>, Refusal> {
        match self.take(name) {
            None => Ok(None),
            Some(WireValue::Value(Value::String(text))) => Ok(Some(text)),
            Some(_) => Err(Refusal::arguments(format!("[{name}] must be a string"))),
        }
    }

    /// A name that the client chose.
    pub(crate) fn text_or_uuid(&mut self, name: &str) -> Result<Option<Str>, Refusal> {
        match self.take(name) {
            None => Ok(None),
            Some(WireValue::Value(Value::String(text))) => Ok(Some(text)),
            Some(WireValue::Value(Value::Uuid(id))) => Ok(Some(id.to_string().into())),
            Some(_) => Err(Refusal::arguments(format!("[{name}] must be a string or a UUID"))),
        }
    }

    pub(crate) fn boolean(&mut self, name: &str) -> Result<Option<bool>, Refusal> {
        match self.take(name) {
            None => Ok(None),
            Some(WireValue::Value(Value::Bool(value))) => Ok(Some(value)),
            Some(_) => Err(Refusal::arguments(format!("[{name}] must be of type boolean"))),
        }
    }

    /// How many entries the map under a name has, without looking at them; none if there is no map.
    pub(crate) fn count_of(&self, name: &str) -> usize {
        match self.args.get(name) {
            Some(WireValue::Value(Value::Map(map))) => map.len(),
            Some(WireValue::Map(entries)) => entries.len(),
            Some(WireValue::Argument(argument)) => match &**argument {
                Argument::Map(entries) => entries.len(),
                _ => 0,
            },
            _ => 0,
        }
    }

    pub(crate) fn map(&mut self, name: &str) -> Result<Option<Map>, Refusal> {
        let Some(value) = self.take(name) else { return Ok(None) };
        match value.into_value() {
            Ok(Value::Map(map)) => Ok(Some(std::sync::Arc::unwrap_or_clone(map).into_inner())),
            Ok(_) => Err(Refusal::arguments(format!("[{name}] must be a Map"))),
            Err(problem) => Err(Refusal::arguments(format!("[{name}] must be a Map of values: {problem}"))),
        }
    }

    /// A map of what is no value, perhaps, such as a token.
    pub(crate) fn entries(&mut self, name: &str) -> Result<Vec<(Argument, Argument)>, Refusal> {
        let Some(map) = self.take(name) else { return Ok(Vec::new()) };
        let told = |problem: String| Refusal::arguments(format!("[{name}] must be a Map{problem}"));
        let map = map.into_argument().map_err(|problem| told(format!(" of values and tokens: {problem}")))?;
        if map.acts() {
            return Err(told(
                " of values and tokens: there is a traversal, a strategy or a lambda in it".into(),
            ));
        }
        entries_of(map).ok_or_else(|| told(String::new()))
    }

    /// A whole number, in whichever numeric type the client had at hand.
    pub(crate) fn integer(&mut self, name: &str) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let number = match value.as_value() {
            Some(Value::Double(n)) if n.fract() == 0.0 => Some(*n as i64),
            Some(Value::Float(n)) if n.fract() == 0.0 => Some(*n as i64),
            Some(value) => value.as_i64(),
            None => None,
        };
        number.map(Some).ok_or_else(|| Refusal::arguments(format!("[{name}] must be a whole number")))
    }
}

/// The entries of a map, which may hold what is no value.
pub(crate) fn entries_of(map: Argument) -> Option<Vec<(Argument, Argument)>> {
    match map {
        Argument::Map(entries) => Some(entries),
        Argument::Value(Value::Map(map)) => {
            let map = std::sync::Arc::unwrap_or_clone(map).into_inner();
            Some(map.0.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
        }
        _ => None,
    }
}
