//! Strategies that change what a traversal means.

use mangrove::{
    Database,
    graph::{IndexDescription, IndexKind},
};

const PARTITIONED: &str = "g.addV('p').property('name', 'a').property('part', 'x').as('a').\
    addV('p').property('name', 'b').property('part', 'y').as('b').addV('p').property('name', 'c').property('part', 'x').as('c').\
    addE('knows').from('a').to('b').property('part', 'x').addE('knows').from('a').to('c').property('part', 'x').\
    addE('knows').from('c').to('a').property('part', 'y')";

fn ask(db: &Database, traversal: &str) -> Vec<String> {
    let results = db.query(traversal).unwrap_or_else(|error| panic!("{traversal}: {error}"));
    let mut all: Vec<_> = results.map(|value| value.unwrap().to_string()).collect();
    all.sort();
    all
}

fn database() -> Database {
    let db = Database::in_memory().unwrap();
    ask(&db, PARTITIONED);
    db
}

fn error(traversal: &str) -> String {
    match database().query(traversal) {
        Err(error) => error.to_string(),
        Ok(mut results) => results.find_map(Result::err).expect("an error").to_string(),
    }
}

#[test]
fn a_partition_hides_what_is_in_others_however_deep_inside() {
    let db = database();
    let in_x = "g.withStrategies(new PartitionStrategy(partitionKey: 'part', writePartition: 'x', readPartitions: ['x']))";
    let reads = |rest: &str| ask(&db, &format!("{in_x}.{rest}"));
    assert_eq!(reads("V().values('name')"), ["a", "c"]);
    // Of what out() goes along, nobody looks at the edges, as in TinkerPop.
    assert_eq!(reads("V().as('v').has('name').out().values('name')"), ["a", "c"]);
    assert_eq!(reads("E().count()"), ["2"]);
    assert_eq!(reads("V().where(__.in('knows')).values('name')"), ["a", "c"]);
    assert_eq!(reads("V().project('n', 'of').by('name').by(both().count())"), ["{n=a, of=2}", "{n=c, of=2}"]);
    assert_eq!(reads("V().has('name', 'a').repeat(out()).times(3).values('name')"), ["c"]);
    assert_eq!(reads("V().has('name', 'a').outE().inV().values('name')"), ["c"]);
    let none =
        "g.withStrategies(new PartitionStrategy(partitionKey: 'part', readPartitions: [])).V().count()";
    assert_eq!(ask(&db, none), ["0"]);
    assert_eq!(ask(&db, &none.replace(".V()", ".withoutStrategies(PartitionStrategy).V()")), ["3"]);
}

#[test]
fn what_is_written_goes_into_the_partition_that_is_written() {
    let db = database();
    let in_z = "g.withStrategies(new PartitionStrategy(partitionKey: 'part', writePartition: 'z', readPartitions: ['z', 'x']))";
    ask(
        &db,
        &format!(
            "{in_z}.addV('p').property('name', 'd').as('d').addE('knows').from('d').to(V().has('name', 'a'))"
        ),
    );
    assert_eq!(ask(&db, "g.V().has('name', 'd').values('part')"), ["z"]);
    assert_eq!(ask(&db, "g.E().has('part', 'z').count()"), ["1"]);
    // A merge looks in the partition that it writes.
    let merged = format!(
        "{in_z}.mergeV([(T.label): 'p', name: 'a']).option(onCreate, [n: 1]).option(onMatch, [n: 2]).values('n')"
    );
    assert_eq!(ask(&db, &merged), ["1"]);
    assert_eq!(ask(&db, &merged), ["2"]);
    assert_eq!(ask(&db, "g.V().has('name', 'a').values('part')"), ["x", "z"]);
}

#[test]
fn a_subgraph_is_all_that_there_is() {
    let db = database();
    let seen = |config: &str, rest: &str| {
        ask(&db, &format!("g.withStrategies(new SubgraphStrategy({config})).{rest}"))
    };
    let vertices = "vertices: has('name', within('a', 'b'))";
    assert_eq!(seen(vertices, "V().values('name')"), ["a", "b"]);
    assert_eq!(seen(vertices, "V().out().values('name')"), ["b"]);
    assert_eq!(seen(vertices, "E().count()"), ["1"]);
    assert_eq!(seen(vertices, "V().bothE().count()"), ["2"]);
    assert_eq!(seen(&format!("{vertices}, checkAdjacentVertices: false"), "E().count()"), ["3"]);
    let edges = "edges: has('part', 'y')";
    assert_eq!(seen(edges, "V().out().values('name')"), ["a"]);
    assert_eq!(
        seen(edges, "V().as('v').both().as('w').select('v', 'w').by('name')"),
        ["{v=a, w=c}", "{v=c, w=a}"]
    );
    assert_eq!(seen(edges, "V().where(out('knows')).values('name')"), ["c"]);
    let properties = "vertexProperties: hasNot('hidden')";
    ask(
        &db,
        "g.V().has('name', 'a').property(list, 'alias', 'z', 'hidden', true).property(list, 'alias', 'y')",
    );
    assert_eq!(seen(properties, "V().values('alias')"), ["y"]);
    assert_eq!(seen(properties, "V().properties('alias').value()"), ["y"]);
    assert_eq!(seen(properties, "E().values('part')"), ["x", "x", "y"]);
    // A key is there where something is seen under it, whoever asks.
    let names = "vertexProperties: hasKey('name')";
    for (steps, found) in [
        ("V().has('part').count()", "0"),
        ("V().hasNot('part').count()", "3"),
        ("V().not(has('part')).count()", "3"),
        ("V().choose(has('part'), constant(1), constant(0)).sum()", "0"),
        ("V().repeat(both()).until(hasNot('part')).count()", "6"),
        ("V().match(__.as('v').has('part').as('w')).count()", "0"),
        ("E().has('part').count()", "3"),
        ("V().has('part').property('seen', 1).count()", "0"),
    ] {
        assert_eq!(seen(names, steps), [found], "{steps}");
    }
    seen(names, "V().has('part').drop()");
    assert_eq!(ask(&db, "g.V().count()"), ["3"], "what is not seen is not dropped by");
}

#[test]
fn indexes_serve_what_a_strategy_has_made() {
    let db = database();
    let index = IndexDescription { label: "p".into(), keys: vec!["name".into()], kind: IndexKind::Equality };
    db.graph().declare_index(&index).unwrap();
    db.graph().await_index(&index).unwrap();
    for strategy in [
        "new PartitionStrategy(partitionKey: 'part', readPartitions: ['x'])",
        "new SubgraphStrategy(vertices: has('part', 'x'))",
    ] {
        let traversal =
            format!("g.withStrategies({strategy}).V().has('p', 'name', 'a').out('knows').values('name')");
        assert_eq!(ask(&db, &traversal), ["c"]);
        let explained = ask(&db, &format!("{traversal}.explain()")).concat();
        assert!(explained.contains("IndexLookup(p.name = "), "{explained}");
    }
}

#[test]
fn a_by_without_a_result_gives_null_where_it_must_give_something() {
    let db = database();
    ask(&db, "g.V().has('name', 'b').property('age', 7)");
    let asked = |rest: &str| ask(&db, &format!("g.withStrategies(ProductiveByStrategy).{rest}"));
    assert_eq!(asked("V().order().by('age').values('name')").len(), 3);
    assert_eq!(asked("V().project('age').by('age')"), ["{age=7}", "{age=null}", "{age=null}"]);
    assert_eq!(asked("V().groupCount().by('age')"), ["{null=2, 7=1}"]);
    assert_eq!(asked("V().group().by('age').by('age').unfold()").len(), 2);
    assert_eq!(ask(&db, "g.V().project('age').by('age')"), ["{age=7}", "{}", "{}"]);
}

#[test]
fn what_a_strategy_forbids_or_has_not_is_said() {
    for (traversal, part) in [
        (
            "g.withStrategies(ReservedKeysVerificationStrategy(throwException: true)).addV().property('label', 1)",
            "reserved word: label",
        ),
        (
            "g.withStrategies(ReservedKeysVerificationStrategy(throwException: true)).V().map(addV().property('id', 1))",
            "reserved word: id",
        ),
        (
            "g.withStrategies(EdgeLabelVerificationStrategy(throwException: true)).V().where(out())",
            "without any specified edge label",
        ),
        ("g.withStrategies(new PartitionStrategy(readPartitions: ['a'])).V()", "partitionKey"),
        (
            "g.withStrategies(new PartitionStrategy(partitionKey: 'k', includeMetaProperties: true)).V()",
            "includeMetaProperties",
        ),
        ("g.withStrategies(SubgraphStrategy).V()", "a subgraph must be filtered"),
        ("g.withStrategies(new SubgraphStrategy(vertices: 1)).V()", "a traversal"),
        ("g.withStrategies(ElementIdStrategy).addV()", "give each new element a T.id"),
    ] {
        let said = error(traversal);
        assert!(said.contains(part), "{traversal}: {said}");
    }
    let db = database();
    assert_eq!(
        ask(
            &db,
            "g.withStrategies(ReservedKeysVerificationStrategy(throwException: true, keys: ['age'])).V().property('id', 1).count()"
        ),
        ["3"]
    );
}

#[test]
fn a_property_takes_the_place_of_ids() {
    let db = Database::in_memory().unwrap();
    let g = "g.withStrategies(new ElementIdStrategy(idPropertyKey: 'key'))";
    ask(&db, &format!("{g}.addV('p').property(T.id, 'mine').property('n', 1)"));
    assert_eq!(ask(&db, &format!("{g}.V('mine').values('n')")), ["1"]);
    assert_eq!(ask(&db, &format!("{g}.V().hasId('mine').id()")), ["mine"]);
    assert_eq!(ask(&db, &format!("{g}.V().hasId('other').count()")), ["0"]);
    // Under its own key an id is one as well.
    assert_eq!(ask(&db, &format!("{g}.addV('p').property(single, 'key', 'its').values('key')")), ["its"]);
    let without = db.query(&format!("{g}.addV('p').property('n', 'key')"));
    assert!(without.is_err(), "a value is no key");
}

/// What a strategy says stands behind each step: a short text could come to gigabytes so.
#[test]
fn what_strategies_come_to_has_a_bound() {
    let many: Vec<String> = (0..5_000).map(|number| format!("'p{number}'")).collect();
    let partition = format!("PartitionStrategy(partitionKey: 'part', readPartitions: [{}])", many.join(","));
    let subgraph = format!("SubgraphStrategy(vertices: __{})", ".has('x', 1)".repeat(5_000));
    let db = database();
    for strategy in [&partition, &subgraph] {
        let few = format!("g.withStrategies({strategy}).V().out().count()");
        assert_eq!(ask(&db, &few), ["0"]);
        let told = error(&format!("g.withStrategies({strategy}).V(){}.count()", ".out()".repeat(500)));
        assert!(told.contains("200000") && told.contains("that strategies put behind"), "{told}");
    }
}

#[test]
fn many_reserved_keys_are_looked_up_and_not_gone_through() {
    let keys: Vec<String> = (0..60_000).map(|number| format!("'key{number}'")).collect();
    let checked = "ReservedKeysVerificationStrategy(throwException: true, keys:";
    let begun = std::time::Instant::now();
    let traversal = format!(
        "g.withStrategies({checked} [{}])).inject(1).limit(0).addV(){}",
        keys.join(","),
        ".property('other', 1)".repeat(10_000)
    );
    assert_eq!(ask(&database(), &traversal), [""; 0]);
    assert!(begun.elapsed() < std::time::Duration::from_secs(5), "{:?}", begun.elapsed());
    let told = error(&format!("g.withStrategies({checked} ['a', 'b'])).addV().property('b', 1)"));
    assert!(told.contains("reserved word: b"), "{told}");
}
