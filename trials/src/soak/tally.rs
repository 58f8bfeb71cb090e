//! What became of requests, and what should not have.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::{Value as Json, json};

use crate::histories::client::Answer;

/// How a request has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// With results, or without any.
    Done,
    /// Refused for what others do, and can be sent again: a conflict, no room, a transaction that gave way.
    Busy,
    /// Out of time.
    TimeOut,
    /// Somebody has stopped it.
    Stopped,
    /// Another error.
    Failed,
    /// The connection broke.
    Silent,
}

impl Ending {
    /// That of an answer.
    pub fn of(answer: &Answer) -> Self {
        match answer {
            Answer::Results(_) => Self::Done,
            Answer::Error(code, message) => Self::of_code(*code, message),
            Answer::Silence => Self::Silent,
        }
    }

    /// That of a status code of WebSockets or of HTTP and what was said with it.
    pub fn of_code(code: u16, message: &str) -> Self {
        let message = message.to_lowercase();
        match code {
            200 | 204 => Self::Done,
            409 | 429 | 503 | 596 => Self::Busy,
            // A transaction that had been open for longest has given way, so that others can commit (docs/sessions.md). Over HTTP
            // it is then unknown.
            _ if message.contains("took all the memory") || message.contains("transaction not found") => {
                Self::Busy
            }
            598 | 504 => Self::TimeOut,
            _ if message.contains("stopped") || message.contains("cancelled") => Self::Stopped,
            500 if message.contains("timeout") || message.contains("time-out") => Self::TimeOut,
            _ => Self::Failed,
        }
    }

    /// Its name, for figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Busy => "busy",
            Self::TimeOut => "time_out",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Silent => "silent",
        }
    }
}

/// So many of what should not have been are kept with their texts.
const KEPT: usize = 40;
/// Letters of each that are printed when it is found.
const SHOWN: usize = 400;

/// Counts by who asked.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counts: Mutex<BTreeMap<(&'static str, Ending), u64>>,
    wrong: Mutex<(u64, Vec<String>)>,
}

impl Tally {
    /// Counts a request.
    pub fn count(&self, actor: &'static str, ending: Ending) {
        *self.counts.lock().entry((actor, ending)).or_default() += 1;
    }

    /// Notes something that should not have been.
    pub fn wrong(&self, what: impl Into<String>) {
        let mut wrong = self.wrong.lock();
        wrong.0 += 1;
        if wrong.1.len() < KEPT {
            let what = what.into();
            // At once, and once more at the end: a run takes hours.
            println!("wrong: {}", what.chars().take(SHOWN).collect::<String>());
            wrong.1.push(what);
        }
    }

    /// How often something should not have been, and the first of it.
    pub fn all_wrong(&self) -> (u64, Vec<String>) {
        self.wrong.lock().clone()
    }

    /// So many requests have ended in any way.
    pub fn requests(&self) -> u64 {
        self.counts.lock().values().sum()
    }

    /// Notes who was refused more often than one time in a hundred although there is room for him.
    pub fn judge_refusals(&self, actors: &[&'static str]) {
        for actor in actors {
            let counts = self.counts.lock();
            let all: u64 = counts.iter().filter(|((who, _), _)| who == actor).map(|(_, count)| count).sum();
            let busy = counts.get(&(*actor, Ending::Busy)).copied().unwrap_or(0);
            drop(counts);
            if busy * 100 > all {
                self.wrong(format!("{actor}: {busy} of {all} requests were refused"));
            }
        }
    }

    /// By who asked, then by how it ended.
    pub fn to_json(&self) -> Json {
        let mut all: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for ((actor, ending), count) in self.counts.lock().iter() {
            all.entry(actor).or_default().insert(ending.name(), *count);
        }
        json!(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_by_codes_of_either_protocol() {
        assert_eq!(Ending::of(&Answer::Results(Vec::new())), Ending::Done);
        assert_eq!(Ending::of(&Answer::Silence), Ending::Silent);
        let error = |code, message: &str| Ending::of(&Answer::Error(code, message.to_owned()));
        assert_eq!(error(596, "lost"), Ending::Busy);
        assert_eq!(error(598, "timeout"), Ending::TimeOut);
        assert_eq!(error(500, "the query was stopped"), Ending::Stopped);
        assert_eq!(error(500, "out of bounds"), Ending::Failed);
        assert_eq!(error(500, "what it could still read took all the memory that there is"), Ending::Busy);
    }

    #[test]
    fn who_is_refused_often_is_told() {
        let tally = Tally::default();
        (0..300).for_each(|_| tally.count("points", Ending::Done));
        (0..3).for_each(|_| tally.count("points", Ending::Busy));
        tally.judge_refusals(&["points", "nobody"]);
        assert_eq!(tally.all_wrong().0, 0);
        tally.count("points", Ending::Busy);
        tally.judge_refusals(&["points", "nobody"]);
        assert_eq!(tally.all_wrong().0, 1);
    }

    #[test]
    fn of_what_is_wrong_all_is_counted_and_the_first_is_kept() {
        let tally = Tally::default();
        (0..KEPT + 5).for_each(|n| tally.wrong(n.to_string()));
        let (count, kept) = tally.all_wrong();
        assert_eq!((count as usize, kept.len(), kept[0].as_str()), (KEPT + 5, KEPT, "0"));
    }
}
