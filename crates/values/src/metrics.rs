//! What `profile()` gives: figures of a traversal and of each of its steps, as TinkerPop's `TraversalMetrics`.
//!
//! ```text
//! Metrics   nanos │ steps ──▶ StepMetrics   id, name, nanos │ counts │ annotations │ nested ──▶ …
//!    ▲
//!    └── as a value a map of kind MapKind::Metrics:  {dur: 12000, metrics: [{id: …, name: …, dur: …, counts: {…}, …}, …]}
//! ```

use std::fmt::{self, Display, Formatter};

use crate::{Map, MapKind, Str, Value};

/// Figures of a traversal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Nanoseconds that all of it took.
    pub nanos: i64,
    /// Its steps, in order.
    pub steps: Vec<StepMetrics>,
}

/// Figures of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepMetrics {
    /// What tells it from others.
    pub id: Str,
    /// What it is called.
    pub name: Str,
    /// Nanoseconds that it took, and the steps inside of it.
    pub nanos: i64,
    /// How much of something there was, such as [`StepMetrics::TRAVERSERS`].
    pub counts: Vec<(Str, i64)>,
    /// What else is to be said, such as [`StepMetrics::SHARE`].
    pub annotations: Vec<(Str, Value)>,
    /// The steps inside of it.
    pub nested: Vec<StepMetrics>,
}

impl StepMetrics {
    /// A count: traversers that it sent on, of which one may stand for many.
    pub const TRAVERSERS: &'static str = "traverserCount";
    /// A count: how many they stand for.
    pub const ELEMENTS: &'static str = "elementCount";
    /// An annotation: its part of the whole time, in percent.
    pub const SHARE: &'static str = "percentDur";

    fn into_value(self) -> Value {
        let counts = self.counts.into_iter().map(|(key, count)| (Value::from(key), Value::Long(count)));
        let annotations = self.annotations.into_iter().map(|(key, value)| (Value::from(key), value));
        let mut map = Map::with_capacity(6);
        map.insert("id", self.id);
        map.insert("name", self.name);
        map.insert(DURATION, self.nanos);
        map.insert(COUNTS, counts.collect::<Map>());
        map.insert(ANNOTATIONS, annotations.collect::<Map>());
        map.insert(STEPS, Value::list(self.nested.into_iter().map(Self::into_value).collect::<Vec<_>>()));
        map.into()
    }

    fn of(value: &Value) -> Option<Self> {
        let Value::Map(map) = value else { return None };
        let text = |key: &str| match map.get(&Value::str(key)) {
            Some(Value::String(text)) => text.clone(),
            _ => Str::default(),
        };
        let entries = |key: &str| match map.get(&Value::str(key)) {
            Some(Value::Map(entries)) => {
                entries.iter().map(|(key, value)| (Str::from(key.to_string()), value.clone())).collect()
            }
            _ => Vec::new(),
        };
        let count = |(key, value): (Str, Value)| match value {
            Value::Long(count) => Some((key, count)),
            _ => None,
        };
        Some(Self {
            id: text("id"),
            name: text("name"),
            nanos: nanos(map),
            counts: entries(COUNTS).into_iter().filter_map(count).collect(),
            annotations: entries(ANNOTATIONS),
            nested: steps(map),
        })
    }

    fn count(&self, key: &str) -> Option<i64> {
        self.counts.iter().find(|(known, _)| known.as_str() == key).map(|(_, count)| *count)
    }

    fn annotation(&self, key: &str) -> Option<&Value> {
        self.annotations.iter().find(|(known, _)| known.as_str() == key).map(|(_, value)| value)
    }
}

const DURATION: &str = "dur";
const COUNTS: &str = "counts";
const ANNOTATIONS: &str = "annotations";
const STEPS: &str = "metrics";

fn nanos(map: &Map) -> i64 {
    match map.get(&Value::str(DURATION)) {
        Some(Value::Long(nanos)) => *nanos,
        _ => 0,
    }
}

fn steps(map: &Map) -> Vec<StepMetrics> {
    match map.get(&Value::str(STEPS)) {
        Some(Value::List(steps)) => steps.iter().filter_map(StepMetrics::of).collect(),
        _ => Vec::new(),
    }
}

impl Metrics {
    /// The figures that a map of kind [`MapKind::Metrics`] is.
    pub fn of(map: &Map) -> Self {
        Self { nanos: nanos(map), steps: steps(map) }
    }

    /// What is annotated, but for the share of time, in the order in which steps first have it.
    fn annotated(&self) -> Vec<&str> {
        fn add<'s>(steps: &'s [StepMetrics], keys: &mut Vec<&'s str>) {
            for step in steps {
                for (key, _) in &step.annotations {
                    if key.as_str() != StepMetrics::SHARE && !keys.contains(&key.as_str()) {
                        keys.push(key);
                    }
                }
                add(&step.nested, keys);
            }
        }
        let mut keys = Vec::new();
        add(&self.steps, &mut keys);
        keys
    }
}

impl From<Metrics> for Value {
    fn from(metrics: Metrics) -> Self {
        let mut map = Map::with_capacity(2);
        map.insert(DURATION, metrics.nanos);
        let steps: Vec<Self> = metrics.steps.into_iter().map(StepMetrics::into_value).collect();
        map.insert(STEPS, Self::list(steps));
        map.of_kind(MapKind::Metrics).into()
    }
}

/// Most letters of a name, with the spaces before it.
const NAME: usize = 50;
/// Most spaces before a name.
const INDENT: usize = 24;

/// The table that TinkerPop prints. Where it has annotations in lines of their own, this has columns.
impl Display for Metrics {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let keys = self.annotated();
        writeln!(f, "Traversal Metrics")?;
        write!(
            f,
            "{:NAME$} {:>21} {:>11} {:>15} {:>8}",
            "Step", "Count", "Traversers", "Time (ms)", "% Dur"
        )?;
        keys.iter().try_for_each(|key| write!(f, " {key:>11}"))?;
        writeln!(f, "\n{}", "=".repeat(NAME + 59 + 12 * keys.len()))?;
        self.steps.iter().try_for_each(|step| row(step, 0, &keys, f))?;
        write!(f, "{:>NAME$} {:>21} {:>11} {:>15} {:>8}", ">TOTAL", "-", "-", millis(self.nanos), "-")
    }
}

fn millis(nanos: i64) -> String {
    format!("{:.3}", nanos as f64 / 1e6)
}

fn row(step: &StepMetrics, depth: usize, keys: &[&str], f: &mut Formatter<'_>) -> fmt::Result {
    crate::watch::tick();
    let name = format!("{:indent$}{}", "", step.name, indent = (2 * depth).min(INDENT));
    let name = match name.char_indices().nth(NAME) {
        Some(_) => name.chars().take(NAME - 3).chain("...".chars()).collect(),
        None => name,
    };
    let shown = |count: Option<i64>| count.map_or_else(String::new, |count| count.to_string());
    let share = match step.annotation(StepMetrics::SHARE) {
        Some(Value::Double(share)) => format!("{share:.2}"),
        _ => String::new(),
    };
    let [elements, traversers] = [StepMetrics::ELEMENTS, StepMetrics::TRAVERSERS].map(|key| step.count(key));
    let mut line = format!(
        "{name:NAME$} {:>21} {:>11} {:>15} {share:>8}",
        shown(elements),
        shown(traversers),
        millis(step.nanos)
    );
    for key in keys {
        let value = step.annotation(key).map_or_else(String::new, ToString::to_string);
        line.push_str(&format!(" {value:>11}"));
    }
    writeln!(f, "{}", line.trim_end())?;
    step.nested.iter().try_for_each(|step| row(step, depth + 1, keys, f))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, nanos: i64, annotations: &[(&str, Value)]) -> StepMetrics {
        let annotations = annotations.iter().map(|(key, value)| (Str::from(*key), value.clone()));
        StepMetrics {
            id: Str::from("1.0.0()"),
            name: Str::from(name),
            nanos,
            counts: vec![(StepMetrics::TRAVERSERS.into(), 4), (StepMetrics::ELEMENTS.into(), 6)],
            annotations: annotations.collect(),
            nested: Vec::new(),
        }
    }

    fn metrics() -> Metrics {
        let inner = step("out()", 250_000, &[("read", Value::Long(9))]);
        let share = (StepMetrics::SHARE, Value::Double(62.5));
        let outer = StepMetrics { nested: vec![inner], ..step("where(…)", 1_250_000, &[share]) };
        Metrics { nanos: 2_000_000, steps: vec![step("V()", 750_000, &[]), outer] }
    }

    #[test]
    fn the_value_is_all_that_there_is_to_know() {
        let Value::Map(map) = Value::from(metrics()) else { panic!("a map expected") };
        assert_eq!(map.kind(), MapKind::Metrics);
        assert_eq!(Metrics::of(&map), metrics());
        assert_eq!(Metrics::of(&Map::new()), Metrics::default());
    }

    #[test]
    fn it_prints_as_tinkerpop_prints_it_with_a_column_for_each_annotation() {
        let lines: Vec<String> = metrics().to_string().lines().map(str::to_owned).collect();
        let row = |name: &str, rest: &str| format!("{name:50}{rest}");
        assert_eq!(lines[0], "Traversal Metrics");
        assert_eq!(
            lines[1],
            row("Step", "                 Count  Traversers       Time (ms)    % Dur        read")
        );
        assert_eq!(lines[2], "=".repeat(121));
        assert_eq!(lines[3], row("V()", "                     6           4           0.750"));
        assert_eq!(lines[4], row("where(…)", "                     6           4           1.250    62.50"));
        assert_eq!(
            lines[5],
            row("  out()", "                     6           4           0.250                    9")
        );
        assert_eq!(
            lines[6],
            format!("{:>50}{}", ">TOTAL", "                     -           -           2.000        -")
        );
        assert_eq!(lines.len(), 7);
        let long = Metrics { nanos: 0, steps: vec![step(&"ü".repeat(80), 0, &[])] }.to_string();
        assert!(long.contains(&format!("{}... ", "ü".repeat(47))), "{long}");
    }
}
