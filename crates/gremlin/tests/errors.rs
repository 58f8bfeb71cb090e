//! What is refused, and with which words.

use gremlin::{
    Argument, Bindings, Cardinality, Order, ParseErrorKind, ParseLimits, ParseOptions, Predicate, parse,
    parse_parameters, parse_traversal, parse_with, validate,
};
use values::Value;

fn message(text: &str) -> String {
    parse(text, &Bindings::new()).expect_err(text).to_string()
}

#[test]
fn a_misspelt_step_is_named_with_its_place_and_the_nearest_step() {
    assert_eq!(message("g.V().oute('a')"), "line 1, column 7: unknown step `oute`; did you mean `outE`?");
    assert_eq!(
        message("g.V()\n  .where(__.dedupe())"),
        "line 2, column 13: unknown step `dedupe`; did you mean `dedup`?"
    );
    assert_eq!(message("g.addVertex()"), "line 1, column 3: unknown step `addVertex`");
    assert_eq!(message("g.V().frobnicate()"), "line 1, column 7: unknown step `frobnicate`");
}

#[test]
fn a_step_that_starts_nothing_is_told_from_one_that_is_unknown() {
    let expected = "line 1, column 3: `out` cannot start a traversal; \
                    start with V, E, addV, addE, mergeV, mergeE, inject, union, call or io";
    assert_eq!(message("g.out()"), expected);
}

#[test]
fn wrong_arguments_are_answered_with_the_forms_of_the_step() {
    assert_eq!(
        message("g.V().has(1, 2)"),
        "line 1, column 7: `has` has no form (integer, integer); its forms are has(string), has(string, value), \
         has(string, predicate), has(T, value), has(T, predicate), has(string, string, value), \
         has(string, string, predicate)"
    );
    assert_eq!(
        message("g.V().times('x')"),
        "line 1, column 7: `times` has no form (string); its forms are times(integer)"
    );
    assert_eq!(
        message("g.V().has('name', startingWith(1234))"),
        "line 1, column 19: `startingWith` has no form (integer); its forms are startingWith(string), startingWith(traversal)"
    );
    assert!(message("g.V().has('a', between(1))").contains("between(value, value)"));
}

#[test]
fn what_was_found_and_what_was_expected_are_said() {
    assert_eq!(
        message("g.V("),
        "line 1, column 5: found the end, expected an argument: a literal, a token, a variable, \
         a predicate or an anonymous traversal"
    );
    assert_eq!(message("g.V() x"), "line 1, column 7: unknown traversal source `x`; this server has `g`");
    assert_eq!(message("g.V(1 2)"), "line 1, column 7: found `2`, expected `,` or `)`");
    assert_eq!(message("g.V();-"), "line 1, column 7: found `-`, expected a statement");
    assert_eq!(message("g.inject([1, 2)"), "line 1, column 15: found `)`, expected `,` or `]`");
    assert_eq!(
        message("g.inject([1, desc])"),
        "line 1, column 14: `[…]` has no form (order); its forms are [value…]"
    );
    assert!(message("").contains("found the end, expected a statement"));
}

#[test]
fn names_that_mean_nothing_are_answered_with_what_they_could_be() {
    assert_eq!(
        message("g.V().order().by('a', Order.down)"),
        "line 1, column 29: `Order` has no `down`; it has asc, desc, shuffle"
    );
    assert_eq!(
        message("g.mergeE([(Direction.in): 1])"),
        "line 1, column 22: `Direction` has no `in`; it has IN, OUT, BOTH, from, to"
    );
    let bindings = Bindings::from([("personId".into(), Value::Long(933).into())]);
    let error = parse("g.V().has('id', personld)", &bindings).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 1, column 17: `personld` is no token, and no value is bound to it; did you mean `personId`?"
    );
    assert!(message("g.V().has('a', P.like('x'))").contains("`P` has no `like`; it has eq, neq"));
}

#[test]
fn literals_that_mean_nothing_are_shown_with_the_reason() {
    assert_eq!(message("g.inject(300b)"), "line 1, column 10: `300b` does not fit a byte (-128 to 127)");
    assert_eq!(
        message("g.inject('ab\\q')"),
        "line 1, column 13: `\\q` is no escape; \
         there are \\b \\t \\n \\f \\r \\\" \\' \\\\, octal ones, and \\uXXXX"
    );
    assert_eq!(message("g.inject('abc)"), "line 1, column 10: this string has no closing '");
    assert!(message("g.inject(UUID('x'))").starts_with("line 1, column 10: `UUID('x')` is no UUID"));
    assert!(message("g.inject('a'..'bb')").contains("`'a'..'bb'` has ends that differ"));
}

#[test]
fn a_traversal_from_a_source_cannot_stand_inside_another() {
    let expected = "a traversal inside another starts with `__`, not with `g`";
    assert!(message("g.addE('a').from(g.V(1))").ends_with(expected));
    assert!(message("g.V().repeat(g).times(1)").ends_with(expected));
    assert!(message("g.V().where(out().toList())").contains("has no terminal method"));
    assert!(message("g.V().next().V()").contains("nothing else follows a result"));
}

#[test]
fn text_depth_and_values_are_bounded() {
    let limits = ParseLimits { text_bytes: 100, depth: 3, values: 10 };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    let refused = |text: &str| parse_with(text, &Bindings::new(), &options).unwrap_err().kind;
    assert_eq!(refused(&"g".repeat(101)), ParseErrorKind::TooLong { bytes: 101, limit: 100 });
    assert_eq!(refused("g.inject([[[1]]])"), ParseErrorKind::TooDeep { limit: 3 });
    assert_eq!(refused("g.V().where(not(where(out('a'))))"), ParseErrorKind::TooDeep { limit: 3 });
    assert_eq!(refused("g.inject(1..6, 1..6)"), ParseErrorKind::TooMany { limit: 10 });
    assert!(parse_with("g.inject([[1]])", &Bindings::new(), &options).is_ok());
}

#[test]
fn what_is_copied_where_a_variable_stands_for_it_is_bounded() {
    let numbers: Vec<_> = (0..100).map(|n| Argument::Value(Value::Int(n))).collect();
    let ordered: Vec<_> = vec![Argument::Order(Order::Asc); 100];
    let bindings = Bindings::from([
        ("p".into(), Argument::Predicate(Predicate::Within(numbers.clone()))),
        ("m".into(), Argument::Map(numbers.iter().cloned().zip(ordered.clone()).collect())),
        ("l".into(), Argument::List(ordered)),
        ("v".into(), Value::from((0..100).map(Value::Int).collect::<Vec<_>>()).into()),
    ]);
    let limits = ParseLimits { values: 1_000, ..ParseLimits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    let read = |said: &str, times: usize| {
        let text = format!("g.inject(1){}", format!(".is({said})").repeat(times));
        parse_with(&text, &bindings, &options).map_err(|error| error.kind)
    };
    for (said, most) in [("p", 10), ("not(p)", 10), ("l", 10), ("m", 5)] {
        assert!(read(said, most).is_ok(), "{said}");
        assert_eq!(read(said, most + 1), Err(ParseErrorKind::TooMany { limit: 1_000 }), "{said}");
    }
    // One that is a value is shared.
    assert!(read("v", 1_000).is_ok());
}

#[test]
fn predicates_chained_without_nesting_are_as_deep_as_what_they_build() {
    let limits = ParseLimits { depth: 4, ..ParseLimits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    let read = |text: &str| parse_with(text, &Bindings::new(), &options).map(|query| query.to_string());
    let refused = |text: &str| read(text).unwrap_err().kind;
    assert!(read("g.V().is(eq(1).and(eq(2)).or(eq(3)))").is_ok());
    assert_eq!(
        refused("g.V().is(eq(1).and(eq(2)).or(eq(3)).and(eq(4)))"),
        ParseErrorKind::TooDeep { limit: 4 }
    );
    assert!(read(&format!("g.V().is(eq(0){})", ".and(eq(1))".repeat(1_000))).is_ok());
}

#[test]
fn a_negation_of_a_negation_is_what_was_negated() {
    let printed = |text: &str| parse(text, &Bindings::new()).unwrap().to_string();
    assert_eq!(printed("g.V().is(P.not(P.not(P.eq(1))))"), "g.V().is(P.eq(1))");
    assert_eq!(printed("g.V().is(P.eq(1).negate().negate().negate())"), "g.V().is(P.not(P.eq(1)))");
}

/// Half of the stack that a thread has by default, in the build with the largest frames.
#[test]
fn the_deepest_text_allowed_does_not_overflow_the_stack() {
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(read_deep_texts);
    thread.expect("a thread can be started").join().expect("nothing panics");
}

fn read_deep_texts() {
    let depth = ParseLimits::default().depth as usize - 1;
    let mut nested = vec![
        format!("g.V().where({}out(){}", "not(".repeat(depth - 1), ")".repeat(depth)),
        format!("g.V().where({}out(){}", "__.not(".repeat(depth - 1), ")".repeat(depth)),
        format!("g.V().is({}eq(1){}", "P.not(".repeat(depth - 2), ")".repeat(depth - 1)),
        format!("g.V().is({}eq(1){}", "P.eq(1).and(P.not(".repeat(depth / 3), "))".repeat(depth / 3) + ")"),
        format!("g.V().is(eq(1){})", ".and(P.eq(2)).or(P.eq(3))".repeat(depth / 2 - 1)),
        format!("g.V().is(eq(1){})", ".and(P.eq(2)).or(P.eq(3))".repeat(2_000)),
        format!("g.inject({}{})", "[".repeat(depth), "]".repeat(depth)),
        format!("g.inject({}1{})", "{[a:".repeat(depth / 2), "]}".repeat(depth / 2)),
    ];
    nested.extend(
        ["where(", "[", "{", "[a:", "not(", "P.not(", "[("]
            .map(|open| format!("g.V().is({}", open.repeat(9_000))),
    );
    for text in nested {
        match parse(&text, &Bindings::new()) {
            Ok(query) => {
                let printed = query.to_string();
                let (mut traversal, _) = query.clone().into_traversal().expect("it is one traversal");
                assert!(validate(&traversal, &ParseLimits::default()).is_ok(), "{printed}");
                gremlin::parameterize(&mut traversal);
                assert!(traversal.is_read_only());
            }
            Err(error) => assert!(matches!(error.kind, ParseErrorKind::TooDeep { .. }), "{error}"),
        }
    }
}

#[test]
fn bytecode_is_held_to_the_same_forms() {
    let mut traversal = parse_traversal("g.V().limit(3)", &Bindings::new()).unwrap();
    traversal.steps[1].args = vec![Value::from("three").into()];
    let error = validate(&traversal, &ParseLimits::default()).unwrap_err().to_string();
    assert_eq!(error, "`limit` has no form (string); its forms are limit(integer), limit(scope, integer)");
    traversal.steps.clear();
    assert_eq!(validate(&traversal, &ParseLimits::default()).unwrap_err().kind, ParseErrorKind::NoStep);
}

#[test]
fn parameters_are_a_map_of_literals_and_nothing_else() {
    let parameters = parse_parameters(" ['x': 1, \"y\": [1L, {'a'}], z: [k: null]] ").unwrap();
    assert_eq!(parameters[0], (Value::from("x").into(), Value::Int(1).into()));
    assert_eq!(parameters.len(), 3);
    let tokens = parse_parameters("['card': Cardinality.set, 'm': [(T.id): 1]]").unwrap();
    assert_eq!(tokens[0].1, Argument::Cardinality(Cardinality::Set));
    assert!(parse_parameters("[:]").unwrap().is_empty());
    let deep = |levels: usize| format!("['x':{}{}]", "[".repeat(levels), "]".repeat(levels));
    assert!(parse_parameters(&deep(31)).is_ok());
    assert!(matches!(parse_parameters(&deep(32)).unwrap_err().kind, ParseErrorKind::TooDeep { limit: 32 }));
    for (text, told) in [
        ("", "a map of literals"),
        ("[1]", "a map of literals"),
        ("'x'", "a map of literals"),
        ("['x':__.out()]", "a map of literals"),
        ("['x':1];g.V().drop()", "the end"),
        ("g.V()", "a map of literals"),
    ] {
        let error = parse_parameters(text).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}

#[test]
fn a_chain_is_read_in_a_time_that_grows_with_its_length() {
    let limits = ParseLimits { text_bytes: usize::MAX, ..ParseLimits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    let read = |steps: usize| {
        let text = format!("g.V(){}", ".map(\n identity())".repeat(steps));
        let began = std::time::Instant::now();
        assert!(parse_with(&text, &Bindings::new(), &options).is_ok());
        began.elapsed()
    };
    let (short, long) = ((0..5).map(|_| read(2_000)).min().unwrap(), read(40_000));
    // Twenty times as long; it was four hundred times as much.
    assert!(long < 100 * short, "{short:?} {long:?}");
}
