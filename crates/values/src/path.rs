//! The history of a traverser.

use crate::{Str, Value, compare, watch};

/// The objects a traverser has visited, each with the labels (`as`) it carried there.
///
/// Two paths are equivalent when their objects are, and each has the same labels in whatever order; [`crate::compare`] looks at the
/// objects alone.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// The labels of each object, parallel to `objects`.
    pub labels: Vec<Vec<Str>>,
    /// The visited objects, first to last.
    pub objects: Vec<Value>,
}

impl PartialEq for Path {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &Vec<Str>, b: &Vec<Str>| a == b || is_within(a, b) && is_within(b, a);
        let of_each = self.labels.iter().zip(&other.labels);
        self.labels.len() == other.labels.len()
            && compare::all_same(&self.objects, &other.objects)
            && of_each.into_iter().all(|(a, b)| same(a, b))
    }
}

impl Eq for Path {}

/// Whether all of some labels, which are few, are among others.
fn is_within(some: &[Str], others: &[Str]) -> bool {
    some.iter().all(|label| others.contains(label))
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
        self.objects.iter().all(|o| {
            watch::tick();
            seen.insert(o)
        })
    }
}
