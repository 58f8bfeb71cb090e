//! The history of a traverser.

use crate::{Str, Value};

/// The objects a traverser has visited, each with the labels (`as`) it carried there.
///
/// Two paths are equivalent when their objects and their labels are; [`crate::compare`] looks at the objects alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The labels of each object, parallel to `objects`.
    pub labels: Vec<Vec<Str>>,
    /// The visited objects, first to last.
    pub objects: Vec<Value>,
}

impl Path {
    /// Adds a visited object with the labels it carried.
    pub fn push(&mut self, object: Value, labels: Vec<Str>) {
        self.objects.push(object);
        self.labels.push(labels);
    }
    /// Number of visited objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }
    /// Whether nothing was visited.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
    /// Whether no two objects are equivalent (`simplePath`).
    pub fn is_simple(&self) -> bool {
        /// Up to here comparing every pair is cheaper than hashing.
        const PAIRWISE: usize = 12;
        if self.objects.len() <= PAIRWISE {
            return self.objects.iter().enumerate().all(|(i, o)| !self.objects[..i].contains(o));
        }
        let mut seen = crate::SeededSet::default();
        self.objects.iter().all(|o| seen.insert(o))
    }
}
