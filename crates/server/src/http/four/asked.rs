//! What a request asks for.

use gremlin::Argument;
use hyper::HeaderMap;
use values::{Map, Str, Value};
use wire::{
    Args, WireValue,
    four::{Request, Status},
};

use super::{
    TRANSACTION_ID,
    status::{self, In},
};
use crate::{
    arguments::{Arguments, entries_of},
    aside::{Work, aside},
    connections::Guest,
    host::Host,
    reading::Weight,
    request::{Form, Operation, Refusal},
};

/// A request, read as far as that is possible without knowing transactions.
pub(super) struct Asked {
    pub(super) control: Control,
    /// The id of the transaction that it is a part of.
    pub(super) transaction: Option<String>,
    script: Str,
    fields: Arguments,
    /// The header `bulkResults`, for what says nothing else.
    bulks: bool,
    /// What parameters take in memory that come as a text.
    weight: Weight,
}

/// How a transaction is committed.
const COMMIT: &str = "g.tx().commit()";

/// What a request does to transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// Nothing: it is a script.
    None,
    /// It begins one.
    Begin,
    /// It ends one.
    End,
}

impl Control {
    /// By the spelling that the protocol fixes; blanks around it do not count.
    fn of(script: &str) -> Self {
        match script.trim() {
            "g.tx().begin()" => Self::Begin,
            COMMIT | "g.tx().rollback()" => Self::End,
            _ => Self::None,
        }
    }
}

impl Asked {
    /// Reads fields and headers.
    pub(super) fn read(request: Request, headers: &HeaderMap) -> Result<Self, Status> {
        let Request { gremlin: script, fields } = request;
        let mut fields = Arguments::new(fields);
        let refused = |refusal: Refusal| status::refused(&refusal);
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let transaction = match (fields.string("transactionId").map_err(refused)?, header(TRANSACTION_ID)) {
            (Some(field), Some(header)) if *field != *header => {
                return Err(status::transaction_error(format!(
                    "the header X-Transaction-Id names the transaction {header}, and the field transactionId {field}; send the \
                     same in both"
                )));
            }
            (Some(field), _) => Some(field.to_string()),
            (None, header) => header.map(str::to_owned),
        };
        let control = Control::of(&script);
        match (control, &transaction) {
            (Control::Begin, Some(_)) => Err(status::transaction_error(
                "Begin transaction request cannot have a user-supplied transactionId".into(),
            )),
            (Control::End, None) => Err(status::transaction_error(
                "g.tx().commit() and g.tx().rollback() are only allowed in transactional requests.".into(),
            )),
            _ => {
                let bulks = header("bulkresults").is_some_and(|value| value == "true");
                Ok(Self { control, transaction, script, fields, bulks, weight: Weight::default() })
            }
        }
    }

    /// Whether it may ask for a commit that was done before: with a key, a commit is known by it when its transaction is forgotten.
    pub(super) fn may_ask_again(&self) -> bool {
        self.script.trim() == COMMIT && self.fields.has("requestKey")
    }

    /// The query that it is. `source`: the traversal source of its transaction; `has_bulks`: whether its answer can say how often a
    /// result occurs.
    pub(super) fn operation(
        mut self,
        source: Option<&Str>,
        has_bulks: bool,
        guest: &Guest,
    ) -> Result<Operation, Status> {
        let refused = |refusal: Refusal| status::refused(&refusal);
        let named = self.fields.string("g").map_err(refused)?;
        if let (Some(source), Some(named)) = (source, &named)
            && named != source
        {
            return Err(status::other_source(source));
        }
        let source = named.or_else(|| source.cloned()).unwrap_or_else(|| "g".into());
        let bulks = self.bulks()?;
        let mut arguments = self.arguments(source, &guest.host)?;
        let mut operation = Operation::eval(&mut arguments, guest).map_err(|refusal| match refusal.code {
            // An unknown source, or language.
            crate::StatusCode::Evaluation => status::invalid(refusal.message),
            _ => status::refused(&refusal),
        })?;
        operation.query.memory += self.weight.bytes;
        operation.query.reserved.extend(self.weight.reserved.take());
        operation.form = if bulks && has_bulks { Form::Bytecode } else { Form::Script };
        Ok(operation)
    }

    /// Whether its results should come with how often they occur.
    fn bulks(&mut self) -> Result<bool, Status> {
        match self.fields.take("bulkResults") {
            None => Ok(self.bulks),
            Some(WireValue::Value(Value::Bool(bulks))) => Ok(bulks),
            Some(WireValue::Value(Value::String(text))) if matches!(&*text, "true" | "false") => {
                Ok(text == "true")
            }
            Some(_) => Err(status::invalid("[bulkResults] must be of type boolean".into())),
        }
    }

    /// The same, as a request of TinkerPop 3 would say it.
    fn arguments(&mut self, source: Str, host: &Host) -> Result<Arguments, Status> {
        let mut aliases = Map::new();
        aliases.insert("g", Value::String(source));
        let mut arguments: Vec<(Str, WireValue)> = vec![
            ("gremlin".into(), Value::String(self.script.clone()).into()),
            ("aliases".into(), Value::from(aliases).into()),
            ("bindings".into(), self.parameters(host)?),
        ];
        let names = [
            ("timeoutMillis", "evaluationTimeout"),
            ("batchSize", "batchSize"),
            ("language", "language"),
            ("materializeProperties", "materializeProperties"),
            ("requestKey", "requestKey"),
        ];
        for (name, name_in_three) in names {
            arguments.extend(self.fields.take(name).map(|value| (name_in_three.into(), value)));
        }
        Ok(Arguments::of_four(Args(arguments)))
    }

    /// What the script's variables stand for: the text of a map literal, or a map.
    fn parameters(&mut self, host: &Host) -> Result<WireValue, Status> {
        let Some(parameters) = self.fields.take("parameters") else { return Ok(WireValue::NULL) };
        let entries = match parameters {
            WireValue::Value(Value::String(text)) => {
                self.weight = host
                    .room_now(text.len(), || gremlin::memory_of(&text))
                    .map_err(|error| status::failed(&error, In::Itself))?;
                let told = |error| {
                    let text: String = text.chars().take(80).collect();
                    status::invalid(format!(
                        "The provided parameter string \"{text}\" could not be converted into a Map. {error}"
                    ))
                };
                let read = || gremlin::parse_parameters(&text);
                aside(Work::Request(text.len()), None, read).map_err(told)?
            }
            other => other.into_argument().ok().and_then(entries_of).ok_or_else(|| {
                let told = "[parameters] must be the text of a map literal, such as [\"x\":1], or a map";
                status::invalid(told.into())
            })?,
        };
        // TinkerPop 3 named the traversal source there.
        let g = Argument::Value(Value::str("g"));
        let others = entries.into_iter().filter(|(key, _)| *key != g);
        let others = others.map(|(key, bound)| (WireValue::argument(key), WireValue::argument(bound)));
        Ok(WireValue::map(others.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str, transaction: Option<&str>, header: Option<&str>) -> Result<Asked, Status> {
        let mut fields = Vec::new();
        if let Some(id) = transaction {
            fields.push(("transactionId".into(), Value::str(id).into()));
        }
        let mut headers = HeaderMap::new();
        if let Some(id) = header {
            headers.insert(TRANSACTION_ID, id.parse().unwrap());
        }
        Asked::read(Request { gremlin: script.into(), fields: Args(fields) }, &headers)
    }

    #[test]
    fn transactions_are_controlled_by_three_scripts_and_an_id() {
        let control = |script, id| read(script, id, None).map(|asked| asked.control);
        assert_eq!(control(" g.tx().begin()\n", None), Ok(Control::Begin));
        assert_eq!(control("g.tx().commit()", Some("x")), Ok(Control::End));
        assert_eq!(control("g.tx().rollback()", Some("x")), Ok(Control::End));
        assert_eq!(control("g.tx().begin();g.V()", None), Ok(Control::None));
        assert_eq!(control("g.tx().begin()", Some("x")).unwrap_err().code, 400);
        let error = control("g.tx().commit()", None).unwrap_err();
        assert_eq!((error.code, &*error.exception), (400, "TransactionException"));
    }

    #[test]
    fn the_id_is_in_field_and_header_and_one_of_them_is_enough() {
        let id = |field, header| read("g.V()", field, header).map(|asked| asked.transaction);
        assert_eq!(id(Some("x"), Some("x")), Ok(Some("x".into())));
        assert_eq!(id(None, Some("x")), Ok(Some("x".into())));
        assert_eq!(id(Some("x"), None), Ok(Some("x".into())));
        assert_eq!(id(Some("x"), Some("y")).unwrap_err().code, 400);
    }
}
