//! Functions of the current object alone.

use graph::KeyId;
use gremlin::{Column, Order, Pop};
use values::{Str, T, Value};

use super::Function;
use crate::physical::slots::{Slots, Visit};
use crate::physical::{Operand, SideEffectId};
use crate::words::{InWords, Words};

/// A function of the current object alone, one result at most per traverser (steps with `Scope.local`, and simple maps).
#[derive(Clone, Debug, PartialEq)]
pub enum LocalFn {
    /// `count(local)`.
    Count,
    /// `sum(local)`.
    Sum,
    /// `min(local)`.
    Min,
    /// `max(local)`.
    Max,
    /// `mean(local)`.
    Mean,
    /// `range(local, low, high)`, `limit(local, n)`, `skip(local, n)`; high -1 for no end.
    Range(i64, i64),
    /// `tail(local, n)`.
    Tail(i64),
    /// `dedup(local)`.
    Dedup,
    /// `order(local)` by the member itself, a map's keys or its values, or an element's property.
    Order(Vec<(LocalSort, Order)>),
    /// `id()`.
    Id,
    /// `label()`.
    Label,
    /// `key()`.
    Key,
    /// `value()`.
    Value,
    /// `constant(x)`.
    Constant(Operand),
    /// `select(keys)` or `select(values)` of a map, an entry or a path.
    Column(Column),
    /// `select('k')` on a map object.
    MapEntry(Value),
    /// `loops()`.
    Loops,
    /// A function with arguments: constants, or what a subquery has computed into a slot.
    ///
    /// They are in their order: `asNumber(GType.INT)` has `"INT"`, `dateAdd(DT.hour, 2)` has `"hour", 2`,
    /// `dateDiff` the other date, `index().with(map)` the number of the indexer (0 list, 1 map), `concat`, `merge` and the other
    /// functions of lists theirs as given.
    Call(Function, Vec<Operand>),
    /// `sample(local, n)`.
    Sample(u64),
    /// The members of a list or a set and the entries of a map, as a list; nothing of anything else.
    Members,
    /// A map or a list of these members; anything that has no [`LocalFn::Members`] stays as it is.
    Rebuilt(Operand),
    /// The current entry's key with that value.
    EntryOf(Operand),
    /// Every so many objects of a path, from the one of that number on, as a list.
    Turn {
        /// The number of the first.
        first: usize,
        /// How many take turns.
        of: usize,
    },
    /// What is there, in a list; an empty one, if nothing is.
    ListOf(Operand),
    /// The current path with other objects: those of the lists in turn; nothing if there are not as many.
    PathOf(Vec<Operand>),
    /// The same with the first members of what is in the lists; an object for which there is none is left out.
    PathOfSome(Vec<Operand>),
    /// Whether no object of the path occurs twice.
    IsSimple,
    /// `select(traversal)`: what has the name that the traversal found.
    Scoped {
        /// The name, or whatever else is a key of the current map.
        key: Operand,
        /// Which of several.
        pop: Pop,
        /// The side-effects of the query.
        side_effects: Vec<(Str, SideEffectId)>,
    },
    /// What a `by` has made of the current object: null of null.
    Made {
        /// Where it is.
        by: Operand,
        /// Whether it is an error that there is nothing; else there is no traverser then.
        must: bool,
    },
    /// As [`LocalFn::Call`], on each member of a list (`Scope.local` of the functions of text).
    Each(Function, Vec<Operand>),
}

/// What `order(local)` compares.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalSort {
    /// The member itself (a map's entries by value).
    Member,
    /// A map's keys or values.
    Column(Column),
    /// A property of the member, or a key of a member that is a map.
    Property(Str, Option<KeyId>),
    /// The member's id or label.
    Token(T),
}

impl InWords for LocalFn {
    fn write(&self, words: &mut Words<'_>) {
        let called = |words: &mut Words<'_>, function: &Function, open: &str, args: &[Operand]| {
            words.raw(function.as_str());
            words.raw(open);
            words.all(args);
            words.raw(")");
        };
        match self {
            Self::Count => words.raw("count(local)"),
            Self::Sum => words.raw("sum(local)"),
            Self::Min => words.raw("min(local)"),
            Self::Max => words.raw("max(local)"),
            Self::Mean => words.raw("mean(local)"),
            Self::Dedup => words.raw("dedup(local)"),
            Self::Id => words.raw("id()"),
            Self::Label => words.raw("label()"),
            Self::Key => words.raw("key()"),
            Self::Value => words.raw("value()"),
            Self::Loops => words.raw("loops()"),
            Self::Range(low, high) => words.show(format_args!("range(local, {low}, {high})")),
            Self::Tail(n) => words.show(format_args!("tail(local, {n})")),
            Self::Order(keys) => {
                words.raw("order(local)");
                for (sort, order) in keys {
                    words.raw(" by ");
                    words.say(sort);
                    words.raw(" ");
                    words.raw(order.as_str());
                }
            }
            Self::Constant(operand) => words.call("constant", |w| w.say(operand)),
            Self::Column(column) => words.call("select", |w| w.raw(column.as_str())),
            Self::MapEntry(key) => words.call("select", |w| w.value(key)),
            Self::Sample(n) => words.show(format_args!("sample(local, {n})")),
            Self::Members => words.raw("members()"),
            Self::Rebuilt(members) => words.call("rebuilt", |w| w.say(members)),
            Self::EntryOf(value) => words.call("entry", |w| w.say(value)),
            Self::Turn { first, of } => words.show(format_args!("turn({first} of {of})")),
            Self::ListOf(value) => words.call("list", |w| w.say(value)),
            Self::PathOf(lists) => words.call("path", |w| w.all(lists)),
            Self::PathOfSome(lists) => words.call("pathOfSome", |w| w.all(lists)),
            Self::IsSimple => words.raw("isSimple()"),
            Self::Scoped { key, pop, .. } => words.call("select", |w| {
                w.raw(pop.as_str());
                w.raw(" ");
                w.say(key);
            }),
            Self::Made { by, .. } => words.call("made", |w| w.say(by)),
            Self::Call(function, args) => called(words, function, "(", args),
            Self::Each(function, args) => called(words, function, "(local; ", args),
        }
    }
}

impl InWords for LocalSort {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Member => words.raw("it"),
            Self::Column(column) => words.raw(column.as_str()),
            Self::Property(name, _) => words.raw(name),
            Self::Token(token) => words.token(*token),
        }
    }
}

impl Slots for LocalFn {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::Constant(operand)
            | Self::Rebuilt(operand)
            | Self::EntryOf(operand)
            | Self::ListOf(operand)
            | Self::Made { by: operand, .. }
            | Self::Scoped { key: operand, .. } => operand.for_each_slot(visit),
            Self::Call(_, args) | Self::Each(_, args) | Self::PathOf(args) | Self::PathOfSome(args) => {
                args.for_each_slot(visit);
            }
            _ => {}
        }
    }
}
