//! Ranges and first few of lists that a sort key orders: the same answers as without the order, of packed lists and of
//! edge-trees, also in a transaction that has changed them.

mod profiles;

use graph::{Dir, Value};
use mangrove::Database;
use profiles::sent_by;

const FANS: i64 = 5_000;

fn texts(results: Result<Vec<Value>, mangrove::Error>, text: &str) -> Vec<String> {
    let results = results.unwrap_or_else(|error| panic!("{text}: {error}"));
    results.iter().map(ToString::to_string).collect()
}

fn ask(db: &Database, text: &str) -> Vec<String> {
    texts(db.query(text).and_then(|results| results.collect()), text)
}

/// A star that 5,000 fans follow, in no order of time, some at the same time and some at no known one; each fan follows
/// three others.
fn fans() -> Database {
    let db = Database::in_memory().unwrap();
    db.graph()
        .change_schema(|schema| {
            schema.edges.entry("follows".into()).or_default().sort_key = Some("since".into());
            Ok(())
        })
        .unwrap();
    let transaction = db.graph().begin();
    let star = transaction.add_vertex(Some(Value::Long(0)), "person").unwrap();
    let fans: Vec<_> =
        (1..=FANS).map(|n| transaction.add_vertex(Some(Value::Long(n)), "person").unwrap()).collect();
    transaction.commit().unwrap();
    for (n, fan) in fans.iter().enumerate() {
        let transaction = db.graph().begin();
        for (target, at) in [star, fans[n / 2], fans[n / 3], fans[n / 5]].into_iter().zip(0..) {
            let follows = transaction.add_edge(None, "follows", *fan, target).unwrap();
            if (n + at) % 50 > 0 {
                let since = Value::Int(((n * 7919 + at) % 2_000) as i32);
                transaction.set_edge_property(follows, "since", since).unwrap();
            }
        }
        transaction.commit().unwrap();
    }
    assert_eq!(db.stats().trees, 1);
    db
}

/// Values, so that it does not matter which of several edges of the same time are taken.
const QUERIES: &[&str] = &[
    "V(0).inE('follows').has('since', gt(1990)).values('since').order()",
    "V(0).inE('follows').has('since', lt(3)).values('since').order()",
    "V(0).inE('follows').has('since', between(700, 710)).values('since').order()",
    "V(0).inE('follows').has('since', 1234).outV().id().order()",
    "V(0).inE('follows').has('since', inside(5, 9)).outV().id().order()",
    "V(0).inE('follows').has('since', gt('text')).count()",
    "V(0).inE('follows').has('since', inside(100, 1500)).values('since').order()",
    "V(0).inE('follows').has('since', gte(100)).has('since', lte(1500)).count()",
    "V(0).inE('follows').has('since', between(100, 1500)).has('since', gt(900)).count()",
    "V(0).inE('follows').has('since', between(100, 1500)).has('since', neq(900)).count()",
    "V(0).inE('follows').has('since', between(1500, 100)).count()",
    "V(0).inE('follows').has('since', between(5, 'text')).count()",
    "V(0).in('follows').dedup().count()",
    "V(0).inE('follows').has('since', gt(5).and(lte(9.5))).count()",
    "V(0).in('follows').count()",
    "V(0).inE('follows').order().by('since', desc).limit(30).values('since')",
    "V(0).inE('follows').order().by('since').limit(30).values('since')",
    "V(0).inE('follows').has('since', lt(1000)).order().by('since', desc).limit(7).values('since')",
    "V(0).inE('follows').has('since', lte(1000)).order().by('since', desc).limit(3000).values('since')",
    "V(0).inE('follows').has('since', gt(1000)).order().by('since').limit(7).values('since')",
    "V(0).inE('follows').has('since', between(700, 702)).order().by('since', desc).limit(9).values('since')",
    "V(0).inE('follows').has('since', between(700, 702)).order().by('since').limit(9).values('since')",
    "V(0).inE('follows').has('since', gt(5000)).order().by('since', desc).limit(9).count()",
    "V(0).inE('follows').has('since', gt('text')).order().by('since').limit(9).count()",
    "V(0).inE('follows').has('since', lt(900)).where(outV().has(id, lt(40))).order().by('since', desc).limit(5).count()",
    "V(1,2,3).outE('follows').has('since', lt(1500)).order().by('since', desc).limit(4).values('since')",
    "V().hasLabel('person').outE('follows').order().by('since', desc).limit(40).values('since')",
    "V().hasLabel('person').bothE('follows').order().by('since').limit(40).values('since')",
    "V().hasLabel('person').outE('follows').has('since', gte(1995)).count()",
    "V().hasLabel('person').local(inE('follows').order().by('since', desc).limit(2).values('since')).sum()",
    "V(1,2,3).outE('follows').has('since', lt(1000)).inV().id().order()",
];

fn compare(asked: impl Fn(&str) -> Vec<String>, when: &str) {
    for query in QUERIES {
        let with = asked(&format!("g.{query}"));
        let without = asked(&format!("g.with('mangrove.rules.off', 'sorted-lists').{query}"));
        assert_eq!(with, without, "{query} {when}");
        assert!(!with.is_empty() || when != "at first", "{query}");
    }
}

#[test]
fn the_part_that_is_read_of_a_sorted_list_is_the_part_that_is_wanted() {
    let db = fans();
    compare(|text| ask(&db, text), "at first");
    let transaction = db.transaction();
    let write = |text: &str| texts(transaction.query(text).and_then(|results| results.collect()), text);
    write("g.V(0).inE('follows').has('since', lt(20)).property('since', 1999)");
    write("g.V(0).inE('follows').has('since', between(700, 705)).drop()");
    write("g.V(17).addE('follows').to(V(0)).property('since', 2)");
    compare(|text| write(text), "in a transaction");
    transaction.commit().unwrap();
    compare(|text| ask(&db, text), "afterwards");
}

#[test]
fn only_the_wanted_part_is_read() {
    let db = fans();
    let plan = db
        .explain("g.V(0).inE('follows').has('since', gt(1990)).order().by('since', desc).limit(5)")
        .unwrap();
    assert!(plan.contains("last 5 by since"), "{plan}");
    let snapshot = db.snapshot();
    let reader = snapshot.reader();
    let star = reader.vertex_by_id(&Value::Long(0)).unwrap();
    let follows = snapshot.catalog().edge_label("follows").unwrap();
    let last = reader.list(star, follows, Dir::In).run_back(None, &mut graph::Seek::default()).unwrap().0;
    assert!(last.neighbours().len() < FANS as usize);
}

/// Pages of a list, each from where the one before ended: no page looks at those before it.
#[test]
fn the_first_few_of_a_range_are_read_from_its_end() {
    let db = Database::in_memory().unwrap();
    db.graph()
        .change_schema(|schema| {
            let rates = schema.edges.entry("rates".into()).or_default();
            rates.sort_key = Some("at".into());
            rates.nodes = Some(graph::NodeBounds { min: 20, max: 50 });
            Ok(())
        })
        .unwrap();
    let transaction = db.graph().begin();
    let hub = transaction.add_vertex(Some(Value::Long(1)), "hub").unwrap();
    let fan = transaction.add_vertex(Some(Value::Long(2)), "fan").unwrap();
    for at in 0..4_000 {
        let edge = transaction.add_edge(None, "rates", hub, fan).unwrap();
        transaction.set_edge_property(edge, "at", Value::Int(at)).unwrap();
    }
    transaction.commit().unwrap();
    let nodes_read = || -> u64 { db.stats().tree_use.iter().map(|(_, tree)| tree.nodes_read).sum() };
    for (page, first) in [
        ("has('at', lt(2000)).order().by('at', desc)", 1_999),
        ("has('at', gt(2000)).order().by('at')", 2_001),
    ] {
        let before = nodes_read();
        let found = ask(&db, &format!("g.V(1).outE('rates').{page}.limit(1).values('at')"));
        assert_eq!(found, [first.to_string()], "{page}");
        let read = nodes_read() - before;
        assert!((1..=6).contains(&read), "{page}: {read} nodes of 80 or more");
    }
}

/// Edges that are moved into a range must be noticed by who has read the range before.
#[test]
fn a_range_that_was_read_is_validated_at_commit() {
    let db = fans();
    for range in ["has('since', gt(5000))", "order().by('since', desc).limit(1)"] {
        let reads = db.transaction();
        texts(reads.query(&format!("g.V(0).inE('follows').{range}")).and_then(|r| r.collect()), range);
        reads.query("g.addV('Newest')").unwrap();
        db.query("g.V(0).inE('follows').has('since', 3).limit(1).property('since', 6000)").unwrap();
        let error = reads.commit().expect_err("an edge was moved into what was read");
        assert_eq!(error.kind(), mangrove::ErrorKind::Conflict, "{range}: {error}");
    }
}

/// Of many lists, no more is read of each than those before it leave to be wished.
#[test]
fn the_first_few_of_many_lists_bound_each_other() {
    const LISTS: u64 = 200;
    let db = Database::in_memory().unwrap();
    db.graph()
        .change_schema(|schema| {
            schema.edges.entry("rates".into()).or_default().sort_key = Some("at".into());
            Ok(())
        })
        .unwrap();
    let transaction = db.graph().begin();
    let people: Vec<_> = (0..LISTS).map(|_| transaction.add_vertex(None, "person").unwrap()).collect();
    let mut random = 7u64;
    for person in &people {
        for _ in 0..30 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let other = people[(random >> 33) as usize % people.len()];
            let edge = transaction.add_edge(None, "rates", *person, other).unwrap();
            transaction.set_edge_property(edge, "at", Value::Long((random >> 20) as i64)).unwrap();
        }
    }
    transaction.commit().unwrap();
    for order in ["by('at', desc)", "by('at')"] {
        let query = format!("V().hasLabel('person').outE('rates').order().{order}.limit(10).values('at')");
        let whole = ask(&db, &format!("g.with('mangrove.rules.off', 'sorted-lists').{query}"));
        assert_eq!(ask(&db, &format!("g.{query}")), whole);
        let read = sent_by(&db, &format!("g.{query}"), "outE(rates");
        assert!((10..LISTS * 2).contains(&read), "{read} of the {LISTS} times 10 that each list has");
    }
}
