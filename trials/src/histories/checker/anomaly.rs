//! What can be wrong with a history, by the names that the field has for it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Classes of anomalies: those of Adya's thesis and of Elle, and what goes with real time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum AnomalyKind {
    /// G0, dirty write: transactions overwrote each other in a circle.
    G0,
    /// G1a, aborted read: somebody saw what a refused transaction wrote.
    G1a,
    /// G1b, intermediate read: somebody saw a version that its own transaction overwrote.
    G1b,
    /// G1c: transactions saw each other's writes in a circle.
    G1c,
    /// Lost update: two transactions read one version of an object, and both replaced it.
    LostUpdate,
    /// Torn read: a reader saw a part of what one transaction wrote, or later writes without earlier ones.
    TornRead,
    /// G-single: a cycle with exactly one anti-dependency, other than the two above.
    GSingle,
    /// G2-item, write skew: a cycle with several anti-dependencies on items.
    G2Item,
    /// G2, phantom: the same with an anti-dependency on what a predicate did not find.
    G2,
    /// A reader did not see what had been acknowledged before it began.
    StaleRead,
    /// A cycle that real time closes, other than a stale read.
    RealTime,
    /// A transaction contradicted itself.
    Internal,
    /// An element was there twice.
    Duplicate,
    /// Acknowledged, and never seen by anybody, though somebody looked.
    Lost,
    /// Two readers saw one list in orders that do not go together.
    Order,
    /// Somebody saw what nobody wrote.
    Garbage,
    /// An answer that can be no transaction's, such as a sum that transfers do not change.
    BrokenPromise,
}

impl AnomalyKind {
    /// All of them, the gravest first.
    pub const ALL: [Self; 17] = [
        Self::G0,
        Self::G1a,
        Self::G1b,
        Self::G1c,
        Self::LostUpdate,
        Self::TornRead,
        Self::GSingle,
        Self::G2Item,
        Self::G2,
        Self::StaleRead,
        Self::RealTime,
        Self::Internal,
        Self::Duplicate,
        Self::Lost,
        Self::Order,
        Self::Garbage,
        Self::BrokenPromise,
    ];

    /// Its name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::G0 => "g0",
            Self::G1a => "g1a",
            Self::G1b => "g1b",
            Self::G1c => "g1c",
            Self::LostUpdate => "lost_update",
            Self::TornRead => "torn_read",
            Self::GSingle => "g_single",
            Self::G2Item => "g2_item",
            Self::G2 => "g2_phantom",
            Self::StaleRead => "stale_read",
            Self::RealTime => "real_time",
            Self::Internal => "internal",
            Self::Duplicate => "duplicate",
            Self::Lost => "lost",
            Self::Order => "incompatible_order",
            Self::Garbage => "garbage",
            Self::BrokenPromise => "broken_promise",
        }
    }
}

/// Something that no serial order of the transactions explains.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Anomaly {
    /// Its class.
    pub kind: AnomalyKind,
    /// The object that shows it.
    pub object: String,
    /// The transactions that take part, by their place in the history; those of a cycle in its order.
    pub transactions: Vec<usize>,
    /// For people.
    pub about: String,
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}: {}", self.kind.name(), self.object, self.about)
    }
}
