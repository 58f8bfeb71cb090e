//! What was written, by who wrote it: nobody else writes to the same slots, so what each must hold in the end is known.
//!
//! A *slot* is a vertex with a key, a version, a text that follows from the version, and one edge with the version again: so a
//! write that happened in part shows. Versions never come twice.

use std::collections::BTreeMap;
use std::ops::Range;

/// What a slot holds: a version, or nothing.
pub(crate) type Content = Option<i64>;

/// What has become of a write, or of all writes of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was acknowledged, so it is there.
    Acknowledged,
    /// It was refused or rolled back, so nothing of it is there.
    Refused,
    /// Nobody answered: it is there, or it is not.
    Unknown,
}

/// The slots of one writer, or of all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    /// What each may hold; the first is what was acknowledged last.
    slots: BTreeMap<i64, Vec<Content>>,
    /// Writes by their fates: acknowledged, refused, unknown.
    pub writes: [u64; 3],
}

/// What was found of a slot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    /// Its version.
    pub version: i64,
    /// Whether the text is that of the version, and the only edge has it too.
    pub is_whole: bool,
}

impl Ledger {
    /// Empty slots with these keys.
    pub fn new(keys: Range<i64>) -> Self {
        Self { slots: keys.map(|key| (key, vec![None])).collect(), writes: [0; 3] }
    }

    /// The keys of its slots.
    pub fn keys(&self) -> Vec<i64> {
        self.slots.keys().copied().collect()
    }

    /// What a slot holds if that is known for certain.
    pub fn known(&self, key: i64) -> Option<Content> {
        match self.slots.get(&key)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// Notes what has become of a write to a slot.
    pub fn note(&mut self, key: i64, content: Content, fate: Fate) {
        self.writes[fate as usize] += 1;
        let Some(slot) = self.slots.get_mut(&key) else { return };
        match fate {
            Fate::Acknowledged => *slot = vec![content],
            Fate::Refused => {}
            Fate::Unknown => slot.push(content),
        }
    }

    /// The same of all slots of another one.
    pub fn merge(&mut self, other: Self) {
        self.slots.extend(other.slots);
        self.writes.iter_mut().zip(other.writes).for_each(|(all, more)| *all += more);
    }

    /// Slots, and those of them that something is in.
    pub fn size(&self) -> (usize, usize) {
        (self.slots.len(), self.slots.values().filter(|slot| slot.iter().all(Option::is_some)).count())
    }

    /// What is wrong with what was found, a line each.
    pub fn differences(&self, found: &BTreeMap<i64, Vec<Found>>) -> Vec<String> {
        let mut lines = Vec::new();
        for (key, slot) in &self.slots {
            let there = found.get(key).map_or(&[][..], Vec::as_slice);
            if there.len() > 1 {
                lines.push(format!("slot {key} is there {} times", there.len()));
                continue;
            }
            let content = there.first().map(|found| found.version);
            if !slot.contains(&content) {
                lines.push(format!("slot {key} holds {content:?} instead of {slot:?}"));
            }
            if there.first().is_some_and(|found| !found.is_whole) {
                lines.push(format!("slot {key} holds a part of {content:?}"));
            }
        }
        let strangers = found.keys().filter(|key| !self.slots.contains_key(key));
        lines.extend(strangers.map(|key| format!("slot {key} is nobody's")));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(key: i64, version: i64) -> BTreeMap<i64, Vec<Found>> {
        [(key, vec![Found { version, is_whole: true }])].into()
    }

    #[test]
    fn what_was_acknowledged_must_be_there_and_nothing_else() {
        let mut ledger = Ledger::new(0..1);
        ledger.note(0, Some(4), Fate::Acknowledged);
        ledger.note(0, Some(5), Fate::Refused);
        assert!(ledger.differences(&found(0, 4)).is_empty());
        assert_eq!(ledger.differences(&found(0, 5)).len(), 1);
        assert_eq!(ledger.differences(&BTreeMap::new()).len(), 1);
    }

    #[test]
    fn what_nobody_answered_is_there_or_is_not_until_the_next_answer() {
        let mut ledger = Ledger::new(0..1);
        ledger.note(0, Some(4), Fate::Acknowledged);
        ledger.note(0, None, Fate::Unknown);
        assert_eq!(ledger.known(0), None);
        assert!(ledger.differences(&found(0, 4)).is_empty());
        assert!(ledger.differences(&BTreeMap::new()).is_empty());
        ledger.note(0, Some(6), Fate::Acknowledged);
        assert_eq!(ledger.known(0), Some(Some(6)));
        assert_eq!(ledger.differences(&BTreeMap::new()).len(), 1);
    }

    #[test]
    fn a_slot_that_is_there_twice_in_part_or_nobodys_is_told() {
        let mut ledger = Ledger::new(0..2);
        ledger.note(0, Some(4), Fate::Acknowledged);
        let whole = Found { version: 4, is_whole: true };
        let twice = [(0, vec![whole.clone(), whole.clone()])].into();
        assert_eq!(ledger.differences(&twice), ["slot 0 is there 2 times"]);
        let part = [(0, vec![Found { is_whole: false, ..whole.clone() }])].into();
        assert_eq!(ledger.differences(&part), ["slot 0 holds a part of Some(4)"]);
        let stranger = [(0, vec![whole.clone()]), (9, vec![whole])].into();
        assert_eq!(ledger.differences(&stranger), ["slot 9 is nobody's"]);
    }
}
