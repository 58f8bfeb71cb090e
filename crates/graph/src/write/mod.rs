//! What a transaction wants: it checks each write against schema and rules, and holds it until the commit. It must never
//! know how a commit is made durable or visible, nor change anything that a snapshot sees.

mod edge;
mod held;
mod note;
mod read_notes;
mod rules;
mod transaction;
mod turn;
mod vertex;
mod write_set;

pub use held::Allowance;
pub(crate) use held::{Held, HeldBytes};
pub use read_notes::ReadNotes;
pub use transaction::{Settled, Submitted, Transaction};
pub use turn::{Turn, TurnAnswer};
