//! What is logged of queries: those that were slow, and those that failed.
//!
//! What a client has sent is written as a quoted text, so that no line can be forged.

use std::time::Duration;

use gremlin::Argument;
use values::{Str, Value};

use super::{info::QueryInfo, tally::Tally};
use crate::{QueryError, StatusCode};

/// What is logged of queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryLog {
    /// Those that take longer than this; `None`: none for that.
    pub slow: Option<Duration>,
    /// Whether with the values of their variables.
    pub bindings: bool,
    /// Whether those that fail are.
    pub errors: bool,
}

impl Default for QueryLog {
    fn default() -> Self {
        Self { slow: Some(Duration::from_secs(1)), bindings: false, errors: true }
    }
}

/// A query that is over.
pub(super) struct Over<'a> {
    pub(super) info: QueryInfo,
    pub(super) is_script: bool,
    /// Its variables, and whether they may be shown.
    pub(super) bindings: &'a [(Str, Argument)],
    pub(super) shows_bindings: bool,
    /// How it ended; `None`: its client did not wait for that.
    pub(super) outcome: Option<Result<(), QueryError>>,
    /// How long its results were sent after it had ended.
    pub(super) sent: Duration,
}

/// Characters of a value, or a message, that are shown.
const SHOWN: usize = 1_024;

impl Over<'_> {
    /// Counts it, and logs it if that is wanted.
    pub(super) fn close(&self, log: QueryLog, tally: &Tally) {
        Self::count(tally, &self.info.source, self.is_script, self.outcome.as_ref(), self.info.age);
        if log.slow.is_some_and(|slow| self.info.age >= slow) {
            self.log_slow();
        }
        if let (true, Some(Err(error))) = (log.errors, &self.outcome) {
            self.log_error(error);
        }
    }

    /// Counts one that took so long.
    pub(super) fn count(
        tally: &Tally,
        source: &str,
        is_script: bool,
        outcome: Option<&Result<(), QueryError>>,
        took: Duration,
    ) {
        let kind = if is_script { "script" } else { "bytecode" };
        tally.count(source, kind, Self::status(is_script, outcome), took);
    }

    /// The status of one that ended so.
    pub(super) fn status(is_script: bool, outcome: Option<&Result<(), QueryError>>) -> u16 {
        match outcome {
            Some(Ok(())) => StatusCode::Success.code(),
            Some(Err(error)) => StatusCode::of(error, is_script).code(),
            // As HTTP's proxies say it of clients that have gone.
            None => 499,
        }
    }

    fn log_slow(&self) {
        let QueryInfo { id, source, text, user, address, waited, ran, rows, peak_memory, operators, .. } =
            &self.info;
        let ms = |time: &Duration| time.as_millis() as u64;
        let bindings = (self.shows_bindings && !self.bindings.is_empty()).then(|| shown(self.bindings));
        tracing::info!(
            target: "slow",
            id = ?id.as_str(), graph = %source, ?text, ?bindings, ?user, from = %address,
            queue_ms = ms(waited), run_ms = ms(ran), send_ms = ms(&self.sent), rows, peak_memory,
            plan = format_args!("{:08x}", number_of(operators)), status = Self::status(self.is_script, self.outcome.as_ref()),
            "slow query"
        );
    }

    fn log_error(&self, error: &QueryError) {
        let QueryInfo { id, source, text, user, address, .. } = &self.info;
        let hidden = if self.shows_bindings { &[] } else { self.bindings };
        let error_text = without(&error.message, hidden);
        tracing::info!(
            target: "failed",
            id = ?id.as_str(), graph = %source, ?text, ?user, from = %address, kind = error.kind.name(), error = ?error_text,
            "query failed"
        );
    }
}

/// Letters of a value that is hidden in a message, at least: shorter ones are everywhere.
const TELLING: usize = 4;
/// Values that are looked for in a message.
const LOOKED_FOR: usize = 100;

/// A message, cut, in which the values of variables are not quoted.
fn without(message: &str, hidden: &[(Str, Argument)]) -> String {
    // Of what is longer nothing is shown, but where a value begins its end must be seen.
    let mut message: String = message.chars().take(4 * SHOWN).collect();
    let mut left = LOOKED_FOR;
    for value in hidden.iter().filter_map(|(_, bound)| bound.as_value()) {
        hide(value, &mut message, &mut left);
    }
    message.chars().take(SHOWN).collect()
}

fn hide(value: &Value, message: &mut String, left: &mut usize) {
    match value {
        Value::List(members) => members.iter().take(*left).for_each(|member| hide(member, message, left)),
        Value::Map(map) => map.iter().take(*left).for_each(|(_, member)| hide(member, message, left)),
        _ if *left == 0 => {}
        Value::String(text) => hide_text(text, message, left),
        number if number.is_number() => hide_text(&number.to_string(), message, left),
        _ => {}
    }
}

fn hide_text(text: &str, message: &mut String, left: &mut usize) {
    *left -= 1;
    if text.len() >= TELLING && message.contains(text) {
        *message = message.replace(text, "…");
    }
}

fn shown(bindings: &[(Str, Argument)]) -> String {
    let each = bindings.iter().map(|(name, bound)| match bound.as_value() {
        Some(value) => format!("{name}={value}"),
        None => format!("{name}={bound}"),
    });
    each.collect::<Vec<_>>().join(", ").chars().take(SHOWN).collect()
}

/// What a plan is known by: the same plan has the same number, also tomorrow (FNV-1a).
fn number_of(operators: &[String]) -> u32 {
    let bytes = operators.iter().flat_map(|line| line.bytes().chain([b'\n']));
    bytes.fold(0x811c_9dc5, |number, byte| (number ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_are_not_quoted_in_messages() {
        let hidden = [
            (Str::from("x"), Value::from("secret").into()),
            ("n".into(), Value::list(vec![4_111_111_111_i64.into(), "among".into()]).into()),
            ("short".into(), Value::from("a").into()),
        ];
        let message = "math() needs a number, found secret; and 4111111111, among a";
        assert_eq!(without(message, &hidden), "math() needs a number, found …; and …, … a");
        assert_eq!(without(message, &[]), message);
        assert_eq!(without(&"x".repeat(10_000), &hidden).len(), SHOWN);
    }
}
