//! Reading bytecode and what only bytecode holds.

use gremlin::{Argument, Lambda, Strategy};

use super::codes;
use super::reader::{Read, Reader};
use crate::bytecode::{self, Call};
use crate::error::Problem;
use crate::wire_value::simple_class_name;
use crate::{WireValue, predicate};

impl Reader<'_> {
    /// The part of a bytecode of that type; `None` if the type is another.
    pub(super) fn part_of_bytecode(&mut self, code: u8) -> Read<Option<WireValue>> {
        let argument = match code {
            codes::BYTECODE => return self.bytecode().map(Some),
            codes::BINDING => self.binding()?,
            codes::P | codes::TEXT_P => self.predicate()?,
            codes::LAMBDA => Argument::Lambda(Lambda {
                language: self.text()?.into(),
                script: self.text()?.into(),
                arguments: self.i32()?,
            }),
            codes::TRAVERSAL_STRATEGY => self.strategy()?,
            _ => return Ok(None),
        };
        Ok(Some(WireValue::argument(argument)))
    }

    fn binding(&mut self) -> Read<Argument> {
        Ok(Argument::Binding(self.text()?.into(), Box::new(self.argument()?)))
    }

    pub(super) fn argument(&mut self) -> Read<Argument> {
        let at = self.at();
        self.any()?.into_argument().map_err(|problem| problem.at(at))
    }

    fn bytecode(&mut self) -> Read<WireValue> {
        let at = self.at();
        let steps = self.calls()?;
        let source = self.calls()?;
        bytecode::build(source, steps).map_err(|problem| problem.at(at))
    }

    /// `{length}` times `{name}{length}{argument}…`; a call takes at least the eight bytes of its two lengths.
    fn calls(&mut self) -> Read<Vec<Call>> {
        let count = self.count(8)?;
        self.repeat(count, |r| {
            let name = r.text()?.to_owned();
            let count = r.count(2)?;
            Ok(Call { name, args: r.repeat(count, Self::argument)? })
        })
    }

    fn predicate(&mut self) -> Read<Argument> {
        let at = self.at();
        let name = self.text()?;
        let count = self.count(2)?;
        let operands = self.repeat(count, Self::argument)?;
        predicate::build(name, operands).map(Argument::Predicate).map_err(|problem| problem.at(at))
    }

    fn strategy(&mut self) -> Read<Argument> {
        let name = simple_class_name(self.text()?).into();
        let count = self.count(4)?;
        let configuration = self.repeat(count, |r| {
            let at = r.at();
            let key = r.any()?;
            let key = key
                .as_str()
                .ok_or_else(|| Problem::expected("the name of a setting", "another type").at(at))?;
            Ok((key.into(), r.argument()?))
        })?;
        Ok(Argument::Strategy(Strategy { name, configuration }))
    }
}
