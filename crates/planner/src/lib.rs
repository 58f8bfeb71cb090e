//! From a [`gremlin::Traversal`] to a physical plan.
//!
//! ```text
//! Traversal ── bind ──▶ Logical ── rules ──▶ Logical ── lower ──▶ physical::Plan
//!              names become ids,  rewrites,            modulators become slots, subqueries scopes with
//!              modulators go in   one file each        grain and policy, dead slots go, parts may spread
//! ```
//!
//! [`plan`] does all of it; [`PlanCache`] keeps plans by the shape of their traversals; an [`Explanation`] shows every
//! stage.
//!
//! Invariant: this crate knows nothing of threads.

mod bind;
mod cache;
mod computed;
mod error;
mod estimates;
mod explain;
mod lists;
mod logical;
mod lower;
mod matching;
mod options;
pub mod physical;
mod plan;
mod rounded;
mod rules;
mod schema;
mod statistics;
mod strategies;
mod thresholds;
mod unknown;
mod words;

pub use bind::has_no_effect;

/// What the name begins with under which the object of a variable is kept, and that no path shows: an invisible letter, so that an
/// explanation can be read.
pub(crate) const HIDDEN: char = '\u{2063}';

/// Work on one step in a stage of planning, for [`values::watch`]: some microseconds.
const TICKS: usize = 64;

pub use cache::{For, PlanCache};
pub use error::PlanError;
pub use explain::Explanation;
pub use options::Options;
pub use plan::{Planned, plan};
pub use rounded::Rounded;
pub use rules::RuleSet;
pub use schema::Schema;
pub use statistics::{Known, Statistics};
