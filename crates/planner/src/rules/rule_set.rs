//! Sets of rules by name.

use super::{LOWERING, RULES};

/// A set of rules, of those that [`RuleSet::known`] lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuleSet(u64);

impl RuleSet {
    /// The names of all rules.
    pub fn known() -> Vec<&'static str> {
        RULES.iter().map(|rule| rule.name).chain(LOWERING.iter().copied()).collect()
    }

    /// Adds a rule by its name.
    ///
    /// # Errors
    /// The names of all rules, if none has that name.
    pub fn insert(&mut self, name: &str) -> Result<(), Vec<&'static str>> {
        match place(name) {
            Some(place) => {
                self.0 |= 1 << place;
                Ok(())
            }
            None => Err(Self::known()),
        }
    }

    /// Whether a rule is in the set.
    pub fn contains(&self, name: &str) -> bool {
        self.0 != 0 && place(name).is_some_and(|place| self.0 & 1 << place != 0)
    }
}

const _: () = assert!(RULES.len() + LOWERING.len() <= 64, "one bit for each rule");

fn place(name: &str) -> Option<usize> {
    let rules = RULES.iter().map(|rule| rule.name);
    rules.chain(LOWERING.iter().copied()).position(|known| known == name)
}
