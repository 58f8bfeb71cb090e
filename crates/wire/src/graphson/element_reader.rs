//! Reading elements, properties and paths.

use serde_json::{Map as JsonMap, Value as Json};
use values::{Edge, Path, Property, Str, Value, Vertex, VertexProperty};

use super::Location;
use super::reader::{Read, array, field, object, text, type_of, unexpected, value};
use crate::error::Problem;

/// The element, property or path of that type; `None` if the type is another.
pub(super) fn element(name: &str, json: &Json, at: &Location<'_>) -> Read<Option<Value>> {
    Ok(Some(match name {
        "g:Vertex" => vertex(json, at)?.into(),
        "g:Edge" => edge(json, at)?.into(),
        "g:VertexProperty" => vertex_property(json, at, None)?.into(),
        "g:Property" => property(json, at)?.into(),
        "g:Path" => path(json, at)?.into(),
        _ => return Ok(None),
    }))
}

type Object = JsonMap<String, Json>;

fn id(object: &Object, at: &Location<'_>) -> Read<Value> {
    value(field(object, "id"), &at.field("id"))
}

/// The text of a field, or `default` where it is missing.
fn name(object: &Object, key: &str, default: &str, at: &Location<'_>) -> Read<Str> {
    match object.get(key) {
        None | Some(Json::Null) => Ok(default.into()),
        Some(json) => one_label(json, &at.field(key)),
    }
}

/// A label: a string, or in version 4 an array of one. An empty one stands for none.
fn one_label(json: &Json, at: &Location<'_>) -> Read<Str> {
    match json {
        Json::Array(labels) => match labels.as_slice() {
            [] => Ok(Str::new()),
            [label] => text(label, &at.index(0)).map(Str::from),
            _ => Err(at.error(Problem::expected("one label, since an element has one here", "several"))),
        },
        json => text(json, at).map(Str::from),
    }
}

/// What is inside a value that says its type; the value itself where it says none.
pub(super) fn untyped<'j>(json: &'j Json, name: &str, at: &Location<'_>) -> Read<&'j Json> {
    match json.as_object().and_then(|object| Some((type_of(object)?, object))) {
        Some((found, object)) if found == name => Ok(field(object, "@value")),
        Some((found, _)) => Err(at.error(Problem::Expected {
            expected: "another type of element",
            found: crate::error::excerpt(found),
        })),
        None => Ok(json),
    }
}

pub(super) fn vertex(json: &Json, at: &Location<'_>) -> Read<Vertex> {
    let o = object(json, at)?;
    let mut properties = Vec::new();
    if let Some(Json::Object(by_key)) = o.get("properties") {
        let at = &at.field("properties");
        for (key, list) in by_key {
            let at = &at.field(key);
            for (i, json) in array(list, at)?.iter().enumerate() {
                let at = &at.index(i);
                let inside = untyped(json, "g:VertexProperty", at)?;
                properties.push(vertex_property(inside, at, Some(key))?);
            }
        }
    }
    Ok(Vertex { id: id(o, at)?, label: name(o, "label", "vertex", at)?, properties })
}

pub(super) fn edge(json: &Json, at: &Location<'_>) -> Read<Edge> {
    let o = object(json, at)?;
    // Version 4 writes its ends as objects, and its properties as arrays of one.
    let is_of_four = field(o, "label").is_array();
    let end = |id: &str, label: &str| {
        if is_of_four {
            return end_of_four(field(o, id), &at.field(id));
        }
        Ok(Vertex::reference(value(field(o, id), &at.field(id))?, name(o, label, "vertex", at)?))
    };
    let mut properties = Vec::new();
    if let Some(Json::Object(by_key)) = o.get("properties") {
        let at = &at.field("properties");
        for (key, json) in by_key {
            let json = match json.as_array().map(Vec::as_slice) {
                Some([json]) if is_of_four => json,
                _ => json,
            };
            properties.push(edge_property(key, json, &at.field(key))?);
        }
    }
    Ok(Edge {
        id: id(o, at)?,
        label: name(o, "label", "edge", at)?,
        out_v: end("outV", "outVLabel")?,
        in_v: end("inV", "inVLabel")?,
        properties,
    })
}

/// An end of an edge in version 4: an object of its id and its labels.
fn end_of_four(json: &Json, at: &Location<'_>) -> Read<Vertex> {
    let o = object(json, at)?;
    Ok(Vertex::reference(id(o, at)?, name(o, "label", "vertex", at)?))
}

/// A whole property, or the value alone, under the field of its key.
fn edge_property(key: &str, json: &Json, at: &Location<'_>) -> Read<Property> {
    let value = match value(json, at)? {
        Value::Property(property) => property.value.clone(),
        value => value,
    };
    Ok(Property { key: key.into(), value, owner: None })
}

/// Inside a vertex, `key` is the field it stands under, which says what its label does.
fn vertex_property(json: &Json, at: &Location<'_>, key: Option<&str>) -> Read<VertexProperty> {
    let o = object(json, at)?;
    let key = match key {
        Some(key) => key.into(),
        None => one_label(field(o, "label"), &at.field("label"))?,
    };
    let mut properties = Vec::new();
    if let Some(Json::Object(metas)) = o.get("properties") {
        let at = &at.field("properties");
        for (key, json) in metas {
            properties.push(edge_property(key, json, &at.field(key))?);
        }
    }
    let vertex = match o.get("vertex") {
        None | Some(Json::Null) => None,
        Some(json) => Some((value(json, &at.field("vertex"))?, Str::new())),
    };
    let value = value(field(o, "value"), &at.field("value"))?;
    Ok(VertexProperty { id: id(o, at)?, key, value, properties, vertex, owner: None })
}

fn property(json: &Json, at: &Location<'_>) -> Read<Property> {
    let o = object(json, at)?;
    let key = text(field(o, "key"), &at.field("key"))?.into();
    Ok(Property { key, value: value(field(o, "value"), &at.field("value"))?, owner: None })
}

fn path(json: &Json, at: &Location<'_>) -> Read<Path> {
    let o = object(json, at)?;
    let in_labels = &at.field("labels");
    let labels = value(field(o, "labels"), in_labels)?;
    let labels = crate::graph_parts::path_labels(&labels).map_err(|problem| in_labels.error(problem))?;
    let objects = match value(field(o, "objects"), &at.field("objects"))? {
        Value::List(objects) => objects.to_vec(),
        _ => return Err(unexpected("a list of objects", field(o, "objects"), &at.field("objects"))),
    };
    if labels.len() != objects.len() {
        let found = format!("{} and {}", labels.len(), objects.len());
        return Err(at.error(Problem::expected("as many labels as objects in a path", found)));
    }
    Ok(Path { labels, objects })
}
