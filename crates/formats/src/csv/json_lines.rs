//! JSON lines: an object on each line, of which some members are fields.

use std::path::Path;

use serde_json::Value as Json;

use super::reader::{Records, Row, Text};
use crate::error::{Fault, ImportError, quoted};
use crate::lines::Lines;

/// See the module.
pub(super) struct JsonLines {
    lines: Lines,
    line: u64,
    bytes: u64,
    fields: Vec<Member>,
}

/// A member that is a field.
struct Member {
    name: String,
    /// Whether it has many values: then one is an array of one.
    is_array: bool,
    is_there: bool,
    text: String,
    items: Option<Vec<String>>,
}

impl JsonLines {
    /// Opens a file of which members with these names are fields, each with whether it has many values.
    pub(super) fn open(
        path: &Path,
        fields: impl IntoIterator<Item = (String, bool)>,
    ) -> Result<Self, ImportError> {
        let member =
            |(name, is_array)| Member { name, is_array, is_there: false, text: String::new(), items: None };
        Ok(Self {
            lines: Lines::open(path)?,
            line: 1,
            bytes: 0,
            fields: fields.into_iter().map(member).collect(),
        })
    }
}

impl Records for JsonLines {
    fn next(&mut self, _: &Path) -> Result<Row<'_>, ImportError> {
        let Some((line, text)) = self.lines.next()? else { return Ok(Row::End) };
        self.line = line;
        let object = match serde_json::from_slice(text) {
            Ok(Json::Object(object)) => object,
            Ok(other) => {
                let problem = format!("a JSON object expected, found {}", quoted(&other.to_string()));
                return Ok(Row::Bad(Fault { column: 1, field: None, problem }));
            }
            Err(error) => return Ok(Row::Bad(Fault::of_json(&error))),
        };
        for field in &mut self.fields {
            if let Err(problem) = field.take(object.get(&field.name)) {
                return Ok(Row::Bad(Fault { column: 1, field: Some(field.name.clone()), problem }));
            }
        }
        self.bytes += self.lines.advance();
        Ok(Row::Fields(self.line, self.fields.iter().map(Member::text).collect()))
    }

    fn line(&self) -> u64 {
        self.line
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn are_numbered(&self) -> bool {
        false
    }
}

impl Member {
    /// Takes the value of a line, or says what is wrong with it.
    fn take(&mut self, value: Option<&Json>) -> Result<(), String> {
        (self.is_there, self.items) = (false, None);
        self.text.clear();
        match value {
            None | Some(Json::Null) => {}
            Some(Json::Array(items)) => {
                self.items = Some(items.iter().map(scalar).collect::<Result<_, _>>()?)
            }
            Some(one) if self.is_array => self.items = Some(vec![scalar(one)?]),
            Some(one) => {
                self.text = scalar(one)?;
                self.is_there = true;
            }
        }
        Ok(())
    }

    fn text(&self) -> Text<'_> {
        Text { text: &self.text, is_there: self.is_there, items: self.items.as_deref() }
    }
}

/// The text of a value that is one.
fn scalar(json: &Json) -> Result<String, String> {
    match json {
        Json::String(text) => Ok(text.clone()),
        Json::Number(number) => Ok(number.to_string()),
        Json::Bool(truth) => Ok(truth.to_string()),
        other => {
            let expected = "a text, a number, a truth value, or an array of these expected";
            Err(format!("{expected}, found {}", quoted(&other.to_string())))
        }
    }
}
