//! TinkerPop's own encoded values and messages: each decodes, and encodes to what it was.

use std::path::PathBuf;

use serde_json::Value as Json;
use values::{Map, Value};
use wire::graphson::{self, Dialect, Version};
use wire::{Format, WireValue, graphbinary};

fn vectors(folder: &str) -> Vec<(String, Vec<u8>)> {
    let shared =
        format!("{}/../../../shared/tinkerpop/vectors", std::env::var("CARGO_MANIFEST_DIR").unwrap());
    let folder = PathBuf::from(shared).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut vectors: Vec<_> = entries
        .map(|entry| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap())
        })
        .collect();
    vectors.sort();
    vectors
}

/// JSON with its numbers as floats, so that `100.0` is `1e2`; the order of fields does not matter to equality.
fn normal(json: Json) -> Json {
    match json {
        Json::Number(n) => Json::String(format!("number {:?}", n.to_string().parse::<f64>().unwrap())),
        Json::Array(items) => items.into_iter().map(normal).collect(),
        Json::Object(fields) => Json::Object(fields.into_iter().map(|(k, v)| (k, normal(v))).collect()),
        other => other,
    }
}

fn parse(bytes: &[u8]) -> Json {
    normal(serde_json::from_slice(bytes).unwrap())
}

/// Maps in version 3 are arrays whose entries may come in any order; profiles are such maps.
fn sort_maps(json: Json) -> Json {
    match json {
        Json::Array(items) => items.into_iter().map(sort_maps).collect(),
        Json::Object(mut fields) => {
            if fields.get("@type").and_then(Json::as_str) == Some("g:Map") {
                let items = fields["@value"].as_array().unwrap().clone();
                let mut entries: Vec<Json> =
                    items.chunks(2).map(|pair| sort_maps(pair.to_vec().into())).collect();
                entries.sort_by_key(Json::to_string);
                fields.insert("@value".into(), entries.into());
                return Json::Object(fields);
            }
            Json::Object(fields.into_iter().map(|(k, v)| (k, sort_maps(v))).collect())
        }
        other => other,
    }
}

#[test]
fn every_graphbinary_vector_survives_byte_for_byte() {
    let vectors = vectors("graphbinary-v1");
    assert_eq!(vectors.len(), 60, "the vectors of TinkerPop 3.8.1");
    for (name, bytes) in vectors {
        let value = graphbinary::decode(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut out = Vec::new();
        graphbinary::encode(&value, &mut out).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(out, bytes, "{name}: {value:?}");
    }
}

#[test]
fn every_graphson_vector_survives_as_the_same_json() {
    let mut checked = 0;
    for (name, bytes) in vectors("graphson") {
        let typed = !name.contains("no-types");
        let version = match () {
            _ if name.contains("-v1") => Version::V1,
            _ if name.contains("-v2") => Version::V2,
            _ => Version::V3,
        };
        let out = survive(&name, &bytes, Dialect { version, typed });
        assert_eq!(sort_maps(parse(&out)), sort_maps(parse(&bytes)), "{name}");
        checked += 1;
    }
    assert_eq!(checked, 172);
}

fn survive(name: &str, bytes: &[u8], dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    let fail = |e: &dyn std::fmt::Display| -> ! { panic!("{name}: {e}") };
    let format = Format::GraphSon(dialect);
    if name.starts_with("session") || name.starts_with("authenticationresponse") {
        let request = format.decode_request(bytes).unwrap_or_else(|e| fail(&e));
        format.encode_request(&request, &mut out).unwrap_or_else(|e| fail(&e));
    } else if name.starts_with("standardresult") || name.starts_with("authenticationchallenge") {
        let response = format.decode_response(bytes).unwrap_or_else(|e| fail(&e));
        format.encode_response(&response, &mut out).unwrap_or_else(|e| fail(&e));
    } else {
        let value = graphson::decode(bytes).unwrap_or_else(|e| fail(&e));
        graphson::encode(&value, dialect, &mut out).unwrap_or_else(|e| fail(&e));
    }
    out
}

#[test]
fn elements_encode_to_the_untyped_vectors() {
    let all: std::collections::HashMap<_, _> = vectors("graphson").into_iter().collect();
    for name in ["vertex", "edge", "property", "vertexproperty"] {
        let typed = graphson::decode(&all[&format!("{name}-v3.json")]).unwrap();
        for (version, label) in [(Version::V1, "v1"), (Version::V2, "v2"), (Version::V3, "v3")] {
            let mut out = Vec::new();
            graphson::encode(&typed, Dialect { version, typed: false }, &mut out).unwrap();
            let expected = &all[&format!("{name}-{label}-no-types.json")];
            assert_eq!(parse(&out), parse(expected), "{name} {label}");
        }
    }
}

#[test]
fn both_formats_decode_a_vector_of_one_name_to_one_value() {
    let json: std::collections::HashMap<_, _> = vectors("graphson").into_iter().collect();
    let mut checked = 0;
    for (name, bytes) in vectors("graphbinary-v1") {
        // The two were made from different values, or GraphSON says more (a zone) or less (a host's name).
        if ["metrics", "traversalmetrics", "inetaddress", "zoneddatetime"].iter().any(|n| name.starts_with(n))
        {
            continue;
        }
        let text = &json[&name.replace("-v1.gbin", "-v3.json")];
        let (binary, text) = (graphbinary::decode(&bytes).unwrap(), graphson::decode(text).unwrap());
        // Elements are equal by id alone; their text tells all.
        assert_eq!(format!("{binary:?}"), format!("{text:?}"), "{name}");
        checked += 1;
    }
    assert_eq!(checked, 56);
}

/// `TreeJacksonSerializer` of each version.
#[test]
fn trees_keep_what_their_keys_are_without_types() {
    let mut tree = Map::tree();
    assert!(tree.grow(&["a".into(), Value::Long(2)]));
    let tree = WireValue::Value(tree.into());
    let brief = r#"[{"key":"a","value":[{"key":2,"value":[]}]}]"#;
    let by_key = r#"{"a":{"key":"a","value":{"2":{"key":2,"value":{}}}}}"#;
    for (version, expected) in [(Version::V1, by_key), (Version::V2, brief), (Version::V3, brief)] {
        let mut out = Vec::new();
        graphson::encode(&tree, Dialect { version, typed: false }, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
