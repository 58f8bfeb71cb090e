//! What a snapshot sees, one's own writes included: elements, properties, runs of lists, look-ups in indexes, and the same
//! for a batch. It must never know how writes are judged, committed or stored; it changes nothing that another reader sees.

mod access;
mod access_order;
mod access_range;
mod ahead;
mod batched;
mod check_tree;
mod computed;
mod edge_ids;
mod few_of_many;
mod list;
mod notes;
mod overlay;
mod property;
mod ranked;
mod reader;
mod runs;
mod scan;
mod seek;
mod snapshot;
mod stretches;

pub(crate) use access::whole_number;
pub use access_order::OrderCursor;
pub use batched::{BlockLists, DegreeCache, Degrees, Ends, Extent, Lists, PropertyColumn};
pub use computed::{Computed, VertexValues};
pub use list::{List, Run};
pub use notes::Filtered;
pub(crate) use overlay::{Overlay, Own, OwnEdge};
pub use ranked::{StripeRanks, StripeTest};
pub use reader::Reader;
pub use runs::Place;
pub use scan::ScanCursor;
pub use seek::Seek;
pub use snapshot::Snapshot;
pub use stretches::Stretch;
