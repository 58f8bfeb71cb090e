//! State per scope tag.

use crate::growing::Chunked;

/// One state for each scope tag of an instance, created when its tag is first seen.
///
/// Tags are small and dense ([`crate::operator::Context::tags`]), so a vector does, in chunks, since a `group` has as many tags as
/// keys.
#[derive(Debug)]
pub(super) struct PerTag<S> {
    states: Chunked<S>,
    /// How many were taken out one by one.
    taken: usize,
}

impl<S> Default for PerTag<S> {
    fn default() -> Self {
        Self { states: Chunked::default(), taken: 0 }
    }
}

impl<S: Default> PerTag<S> {
    /// The state of `tag`.
    #[inline]
    pub(super) fn at(&mut self, tag: u32) -> &mut S {
        let at = tag as usize;
        if at >= self.states.len() {
            self.begin(at);
        }
        &mut self.states[at]
    }

    #[cold]
    fn begin(&mut self, at: usize) {
        while self.states.len() <= at {
            self.states.push(S::default());
        }
    }

    /// Takes all states out, in ascending order of their tags; those between that no tag was seen for are new.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (u32, S)> + use<S> {
        std::mem::take(&mut self.states).into_iter().enumerate().map(|(tag, state)| (tag as u32, state))
    }

    /// Takes the next state out, in ascending order of the tags, of at least so many tags; `None` after the last. For what is
    /// done in several turns.
    pub(super) fn take_next(&mut self, tags: u32) -> Option<(u32, S)> {
        let state = match self.states.get_mut(self.taken) {
            Some(state) => std::mem::take(state),
            None if self.taken < tags as usize => S::default(),
            None => return None,
        };
        self.taken += 1;
        Some((self.taken as u32 - 1, state))
    }

    /// Number of tags up to the largest seen.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.states.clear();
        self.taken = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_out_in_ascending_order_with_defaults_for_those_never_seen() {
        let mut states: PerTag<u32> = PerTag::default();
        *states.at(3) += 5;
        *states.at(1) += 2;
        assert_eq!(states.take().collect::<Vec<_>>(), [(0, 0), (1, 2), (2, 0), (3, 5)]);
        assert_eq!(states.len(), 0);
    }

    #[test]
    fn tags_come_out_one_by_one_too() {
        let mut states: PerTag<u32> = PerTag::default();
        *states.at(2) += 7;
        let all: Vec<_> = std::iter::from_fn(|| states.take_next(5)).collect();
        assert_eq!(all, [(0, 0), (1, 0), (2, 7), (3, 0), (4, 0)]);
        states.clear();
        *states.at(0) += 1;
        assert_eq!(states.take_next(0), Some((0, 1)), "served another time");
        assert_eq!(states.take_next(1), None);
    }
}
