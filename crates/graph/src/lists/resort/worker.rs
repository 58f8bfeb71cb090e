//! The thread that sorts lists.

use std::sync::Arc;
use std::time::Duration;

use crate::define::Definer;
use crate::error::Result;
use crate::resident::Threads;

/// How long to wait at first before looking again whether an old snapshot has ended or a list changes less; twice as long each
/// time, up to what is waited after a failure.
const AGAIN: Duration = Duration::from_millis(50);
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Starts the thread, if the graph is to build trees at all.
pub(crate) fn start_sorting(definer: &Arc<Definer>) -> Result<Threads> {
    let (stopped, sorted) = (Arc::clone(definer), Arc::clone(definer));
    let mut threads = Threads::new(move || stopped.resorts.stop());
    if definer.options.secondary.builders > 0 {
        threads.start("sorting", move || work(&sorted))?;
    }
    Ok(threads)
}

fn work(definer: &Definer) {
    let mut pause = Some(Duration::ZERO);
    while definer.resorts.rest(pause) {
        pause = match definer.sort_lists() {
            Ok(true) => None,
            Ok(false) => Some(pause.map_or(AGAIN, |pause| (pause * 2).clamp(AGAIN, AFTER_FAILURE))),
            Err(error) => {
                tracing::warn!(%error, "lists could not be sorted by their sort key; it is tried again");
                Some(AFTER_FAILURE)
            }
        };
    }
}
