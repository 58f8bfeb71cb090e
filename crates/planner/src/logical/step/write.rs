//! Changes of the graph.

use gremlin::Cardinality;

use super::{Chain, Modulator, Origin};
use crate::physical::{GraphFile, Merge, MergeMap, Operand};
use crate::words::{InWords, Words};

/// A change of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// `addV()`.
    AddVertex(AddVertex),
    /// `addE()`.
    AddEdge(AddEdge),
    /// `mergeV()` or `mergeE()`.
    Merge(Merge<Input>),
    /// Sets all that a map says on each element, which a merge has found.
    Update(MergeMap<Input>),
    /// `property()`.
    SetProperty(PropertyWrite),
    /// `drop()`.
    Drop,
    /// `io()`: all of a file becomes part of the graph, or the graph is written to one.
    File(GraphFile),
}

/// `addV()` with its properties.
#[derive(Clone, Debug, PartialEq)]
pub struct AddVertex {
    /// The label.
    pub label: Input,
    /// An id of the user's choice.
    pub id: Option<Input>,
    /// Its properties.
    pub properties: Vec<PropertyWrite>,
}

/// `addE()` with its properties.
#[derive(Clone, Debug, PartialEq)]
pub struct AddEdge {
    /// The label.
    pub label: Input,
    /// An id of the user's choice.
    pub id: Option<Input>,
    /// The source; the current vertex if nothing is said.
    pub from: Option<Input>,
    /// The target, likewise.
    pub to: Option<Input>,
    /// Its properties.
    pub properties: Vec<PropertyWrite>,
}

/// A property to write.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyWrite {
    /// The key.
    pub key: Input,
    /// The value.
    pub value: Input,
    /// The cardinality asked for.
    pub cardinality: Option<Cardinality>,
    /// Whether the new vertex has been given a value under this key already, which it keeps unless the schema says otherwise.
    pub again: bool,
    /// Meta-properties.
    pub meta: Vec<(Input, Input)>,
}

/// A value that a write needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Given.
    Operand(Operand),
    /// The first result of a traversal.
    Chain(Chain),
    /// A named object.
    Origin(Origin),
}

impl InWords for Write {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::AddVertex(add) => words.call("addV", |w| {
                w.say(&add.label);
                write_inputs([("; id ", &add.id)], w);
                write_properties(&add.properties, w);
            }),
            Self::AddEdge(add) => words.call("addE", |w| {
                w.say(&add.label);
                write_inputs([("; id ", &add.id), ("; from ", &add.from), ("; to ", &add.to)], w);
                write_properties(&add.properties, w);
            }),
            Self::Merge(merge) => words.say(merge),
            Self::Update(map) => words.call("update", |w| w.say(map)),
            Self::SetProperty(property) => words.call("property", |w| w.say(property)),
            Self::Drop => words.raw("drop()"),
            Self::File(file) => words.say(file),
        }
    }
}

fn write_inputs<const N: usize>(inputs: [(&str, &Option<Input>); N], words: &mut Words<'_>) {
    for (word, input) in inputs {
        if let Some(input) = input {
            words.raw(word);
            words.say(input);
        }
    }
}

fn write_properties(properties: &[PropertyWrite], words: &mut Words<'_>) {
    for property in properties {
        words.raw("; ");
        words.say(property);
    }
}

impl InWords for PropertyWrite {
    fn write(&self, words: &mut Words<'_>) {
        if let Some(cardinality) = self.cardinality {
            words.raw(cardinality.as_str());
            words.raw(" ");
        }
        let mut pair = |before: &str, key: &Input, value: &Input| {
            words.raw(before);
            words.say(key);
            words.raw(" = ");
            words.say(value);
        };
        pair("", &self.key, &self.value);
        self.meta.iter().for_each(|(key, value)| pair(", ", key, value));
    }
}

impl InWords for Input {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Operand(operand) => words.say(operand),
            Self::Chain(chain) => chain.write_in_braces(words),
            Self::Origin(origin) => origin.write_by(&Modulator::THIS, words),
        }
    }
}
