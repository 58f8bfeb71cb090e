//! Results as columns: Arrow's, built without the GIL and handed over by its C interface, without a copy.
//!
//! ```text
//!  Results ─ a row after the other ─▶ Table: a Column for each key ─▶ one record batch ─▶ pyarrow, pandas, Polars …
//!                                       which widens with its values: int ─▶ long ─▶ double
//! ```
//!
//! | results | columns |
//! |---|---|
//! | maps (`project`, `valueMap`, `elementMap`) | one for each key |
//! | vertices | `id`, `label`, one for each property |
//! | edges | `id`, `label`, `source`, `target`, one for each property |
//! | properties | `key`, `value` |
//! | anything else | `value` |
//!
//! It must never know Python, but for the capsule.

mod column;
mod kinds;
mod stream;
mod table;

pub(crate) use stream::{NAME, capsule};
pub(crate) use table::Table;

/// A result that does not fit its column.
#[derive(Debug)]
pub(crate) struct Misfit(pub(crate) String);

impl Misfit {
    fn of(name: &str, problem: impl std::fmt::Display) -> Self {
        Self(format!("column {name:?}: {problem}"))
    }
}
