//! What one traverser writes, the next may see: as often as it acts, and not before its turn.

use mangrove::Database;

fn answers(setup: &str, traversal: &str) -> Vec<String> {
    let db = Database::in_memory().unwrap();
    db.query(setup).unwrap().for_each(|value| drop(value.unwrap()));
    let mut all: Vec<_> = db.query(traversal).unwrap().map(|value| value.unwrap().to_string()).collect();
    all.sort();
    all
}

const PAIR: &str = "g.addV('a').as('a').addV('b').as('b').addE('e').from('a').to('b')";

#[test]
fn of_several_values_the_first_is_written() {
    let setup = "g.addV('a').property(list, 't', 1).property(list, 't', 2)";
    assert_eq!(answers(setup, "g.V().property(single, 'n', values('t')).values('n')"), ["1"]);
    assert_eq!(
        answers(setup, "g.V().property(single, 'n', union(constant(7), constant(8))).values('n')"),
        ["7"]
    );
}

#[test]
fn what_travels_merged_writes_one_by_one_where_the_next_sees_it() {
    let added = "g.V().bothE().barrier().outV().addE('x').property('n', outE().count()).values('n')";
    assert_eq!(answers(PAIR, added), ["1", "2"]);
    let twice = "g.V().both().both().both().both().barrier().dedup().bothE().barrier().addV('c').property('n', addV('d').count())";
    assert_eq!(answers(PAIR, &format!("{twice}.V().hasLabel('d').dedup().count()")), ["2"]);
}

#[test]
fn a_filter_writes_for_the_first_alone_also_where_it_has_read_what_it_writes() {
    let setup = "g.addV('a').property('m', 1).property('n', 2)";
    let filter = "g.V().filter(properties().addV('b').property(single, 'n', 3))";
    assert_eq!(answers(setup, &format!("{filter}.V().hasLabel('b').values('n')")), ["3"]);
    assert_eq!(answers(setup, &format!("{filter}.V().count()")), ["2"]);
    // What counts them has them all written, each after all of them have been read.
    let all = "g.inject(1).map(V().V().V().hasNot('ok').property('ok', true).count())";
    assert_eq!(answers("g.inject(1,2,3,4,5).addV('a')", all), ["125"]);
}

#[test]
fn a_property_that_is_found_is_not_replaced_before_it_is_written() {
    let setup = "g.addV('a').as('a').property('n', 'old').addV('b').as('b').property('n', 'old').addE('e').from('a').to('b')";
    let meta = "g.V().property(single, 'n', count()).out('e').properties('n').property('m', 0).value()";
    assert_eq!(answers(setup, meta), ["1"]);
}

#[test]
fn the_end_of_an_edge_is_looked_for_before_its_start() {
    let edge =
        "g.V().addE('e').from(property(single, 'n', 1)).to(property(single, 'n', 2)).inV().values('n')";
    assert_eq!(answers("g.addV('a')", edge), ["1"]);
}

#[test]
fn a_branch_with_a_barrier_begins_when_all_have_come() {
    let setup =
        "g.addV('a').as('a').addV('b').as('b').addE('e').from('a').to('b').addE('e').from('b').to('a')";
    assert_eq!(answers(setup, "g.V().property('age', 1).union(__.in().drop().order())"), [""; 0]);
}

#[test]
fn a_vertex_comes_with_what_says_no_cardinality_and_is_given_the_rest() {
    let values = |traversal: &str| answers("g.addV('a').property('n', 'of a')", traversal);
    assert_eq!(values("g.addV().property(single, 'n', 1).property('n', 2).values('n')"), ["1"]);
    assert_eq!(values("g.addV().property('n', 1).property('n', 2).values('n')"), ["1", "2"]);
    assert_eq!(values("g.addV().property('n', 1).property('n', null).values('n')"), [""; 0]);
    let told = "g.addV().property('n', 1, 'since', 2000).property('n', 2).properties('n').valueMap()";
    assert_eq!(values(told), ["{since=2000}"]);
    // A traversal with a cardinality starts at the new vertex.
    assert_eq!(
        values("g.V().addV('b').property(list, 'n', label()).property('n', values('n')).values('n')"),
        ["b", "of a"]
    );
    assert_eq!(
        values("g.addV().property(single, 'n', constant(1)).property('n', constant(2)).values('n')"),
        ["1"]
    );
}

#[test]
fn at_the_start_something_enters_the_children() {
    assert_eq!(answers("g.inject(1)", "g.addV(asString()).label()"), ["false"]);
    assert_eq!(answers("g.inject(1)", "g.addV().property('n', path().count(local)).values('n')"), ["1"]);
    let edge =
        "g.addE('e').from(V().hasLabel('a')).to(V().hasLabel('b')).property('n', identity()).values('n')";
    assert_eq!(answers(PAIR, edge), ["1"]);
}

#[test]
fn a_branch_sees_what_the_branches_before_it_have_written() {
    let setup = "g.addV('a').property('n', 1).addV('b').property('n', 2)";
    assert_eq!(answers(setup, "g.V().union(properties('n').drop(), properties('n'))"), [""; 0]);
    assert_eq!(answers(setup, "g.V().union(properties('n').value(), properties('n').drop())"), ["1", "2"]);
}

#[test]
fn a_choice_is_made_by_the_first_of_several_values() {
    let setup = "g.addV('a').property(list, 't', 1).property(list, 't', 1)";
    for choice in ["values('t')", "values('t').identity()"] {
        assert_eq!(answers(setup, &format!("g.V().choose({choice}).option(1, label())")), ["a"]);
    }
}
