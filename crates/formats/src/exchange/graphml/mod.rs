//! GraphML, as TinkerPop has it: values under one key are one, and have one of six types; ids are texts.
//!
//! ```xml
//! <graphml><key id="age" for="node" attr.name="age" attr.type="int"/>…
//!   <graph edgedefault="directed">
//!     <node id="1"><data key="labelV">person</data><data key="age">29</data></node>…
//!     <edge id="7" source="1" target="2"><data key="labelE">knows</data></edge>…
//! ```
//!
//! Nodes and edges may come in any order, and an edge may name a node that is nowhere.

mod learned;
mod reader;
mod writer;

pub(super) use reader::Reader;
pub(super) use writer::Writer;

/// The key of labels of vertices.
const LABEL_V: &str = "labelV";
/// The key of labels of edges.
const LABEL_E: &str = "labelE";
