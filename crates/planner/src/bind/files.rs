//! `io()`: files of whole graphs.

use gremlin::StepName;
use values::{Str, Value};

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Write};
use crate::physical::{FileFormat, GraphFile};

/// What `IO.reader`, `IO.writer` and `IO.registry` stand for.
const READER: &str = "~tinkerpop.io.reader";
const WRITER: &str = "~tinkerpop.io.writer";
const REGISTRY: &str = "~tinkerpop.io.registry";

impl Binder<'_> {
    pub(super) fn io(&mut self, call: &Call<'_>, shape: &Shape, out: &mut Chain) -> Bound {
        if shape.ty != Type::Seed || self.depth > 1 {
            return Err(call.invalid("it stands at the beginning of a traversal: g.io(…)"));
        }
        let name = call.name_at(0, self)?;
        if name.is_empty() {
            return Err(call.invalid("file cannot be null or empty"));
        }
        let modes: Vec<_> = [StepName::Read, StepName::Write]
            .into_iter()
            .filter(|mode| call.modulators(*mode).next().is_some())
            .collect();
        let reads = match modes[..] {
            [mode] => mode == StepName::Read,
            [] => return Err(call.invalid("IO mode was not set to read() or write()")),
            _ => return Err(call.invalid("a file is either read() or written, by write()")),
        };
        let format = self.format_of_file(call, &name, reads)?;
        let file = GraphFile { name, format, reads };
        Self::push(out, Kind::Write(Box::new(Write::File(file))), call);
        Ok(Shape::of(Type::Unknown))
    }

    /// The format that `with()` says, or else the ending of the file.
    fn format_of_file(&mut self, call: &Call<'_>, name: &Str, reads: bool) -> Result<FileFormat, PlanError> {
        let mut format = None;
        for with in call.modulators(StepName::With) {
            let with = Call::alone(with);
            let key = with.name_at(0, self)?;
            if key == REGISTRY {
                return Err(PlanError::form("`with(IO.registry, …)`: classes of Java", with.at));
            }
            if key == if reads { READER } else { WRITER } {
                format = Some(self.format_named(&with, reads)?);
            }
        }
        match format.or_else(|| FileFormat::of_file(name)) {
            Some(format) => Ok(format),
            None => {
                let what = if reads { "reader" } else { "writer" };
                Err(call.invalid(format!(
                    "Could not detect the file format - specify the {what} explicitly or rename file with a standard \
                     extension: with(IO.{what}, IO.graphson), IO.graphml or IO.gryo, or .json, .xml, .graphml or .kryo"
                )))
            }
        }
    }

    fn format_named(&mut self, with: &Call<'_>, reads: bool) -> Result<FileFormat, PlanError> {
        let given = match with.args.len() {
            2 => with.value_at(1, self)?.clone(),
            _ => Value::Null,
        };
        let name = given.as_str().unwrap_or_default();
        // The classes of TinkerPop that a name may be of.
        let class = name.rsplit('.').next().unwrap_or_default();
        let (known, role) = match reads {
            true => (class.strip_suffix("Reader"), "GraphReader"),
            false => (class.strip_suffix("Writer"), "GraphWriter"),
        };
        match known.unwrap_or(name) {
            "graphson" | "GraphSON" => Ok(FileFormat::GraphSon),
            "graphml" | "GraphML" => Ok(FileFormat::GraphMl),
            "gryo" | "Gryo" => Ok(FileFormat::Gryo),
            _ => Err(with.invalid(format!(
                "Could not construct the specified {role} of {}: it may be graphson, graphml or gryo",
                values::excerpt(&given)
            ))),
        }
    }
}
