//! Traversals as canonical Gremlin text: one spelling for each, which [`crate::parse`] reads back.
//!
//! Canonical means: `g` before a whole traversal and `__` before an anonymous one, single quotes, tokens with their
//! class, predicates with `P` or `TextP`, and a suffix on every number that is not an int.

mod call;
mod value;

use std::fmt::{self, Display, Formatter, Write};

use crate::{Action, Argument, Predicate, Query, Statement, Strategy, Terminal, Traversal};

use call::{write_calls, write_list};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, statement) in self.statements.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            statement.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(variable) = &self.variable {
            write!(f, "{variable} = ")?;
        }
        f.write_str(&self.graph)?;
        match &self.action {
            Action::Traverse(traversal, terminal) => {
                write_traversal(traversal, f)?;
                terminal.fmt(f)?;
            }
            Action::Source(source) => write_calls(source, f)?,
            Action::Begin => f.write_str(".tx().begin()")?,
            Action::Commit => f.write_str(".tx().commit()")?,
            Action::Rollback => f.write_str(".tx().rollback()")?,
            Action::Value(value) => value::write(value, f)?,
            Action::Nothing => f.write_str("''")?,
        }
        f.write_str(if self.as_text { ".toString()" } else { "" })
    }
}

impl Display for Terminal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (self, self.name()) {
            (_, None) => Ok(()),
            (Self::NextMany(count), Some(name)) => write!(f, ".{name}({count}l)"),
            (_, Some(name)) => write!(f, ".{name}()"),
        }
    }
}

/// Prints a whole traversal, beginning with `g`; use the alternate form, `{:#}`, for an anonymous one.
impl Display for Traversal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { "__" } else { "g" })?;
        write_traversal(self, f)
    }
}

fn write_traversal(traversal: &Traversal, f: &mut Formatter<'_>) -> fmt::Result {
    write_calls(&traversal.source, f)?;
    write_calls(&traversal.steps, f)
}

/// Prints an argument as it stands between a step's parentheses.
impl Display for Argument {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(v) | Self::Parameter(_, v) => value::write(v, f),
            Self::Binding(_, inner) => inner.fmt(f),
            // A traversal without a step leaves everything as it is.
            Self::Traversal(t) if t.steps.is_empty() => f.write_str("__.identity()"),
            Self::Traversal(t) => write!(f, "{t:#}"),
            Self::Predicate(p) => p.fmt(f),
            Self::Order(t) => write!(f, "Order.{}", t.as_str()),
            Self::Pop(t) => write!(f, "Pop.{}", t.as_str()),
            Self::Scope(t) => write!(f, "Scope.{}", t.as_str()),
            Self::Column(t) => write!(f, "Column.{}", t.as_str()),
            Self::Pick(t) => write!(f, "Pick.{}", t.as_str()),
            Self::Operator(t) => write!(f, "Operator.{}", t.as_str()),
            Self::Barrier(t) => write!(f, "Barrier.{}", t.as_str()),
            Self::Cardinality(t) => write!(f, "Cardinality.{}", t.as_str()),
            Self::CardinalityValue(t, v) => {
                write!(f, "Cardinality.{}(", t.as_str())?;
                value::write(v, f)?;
                f.write_char(')')
            }
            Self::Merge(t) => write!(f, "Merge.{}", t.as_str()),
            Self::GType(t) => write!(f, "GType.{}", t.as_str()),
            Self::Dt(t) => write!(f, "DT.{}", t.as_str()),
            Self::Strategy(strategy) => strategy.fmt(f),
            Self::Lambda(lambda) => write!(f, "Lambda({}: {})", lambda.language, lambda.script),
            Self::List(items) => write_list("[", items, "]", f),
            Self::Set(items) => write_list("{", items, "}", f),
            Self::Map(entries) => write_map(entries, f),
        }
    }
}

fn write_map(entries: &[(Argument, Argument)], f: &mut Formatter<'_>) -> fmt::Result {
    for (i, (key, value)) in entries.iter().enumerate() {
        values::watch::tick();
        f.write_str(if i == 0 { "[" } else { ", " })?;
        // In parentheses any key is read as what it is.
        write!(f, "({key}): {value}")?;
    }
    f.write_char(']')
}

impl Display for Strategy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.configuration.is_empty() {
            return f.write_str(&self.name);
        }
        write!(f, "new {}(", self.name)?;
        for (i, (key, value)) in self.configuration.iter().enumerate() {
            write!(f, "{}{key}: {value}", if i == 0 { "" } else { ", " })?;
        }
        f.write_char(')')
    }
}

impl Display for Predicate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match self {
            Self::Within(operands) | Self::Without(operands) => write_within(name, operands, f),
            Self::Compare(_, a) | Self::TypeOf(a) => write!(f, "P.{name}({a})"),
            Self::Text(_, a) => write!(f, "TextP.{name}({a})"),
            Self::Inside(a, b) | Self::Outside(a, b) | Self::Between(a, b) => write!(f, "P.{name}({a}, {b})"),
            Self::Not(inner) => write!(f, "P.not({inner})"),
            Self::And(inner) | Self::Or(inner) => write_connective(name, inner, f),
        }
    }
}

/// `P.within(a, b)`; operands that would be taken for a list to spread stand in a list of their own.
fn write_within(name: &str, operands: &[Argument], f: &mut Formatter<'_>) -> fmt::Result {
    use values::Value;
    match operands {
        [Argument::Parameter(_, list @ Value::List(_))] => {
            write!(f, "P.{name}(")?;
            value::write(list, f)?;
            f.write_char(')')
        }
        [
            Argument::Value(Value::List(_) | Value::Set(_))
            | Argument::List(_)
            | Argument::Set(_)
            | Argument::Binding(..),
        ] => {
            write!(f, "P.{name}(")?;
            write_list("[", operands, "]", f)?;
            f.write_char(')')
        }
        _ => {
            write!(f, "P.{name}")?;
            write_list("(", operands, ")", f)
        }
    }
}

/// `a.and(b).and(c)`. None of them is always true, which text can say only as `P.not(P.within())`.
fn write_connective(name: &str, inner: &[Predicate], f: &mut Formatter<'_>) -> fmt::Result {
    let Some((first, others)) = inner.split_first() else {
        return f.write_str(if name == "and" { "P.not(P.within())" } else { "P.within()" });
    };
    first.fmt(f)?;
    others.iter().try_for_each(|other| write!(f, ".{name}({other})"))
}
