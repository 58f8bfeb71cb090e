//! The graph as bytes in the store: the log, the notes beside it, the sections by their keys, and the checkpoint that names them. It must never
//! know when something is written, nor what becomes of it in memory.

mod checkpoint;
mod log;
mod notes;
mod section_store;
mod view;

pub(crate) use checkpoint::{Checkpoint, Meta, StripeEntry};
pub(crate) use log::{CatalogGrowth, GroupRecord, Log, Record, definitions_bytes, encode_ops, name_bytes};
pub(crate) use notes::{Note, Notes};
pub(crate) use section_store::{HEADER, SectionStore, SectionWriter, header};
