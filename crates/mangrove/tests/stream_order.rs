//! Behind `order()` the order of the stream is part of the answer, whatever steps follow; and labels given to the
//! results of branches are in their paths.

use mangrove::{Database, values::Value};

fn results(db: &Database, text: &str) -> Vec<Value> {
    db.query(text).and_then(|results| results.collect()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn texts(db: &Database, text: &str) -> String {
    results(db, text).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Six persons; the later in the alphabet, the fewer pets.
fn persons() -> Database {
    let db = Database::in_memory().unwrap();
    for (name, pets) in [("ada", 2), ("bob", 0), ("cyd", 1), ("dan", 0), ("eve", 1), ("fay", 0)] {
        results(&db, &format!("g.addV('person').property('name','{name}')"));
        for pet in 1..=pets {
            let pet = format!("{name}{pet}");
            results(
                &db,
                &format!(
                    "g.V().has('name','{name}').as('o').addV('pet').property('name','{pet}').addE('of').from('o')"
                ),
            );
        }
    }
    db
}

#[test]
fn what_local_makes_of_merged_traversers_comes_one_after_the_other() {
    let db = persons();
    let each = "barrier().local(union(identity(), constant(2)))";
    assert_eq!(texts(&db, &format!("g.inject(1, 1).{each}")), "1 2 1 2");
    assert_eq!(texts(&db, &format!("g.inject(1, 1).{each}.skip(1)")), "2 1 2");
}

/// What a branch has made before its turn comes out before what it makes then, and all of it comes out.
#[test]
fn branches_with_a_barrier_answer_one_after_the_other_however_small_the_batches_are() {
    let db = persons();
    let texts_in = |batch: u32, steps: &str| {
        texts(
            &db,
            &format!("g.with('mangrove.batch',{batch}).V().hasLabel('person').order().by('name').{steps}"),
        )
    };
    let names = "ada bob cyd dan eve fay";
    for batch in [1, 2, 5, 1024] {
        let twice = texts_in(batch, "values('name').union(identity(), aggregate('x'))");
        assert_eq!(twice, format!("{names} {names}"), "batches of {batch}");
        let thrice =
            texts_in(batch, "union(values('name').order(), constant(0), values('name').aggregate('x'))");
        assert_eq!(thrice, format!("{names} 0 0 0 0 0 0 {names}"), "batches of {batch}");
        let chosen =
            "choose(has('name', lt('d')), values('name').aggregate('x'), values('name').order().by(desc))";
        assert_eq!(texts_in(batch, chosen), "ada bob cyd fay eve dan", "batches of {batch}");
        let picked = "values('name').branch(identity()).option(lt('d'), fold()).option(none, identity())";
        assert_eq!(texts_in(batch, picked), "dan eve fay [ada, bob, cyd]", "batches of {batch}");
    }
}

/// Beside a branch with a barrier, one that asks for a side-effect asks when all have come that fill it.
#[test]
fn a_branch_beside_a_barrier_looks_at_side_effects_that_are_full() {
    let db = persons();
    let twice_fay = "fay fay fay fay fay fay ada bob cyd dan eve fay";
    for batch in [1, 2, 1024] {
        for asks in ["constant('fay').where(within('x'))", "constant('fay').filter(where(within('x')))"] {
            let persons =
                format!("g.with('mangrove.batch',{batch}).V().hasLabel('person').order().by('name')");
            let answer =
                texts(&db, &format!("{persons}.values('name').local(aggregate('x')).union({asks},order())"));
            assert_eq!(answer, twice_fay, "{asks} in batches of {batch}");
        }
        let by_name = texts(
            &db,
            &format!(
                "g.with('mangrove.batch',{batch}).V().hasLabel('person').order().by('name').values('name').local(aggregate('x'))\
             .union(select(constant('x')).count(local),order())"
            ),
        );
        assert_eq!(by_name, "6 6 6 6 6 6 ada bob cyd dan eve fay", "batches of {batch}");
    }
}

#[test]
fn branches_keep_the_order_of_what_was_sorted() {
    let db = persons();
    let behind_order =
        |steps: &str| texts(&db, &format!("g.V().hasLabel('person').order().by('name',desc).{steps}"));
    assert_eq!(behind_order("where(out('of')).values('name')"), "eve cyd ada");
    assert_eq!(
        behind_order("coalesce(out('of').values('name'), values('name'))"),
        "fay eve1 dan cyd1 bob ada1 ada2"
    );
    assert_eq!(behind_order("optional(out('of')).values('name')"), "fay eve1 dan cyd1 bob ada1 ada2");
    assert_eq!(behind_order("choose(out('of'), constant('yes'), constant('no'))"), "no yes no yes no yes");
    assert_eq!(
        behind_order("union(values('name'), out('of').values('name'))"),
        "fay eve eve1 dan cyd cyd1 bob ada ada1 ada2"
    );
    assert_eq!(behind_order("local(out('of').limit(1)).values('name')"), "eve1 cyd1 ada1");
    assert_eq!(behind_order("not(out('of')).values('name').limit(2)"), "fay dan");
    assert_eq!(texts(&db, "g.inject(1,2,3).coalesce(is(2), constant(0))"), "0 2 0");
    assert_eq!(
        behind_order("fold().unfold().optional(out('of')).values('name')"),
        "fay eve1 dan cyd1 bob ada1 ada2"
    );
    assert_eq!(
        behind_order(
            "choose(out('of'), choose(out('of').out('of'), constant('far'), constant('near')), constant('no'))"
        ),
        "no near no near no near"
    );
    assert_eq!(
        behind_order("repeat(optional(out('of'))).times(1).values('name')"),
        "fay eve1 dan cyd1 bob ada1 ada2"
    );
}

/// A `dedup()` in a branch is one of the branch's whole stream, also where the stream is in order.
#[test]
fn a_dedup_in_a_branch_sees_the_whole_stream() {
    let db = Database::in_memory().unwrap();
    results(
        &db,
        "g.addV('a').property('name','x').addV('a').property('name','y').addV('b').property('name','z')",
    );
    for name in ["x", "y"] {
        results(
            &db,
            &format!("g.V().has('a','name','{name}').as('s').V().has('name','z').addE('to').from('s')"),
        );
    }
    let text =
        "g.V().hasLabel('a').order().by('name').union(out('to').dedup(), out('to').dedup()).values('name')";
    assert_eq!(texts(&db, text), "z z");
}

/// With an instance per traverser, those with little to do are decided long before those with much.
#[test]
fn a_filter_with_uneven_work_keeps_the_order_too() {
    let db = Database::in_memory().unwrap();
    results(&db, "g.addV('thing').property('good', true).addV('thing').property('good', false)");
    for rank in 0..40 {
        let bad = if rank % 3 == 0 { 3_000 } else { 1 };
        results(&db, &format!("g.addV('hub').property('rank',{rank})"));
        let hub = format!("g.V().has('hub','rank',{rank}).as('h')");
        let bad = format!("V().has('thing','good',false).as('b').constant(1..{bad}).unfold()");
        results(&db, &format!("{hub}.{bad}.addE('has').from('h').to('b')"));
        results(&db, &format!("{hub}.V().has('thing','good',true).addE('has').from('h')"));
    }
    let ranks: Vec<Value> = (0..40).map(Value::Int).collect();
    let filter = "where(out('has').has('good',true))";
    let text = format!("g.V().hasLabel('hub').order().by('rank').{filter}.values('rank')");
    assert_eq!(results(&db, &text), ranks);
    let text = format!("g.V().hasLabel('hub').{filter}.order().by('rank').limit(7).values('rank')");
    assert_eq!(results(&db, &text), ranks[..7]);
}

#[test]
fn labels_behind_branches_are_in_the_path() {
    let db = persons();
    let branches = [
        "union(out('of'), out('of'))",
        "coalesce(out('of'))",
        "optional(out('of'))",
        "repeat(out('of')).times(1)",
        "local(out('of'))",
        "flatMap(out('of'))",
        "choose(out('of'), out('of'))",
    ];
    for branch in branches {
        let text = format!("g.V().has('name','eve').as('owner').{branch}.as('pet').path()");
        let found = results(&db, &text);
        assert!(!found.is_empty(), "{text}");
        for path in found {
            let Value::Path(path) = path else { panic!("{text}: {path:?}") };
            assert_eq!(path.labels, [["owner"], ["pet"]], "{text}");
        }
    }
}

/// As with TinkerPop's `limit()`, but for the one that it asks for beyond what it lets pass.
#[test]
fn a_side_effect_has_what_came_before_the_limit_was_reached() {
    let db = persons();
    for (steps, taken) in [
        ("local(aggregate('x')).limit(2)", "2"),
        ("sideEffect(local(aggregate('x'))).range(1, 3)", "3"),
        ("local(repeat(out('of')).emit().local(aggregate('x'))).limit(1)", "1"),
        ("local(aggregate('x')).order().limit(2)", "6"),
        ("local(aggregate('x')).skip(2)", "6"),
        ("aggregate('x').limit(2)", "6"),
    ] {
        let text = format!("g.V().hasLabel('person').{steps}.cap('x').count(local)");
        assert_eq!(texts(&db, &text), taken, "{text}");
    }
}
