//! TinkerPop's notation of values, in parameters and in expected results.
//!
//! | notation | value |
//! |---|---|
//! | `d[29].i` | a number; `b s i l n` are integers, `f d m` are not |
//! | `str[ a ]`, any other text | a string |
//! | `l[a,b]`, `s[a,b]`, `p[a,b]` | a list, a set, a path |
//! | `m[{"a":"d[1].l"}]` | a map, in JSON; its keys and its strings are notations |
//! | `v[marko]`, `e[marko-knows->josh]`, `vp[marko-age->d[29].i]` | an element; with `.id` its id, with `.sid` that as a text |
//! | `t[id]`, `D[OUT]` | a token |
//! | `dt[2023-08-02T00:00:00Z]`, `uuid[…]`, `null`, `true` | what they say |

use std::str::FromStr;

use serde_json::Value as Json;
use values::{BigDecimal, BigInt, DateTime, Direction, Map, Path, Set, T, Uuid, Value};

/// Finds elements by their names.
pub(crate) trait Find {
    /// The vertex of that name, if there is one.
    fn vertex(&mut self, name: &str) -> Result<Option<Value>, String>;
    /// The edge with that label between vertices of those names.
    fn edge(&mut self, from: &str, label: &str, to: &str) -> Result<Value, String>;
    /// The property with that value of a vertex of that name.
    fn property(&mut self, of: &str, key: &str, value: Value) -> Result<Value, String>;
}

/// Reads a value.
///
/// # Errors
/// If the notation is broken, or an element is not there.
pub(crate) fn value(text: &str, find: &mut dyn Find) -> Result<Value, String> {
    if let Some(value) = word(text) {
        return Ok(value);
    }
    let Some((kind, inside, suffix)) = bracketed(text) else { return Ok(Value::str(text)) };
    match (kind, suffix) {
        ("d", kind) => number(inside, kind),
        ("str", "") => Ok(Value::str(inside)),
        ("l", "") => Ok(items(inside, find)?.into()),
        ("s", "") => Ok(items(inside, find)?.into_iter().collect::<Set>().into()),
        ("p", "") => path(inside, find),
        ("m", "") => json(&parse_json(inside)?, find),
        ("dt", "") => DateTime::from_str(inside).map(Value::from).map_err(|error| error.to_string()),
        ("uuid", "") => Uuid::from_str(inside).map(Value::from).map_err(|error| error.to_string()),
        ("t", "") => T::from_name(inside).map(Value::from).ok_or_else(|| unknown(text)),
        ("D", "") => Direction::from_name(inside).map(Value::from).ok_or_else(|| unknown(text)),
        ("v", "") => vertex(inside, find),
        ("v", ".id") => id(&found(find.vertex(inside)?, text)?),
        ("v", ".sid") => Ok(Value::str(id(&found(find.vertex(inside)?, text)?)?.to_string())),
        ("e", "") => edge(inside, find),
        ("e", ".id") => id(&edge(inside, find)?),
        ("e", ".sid") => Ok(Value::str(id(&edge(inside, find)?)?.to_string())),
        ("vp", "") => vertex_property(inside, find),
        _ => Ok(Value::str(text)),
    }
}

fn word(text: &str) -> Option<Value> {
    Some(match text {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => return None,
    })
}

/// `KIND[INSIDE]SUFFIX`, if the text is one of these.
fn bracketed(text: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = text.split_once('[')?;
    let (inside, suffix) = rest.rsplit_once(']')?;
    let known = match kind {
        "d" => matches!(suffix, "" | ".b" | ".s" | ".i" | ".l" | ".n" | ".f" | ".d" | ".m"),
        "v" | "e" => matches!(suffix, "" | ".id" | ".sid"),
        "str" | "l" | "s" | "p" | "m" | "dt" | "uuid" | "t" | "D" | "M" | "vp" => suffix.is_empty(),
        _ => false,
    };
    known.then_some((kind, inside, suffix))
}

fn number(text: &str, kind: &str) -> Result<Value, String> {
    fn parsed<N: FromStr + Into<Value>>(text: &str) -> Option<Value> {
        text.parse::<N>().ok().map(Into::into)
    }
    let value = match kind {
        ".b" => parsed::<i8>(text),
        ".s" => parsed::<i16>(text),
        ".i" => parsed::<i32>(text),
        ".l" => parsed::<i64>(text),
        ".n" => parsed::<BigInt>(text),
        ".f" => parsed::<f32>(text),
        ".d" => parsed::<f64>(text),
        ".m" => parsed::<BigDecimal>(text),
        _ => match text {
            "NaN" => Some(f64::NAN.into()),
            "Infinity" => Some(f64::INFINITY.into()),
            "-Infinity" => Some(f64::NEG_INFINITY.into()),
            _ => None,
        },
    };
    value.ok_or_else(|| format!("d[{text}]{kind} is no number"))
}

/// Notations between commas; a comma within brackets or braces belongs to what stands there.
fn items(text: &str, find: &mut dyn Find) -> Result<Vec<Value>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let (mut depth, mut start, mut values) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                values.push(value(text[start..at].trim(), find)?);
                start = at + 1;
            }
            _ => {}
        }
    }
    values.push(value(text[start..].trim(), find)?);
    Ok(values)
}

/// A path; the notation has no labels.
fn path(text: &str, find: &mut dyn Find) -> Result<Value, String> {
    let mut path = Path::default();
    for object in items(text, find)? {
        path.push(object, Vec::new());
    }
    Ok(path.into())
}

fn parse_json(text: &str) -> Result<Json, String> {
    serde_json::from_str(text).map_err(|error| format!("{text}: {error}"))
}

/// Numbers in JSON have the type that Jackson gives them: an int if it fits, then a long; with a point, a double.
fn json(json: &Json, find: &mut dyn Find) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(n), _) => i32::try_from(n).map_or(Value::Long(n), Value::Int),
            (None, Some(x)) => Value::Double(x),
            (None, None) => return Err(format!("{number} is out of range")),
        },
        Json::String(text) => value(text, find)?,
        Json::Array(items) => {
            items.iter().map(|item| self::json(item, find)).collect::<Result<Vec<_>, _>>()?.into()
        }
        Json::Object(entries) => {
            let mut map = Map::new();
            for (key, item) in entries {
                map.insert(value(key, find)?, self::json(item, find)?);
            }
            map.into()
        }
    })
}

/// A vertex. One that is not in the graph is a mere reference, whose id is the text, as in TinkerPop's runners.
fn vertex(name: &str, find: &mut dyn Find) -> Result<Value, String> {
    Ok(find.vertex(name)?.unwrap_or_else(|| values::Vertex::reference(name, "vertex").into()))
}

fn edge(text: &str, find: &mut dyn Find) -> Result<Value, String> {
    let (from, label, to) = triplet(text).ok_or_else(|| unknown(text))?;
    find.edge(from, label, to)
}

fn vertex_property(text: &str, find: &mut dyn Find) -> Result<Value, String> {
    let (of, key, text) = triplet(text).ok_or_else(|| unknown(text))?;
    let value = value(text, find)?;
    find.property(of, key, value)
}

/// `FROM-LABEL->TO`
fn triplet(text: &str) -> Option<(&str, &str, &str)> {
    let (rest, to) = text.rsplit_once("->")?;
    let (from, label) = rest.rsplit_once('-')?;
    Some((from, label, to))
}

fn id(element: &Value) -> Result<Value, String> {
    match element {
        Value::Vertex(vertex) => Ok(vertex.id.clone()),
        Value::Edge(edge) => Ok(edge.id.clone()),
        other => Err(format!("{other} is no element")),
    }
}

fn found(element: Option<Value>, text: &str) -> Result<Value, String> {
    element.ok_or_else(|| format!("{text}: there is none"))
}

fn unknown(text: &str) -> String {
    format!("{text} means nothing")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::same::{print, same};

    /// A graph with one vertex, one edge and one property.
    struct Marko;

    impl Find for Marko {
        fn vertex(&mut self, name: &str) -> Result<Option<Value>, String> {
            Ok((name == "marko").then(|| values::Vertex::reference(1_i32, "person").into()))
        }

        fn edge(&mut self, from: &str, label: &str, to: &str) -> Result<Value, String> {
            let end = |name: &str| values::Vertex::reference(name, "person");
            let (id, label) = (7_i32.into(), label.into());
            let edge = values::Edge { id, label, out_v: end(from), in_v: end(to), properties: Vec::new() };
            Ok(edge.into())
        }

        fn property(&mut self, _: &str, key: &str, value: Value) -> Result<Value, String> {
            let property = values::Property { key: key.into(), value, owner: None };
            Ok(property.into())
        }
    }

    fn read(text: &str) -> Value {
        value(text, &mut Marko).unwrap()
    }

    #[test]
    fn numbers_have_the_type_that_is_written() {
        for (text, expected) in [
            ("d[1].b", Value::Byte(1)),
            ("d[1].s", Value::Short(1)),
            ("d[1].i", Value::Int(1)),
            ("d[1].l", Value::Long(1)),
            ("d[1.5].f", Value::Float(1.5)),
            ("d[1].d", Value::Double(1.0)),
            ("d[1].n", BigInt::from(1).into()),
            ("d[NaN]", Value::Double(f64::NAN)),
            ("d[-Infinity]", Value::Double(f64::NEG_INFINITY)),
        ] {
            assert!(same(&read(text), &expected), "{text}: {}", print(&read(text)));
        }
        assert!(value("d[x].i", &mut Marko).is_err());
    }

    #[test]
    fn what_is_no_notation_is_a_string() {
        for text in ["", "marko", "d[1].x", "x[1]", "[a]", "1"] {
            assert_eq!(read(text), Value::str(text));
        }
        assert_eq!(read("str[ d[1].i ]"), Value::str(" d[1].i "));
    }

    #[test]
    fn collections_hold_notations() {
        assert_eq!(print(&read("l[a,d[1].i,l[b,c]]")), r#"l["a",d[1].i,l["b","c"]]"#);
        assert_eq!(print(&read("s[a,a]")), r#"s["a"]"#);
        assert_eq!(print(&read("p[v[marko],null]")), "p[v[d[1].i],null]");
        assert_eq!(print(&read("l[]")), "l[]");
        let map = r#"m[{"t[id]": 1, "d[1].l": ["v[marko].sid", 0.5], "null": "l[a,b]"}]"#;
        assert_eq!(print(&read(map)), r#"m[{t[id]: d[1].i, d[1].l: l["1",d[0.5].d], null: l["a","b"]}]"#);
    }

    #[test]
    fn elements_are_found_by_name() {
        assert_eq!(print(&read("v[marko].id")), "d[1].i");
        assert_eq!(print(&read("v[nobody]")), r#"v["nobody"]"#);
        assert!(value("v[nobody].id", &mut Marko).is_err());
        assert_eq!(print(&read("e[marko-knows->josh].id")), "d[7].i");
        assert_eq!(print(&read("vp[marko-age->d[29].i]")), "Property(p[age->29])");
    }
}
