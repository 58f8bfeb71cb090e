//! Which columns a page of results has, and what stands in them.
//!
//! | results | columns |
//! |---|---|
//! | elements, and maps whose keys are names | one for each name, in the order of first appearance |
//! | one map alone; properties, and entries of maps | `key` and `value`, a row for each entry |
//! | several maps with other keys | the same, with the number of the map before |
//! | anything else | `result` |

use values::Value;

use super::{
    fields::{Field, entries, fields},
    text::readable,
};

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A column for each name.
    Names,
    /// `key` and `value`.
    Entries,
    /// The same for several maps.
    NumberedEntries,
    /// One column.
    Whole,
}

impl Layout {
    /// That of a page, which goes on as the page before if it can.
    pub(super) fn of(page: &[Value], before: Option<Self>) -> Self {
        match before {
            None => Self::of_first(page),
            Some(Self::Whole) => Self::Whole,
            Some(Self::Names) if has_names(page) => Self::Names,
            Some(layout) if layout != Self::Names && have_entries(page) => layout,
            Some(_) => Self::of_first(page),
        }
    }

    fn of_first(page: &[Value]) -> Self {
        let maps = page.iter().filter(|value| matches!(value, Value::Map(_))).count();
        let is_lone_map = maps == 1 && page.len() == 1;
        if has_names(page) && !is_lone_map {
            Self::Names
        } else if have_entries(page) {
            if maps == 0 || is_lone_map { Self::Entries } else { Self::NumberedEntries }
        } else {
            Self::Whole
        }
    }
}

fn has_names(page: &[Value]) -> bool {
    page.iter().all(|value| fields(value).is_some())
}

/// Whether there is an entry, too: a table of empty maps would say nothing.
fn have_entries(page: &[Value]) -> bool {
    let all: Option<Vec<_>> = page.iter().map(entries).collect();
    all.is_some_and(|all| all.iter().any(|entries| !entries.is_empty()))
}

/// Header and rows of a page in a layout. `before`: results of the pages before.
pub(super) fn cells(layout: Layout, page: &[Value], before: u64) -> (Vec<String>, Vec<Vec<String>>) {
    let header = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    match layout {
        Layout::Whole => (header(&["result"]), page.iter().map(|value| vec![readable(value)]).collect()),
        Layout::Entries => (header(&["key", "value"]), page.iter().flat_map(rows_of).collect()),
        Layout::NumberedEntries => {
            let numbered = (before + 1..).zip(page).flat_map(|(number, value)| {
                let with_number = move |row: Vec<String>| [vec![number.to_string()], row].concat();
                rows_of(value).into_iter().map(with_number)
            });
            (header(&["#", "key", "value"]), numbered.collect())
        }
        Layout::Names => {
            let results: Vec<_> = page.iter().map(|value| fields(value).unwrap_or_default()).collect();
            let names = names(&results);
            let rows = results.iter().map(|result| names.iter().map(|name| named(result, name)).collect());
            (names.iter().map(ToString::to_string).collect(), rows.collect())
        }
    }
}

/// A row for each entry of a value; one without anything for a map that is empty.
fn rows_of(value: &Value) -> Vec<Vec<String>> {
    let entries = entries(value).unwrap_or_default();
    if entries.is_empty() {
        return vec![vec![String::new(), String::new()]];
    }
    entries.iter().map(|(key, value)| vec![readable(key), readable(value)]).collect()
}

/// The names of all results, in the order of first appearance.
pub(super) fn names(results: &[Vec<Field>]) -> Vec<Value> {
    let mut names: Vec<Value> = Vec::new();
    for (name, _) in results.iter().flatten() {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn named(result: &[Field], name: &Value) -> String {
    result.iter().find(|(own, _)| own == name).map_or_else(String::new, |(_, value)| readable(value))
}

#[cfg(test)]
mod tests {
    use values::{Edge, Map, Property, Vertex, VertexProperty};

    use super::*;

    fn map<K: Into<Value> + Clone>(entries: &[(K, i32)]) -> Value {
        let mut map = Map::new();
        entries.iter().for_each(|(key, value)| drop(map.insert(key.clone(), *value)));
        map.into()
    }

    fn laid_out(page: &[Value]) -> Vec<String> {
        let (header, rows) = cells(Layout::of(page, None), page, 0);
        [vec![header], rows].concat().iter().map(|row| row.join("|")).collect()
    }

    #[test]
    fn maps_spread_over_columns_in_the_order_of_first_appearance() {
        assert_eq!(laid_out(&[map(&[("a", 1)]), map(&[("b", 2), ("a", 3)])]), ["a|b", "1|", "3|2"]);
    }

    #[test]
    fn one_map_alone_and_maps_with_other_keys_are_rows_of_key_and_value() {
        assert_eq!(laid_out(&[map(&[("a", 1), ("b", 2)])]), ["key|value", "a|1", "b|2"]);
        let counted = [map(&[(7, 1)]), map(&[] as &[(i32, i32)]), map(&[(8, 2), (9, 3)])];
        assert_eq!(laid_out(&counted), ["#|key|value", "1|7|1", "2||", "3|8|2", "3|9|3"]);
        let property = Property { key: "since".into(), value: 1999.into(), owner: None };
        assert_eq!(laid_out(&[Value::from(property)]), ["key|value", "since|1999"]);
    }

    #[test]
    fn elements_have_id_label_and_properties() {
        let property = |key: &str, value: &str| VertexProperty {
            id: 0.into(),
            key: key.into(),
            value: value.into(),
            properties: Vec::new(),
            vertex: None,
            owner: None,
        };
        let ada = Vertex {
            properties: vec![property("name", "ada"), property("nick", "a"), property("nick", "aa")],
            ..Vertex::reference(1, "person")
        };
        let vertices = [Value::from(ada.clone()), Vertex::reference(2, "dog").into()];
        assert_eq!(laid_out(&vertices), ["id|label|name|nick", "1|person|ada|[a, aa]", "2|dog||"]);
        let since = Property { key: "since".into(), value: 1999.into(), owner: None };
        let (out_v, in_v) = (Vertex::reference(1, "person"), Vertex::reference(2, "dog"));
        let edge = Edge { id: 5.into(), label: "owns".into(), out_v, in_v, properties: vec![since] };
        assert_eq!(laid_out(&[edge.into()]), ["id|label|OUT|IN|since", "5|owns|v[1]|v[2]|1999"]);
    }

    #[test]
    fn mixed_results_and_empty_maps_share_one_column() {
        assert_eq!(laid_out(&[Value::Int(7), map(&[("a", 1)])]), ["result", "7", "{a=1}"]);
        assert_eq!(laid_out(&[map(&[] as &[(i32, i32)])]), ["result", "{}"]);
    }

    #[test]
    fn a_later_page_goes_on_as_the_one_before_if_it_can() {
        let lone = [map(&[("a", 1)])];
        assert_eq!(Layout::of(&lone, Some(Layout::Names)), Layout::Names);
        assert_eq!(Layout::of(&lone, Some(Layout::NumberedEntries)), Layout::NumberedEntries);
        assert_eq!(Layout::of(&[Value::Int(1)], Some(Layout::Names)), Layout::Whole);
    }
}
