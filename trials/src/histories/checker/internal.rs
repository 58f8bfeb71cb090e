//! Whether each transaction agrees with itself: it sees its own writes, and what it has read stays as it was.

use std::collections::BTreeSet;

use super::super::history::{Element, Operation};
use super::anomaly::AnomalyKind;
use super::findings::Findings;
use super::objects::ObjectHistory;

/// What a transaction must see of one object, as far as it has told.
#[derive(Default)]
struct Expected {
    /// The whole list, once it was read.
    list: Option<Vec<Element>>,
    /// The list's length, once it is known.
    length: Option<usize>,
    /// What it has appended, of a list that it has not read.
    appended: Vec<Element>,
    /// The register, once it was read or written.
    register: Option<Option<Element>>,
    /// The whole set, once it was read.
    set: Option<BTreeSet<Element>>,
    /// What it has added and removed, of a set that it has not read.
    added: BTreeSet<Element>,
    removed: BTreeSet<Element>,
}

/// Reports every transaction whose reads of the object contradict what it did or saw before.
pub(crate) fn check(object: &ObjectHistory<'_>, findings: &mut Findings<'_>) {
    for access in object.committed().filter(|access| access.operations.len() > 1) {
        let mut expected = Expected::default();
        for operation in &access.operations {
            if let Err(about) = expected.step(operation) {
                findings.report(AnomalyKind::Internal, object.name, [access.transaction], about);
                break;
            }
        }
    }
}

impl Expected {
    fn step(&mut self, operation: &Operation) -> Result<(), String> {
        match operation {
            Operation::Append { element, .. } => {
                match &mut self.list {
                    Some(list) => list.push(*element),
                    None => self.appended.push(*element),
                }
                self.length = self.length.map(|length| length + 1);
                Ok(())
            }
            Operation::ReadList { elements, .. } => self.read_list(elements),
            Operation::ReadLength { length, .. } => self.read_length(*length),
            Operation::Write { value, .. } => {
                self.register = Some(Some(*value));
                Ok(())
            }
            Operation::ReadRegister { value, .. } => {
                let before = self.register.replace(*value);
                same(before.as_ref(), value)
            }
            Operation::Add { element, .. } => {
                self.removed.remove(element);
                let set = self.set.as_mut().unwrap_or(&mut self.added);
                set.insert(*element);
                Ok(())
            }
            Operation::Remove { element, .. } => {
                self.added.remove(element);
                match &mut self.set {
                    Some(set) => drop(set.remove(element)),
                    None => drop(self.removed.insert(*element)),
                }
                Ok(())
            }
            Operation::End { .. } => {
                self.set = Some(BTreeSet::new());
                Ok(())
            }
            Operation::RemoveSome { .. } => Ok(()),
            Operation::ReadSet { elements, .. } => self.read_set(elements),
        }
    }

    fn read_list(&mut self, elements: &[Element]) -> Result<(), String> {
        let before = self.list.replace(elements.to_vec());
        same(before.as_ref(), &elements.to_vec())?;
        if !elements.ends_with(&self.appended) {
            return Err(format!("it appended {:?} and read {elements:?}", self.appended));
        }
        self.appended.clear();
        self.read_length(elements.len())
    }

    fn read_length(&mut self, length: usize) -> Result<(), String> {
        let before = self.length.replace(length);
        same(before.as_ref(), &length)
    }

    fn read_set(&mut self, elements: &[Element]) -> Result<(), String> {
        let elements: BTreeSet<Element> = elements.iter().copied().collect();
        if !self.added.is_subset(&elements) || !self.removed.is_disjoint(&elements) {
            let (added, removed) = (&self.added, &self.removed);
            return Err(format!("it added {added:?}, removed {removed:?} and read {elements:?}"));
        }
        self.added.clear();
        self.removed.clear();
        let before = self.set.replace(elements.clone());
        same(before.as_ref(), &elements)
    }
}

/// What is read again is as it was expected, if anything was.
fn same<T: PartialEq + std::fmt::Debug>(expected: Option<&T>, read: &T) -> Result<(), String> {
    match expected {
        Some(expected) if expected != read => {
            Err(format!("it should have read {expected:?}, but read {read:?}"))
        }
        _ => Ok(()),
    }
}
