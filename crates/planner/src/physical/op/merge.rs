//! `mergeV` and `mergeE`: what is looked for, and what becomes of what is found or made.

use gremlin::Cardinality;
use values::{Direction, Str, Value};

use super::ElementKind;
use crate::physical::Operand;
use crate::physical::slots::{Slots, Visit};
use crate::words::{InWords, Words};

/// A `mergeV` or `mergeE`. What its maps are given as is an [`Operand`] in a physical plan, and may be a subquery in a logical one.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge<I> {
    /// Vertices or edges.
    pub element: ElementKind,
    /// How much of it this operator does.
    pub phase: MergePhase,
    /// What is looked for; and made, if it is not there.
    pub wanted: MergeMap<I>,
    /// What an element that is made has beside it.
    pub on_create: Option<MergeMap<I>>,
    /// What is set on each element that is found.
    pub on_match: Option<MergeMap<I>>,
    /// Of edges: the vertex that stands for `Merge.outV`.
    pub out_v: Option<I>,
    /// The one that stands for `Merge.inV`.
    pub in_v: Option<I>,
}

/// How much of a merge an operator does. Where `onCreate` or `onMatch` are subqueries, each must run only where it is wanted, so
/// a `coalesce` of two operators does together what one does otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergePhase {
    /// It finds, or else creates.
    Whole,
    /// It finds.
    Find,
    /// It creates.
    Create,
}

/// A map that a merge is given.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeMap<I> {
    /// Its entries.
    pub entries: MergeEntries<I>,
    /// The cardinality of values that have none of their own.
    pub cardinality: Option<Cardinality>,
    /// A property that it has, too: the partition that elements are in.
    pub also: Option<(Str, Value)>,
}

/// The entries of a map that a merge is given.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeEntries<I> {
    /// Known when the query runs: a map, or null for an empty one.
    Computed(I),
    /// Written down; the keys are operands, since they may be anything.
    Written(Vec<(Operand, MergeValue)>),
}

/// What a map that is written down has under a key.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeValue {
    /// A value.
    Plain(Operand),
    /// `Cardinality.list(value)` and its kin.
    With(Cardinality, Operand),
    /// `Merge.outV` or `Merge.inV`: what that option says.
    End(Direction),
}

impl<I> MergeMap<I> {
    /// The same, given otherwise.
    pub fn map<J>(&self, change: impl FnOnce(&I) -> J) -> MergeMap<J> {
        let entries = match &self.entries {
            MergeEntries::Computed(input) => MergeEntries::Computed(change(input)),
            MergeEntries::Written(entries) => MergeEntries::Written(entries.clone()),
        };
        MergeMap { entries, cardinality: self.cardinality, also: self.also.clone() }
    }

    /// What it is computed by, if it is.
    pub fn computed(&self) -> Option<&I> {
        match &self.entries {
            MergeEntries::Computed(input) => Some(input),
            MergeEntries::Written(_) => None,
        }
    }

    /// As [`MergeMap::computed`], to change it.
    pub fn computed_mut(&mut self) -> Option<&mut I> {
        match &mut self.entries {
            MergeEntries::Computed(input) => Some(input),
            MergeEntries::Written(_) => None,
        }
    }

    /// The operands of the entries that are written down.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Operand> {
        let written = match &mut self.entries {
            MergeEntries::Written(entries) => &mut entries[..],
            MergeEntries::Computed(_) => &mut [],
        };
        written.iter_mut().flat_map(|(key, value)| {
            let value = match value {
                MergeValue::Plain(value) | MergeValue::With(_, value) => Some(value),
                MergeValue::End(_) => None,
            };
            [Some(key), value].into_iter().flatten()
        })
    }
}

impl<I> Merge<I> {
    /// Its maps, with the words for them.
    pub fn maps(&self) -> impl Iterator<Item = (&'static str, &MergeMap<I>)> {
        let options = [("; onCreate ", &self.on_create), ("; onMatch ", &self.on_match)];
        let given = options.into_iter().filter_map(|(word, map)| Some((word, map.as_ref()?)));
        std::iter::once(("", &self.wanted)).chain(given)
    }

    /// Its maps, to change them.
    pub fn maps_mut(&mut self) -> impl Iterator<Item = &mut MergeMap<I>> {
        std::iter::once(&mut self.wanted).chain(&mut self.on_create).chain(&mut self.on_match)
    }

    /// All that is computed for it, in the order in which it is needed.
    pub fn inputs(&self) -> impl Iterator<Item = &I> {
        self.maps().filter_map(|(_, map)| map.computed()).chain(&self.out_v).chain(&self.in_v)
    }

    /// As [`Merge::inputs`], to change them.
    pub fn inputs_mut(&mut self) -> impl Iterator<Item = &mut I> {
        let options = [&mut self.on_create, &mut self.on_match].into_iter().flatten();
        let maps = std::iter::once(&mut self.wanted).chain(options);
        maps.filter_map(MergeMap::computed_mut).chain(&mut self.out_v).chain(&mut self.in_v)
    }
}

impl<I: InWords> InWords for Merge<I> {
    fn write(&self, words: &mut Words<'_>) {
        let step = if self.element == ElementKind::Vertex { "mergeV" } else { "mergeE" };
        words.call(step, |w| {
            w.raw(match self.phase {
                MergePhase::Whole => "",
                MergePhase::Find => "find ",
                MergePhase::Create => "create ",
            });
            for (word, map) in self.maps() {
                w.raw(word);
                w.say(map);
            }
            for (word, end) in [("; outV ", &self.out_v), ("; inV ", &self.in_v)] {
                if let Some(end) = end {
                    w.raw(word);
                    w.say(end);
                }
            }
        });
    }
}

impl<I: InWords> InWords for MergeMap<I> {
    fn write(&self, words: &mut Words<'_>) {
        if let Some(cardinality) = self.cardinality {
            words.raw(cardinality.as_str());
            words.raw(" ");
        }
        match &self.entries {
            MergeEntries::Computed(input) => words.say(input),
            MergeEntries::Written(entries) => {
                words.raw("[");
                words.list(entries, ", ", |w, (key, value)| {
                    w.say(key);
                    w.raw(": ");
                    w.say(value);
                });
                words.raw("]");
            }
        }
    }
}

impl InWords for MergeValue {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Plain(value) => words.say(value),
            Self::With(cardinality, value) => words.call(cardinality.as_str(), |w| w.say(value)),
            Self::End(Direction::In) => words.raw("inV"),
            Self::End(_) => words.raw("outV"),
        }
    }
}

impl<I: Slots> Slots for Merge<I> {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        for map in self.maps_mut() {
            map.for_each_slot(visit);
        }
        self.out_v.for_each_slot(visit);
        self.in_v.for_each_slot(visit);
    }
}

impl<I: Slots> Slots for MergeMap<I> {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.operands_mut().for_each(|operand| operand.for_each_slot(visit));
        self.computed_mut().into_iter().for_each(|input| input.for_each_slot(visit));
    }
}
