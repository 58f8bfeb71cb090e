//! Functions of the current object alone.

use graph::KeyId;
use gremlin::{Column, Order};
use values::{Str, T, Value};

use super::Function;
use crate::physical::Operand;
use crate::physical::slots::{Slots, Visit};
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
    /// Of a list of paths, the tree that they are.
    Tree,
    /// `loops()`.
    Loops,
    /// A function with constant arguments.
    ///
    /// They are in their order: `asNumber(GType.INT)` has `"INT"`, `dateAdd(DT.hour, 2)` has `"hour", 2`,
    /// `dateDiff` the other date, `index().with(map)` the number of the indexer (0 list, 1 map), `concat`, `merge` and the other
    /// functions of lists theirs as given.
    Call(Function, Vec<Value>),
    /// As [`LocalFn::Call`], on each member of a list (`Scope.local` of the functions of text).
    Each(Function, Vec<Value>),
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
        let called = |words: &mut Words<'_>, function: &Function, open: &str, args: &[Value]| {
            words.raw(function.as_str());
            words.raw(open);
            words.list(args, ", ", |w, arg| w.value(arg));
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
            Self::Tree => words.raw("tree()"),
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
        if let Self::Constant(operand) = self {
            operand.for_each_slot(visit);
        }
    }
}
