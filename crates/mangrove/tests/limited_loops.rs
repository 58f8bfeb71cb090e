//! A few results of a loop cost little more than all of them, counted, in elements read: however many walks there are.

use std::fmt::Write as _;

use mangrove::Database;
use mangrove::values::{Metrics, StepMetrics, Value};

/// `edges` as pairs of numbers; each vertex has its number as `n`.
fn graph(vertices: usize, edges: &[(usize, usize)]) -> Database {
    let db = Database::in_memory().unwrap();
    let mut text = String::from("g");
    for n in 0..vertices {
        let _ = write!(text, ".addV('v').property(id,{n}L).property('n',{n})");
        if text.len() > 20_000 {
            let done = std::mem::replace(&mut text, String::from("g"));
            db.query(&done).unwrap().for_each(|result| drop(result.unwrap()));
        }
    }
    for (from, to) in edges {
        let _ = write!(text, ".addE('to').from(__.V({from}L)).to(__.V({to}L))");
        if text.len() > 20_000 {
            let done = std::mem::replace(&mut text, String::from("g"));
            db.query(&done).unwrap().for_each(|result| drop(result.unwrap()));
        }
    }
    if text.len() > 1 {
        db.query(&text).unwrap().for_each(|result| drop(result.unwrap()));
    }
    db
}

/// Two vertices a level, each with edges to both of the next: 2^depth walks. Numbers 2 × level and 2 × level + 1.
fn ladder(depth: usize) -> Database {
    let edges = (0..2 * depth).flat_map(|v| [(v, v / 2 * 2 + 2), (v, v / 2 * 2 + 3)]);
    graph(2 * depth + 2, &edges.collect::<Vec<_>>())
}

/// From each place to the right and down.
fn grid(side: usize) -> Database {
    let mut edges = Vec::new();
    for place in 0..side * side {
        let (x, y) = (place % side, place / side);
        edges.extend((x + 1 < side).then_some((place, place + 1)));
        edges.extend((y + 1 < side).then_some((place, place + side)));
    }
    graph(side * side, &edges)
}

/// Each vertex n has an edge to 2 n + 1 and to 2 n + 2.
fn tree(depth: u32) -> Database {
    let vertices = (1 << depth) - 1;
    graph(vertices, &(1..vertices).map(|child| ((child - 1) / 2, child)).collect::<Vec<_>>())
}

/// 0 and 1 are the hubs, each with an edge to all the others and one back.
fn hubs(spokes: usize) -> Database {
    let edges = (2..spokes + 2)
        .flat_map(|spoke| [0, 1].into_iter().flat_map(move |hub| [(hub, spoke), (spoke, hub)]));
    graph(spokes + 2, &edges.collect::<Vec<_>>())
}

fn results(db: &Database, text: &str) -> Vec<String> {
    let text = format!("g.with('evaluationTimeout',60000).{text}");
    let results = db.query(&text).and_then(|results| results.collect::<Result<Vec<_>, _>>());
    results.unwrap_or_else(|error| panic!("{text}: {error}")).iter().map(ToString::to_string).collect()
}

/// Elements that a traversal reads.
fn reads(db: &Database, text: &str) -> u64 {
    fn all(steps: &[StepMetrics]) -> u64 {
        let own =
            |step: &StepMetrics| step.annotations.iter().find(|(key, _)| key.as_str() == "read").cloned();
        let read = |step: &StepMetrics| match own(step) {
            Some((_, Value::Long(read))) => read as u64,
            _ => 0,
        };
        steps.iter().map(|step| read(step) + all(&step.nested)).sum()
    }
    let text = format!("g.with('evaluationTimeout',60000).{text}.profile()");
    let Value::Map(map) = db.query(&text).unwrap().next().unwrap().unwrap() else {
        panic!("no profile: {text}")
    };
    all(&Metrics::of(&map).steps)
}

/// Holds the first few results of a traversal to what counting all of them reads.
fn hold(db: &Database, all: &str) {
    hold_to(db, all, "count()");
}

/// The same, held to another way to count them.
fn hold_to(db: &Database, all: &str, count: &str) {
    let of_all = reads(db, &format!("{all}.{count}"));
    for end in [
        "limit(1)",
        "limit(5)",
        "range(1,3)",
        "limit(1).path()",
        "path().limit(1)",
        "values('n').limit(1)",
        "hasNext()",
        "hasNot('absent').limit(2)",
    ] {
        let text = format!("{all}.{end}");
        let few =
            if end == "hasNext()" { reads(db, &format!("{all}.limit(1).count()")) } else { reads(db, &text) };
        assert!(few <= 2 * of_all + 1_000, "{text}: {few} elements read, {of_all} to count all");
    }
    // From one start, as a subquery.
    let Some((start, rest)) = all.split_once(").").filter(|(start, _)| *start != "V(") else { return };
    for within in ["where", "not", "map"] {
        for end in ["", ".path()"] {
            let text = format!("{start}).{within}({rest}){end}");
            let few = reads(db, &text);
            assert!(few <= 2 * of_all + 1_000, "{text}: {few} elements read, {of_all} to count all");
        }
    }
}

#[test]
fn on_a_ladder() {
    let db = ladder(60);
    for all in [
        "V(0L).repeat(out()).until(has('n',gte(120)))",
        "V(0L).repeat(out()).until(out().count().is(0))",
        "V(0L).until(has('n',gte(120))).repeat(out())",
        "V(0L).repeat(out()).until(loops().is(60))",
        "V(0L).repeat(out()).times(60)",
        "V(0L).times(60).repeat(out())",
        "V(0L).repeat(out()).times(61)",
        "V(0L).repeat(out()).emit(has('n',gte(118))).times(60)",
        "V(0L).repeat(out()).emit(has('n',gte(118))).until(has('n',gte(120)))",
        "V(0L).emit().repeat(out()).times(60)",
        "V(0L).repeat(outE().inV()).until(has('n',gte(120)))",
        "V(0L).repeat(repeat(out()).times(4)).times(15)",
        "V(0L).repeat(local(out())).times(60)",
        "V(0L).repeat(out()).until(has('n',-1))",
        "V().repeat(out()).until(has('n',gte(120)))",
        "V().hasLabel('v').repeat(out()).times(50)",
    ] {
        hold(&db, all);
    }
    // So many that they cannot be counted.
    hold_to(&db, "V(0L).repeat(union(out(),out())).times(60)", "dedup().count()");
}

/// A traversal of which a few are wanted further up, or of which the limit is not the next step.
#[test]
fn behind_and_inside_other_steps() {
    let db = ladder(40);
    let (loops, far) = ("repeat(out()).until(has('n',gte(80)))", "repeat(out()).times(40)");
    let edges = 160;
    let out20 = ["out()"; 20].join(".");
    for all in [
        format!("V(0L).{loops}.dedup()"),
        format!("V(0L).{far}.dedup().by('n')"),
        format!("V(0L).{far}.values('n').dedup()"),
        format!("V(0L).union({loops},out())"),
        format!("V(0L).union(out(),{far}).has('n',gte(70))"),
        format!("V(0L).coalesce({loops},constant(1))"),
        format!("V(0L).coalesce({far}.has('n',-1),{loops})"),
        format!("V(0L).optional({loops})"),
        format!("V(0L).choose({loops},{far},out())"),
        format!("V(0L).local({loops}.limit(1))"),
        format!("V(0L).flatMap({far})"),
        format!("V(0L).map({loops}.limit(1))"),
        format!("V(0L).where({loops}.limit(1))"),
        format!("V(0L).where({far}.has('n',-1))"),
        format!("V(0L).where({far}.count().is(gt(0)))"),
        format!("V(0L).filter({far}.values('n').is(80))"),
        format!("V(0L).not({far}.has('n',-1).limit(1))"),
        format!("V(0L).and({loops},{far})"),
        format!("V(0L).or({far}.has('n',-1),{loops})"),
        "V(0L).repeat(out()).emit().has('n',gte(78))".to_owned(),
        format!("V(0L).{far}.skip(2)"),
        format!("V(0L).{far}.range(5,9)"),
        format!("V(0L).as('s').{loops}.select('s')"),
        format!("V(0L).{loops}.as('e').select('e')"),
        format!("V(0L).{loops}.out().project('n').by('n')"),
        "V(0L).repeat(out().repeat(out()).times(3)).times(10)".to_owned(),
        "V(0L).repeat(coalesce(out().has('n',gt(2)),out())).times(40)".to_owned(),
        "V(0L).repeat(out().where(out())).times(39)".to_owned(),
        format!("V(0L).{out20}"),
    ] {
        for end in ["limit(1)", "limit(3)", "as('x').limit(1).select('x')"] {
            let text = format!("{all}.{end}");
            let few = reads(&db, &text);
            assert!(few <= 2 * edges + 1_000, "{text}: {few} elements read, of {edges}");
        }
    }
    // Not all 40 levels: there are more walks then than a long can count, which is an error.
    hold(&db, "V(0L).repeat(union(out(),out().out())).until(has('n',gte(70)))");
}

#[test]
fn on_a_deep_ladder() {
    let db = ladder(400);
    for all in [
        "V(0L).repeat(out()).until(has('n',gte(800)))",
        "V(0L).repeat(out()).times(400)",
        "V(0L).repeat(out()).times(401)",
    ] {
        hold_to(&db, all, "dedup().count()");
    }
}

#[test]
fn on_a_grid() {
    let db = grid(20);
    for all in [
        "V(0L).repeat(out()).until(has('n',399))",
        "V(0L).repeat(out()).times(38)",
        "V(0L).repeat(out()).emit(has('n',399)).times(38)",
        "V().repeat(out()).times(30)",
        "V(0L).repeat(both()).times(20)",
    ] {
        hold(&db, all);
    }
    hold_to(&db, "V(0L).repeat(both()).emit(has('n',399)).times(40)", "dedup().count()");
}

#[test]
fn in_a_tree() {
    let db = tree(11);
    for all in [
        "V(0L).repeat(out()).until(outE().count().is(0))",
        "V(0L).repeat(out()).until(has('n',2046))",
        "V(0L).repeat(out()).times(10)",
        "V(0L).repeat(out()).times(11)",
        "V(0L).repeat(out()).emit(has('n',gte(2000))).times(10)",
        "V().repeat(__.in()).until(has('n',0))",
    ] {
        hold(&db, all);
    }
}

#[test]
fn around_hubs() {
    let db = hubs(300);
    for all in [
        "V(0L).repeat(out()).times(9)",
        "V(2L).repeat(out()).until(loops().is(9))",
        "V(2L).repeat(out().has('n',lt(9))).times(9)",
        "V(2L).repeat(out()).emit(has('n',-1)).times(8)",
        "V().repeat(both()).times(6)",
    ] {
        hold(&db, all);
    }
}

/// What `limit(1)` finds of a search is a nearest one, and its path a shortest one.
#[test]
fn near_results_are_found_first() {
    let db = grid(12);
    let length = |text: &str| results(&db, &format!("{text}.count(local)"));
    assert_eq!(length("V(0L).repeat(both()).until(has('n',14)).limit(1).path()"), ["4"]);
    assert_eq!(length("V(0L).repeat(both()).until(has('n',14)).path().limit(1)"), ["4"]);
    assert_eq!(length("V(0L).repeat(both().simplePath()).until(has('n',14)).limit(1).path()"), ["4"]);
    let nearest = "V(0L).repeat(both()).emit(has('n',within(143,14,60))).limit(1).values('n')";
    assert_eq!(results(&db, nearest), ["14"]);
    let sizes = results(&db, "V(0L).repeat(both()).until(has('n',14)).limit(3).path().count(local)");
    assert_eq!(sizes, ["4", "4", "4"]);
}

/// Neither merged nor found near: past a number of traversers the loop also looks at its far end.
#[test]
fn a_far_result_is_found_though_nothing_can_be_merged() {
    let db = ladder(200);
    let far = "V(0L).repeat(out().simplePath()).until(has('n',gte(400))).limit(1).path().count(local)";
    assert_eq!(results(&db, far), ["201"]);
    let several = "V(0L).repeat(out()).until(has('n',gte(400))).limit(5).path().count(local)";
    assert_eq!(results(&db, several), ["201"; 5]);
    let kept = "V(0L).as('a').repeat(out().where(neq('a'))).until(has('n',gte(400))).limit(2).count()";
    assert_eq!(results(&db, kept), ["2"]);
}

/// On a ring every walk goes on for ever, but nothing is new for long.
#[test]
fn a_search_for_one_that_is_not_there_ends_where_the_graph_does() {
    let db = graph(50, &(0..50).map(|v| (v, (v + 1) % 50)).collect::<Vec<_>>());
    assert_eq!(results(&db, "V(0L).repeat(both()).until(has('n',-1)).limit(1)"), [""; 0]);
    assert_eq!(results(&db, "V(0L).repeat(both()).until(has('n',-1)).limit(1).path()"), [""; 0]);
    assert_eq!(results(&db, "V(0L).where(repeat(both()).until(has('n',-1))).path()"), [""; 0]);
}

#[test]
fn as_many_results_as_there_are_up_to_the_limit() {
    let db = ladder(4);
    for walks in
        ["repeat(out()).times(4)", "repeat(out()).until(has('n',gte(8)))", "repeat(out()).emit().times(4)"]
    {
        let all = results(&db, &format!("V(0L).{walks}.count()"))[0].parse::<usize>().unwrap();
        for limit in [1, 2, 3, 7, 15, 16, 17, 29, 30, 31, 100] {
            let found = results(&db, &format!("V(0L).{walks}.limit({limit})"));
            assert_eq!(found.len(), limit.min(all), "{walks}.limit({limit})");
            let paths = results(&db, &format!("V(0L).{walks}.limit({limit}).path()"));
            assert_eq!(paths.len(), limit.min(all), "{walks}.limit({limit}).path()");
        }
    }
}
