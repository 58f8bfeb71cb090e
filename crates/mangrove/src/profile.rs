//! What is told of a query's operators: their figures when it is over, and their names while it runs. Subqueries stand inside of what
//! opens them. Beside the rows that an operator was sent are the elements that it read, and beside those that it sent is how many the
//! planner expected.

use std::sync::atomic::{AtomicU64, Ordering};

use dataflow::{Counters, Profile};
use planner::Rounded;
use planner::physical::{Op, OpKind, Pipeline, Plan};
use values::{Metrics, StepMetrics, Str, Value};

/// Subqueries deeper than this stand beside what opens them, for there is a bound to what may be nested in an answer.
const MOST_NESTED: usize = 30;
/// Most operators whose figures are told.
const MOST_MEASURED: usize = 2_000;

/// The counters of a finished query beside its plan.
pub(crate) fn metrics(plan: &Plan, profile: &Profile) -> Metrics {
    let time = |op: &Op| profile.of(op.id).map_or(0, nanos);
    let total = plan.root.ops.iter().map(time).sum();
    let mut measured = Measured { profile, left: MOST_MEASURED, more: 0 };
    let mut steps = Vec::new();
    measured.add(&plan.root, 0, &mut steps);
    for (step, op) in steps.iter_mut().zip(plan.root.ops.iter()) {
        let share = 100.0 * time(op) as f64 / (total as f64).max(f64::MIN_POSITIVE);
        step.annotations.insert(0, (StepMetrics::SHARE.into(), Value::Double(share)));
    }
    if measured.more > 0 {
        steps.push(StepMetrics { name: more(measured.more).into(), ..StepMetrics::default() });
    }
    Metrics { nanos: total, steps }
}

/// Figures on their way.
struct Measured<'p> {
    profile: &'p Profile,
    /// How many operators may be told of, and how many are there besides.
    left: usize,
    more: usize,
}

impl Measured<'_> {
    fn add(&mut self, pipeline: &Pipeline, depth: usize, steps: &mut Vec<StepMetrics>) {
        for op in pipeline.ops.iter() {
            let mut nested = Vec::new();
            let has_room = self.left > 0;
            if has_room {
                self.left -= 1;
                steps.push(self.step(op));
            } else {
                self.more += 1;
            }
            if let OpKind::Scope(scope) = &op.kind {
                scope.kind.pipelines().for_each(|inside| self.add(inside, depth + 1, &mut nested));
            }
            match steps.last_mut() {
                Some(step) if has_room && depth < MOST_NESTED => step.nested = nested,
                _ => steps.extend(nested),
            }
        }
    }

    fn step(&self, op: &Op) -> StepMetrics {
        // What the planner adds by itself is there for no step.
        let name = if op.step.is_empty() { Str::from("(between steps)") } else { op.step.clone() };
        let id = format!("{}.0.0()", op.id).into();
        let Some(counters) = self.profile.of(op.id) else {
            return StepMetrics { id, name, ..StepMetrics::default() };
        };
        let is_source = is_source(&op.kind);
        let read = if is_source { &counters.rows_out } else { &counters.read };
        let sent =
            [(StepMetrics::TRAVERSERS, &counters.rows_out), (StepMetrics::ELEMENTS, &counters.traversers)];
        let told = [
            ("batches", &counters.batches),
            ("rowsIn", &counters.rows),
            ("read", read),
            ("opened", &counters.opened),
            ("cancelled", &counters.cancelled),
        ];
        let there = |(key, counter): (&str, &AtomicU64)| {
            let count = i64::try_from(counter.load(Ordering::Relaxed)).unwrap_or(i64::MAX);
            (count > 0).then(|| (Str::from(key), count))
        };
        let mut annotations: Vec<(Str, Value)> =
            told.into_iter().filter_map(there).map(|(key, count)| (key, Value::Long(count))).collect();
        let memory = self.profile.peak_memory(op.id);
        if memory > 0 {
            annotations.push(("memory".into(), Value::Long(i64::try_from(memory).unwrap_or(i64::MAX))));
        }
        annotations.push(("expected".into(), Value::from(Rounded(op.rows).to_string())));
        let counts = sent.into_iter().filter_map(there).collect();
        StepMetrics { id, name, nanos: nanos(counters), counts, annotations, nested: Vec::new() }
    }
}

fn nanos(counters: &Counters) -> i64 {
    i64::try_from(counters.time().as_nanos()).unwrap_or(i64::MAX)
}

fn is_source(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Scan(_) | OpKind::ById(_) | OpKind::IndexLookup(_) | OpKind::IndexRange(_))
}

fn more(operators: usize) -> String {
    format!("… and {operators} more")
}

/// Most spaces before a step: with thousands of subqueries in one another these alone would take gigabytes.
const MOST_INDENT: usize = 40;
/// Most steps that are told of a query: they are told of all that run, whenever somebody asks.
const MOST_STEPS: usize = 200;

fn indented(depth: usize, step: &str) -> String {
    format!("{:indent$}{step}", "", indent = (2 * depth).min(MOST_INDENT))
}

/// The steps of a plan, subqueries indented. Of many the first are told, and how many there are besides.
pub(crate) fn steps(plan: &Plan) -> Vec<String> {
    let mut told = Vec::new();
    let mut besides = 0_usize;
    each_step(&plan.root, 0, &mut |depth, step| match told.len() < MOST_STEPS {
        true => told.push(indented(depth, step)),
        false => besides += 1,
    });
    if besides > 0 {
        told.push(more(besides));
    }
    told
}

fn each_step(pipeline: &Pipeline, depth: usize, tell: &mut dyn FnMut(usize, &str)) {
    for op in pipeline.ops.iter() {
        tell(depth, &op.step);
        if let OpKind::Scope(scope) = &op.kind {
            scope.kind.pipelines().for_each(|inside| each_step(inside, depth + 1, tell));
        }
    }
}
