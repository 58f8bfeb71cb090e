//! Reading tokens: each is its name, as a fully qualified string.

use gremlin::{Argument, Barrier, Cardinality, Column, Dt, GType, Merge, Operator, Order, Pick, Pop, Scope};
use values::{Direction, T, Value};

use super::codes;
use super::reader::{Read, Reader};
use crate::WireValue;
use crate::error::Problem;

impl Reader<'_> {
    /// The token of that type; `None` if the type is no token's.
    pub(super) fn token(&mut self, code: u8) -> Read<Option<WireValue>> {
        let argument = match code {
            codes::T => self.named("T", |n| T::from_name(n).map(Argument::from))?,
            codes::DIRECTION => self.named("direction", |n| Direction::from_name(n).map(Argument::from))?,
            codes::BARRIER => self.named("barrier", |n| Barrier::from_name(n).map(Argument::Barrier))?,
            codes::CARDINALITY => {
                self.named("cardinality", |n| Cardinality::from_name(n).map(Argument::Cardinality))?
            }
            codes::COLUMN => self.named("column", |n| Column::from_name(n).map(Argument::Column))?,
            codes::OPERATOR => self.named("operator", |n| Operator::from_name(n).map(Argument::Operator))?,
            codes::ORDER => self.named("order", |n| Order::from_name(n).map(Argument::Order))?,
            codes::PICK => self.named("pick", |n| Pick::from_name(n).map(Argument::Pick))?,
            codes::POP => self.named("pop", |n| Pop::from_name(n).map(Argument::Pop))?,
            codes::SCOPE => self.named("scope", |n| Scope::from_name(n).map(Argument::Scope))?,
            codes::MERGE => self.named("merge", |n| Merge::from_name(n).map(Argument::Merge))?,
            codes::DT => self.named("unit of time", |n| Dt::from_name(n).map(Argument::Dt))?,
            codes::GTYPE => self.named("type", |n| GType::from_name(n).map(Argument::GType))?,
            _ => return Ok(None),
        };
        Ok(Some(WireValue::argument(argument)))
    }

    fn named(&mut self, what: &'static str, find: fn(&str) -> Option<Argument>) -> Read<Argument> {
        let at = self.at();
        match self.value()? {
            Value::String(name) => find(&name).ok_or_else(|| Problem::unknown(what, &name).at(at)),
            other => Err(Problem::expected("a token's name", other.type_name()).at(at)),
        }
    }
}
