//! Gryo: a vertex after the other, each with its edges, as Kryo 3 and TinkerPop's serializer of star graphs have them.
//!
//! ```text
//! "gio" 13 bytes of 0 │ star graph │ terminator         (again for each vertex)
//!
//! star graph:  1 (a new object)  0x80 (version)
//!              properties of edges: a map from their ids to maps      meta-properties: a map from ids of properties to maps
//!              id  label  edges that enter  edges that leave  properties: key, values with their ids
//! edges:       whether there are any, number of labels, and for each: label, number, (id, id of the other end)…
//! object:      class (0: null; otherwise its number and 2), then, unless it is a number: 1, or what was read before
//! ```
//!
//! Integers are of variable length, those of [`class`]es and counts without a sign. Classes are those that TinkerPop
//! registers and a property can have the type of.

mod class;
mod input;
mod output;
mod reader;
mod writer;

pub(super) use reader::Reader;
pub(super) use writer::Writer;

/// How each vertex begins.
const HEADER: [u8; 16] = *b"gio\0\0\0\0\0\0\0\0\0\0\0\0\0";
/// What ends it: an object of its own, with an array of eight bytes.
const TERMINATOR: [u8; 12] = [0x0f, 1, 1, 9, 0x3a, 0x15, 0x8a, 0x11, 0x70, 0x9b, 0x99, 0x96];
/// The version of the serializer of star graphs.
const STAR_GRAPH: u8 = 0x80;

#[cfg(test)]
mod tests;
