//! GraphSON: a vertex after the other, each with its edges.
//!
//! ```text
//! {"id":…,"label":"person","inE":{"knows":[{"id":…,"outV":…,"properties":{"weight":…}}]},"outE":{…},
//!  "properties":{"name":[{"id":…,"value":"marko","properties":{…}}]}}
//! ```
//!
//! An edge is in the file twice, at both of its ends. As TinkerPop's reader does, this one takes it from `inE`; of what
//! is in `outE` it only counts that nothing is missing. Who reads a file twice ([`Edges`]) gets edges that are at one end alone, too.

mod json;
mod reader;
mod value;
mod writer;

pub(super) use json::json_of_line;
pub(super) use reader::{Edges, Reader};
pub(super) use writer::Writer;
