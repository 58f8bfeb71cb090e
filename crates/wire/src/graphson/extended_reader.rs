//! Reading the types that no query sees.

use serde_json::Value as Json;
use values::{Str, Value};

use super::Location;
use super::element_reader::{edge, untyped, vertex};
use super::extended_writer::NANOS_PER_MILLI;
use super::reader::{Read, any, array, field, fields, object, text, type_of, unexpected, value};
use super::scalar_reader::integer;
use crate::error::Problem;
use crate::wire_value::{Extended, Graph, InetAddress, Metrics, Tree, WireValue};
use crate::{DecodeError, Temporal};

/// The value of that type; `None` if the type is unknown.
pub(super) fn extended(name: &str, json: &Json, at: &Location<'_>) -> Read<Option<Extended>> {
    Ok(Some(match name {
        "g:Class" => Extended::Class(text(json, at)?.into()),
        "g:Date" => Extended::Temporal(Temporal::Date(integer(json, at)?)),
        "g:Timestamp" => Extended::Temporal(Temporal::Timestamp(integer(json, at)?)),
        "gx:InetAddress" => Extended::InetAddress(inet_address(text(json, at)?)),
        "g:BulkSet" => Extended::BulkSet(bulk_set(json, at)?),
        "g:Tree" => Extended::Tree(tree(json, at)?),
        "g:Traverser" => {
            let o = object(json, at)?;
            let bulk = count(field(o, "bulk"), &at.field("bulk"))?;
            Extended::Traverser { bulk, value: any(field(o, "value"), &at.field("value"))? }
        }
        "g:Metrics" => Extended::Metrics(metrics(json, at)?),
        "g:TraversalMetrics" => traversal_metrics(json, at)?,
        "tinker:graph" | "g:graph" => Extended::Graph(graph(json, at)?),
        other => return temporal(other, json, at),
    }))
}

fn temporal(name: &str, json: &Json, at: &Location<'_>) -> Read<Option<Extended>> {
    let Json::String(text) = json else { return Ok(None) };
    let Some(parsed) = Temporal::parse(name, text) else { return Ok(None) };
    let temporal = parsed.map_err(|error| at.error(Problem::Invalid(error.to_string())))?;
    Ok(Some(Extended::Temporal(temporal)))
}

fn inet_address(text: &str) -> InetAddress {
    text.parse().map_or_else(|_| InetAddress::Host(text.into()), InetAddress::Address)
}

fn count(json: &Json, at: &Location<'_>) -> Read<i64> {
    value(json, at)?.as_i64().ok_or_else(|| unexpected("a count", json, at))
}

fn bulk_set(json: &Json, at: &Location<'_>) -> Read<Vec<(WireValue, i64)>> {
    let both = array(json, at)?;
    if both.len() % 2 != 0 {
        return Err(at.error(Problem::expected("items and counts in turn", format!("{} items", both.len()))));
    }
    let pair = |(i, pair): (usize, &[Json])| {
        Ok((any(&pair[0], &at.index(2 * i))?, count(&pair[1], &at.index(2 * i + 1))?))
    };
    both.chunks_exact(2).enumerate().map(pair).collect()
}

fn tree(json: &Json, at: &Location<'_>) -> Read<Tree> {
    let branch = |(i, json): (usize, &Json)| {
        let at = &at.index(i);
        let o = object(json, at)?;
        let below = &at.field("value");
        let key = any(field(o, "key"), &at.field("key"))?;
        Ok((key, tree(untyped(field(o, "value"), "g:Tree", below)?, below)?))
    };
    array(json, at)?.iter().enumerate().map(branch).collect::<Read<_>>().map(Tree)
}

/// The fields of a profile: of a plain object, or of the typed map that version 3 wraps them in.
fn metrics(json: &Json, at: &Location<'_>) -> Read<Metrics> {
    let fields = fields_of_profile(json, at)?;
    let get = |name: &str| find(&fields, name);
    let text =
        |name: &str| get(name).and_then(WireValue::as_str).map(Str::from).ok_or_else(|| missing(name, at));
    let mut nested = Vec::new();
    for inner in list(get("metrics"), at)? {
        match inner {
            WireValue::Extended(extended) => match *extended {
                Extended::Metrics(metrics) => nested.push(metrics),
                _ => return Err(missing("metrics", at)),
            },
            _ => return Err(missing("metrics", at)),
        }
    }
    let counts = named(get("counts"), at)?.into_iter().map(|(key, n)| {
        let n = n.as_value().and_then(Value::as_i64).ok_or_else(|| missing("counts", at))?;
        Ok((key, n))
    });
    Ok(Metrics {
        id: text("id")?,
        name: text("name")?,
        duration: nanoseconds(get("dur"), at)?,
        counts: counts.collect::<Read<_>>()?,
        annotations: named(get("annotations"), at)?,
        nested,
    })
}

fn traversal_metrics(json: &Json, at: &Location<'_>) -> Read<Extended> {
    let fields = fields_of_profile(json, at)?;
    let step = |step| match step {
        WireValue::Extended(extended) => match *extended {
            Extended::Metrics(metrics) => Ok(metrics),
            _ => Err(missing("metrics", at)),
        },
        _ => Err(missing("metrics", at)),
    };
    Ok(Extended::TraversalMetrics {
        duration: nanoseconds(find(&fields, "dur"), at)?,
        steps: list(find(&fields, "metrics"), at)?.into_iter().map(step).collect::<Read<_>>()?,
    })
}

fn fields_of_profile(json: &Json, at: &Location<'_>) -> Read<Vec<(Str, WireValue)>> {
    match json.as_object().and_then(type_of) {
        None | Some("g:Map") => fields(json, at),
        Some(_) => Err(unexpected("the fields of a profile", json, at)),
    }
}

fn find<'f>(fields: &'f [(Str, WireValue)], name: &str) -> Option<&'f WireValue> {
    fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

fn missing(name: &str, at: &Location<'_>) -> DecodeError {
    at.error(Problem::expected(
        "a profile's id, name, dur, counts, annotations and metrics",
        format!("a bad {name}"),
    ))
}

fn list(value: Option<&WireValue>, at: &Location<'_>) -> Read<Vec<WireValue>> {
    match value {
        None => Ok(Vec::new()),
        Some(WireValue::List(items)) => Ok(items.clone()),
        Some(WireValue::Value(Value::List(items))) => {
            Ok(items.iter().cloned().map(WireValue::from).collect())
        }
        Some(_) => Err(missing("metrics", at)),
    }
}

fn named(value: Option<&WireValue>, at: &Location<'_>) -> Read<Vec<(Str, WireValue)>> {
    let name = |(key, value): (&WireValue, WireValue)| match key {
        WireValue::Value(Value::String(key)) => Ok((key.clone(), value)),
        _ => Err(missing("map", at)),
    };
    match value {
        None => Ok(Vec::new()),
        Some(WireValue::Value(Value::Map(map))) => {
            map.iter().map(|(k, v)| name((&k.clone().into(), v.clone().into()))).collect()
        }
        Some(WireValue::Map(entries)) => entries.iter().map(|(k, v)| name((k, v.clone()))).collect(),
        Some(_) => Err(missing("map", at)),
    }
}

fn nanoseconds(value: Option<&WireValue>, at: &Location<'_>) -> Read<i64> {
    let millis =
        value.and_then(WireValue::as_value).and_then(Value::as_f64).ok_or_else(|| missing("dur", at))?;
    // A float converts to the nearest integer there is; nothing overflows.
    Ok((millis * NANOS_PER_MILLI).round() as i64)
}

fn graph(json: &Json, at: &Location<'_>) -> Read<Graph> {
    let o = object(json, at)?;
    let vertices = elements(field(o, "vertices"), "g:Vertex", &at.field("vertices"), vertex)?;
    let edges = elements(field(o, "edges"), "g:Edge", &at.field("edges"), edge)?;
    Ok(Graph { vertices, edges })
}

fn elements<E>(
    json: &Json,
    name: &str,
    at: &Location<'_>,
    read: fn(&Json, &Location<'_>) -> Read<E>,
) -> Read<Vec<E>> {
    let element = |(i, json): (usize, &Json)| {
        let at = &at.index(i);
        read(untyped(json, name, at)?, at)
    };
    array(json, at)?.iter().enumerate().map(element).collect()
}
