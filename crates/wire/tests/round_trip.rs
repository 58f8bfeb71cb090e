//! Random values survive both formats.

use std::sync::Arc;

use gremlin::{
    Argument, Cardinality, Dt, GType, Instruction, Order, Pop, Predicate, PredicateOp, StepName, TextOp,
    Traversal,
};
use proptest::prelude::*;
use values::{
    BigDecimal, BigInt, DateKind, DateTime, Direction, Duration, Edge, Map, Path, Property, Set, Str, T,
    Uuid, Value, Vertex, VertexProperty,
};
use wire::graphson::{self, Dialect};
use wire::{Args, Format, RequestMessage, WireValue, graphbinary};

fn text() -> impl Strategy<Value = Str> {
    prop_oneof![any::<String>(), "[a-z]{0,20}", "[\"\\\\\u{0}-\u{1f}é✓]{0,8}"].prop_map(Str::from)
}

fn date_time() -> impl Strategy<Value = DateTime> {
    (-60_000_000_000i64..250_000_000_000, 0u32..1_000_000_000, -64_800i32..=64_800)
        .prop_map(|(seconds, nanos, offset)| DateTime::new(seconds, nanos, offset))
}

fn scalar() -> impl Strategy<Value = Value> {
    let decimal = (any::<i128>(), -300i64..300).prop_map(|(i, s)| Value::from(BigDecimal::new(i.into(), s)));
    let number = prop_oneof![
        any::<i8>().prop_map(Value::Byte),
        any::<i16>().prop_map(Value::Short),
        any::<i32>().prop_map(Value::Int),
        any::<i64>().prop_map(Value::Long),
        prop::num::f32::ANY.prop_map(Value::Float),
        prop::num::f64::ANY.prop_map(Value::Double),
        any::<i128>().prop_map(|i| Value::from(BigInt::from(i))),
        decimal,
    ];
    prop_oneof![
        number,
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<char>().prop_map(Value::Char),
        text().prop_map(Value::String),
        any::<u128>().prop_map(|u| Value::Uuid(Uuid::from_u128(u))),
        date_time().prop_map(Value::DateTime),
        (any::<i32>(), 0u32..1_000_000_000)
            .prop_map(|(seconds, nanos)| Value::Duration(Duration { seconds: seconds.into(), nanos })),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(Value::binary),
        prop::sample::select(vec![T::Id, T::Label, T::Key, T::Value]).prop_map(Value::T),
        prop::sample::select(vec![Direction::Out, Direction::In, Direction::Both]).prop_map(Value::Direction),
    ]
}

fn property() -> impl Strategy<Value = Property> {
    (text(), scalar()).prop_map(|(key, value)| Property { key, value, owner: None })
}

/// Keys of properties differ, as a graph ensures; GraphSON writes them as the fields of an object.
fn properties() -> impl Strategy<Value = Vec<Property>> {
    prop::collection::vec(property(), 0..3).prop_map(|mut properties| {
        properties.sort_by(|a, b| a.key.cmp(&b.key));
        properties.dedup_by(|a, b| a.key == b.key);
        properties
    })
}

fn vertex_property() -> impl Strategy<Value = VertexProperty> {
    (scalar(), text(), scalar(), properties()).prop_map(|(id, key, value, properties)| VertexProperty {
        id,
        key,
        value,
        properties,
        vertex: None,
        owner: None,
    })
}

fn vertex() -> impl Strategy<Value = Vertex> {
    (scalar(), text(), prop::collection::vec(vertex_property(), 0..3)).prop_map(
        |(id, label, mut properties)| {
            // GraphSON groups them by key.
            properties.sort_by(|a, b| a.key.cmp(&b.key));
            Vertex { id, label, properties }
        },
    )
}

fn edge() -> impl Strategy<Value = Edge> {
    (scalar(), text(), scalar(), scalar(), properties()).prop_map(|(id, label, from, to, properties)| Edge {
        id,
        label,
        out_v: Vertex::reference(from, "person"),
        in_v: Vertex::reference(to, "software"),
        properties,
    })
}

fn value() -> impl Strategy<Value = Value> {
    let element = prop_oneof![
        vertex().prop_map(Value::from),
        edge().prop_map(Value::from),
        vertex_property().prop_map(|p| Value::VertexProperty(Arc::new(p))),
        property().prop_map(Value::from),
    ];
    prop_oneof![4 => scalar().boxed(), 1 => element.boxed()].prop_recursive(4, 40, 5, |inner| {
        let labels = prop::collection::vec("[a-z]{1,3}", 0..3);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|v| Value::from(v.into_iter().collect::<Set>())),
            prop::collection::vec((inner.clone(), inner.clone()), 0..4)
                .prop_map(|v| Value::from(v.into_iter().collect::<Map>())),
            prop::collection::vec((inner, labels), 0..4).prop_map(|visits| {
                let mut path = Path::default();
                for (object, mut labels) in visits {
                    labels.sort();
                    labels.dedup();
                    path.push(object, labels.into_iter().map(Str::from).collect());
                }
                Value::from(path)
            }),
        ]
    })
}

fn argument() -> impl Strategy<Value = Argument> {
    let leaf = prop_oneof![
        value().prop_map(Argument::Value),
        prop::sample::select(Order::ALL).prop_map(Argument::Order),
        prop::sample::select(Pop::ALL).prop_map(Argument::Pop),
        prop::sample::select(Dt::ALL).prop_map(Argument::Dt),
        prop::sample::select(GType::ALL).prop_map(Argument::GType),
        (prop::sample::select(Cardinality::ALL), scalar())
            .prop_map(|(c, v)| Argument::CardinalityValue(c, v)),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let predicate = prop_oneof![
            boxed().prop_map(|a| Predicate::Compare(PredicateOp::Gt, a)),
            boxed().prop_map(|a| Predicate::Text(TextOp::Containing, a)),
            (boxed(), boxed()).prop_map(|(a, b)| Predicate::Between(a, b)),
            prop::collection::vec(inner.clone(), 0..3).prop_map(Predicate::Within),
        ]
        .boxed();
        let both = prop::collection::vec(predicate.clone(), 1..3);
        prop_oneof![
            (text(), boxed()).prop_map(|(key, value)| Argument::Binding(key, value)),
            predicate.clone().prop_map(Argument::Predicate),
            predicate.prop_map(|p| Argument::Predicate(Predicate::Not(Box::new(p)))),
            both.prop_map(|all| Argument::Predicate(Predicate::Or(all))),
            prop::collection::vec(
                (prop::sample::select(StepName::ALL), prop::collection::vec(inner, 0..3)),
                0..3
            )
            .prop_map(|calls| {
                let steps = calls.into_iter().map(|(name, args)| Instruction { name, args, at: None });
                Argument::Traversal(Traversal { source: vec![], steps: steps.collect() })
            }),
        ]
    })
}

/// Elements are equal by id alone, so what has to be equal is the text.
fn text_of(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

/// Programs in Java cast to the class that they wrote, and gremlinpython has a time without a zone for one of them.
#[test]
fn dates_come_back_as_the_kind_of_date_that_they_were() {
    for kind in [DateKind::Date, DateKind::Timestamp, DateKind::OffsetDateTime] {
        let date = Value::from(DateTime::from_epoch_millis(-1_481_750_076_295).of_kind(kind));
        let value = WireValue::from(Value::from(vec![date]));
        let kind_of = |back: WireValue| match back.into_value().unwrap() {
            Value::List(list) => match &list[0] {
                Value::DateTime(at) => (at.epoch_millis(), at.kind()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        };
        let mut bytes = Vec::new();
        graphbinary::encode(&value, &mut bytes).unwrap();
        assert_eq!(kind_of(graphbinary::decode(&bytes).unwrap()), (-1_481_750_076_295, kind));
        for dialect in [Dialect::V3, Dialect::V2] {
            let mut json = Vec::new();
            graphson::encode(&value, dialect, &mut json).unwrap();
            assert_eq!(kind_of(graphson::decode(&json).unwrap()), (-1_481_750_076_295, kind));
        }
        let mut json = Vec::new();
        graphson::encode(&value, Dialect::V4, &mut json).unwrap();
        assert!(String::from_utf8(json).unwrap().contains("g:DateTime"), "version 4 has one kind alone");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn values_survive_graphbinary(value in value()) {
        let value = WireValue::from(value);
        let mut bytes = Vec::new();
        graphbinary::encode(&value, &mut bytes).unwrap();
        prop_assert_eq!(text_of(&graphbinary::decode(&bytes).unwrap()), text_of(&value));
    }

    #[test]
    fn values_survive_graphson_3(value in value()) {
        let value = WireValue::from(value);
        let mut json = Vec::new();
        graphson::encode(&value, Dialect::V3, &mut json).unwrap();
        let back = graphson::decode(&json);
        prop_assert!(back.is_ok(), "{:?} {}", back, String::from_utf8_lossy(&json));
        prop_assert_eq!(text_of(&back.unwrap()), text_of(&value), "{}", String::from_utf8_lossy(&json));
    }

    #[test]
    fn arguments_survive_both(argument in argument(), id in any::<u128>()) {
        let request = RequestMessage {
            id: Uuid::from_u128(id),
            op: "bytecode".into(),
            processor: "traversal".into(),
            args: Args(vec![("gremlin".into(), WireValue::argument(argument))]),
        };
        for mime in ["application/vnd.graphbinary-v1.0", "application/vnd.gremlin-v3.0+json"] {
            let mut frame = Vec::new();
            Format::from_mime(mime).unwrap().encode_frame(&request, &mut frame).unwrap();
            let back = wire::decode_frame(&frame);
            prop_assert!(back.is_ok(), "{:?}", back);
            prop_assert_eq!(text_of(&back.unwrap().1), text_of(&request));
        }
    }

    #[test]
    fn untyped_json_is_json(value in value()) {
        let mut json = Vec::new();
        graphson::encode(&value.into(), Dialect::UNTYPED, &mut json).unwrap();
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&json).is_ok(), "{}", String::from_utf8_lossy(&json));
    }
}

#[test]
fn numbers_that_drivers_write_as_texts_are_read() {
    for (json, expected) in [
        (r#"{"@type":"g:Int64","@value":"-9007199254740993"}"#, Value::Long(-9_007_199_254_740_993)),
        (r#"{"@type":"g:Int32","@value":"7"}"#, Value::Int(7)),
    ] {
        assert_eq!(graphson::decode(json.as_bytes()).unwrap().as_value(), Some(&expected), "{json}");
    }
    for wrong in [r#"{"@type":"g:Int32","@value":"7000000000"}"#, r#"{"@type":"g:Int64","@value":"x"}"#] {
        assert!(graphson::decode(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn a_negative_duration_may_have_negative_nanoseconds() {
    let mut bytes = vec![0x81, 0];
    bytes.extend((-1_i64).to_be_bytes());
    bytes.extend((-500_000_000_i32).to_be_bytes());
    let expected = values::Duration { seconds: -2, nanos: 500_000_000 };
    assert_eq!(graphbinary::decode(&bytes).unwrap().as_value(), Some(&Value::from(expected)));
    bytes[2..10].copy_from_slice(&i64::MIN.to_be_bytes());
    assert!(graphbinary::decode(&bytes).is_err());
}
