//! Ids, labels, property values and TinkerPop's type system.
//!
//! This crate is the vocabulary that every other crate shares: what a value *is* ([`Value`]), when two
//! values are equal, comparable or ordered (the [`mod@compare`] module, after TinkerPop's "Gremlin semantics"),
//! and how elements look inside a running query ([`VertexRef`], [`EdgeRef`]) and outside of it
//! ([`Vertex`], [`Edge`]).
//!
//! Invariant: this crate knows nothing of storage or of wire formats.

mod bulk_set;
pub mod compare;
mod display;
mod element;
mod extent;
mod give_way;
mod gtype;
mod map;
mod metrics;
pub mod number;
mod path;
mod refs;
mod seed;
mod set;
pub mod time;
mod token;
mod value;
pub mod watch;

pub use bulk_set::BulkSet;
pub use display::{excerpt, sequence};
pub use element::{Edge, Property, Vertex, VertexProperty};
pub use extent::{Extent, LARGE, Measure, Parts, Weighed};
pub use give_way::{SPELL, also_give_way, begin_spell, give_way, holding};
pub use gtype::GType;
pub use map::{Map, MapKind};
pub use metrics::{Metrics, StepMetrics};
pub use path::Path;
pub use refs::{EdgeRef, VertexRef};
pub use seed::{Seeded, SeededHasher, SeededMap, SeededSet};
pub use set::Set;
pub use time::{DateKind, DateTime, Duration};
pub use token::{Direction, T};
pub use value::{Str, Value};

pub use bigdecimal::BigDecimal;
pub use num_bigint::BigInt;
pub use uuid::Uuid;
