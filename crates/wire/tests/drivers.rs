//! What gremlinpython 3.8.2 and the npm package gremlin 3.8.2 send, recorded by `golden/make_requests.py` and
//! `golden/make_javascript_requests.js`.

use std::path::PathBuf;

use gremlin::{Argument, Lambda};
use values::Value;
use wire::{Extended, Format, RequestMessage, Transaction, WireValue, decode_frame};

fn folder() -> PathBuf {
    PathBuf::from(format!("{}/tests/golden/requests", std::env::var("CARGO_MANIFEST_DIR").unwrap()))
}

fn request(name: &str, format: &str) -> RequestMessage {
    let path = folder().join(format!("{name}.{format}.bin"));
    let frame = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (found, request) = decode_frame(&frame).unwrap_or_else(|e| panic!("{name}.{format}: {e}"));
    let mime = match format {
        "graphbinary" => "application/vnd.graphbinary-v1.0",
        "graphson3" => "application/vnd.gremlin-v3.0+json",
        _ => "application/vnd.gremlin-v2.0+json",
    };
    assert_eq!(Some(found), Format::from_mime(mime));
    assert_eq!(request.id.to_string(), "41d2e28a-20a4-4ab0-b379-d810dede3786");
    request
}

/// The traversal in a request, as Gremlin text.
fn traversal(name: &str, format: &str) -> String {
    match request(name, format).args.get("gremlin") {
        Some(WireValue::Argument(argument)) => match &**argument {
            Argument::Traversal(traversal) => traversal.to_string(),
            other => panic!("{name}.{format}: {other:?}"),
        },
        other => panic!("{name}.{format}: {other:?}"),
    }
}

#[test]
fn traversals_arrive_as_they_were_written_in_either_format() {
    for (name, expected) in [
        ("steps", "g.V().has('person', 'name', 'marko').out('knows').values('name')"),
        ("numbers", "g.inject(1, 2l, 3s, 4b, 5.5d, 1180591620717411303424n, 1.25m, true, null)"),
        (
            "predicates",
            "g.V().has('age', P.gt(29).and(P.lt(40)).or(P.eq(1))).has('age', P.within(1, 2, 3))\
             .has('age', P.without(4, 5)).has('age', P.between(1, 2)).has('age', P.inside(1, 2))\
             .has('age', P.outside(1, 2)).has('name', TextP.startingWith('m').and(TextP.notContaining('z')))\
             .has('name', P.not(P.within('a'))).is(P.typeOf(GType.INT)).has('name', TextP.regex('^m'))",
        ),
        (
            "tokens",
            "g.V().order().by(T.id, Order.desc).by('age', Order.shuffle).select(Pop.first, 'a')\
             .count(Scope.local).select(Column.keys).toE(Direction.OUT, 'knows').choose(__.out())\
             .option(Pick.none, __.in()).property(Cardinality.set, 'k', 'v').fold(0, Operator.sum)\
             .dateAdd(DT.hour, 3).asNumber(GType.LONG)",
        ),
        (
            "nested",
            "g.V().repeat(__.out().simplePath()).until(__.has('name', 'x').or().loops().is(3)).emit().path()\
             .by('name').by(__.outE().count()).union(__.identity(), __.coalesce(__.out(), __.constant('none')))",
        ),
        (
            "strategies",
            "g.withStrategies(ReadOnlyStrategy, new SubgraphStrategy(vertices: __.hasLabel('person')))\
             .withStrategies(new OptionsStrategy(evaluationTimeout: 500)).withoutStrategies(ReadOnlyStrategy)\
             .V().count()",
        ),
        (
            "sack",
            "g.withSack(1.0d, Operator.sum).withSideEffect('a', [1, 2]).V().sack(Operator.mult).by('age').sack()",
        ),
        (
            "elements",
            "g.V(v[1]).where(__.is(v[41d2e28a-20a4-4ab0-b379-d810dede3786])).E(e[7][1-knows->2])\
             .is(vp[name->marko])",
        ),
    ] {
        for format in ["graphbinary", "graphson3", "graphson2"] {
            assert_eq!(traversal(name, format), expected, "{name}.{format}");
        }
    }
}

#[test]
fn values_with_their_own_types_arrive() {
    for format in ["graphbinary", "graphson3"] {
        let scalars = traversal("scalars", format);
        for part in [
            "'é'",
            "'x'c",
            "UUID('41d2e28a-20a4-4ab0-b379-d810dede3786')",
            "Duration(18007,0)",
            "'2024-02-29T12:30:15.250+02:00'",
            "'2024-02-29T12:30:15.250Z'",
            "['a', [1]]",
            "{1}",
        ] {
            assert!(scalars.contains(part), "{format}: {part} in {scalars}");
        }
        let merge = traversal("merge", format);
        for part in ["(T.label): 'person'", "('name'): Cardinality.list('m')", "(Direction.IN): 2"] {
            assert!(merge.contains(part), "{format}: {part} in {merge}");
        }
    }
}

#[test]
fn bindings_and_lambdas_keep_their_shape() {
    for format in ["graphbinary", "graphson3", "graphson2"] {
        let steps = |name: &str| match request(name, format).args.take("gremlin").unwrap().into_argument() {
            Ok(Argument::Traversal(traversal)) => traversal.steps,
            other => panic!("{other:?}"),
        };
        let bound = |name: &str, value: Value| Argument::Binding(name.into(), Box::new(value.into()));
        let bindings = steps("bindings");
        assert_eq!(bindings[0].args, [bound("x", Value::Int(1))]);
        assert_eq!(bindings[1].args, [bound("label", Value::str("knows"))]);
        let lambda =
            Lambda { language: "gremlin-groovy".into(), script: "x -> x.get()".into(), arguments: 1 };
        assert_eq!(steps("lambda_")[1].args, [Argument::Lambda(lambda)]);
    }
}

#[test]
fn scripts_and_sessions_arrive_with_their_arguments() {
    for format in ["graphbinary", "graphson3", "graphson2"] {
        let script = request("script", format);
        assert_eq!((script.op.as_str(), script.processor.as_str()), ("eval", ""));
        assert_eq!(script.args.text("gremlin"), Some("g.V(x).values(y)"));
        assert_eq!(script.args.text("language"), Some("gremlin-lang"));
        assert_eq!(script.args.integer("evaluationTimeout"), Some(1000));
        assert_eq!(script.args.integer("batchSize"), Some(64));
        let bindings = script.args.map("bindings").unwrap();
        assert_eq!(bindings.get(&"x".into()), Some(&Value::Int(1)));
        assert_eq!(bindings.get(&"y".into()), Some(&Value::str("name")));
        assert_eq!(script.args.map("aliases").unwrap().get(&"g".into()), Some(&Value::str("g")));

        let session = request("session", format);
        assert_eq!((session.op.as_str(), session.processor.as_str()), ("eval", "session"));
        assert_eq!(session.args.text("session"), Some("s1"));
        assert_eq!(session.args.get("manageTransaction"), Some(&WireValue::Value(Value::Bool(false))));
        assert_eq!(request("close", format).op, "close");

        let sasl = request("authentication", format);
        assert_eq!(sasl.op, "authentication");
        assert_eq!(sasl.args.text("sasl"), Some("AHN0ZXBocGhlbgBwYXNzd29yZA=="));

        let commit = request("commit", format).args.take("gremlin").unwrap();
        assert_eq!(commit, Extended::Transaction(Transaction::Commit).into());
    }
}

#[test]
fn requests_survive_being_sent_on() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let (format, request) = decode_frame(&std::fs::read(&path).unwrap()).unwrap();
        let mut frame = Vec::new();
        format.encode_frame(&request, &mut frame).unwrap();
        let (again, back) = decode_frame(&frame).unwrap();
        assert_eq!(again, format, "{}", path.display());
        // An element is equal by its id: TinkerPop never sends the vertex of a vertex property on.
        assert_eq!(back, request, "{}", path.display());
    }
}

#[test]
fn traversals_of_the_javascript_driver_arrive_too() {
    for (name, expected) in [
        ("js_steps", "g.V().has('person', 'name', 'marko').out('knows').values('name')"),
        ("js_numbers", "g.inject(1, 2147483648l, 5.5d, true, null)"),
        (
            "js_predicates",
            "g.V().has('age', P.gt(29).and(P.lt(40)).or(P.eq(1))).has('age', P.within(1, 2, 3))\
             .has('age', P.without(4, 5)).has('age', P.between(1, 2)).has('name', TextP.startingWith('m'))\
             .has('name', P.not(P.within('a')))",
        ),
        (
            "js_tokens",
            "g.V().order().by(T.id, Order.desc).select(Pop.first, 'a').count(Scope.local).select(Column.keys)\
             .toE(Direction.OUT, 'knows').property(Cardinality.set, 'k', 'v').fold(0, Operator.sum)",
        ),
        (
            "js_nested",
            "g.V().repeat(__.out().simplePath()).until(__.has('name', 'x')).path().by('name')\
             .by(__.outE().count())",
        ),
        ("js_options", "g.withStrategies(new OptionsStrategy(evaluationTimeout: 500)).V().count()"),
    ] {
        for format in ["graphbinary", "graphson3", "graphson2"] {
            assert_eq!(traversal(name, format), expected, "{name}.{format}");
        }
    }
    for format in ["graphbinary", "graphson3"] {
        let expected = "g.mergeV([(T.id): 1, (T.label): 'person']).option(Merge.onCreate, [('age'): 29])";
        assert_eq!(traversal("js_merge", format), expected);
        let script = request("js_script", format);
        assert_eq!(script.args.map("bindings").unwrap().get(&"x".into()), Some(&Value::Int(1)));
    }
}
