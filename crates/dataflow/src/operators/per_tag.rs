//! State per scope tag.

/// One state for each scope tag of an instance, created when its tag is first seen.
///
/// Tags are small and dense ([`crate::operator::Context::tags`]), so a vector does: an instance with a single tag pays
/// one bounds check.
#[derive(Debug)]
pub(super) struct PerTag<S> {
    states: Vec<S>,
    /// How many were taken out one by one.
    taken: usize,
}

impl<S> Default for PerTag<S> {
    fn default() -> Self {
        Self { states: Vec::new(), taken: 0 }
    }
}

impl<S: Default> PerTag<S> {
    /// The state of `tag`.
    #[inline]
    pub(super) fn at(&mut self, tag: u32) -> &mut S {
        let at = tag as usize;
        if at >= self.states.len() {
            self.states.resize_with(at + 1, S::default);
        }
        &mut self.states[at]
    }

    /// Takes all states out, in ascending order of their tags; those between that no tag was seen for are new.
    pub(super) fn take(&mut self) -> impl Iterator<Item = (u32, S)> + use<S> {
        std::mem::take(&mut self.states).into_iter().enumerate().map(|(tag, state)| (tag as u32, state))
    }

    /// Takes the next state out, in ascending order of the tags; `None` after the last. For what is done in several turns.
    pub(super) fn take_next(&mut self) -> Option<(u32, S)> {
        let state = std::mem::take(self.states.get_mut(self.taken)?);
        self.taken += 1;
        Some((self.taken as u32 - 1, state))
    }

    /// All states, in ascending order of their tags.
    pub(super) fn iter(&self) -> impl Iterator<Item = &S> {
        self.states.iter()
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
        let all: Vec<_> = std::iter::from_fn(|| states.take_next()).collect();
        assert_eq!(all, [(0, 0), (1, 0), (2, 7)]);
        states.clear();
        *states.at(0) += 1;
        assert_eq!(states.take_next(), Some((0, 1)), "served another time");
    }
}
