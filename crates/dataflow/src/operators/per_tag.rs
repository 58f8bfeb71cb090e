//! State per scope tag.

/// One state for each scope tag of an instance, created when its tag is first seen.
///
/// Tags are small and dense ([`crate::operator::Context::tags`]), so a vector does: an instance with a single tag pays
/// one bounds check.
#[derive(Debug)]
pub(super) struct PerTag<S> {
    states: Vec<S>,
}

impl<S> Default for PerTag<S> {
    fn default() -> Self {
        Self { states: Vec::new() }
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
}
