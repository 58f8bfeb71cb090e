//! Which lists get a second tree or lie in another order, how large their nodes are, and who builds what is missing while
//! commits go on. It must never know why a list is read; it sees notes of how often and how much.

mod node_sizes;
mod resort;
mod secondary;

pub(crate) use node_sizes::NodeSizes;
pub use node_sizes::TreeUse;
pub use resort::SortStatus;
pub(crate) use resort::{Resorts, SortWorker};
pub use secondary::{Filtered, SecondaryState, SecondaryStatus};
pub(crate) use secondary::{Maintained, Secondaries, SecondaryWorker};
