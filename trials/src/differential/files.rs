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

use fastrand::Rng;
use mangrove::values::{BigDecimal, BigInt, Duration, Map, Set, Uuid, Value};

use super::answer::{Answer, Outcome};
use super::ast::{Script, Step};
use super::engine::Engine;
use super::graph::{GraphSpec, PropertySpec};
use super::reference::{Form, Reference};
use super::scalar::Scalar;
use super::tally::Tally;
use super::verdict::{Verdict, judge};
use crate::Problem;

/// A format, and what the reference's writer takes of it.
struct Format {
    /// What ends the name of a file, which decides.
    ending: &'static str,
    /// A graph that there is a place for, of another.
    fits: fn(&GraphSpec) -> GraphSpec,
    /// Values that there is a place for.
    values: fn(&mut Rng) -> Scalar,
    /// Whether properties have properties.
    has_meta: bool,
}

const FORMATS: &[Format] = &[
    Format { ending: "json", fits: without_dates, values: of_json, has_meta: true },
    Format { ending: "xml", fits: with_one_value, values: of_xml, has_meta: false },
    Format { ending: "kryo", fits: GraphSpec::clone, values: of_any_type, has_meta: true },
];

/// Texts that are written in a way of their own here or there.
const TEXTS: &[&str] = &[
    "",
    " ",
    "a",
    "é",
    "日本語",
    "😀",
    "a\nb",
    "a\tb",
    "\r\n",
    "<b>&amp;\"'",
    "]]>",
    "\u{7f}",
    "\u{ffff}",
    "\\u0041",
    "null",
    "\u{1}",
];

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
    pub fn compare(
        &mut self,
        graph: &GraphSpec,
        rng: &mut Rng,
        tally: &mut Tally,
    ) -> Result<Vec<Difference>, Problem> {
        let mut differences = Vec::new();
        for format in FORMATS {
            let graph = &with_more((format.fits)(graph), format, rng);
            let format = format.ending;
            let (theirs, ours) = (format!("theirs.{format}"), format!("ours.{format}"));
            let written = self.of_reference(graph, graph, &theirs, "write")?;
            if !matches!(written.outcome, Outcome::Results(_)) {
                tally.add(&Verdict::Undetermined);
                continue;
            }
            let expected = [self.of_reference(&GraphSpec::default(), graph, &theirs, "read")?];
            if !matches!(expected[0].outcome, Outcome::Results(_)) {
                tally.add(&Verdict::Undetermined);
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

/// With another property here and there.
fn with_more(mut graph: GraphSpec, format: &Format, rng: &mut Rng) -> GraphSpec {
    for vertex in &mut graph.vertices {
        if rng.u8(..3) == 0 {
            let meta = if format.has_meta { vec![("of", (format.values)(rng))] } else { Vec::new() };
            vertex.properties.push(PropertySpec { key: "more", value: (format.values)(rng), meta });
        }
    }
    for edge in &mut graph.edges {
        if rng.u8(..3) == 0 {
            edge.properties.push(("more", (format.values)(rng)));
        }
    }
    graph
}

/// It writes a carriage return as it is, and reads a line's end.
fn of_xml(rng: &mut Rng) -> Scalar {
    match of_texts(rng) {
        Scalar::Text(text) => Scalar::Text(text.replace('\r', "")),
        other => other,
    }
}

fn of_texts(rng: &mut Rng) -> Scalar {
    Scalar::Text(TEXTS[rng.usize(..TEXTS.len())].into())
}

fn of_json(rng: &mut Rng) -> Scalar {
    let value = match rng.u8(..9) {
        0 => Value::Uuid(Uuid::from_u128(rng.u128(..))),
        1 => Value::Double(
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MIN_POSITIVE, 1e300][rng.usize(..6)],
        ),
        2 => Value::Float([f32::NAN, f32::INFINITY, -0.0, f32::MAX, 0.1][rng.usize(..5)]),
        3 => Value::Long([i64::MIN, i64::MAX, 1 << 53, -1][rng.usize(..4)]),
        4 => (0..rng.usize(..3)).map(|_| of_json(rng).value()).collect::<Vec<_>>().into(),
        5 => (0..rng.i32(0..3)).map(Value::Int).collect::<Set>().into(),
        6 => (0..rng.i32(0..3)).map(|n| (Value::Int(n), of_json(rng).value())).collect::<Map>().into(),
        _ => return of_texts(rng),
    };
    Scalar::Other(value)
}

fn of_any_type(rng: &mut Rng) -> Scalar {
    let value = match rng.u8(..8) {
        0 => Value::Byte(rng.i8(..)),
        1 => Value::Short(rng.i16(..)),
        2 => Value::Char(['a', 'é', '日', '\n'][rng.usize(..4)]),
        3 => Value::Duration(Duration { seconds: rng.i64(-3..100_000), nanos: rng.u32(..1_000_000_000) }),
        4 => BigInt::from(rng.i128(..)).into(),
        5 => BigDecimal::new(BigInt::from(rng.i64(..)), rng.i64(0..9)).into(),
        _ => return of_json(rng),
    };
    Scalar::Other(value)
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
