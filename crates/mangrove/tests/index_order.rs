//! The first few in the order of an indexed key: the same answers as by sorting everybody, also in a transaction that has
//! changed the values, and no more is read than that.

mod profiles;

use graph::{Cardinality, IndexDescription, IndexKind, Value};
use mangrove::Database;
use profiles::sent_by;

const POSTS: i64 = 3_000;

fn texts(results: Result<Vec<Value>, mangrove::Error>, text: &str) -> Vec<String> {
    let results = results.unwrap_or_else(|error| panic!("{text}: {error}"));
    results.iter().map(ToString::to_string).collect()
}

fn ask(db: &Database, text: &str) -> Vec<String> {
    texts(db.query(text).and_then(|results| results.collect()), text)
}

fn index(keys: &[&str]) -> IndexDescription {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    IndexDescription { label: "post".into(), keys, kind: IndexKind::Range }
}

/// Posts of all times, in no order, some at the same time and some at no known one, and some at an odd one. `single` says
/// whether it is declared that they have one time at most.
fn posts(single: bool) -> Database {
    let db = Database::in_memory().unwrap();
    if single {
        db.query(
            "g.call('mangrove.schema.declare', [vertices: [post: [keys: [date: [cardinality: 'single']]]]])",
        )
        .unwrap();
    }
    let transaction = db.graph().begin();
    for n in 0..POSTS {
        let post = transaction.add_vertex(Some(Value::Long(n)), "post").unwrap();
        let set = |key: &str, value: Value| {
            let cardinality = if single { Cardinality::Single } else { Cardinality::List };
            transaction.set_vertex_property(post, Some(cardinality), key, value, &[]).unwrap();
        };
        set("lang", ["de", "en", "nl"][n as usize % 3].into());
        match n % 50 {
            0 => {}
            1 => set("date", format!("day {n}").as_str().into()),
            2 => set("date", Value::Double(n as f64 / 7.0)),
            _ => set("date", Value::Int((n * 7919 % 1_500) as i32)),
        }
    }
    transaction.commit().unwrap();
    for keys in [&["date"][..], &["lang", "date"]] {
        db.graph().declare_index(&index(keys)).unwrap();
        db.graph().await_index(&index(keys)).unwrap();
    }
    db
}

/// Values, so that it does not matter which of several posts of the same time are taken.
const QUERIES: &[&str] = &[
    "V().hasLabel('post').order().by('date').limit(12).map(values('date'))",
    "V().hasLabel('post').order().by('date', desc).limit(70).map(values('date'))",
    "V().hasLabel('post').order().by('date', desc).range(40, 55).map(values('date'))",
    "V().has('post', 'date', gt(1200)).order().by('date').limit(9).map(values('date'))",
    "V().has('post', 'date', lt(300)).order().by('date', desc).limit(9).map(values('date'))",
    "V().has('post', 'date', between(300, 310)).order().by('date', desc).limit(900).map(values('date'))",
    "V().has('post', 'date', inside(300, 310)).order().by('date').limit(3).map(values('date'))",
    "V().hasLabel('post').has('lang', 'nl').order().by('date').limit(15).map(values('date'))",
    "V().hasLabel('post').has('lang', 'nl').has('date', gt(700)).order().by('date').limit(15).map(values('date'))",
    "V().hasLabel('post').has('lang', 'fr').order().by('date').limit(15).map(values('date'))",
    "V().hasLabel('post').has('lang', neq('nl')).order().by('date').limit(15).map(values('date'))",
    "V().hasLabel('post').where(out('likes')).order().by('date').limit(15).map(values('date'))",
    "V().hasLabel('post').not(out('likes')).order().by('date', desc).limit(15).map(values('date'))",
    "V().hasLabel('post').as('p').order().by('date').limit(5).select('p').map(values('date'))",
    "V().hasLabel('post').order().by('date').limit(5).path().unfold().map(values('date'))",
    "V().hasLabel('post').order().by('lang').limit(5).values('lang')",
    "V().hasLabel('post').order().by('date').limit(2999).count()",
    "V().hasLabel('post').order().by('date').limit(20).has('lang', 'de').count()",
];

fn compare(asked: impl Fn(&str) -> Vec<String>, when: &str) {
    for query in QUERIES {
        let with = asked(&format!("g.{query}"));
        let without = asked(&format!("g.with('mangrove.rules.off', 'index-order').{query}"));
        let lookup = asked(&format!("g.with('mangrove.rules.off', 'index-order, range-lookup').{query}"));
        assert_eq!(with, without, "{query} {when}");
        assert_eq!(with, lookup, "{query} {when}");
    }
}

#[test]
fn the_first_few_are_those_that_sorting_finds() {
    [true, false].into_iter().for_each(compare_at_any_time);
}

fn compare_at_any_time(single: bool) {
    let db = posts(single);
    compare(|text| ask(&db, text), "before anybody has counted");
    db.graph().analyze(&mut |_| {}).unwrap();
    compare(|text| ask(&db, text), "at first");
    let transaction = db.transaction();
    let write = |text: &str| texts(transaction.query(text).and_then(|results| results.collect()), text);
    write("g.V().has('post', 'date', lt(9)).property(single, 'date', 1499)");
    write("g.V().has('post', 'date', between(300, 302)).drop()");
    write("g.V().hasLabel('post').order().by('date', desc).limit(3).property(single, 'date', 700)");
    write("g.addV('post').property('date', -3).property('lang', 'fr')");
    write("g.V(17).addE('likes').to(V(18))");
    compare(|text| write(text), "in a transaction");
    transaction.commit().unwrap();
    compare(|text| ask(&db, text), "afterwards");
    db.graph().drop_index(&index(&["date"])).unwrap();
    compare(|text| ask(&db, text), "without one of the indexes");
}

/// As in TinkerPop, whose `by(key)` wants one value.
#[test]
fn who_has_several_values_is_in_no_order() {
    let db = posts(false);
    db.query("g.V(777).property(list, 'date', -5).property(list, 'date', 2000)").unwrap();
    for rules in ["", "index-order", "index-order, range-lookup"] {
        let text = format!(
            "g.with('mangrove.rules.off', '{rules}').V().hasLabel('post').order().by('date', desc).limit(2500)"
        );
        let error = db.query(&text).and_then(|results| results.collect::<Result<Vec<_>, _>>()).unwrap_err();
        assert!(error.to_string().contains("use Vertex.properties(date)"), "{error}");
    }
}

#[test]
fn no_more_is_read_than_is_wanted() {
    let db = posts(true);
    db.graph().analyze(&mut |_| {}).unwrap();
    for (query, read) in [
        ("g.V().hasLabel('post').order().by('date', desc).limit(10)", "IndexRange(post: date descending)"),
        (
            "g.V().hasLabel('post').has('lang', 'nl').order().by('date').limit(10)",
            "IndexRange(post: lang = 'nl', date ascending)",
        ),
        (
            "g.V().has('post', 'date', lt(300)).order().by('date', desc).limit(10)",
            "IndexRange(post: date to 300 descending)",
        ),
    ] {
        let plan = db.explain(query).unwrap();
        let last = plan.split("== physical plan").nth(1).unwrap();
        assert!(last.contains(read) && !last.contains("Order("), "{plan}");
        // Batches grow from a few rows.
        let sent = sent_by(&db, query, "");
        assert!((10..500).contains(&sent), "{sent} rows of {query}");
    }
}

/// Who has read the first few must notice a vertex that becomes one of them.
#[test]
fn an_order_that_was_read_is_validated_at_commit() {
    let db = posts(true);
    let reads = db.transaction();
    texts(
        reads.query("g.V().hasLabel('post').order().by('date').limit(1)").and_then(|r| r.collect()),
        "first",
    );
    reads.query("g.addV('Oldest')").unwrap();
    db.query("g.V(444).property(single, 'date', -9)").unwrap();
    let error = reads.commit().expect_err("a vertex was moved into what was read");
    assert_eq!(error.kind(), mangrove::ErrorKind::Conflict, "{error}");
}
