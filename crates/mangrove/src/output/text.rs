//! A value as text on one line, for people.

use values::{Path, Value};

/// A value as the Gremlin Console prints it, but for paths: `v[1] -knows-> v[2]`; and a list of one value, as `valueMap` makes them,
/// is the value.
pub(super) fn readable(value: &Value) -> String {
    match value {
        Value::List(list) if list.len() == 1 => readable(&list[0]),
        Value::Path(path) => of_path(path),
        value => value.to_string(),
    }
}

/// The visited objects with commas between them; but an edge between its two ends is an arrow from the one to the other.
fn of_path(path: &Path) -> String {
    let objects = &path.objects;
    let mut text = String::new();
    let mut joined = false;
    for (at, object) in objects.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &objects[before]);
        if let Some(arrow) = before.and_then(|before| arrow(before, object, objects.get(at + 1)?)) {
            text.push_str(&arrow);
            joined = true;
            continue;
        }
        if at > 0 && !std::mem::take(&mut joined) {
            text.push_str(", ");
        }
        text.push_str(&readable(object));
    }
    text
}

/// An edge between its ends, whichever way it was walked.
fn arrow(before: &Value, edge: &Value, after: &Value) -> Option<String> {
    let (Value::Vertex(before), Value::Edge(edge), Value::Vertex(after)) = (before, edge, after) else {
        return None;
    };
    let label = &edge.label;
    if (&edge.out_v.id, &edge.in_v.id) == (&before.id, &after.id) {
        Some(format!(" -{label}-> "))
    } else if (&edge.in_v.id, &edge.out_v.id) == (&before.id, &after.id) {
        Some(format!(" <-{label}- "))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use values::{Edge, Vertex};

    use super::*;

    fn vertex(id: i64) -> Value {
        Vertex::reference(id, "person").into()
    }

    fn knows(from: i64, to: i64) -> Value {
        let end = |id| Vertex::reference(id, "person");
        let edge = Edge {
            id: 7i64.into(),
            label: "knows".into(),
            out_v: end(from),
            in_v: end(to),
            properties: vec![],
        };
        edge.into()
    }

    fn walked(objects: Vec<Value>) -> String {
        let mut path = Path::default();
        objects.into_iter().for_each(|object| path.push(object, Vec::new()));
        readable(&path.into())
    }

    #[test]
    fn edges_of_a_path_point_from_vertex_to_vertex() {
        let there_and_back = vec![vertex(1), knows(1, 2), vertex(2), knows(3, 2), vertex(3)];
        assert_eq!(walked(there_and_back), "v[1] -knows-> v[2] <-knows- v[3]");
    }

    #[test]
    fn what_is_not_between_its_ends_is_one_object_of_a_path_among_others() {
        assert_eq!(walked(vec![vertex(1), vertex(2), "ada".into()]), "v[1], v[2], ada");
        assert_eq!(walked(vec![vertex(1), knows(1, 2)]), "v[1], e[7][1-knows->2]");
        assert_eq!(walked(vec![knows(1, 2), vertex(2)]), "e[7][1-knows->2], v[2]");
        assert_eq!(walked(vec![vertex(5), knows(1, 2), vertex(2)]), "v[5], e[7][1-knows->2], v[2]");
    }

    #[test]
    fn a_list_of_one_value_is_shown_as_the_value() {
        assert_eq!(readable(&Value::list(vec!["ada".into()])), "ada");
        assert_eq!(readable(&Value::list(vec![1.into(), 2.into()])), "[1, 2]");
    }
}
