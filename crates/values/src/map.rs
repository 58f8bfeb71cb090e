//! An insertion-ordered map from values to values.

use std::sync::Arc;

use crate::{Seeded, Set, Value, watch};
use indexmap::IndexMap;

/// A map from values to values that iterates in insertion order, as the `LinkedHashMap`s of TinkerPop do.
///
/// Keys are compared by equivalence ([`Value`]'s `Eq`).
#[derive(Clone, Debug, Default)]
pub struct Map(pub IndexMap<Value, Value, Seeded>, MapKind);

/// What a map is to those whom it is sent to. Inside a traversal all are maps, as TinkerPop's `Tree` is a `HashMap`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapKind {
    /// A map.
    #[default]
    Map,
    /// What `tree()` makes: of each object a tree of those that follow it.
    Tree,
    /// What `subgraph()` makes: sets of elements under [`Map::VERTICES`] and [`Map::EDGES`].
    Graph,
    /// What `profile()` makes: see [`crate::Metrics`].
    Metrics,
}

impl Map {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }
    /// An empty map with room for so many entries.
    #[inline]
    pub fn with_capacity(entries: usize) -> Self {
        Self(IndexMap::with_capacity_and_hasher(entries, Seeded::default()), MapKind::Map)
    }
    /// Under which key a graph has its vertices.
    pub const VERTICES: &'static str = "vertices";
    /// Under which key it has its edges.
    pub const EDGES: &'static str = "edges";

    /// A graph of elements.
    pub fn graph(vertices: impl IntoIterator<Item = Value>, edges: impl IntoIterator<Item = Value>) -> Self {
        let vertices = (Value::str(Self::VERTICES), vertices.into_iter().collect::<Set>().into());
        let edges = (Value::str(Self::EDGES), edges.into_iter().collect::<Set>().into());
        [vertices, edges].into_iter().collect::<Self>().of_kind(MapKind::Graph)
    }
    /// The same as a map of that kind.
    #[must_use]
    pub fn of_kind(self, kind: MapKind) -> Self {
        Self(self.0, kind)
    }
    /// What it is to those whom it is sent to.
    pub fn kind(&self) -> MapKind {
        self.1
    }
    /// An empty tree.
    pub fn tree() -> Self {
        Self::default().of_kind(MapKind::Tree)
    }
    /// Adds a path to a tree: each of its objects below the one before it. `false` if it has more than [`Map::MAX_TREE_DEPTH`], and
    /// nothing is added.
    pub fn grow(&mut self, path: &[Value]) -> bool {
        if path.len() > Self::MAX_TREE_DEPTH {
            return false;
        }
        let mut at = self;
        for object in path {
            let below = at.0.entry(object.clone()).or_insert_with(|| Self::tree().into());
            match below {
                Value::Map(map) => at = &mut *Arc::make_mut(map),
                _ => return true,
            }
        }
        true
    }
    /// Most objects of a path that becomes part of a tree: who walks over a tree does so level by level.
    pub const MAX_TREE_DEPTH: usize = 100;

    /// Adds an element to a graph, if it is not in it, under one of the two keys.
    pub fn gain(&mut self, key: &str, element: Value) {
        let elements = self.0.entry(Value::str(key)).or_insert_with(|| Set::default().into());
        if let Value::Set(elements) = elements {
            let elements: &mut Set = &mut *Arc::make_mut(elements);
            elements.insert(element);
        }
    }
    /// Of a graph, the elements under one of the two keys.
    pub fn elements(&self, key: &str) -> impl Iterator<Item = &Value> {
        let (list, set) = match self.get(&Value::str(key)) {
            Some(Value::List(elements)) => (Some(elements.iter()), None),
            Some(Value::Set(elements)) => (None, Some(elements.iter())),
            _ => (None, None),
        };
        list.into_iter().flatten().chain(set.into_iter().flatten())
    }
    /// Puts `value` under `key`; a present key keeps its place.
    #[inline]
    pub fn insert(&mut self, key: impl Into<Value>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(key.into(), value.into())
    }
    /// The value under `key`.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.0.get(key)
    }
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The entries in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.0.iter()
    }
}

/// There may be millions of entries, so the watch is told of each.
impl FromIterator<(Value, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(iter: I) -> Self {
        Self(iter.into_iter().inspect(|_| watch::tick()).collect(), MapKind::Map)
    }
}
