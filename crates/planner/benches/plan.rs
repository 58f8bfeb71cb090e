//! What planning costs: a point query, a query of LDBC's, and finding a plan that is there already.

#[path = "../tests/social_network/mod.rs"]
mod social_network;

use criterion::{Criterion, criterion_group, criterion_main};
use planner::{For, Options, PlanCache, plan};
use social_network::SocialNetwork;

const POINT: &str = "g.V().has('Person','id',1).values('firstName')";

const TWO_HOPS: &str = "g.V().has('Person','id',1).as('start').repeat(out('knows')).emit().times(2).dedup().
    where(neq('start')).in('hasCreator').has('creationDate',lt(5)).order().by('creationDate',desc).by('id').limit(20).
    project('personId','firstName','messageId','content','creationDate').
      by(out('hasCreator').values('id')).by(out('hasCreator').values('firstName')).by('id').
      by(coalesce(values('imageFile').is(neq('')),values('content'))).by('creationDate')";

fn planning(c: &mut Criterion) {
    let options = Options::default();
    for (name, text) in [("point", POINT), ("two_hops", TWO_HOPS)] {
        let mut traversal = gremlin::parse_traversal(text, &Default::default()).expect("the text is Gremlin");
        let shape = gremlin::parameterize(&mut traversal);
        c.bench_function(&format!("plan/{name}"), |b| {
            b.iter(|| plan(&traversal, &SocialNetwork, &SocialNetwork, &options));
        });
        let cache = PlanCache::default();
        c.bench_function(&format!("find/{name}"), |b| {
            b.iter(|| {
                let for_it = For { schema: &SocialNetwork, statistics: &SocialNetwork };
                cache.get_or_plan(&shape.key, for_it, &options, || {
                    plan(&traversal, &SocialNetwork, &SocialNetwork, &options)
                })
            });
        });
    }
}

criterion_group!(benches, planning);
criterion_main!(benches);
