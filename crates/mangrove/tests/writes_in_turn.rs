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
fn a_branch_with_a_barrier_begins_when_all_have_come() {
    let setup =
        "g.addV('a').as('a').addV('b').as('b').addE('e').from('a').to('b').addE('e').from('b').to('a')";
    assert_eq!(answers(setup, "g.V().property('age', 1).union(__.in().drop().order())"), [""; 0]);
}
