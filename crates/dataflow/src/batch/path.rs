//! The histories of traversers, as shared lists.

use std::sync::Arc;

use values::{Path, Str, Value};

/// One object of a traverser's path, with a link to the one before. Traversers that part keep their common past once:
///
/// ```text
/// v[1] ◄── v[3] ◄── v[5]      traverser A
///            ▲
///            └───── v[6]      traverser B
/// ```
#[derive(Debug)]
pub struct PathNode {
    /// The object.
    pub object: Value,
    /// The `as` labels it was given.
    pub labels: Vec<Str>,
    /// The rest of the path.
    pub previous: PathRef,
}

/// A path: its last object, or nothing.
pub type PathRef = Option<Arc<PathNode>>;

/// The path extended by one object.
pub fn extend(previous: &PathRef, object: Value, labels: &[Str]) -> PathRef {
    Some(Arc::new(PathNode { object, labels: labels.to_vec(), previous: previous.clone() }))
}

/// The same path with further labels on its last object; unchanged if it is empty.
pub fn relabel(path: &PathRef, labels: &[Str]) -> PathRef {
    let node = path.as_ref()?;
    let mut all = node.labels.clone();
    all.extend(labels.iter().filter(|l| !node.labels.contains(l)).cloned());
    Some(Arc::new(PathNode { object: node.object.clone(), labels: all, previous: node.previous.clone() }))
}

/// The nodes of a path, last to first.
pub fn backwards(path: &PathRef) -> impl Iterator<Item = &PathNode> {
    std::iter::successors(path.as_deref(), |node| node.previous.as_deref())
}

/// The path as users see it, first object first.
pub fn to_path(path: &PathRef) -> Path {
    let (mut labels, mut objects): (Vec<_>, Vec<_>) =
        backwards(path).map(|n| (n.labels.clone(), n.object.clone())).unzip();
    labels.reverse();
    objects.reverse();
    Path { labels, objects }
}

impl Drop for PathNode {
    /// Unlinks the chain step by step: dropping a path of a million objects must not recurse.
    fn drop(&mut self) {
        let mut next = self.previous.take();
        while let Some(node) = next {
            match Arc::try_unwrap(node) {
                Ok(mut owned) => next = owned.previous.take(),
                Err(_) => break,
            }
        }
    }
}
