//! What a query said, for who looks at it.

use std::borrow::Cow;

use gremlin::Argument;
use hyper::body::Bytes;
use values::{Str, Value};
use wire::{Extended, Format, WireValue};

/// Bytes of bytecode that are kept as they came, to be read once more if somebody looks.
const KEPT: usize = 64 << 10;

/// Characters of a text that are shown.
const SHOWN: usize = 4_096;

/// Services that passwords are given to: of what calls one, nothing is shown.
const SECRETIVE: &str = "mangrove.users.";

/// What a query said.
#[derive(Clone, Debug)]
pub(crate) enum Said {
    /// A script.
    Text(Str),
    /// A message with bytecode, as it came: it is seldom looked at, and to print it each time would take longer than many a query.
    Message(Format, Bytes),
    /// Something else.
    Words(String),
}

impl Said {
    /// The bytecode of a message.
    pub(crate) fn message(format: Format, bytes: &Bytes) -> Self {
        if bytes.len() <= KEPT {
            return Self::Message(format, bytes.clone());
        }
        Self::Words(format!("bytecode of {} bytes", bytes.len()))
    }

    /// Whether one of these variables is the name of a service that passwords are given to.
    pub(crate) fn names_secret(bindings: &[(Str, Argument)]) -> bool {
        let mut texts = bindings.iter().filter_map(|(_, bound)| bound.as_value()?.as_str());
        texts.any(|text| text.starts_with(SECRETIVE))
    }

    /// What is shown of a call of one.
    pub(crate) fn secret() -> Self {
        Self::Words(format!("… {SECRETIVE}…"))
    }

    /// The same as text, its first part if it is long.
    pub(crate) fn shown(&self) -> String {
        let text = self.whole();
        // Passwords are among its parameters, and may stand long before what they are given to.
        if text.contains(SECRETIVE) { Self::secret().whole().into_owned() } else { shortened(&text) }
    }

    /// Whether it may have a password in its variables.
    pub(crate) fn is_secretive(&self) -> bool {
        self.whole().contains(SECRETIVE)
    }

    fn whole(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Words(words) => Cow::Borrowed(words),
            Self::Message(format, bytes) => Cow::Owned(of_message(*format, bytes)),
        }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

fn of_message(format: Format, bytes: &[u8]) -> String {
    let Ok(message) = format.decode_request(bytes) else { return "bytecode".into() };
    match message.args.get("gremlin") {
        Some(WireValue::Value(Value::String(text))) => text.to_string(),
        Some(WireValue::Argument(argument)) => match &**argument {
            Argument::Traversal(traversal) => traversal.to_string(),
            other => other.to_string(),
        },
        Some(WireValue::Extended(extended)) => match &**extended {
            Extended::Transaction(end) => format!("{end:?}"),
            _ => "bytecode".into(),
        },
        _ => "bytecode".into(),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use wire::{Args, RequestMessage};

    use super::*;

    #[test]
    fn bytecode_is_told_as_the_traversal_that_it_is() {
        let traversal =
            gremlin::parse_traversal("g.V().has('name', 'ada').out('knows')", &Default::default()).unwrap();
        let bytecode = WireValue::Argument(Box::new(Argument::Traversal(traversal.clone())));
        let message = RequestMessage {
            id: Uuid::nil(),
            op: "bytecode".into(),
            processor: "traversal".into(),
            args: Args(vec![("gremlin".into(), bytecode)]),
        };
        for format in [Format::GraphBinary, Format::GraphSon(wire::graphson::Dialect::V3)] {
            let mut bytes = Vec::new();
            format.encode_request(&message, &mut bytes).unwrap();
            assert_eq!(Said::message(format, &bytes.into()).shown(), traversal.to_string());
        }
    }

    #[test]
    fn a_password_that_stands_long_before_its_service_is_not_shown() {
        let script = format!("pw = 'hush'; {} g.call('mangrove.users.add', [p: pw])", " ".repeat(2 * SHOWN));
        let said = Said::Text(script.into());
        assert!(said.is_secretive() && !said.shown().contains("hush"), "{}", said.shown());
        let harmless = Said::Text(format!("g.V(); {}", "''".repeat(SHOWN)).into());
        assert!(!harmless.is_secretive() && harmless.shown().len() < 2 * SHOWN);
    }

    #[test]
    fn a_service_that_a_variable_names_is_as_secret_as_one_in_the_text() {
        let of = |value: &str| [(Str::from("s"), Value::from(value).into())];
        assert!(
            Said::names_secret(&of("mangrove.users.add")) && !Said::names_secret(&of("mangrove.queries"))
        );
        assert!(Said::secret().is_secretive() && !Said::secret().shown().contains("add"));
    }
}
