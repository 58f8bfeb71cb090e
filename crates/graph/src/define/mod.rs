//! Changing the schema while the graph lives: a change is checked against what exists, committed, and what is in memory is
//! converted. What that takes is a [`Definer`]: the commits, and who may change definitions. Indexes and lists that are sorted are
//! definitions, too, so their wings stand above. It must never know how a definition is written down; the model says that.

mod change;
mod check;
mod definer;

pub(crate) use check::check_existing;
pub(crate) use definer::Definer;
