//! Lays results out in columns.

use std::fmt;

use comfy_table::{ContentArrangement, presets};
use values::Value;

/// Longest text in a cell, in characters.
const CELL: usize = 200;

/// Terminals narrower than this, in characters, get the table as wide as it is.
const NARROWEST: u16 = 20;

/// A page of results as a table.
pub(super) struct Table(comfy_table::Table);

impl Table {
    /// Lays out `results` within the terminal's width: if all are maps with text keys, a column per key in the order of first appearance;
    /// otherwise one column.
    pub(super) fn of(results: &[Value]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        // Terminals that do not know their width say 0.
        if table.width().is_some_and(|width| width < NARROWEST) {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
        match columns(results) {
            Some(columns) => {
                table.set_header(columns.iter().map(ToString::to_string));
                for result in results {
                    table.add_row(columns.iter().map(|column| field(result, column)));
                }
            }
            None => {
                table.set_header(["result"]);
                table.add_rows(results.iter().map(|result| [cell(result)]));
            }
        }
        Self(table)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The keys of all the maps; `None` if there is something else among the results, or a map without keys.
fn columns(results: &[Value]) -> Option<Vec<Value>> {
    let mut columns: Vec<Value> = Vec::new();
    for result in results {
        let Value::Map(map) = result else { return None };
        for (key, _) in map.iter() {
            if !matches!(key, Value::String(_) | Value::T(_) | Value::Direction(_)) {
                return None;
            }
            if !columns.contains(key) {
                columns.push(key.clone());
            }
        }
    }
    (!columns.is_empty()).then_some(columns)
}

fn field(result: &Value, column: &Value) -> String {
    match result {
        Value::Map(map) => map.get(column).map_or_else(String::new, cell),
        _ => String::new(),
    }
}

/// A value in one cell. A list of one value, as `valueMap` makes them, is shown as the value.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::List(list) if list.len() == 1 => list[0].to_string(),
        value => value.to_string(),
    };
    // Control characters would break the table, or the terminal.
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CELL).collect();
    if text.chars().nth(CELL).is_some() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use values::Map;

    use super::*;

    fn map(entries: &[(&str, i32)]) -> Value {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(*key, *value);
        }
        map.into()
    }

    #[test]
    fn maps_spread_over_columns_in_the_order_of_first_appearance() {
        let table = Table::of(&[map(&[("a", 1)]), map(&[("b", 2), ("a", 3)])]).to_string();
        let lines: Vec<_> = table.lines().collect();
        assert!(lines[1].contains("a ┆ b"), "{table}");
        assert!(lines[3].contains("1 ┆  "), "{table}");
        assert!(lines[4].contains("3 ┆ 2"), "{table}");
    }

    #[test]
    fn mixed_results_share_one_column() {
        let table = Table::of(&[Value::Int(7), map(&[("a", 1)])]).to_string();
        assert!(table.contains("result") && table.contains('7'), "{table}");
    }

    #[test]
    fn long_text_is_cut_and_control_characters_become_blanks() {
        let long = Value::str("x".repeat(CELL + 1));
        assert_eq!(cell(&long).chars().count(), CELL + 1);
        assert_eq!(cell(&Value::str("a\x1b[31m\nb")), "a [31m b");
    }
}
