//! How the parts of the grammar are read.

use gremlin::{
    Action, Argument, Bindings, Cardinality, GType, Order, ParseOptions, Pop, Position, Predicate,
    PredicateOp, Query, Scope, StepName, Terminal, TextOp, Traversal, parse, parse_traversal, parse_with,
};
use values::{Direction, Map, Set, T, Value};

fn traversal(text: &str) -> Traversal {
    parse_traversal(text, &Bindings::new()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The arguments of the last step.
fn args(text: &str) -> Vec<Argument> {
    traversal(text).steps.pop().expect("there is a step").args
}

fn value(v: impl Into<Value>) -> Argument {
    Argument::Value(v.into())
}

fn canonical(text: &str) -> String {
    traversal(text).to_string()
}

#[test]
fn tokens_are_read_with_and_without_their_class() {
    for text in ["g.V().order().by(T.id, Order.desc)", "g.V().order().by(id, desc)"] {
        assert_eq!(args(text), [T::Id.into(), Argument::Order(Order::Desc)]);
    }
    assert_eq!(args("g.V().select(last, 'a')"), [Argument::Pop(Pop::Last), value("a")]);
    assert_eq!(args("g.V().limit(local, 3)"), [Argument::Scope(Scope::Local), value(3)]);
    assert_eq!(args("g.V().toE(from)"), [Direction::Out.into()]);
    assert_eq!(args("g.V().toE(Direction.to)"), [Direction::In.into()]);
    assert_eq!(
        args("g.V().property(list, 'a', 1)"),
        args("g.V().property(VertexProperty.Cardinality.list, 'a', 1)")
    );
}

#[test]
fn a_word_before_parentheses_is_a_step_and_alone_a_token() {
    assert!(matches!(args("g.V().by(values('a'))")[0], Argument::Traversal(_)));
    assert!(matches!(args("g.V().by(values)")[0], Argument::Column(_)));
    assert!(matches!(args("g.V().select(all, 'a')")[0], Argument::Pop(Pop::All)));
    assert!(matches!(args("g.V().map(id())")[0], Argument::Traversal(_)));
    assert!(matches!(args("g.V().map(local(out()))")[0], Argument::Traversal(_)));
}

#[test]
fn not_is_a_predicate_of_predicates_and_a_step_of_traversals() {
    assert!(matches!(args("g.V().is(not(gt(3)))")[0], Argument::Predicate(Predicate::Not(_))));
    let [Argument::Traversal(inner)] = &args("g.V().where(not(out()).count())")[..] else { panic!() };
    assert_eq!(inner.steps.iter().map(|s| s.name).collect::<Vec<_>>(), [StepName::Not, StepName::Count]);
}

#[test]
fn predicates_chain_from_left_to_right() {
    assert_eq!(
        canonical("g.V().is(gt(1).and(lt(5)).and(neq(3)).or(within(9, 10)))"),
        "g.V().is(P.gt(1).and(P.lt(5)).and(P.neq(3)).or(P.within(9, 10)))"
    );
    let [Argument::Predicate(Predicate::Or(parts))] = &args("g.V().is(gt(1).and(lt(5)).or(eq(9)))")[..]
    else {
        panic!()
    };
    assert!(matches!(parts[..], [Predicate::And(_), Predicate::Compare(PredicateOp::Eq, _)]));
    assert!(matches!(args("g.V().is(gt(1).negate())")[0], Argument::Predicate(Predicate::Not(_))));
    assert!(matches!(
        args("g.V().has('a', TextP.notRegex('x.*'))")[1],
        Argument::Predicate(Predicate::Text(TextOp::NotRegex, _))
    ));
}

#[test]
fn a_lone_collection_in_within_stands_for_its_elements() {
    let spread = args("g.V().is(within(1, 2, 3))");
    assert_eq!(args("g.V().is(within([1, 2, 3]))"), spread);
    assert_eq!(args("g.V().is(within({1, 2, 3}))"), spread);
    assert_eq!(args("g.V().is(within(1..3))"), spread);
    let bindings = Bindings::from([("ids".into(), Value::from(vec![1.into(), 2.into(), 3.into()]).into())]);
    assert_eq!(parse_traversal("g.V().is(within(ids))", &bindings).unwrap().steps[1].args, spread);
    assert_ne!(args("g.V().is(within([[1, 2, 3]]))"), spread);
    assert_eq!(canonical("g.V().is(within([[1, 2]]))"), "g.V().is(P.within([[1, 2]]))");
}

#[test]
fn collections_hold_values_or_arguments() {
    assert_eq!(args("g.inject([1, 'a', null])"), [value(vec![1.into(), "a".into(), Value::Null])]);
    assert_eq!(args("g.inject({1, 1})"), [value([Value::from(1)].into_iter().collect::<Set>())]);
    assert_eq!(args("g.inject([])"), [value(vec![])]);
    assert_eq!(args("g.inject([:])"), [value(Map::new())]);
    let map: Map =
        [(Value::T(T::Label), "person".into()), ("name".into(), "marko".into())].into_iter().collect();
    assert_eq!(args("g.mergeV([(T.label): 'person', name: 'marko'])"), [value(map.clone())]);
    assert_eq!(args("g.mergeV([T.label: 'person', 'name': 'marko'])"), [value(map)]);
    assert!(matches!(&args("g.inject([a: __.out()])")[0], Argument::Map(entries) if entries.len() == 1));
    assert!(
        matches!(&args("g.inject([Cardinality.single, 1])")[0], Argument::List(items) if items.len() == 2)
    );
}

#[test]
fn a_naked_key_is_a_word_whatever_it_means_elsewhere() {
    let map: Map =
        [("id".into(), 1.into()), ("true".into(), 2.into()), ("g".into(), 3.into())].into_iter().collect();
    assert_eq!(args("g.inject([id: 1, true: 2, g: 3])"), [value(map)]);
    let map: Map = [(Value::T(T::Id), 1.into())].into_iter().collect();
    assert_eq!(args("g.inject([(id): 1])"), [value(map)]);
}

#[test]
fn the_last_of_equal_keys_counts() {
    let map: Map = [("a".into(), 2.into())].into_iter().collect();
    assert_eq!(args("g.inject([a: 1, a: 2])"), [value(map)]);
}

#[test]
fn ranges_run_either_way() {
    let ints = |numbers: &[i32]| value(numbers.iter().map(|n| Value::Int(*n)).collect::<Vec<_>>());
    assert_eq!(args("g.inject(1..3)"), [ints(&[1, 2, 3])]);
    assert_eq!(args("g.inject(2..-1)"), [ints(&[2, 1, 0, -1])]);
    assert_eq!(args("g.inject('ax'..'az')"), [value(vec!["ax".into(), "ay".into(), "az".into()])]);
}

#[test]
fn variables_are_resolved_and_may_stand_where_the_grammar_wants_a_literal() {
    let bindings = Bindings::from([
        ("n".into(), Value::Long(2).into()),
        ("label".into(), Value::from("x").into()),
        ("größe".into(), Value::from(1).into()),
    ]);
    let parsed = parse_traversal("g.V().repeat(out()).times(n).has('a', größe)", &bindings).unwrap();
    assert_eq!(parsed.steps[2].args, [value(2_i64)]);
    assert_eq!(parsed.steps[3].args[1], value(1));
    // A token's word is never a variable.
    assert_eq!(parse_traversal("g.V().by(label)", &bindings).unwrap().steps[1].args, [T::Label.into()]);
}

#[test]
fn types_are_types_where_a_type_is_wanted() {
    for (text, gtype) in
        [("list", GType::List), ("GType.LIST", GType::List), ("null", GType::Null), ("int", GType::Int)]
    {
        assert_eq!(args(&format!("g.V().asNumber({text})")), [Argument::GType(gtype)]);
    }
    assert_eq!(args("g.V().inject(list)"), [Argument::Cardinality(Cardinality::List)]);
    let [Argument::Predicate(Predicate::TypeOf(name))] = &args("g.V().is(typeOf('Money'))")[..] else {
        panic!()
    };
    assert_eq!(**name, value("Money"));
}

#[test]
fn configuration_constants_are_their_values() {
    assert_eq!(
        args("g.V().valueMap().with(WithOptions.tokens, WithOptions.ids)"),
        [value("~tinkerpop.valueMap.tokens"), value(1)]
    );
    assert_eq!(
        args("g.io('x').with(IO.reader, IO.graphson)"),
        [value("~tinkerpop.io.reader"), value("graphson")]
    );
    assert_eq!(args("g.V().pageRank().with(PageRank.times, 3)")[0], value("~tinkerpop.pageRank.times"));
}

#[test]
fn sources_are_configured_before_the_first_step() {
    let text = "g.withStrategies(ReadOnlyStrategy, new SubgraphStrategy(vertices: hasLabel('a'), checkAdjacentVertices: false))\
                .with('x').withSack(1, sum).V()";
    let parsed = traversal(text);
    assert_eq!(parsed.source.len(), 3);
    assert_eq!(parsed.source[1].args, [value("x"), value(true)]);
    assert_eq!(
        parsed.to_string(),
        "g.withStrategies(ReadOnlyStrategy, new SubgraphStrategy(vertices: __.hasLabel('a'), checkAdjacentVertices: false))\
         .with('x', true).withSack(1, Operator.sum).V()"
    );
}

#[test]
fn statements_end_in_what_is_to_be_done() {
    let query = |text: &str| parse(text, &Bindings::new()).unwrap_or_else(|error| panic!("{text}: {error}"));
    let terminal = |text: &str| query(text).into_traversal().expect("it is one traversal").1;
    assert_eq!(terminal("g.V()"), Terminal::Unsaid);
    assert_eq!(terminal("g.V().toList()"), Terminal::ToList);
    assert_eq!(terminal("g.V().next()"), Terminal::Next);
    assert_eq!(terminal("g.V().next(5)"), Terminal::NextMany(5));
    assert_eq!(terminal("g.V().explain()"), Terminal::Explain);
    let actions = |text: &str| query(text).statements.into_iter().map(|s| s.action).collect::<Vec<_>>();
    assert_eq!(
        actions("g.tx().begin(); g.tx().commit() g.tx().rollback();"),
        [Action::Begin, Action::Commit, Action::Rollback]
    );
    assert_eq!(actions("''"), [Action::Nothing]);
    assert_eq!(actions("g.V() // all of them\n g.E();").len(), 2);
    assert!(query("g.V().toString().toString()").statements[0].as_text);
    assert_eq!(query("g.V().count().next() ; g").to_string(), "g.V().count().next(); g");
}

#[test]
fn statements_begin_with_a_source_of_the_server() {
    let options = ParseOptions { sources: &["g", "gmodern"], ..ParseOptions::default() };
    let query: Query = parse_with("gmodern.V().count()", &Bindings::new(), &options).unwrap();
    assert_eq!(query.statements[0].graph, "gmodern");
    let error = parse_with("h.V()", &Bindings::new(), &options).unwrap_err().to_string();
    assert_eq!(error, "line 1, column 1: unknown traversal source `h`; this server has `g`, `gmodern`");
}

#[test]
fn steps_know_where_they_stand() {
    let parsed = traversal("g.V() // é\n  .map(\n  in())");
    let at = |line, column| Some(Position { line, column });
    assert_eq!(parsed.steps[0].at, at(1, 3));
    assert_eq!(parsed.steps[1].at, at(2, 4));
}

#[test]
fn canonical_text_says_types_and_quotes_strings() {
    assert_eq!(
        canonical(
            r#"g.inject(1b, 2s, 3, 4l, 5n, 1.5f, 0.1, 1e300, 2.50m, "it's\n\u0007", true, null, -Infinity)"#
        ),
        r"g.inject(1b, 2s, 3, 4l, 5n, 1.5f, 0.1d, 1e300d, 2.50m, 'it\'s\n\u0007', true, null, -Infinity)"
    );
    assert_eq!(
        canonical("g.inject([a: 1, 2: [:]], {1}, datetime('2023-01-02T03:04:05+01:00'))"),
        "g.inject([('a'): 1, (2): [:]], {1}, datetime('2023-01-02T03:04:05+01:00'))"
    );
    assert_eq!(format!("{:#}", traversal("__.out()")), "__.out()");
}

#[test]
fn characters_and_durations_are_written_as_in_tinkerpop_4() {
    let value = |text: &str| match &traversal(&format!("g.inject({text})")).steps.first() {
        Some(step) => step.args[0].as_value().cloned().unwrap(),
        None => panic!("{text}"),
    };
    let duration = |seconds, nanos| Value::from(values::Duration { seconds, nanos });
    for (text, expected) in [
        ("'M'c", Value::Char('M')),
        ("\"\\n\"c", Value::Char('\n')),
        ("'日'c", Value::Char('日')),
        ("Duration(3600,0)", duration(3600, 0)),
        ("Duration(1, 500000000, true)", duration(1, 500_000_000)),
        ("Duration(1,500000000,false)", duration(-2, 500_000_000)),
        ("Duration(3,0,false)", duration(-3, 0)),
    ] {
        assert_eq!(value(text), expected, "{text}");
        assert_eq!(value(&gremlin::Argument::Value(expected.clone()).to_string()), expected, "{text}");
    }
    for (text, told) in [
        ("'Mn'c", "one character"),
        ("''c", "one character"),
        ("'M' c", "found `c`"),
        ("Duration(-1,0)", "a whole number from 0"),
        ("Duration(1,1000000000)", "a whole number from 0 to 999999999"),
        ("Duration(1)", "nanoseconds"),
        ("Duration(1,2,3)", "`true` or `false`"),
    ] {
        let error = parse_traversal(&format!("g.inject({text})"), &Bindings::new()).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}
