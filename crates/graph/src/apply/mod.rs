//! Changing sections and trees in memory, one writer at a time and in stamp order: insert, split, join, merge. Readers go on
//! meanwhile. It must never know where a change comes from, be it a commit, the log or a load, nor whether it was durable.

mod adopt;
mod former;
mod indexes;
mod plant;
mod retype;
mod tree;
mod tree_build;
mod tree_output;
mod turn;
mod uproot;
mod writer;

pub(crate) use indexes::{check_combinations, order_keys};
pub(crate) use tree::{TreeWriter, belongs_behind};
pub(crate) use tree_build::TreeBuild;
pub(crate) use tree_output::{TreeOutput, ids_needed};
pub(crate) use writer::Application;
