//! Where a query's time went, as a table: one line per operator, subqueries indented. Beside the rows that it was sent are the
//! elements that it read, and beside those that it sent is how many the planner expected.

use std::{fmt::Write, sync::atomic::Ordering, time::Duration};

use dataflow::{Counters, Profile};
use planner::Rounded;
use planner::physical::{OpKind, Pipeline, Plan};

/// The counters of a finished query beside its plan.
pub(crate) fn report(plan: &Plan, profile: &Profile) -> String {
    let mut lines = Vec::new();
    walk(&plan.root, 0, profile, &mut lines);
    let total: Duration = plan.root.ops.iter().filter_map(|op| profile.of(op.id)).map(Counters::time).sum();
    let width = lines.iter().map(|line| line.step.chars().count()).max().unwrap_or(4).clamp(4, 60);
    let mut out = format!(
        "{:width$} {:>9} {:>11} {:>11} {:>9} {:>9} {:>11} {:>9} {:>9} {:>11} {:>6}\n",
        "step",
        "batches",
        "rows in",
        "read",
        "rows out",
        "expected",
        "traversers",
        "opened",
        "cancelled",
        "time",
        "%"
    );
    for line in &lines {
        let Line { step, expected, counters, .. } = line;
        let step: String = step.chars().take(width).collect();
        let Some(counters) = counters else {
            let _ = writeln!(out, "{step}");
            continue;
        };
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let share = 100.0 * counters.time().as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE);
        let _ = writeln!(
            out,
            "{step:width$} {:>9} {:>11} {:>11} {:>9} {:>9} {:>11} {:>9} {:>9} {:>9} µs {share:>6.1}",
            count(&counters.batches),
            count(&counters.rows),
            if line.is_source { count(&counters.rows_out) } else { count(&counters.read) },
            count(&counters.rows_out),
            Rounded(*expected).to_string(),
            count(&counters.traversers),
            count(&counters.opened),
            count(&counters.cancelled),
            counters.time().as_micros(),
        );
    }
    let _ = write!(out, "{:width$} {:>99} µs", "total", total.as_micros());
    out
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
    let mut more = 0_usize;
    each_step(&plan.root, 0, &mut |depth, step| match told.len() < MOST_STEPS {
        true => told.push(indented(depth, step)),
        false => more += 1,
    });
    if more > 0 {
        told.push(format!("… and {more} more"));
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

struct Line<'a> {
    step: String,
    /// Whether what it sends is what it has read.
    is_source: bool,
    expected: f64,
    counters: Option<&'a Counters>,
}

fn walk<'a>(pipeline: &Pipeline, depth: usize, profile: &'a Profile, lines: &mut Vec<Line<'a>>) {
    for op in pipeline.ops.iter() {
        lines.push(Line {
            step: indented(depth, &op.step),
            is_source: is_source(&op.kind),
            expected: op.rows,
            counters: profile.of(op.id),
        });
        if let OpKind::Scope(scope) = &op.kind {
            scope.kind.pipelines().for_each(|inside| walk(inside, depth + 1, profile, lines));
        }
    }
}

fn is_source(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Scan(_) | OpKind::ById(_) | OpKind::IndexLookup(_) | OpKind::IndexRange(_))
}
