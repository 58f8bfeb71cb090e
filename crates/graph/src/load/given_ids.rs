//! Ids that somebody has given, among those that a load gives itself.

/// Some ids, and whether one is among them. They are put in order when somebody asks, which in most loads nobody does.
pub(super) struct GivenIds<T> {
    ids: Vec<T>,
    /// So many at the beginning are in order, without repetitions.
    ordered: usize,
}

impl<T> Default for GivenIds<T> {
    fn default() -> Self {
        Self { ids: Vec::new(), ordered: 0 }
    }
}

impl<T: Copy + Ord> GivenIds<T> {
    /// Takes an id, if there is one.
    pub(super) fn give(&mut self, id: Option<T>) {
        self.ids.extend(id);
    }

    /// Whether an id was given.
    pub(super) fn has(&mut self, id: T) -> bool {
        if self.ordered < self.ids.len() {
            // What is in order already is taken as it is.
            self.ids.sort();
            self.ids.dedup();
            self.ordered = self.ids.len();
        }
        self.ids.binary_search(&id).is_ok()
    }

    /// All of them.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_is_known_whenever_it_was() {
        let mut ids = GivenIds::default();
        assert!(!ids.has(1));
        [5, 1, 5].into_iter().for_each(|id| ids.give(Some(id)));
        ids.give(None);
        assert!(ids.has(1) && ids.has(5) && !ids.has(4));
        ids.give(Some(4));
        assert!(ids.has(4) && ids.has(5) && !ids.has(0));
        assert_eq!(ids.as_slice(), [1, 4, 5]);
    }
}
