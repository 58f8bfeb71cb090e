//! How long reading a query takes, from text to plan key.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use gremlin::{Bindings, parameterize, parse};
use values::Value;

const POINT: &str = "g.V().has('Person','id',933).values('firstName')";

const TWO_HOPS: &str = "g.V().has('Person', 'id', personId).repeat(both('knows').simplePath()).emit().times(2).dedup().\
    has('firstName', within('Mahinda', 'Carmen')).order().by('lastName').by('id', desc).limit(20).\
    project('id', 'name', 'friends').by('id').by(values('firstName', 'lastName').fold()).by(out('knows').count())";

fn benchmarks(c: &mut Criterion) {
    let none = Bindings::new();
    let bound = Bindings::from([("personId".into(), Value::Long(933).into())]);
    c.bench_function("parse/point", |b| b.iter(|| parse(black_box(POINT), &none)));
    c.bench_function("parse/two_hops", |b| b.iter(|| parse(black_box(TWO_HOPS), &bound)));
    c.bench_function("parse_and_parameterize/point", |b| {
        b.iter(|| {
            let (mut traversal, _) =
                parse(black_box(POINT), &none).and_then(|q| q.into_traversal()).expect(POINT);
            parameterize(&mut traversal)
        });
    });
}

criterion_group!(group, benchmarks);
criterion_main!(group);
