//! Which lists get a second tree or lie in another order, how large their nodes are, and who builds what is missing while
//! commits go on. (What there is already, and what was noted of reads, is in `resident`.) It must never know why a list is read; it
//! sees notes of how often and how much.

mod resort;
mod secondary;

pub use resort::SortStatus;
pub(crate) use resort::start_sorting;
pub(crate) use secondary::start_building;
pub use secondary::{SecondaryState, SecondaryStatus};
