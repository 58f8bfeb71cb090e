//! Predicates on text: what they say of texts, of nulls and of what is neither, and that they end when their query does.

mod queries;

use std::time::{Duration, Instant};

use mangrove::Database;
use mangrove::graph::Cardinality;
use mangrove::values::Value;

use queries::{refusal, texts};

fn with(setup: &str) -> Database {
    let db = Database::in_memory().unwrap();
    drop(db.query(setup).unwrap());
    db
}

const TESTS: [(&str, &str); 4] = [
    ("startingWith", "notStartingWith"),
    ("endingWith", "notEndingWith"),
    ("containing", "notContaining"),
    ("regex", "notRegex"),
];

#[test]
fn a_test_of_a_text_and_its_negation_are_opposites() {
    let db = with("g.addV('p').property('name','ada').addV('p').property('name','bob')");
    for (test, negation) in TESTS {
        for query in [
            "g.inject('ada','bob','').is(TEST)",
            "g.V().values('name').is(TEST)",
            "g.V().has('name',TEST).values('name')",
        ] {
            let with = |test: String| texts(&db, &query.replace("TEST", &test)).len();
            let all = with("neq(null)".into());
            for operand in ["a", "", "da", "x"] {
                let found = with(format!("{test}('{operand}')"));
                assert_eq!(found + with(format!("{negation}('{operand}')")), all, "{test} {operand}");
                assert_eq!(found + with(format!("not({test}('{operand}'))")), all, "{test} {operand}");
                assert_eq!(found, with(format!("{negation}('{operand}').negate()")), "{test} {operand}");
            }
        }
    }
    assert_eq!(texts(&db, "g.V().has('name',regex('^a.*a$')).values('name')"), ["ada"]);
    assert_eq!(
        texts(&db, "g.V().has('name',startingWith('a').or(regex('b$'))).values('name').order()"),
        ["ada", "bob"]
    );
}

#[test]
fn null_satisfies_the_negations_only() {
    let db = Database::in_memory().unwrap();
    for (test, negation) in TESTS {
        assert_eq!(texts(&db, &format!("g.inject(null).is({test}('a')).count()")), ["0"], "{test}");
        assert_eq!(texts(&db, &format!("g.inject(null).is({negation}('a')).count()")), ["1"], "{negation}");
    }
    assert_eq!(texts(&db, "g.inject([null,'abc']).any(startingWith('a')).count()"), ["1"]);
    assert_eq!(texts(&db, "g.inject([null,'abc']).all(startingWith('a')).count()"), ["0"]);
}

#[test]
fn what_is_no_text_ends_the_query() {
    let db = with("g.addV('p').property('age',29).property('name','ada').addE('e').property('w',0.5)");
    for test in TESTS.iter().flat_map(|(test, negation)| [test, negation]) {
        for (query, what) in [
            ("g.V().has('age',TEST).count()", "Int"),
            ("g.V().values('age').is(TEST).count()", "Int"),
            ("g.V().properties().hasValue(TEST).count()", "Int"),
            ("g.V().where(values('age').is(TEST)).count()", "Int"),
            ("g.V().not(has('age',TEST)).count()", "Int"),
            ("g.V().has('age',not(TEST)).count()", "Int"),
            ("g.V().is(TEST).count()", "Vertex"),
            ("g.inject(['a']).is(TEST)", "List"),
            ("g.inject([1]).any(TEST)", "Int"),
            ("g.inject(1).coalesce(is(TEST),constant('x'))", "Int"),
            ("g.inject(1,2).repeat(identity()).until(is(TEST))", "Int"),
        ] {
            let query = query.replace("TEST", &format!("{test}('a')"));
            let message = refusal(&db, &query);
            assert!(
                message.contains("a text predicate needs text, not a value of type"),
                "{query}: {message}"
            );
            assert!(message.contains(what), "{query}: {message}");
        }
    }
    let before = texts(&db, "g.V().count()");
    refusal(&db, "g.V().has('age',startingWith('2')).addV('q')");
    refusal(&db, "g.addV('q').property('k',1).has('k',notStartingWith('a'))");
    assert_eq!(texts(&db, "g.V().count()"), before, "what failed wrote nothing");
    for query in [
        "g.V().hasId(startingWith('0')).count()",
        "g.V().has('age',P.typeOf(GType.STRING).and(startingWith('a'))).count()",
        "g.V().hasLabel(regex('p')).count()",
        "g.inject(1).is(eq(1).or(startingWith('a'))).count()",
        "g.V().has('nothing',startingWith('a')).count()",
    ] {
        texts(&db, query);
    }
}

#[test]
fn a_pattern_that_cannot_be_is_refused_by_name() {
    let db = Database::in_memory().unwrap();
    for (pattern, what) in [
        (r"(a)\\1", "uses a back-reference near index"),
        ("(?<=a)b", "uses look-behind near index"),
        ("a++", "uses a possessive quantifier near index"),
        ("[a", "malformed regular expression: unclosed character class"),
    ] {
        let message = refusal(&db, &format!("g.inject('a').is(regex('{pattern}'))"));
        assert!(message.contains(what), "{pattern}: {message}");
    }
    let message = refusal(&db, "g.inject('a').as('x').inject('b').where('x',regex('x'))");
    assert!(message.contains("a regular expression in where()"), "{message}");
    let message = refusal(&db, "g.inject('a').as('x').where(startingWith('x').or(notRegex('x')))");
    assert!(message.contains("a regular expression in where()"), "{message}");
}

#[test]
fn a_deadline_ends_a_search() {
    let db = Database::in_memory().unwrap();
    let tx = db.graph().begin();
    let v = tx.add_vertex(None, "p").unwrap();
    let text = "a".repeat(1 << 20);
    for _ in 0..8 {
        tx.set_vertex_property(v, Cardinality::List, "text", Value::str(text.as_str()), &[]).unwrap();
    }
    tx.commit().unwrap();
    for pattern in ["(?:a?){300}a{300}b", "^(?=.*a)(?=.*(a|aa)+b)x", r"(\\ba|\\w{1,200}){2,9}!$", ".*.*.*=.*"]
    {
        let started = Instant::now();
        let query =
            format!("g.with('evaluationTimeout',200).V().values('text').is(regex('{pattern}')).count()");
        let message = refusal(&db, &query);
        assert!(message.contains("evaluation timeout"), "{pattern}: {message}");
        let took = started.elapsed();
        assert!(took < Duration::from_millis(1_500), "{pattern}: {took:?} in a debug build");
    }
}
