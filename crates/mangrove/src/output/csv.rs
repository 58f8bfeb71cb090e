//! Results as comma-separated values (RFC 4180, with line feeds), for other programs.
//!
//! The columns are those of the first page. Scalars are written as text, null as nothing, and what is nested as JSON.

use std::io::{self, Write};

use values::Value;

use super::{
    fields::{entries, fields},
    layout::names,
    printer::json,
};

/// Writes records, the header before the first.
#[derive(Debug, Default)]
pub(super) struct Records(Option<Columns>);

#[derive(Clone, Debug)]
enum Columns {
    /// A column for each name of elements and maps.
    Names(Vec<Value>),
    /// `key` and `value`: maps whose keys are no names.
    Entries,
    /// `result`.
    Whole,
}

impl Columns {
    fn of(page: &[Value]) -> Self {
        let named: Option<Vec<_>> = page.iter().map(fields).collect();
        if let Some(named) = named {
            return Self::Names(names(&named));
        }
        if page.iter().all(|value| entries(value).is_some()) { Self::Entries } else { Self::Whole }
    }

    fn header(&self) -> Vec<Value> {
        let texts = |names: &[&str]| names.iter().map(|name| Value::from(*name)).collect();
        match self {
            Self::Names(names) => names.iter().map(|name| Value::from(name.to_string())).collect(),
            Self::Entries => texts(&["key", "value"]),
            Self::Whole => texts(&["result"]),
        }
    }

    /// The records of a result; `None` if it does not fit.
    fn records(&self, value: &Value) -> Option<Vec<Vec<Value>>> {
        match self {
            Self::Whole => Some(vec![vec![value.clone()]]),
            Self::Entries => Some(entries(value)?.into_iter().map(|(key, value)| vec![key, value]).collect()),
            Self::Names(names) => {
                let fields = fields(value)?;
                if fields.iter().any(|(name, _)| !names.contains(name)) {
                    return None;
                }
                let field = |name| fields.iter().find(|(own, _)| own == name);
                Some(vec![
                    names.iter().map(|name| field(name).map_or(Value::Null, |(_, it)| it.clone())).collect(),
                ])
            }
        }
    }
}

impl Records {
    /// Writes a page, behind `before` other results.
    ///
    /// # Errors
    /// When `out` takes no more, or a result has what no result of the first page has, so that there is no column for it.
    pub(super) fn write(&mut self, page: &[Value], before: u64, out: &mut impl Write) -> io::Result<()> {
        let columns = match &self.0 {
            Some(columns) => columns,
            None => {
                let columns = Columns::of(page);
                record(&columns.header(), out)?;
                self.0.insert(columns)
            }
        };
        for (number, value) in (before + 1..).zip(page) {
            let records = columns.records(value).ok_or_else(|| unexpected(number, columns))?;
            records.iter().try_for_each(|cells| record(cells, out))?;
        }
        Ok(())
    }
}

fn unexpected(number: u64, columns: &Columns) -> io::Error {
    let header = columns.header().iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    io::Error::other(format!(
        "result {number} does not fit into the columns of those before ({header}); say in the traversal which ones there are, such as \
         with project() or elementMap('a', 'b'), or use --format json"
    ))
}

fn record(cells: &[Value], out: &mut impl Write) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        let text = text(cell)?;
        // A record that is one empty cell would be an empty line.
        if text.contains(['"', ',', '\n', '\r']) || text.is_empty() && cells.len() == 1 {
            write!(out, "\"{}\"", text.replace('"', "\"\""))?;
        } else {
            out.write_all(text.as_bytes())?;
        }
    }
    out.write_all(b"\n")
}

/// A list of one value, as `valueMap` makes them, is written as the value.
fn text(value: &Value) -> io::Result<String> {
    Ok(match value {
        Value::Null => String::new(),
        Value::List(list) if list.len() == 1 => text(&list[0])?,
        Value::Vertex(_)
        | Value::Edge(_)
        | Value::VertexProperty(_)
        | Value::Property(_)
        | Value::Path(_)
        | Value::List(_)
        | Value::Set(_)
        | Value::BulkSet(_)
        | Value::Map(_)
        | Value::Entry(_) => String::from_utf8_lossy(&json(value)?).into_owned(),
        scalar => scalar.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use values::{Map, Vertex};

    use super::*;

    fn map(entries: &[(&str, Value)]) -> Value {
        let mut map = Map::new();
        entries.iter().for_each(|(key, value)| drop(map.insert(*key, value.clone())));
        map.into()
    }

    fn written(pages: &[&[Value]]) -> io::Result<String> {
        let (mut out, mut records, mut before) = (Vec::new(), Records::default(), 0);
        for page in pages {
            records.write(page, before, &mut out)?;
            before += page.len() as u64;
        }
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn names_become_a_header_and_quotes_commas_and_lines_are_quoted() {
        let rows = [
            map(&[("name", "a \"b\"".into()), ("n", 1.into())]),
            map(&[("n", Value::list(vec![2.into()])), ("at", "x,y\nz".into())]),
            map(&[("name", Value::Null), ("n", Value::list(vec![1.into(), 2.into()]))]),
        ];
        assert_eq!(written(&[&rows]).unwrap(), "name,n,at\n\"a \"\"b\"\"\",1,\n,2,\"x,y\nz\"\n,\"[1,2]\",\n");
    }

    #[test]
    fn elements_have_columns_and_values_one() {
        let vertex = Value::from(Vertex::reference(1, "person"));
        let page = [vertex];
        assert_eq!(written(&[&page, &page]).unwrap(), "id,label\n1,person\n1,person\n");
        assert_eq!(written(&[&["".into(), true.into()]]).unwrap(), "result\n\"\"\ntrue\n");
    }

    #[test]
    fn a_key_that_comes_too_late_for_the_header_is_an_error_and_not_left_out() {
        let pages: [&[Value]; 2] = [&[map(&[("a", 1.into())])], &[map(&[("b", 1.into())])]];
        let message = written(&pages).unwrap_err().to_string();
        assert!(
            message.starts_with("result 2 does not fit") && message.contains("--format json"),
            "{message}"
        );
    }
}
