//! One object of several: `select`, `project`, `math`, `path`.

use gremlin::Pop;
use values::Str;

use super::{By, FetchKind};
use crate::physical::slots::{Slots, Use, Visit};
use crate::physical::{Expression, SideEffectId, Slot};
use crate::words::{InWords, Words};

/// `select`.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// What is selected.
    pub selections: Vec<Selection>,
    /// In what form.
    pub form: SelectForm,
}

/// One selected label.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The label, which is also the key in the resulting map.
    pub name: Str,
    /// Where the object is: a slot (the last object under that label), or `None` to look it up in a side-effect, in the
    /// current map, or in the path.
    pub slot: Option<Slot>,
    /// The side-effect of that name, if the plan has one.
    pub side_effect: Option<SideEffectId>,
    /// Which objects under the label.
    pub pop: Pop,
    /// How each selected object is transformed: a slot filled by a preceding scope.
    pub by: Option<Slot>,
}

/// The shape of `select`'s result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectForm {
    /// `select('a')`: the object itself.
    One,
    /// `select('a','b')`: a map.
    Map,
}

/// `project`: a map of these keys, absent slots left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    /// Keys and where their values are.
    pub entries: Vec<(Str, By)>,
}

/// `math`: the expression with the slots its variables are in (`None`: the current object).
#[derive(Clone, Debug, PartialEq)]
pub struct Math {
    /// The expression.
    pub expression: Expression,
    /// The variables.
    pub variables: Vec<(Str, Option<Slot>)>,
}

/// `path`. Each object may be transformed, round-robin, by `by`.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Transformations.
    pub by: Vec<FetchKind>,
    /// Whether an object without the transformation is left out; otherwise there is no such path.
    pub lenient: bool,
    /// The label to start from.
    pub from: Option<Str>,
    /// The label to end at.
    pub to: Option<Str>,
}

impl InWords for Select {
    fn write(&self, words: &mut Words<'_>) {
        let name = if self.form == SelectForm::One { "SelectOne" } else { "Select" };
        words.call(name, |w| w.all(&self.selections));
    }
}

impl InWords for Selection {
    fn write(&self, words: &mut Words<'_>) {
        words.raw(&self.name);
        words.raw(": ");
        match self.by.or(self.slot) {
            Some(slot) => words.slot(slot),
            None => words.raw(self.pop.as_str()),
        }
    }
}

impl InWords for Project {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Project", |w| {
            w.list(&self.entries, ", ", |w, (key, by)| {
                w.raw(key);
                w.raw(": ");
                w.say(by);
            });
        });
    }
}

impl InWords for Math {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Math", |w| {
            w.raw(self.expression.text());
            for (name, slot) in &self.variables {
                if let Some(slot) = slot {
                    w.raw("; ");
                    w.raw(name);
                    w.raw(" in ");
                    w.slot(*slot);
                }
            }
        });
    }
}

impl InWords for Path {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Path", |w| w.all(&self.by));
        words.path_ends(self.from.as_ref(), self.to.as_ref());
    }
}

impl Slots for Select {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        for selection in &mut self.selections {
            selection.slot.iter_mut().chain(&mut selection.by).for_each(|slot| visit(slot, Use::Read));
        }
    }
}

impl Slots for Project {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.entries.iter_mut().for_each(|(_, by)| by.for_each_slot(visit));
    }
}

impl Slots for Math {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.variables
            .iter_mut()
            .filter_map(|(_, slot)| slot.as_mut())
            .for_each(|slot| visit(slot, Use::Read));
    }
}

impl Slots for Path {
    fn for_each_slot(&mut self, _: Visit<'_>) {}
}
