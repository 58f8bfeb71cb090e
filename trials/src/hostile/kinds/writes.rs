//! Writes that explode. They go to a graph of their own, which the trial fills again.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::pick;

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let query = match rng.u8(..8) {
        0 => vertices(rng),
        1 => edges(rng),
        2 => long_text(rng),
        3 => many_properties(rng),
        4 => endless(rng),
        5 => everything(rng),
        6 => hub(rng),
        _ => dropped(rng),
    };
    query.on_scratch()
}

/// A power of two of new vertices.
fn vertices(rng: &mut Rng) -> Hostile {
    let times = rng.i32(4..50);
    let end = pick(rng, &["", ".count()", ".property('n',1)", ".properties()", ".fold()"]);
    let count = 2f64.powi(times);
    Hostile::script(format!(
        "g.inject(1).repeat(union(identity(),identity())).times({times}).addV('new'){end}"
    ))
    .needs(Needs::default().writes(count).rows(count))
}

/// An edge from each vertex to each.
fn edges(rng: &mut Rng) -> Hostile {
    let end = pick(rng, &["", ".count()", ".property('w',1.5d)"]);
    let product = pick(rng, &["V().as('b')", "V().as('b').V().as('c')", "repeat(V()).times(3).as('b')"]);
    Hostile::script(format!("g.V().as('a').{product}.addE('all').from('a').to('b'){end}"))
}

fn long_text(rng: &mut Rng) -> Hostile {
    let times = rng.i32(10..40);
    let write = pick(
        rng,
        &[
            "addV('long').property('t',select('t'))",
            "V().property('t',select('t'))",
            "V().property(list,'t',select('t'))",
        ],
    );
    Hostile::script(format!("g.inject('a').repeat(replace('a','aa')).times({times}).as('t').{write}.count()"))
        .needs(Needs::default().holds(2f64.powi(times)))
}

/// One vertex with ever more properties.
fn many_properties(rng: &mut Rng) -> Hostile {
    let times = 10f64.powi(rng.i32(1..9));
    Hostile::script(format!(
        "g.addV('wide').as('v').repeat(property(list,'p',loops())).times({times}).count()"
    ))
    .needs(Needs::default().writes(times).rows(times))
}

fn endless(rng: &mut Rng) -> Hostile {
    let body = pick(
        rng,
        &[
            "addV('new')",
            "addV('new').property('n',loops())",
            "property('n',loops())",
            "addE('self').from('v').to('v').outV()",
            "sideEffect(addV('new'))",
            "local(V().addV('new'))",
        ],
    );
    Hostile::script(format!("g.addV('new').as('v').repeat({body}).until(loops().is(-1)).count()"))
        .needs(Needs::default().endless())
}

/// Every vertex changed, again and again.
fn everything(rng: &mut Rng) -> Hostile {
    let text = pick(
        rng,
        &[
            "g.V().property('x',1).property('y','yy').property(list,'z',1)",
            "g.V().V().property('x',1)",
            "g.V().repeat(property(list,'x',loops())).times(1000)",
            "g.V().V().V().addV('new')",
            "g.V().both().both().both().addV('new').addE('self')",
            "g.V().sideEffect(V().properties().drop())",
        ],
    );
    Hostile::script(text)
}

/// A list that becomes a tree within one transaction.
fn hub(rng: &mut Rng) -> Hostile {
    let times = rng.i32(4..30);
    let count = 2f64.powi(times);
    Hostile::script(format!(
        "g.addV('hub').as('h').repeat(union(identity(),identity())).times({times}).addE('spoke').from('h').to('h').count()"
    ))
    .needs(Needs::default().writes(count).rows(count))
}

fn dropped(rng: &mut Rng) -> Hostile {
    let text = pick(
        rng,
        &[
            "g.V().drop()",
            "g.E().drop()",
            "g.V().properties().drop()",
            "g.V().V().drop()",
            "g.V().bothE().drop()",
        ],
    );
    Hostile::script(text)
}
