//! `explain()` and `profile()` of what explodes.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::{Body, Hostile, Target};
use super::{branches, loops, names, nesting, products, scripts, shared_parts, streams, texts};

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let of: fn(&mut Rng) -> Hostile = [
        loops::draw,
        products::draw,
        streams::draw,
        shared_parts::draw,
        texts::draw,
        names::draw,
        nesting::draw,
        scripts::draw,
        branches::draw,
    ][rng.usize(..9)];
    let query = of(rng);
    let explained = rng.bool();
    let end = if explained { ".explain()" } else { ".profile()" };
    let ended = [".profile()", ".explain()", ".toSet()"].iter().any(|last| query.text().ends_with(last));
    let body = match query.body {
        Body::Script(text, bindings) if !ended => Body::Script(text + end, bindings),
        body => body,
    };
    // What is explained is not run; what is profiled is not sent, and a value need not be looked at in full.
    let needs = Needs {
        value: 0.0,
        seconds: 0.0,
        bytes: if explained { 0.0 } else { query.needs.bytes },
        ..query.needs
    };
    let needs = if query.needs.seconds.is_infinite() && !explained { needs.endless() } else { needs };
    Hostile { body, needs, target: Target::Ground, ..query }
}
