//! The audit log: who came, from where, for what, and whether it was refused.
//!
//! Its lines are those of the target `audit`. What a client has sent is written as a quoted text, so that no line can be forged.

use access::{Denied, Identity};

use crate::Client;

/// What programs are told where it is not known who asks.
pub(crate) const EXCEPTION: &str = "mangrove.AuthenticationError";

/// Somebody has logged in.
pub(crate) fn login(client: &Client, identity: &Identity) {
    let by = if identity.is_by_token() { "token" } else { "password" };
    tracing::debug!(target: "audit", user = ?identity.user(), from = %client.address, by, "logged in");
}

/// Somebody was not let in.
pub(crate) fn denied(client: &Client, user: Option<&str>, denied: &Denied) {
    let why = match denied {
        Denied::Wrong => "wrong name or password",
        Denied::Token => "no such token",
        Denied::TooMany(_) => "too many failed logins",
        Denied::Busy => "too many logins",
    };
    // Whoever sends it chooses how long it is.
    let user = user.map(|user| user.chars().take(128).collect::<String>());
    tracing::warn!(target: "audit", ?user, from = %client.address, why, "login refused");
}

/// A request was refused for what it would do.
pub(crate) fn forbidden(client: &Client, kind: &str, why: &str) {
    tracing::warn!(target: "audit", user = ?client.user, from = %client.address, kind, ?why, "request refused");
}
