//! Steps that change the graph.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Writes.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("addV", 3, Needs::Any, add_vertex),
    Production::new("addE", 4, Needs::Vertex, add_edge),
    Production::new("property", 5, Needs::Element, set_property),
    Production::new("property(of property)", 4, Needs::VertexProperty, set_meta_property),
    Production::new("drop", 2, Needs::Element, drop_something),
    Production::new("drop(of property)", 2, Needs::VertexProperty, drop_meta_properties),
];

/// What vertex properties have properties of, in the graphs and in what is written.
const META_KEYS: &[&str] = &["since", "since", "until"];

fn add_vertex(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("addV");
    step = if this.pending.is_some() || this.once_in(6) {
        let (child, _) = this.text_child(kind);
        step.child(child)
    } else {
        step.name_arg(this.vertex_label())
    };
    for _ in 0..this.rng.usize(..3) {
        let property = this.property(kind, false);
        step = step.with(property);
    }
    (vec![step], Kind::Vertex)
}

fn add_edge(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("addE").name_arg(this.edge_label());
    for end in ["from", "to"] {
        if this.rng.bool() {
            step = step.with(this.end_of_edge(end, kind));
        }
    }
    if this.once_in(3) {
        let property = this.property(kind, true);
        step = step.with(property);
    }
    (vec![step], Kind::Edge)
}

fn set_property(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let step = this.property(kind, *kind == Kind::Edge);
    (vec![step], kind.clone())
}

/// Writes on a vertex property; then, often, what was written is read through the same traverser.
fn set_meta_property(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("property").name_arg(this.pick(META_KEYS));
    step = if this.pending.is_some() || this.once_in(3) {
        let (child, _) = this.productive_child(kind);
        step.child(child)
    } else {
        step.arg(this.literal(&Kind::Number))
    };
    (vec![step], kind.clone())
}

/// Takes properties from a vertex property, which goes on.
fn drop_meta_properties(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut taken = Step::new("properties");
    if this.rng.bool() {
        taken = taken.name_arg(this.pick(META_KEYS));
    }
    (vec![Step::new("sideEffect").child(vec![taken, Step::new("drop")])], kind.clone())
}

fn drop_something(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut steps = Vec::new();
    if this.once_in(3) {
        steps.push(Step::new("properties").name_arg(this.key(kind).0));
    }
    steps.push(Step::new("drop"));
    // Inside a child the stream goes on.
    if this.depth == 0 && this.rng.bool() {
        let side = Step::new("sideEffect").child(steps);
        return (vec![side, Step::new("count")], Kind::Number);
    }
    (steps, kind.clone())
}

impl Generator<'_> {
    pub(super) fn text_child(&mut self, kind: &Kind) -> (crate::differential::ast::Traversal, Kind) {
        let (mut child, made) = self.child(kind);
        let (adapter, made) = self.adapt(&made, Needs::Text);
        child.steps.extend(adapter);
        (child, made)
    }

    fn end_of_edge(&mut self, end: &'static str, kind: &Kind) -> Step {
        let step = Step::new(end);
        let named =
            self.scope.iter().rev().find(|(_, kind)| *kind == Kind::Vertex).map(|(name, _)| name.clone());
        match (named, self.rng.u8(..3)) {
            (Some(name), 0) => step.name_arg(&name),
            (_, 1) => step.child(Step::new("V").arg(self.vertex_id().to_string())),
            _ => {
                let (mut child, made) = self.child(kind);
                let (adapter, _) = self.adapt(&made, Needs::Vertex);
                child.steps.extend(adapter);
                step.child(child)
            }
        }
    }

    /// `property(…)` in one of its forms.
    fn property(&mut self, kind: &Kind, of_edge: bool) -> Step {
        let mut step = Step::new("property");
        let (key, of) = self.single_key(if of_edge { &Kind::Edge } else { &Kind::Vertex });
        if !of_edge && self.once_in(3) {
            step = step.arg(self.pick(&["single", "list", "set", "Cardinality.single"]));
        }
        step = step.name_arg(key);
        if self.pending.is_none() && self.once_in(8) {
            // Of several values the first counts.
            let first = Step::new("constant").arg(self.literal(&of));
            let second = Step::new("constant").arg(self.literal(&of));
            return step.child(Step::new("union").child(first).child(second));
        }
        if self.pending.is_some() || self.once_in(3) {
            let (child, _) = self.productive_child(kind);
            return step.child(child);
        }
        step = step.arg(self.literal(&of));
        if !of_edge && self.once_in(8) {
            step = step.name_arg("since").arg("2001");
        }
        step
    }
}
