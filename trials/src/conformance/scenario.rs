//! One scenario through one door.

use gremlin::Bindings;
use values::{Map, MapKind, Str, Value};

use super::case::Case;
use super::door::{Answer, Door, EMPTY, Failure, WITH_PROPERTY_IDS};
use super::elements::{Elements, ElementsOf};
use super::notation;
use super::outcome::{Difference, Outcome};
use super::same::{differences, print_all, same};
use super::step::{Line, Place};

/// Why a scenario ends before its last line.
pub(crate) enum End {
    Outcome(Outcome),
    /// Something other than what should be: what should be, and what is.
    Differs(String, String),
}

/// A scenario on its way.
struct Scenario<'a> {
    door: &'a mut dyn Door,
    elements: &'a mut Elements,
    /// It is for graph computers.
    computer: bool,
    /// Properties of the sample graphs have the ids of their files.
    property_ids: bool,
    graph: String,
    bindings: Bindings,
    /// Parameters that no variable can hold, written out.
    written_out: Vec<(&'a str, String)>,
    side_effects: Vec<(&'a str, Str)>,
    traversal: String,
    answer: Option<Answer>,
}

/// Runs a scenario.
pub(crate) fn run<'a>(case: &'a Case, door: &'a mut dyn Door, elements: &'a mut Elements) -> Outcome {
    if case.is("TinkerServiceRegistry") && !has_services(door) {
        let (what, message) = (SERVICES.to_owned(), "call('--list') does not have them".to_owned());
        return Outcome::Refused { what, message };
    }
    let mut scenario = Scenario {
        door,
        elements,
        computer: case.is("GraphComputerOnly"),
        property_ids: case.is("UserSuppliedVertexPropertyIds"),
        graph: EMPTY.to_owned(),
        bindings: Bindings::new(),
        written_out: Vec::new(),
        side_effects: Vec::new(),
        traversal: String::new(),
        answer: None,
    };
    let stores_null = case.is("AllowNullPropertyValues");
    let outcome = match stores_null.then(|| scenario.store_null(true)) {
        Some(Err(end)) => scenario.ended(end),
        _ => scenario.lines(case),
    };
    // The next scenario finds the graph as it was.
    match stores_null.then(|| scenario.store_null(false)) {
        Some(Err(end)) => scenario.ended(end),
        _ => outcome,
    }
}

/// The services of TinkerPop's test server.
const SERVICES: &str = "services `tinker.search` and `tinker.degree.centrality`";

fn has_services(door: &mut dyn Door) -> bool {
    let services = door.ask(EMPTY, "g.call('--list')", &Bindings::new());
    services.is_ok_and(|names| names.contains(&Value::str("tinker.search")))
}

impl<'a> Scenario<'a> {
    /// Says of the empty graph whether its properties may be null.
    fn store_null(&mut self, on: bool) -> Result<(), End> {
        let text = format!("g.call('mangrove.schema.declare', [allow_null_values: {on}])");
        let answer = self.door.ask(EMPTY, &text, &Bindings::new());
        answer.map(drop).map_err(|failure| refused_or(failure, &text))
    }

    fn lines(&mut self, case: &'a Case) -> Outcome {
        for step in &case.steps {
            let Some(line) = Line::of(step) else { return self.failed("a known line", &step.value) };
            if let Err(end) = self.line(line) {
                return self.ended(end);
            }
        }
        if !case.steps.iter().filter_map(Line::of).any(|line| line.is_assertion()) {
            return self.failed("an assertion", "none");
        }
        Outcome::Passed
    }

    fn ended(&self, end: End) -> Outcome {
        match end {
            End::Outcome(outcome) => outcome,
            End::Differs(expected, got) => self.failed(&expected, &got),
        }
    }

    fn failed(&self, expected: &str, got: &str) -> Outcome {
        let traversal = self.traversal.clone();
        Outcome::Failed(Difference { traversal, expected: expected.to_owned(), got: got.to_owned() })
    }

    fn line(&mut self, line: Line<'a>) -> Result<(), End> {
        match line {
            Line::Graph(name) => self.choose(name)?,
            Line::Initialize(text) => drop(self.setup(text)?),
            Line::Parameter(name, value) => self.parameter(name, &value)?,
            Line::SideEffect(name, value) => self.side_effect(name, &value)?,
            Line::Traversal(text) => self.traversal = self.complete(text),
            Line::ToList => self.answer = Some(self.door.ask(&self.graph, &self.traversal, &self.bindings)),
            Line::Next => self.answer = Some(self.next()),
            Line::Empty => self.equal(&[], differences)?,
            Line::Ordered(rows) => self.equal(&rows, in_order)?,
            Line::Unordered(rows) => self.equal(&rows, differences)?,
            Line::Among(rows) => self.equal(&rows, |expected, results| {
                let other = |result: &&Value| !expected.iter().any(|one| same(one, result));
                (Vec::new(), results.iter().filter(other).collect())
            })?,
            Line::Count(count) => self.count(count)?,
            Line::Afterwards(count, text) => self.afterwards(count, &text)?,
            Line::Error(expected) => self.error(expected)?,
            Line::Tree(drawn) => self.tree(drawn)?,
            Line::Subgraph(kind, elements) => self.subgraph(kind, &elements)?,
            Line::Unsupported => {}
            Line::Because(why) => return Err(End::Outcome(Outcome::Skipped(why.to_owned()))),
        }
        Ok(())
    }

    fn choose(&mut self, graph: &str) -> Result<(), End> {
        let is_empty = graph == EMPTY;
        let ids = if self.property_ids && !is_empty { WITH_PROPERTY_IDS } else { "" };
        self.graph = format!("{graph}{ids}");
        if is_empty {
            self.setup("g.V().drop()")?;
        }
        Ok(())
    }

    /// Runs something that must succeed before the scenario can be tried.
    fn setup(&mut self, text: &str) -> Result<Vec<Value>, End> {
        self.door.ask(&self.graph, text, &self.bindings).map_err(|failure| refused_or(failure, text))
    }

    fn value(&mut self, text: &str) -> Result<Value, End> {
        let mut elements = ElementsOf { graph: &self.graph, door: self.door, known: self.elements };
        notation::value(text, &mut elements)
            .map_err(|problem| End::Differs(format!("{text} to mean something"), problem))
    }

    /// A value of a kind that no variable can have is written into the traversal.
    fn parameter(&mut self, name: &'a str, text: &str) -> Result<(), End> {
        if text.contains("M[") {
            self.written_out.push((name, written_out(text)));
        } else {
            let value = self.value(text)?;
            self.bindings.insert(name.into(), value.into());
        }
        Ok(())
    }

    fn side_effect(&mut self, name: &'a str, text: &str) -> Result<(), End> {
        let variable = Str::from(format!("side_effect_{name}"));
        let value = self.value(text)?;
        self.bindings.insert(variable.clone(), value.into());
        self.side_effects.push((name, variable));
        Ok(())
    }

    /// The traversal with what TinkerPop's runners put into it.
    fn complete(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.written_out {
            text = text.replace(name, value);
        }
        let Some(rest) = text.strip_prefix('g') else { return text };
        let computer = if self.computer { ".withComputer()" } else { "" };
        let side_effects = self.side_effects.iter();
        let side_effects =
            side_effects.map(|(name, variable)| format!(".withSideEffect(\"{name}\", {variable})"));
        format!("g{computer}{}{rest}", side_effects.collect::<String>())
    }

    /// What `next()` gives: the items of the first result if it is a collection, else the result.
    fn next(&mut self) -> Answer {
        let first = self.door.ask(&self.graph, &self.traversal, &self.bindings)?.into_iter().next();
        Ok(match first {
            None => return Err(Failure::Error("there is no result".into())),
            Some(Value::List(items)) => items.to_vec(),
            Some(Value::Set(items)) => items.iter().cloned().collect(),
            Some(Value::BulkSet(items)) => items.repeated_from(0).cloned().collect(),
            Some(Value::Path(path)) => path.objects.clone(),
            Some(Value::Map(map)) if map.kind() == MapKind::Map => map.iter().map(one_entry).collect(),
            Some(other) => vec![other],
        })
    }

    /// The results; an error where there should be some is the end.
    fn results(&self) -> Result<&[Value], End> {
        match &self.answer {
            Some(Ok(results)) => Ok(results),
            Some(Err(failure)) => Err(refused_or(failure.clone(), "results")),
            None => Err(End::Differs("results".into(), "nothing was run".into())),
        }
    }

    fn equal(&mut self, rows: &[&str], compare: Compare) -> Result<(), End> {
        self.results()?;
        let expected = rows.iter().map(|row| self.value(row)).collect::<Result<Vec<_>, _>>()?;
        let results = self.results()?;
        let (missing, surplus) = compare(&expected, results);
        if missing.is_empty() && surplus.is_empty() {
            return Ok(());
        }
        Err(End::Differs(print_all(&expected), print_all(results)))
    }

    /// Whether the result is the tree that is drawn: `|--x`, and three spaces before what is below another.
    fn tree(&mut self, drawn: &str) -> Result<(), End> {
        let mut expected = Map::tree();
        let mut path: Vec<Value> = Vec::new();
        let mut lines = drawn.lines().filter_map(|line| line.split_once("|--")).peekable();
        let margin = lines.peek().map_or(0, |(indent, _)| indent.len());
        for (indent, name) in lines {
            path.truncate((indent.len() - margin) / 3);
            path.push(self.value(name.trim())?);
            expected.grow(&path);
        }
        let expected = Value::from(expected);
        match self.results()? {
            [tree @ Value::Map(map)] if map.kind() == MapKind::Tree && same(tree, &expected) => Ok(()),
            results => Err(End::Differs(print_all([&expected]), print_all(results))),
        }
    }

    /// Whether the result is a graph with these elements.
    fn subgraph(&mut self, kind: &str, elements: &[&str]) -> Result<(), End> {
        self.results()?;
        let expected = elements.iter().map(|one| self.value(one)).collect::<Result<Vec<_>, _>>()?;
        let [Value::Map(graph)] = self.results()? else {
            return Err(End::Differs("a graph".into(), print_all(self.results()?)));
        };
        let found: Vec<Value> = graph.elements(kind).cloned().collect();
        let (missing, surplus) = differences(&expected, &found);
        match graph.kind() == MapKind::Graph && missing.is_empty() && surplus.is_empty() {
            true => Ok(()),
            false => Err(End::Differs(print_all(&expected), print_all(&found))),
        }
    }

    fn count(&self, expected: usize) -> Result<(), End> {
        let found = self.results()?.len();
        if found == expected { Ok(()) } else { Err(differs(expected, found, "results")) }
    }

    fn afterwards(&mut self, expected: i64, text: &str) -> Result<(), End> {
        self.results()?;
        let text = format!("{text}.count()");
        let found = self.setup(&text)?;
        match found.as_slice() {
            [Value::Long(found)] if *found == expected => Ok(()),
            found => Err(End::Differs(format!("d[{expected}].l for {text}"), print_all(found))),
        }
    }

    fn error(&self, expected: Option<(Place, String)>) -> Result<(), End> {
        let message = match &self.answer {
            Some(Err(Failure::Error(message))) => message,
            Some(Err(other)) => return Err(refused_or(other.clone(), "an error")),
            Some(Ok(results)) => return Err(End::Differs("an error".into(), print_all(results))),
            None => return Err(End::Differs("an error".into(), "nothing was run".into())),
        };
        let Some((place, text)) = expected else { return Ok(()) };
        let is_there = match place {
            Place::Containing => message.contains(&text),
            Place::Starting => message.starts_with(&text),
            Place::Ending => message.ends_with(&text),
        };
        if is_there {
            Ok(())
        } else {
            Err(End::Differs(format!("an error with the text {text:?}"), message.clone()))
        }
    }
}

fn one_entry((key, value): (&Value, &Value)) -> Value {
    [(key.clone(), value.clone())].into_iter().collect::<Map>().into()
}

/// Finds what is missing in results, and what is too much.
type Compare = for<'a> fn(&'a [Value], &'a [Value]) -> (Vec<&'a Value>, Vec<&'a Value>);

fn in_order<'a>(expected: &'a [Value], results: &'a [Value]) -> (Vec<&'a Value>, Vec<&'a Value>) {
    let same = expected.len() == results.len() && expected.iter().zip(results).all(|(a, b)| same(a, b));
    if same { (Vec::new(), Vec::new()) } else { (expected.iter().collect(), results.iter().collect()) }
}

fn refused_or(failure: Failure, expected: &str) -> End {
    match failure {
        Failure::Refused { what, message } => End::Outcome(Outcome::Refused { what, message }),
        Failure::Error(message) | Failure::Broken(message) => {
            End::Differs(expected.to_owned(), format!("error: {message}"))
        }
    }
}

fn differs(expected: usize, found: usize, what: &str) -> End {
    End::Differs(format!("{expected} {what}"), format!("{found} {what}"))
}

/// A map in JSON as Gremlin writes it: `m[{"D[OUT]":"M[outV]"}]` as `[(Direction.OUT):Merge.outV]`.
fn written_out(text: &str) -> String {
    let token = |text: &str| {
        let inside = |start: &str| text.strip_prefix(start).and_then(|rest| rest.strip_suffix(']'));
        let classes = [("D[", "Direction"), ("M[", "Merge"), ("t[", "T")];
        let token = classes.iter().find_map(|(start, class)| Some(format!("{class}.{}", inside(start)?)));
        token.unwrap_or_else(|| format!("{text:?}"))
    };
    let inside = text.strip_prefix("m[").and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let Ok(serde_json::Value::Object(entries)) = serde_json::from_str(inside) else { return token(text) };
    let entries = entries.iter().map(|(key, value)| {
        format!("({}):{}", token(key), value.as_str().map_or_else(|| value.to_string(), token))
    });
    format!("[{}]", entries.collect::<Vec<_>>().join(","))
}
