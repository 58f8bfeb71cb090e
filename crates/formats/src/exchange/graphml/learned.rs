//! What is learned of a graph before it is written: its keys with their types, and what GraphML cannot say of it.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use values::{Str, Uuid, Value};

/// What was learned of the elements of one kind.
#[derive(Clone, Default)]
pub(super) struct Learned {
    pub(super) keys: IndexMap<Str, Values>,
    /// Ids that are no texts.
    ids: u64,
    /// Whether texts among the ids look like one of those.
    has_lookalikes: bool,
}

/// The values under a key.
#[derive(Clone, Default)]
pub(super) struct Values {
    /// What the key is called in the file.
    pub(super) name: String,
    /// How many there are of each type that GraphML has.
    by_type: BTreeMap<&'static str, u64>,
    /// How many there are of others.
    others: u64,
    /// Properties of them.
    metas: u64,
}

/// The type of what has no other.
const TEXT: &str = "string";

/// The type in GraphML; none of a value for which it has none.
fn type_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::String(_) => TEXT,
        Value::Int(_) => "int",
        Value::Long(_) => "long",
        Value::Float(_) => "float",
        Value::Double(_) => "double",
        Value::Bool(_) => "boolean",
        _ => return None,
    })
}

/// Whether an id may be written as another one is: one that is no text, or a text that looks like such.
pub(super) fn may_be_written_twice(id: &Value) -> bool {
    id.as_str().is_none_or(|text| text.parse::<i64>().is_ok() || Uuid::parse_str(text).is_ok())
}

impl Learned {
    pub(super) fn id(&mut self, id: &Value) {
        match id {
            Value::String(_) => self.has_lookalikes |= may_be_written_twice(id),
            Value::Null => {}
            _ => self.ids += 1,
        }
    }

    /// A value with so many properties of its own.
    pub(super) fn value(&mut self, key: &Str, value: &Value, metas: usize) {
        let values = match self.keys.get_mut(key) {
            Some(values) => values,
            None => self.keys.entry(key.clone()).or_default(),
        };
        match type_of(value) {
            Some(found) => *values.by_type.entry(found).or_default() += 1,
            None => values.others += 1,
        }
        values.metas += metas as u64;
    }

    /// Learns what somebody else has.
    pub(super) fn add(&mut self, other: Self) {
        self.ids += other.ids;
        self.has_lookalikes |= other.has_lookalikes;
        for (key, values) in other.keys {
            let known = self.keys.entry(key).or_default();
            for (found, count) in values.by_type {
                *known.by_type.entry(found).or_default() += count;
            }
            known.others += values.others;
            known.metas += values.metas;
        }
    }

    /// Whether two ids might be written alike.
    pub(super) fn may_have_twins(&self) -> bool {
        self.ids > 0 && self.has_lookalikes
    }

    /// What GraphML does not say of them, in words; `what` they are called.
    pub(super) fn losses(&self, what: &str) -> Vec<String> {
        let mut losses = Vec::new();
        if self.ids > 0 {
            losses.push(format!("{} ids of {what} that are no texts are written as texts", self.ids));
        }
        for (key, values) in &self.keys {
            let as_texts = values.as_texts();
            if as_texts > 0 {
                losses.push(format!("`{key}`: {as_texts} values of {what} are written as texts"));
            }
            if values.metas > 0 {
                losses.push(format!("`{key}`: {} properties of properties are left out", values.metas));
            }
        }
        losses
    }
}

impl Values {
    /// The type that all of them have in the file: text, if they are of several.
    pub(super) fn type_in_file(&self) -> &'static str {
        match self.by_type.keys().next() {
            Some(one) if self.by_type.len() == 1 && self.others == 0 => one,
            _ => TEXT,
        }
    }

    /// How many are no texts and will be some.
    fn as_texts(&self) -> u64 {
        if self.type_in_file() != TEXT {
            return 0;
        }
        self.others
            + self.by_type.iter().filter(|(found, _)| **found != TEXT).map(|(_, count)| count).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_becomes_a_text_is_counted_and_what_has_a_type_is_not() {
        let mut learned = Learned::default();
        let mut other = Learned::default();
        for (key, value) in
            [("n", Value::Int(1)), ("n", Value::Int(2)), ("m", Value::Int(1)), ("u", Value::Char('x'))]
        {
            learned.value(&key.into(), &value, usize::from(key == "u"));
        }
        for (key, value) in
            [("m", Value::str("x")), ("m", Value::Long(7)), ("t", Value::str("x")), ("z", Value::Null)]
        {
            other.value(&key.into(), &value, 0);
        }
        [Value::Long(5), Value::str("a")].iter().for_each(|id| learned.id(id));
        assert!(!learned.may_have_twins());
        other.id(&Value::str("5"));
        learned.add(other);
        assert!(learned.may_have_twins());
        assert_eq!(learned.keys["n"].type_in_file(), "int");
        let expected = [
            "1 ids of vertices that are no texts are written as texts",
            "`m`: 2 values of vertices are written as texts",
            "`u`: 1 values of vertices are written as texts",
            "`u`: 1 properties of properties are left out",
            "`z`: 1 values of vertices are written as texts",
        ];
        assert_eq!(learned.losses("vertices"), expected);
    }
}
