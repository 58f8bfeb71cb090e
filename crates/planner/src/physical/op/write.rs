//! Changes of the graph.

use gremlin::Cardinality;

use super::{GraphFile, Merge, MergeMap};
use crate::physical::Operand;
use crate::physical::slots::{Slots, Visit};
use crate::words::{InWords, Words};

/// A change of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteKind {
    /// `addV(label)`; the label may come from a slot.
    AddVertex {
        /// The label.
        label: Operand,
        /// An id of the user's choice.
        id: Option<Operand>,
        /// Properties set with it.
        properties: Vec<WriteProperty>,
    },
    /// `addE(label).from(a).to(b)`.
    AddEdge {
        /// The label.
        label: Operand,
        /// An id of the user's choice.
        id: Option<Operand>,
        /// The source: a slot, or `None` for the current vertex. A constant operand is a vertex id.
        from: Option<Operand>,
        /// The target, likewise.
        to: Option<Operand>,
        /// Properties set with it.
        properties: Vec<WriteProperty>,
    },
    /// `mergeV` or `mergeE`.
    Merge(Box<Merge<Operand>>),
    /// Sets all that a map says on an element of the stream: a merge has found it.
    Update(MergeMap<Operand>),
    /// `property(…)` on an element of the stream.
    SetProperty(WriteProperty),
    /// `drop()` of elements and properties.
    Drop,
    /// `io()`: reads a file into the graph, or writes one. Nothing leaves it.
    File(GraphFile),
}

/// One property to write.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteProperty {
    /// The key.
    pub key: Operand,
    /// The value; an absent slot is an error.
    pub value: Operand,
    /// The cardinality asked for; `None` for the schema's default (single).
    pub cardinality: Option<Cardinality>,
    /// Whether the new vertex has been given a value under this key already, which it keeps unless the schema says otherwise.
    pub again: bool,
    /// Meta-properties.
    pub meta: Vec<(Operand, Operand)>,
}

impl InWords for WriteKind {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::AddVertex { label, properties, .. } => words.call("AddVertex", |w| {
                w.say(label);
                write_properties(properties, w);
            }),
            Self::AddEdge { label, from, to, properties, .. } => words.call("AddEdge", |w| {
                w.say(label);
                for (word, end) in [("; from ", from), ("; to ", to)] {
                    if let Some(operand) = end {
                        w.raw(word);
                        w.say(operand);
                    }
                }
                write_properties(properties, w);
            }),
            Self::Merge(merge) => words.say(&**merge),
            Self::Update(map) => words.call("Update", |w| w.say(map)),
            Self::SetProperty(property) => words.call("SetProperty", |w| w.say(property)),
            Self::Drop => words.raw("Drop()"),
            Self::File(file) => words.say(file),
        }
    }
}

fn write_properties(properties: &[WriteProperty], words: &mut Words<'_>) {
    for property in properties {
        words.raw("; ");
        words.say(property);
    }
}

impl InWords for WriteProperty {
    fn write(&self, words: &mut Words<'_>) {
        words.say(&self.key);
        words.raw(" = ");
        words.say(&self.value);
    }
}

impl Slots for WriteKind {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::AddVertex { label, id, properties } => {
                label.for_each_slot(visit);
                id.for_each_slot(visit);
                properties.for_each_slot(visit);
            }
            Self::AddEdge { label, id, from, to, properties } => {
                label.for_each_slot(visit);
                [id, from, to].into_iter().for_each(|operand| operand.for_each_slot(visit));
                properties.for_each_slot(visit);
            }
            Self::Merge(merge) => merge.for_each_slot(visit),
            Self::Update(map) => map.for_each_slot(visit),
            Self::SetProperty(property) => property.for_each_slot(visit),
            Self::Drop | Self::File(_) => {}
        }
    }
}

impl Slots for WriteProperty {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.key.for_each_slot(visit);
        self.value.for_each_slot(visit);
        for (key, value) in &mut self.meta {
            key.for_each_slot(visit);
            value.for_each_slot(visit);
        }
    }
}
