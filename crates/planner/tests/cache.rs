//! Plans are kept by shape, schema version and options, up to a bound.

mod social_network;

use std::sync::Arc;

use planner::{Options, PlanCache, PlanError, Planned, plan};
use social_network::SocialNetwork;

fn get(cache: &PlanCache, text: &str, version: u128, options: &Options) -> Result<Arc<Planned>, PlanError> {
    let mut traversal = gremlin::parse_traversal(text, &Default::default()).unwrap();
    let shape = gremlin::parameterize(&mut traversal);
    cache.get_or_plan(&shape.key, version, &SocialNetwork, options, || {
        plan(&traversal, &SocialNetwork, &SocialNetwork, options)
    })
}

#[test]
fn traversals_of_one_shape_share_a_plan() {
    let cache = PlanCache::new(100);
    let options = Options::default();
    let one = get(&cache, "g.V().has('Person','id',1)", 1, &options).unwrap();
    let other = get(&cache, "g.V().has('Person','id',2)", 1, &options).unwrap();
    assert!(Arc::ptr_eq(&one, &other));
    assert_eq!((cache.len(), cache.hits_and_misses()), (1, (1, 1)));
}

#[test]
fn another_schema_or_other_options_need_another_plan() {
    let cache = PlanCache::new(100);
    let options = Options::default();
    let one = get(&cache, "g.V().out()", 1, &options).unwrap();
    assert!(!Arc::ptr_eq(&one, &get(&cache, "g.V().out()", 2, &options).unwrap()));
    let off = Options { scopes: false, ..Options::default() };
    assert!(!Arc::ptr_eq(&one, &get(&cache, "g.V().out()", 1, &off).unwrap()));
    assert_eq!(cache.len(), 3);
    cache.clear();
    assert!(cache.is_empty());
}

#[test]
fn the_plans_used_last_stay() {
    let cache = PlanCache::new(16);
    let options = Options::default();
    let favourite = "g.V().out('knows')";
    let first = get(&cache, favourite, 1, &options).unwrap();
    for n in 0..500 {
        get(&cache, &format!("g.V().limit({n})"), 1, &options).unwrap();
        get(&cache, favourite, 1, &options).unwrap();
        assert!(cache.len() <= 16, "{}", cache.len());
    }
    // With one plan in each part of the cache, the favourite is thrown out when another of its part comes, and only
    // then.
    let (hits, misses) = cache.hits_and_misses();
    assert!(hits > 400 && misses > 500, "{hits} hits, {misses} misses");
    assert_eq!(*first, *get(&cache, favourite, 1, &options).unwrap());
}

#[test]
fn a_plan_that_serves_one_run_only_is_not_kept() {
    let cache = PlanCache::new(100);
    let planned = get(&cache, "g.V().property(['age':3])", 1, &Options::default()).unwrap();
    assert!(!planned.reusable);
    assert!(cache.is_empty());
}

#[test]
fn a_refusal_is_not_kept() {
    let cache = PlanCache::new(100);
    assert!(get(&cache, "g.V().tree()", 1, &Options::default()).is_err());
    assert!(cache.is_empty());
}

#[test]
fn threads_share_a_cache() {
    let cache = PlanCache::new(64);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let cache = &cache;
            scope.spawn(move || {
                for n in 0..200 {
                    let text = format!("g.V().limit({})", (n + thread) % 20);
                    get(cache, &text, 1, &Options::default()).unwrap();
                }
            });
        }
    });
    let (hits, misses) = cache.hits_and_misses();
    assert_eq!(hits + misses, 800);
    assert!(cache.len() <= 20);
}
