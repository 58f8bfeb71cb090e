//! What has turned out to depend on how a query runs, and must not: what is written while others read, errors of work that nobody
//! needs, and merging that nobody asked for. `trials options` looks for more.

use mangrove::Database;

/// Ways to run a query.
const WAYS: &[&str] = &[
    "",
    ".with('mangrove.batch', 1)",
    ".with('mangrove.batch', 2).with('mangrove.policy.intra', 'bfs')",
    ".with('mangrove.eager', true)",
    ".with('mangrove.eager', true).with('mangrove.batch', 1)",
    ".with('mangrove.eager', true).with('mangrove.maxSi', 1)",
    ".with('mangrove.maxSi', 1).with('mangrove.policy.inter', 'dfs')",
    ".with('mangrove.scopes', 'off')",
    ".with('mangrove.policy.inter', 'dfs')",
    ".with('mangrove.policy.inter', 'bfs')",
    ".with('mangrove.rules.off', 'bulking,distinct')",
    ".with('mangrove.rules.off', 'incident-to-adjacent')",
    ".with('mangrove.rules.off', 'inline-filter,filter-fusion,exists-trim')",
];

/// A graph that a traversal makes.
fn graph(made_by: &str) -> Database {
    let db = Database::in_memory().unwrap();
    db.query(made_by).unwrap().for_each(|result| drop(result.unwrap()));
    db
}

/// A ring of three with a loop at its first.
const RING: &str = "g.addV('n').property(T.id, 1).as('a').addV('n').property(T.id, 2).as('b').addV('n').property(T.id, 3).as('c')\
     .addE('e').from('a').to('b').addE('e').from('b').to('c').addE('e').from('c').to('a').addE('e').from('a').to('a')";

/// What a query answers, in order of its texts, or that it fails; and then what there is in the graph.
fn answer(made_by: &str, way: &str, query: &str) -> Vec<String> {
    let db = graph(made_by);
    let query = query.replacen('g', &format!("g{way}"), 1);
    let mut answer = match db.query(&query).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
        Ok(results) => results.iter().map(ToString::to_string).collect(),
        Err(_) => vec!["an error".to_owned()],
    };
    answer.sort_unstable();
    for count in ["g.V().count()", "g.E().count()", "g.V().properties().order().by(value).value().fold()"] {
        answer.extend(db.query(count).unwrap().map(|value| value.unwrap().to_string()));
    }
    answer
}

#[track_caller]
fn has_one_answer(made_by: &str, query: &str, expected: &[&str]) {
    for way in WAYS {
        assert_eq!(answer(made_by, way, query)[..expected.len()], *expected, "{query} {way}");
        assert_eq!(answer(made_by, way, query), answer(made_by, "", query), "{query} {way}");
    }
}

#[test]
fn what_is_written_was_not_there_when_it_was_read() {
    has_one_answer(RING, "g.V().both().hasNot('ok').property('ok', true).count()", &["8"]);
    has_one_answer(RING, "g.V().where(both().hasNot('ok')).property('ok', true).count()", &["3"]);
    has_one_answer(RING, "g.V().both().addE('f').from(addV('m')).count()", &["8"]);
    has_one_answer(RING, "g.inject(1, 2).V(1).sideEffect(drop()).count()", &["2", "2"]);
    has_one_answer(RING, "g.V().local(both().hasNot('ok').property('ok', true)).count()", &["4"]);
    has_one_answer(RING, "g.V().out().in().property(list, 'k', 1).out().property(list, 'k', 2).count()", &[]);
    has_one_answer(RING, "g.V(1).repeat(both().sideEffect(addE('e').to(V(1)))).times(2).count()", &[]);
    has_one_answer(
        RING,
        "g.V().repeat(out().hasNot('ok').property('ok', true)).emit().times(3).count()",
        &[],
    );
    has_one_answer(RING, "g.V().addV('n').count()", &["3", "6"]);
    has_one_answer(RING, "g.E().bothV().dedup().drop()", &["0"]);
    has_one_answer(RING, "g.V().property('a', 1).V().has('a').values('a').sum()", &[]);
}

#[test]
fn what_writes_acts_for_all_that_reach_it_whatever_ends_the_stream() {
    has_one_answer(RING, "g.V().addV('n').limit(1).count()", &["1", "6"]);
    has_one_answer(RING, "g.V().out().addE('f').to(V(1)).limit(2).count()", &["2", "3", "8"]);
    has_one_answer(RING, "g.V().sideEffect(addV('n')).range(1, 2).count()", &["1", "6"]);
    has_one_answer(RING, "g.V().union(addV('n'), addV('n')).limit(1).count()", &["1", "9"]);
    has_one_answer(RING, "g.V().addV('n').order().limit(1).count()", &["1", "6"]);
    has_one_answer(RING, "g.V().local(addV('n').limit(1)).limit(1).count()", &["1", "6"]);
    has_one_answer(RING, "g.V().order().by(T.id).limit(1).addV('n').count()", &["1", "4"]);
    has_one_answer(RING, "g.V().where(V().addV('n')).count()", &["3", "6"]);
}

#[test]
fn side_effects_of_a_branch_are_there_for_all_or_for_none() {
    let made = "g.addV('n').property(T.id, 1).as('a').addV('n').property(T.id, 2).addE('e').to('a').addE('e').from('a').to('a')";
    has_one_answer(
        made,
        "g.V().choose(both().count()).option(1, aggregate('x')).local(cap('x').count(local)).count()",
        &["2"],
    );
    has_one_answer(
        made,
        "g.V().dedup().choose(both().count()).option(1, aggregate('x')).optional(cap('x')).fold()",
        &[],
    );
}

#[test]
fn an_error_of_work_that_nobody_needs_does_not_occur() {
    for (query, expected) in [
        (
            "g.inject([datetime('1970-01-03T00:00:00Z'), true]).or(unfold().dateDiff(datetime('1970-01-02T00:00:00Z'))).count()",
            "1",
        ),
        ("g.inject([1, 'x']).where(unfold().math('_ + 1')).count()", "1"),
        ("g.inject([1, 'x'], [2, 'y'], [3]).where(unfold().math('_ + 1')).count()", "3"),
        ("g.inject([1, 'x'], ['y', 2]).where(unfold().math('_ + 1')).count()", "an error"),
        ("g.inject(['y', 2], [1, 'x']).where(unfold().math('_ + 1')).limit(1).count()", "an error"),
        ("g.inject([1, 'x'], ['y', 2]).where(unfold().math('_ + 1')).limit(1).count()", "1"),
        ("g.inject([1, 'x'], [2, 'y']).map(unfold().math('_ + 1')).sum()", "5.0"),
        ("g.inject([1, 'x'], [2, 'y']).order().by(unfold().math('_ + 1')).count()", "2"),
        ("g.inject([1, 'x'], [2, 'y']).coalesce(unfold().math('_ + 1')).count()", "an error"),
        ("g.inject([1, 'x'], [2, 'y']).local(unfold().math('_ + 1').limit(1)).count()", "2"),
        ("g.inject(1, 2, 'x').math('_ + 1').limit(2).count()", "2"),
        ("g.inject(1, 2, 'x').math('_ + 1').limit(3).count()", "an error"),
        ("g.inject(['a', 1]).where(unfold().is(startingWith('a'))).count()", "1"),
        ("g.inject([1, 'a']).where(unfold().is(startingWith('a'))).count()", "an error"),
        ("g.inject('a', 'b', 1).is(containing('')).limit(2).count()", "2"),
        ("g.inject([[1, 'x'], ['x']]).where(unfold().where(unfold().math('_ + 1'))).count()", "1"),
        ("g.inject([1, 'x'], [2, 'y']).not(unfold().math('_ + 1')).count()", "0"),
        ("g.inject([1, 'x'], [2, 'y']).and(unfold().math('_ + 1'), unfold().math('_ + 2')).count()", "2"),
        ("g.inject([1, 'x']).union(identity(), unfold().math('_ + 1')).limit(2).count()", "2"),
        ("g.inject(1, 'x').repeat(math('_ + 1')).emit().times(2).limit(1).count()", "1"),
        ("g.inject(1, 'x').repeat(math('_ + 1')).times(2).limit(1).count()", "1"),
        ("g.inject(1, 2, 'x', 3).repeat(math('_ + 1')).times(3).limit(2).count()", "2"),
        ("g.inject(1, 2, 'x', 3).repeat(math('_ + 1')).times(3).limit(3).count()", "an error"),
        ("g.inject(1, 'x').union(math('_ + 1'), constant(5)).limit(2).count()", "2"),
        ("g.inject(1, 2, 'x').local(repeat(math('_ + 1')).times(2)).limit(2).count()", "2"),
    ] {
        has_one_answer(RING, query, &[expected]);
    }
}

#[test]
fn merging_that_nobody_asked_for_does_not_show() {
    has_one_answer(RING, "g.V().both().both().groupCount('k').groupCount().by(addV('m')).count(local)", &[]);
    let loops = "g.addV('n').property(T.id, 3).as('a').addV('n').property(T.id, 4).as('b')\
                 .addE('e').from('a').to('b').addE('in').from('b').to('b')";
    has_one_answer(loops, "g.V().both().barrier().optional(bothE().otherV().limit(3)).dedup().count()", &[]);
    has_one_answer(loops, "g.V().both().barrier().optional(both().limit(3)).dedup().count()", &[]);
}
