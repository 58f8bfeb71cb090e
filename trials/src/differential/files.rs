//! Files of a graph that each of both has written, read by the other.
//!
//! ```text
//!  graph ─┬─ reference: io(f).write() ─┬─ reference: io(f).read() ─►  what was in the file
//!         │                            └─ Mangrove:  io(f).read() ─►  must be that
//!         └─ Mangrove:  io(f).write() ─── reference: io(f).read() ─►  must be that
//! ```
//!
//! A format may leave out what it has no place for. What the reference refuses to write, or to read again (GraphML with values of two
//! types under one key), is not compared. Its graph for files has lists of values: else it reads the last one of several only.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};
use std::path::Path;
use std::sync::Arc;

use super::answer::{Answer, Outcome};
use super::ast::{Script, Step};
use super::engine::Engine;
use super::graph::GraphSpec;
use super::reference::{Form, Reference};
use super::scalar::Scalar;
use super::tally::Tally;
use super::verdict::{Verdict, judge};
use crate::Problem;

/// A graph that a format has a place for, of another.
type Fits = fn(&GraphSpec) -> GraphSpec;

/// What the formats are called in the names of files, which decide; and what of a graph the reference's writer takes.
const FORMATS: &[(&str, Fits)] =
    &[("json", without_dates), ("xml", with_one_value), ("kryo", GraphSpec::clone)];

/// The reference, Mangrove, and a folder that is theirs.
pub struct Files<'a> {
    /// The reference.
    pub reference: &'a mut Reference,
    /// Executors for Mangrove.
    pub executors: &'a Arc<dataflow::Engine>,
    /// The folder.
    pub folder: &'a Path,
}

/// A difference, for people.
pub struct Difference {
    /// What it is about.
    pub kind: String,
    /// Both answers, and what only one of them has.
    pub told: Vec<String>,
}

impl Files<'_> {
    /// Compares what becomes of a graph in files of every format. What differs.
    ///
    /// # Errors
    /// If a system cannot be started.
    pub fn compare(&mut self, graph: &GraphSpec, tally: &mut Tally) -> Result<Vec<Difference>, Problem> {
        let mut differences = Vec::new();
        for (format, fits) in FORMATS {
            let graph = &fits(graph);
            let (theirs, ours) = (format!("theirs.{format}"), format!("ours.{format}"));
            self.of_reference(graph, graph, &theirs, "write")?;
            let expected = [self.of_reference(&GraphSpec::default(), graph, &theirs, "read")?];
            if !matches!(expected[0].outcome, Outcome::Results(_)) {
                continue;
            }

            let read = Engine::over_files(&GraphSpec::default(), graph, self.executors, self.folder)?
                .answer(&script(&theirs, "read").to_string(), true);
            self.judge(format, ("read", read, &expected), &mut differences, tally);

            let wrote = Engine::over_files(graph, graph, self.executors, self.folder)?
                .answer(&script(&ours, "write").to_string(), false);
            let as_written = match wrote.outcome {
                Outcome::Results(_) => self.of_reference(&GraphSpec::default(), graph, &ours, "read")?,
                _ => wrote,
            };
            self.judge(format, ("write", as_written, &expected), &mut differences, tally);
        }
        Ok(differences)
    }

    fn of_reference(
        &mut self,
        over: &GraphSpec,
        known: &GraphSpec,
        file: &str,
        step: &'static str,
    ) -> Result<Answer, String> {
        let script = script(&self.folder.join(file).to_string_lossy(), step).to_string();
        let answers = self.reference.ask_of(over, &known.known(), &script, &[Form::plain(0)], true)?;
        answers.into_iter().next().ok_or_else(|| "the reference has no answer".to_owned())
    }

    fn judge(
        &self,
        format: &str,
        (step, ours, expected): (&'static str, Answer, &[Answer]),
        differences: &mut Vec<Difference>,
        tally: &mut Tally,
    ) {
        let verdict = judge(&ours, expected, false);
        tally.add(&verdict);
        match verdict {
            Verdict::Same(_) => tally.coverage.add(&script("f", step), &[]),
            Verdict::Different(_) | Verdict::Refused => {
                let mut told = vec![format!("mangrove:  {ours}")];
                told.extend(expected.iter().map(|run| format!("reference: {run}")));
                if let (Some(ours), Some(Some(theirs))) =
                    (&ours.state, expected.first().map(|run| &run.state))
                {
                    told.extend(ours.beyond(theirs).map(|line| format!("only mangrove:  {line}")));
                    told.extend(theirs.beyond(ours).map(|line| format!("only reference: {line}")));
                }
                differences.push(Difference { kind: format!("io.{step} of {format}"), told });
            }
            _ => {}
        }
    }
}

fn script(file: &str, step: &'static str) -> Script {
    Script { source: Vec::new(), body: vec![Step::new("io").name_arg(file), Step::new(step)].into() }
}

/// Its GraphSON has dates among the types that have to be asked for.
fn without_dates(graph: &GraphSpec) -> GraphSpec {
    let mut graph = graph.clone();
    let is_date = |value: &Scalar| matches!(value, Scalar::Date(_));
    for vertex in &mut graph.vertices {
        vertex.properties.retain(|property| !is_date(&property.value));
        vertex.properties.iter_mut().for_each(|property| property.meta.retain(|(_, value)| !is_date(value)));
    }
    graph.edges.iter_mut().for_each(|edge| edge.properties.retain(|(_, value)| !is_date(value)));
    graph
}

/// Its GraphML has one value under a key, and one type of values under a name.
fn with_one_value(graph: &GraphSpec) -> GraphSpec {
    let mut graph = without_dates(graph);
    let mut types = HashMap::new();
    for vertex in &mut graph.vertices {
        let mut seen = Vec::new();
        vertex.properties.retain(|property| {
            let is_first = !seen.contains(&property.key);
            seen.push(property.key);
            is_first && is_of_first_type(&mut types, property.key, &property.value)
        });
    }
    types.clear();
    for edge in &mut graph.edges {
        edge.properties.retain(|(key, value)| is_of_first_type(&mut types, key, value));
    }
    graph
}

fn is_of_first_type(
    types: &mut HashMap<&'static str, Discriminant<Scalar>>,
    key: &'static str,
    value: &Scalar,
) -> bool {
    *types.entry(key).or_insert_with(|| discriminant(value)) == discriminant(value)
}
