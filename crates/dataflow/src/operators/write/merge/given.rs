//! The maps that a merge is given, read.

use graph::{NameSpace, check_name};
use gremlin::Cardinality;
use indexmap::IndexMap;
use planner::physical::{ElementKind, MergeEntries, MergeMap, MergeValue, Operand};
use values::{Direction, Str, T, Value, watch};

use super::super::{Change, TICKS};
use crate::batch::Batch;
use crate::error::QueryError;

/// A map of a merge: what an element is, or what it becomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) id: Option<Value>,
    pub(super) label: Option<Str>,
    pub(super) out_v: Option<End>,
    pub(super) in_v: Option<End>,
    pub(super) properties: IndexMap<Str, Property>,
}

/// An end of an edge as a map has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum End {
    /// A vertex, or the id of one.
    Vertex(Value),
    /// What the option for that end says.
    Option(Direction),
}

/// A property as a map has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Property {
    pub(super) value: Value,
    pub(super) cardinality: Option<Cardinality>,
}

impl Given {
    /// Nothing is said of it.
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_none()
            && self.label.is_none()
            && self.out_v.is_none()
            && self.in_v.is_none()
            && self.properties.is_empty()
    }

    pub(super) fn end(&self, end: Direction) -> Option<&End> {
        if end == Direction::Out { self.out_v.as_ref() } else { self.in_v.as_ref() }
    }

    fn end_mut(&mut self, end: Direction) -> &mut Option<End> {
        if end == Direction::Out { &mut self.out_v } else { &mut self.in_v }
    }

    /// What has both: what an element is looked for by, and `more` that it is created with.
    ///
    /// # Errors
    /// The key under which they differ.
    pub(super) fn with(self, more: Self) -> Result<Self, String> {
        let mut both = self;
        add("id", &mut both.id, more.id)?;
        add("label", &mut both.label, more.label)?;
        add("OUT", &mut both.out_v, more.out_v)?;
        add("IN", &mut both.in_v, more.in_v)?;
        for (key, property) in more.properties {
            match both.properties.get(&key) {
                Some(known) if *known != property => return Err(key.to_string()),
                Some(_) => {}
                None => _ = both.properties.insert(key, property),
            }
        }
        Ok(both)
    }
}

fn add<V: PartialEq>(key: &str, known: &mut Option<V>, more: Option<V>) -> Result<(), String> {
    match (&*known, more) {
        (_, None) => {}
        (Some(known), Some(more)) if *known == more => {}
        (Some(_), Some(_)) => return Err(key.to_owned()),
        (None, more) => *known = more,
    }
    Ok(())
}

/// What an entry has for a value.
enum Entry {
    Plain(Value),
    With(Cardinality, Value),
    End(Direction),
}

/// Reads maps of a merge for a row.
#[derive(Clone, Copy)]
pub(super) struct Maps<'a> {
    pub(super) change: Change<'a>,
    pub(super) element: ElementKind,
    pub(super) batch: &'a Batch,
    pub(super) row: usize,
}

impl Maps<'_> {
    /// What an element is looked for by, or created with.
    pub(super) fn of_element(&self, map: &MergeMap<Operand>) -> Result<Given, QueryError> {
        let mut given = Given::default();
        self.each(map, |key, value| self.put(key, value, map.cardinality, &mut given))?;
        Ok(given)
    }

    /// What is set on an element that is found: properties alone.
    pub(super) fn of_update(&self, map: &MergeMap<Operand>) -> Result<IndexMap<Str, Property>, QueryError> {
        let mut given = Given::default();
        self.each(map, |key, value| match key {
            Value::String(_) => self.put(key, value, map.cardinality, &mut given),
            other => {
                let key = self.shown(&other);
                let message = format!("option(onMatch) expects keys in Map to be of String - check: {key}");
                Err(self.change.error(message))
            }
        })?;
        Ok(given.properties)
    }

    fn each(
        &self,
        map: &MergeMap<Operand>,
        mut entry: impl FnMut(Value, Entry) -> Result<(), QueryError>,
    ) -> Result<(), QueryError> {
        let also =
            map.also.iter().map(|(key, value)| (Value::String(key.clone()), Entry::Plain(value.clone())));
        let operand = |operand: &Operand| self.change.cx.operand(operand, self.batch, self.row);
        match &map.entries {
            MergeEntries::Written(entries) => entries.iter().try_for_each(|(key, value)| {
                let value = match value {
                    MergeValue::Plain(value) => Entry::Plain(operand(value).unwrap_or_default()),
                    MergeValue::With(cardinality, value) => {
                        Entry::With(*cardinality, operand(value).unwrap_or_default())
                    }
                    MergeValue::End(end) => Entry::End(*end),
                };
                entry(operand(key).unwrap_or_default(), value)
            })?,
            MergeEntries::Computed(input) => match operand(input) {
                Some(Value::Null) => {}
                Some(Value::Map(map)) => map.iter().try_for_each(|(key, value)| {
                    watch::ticks(TICKS);
                    entry(key.clone(), Entry::Plain(value.clone()))
                })?,
                Some(Value::Entry(one)) => entry(one.0.clone(), Entry::Plain(one.1.clone()))?,
                Some(other) => {
                    return Err(self.change.error(format!("it needs a Map, not a {}", other.type_name())))
                }
                None => return Err(self.change.error(
                    "The provided traverser does not map to a value: the traversal that gives the map yields nothing",
                )),
            },
        }
        also.into_iter().try_for_each(|(key, value)| entry(key, value))
    }

    fn put(
        &self,
        key: Value,
        entry: Entry,
        cardinality: Option<Cardinality>,
        given: &mut Given,
    ) -> Result<(), QueryError> {
        let is_null = matches!(&entry, Entry::Plain(Value::Null) | Entry::With(_, Value::Null));
        if is_null && !matches!(key, Value::String(_)) {
            let (step, key) = (self.step(), self.shown(&key));
            let message = format!("{step}() does not allow null Map values - check: {key}");
            return Err(self.change.error(message));
        }
        match (key, entry) {
            (Value::String(key), entry) => {
                check_name(NameSpace::Key, &key)?;
                let property = match entry {
                    Entry::Plain(value) => Property { value, cardinality },
                    Entry::With(cardinality, value) => Property { value, cardinality: Some(cardinality) },
                    Entry::End(_) => {
                        return Err(self.change.error(format!("the property {key} cannot be a Merge token")));
                    }
                };
                given.properties.insert(key, property);
            }
            (Value::T(T::Id), Entry::Plain(id)) => given.id = Some(id),
            (Value::T(T::Label), Entry::Plain(Value::String(label))) => {
                let space = match self.element {
                    ElementKind::Vertex => NameSpace::VertexLabel,
                    ElementKind::Edge => NameSpace::EdgeLabel,
                };
                check_name(space, &label)?;
                given.label = Some(label);
            }
            (Value::T(T::Label), Entry::Plain(other)) => {
                return Err(self.change.error(format!(
                    "{}() and option(onCreate) args expect T.label value to be of String - found: {}",
                    self.step(),
                    other.type_name()
                )));
            }
            (Value::Direction(end @ (Direction::Out | Direction::In)), entry)
                if self.element == ElementKind::Edge =>
            {
                *given.end_mut(end) = Some(self.end(end, entry)?);
            }
            (key, _) => {
                let tokens = match self.element {
                    ElementKind::Vertex => "[id, label]",
                    ElementKind::Edge => "[id, label, OUT, IN]",
                };
                return Err(self.change.error(format!(
                    "{}() and option(onCreate) args expect keys in Map to be either String or {tokens} - check: {}",
                    self.step(),
                    self.shown(&key)
                )));
            }
        }
        Ok(())
    }

    fn end(&self, end: Direction, entry: Entry) -> Result<End, QueryError> {
        match entry {
            Entry::Plain(vertex) => Ok(End::Vertex(vertex)),
            Entry::End(option) if option == end => Ok(End::Option(end)),
            Entry::With(..) | Entry::End(_) => {
                let (token, place) = option_of(end);
                Err(self.change.error(format!("Only Merge.{token} token may be used for Direction.{place}")))
            }
        }
    }

    /// A key in an error.
    fn shown(&self, key: &Value) -> String {
        match key {
            Value::T(token) => token.as_str().to_owned(),
            key => self.change.excerpt_of(key),
        }
    }

    fn step(&self) -> &'static str {
        if self.element == ElementKind::Vertex { "mergeV" } else { "mergeE" }
    }
}

/// The names of an end: as a token of a merge, and as a direction.
pub(super) fn option_of(end: Direction) -> (&'static str, &'static str) {
    if end == Direction::Out { ("outV", "OUT") } else { ("inV", "IN") }
}
