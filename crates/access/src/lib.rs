//! Who may do what.
//!
//! A server has users; each has a [`Role`] on graphs, and proves who he is by a password or a token. Where there are no users,
//! everybody may do everything but make some.
//!
//! ```text
//!   credentials ──▶ Gate ──▶ Identity          who it is, and by what he has proved it
//!   Identity, graph ──▶ Registry ──▶ Rights    what he may do there now: asked for each request, since it may change
//! ```
//!
//! | file | what |
//! |---|---|
//! | `role.rs` | roles, and the rights that follow from them |
//! | `registry.rs`, `records.rs` | users and tokens in memory and in a store |
//! | `gate.rs` | from credentials to somebody |
//! | `password.rs`, `hasher.rs` | argon2id, on one thread |
//! | `remembered.rs` | credentials that were verified a moment ago |
//! | `guesses.rs` | failed logins slow down |
//! | `token.rs` | tokens |
//!
//! It must never know sockets and protocols, nor what a graph is beside its name.

mod error;
mod gate;
mod guesses;
mod hasher;
mod password;
mod records;
mod registry;
mod remembered;
mod role;
mod tenants;
mod token;

pub use error::{AccessError, Denied};
pub use gate::{Credentials, Gate, Told};
pub use password::HASHING_BYTES;
pub use registry::{Identity, Registry, TokenInfo, UserInfo};
pub use role::{EVERY_GRAPH, Grants, NoRole, Rights, Role, role_on};
pub use tenants::{Tenant, TenantBounds, TenantSettings, Tenants};
