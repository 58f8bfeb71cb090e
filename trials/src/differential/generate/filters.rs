//! Filters on one traverser that have no children.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Filters.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("has", 6, Needs::Owner, |this, kind| {
        let step = this.has(kind);
        (vec![step], kind.clone())
    }),
    Production::new("hasLabel", 3, Needs::Element, has_label),
    Production::new("hasId", 2, Needs::Element, has_id),
    Production::new("hasNot", 1, Needs::Owner, |this, kind| {
        let step = Step::new("hasNot").name_arg(this.key(kind).0);
        (vec![step], kind.clone())
    }),
    Production::new("is", 4, Needs::Atom, is),
    Production::new("simplePath", 2, Needs::Any, |this, kind| this.path_filter("simplePath", kind)),
    Production::new("cyclicPath", 2, Needs::Any, |this, kind| this.path_filter("cyclicPath", kind)),
    Production::new("coin", 1, Needs::Any, |this, kind| {
        let p = this.pick(&["0.0", "1.0"]);
        (vec![Step::new("coin").arg(p)], kind.clone())
    }),
    Production::new("any", 2, Needs::Many, |this, kind| this.members("any", kind)),
    Production::new("all", 2, Needs::Many, |this, kind| this.members("all", kind)),
    Production::new("none", 2, Needs::Many, |this, kind| this.members("none", kind)),
];

fn has_label(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("hasLabel");
    let label =
        |this: &mut Generator<'_>| if *kind == Kind::Edge { this.edge_label() } else { this.vertex_label() };
    if this.once_in(4) {
        let op = this.pick(&["neq", "startingWith", "gt"]);
        return (vec![step.arg(format!("{op}('{}')", label(this)))], kind.clone());
    }
    for _ in 0..this.rng.usize(1..4) {
        step = step.name_arg(label(this));
    }
    (vec![step], kind.clone())
}

fn has_id(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let id = |this: &mut Generator<'_>| if *kind == Kind::Edge { this.edge_id() } else { this.vertex_id() };
    if this.once_in(3) {
        let op = this.pick(&["gt", "lte", "neq"]);
        return (vec![Step::new("hasId").arg(format!("{op}({})", id(this)))], kind.clone());
    }
    let mut step = Step::new("hasId");
    for _ in 0..this.rng.usize(1..3) {
        step = step.arg(id(this).to_string());
    }
    (vec![step], kind.clone())
}

fn is(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let step = match kind {
        Kind::Number | Kind::Text | Kind::Bool | Kind::Date if this.once_in(4) => {
            Step::new("is").arg(this.literal(kind))
        }
        _ => Step::new("is").arg(this.predicate(kind)),
    };
    (vec![step], kind.clone())
}

impl Generator<'_> {
    /// `has` in one of its forms.
    pub(super) fn has(&mut self, kind: &Kind) -> Step {
        let (key, of) = self.key(kind);
        let step = Step::new("has");
        match self.rng.u8(..10) {
            0 | 1 => step.name_arg(key),
            2 | 3 => step.name_arg(key).arg(self.literal(&of)),
            4 if *kind != Kind::VertexProperty => {
                let label = if *kind == Kind::Edge { self.edge_label() } else { self.vertex_label() };
                step.name_arg(label).name_arg(key).arg(self.predicate(&of))
            }
            5 if *kind == Kind::Vertex => step.arg("T.label").arg(format!("'{}'", self.vertex_label())),
            6 if *kind == Kind::Vertex => step.arg("T.id").arg(format!("gt({})", self.vertex_id())),
            _ => step.name_arg(key).arg(self.predicate(&of)),
        }
    }

    fn path_filter(&mut self, name: &'static str, kind: &Kind) -> Made {
        let mut step = Step::new(name);
        if !self.scope.is_empty() && self.once_in(4) {
            let (label, _) = self.any_name();
            let end = self.pick(&["from", "to"]);
            step = step.with(Step::new(end).name_arg(&label));
        } else if self.once_in(4) {
            step = step.with(self.pick_by());
        }
        (vec![step], kind.clone())
    }

    /// `by` of what may be anything.
    fn pick_by(&mut self) -> Step {
        match self.rng.bool() {
            true => Step::new("by").arg("T.label"),
            false => Step::new("by").child(Step::new("constant").arg("1")),
        }
    }

    fn members(&mut self, name: &'static str, kind: &Kind) -> Made {
        let of = match kind {
            Kind::Many(of) => (**of).clone(),
            _ => Kind::Mixed,
        };
        (vec![Step::new(name).arg(self.predicate(&of))], kind.clone())
    }
}
