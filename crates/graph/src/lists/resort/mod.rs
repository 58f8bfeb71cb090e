//! Sort keys of edge labels that have edges: declared, changed or dropped while reads and writes go on.
//!
//! Positions in a list are stable for a snapshot, so a list cannot simply be put in another order: a reader that stands in it would
//! skip some edges and meet others twice. Two things make the change sound, and both say for every snapshot, by its stamp alone,
//! in which order it reads a list.
//!
//! ```text
//! stamp              ───────────────── T ──────────────── U ────────────────▶
//! packed lists       as they lie       │  by the key, sorted when they are read; lie so once no snapshot is before T
//! the list of a tree as its tree lies ─────────────────── │  by the key, in another tree under the same name
//!                                                         │
//!                    sections: between orders ▶ sorted    └─ former root: for snapshots up to U, then deleted
//! ```
//!
//! * *Packed lists* turn with the commit of the schema, at T (`resident/orders.rs`): sections in memory are marked as *between orders*, and
//!   sections that are loaded are, too, while a snapshot from before T lives. In such a section a newer snapshot's list is put
//!   together sorted, as one with changes is; an older one finds the base as it lies. When the watermark has passed T all
//!   snapshots read by the key, however the base lies, so it is sorted at any time: when it is loaded, or by the sweep.
//!   Meanwhile no list leaves such a section for a tree, nor comes back: a tree has one order for all snapshots.
//! * *Lists of trees* turn one by one, each at a stamp of its own (`trees`). As a secondary tree, the list of a snapshot is sorted
//!   part by part in bounded memory and written past the cache, under storage ids that were put by; what commits meanwhile is
//!   logged beside it and applied at the end, a few changes at a time. Then, in one step of the writer, the tree gets the new
//!   root. The old one stays as its *former* root (`apply/former.rs`) for the snapshots up to then.
//! * *The sweep* (`sweep`) goes through the sections of a label: sorts them, each beside the commits, and then their trees. It waits
//!   for old snapshots without holding anything up. `worker` has the thread.
//!
//! Whoever reads asks each list for its order and trusts no schema; so a plan that counts on the key is right meanwhile, and reads
//! more than it needs of lists that do not lie so yet.
//!
//! *In the store* every section and every root says how it lies. The schema's record in the log begins the change; the catalog keeps
//! the label under [`Definitions::sorting`](crate::model::Definitions) until everything lies so and is flushed, and whoever
//! opens the graph before goes on. A new root is written over the old one, under the same key, in one write: before that, what was
//! written of the new tree is garbage, and after it, what is left of the old one; both are deleted when the sweep comes by. Replaying
//! the log, nobody reads: what is loaded then is sorted at once.
//!
//! *A key that is not declared any more* changes no list. What lies by it stays so, since nothing is gained by forgetting that;
//! sections that begin later lie as their edges arrive. Operations go on to say which values edges had under it, so that they are
//! found in trees by it.
//!
//! *A second change* while the first goes on is a further turn: a snapshot reads packed lists by the key of its time, and the sweep
//! sorts by the newest. A tree waits until nobody reads its former root.

mod sections;
mod status;
mod sweep;
mod trees;
mod worker;

pub use status::SortStatus;
pub(crate) use worker::start_sorting;

use crate::resident::Turn;
