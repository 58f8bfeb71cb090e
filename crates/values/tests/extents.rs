//! How large values are said to be, and that work on values that share parts is bounded by it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use values::watch::{Ended, Watch, watched};
use values::{Extent, Map, Path, Set, Value, compare};

/// How each value of a graph of shared values is made of earlier ones.
#[derive(Clone, Debug)]
enum Made {
    Scalar(i64),
    Text(usize),
    List(Vec<usize>),
    Set(Vec<usize>),
    Map(Vec<(usize, usize)>),
    Path(Vec<usize>),
    Entry(usize, usize),
}

fn made() -> impl Strategy<Value = Vec<Made>> {
    let one = prop_oneof![
        any::<i64>().prop_map(Made::Scalar),
        (0usize..3_000).prop_map(Made::Text),
        prop::collection::vec(any::<usize>(), 0..3).prop_map(Made::List),
        prop::collection::vec(any::<usize>(), 0..3).prop_map(Made::Set),
        prop::collection::vec(any::<(usize, usize)>(), 0..3).prop_map(Made::Map),
        prop::collection::vec(any::<usize>(), 0..3).prop_map(Made::Path),
        any::<(usize, usize)>().prop_map(|(k, v)| Made::Entry(k, v)),
    ];
    prop::collection::vec(one, 1..14)
}

/// The last value of those; parts are shared, or copied if `deep`.
fn build(made: &[Made], deep: bool) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for one in made {
        let part = |i: usize| match all.len() {
            0 => Value::Null,
            len if deep => copied(&all[i % len]),
            len => all[i % len].clone(),
        };
        let parts = |of: &[usize]| of.iter().map(|i| part(*i)).collect::<Vec<_>>();
        all.push(match one {
            Made::Scalar(long) => Value::Long(*long),
            Made::Text(len) => Value::from("x".repeat(*len)),
            Made::List(of) => parts(of).into(),
            Made::Set(of) => parts(of).into_iter().collect::<Set>().into(),
            Made::Map(of) => of.iter().map(|(k, v)| (part(*k), part(*v))).collect::<Map>().into(),
            Made::Path(of) => {
                let objects = parts(of);
                Path { labels: vec![Vec::new(); objects.len()], objects }.into()
            }
            Made::Entry(k, v) => Value::entry(part(*k), part(*v)),
        });
    }
    all.pop().unwrap_or_default()
}

/// The same value, sharing nothing.
fn copied(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(text.to_string()),
        Value::List(members) => members.iter().map(copied).collect::<Vec<_>>().into(),
        Value::Set(members) => members.iter().map(copied).collect::<Set>().into(),
        Value::Map(map) => map.iter().map(|(k, v)| (copied(k), copied(v))).collect::<Map>().into(),
        Value::Path(path) => {
            let objects = path.objects.iter().map(copied).collect();
            Path { labels: path.labels.clone(), objects }.into()
        }
        Value::Entry(entry) => Value::entry(copied(&entry.0), copied(&entry.1)),
        other => other.clone(),
    }
}

fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Slots and bytes of text of a value written out, counted one by one.
fn counted(value: &Value) -> u64 {
    let mut sum = size_of::<Value>() as u64;
    if let Value::String(text) = value {
        sum += if text.len() > 15 { text.len() as u64 } else { 0 };
    }
    value.for_each_part(&mut |part| sum += counted(part));
    sum
}

fn depth(value: &Value) -> u16 {
    let mut deepest = 0;
    value.for_each_part(&mut |part| deepest = deepest.max(depth(part)));
    deepest + u16::from(!matches!(value, Value::Long(_) | Value::String(_) | Value::Null))
}

proptest! {
    #[test]
    fn sharing_changes_neither_size_nor_hash_nor_order(made in made()) {
        let (shared, apart) = (build(&made, false), build(&made, true));
        prop_assert_eq!(shared.extent().expanded, apart.extent().expanded);
        prop_assert_eq!(shared.extent().depth, apart.extent().depth);
        prop_assert_eq!(hash(&shared), hash(&apart));
        prop_assert_eq!(&shared, &apart);
        prop_assert!(compare::order(&shared, &apart).is_eq());
        prop_assert_eq!(shared.to_string(), apart.to_string());
    }

    #[test]
    fn what_is_written_out_is_counted(made in made()) {
        let value = build(&made, false);
        let (extent, counted) = (value.extent(), counted(&value));
        prop_assert!(extent.expanded >= counted, "{} < {}", extent.expanded, counted);
        prop_assert!(extent.expanded <= 10 * counted, "{} and {}", extent.expanded, counted);
        prop_assert_eq!(extent.depth, depth(&value));
        prop_assert!(extent.own <= extent.expanded);
    }
}

fn doubled(times: usize) -> Value {
    (0..times).fold(Value::Int(1), |value, _| Value::list([value.clone(), value]))
}

#[test]
fn the_size_of_a_value_that_doubles_stays_at_the_most() {
    assert_eq!(doubled(500).extent(), Extent { expanded: Extent::MOST, depth: 500, ..doubled(500).extent() });
    assert!(doubled(10).extent().expanded > 1024 * size_of::<Value>() as u64);
}

#[test]
fn a_changed_collection_is_weighed_anew() {
    let mut list = Arc::new(values::Weighed::from(vec![Value::Int(1)]));
    let before = list.extent();
    Arc::make_mut(&mut list).push(Value::from("x".repeat(5_000)));
    let after = list.extent();
    assert!(after.expanded > before.expanded + 5_000 && after.has_large && !before.has_large);
}

/// Ends work that takes as many looks.
struct Looks(AtomicU64);

impl Watch for Looks {
    fn must_end(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

#[test]
fn work_on_values_of_exabytes_ends_when_its_watch_says_so() {
    let (a, b) = (doubled(200), doubled(200));
    let works: [(&str, &dyn Fn() -> bool); 5] = [
        ("hash", &|| hash(&a) == 0),
        ("equivalence", &|| a == b),
        ("equality", &|| compare::equals(&a, &b)),
        ("order", &|| compare::order(&a, &b).is_eq()),
        ("text", &|| a.to_string().is_empty()),
    ];
    for (name, work) in works {
        let watch = Arc::new(Looks(AtomicU64::new(20)));
        assert_eq!(watched(watch, work), Err(Ended), "{name}");
    }
    assert_eq!(a, a.clone(), "what is one need not be compared");
}
