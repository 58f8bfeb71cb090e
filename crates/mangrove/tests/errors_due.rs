//! What TinkerPop refuses is refused, in its words where its scenarios look for them; and what it takes is taken.

mod queries;

use std::path::{Path, PathBuf};

use mangrove::{Database, formats::ImportOptions};

use queries::{refusal, texts};

fn sample(name: &str) -> Database {
    let data: PathBuf =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data");
    let db = Database::in_memory().unwrap();
    db.import(data.join(name), None, &ImportOptions::default(), &|_| {}).unwrap();
    db
}

#[test]
fn a_by_of_a_key_wants_one_value() {
    let crew = sample("tinkerpop-crew.json");
    let expected = "Multiple properties exist for the provided key, use Vertex.properties(location)";
    for query in [
        "g.V().group().by('location').by('name')",
        "g.V().group().by('name').by('location')",
        "g.V().groupCount().by('location')",
        "g.V().order().by('location')",
        "g.V().order().by('location').limit(1)",
        "g.V().fold().order(local).by('location')",
        "g.V().project('a').by('location')",
        "g.V().dedup().by('location').count()",
        "g.V().aggregate('x').by('location').cap('x')",
        "g.V().sample(2).by('location')",
        "g.V().as('a').select('a').by('location')",
        "g.V().as('a','b').select('a','b').by('location')",
        "g.V().path().by('location')",
        "g.V().as('a').V().as('b').where('a',eq('b')).by('location').count()",
        "g.V().math('_').by('location')",
        "g.V().project('a').by(values('location'))",
        "g.V().order().by(values('location'))",
        "g.V().path().by(values('location').as('a'))",
        "g.V().as('b').order().by(values('location').as('a')).select('b')",
        "g.V().group().by('name').by(values('location').fold())",
        "g.V().group('m').by('name').by(values('location').fold()).cap('m')",
        "g.with('mangrove.rules.off','simplify-by').V().dedup().by(values('location'))",
        "g.addV().property(list,'location','a').property(list,'location','b').project('x').by('location')",
    ] {
        assert!(refusal(&crew, query).contains(expected), "{query}: {}", refusal(&crew, query));
    }
    for first in
        ["map(values('location'))", "as('a').out().limit(1).select('a').by(values('location').limit(1))"]
    {
        for rules in ["", "simplify-by"] {
            let query = format!("g.with('mangrove.rules.off','{rules}').V().has('name','marko').{first}");
            assert_eq!(texts(&crew, &query), ["san diego"], "{query}");
        }
    }
    let listed = "g.V().has('name','marko').group().by('name').by(as('c').values('location').fold())";
    assert_eq!(texts(&crew, listed), ["{marko=[san diego, santa cruz, brussels, santa fe]}"]);
    let grouped = "g.V().has('name','marko').group().by('name').by(values('location'))";
    assert_eq!(texts(&crew, grouped), ["{marko=san diego}"]);
    for named in ["as('c').values('location')", "identity().as('c').values('location')"] {
        for (with, expected) in [
            ("project('x').by", "{x=san diego}"),
            ("group().by", "{san diego=[v[1]]}"),
            ("dedup().by", "v[1]"),
            ("order().by", "v[1]"),
            ("path().by", "path[san diego]"),
            ("group().by('name').by", "{marko=san diego}"),
        ] {
            let query = format!("g.V().has('name','marko').{with}({named})");
            assert_eq!(texts(&crew, &query), [expected], "{query}: a name keeps them from being a key");
        }
    }
    assert_eq!(texts(&crew, "g.V().values('location').count()"), ["14"]);
    assert_eq!(texts(&crew, "g.V().has('name','marko').project('a').by('name')"), ["{a=marko}"]);
    let one = "g.addV('p').property(list,'k','a','since',2020).project('a').by('k')";
    assert_eq!(texts(&crew, one), ["{a=a}"], "a value with meta-properties is one");
}

#[test]
fn names_that_nothing_has_are_errors() {
    let modern = sample("tinkerpop-modern.json");
    for query in [
        "g.V().math('a + 1')",
        "g.V().values('age').math('a + 1')",
        "g.inject(1).math('_ + e')",
        "g.inject(1).math('2 * pi')",
        "g.V().project('x').by('age').math('a + 1')",
    ] {
        let message = refusal(&modern, query);
        let fits = message.contains("must resolve to a Number - it is instead of type null with value null")
            || message.contains("neither an as() label nor a side-effect is called 'a'");
        assert!(fits, "{query}: {message}");
    }
    for (query, said) in [
        ("g.V().dedup('a')", "neither an as() label nor a side-effect is called 'a'"),
        ("g.V().values('age').dedup('a')", "neither the map, nor side-effects, nor the path has a a-key"),
        (
            "g.V().project('a').by('age').dedup('a')",
            "neither the map, nor side-effects, nor the path has a a-key",
        ),
    ] {
        let message = refusal(&modern, query);
        assert!(message.contains(said), "{query}: {message}");
    }
    let sums = texts(&modern, "g.V().as('e').out('created').math('e + 1').by('age')");
    assert_eq!(sums, ["30.0", "33.0", "33.0", "36.0"], "e is what is called so");
    assert_eq!(
        texts(&modern, "g.V().hasLabel('person').math('_ + 1').by('lang').count()"),
        ["0"],
        "a by() may find nothing"
    );
}

#[test]
fn a_function_of_math_needs_no_parentheses() {
    let modern = sample("tinkerpop-modern.json");
    for (expression, expected) in [
        ("ceil _", "29.0"),
        ("ceil _ / 2", "15.0"),
        ("ceil (_) / 2", "14.5"),
        ("(ceil _ / 2) * 2", "30.0"),
        ("2 * ceil _ / 2 + 1", "32.0"),
        ("- ceil _ + 1", "-30.0"),
        ("abs abs _", "29.0"),
    ] {
        let query = format!("g.V().has('name','marko').values('age').math('{expression}')");
        assert_eq!(texts(&modern, &query), [expected], "{expression}");
    }
    for expression in ["ceil - _", "ceil", "2 _", "sin +"] {
        refusal(&modern, &format!("g.V().values('age').math('{expression}')"));
    }
}

#[test]
fn messages_begin_as_tinkerpops_scenarios_look_for_them() {
    let modern = sample("tinkerpop-modern.json");
    for (query, expected) in [
        ("g.V().range(3,2)", "Not a legal range: [3, 2]"),
        ("g.inject([1,2]).range(local,2,1)", "Not a legal range: [2, 1]"),
        ("g.V().limit(-2)", "Not a legal range: [0, -2]"),
        ("g.inject(['a']).trim()", "The trim() step can only take string as argument"),
        ("g.inject([1]).trim(local)", "The trim(local) step can only take string or list of strings"),
        ("g.inject(1).toUpper(local)", "The toUpper(local) step can only take string or list of strings"),
        ("g.inject([1]).lTrim(local)", "The lTrim(local) step can only take string or list of strings"),
        ("g.inject(1).length()", "The length() step can only take string as argument"),
        ("g.inject(['a']).replace('a','b')", "The replace() step can only take string as argument"),
        ("g.inject([1]).asNumber()", "Can't parse type ArrayList as number."),
        ("g.inject({1}).asNumber()", "Can't parse type HashSet as number."),
        (
            "g.addE('x').from(__.V(1))",
            "The value given to addE(x).to() must resolve to a Vertex or the ID of a Vertex present in the graph",
        ),
        (
            "g.V(1).addE('x').to(constant(99))",
            "The value given to addE(x).to() must resolve to a Vertex or the ID of a Vertex",
        ),
        (
            "g.V(1).outE().addE('x').from(__.V(1))",
            "The value given to addE(x).to() must resolve to a Vertex or the ID of a Vertex",
        ),
        (
            "g.V().valueMap('name').by(unfold()).by()",
            "valueMap()/propertyMap() step can only have one by modulator",
        ),
        (
            "g.V().propertyMap().by(is('x')).by(unfold())",
            "valueMap()/propertyMap() step can only have one by modulator",
        ),
        ("g.V().profile().count()", "When specified, the profile()-Step must be the last step"),
        ("g.V().union(out().profile(),in())", "When specified, the profile()-Step must be the last step"),
        ("g.V().out().loops()", "there is no repeat() around it"),
        (
            "g.withStrategies(VertexProgramRestrictionStrategy, VertexProgramStrategy).V()",
            "The TraversalSource does not allow the use of a GraphComputer",
        ),
    ] {
        let message = refusal(&modern, query);
        assert!(message.contains(expected), "{query}: {message}");
    }
}

#[test]
fn what_is_due_for_some_is_not_for_all() {
    let modern = sample("tinkerpop-modern.json");
    for (query, expected) in [
        ("g.V(1).repeat(out().map(loops())).times(1).count()", "3"),
        ("g.V().repeat(out()).until(loops().is(2)).count()", "2"),
        ("g.V().repeat(out()).emit(loops().is(1)).times(2).dedup().count()", "4"),
        ("g.V().as('a').out().dedup('a').count()", "3"),
        ("g.V().range(-2,1).count()", "1"),
        ("g.V().skip(-3).count()", "6"),
        ("g.V().tail(-1).count()", "0"),
        ("g.inject([null,'a']).toUpper(local)", "[null, A]"),
        ("g.V(1).valueMap('name').by(unfold())", "{name=marko}"),
        (
            "g.withoutStrategies(ConnectiveStrategy).V().has('name','marko').or().where(__.in('knows')).count()",
            "0",
        ),
        ("g.withoutStrategies(ConnectiveStrategy).V().has('name','marko').and().count()", "1"),
        ("g.withoutStrategies(ConnectiveStrategy).V().where(out().and().in()).count()", "3"),
        ("g.withoutStrategies(ConnectiveStrategy).V().and(out(),__.in()).count()", "1"),
        ("g.V().where(out().and().in()).count()", "1"),
    ] {
        assert_eq!(texts(&modern, query), [expected], "{query}");
    }
    assert!(texts(&modern, "g.V().out().profile()")[0].contains("out()"));
}

#[test]
fn nobody_asks_an_emit_of_who_leaves() {
    let modern = sample("tinkerpop-modern.json");
    let count =
        |times| format!("g.V().repeat(out()).times({times}).emit(where(neq('a'))).as('b').as('a').count()");
    assert_eq!(texts(&modern, &count(1)), ["6"]);
    assert!(refusal(&modern, &count(2)).contains("the path has a a-key"), "{}", refusal(&modern, &count(2)));
}
