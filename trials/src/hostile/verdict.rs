//! What became of one query.

use std::time::Duration;

use super::connection::End;
use super::needs::Bounds;
use super::query::{Form, Hostile};

/// What became of one query.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// Its kind.
    pub kind: &'static str,
    /// Its number: with the seed, all there is to know about it.
    pub number: u64,
    /// Its text as people read it, with how it was sent and how long it might take.
    pub shown: String,
    /// What became of it.
    pub fate: Fate,
    /// By how much its answer came after its deadline; none if it did not come to that.
    pub late: Option<Duration>,
    /// The bound that it would pass, by its generator's account.
    pub passes: Option<&'static str>,
}

/// How it has ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    /// In full.
    Done,
    /// At a bound, with the message that says so.
    Bound(String),
    /// With another error.
    Failed(String),
    /// It uses what is not supported.
    Refused(String),
    /// The server closed the connection.
    Closed(Option<u16>),
    /// The client left before the end, as it meant to.
    Left,
    /// Not within five seconds of its deadline.
    Stuck,
    /// It was under way when the server was lost for another reason.
    Lost,
}

impl Fate {
    /// The name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Bound(_) => "at_a_bound",
            Self::Failed(_) => "failed",
            Self::Refused(_) => "refused",
            Self::Closed(_) => "closed",
            Self::Left => "left",
            Self::Stuck => "stuck",
            Self::Lost => "lost",
        }
    }
}

/// Tells errors apart that are bounds.
pub(crate) fn fate_of(end: End) -> Fate {
    match end {
        End::Done => Fate::Done,
        // Larger than a message may be.
        End::Closed(Some(1009)) => Fate::Bound("closed with 1009".into()),
        End::Closed(code) => Fate::Closed(code),
        End::Failed { code, message, exception } => {
            const SAY_SO: [&str; 11] = [
                "limit",
                "bound",
                "budget",
                "busy",
                "deep",
                "more than",
                "larger than",
                "longer than",
                "at most",
                "too many",
                "too large",
            ];
            let is_bound = ["TimeoutError", "LimitError"].iter().any(|name| exception.ends_with(name));
            if is_bound || code == 429 || code == 413 || SAY_SO.iter().any(|words| message.contains(words)) {
                Fate::Bound(message)
            } else if exception.ends_with("UnsupportedError") {
                Fate::Refused(message)
            } else {
                Fate::Failed(message)
            }
        }
    }
}

/// A query as people read it.
pub(crate) fn shown(query: &Hostile, form: Form, timeout: Option<i64>) -> String {
    let limit = timeout.map_or_else(String::new, |millis| format!(", {millis} ms"));
    let batch = query.batch.map_or_else(String::new, |size| format!(", batchSize {size}"));
    format!("{} [{form:?} on {}{limit}{batch}]", query.shown(), query.target.source())
}

/// The bound that a query would pass with a message of so many bytes.
pub(crate) fn passes(query: &Hostile, bytes: usize, bounds: &Bounds) -> Option<&'static str> {
    let mut needs = query.needs;
    needs.request = bytes as f64;
    needs.passes(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(code: u16, message: &str, exception: &str) -> Fate {
        fate_of(End::Failed { code, message: message.into(), exception: exception.into() })
    }

    #[test]
    fn bounds_are_told_from_other_errors() {
        assert_eq!(failed(598, "late", "mangrove.TimeoutError").name(), "at_a_bound");
        assert_eq!(failed(500, "memory", "mangrove.LimitError").name(), "at_a_bound");
        assert_eq!(
            failed(597, "nested deeper than the limit of 200", "mangrove.SyntaxError").name(),
            "at_a_bound"
        );
        assert_eq!(failed(597, "found `)`, expected a step", "mangrove.SyntaxError").name(), "failed");
        assert_eq!(failed(597, "no match", "mangrove.UnsupportedError").name(), "refused");
        assert_eq!(fate_of(End::Closed(Some(1009))).name(), "at_a_bound");
        assert_eq!(fate_of(End::Closed(None)).name(), "closed");
    }
}
