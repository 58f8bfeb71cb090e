//! Sources: `V()`, `E()`, `inject()`. Each works per input traverser, so that they may also stand in mid-traversal.

mod at_once;
mod by_id;
mod index_lookup;
mod index_range;
mod inject;
mod scan;

pub(super) use by_id::ById;
pub(super) use index_lookup::IndexLookup;
pub(super) use index_range::IndexRange;
pub(super) use inject::Inject;
pub(super) use scan::Scan;
