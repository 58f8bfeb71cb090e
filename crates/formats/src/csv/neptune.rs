//! The header of Amazon Neptune's files (its Gremlin load data format).
//!
//! | column | meaning |
//! |---|---|
//! | `~id` | the id, a text |
//! | `~label` | the label; `vertex` or `edge` where it says nothing |
//! | `~from`, `~to` | the ends of an edge; a file that has them holds edges |
//! | `age:Int`, `name` | a property; without a type a text |
//! | `name:String[]` | many values, joined by `;`; one inside of a value is `\;` |
//! | `age:Int(single)`, `age:Int(set)` | the same as without: a field is one value, and a row all of an element |
//!
//! A colon in the name of a property has a backslash before it.

use super::header::Column;
use super::scalar::ScalarType;
use crate::error::quoted;

/// Whether a column is one of those that no other convention has.
pub(super) fn is_special(name: &str) -> bool {
    name.starts_with('~')
}

/// The label of elements for which a file has none.
pub(super) fn default_label(is_edges: bool) -> &'static str {
    if is_edges { "edge" } else { "vertex" }
}

/// What a column is.
pub(super) fn column(name: &str) -> Result<Column, String> {
    let name = name.trim();
    let space = String::new;
    match name {
        "~id" => Ok(Column::Id { space: space(), id_type: ScalarType::String, key: None }),
        "~from" => Ok(Column::Start { space: space() }),
        "~to" => Ok(Column::End { space: space() }),
        "~label" => Ok(Column::Label),
        _ if is_special(name) => {
            Err("of the columns that begin with `~`, Neptune has `~id`, `~label`, `~from` and `~to`".into())
        }
        _ => property(name),
    }
}

fn property(name: &str) -> Result<Column, String> {
    let (key, kind) = split(name);
    let (kind, cardinality) = match kind.strip_suffix(')').and_then(|kind| kind.split_once('(')) {
        Some((kind, cardinality)) => (kind, Some(cardinality)),
        None => (kind, None),
    };
    if let Some(cardinality) = cardinality
        && !["single", "set"].iter().any(|known| cardinality.trim().eq_ignore_ascii_case(known))
    {
        return Err(format!("a cardinality, `(single)` or `(set)`, expected, found {}", quoted(cardinality)));
    }
    let kind = kind.trim();
    let (kind, is_array) = kind.strip_suffix("[]").map_or((kind, false), |kind| (kind, true));
    let scalar = if kind.is_empty() { Some(ScalarType::String) } else { ScalarType::named(kind.trim()) };
    let scalar = scalar.ok_or_else(|| {
        format!(
            "a type of Neptune's expected: Bool, Byte, Short, Int, Long, Float, Double, String or Date; found {}",
            quoted(kind)
        )
    })?;
    if key.is_empty() {
        return Err("a property needs a name".into());
    }
    Ok(Column::Property { key, scalar, is_array })
}

/// The name of a property, and what is behind its colon.
pub(super) fn split(name: &str) -> (String, &str) {
    let is_escaped = |at: usize| name[..at].ends_with('\\');
    let colon = name.match_indices(':').map(|(at, _)| at).rfind(|at| !is_escaped(*at));
    let (key, kind) = colon.map_or((name, ""), |at| (&name[..at], &name[at + 1..]));
    (key.trim().replace("\\:", ":"), kind.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_have_types_arrays_and_cardinalities() {
        for (name, key, scalar, is_array) in [
            ("name", "name", ScalarType::String, false),
            ("name:String", "name", ScalarType::String, false),
            ("tags:String[]", "tags", ScalarType::String, true),
            ("age:Int(single)", "age", ScalarType::Int, false),
            ("age: Long (set)", "age", ScalarType::Long, false),
            ("scores:Double[](set)", "scores", ScalarType::Double, true),
            ("since:Date", "since", ScalarType::DateTime, false),
            ("is\\:a:Bool", "is:a", ScalarType::Bool, false),
            ("is\\:a", "is:a", ScalarType::String, false),
        ] {
            let expected = Column::Property { key: key.into(), scalar, is_array };
            assert_eq!(column(name), Ok(expected), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (name, problem) in [
            ("~source", "Neptune has `~id`, `~label`, `~from` and `~to`"),
            ("age:Number", "found \"Number\""),
            ("age:Int(list)", "found \"list\""),
            (":Int", "needs a name"),
        ] {
            let found = column(name).unwrap_err();
            assert!(found.contains(problem), "{name}: {found}");
        }
    }
}
