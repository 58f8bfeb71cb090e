//! Steps with state over the stream.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Reducers, parts of the stream, order and barriers.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("count", 3, Needs::Any, |_, _| (vec![Step::new("count")], Kind::Number)),
    Production::new("sum", 3, Needs::Number, |_, _| (vec![Step::new("sum")], Kind::Number)),
    Production::new("mean", 2, Needs::Number, |_, _| (vec![Step::new("mean")], Kind::Number)),
    Production::new("min", 2, Needs::Comparable, |_, kind| (vec![Step::new("min")], kind.clone())),
    Production::new("max", 2, Needs::Comparable, |_, kind| (vec![Step::new("max")], kind.clone())),
    Production::new("fold", 3, Needs::Any, |this, kind| {
        let order = this.once_in(3) && Needs::Atom.take(kind);
        let order = order.then(|| Step::new("order"));
        (order.into_iter().chain([Step::new("fold")]).collect(), Kind::many(kind.clone()))
    }),
    Production::new("fold(seed)", 1, Needs::Number, |this, _| {
        let (seed, operator) = (this.number(), this.pick(&["sum", "mult", "min", "max"]));
        (vec![Step::new("fold").arg(seed).arg(operator)], Kind::Number)
    }),
    Production::new("dedup", 3, Needs::Any, dedup),
    Production::new("order", 2, Needs::Any, |this, kind| {
        let step = this.order(kind);
        (vec![step], kind.clone())
    }),
    Production::new("order(twice)", 1, Needs::Any, |this, kind| this.order_twice(kind)),
    Production::new("limit", 3, Needs::Any, |this, kind| this.part("limit", kind)),
    Production::new("range", 2, Needs::Any, |this, kind| this.part("range", kind)),
    Production::new("skip", 2, Needs::Any, |this, kind| this.part("skip", kind)),
    Production::new("tail", 2, Needs::Any, |this, kind| this.part("tail", kind)),
    Production::new("barrier", 2, Needs::Any, |this, kind| {
        let step = Step::new("barrier");
        let step = if this.once_in(4) { step.arg(this.rng.u8(1..5).to_string()) } else { step };
        (vec![step], kind.clone())
    }),
    Production::new("timeLimit", 1, Needs::Any, |_, kind| {
        // More than either takes.
        (vec![Step::new("timeLimit").arg("60000L")], kind.clone())
    }),
    Production::new("sample", 1, Needs::Any, sample),
    Production::new("discard", 1, Needs::Any, |this, kind| {
        // Nothing goes on behind it, so mostly it stands in a child.
        let step = Step::new("discard");
        if this.depth > 0 { (vec![step], kind.clone()) } else { (vec![Step::new("identity")], kind.clone()) }
    }),
];

fn dedup(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("dedup");
    match this.rng.u8(..6) {
        0 if !this.scope.is_empty() => {
            for _ in 0..this.rng.usize(1..3) {
                let (label, _) = this.any_name();
                step = step.name_arg(&label);
            }
        }
        1 | 2 => step = step.with(this.by(kind)),
        _ => {}
    }
    (vec![step], kind.clone())
}

/// Of more than there can be, so that nothing is left to chance.
fn sample(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let count = if this.once_in(4) { "1" } else { "100000" };
    let step = Step::new("sample").arg(count);
    match count {
        "1" => (vec![step, Step::new("count")], Kind::Number),
        _ => (vec![step], kind.clone()),
    }
}

impl Generator<'_> {
    /// `order()`, by something or nothing.
    pub(super) fn order(&mut self, kind: &Kind) -> Step {
        let mut step = Step::new("order");
        for _ in 0..self.rng.usize(..3) {
            let mut by = self.by(kind);
            if self.rng.bool() {
                by = by.arg(self.pick(&["asc", "desc", "Order.desc"]));
            }
            step = step.with(by);
        }
        step
    }

    /// A rough order behind an exact one, which those stay in that are equal in the second.
    fn order_twice(&mut self, kind: &Kind) -> Made {
        let (exact, rough) = match kind {
            Kind::Vertex | Kind::Edge => {
                (Step::new("order").with(Step::new("by").arg("T.id")), Step::new("by").arg("T.label"))
            }
            _ => (Step::new("order"), Step::new("by").child(Step::new("constant").arg("1"))),
        };
        let mut steps = vec![exact, Step::new("order").with(rough)];
        if !self.once_in(3) {
            steps.push(Step::new("limit").arg(self.rng.u8(1..4).to_string()));
        }
        (steps, kind.clone())
    }

    /// Part of a stream, mostly of one whose order is known.
    fn part(&mut self, name: &'static str, kind: &Kind) -> Made {
        let mut steps = Vec::new();
        if self.rng.u8(..3) > 0 {
            match kind {
                Kind::Vertex | Kind::Edge => {
                    steps.push(Step::new("order").with(Step::new("by").arg(self.pick(&["T.id", "id"]))));
                }
                kind if Needs::Comparable.take(kind) => steps.push(Step::new("order")),
                _ => {}
            }
        }
        let mut step = Step::new(name).arg(self.rng.u8(..4).to_string());
        if name == "range" {
            let to = if self.once_in(4) { "-1".to_owned() } else { self.rng.u8(3..7).to_string() };
            step = step.arg(to);
        }
        steps.push(step);
        (steps, kind.clone())
    }

    /// As [`Self::by`], over something that has no history.
    pub(super) fn fresh_by(&mut self, kind: &Kind) -> Step {
        match self.pending.is_some() || self.once_in(2) {
            true => Step::new("by").child(self.fresh_child(kind).0),
            false => self.by(kind),
        }
    }

    /// `by`: a key, a token, a traversal, nothing.
    pub(super) fn by(&mut self, kind: &Kind) -> Step {
        let by = Step::new("by");
        if self.pending.is_none() {
            match (kind, self.rng.u8(..9)) {
                (Kind::Vertex | Kind::Edge, 0..=3) => return by.name_arg(self.single_key(kind).0),
                (Kind::Vertex | Kind::Edge, 4) => return by.arg(self.pick(&["T.label", "T.id", "label"])),
                (Kind::Map(entries), 0..3) if !entries.is_empty() => {
                    let key = entries[self.rng.usize(..entries.len())].0.clone();
                    return by.name_arg(&key);
                }
                (_, 5) => return by,
                _ => {}
            }
        }
        by.child(self.value_child(kind).0)
    }
}
