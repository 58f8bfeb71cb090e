//! Whether some serial order of the transactions explains what their clients saw, and agrees with the clock: strict
//! serializability.
//!
//! ```text
//! history ─▶ object by object ─▶ versions in their order ─▶ dependencies ─▶ cycles ─▶ anomalies
//!            objects.rs          lists.rs registers.rs      dependencies.rs  components.rs
//!                                sets.rs                    real_time.rs     cycles.rs
//! ```
//!
//! A dependency says that one transaction comes before another in every serial order that explains what was seen:
//!
//! | | from | to |
//! |---|---|---|
//! | ww | who wrote a version | who wrote the next one |
//! | wr | who wrote a version | who saw it |
//! | rw | who saw a version | who wrote the next one: an *anti-dependency* |
//! | real time | who had its answer | who was sent after that |
//!
//! So a cycle is an anomaly, and which dependencies it has says of which class (Adya; Elle, Kingsbury and Alvaro). The
//! values are chosen so that the order of versions can be read off (`history.rs`); nothing is searched for, and the
//! time is close to linear in the size of the history. What shows in one transaction or at one object is told without
//! a cycle: `internal.rs`, and next to the versions.
//!
//! A transaction without an answer takes part through what others saw of it. If nobody saw anything it may not have
//! happened.

mod anomaly;
mod components;
mod cycles;
mod dependencies;
mod findings;
mod internal;
mod lists;
mod objects;
mod real_time;
mod registers;
mod sets;
mod unseen;

pub use anomaly::{Anomaly, AnomalyKind};

use super::history::History;
use findings::Findings;

/// Everything that is wrong with a history. Of the cycles of one knot the shortest of the gravest class stands for all.
pub fn check(history: &History) -> Vec<Anomaly> {
    let mut findings = Findings::new(history);
    for (number, transaction) in history.transactions.iter().enumerate() {
        if let Some(broken) = &transaction.broken {
            findings.report(AnomalyKind::BrokenPromise, &transaction.workload, [number], broken.clone());
        }
    }
    let objects = objects::by_object(history);
    for object in &objects {
        internal::check(object, &mut findings);
        lists::check(object, &mut findings);
        registers::check(object, &mut findings);
        sets::check(object, &mut findings);
    }
    real_time::order(&mut findings);
    let Findings { dependencies, mut anomalies, .. } = findings;
    anomalies.extend(cycles::find(history, &objects, &dependencies.into_graph()));
    anomalies.sort_by_key(|anomaly| anomaly.kind);
    anomalies
}
