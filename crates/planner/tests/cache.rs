//! Plans are kept by shape, schema version and options, up to a bound.

mod social_network;

use std::sync::Arc;

use graph::{EdgeLabelId, KeyId, NameSpace, VertexLabelId};
use planner::{For, Options, PlanCache, PlanError, Planned, Schema, plan};
use social_network::SocialNetwork;
use values::Str;

/// The network at some version, as somebody sees it.
#[derive(Default)]
struct At {
    version: u64,
    /// A vertex label that it does not know.
    unknown: &'static str,
    has_new_names: bool,
}

impl Schema for At {
    fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        SocialNetwork.vertex_label(name).filter(|_| name != self.unknown)
    }
    fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        SocialNetwork.edge_label(name)
    }
    fn key(&self, name: &str) -> Option<KeyId> {
        SocialNetwork.key(name)
    }
    fn vertex_label_name(&self, id: VertexLabelId) -> Str {
        SocialNetwork.vertex_label_name(id)
    }
    fn edge_label_name(&self, id: EdgeLabelId) -> Str {
        SocialNetwork.edge_label_name(id)
    }
    fn key_name(&self, id: KeyId) -> Str {
        SocialNetwork.key_name(id)
    }
    fn has_index(&self, label: VertexLabelId, key: KeyId) -> bool {
        SocialNetwork.has_index(label, key)
    }
    fn version(&self) -> u64 {
        self.version
    }
    fn has_new_names(&self) -> bool {
        self.has_new_names
    }
}

fn get(cache: &PlanCache, text: &str, version: u64, options: &Options) -> Result<Arc<Planned>, PlanError> {
    get_as(cache, text, &At { version, ..At::default() }, options)
}

fn get_as(cache: &PlanCache, text: &str, schema: &At, options: &Options) -> Result<Arc<Planned>, PlanError> {
    let mut traversal = gremlin::parse_traversal(text, &Default::default()).unwrap();
    let shape = gremlin::parameterize(&mut traversal);
    let for_it = For { schema, statistics: &SocialNetwork };
    cache.get_or_plan(&shape.key, for_it, options, || plan(&traversal, schema, &SocialNetwork, options))
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
    assert!(get(&cache, "g.V().local(shortestPath())", 1, &Options::default()).is_err());
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

#[test]
fn a_name_that_is_known_by_now_needs_another_plan_and_other_names_do_not() {
    let cache = PlanCache::new(100);
    let options = Options::default();
    let before = At { unknown: "Person", ..At::default() };
    let [person, tag] = ["g.V().hasLabel('Person')", "g.V().hasLabel('Tag')"];
    let get = |text, schema: &At| get_as(&cache, text, schema, &options).unwrap();
    let (nobody, tags) = (get(person, &before), get(tag, &before));
    let is_unknown =
        |planned: &Planned| planned.plan.unknown.contains(&(NameSpace::VertexLabel, "Person".into()));
    assert!(is_unknown(&nobody));
    let after = At::default();
    assert!(Arc::ptr_eq(&tags, &get(tag, &after)));
    let people = get(person, &after);
    assert!(!is_unknown(&people));
    assert!(Arc::ptr_eq(&people, &get(person, &after)));
}

#[test]
fn a_plan_that_may_know_names_which_others_cannot_is_not_kept_and_another_serves_it() {
    let cache = PlanCache::new(100);
    let options = Options::default();
    let inside = At { has_new_names: true, ..At::default() };
    let text = "g.V().hasLabel('Person')";
    get_as(&cache, text, &inside, &options).unwrap();
    assert!(cache.is_empty());
    let outside = get(&cache, text, 0, &options).unwrap();
    assert!(Arc::ptr_eq(&outside, &get_as(&cache, text, &inside, &options).unwrap()));
}

#[test]
fn plans_of_long_traversals_count_more_and_those_of_very_long_ones_are_not_kept() {
    let cache = PlanCache::new(16 * 32);
    let options = Options::default();
    let long =
        |label: usize, steps: usize| format!("g.V({label}){}", format!(".out('l{label}')").repeat(steps));
    get(&cache, &long(0, 2_000), 1, &options).unwrap();
    assert!(cache.is_empty());
    let mut most = 0;
    for n in 0..500 {
        get(&cache, &long(n, 200), 1, &options).unwrap();
        most = most.max(cache.len());
    }
    assert!((16..200).contains(&most), "{most}");
    for n in 0..200 {
        get(&cache, &long(n, 1), 1, &options).unwrap();
    }
    assert!(cache.len() >= 180, "{}", cache.len());
}
