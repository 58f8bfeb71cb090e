//! Loops, all of which end.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::{Step, Traversal};

/// `repeat` in its forms.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("repeat", 4, Needs::Vertex, repeat_vertices),
    Production::new("repeat(value)", 1, Needs::Number, repeat_numbers),
];

fn repeat_vertices(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let name = this.once_in(4).then(|| ["l", "m"][this.loops.len().min(1)].to_owned());
    this.loops.push(name.clone());
    let mut body = Vec::new();
    if this.once_in(4) {
        body.push(this.has(kind));
    }
    body.push(Step::new(this.pick(&["out", "in", "both", "both"])));
    body.extend(this.in_body(kind));
    let mut step = Step::new("repeat");
    if let Some(name) = &name {
        step = step.name_arg(name);
    }
    step = step.child(body);
    let step = this.control(step, kind);
    this.loops.pop();
    (vec![step], kind.clone())
}

fn repeat_numbers(this: &mut Generator<'_>, kind: &Kind) -> Made {
    this.loops.push(None);
    let mut body = vec![Step::new("math").arg("'_ + 1'")];
    body.extend(this.in_body(kind));
    let step = this.control(Step::new("repeat").child(body), kind);
    this.loops.pop();
    (vec![step], kind.clone())
}

impl Generator<'_> {
    /// What else a body does, such that it yields what it was given.
    fn in_body(&mut self, kind: &Kind) -> Vec<Step> {
        let child = |this: &mut Self, name| vec![Step::new(name).child(this.child(kind).0)];
        if self.pending.is_some() {
            let name = self.pick(&["where", "sideEffect", "filter", "not"]);
            return child(self, name);
        }
        match self.rng.u8(..12) {
            0 => vec![Step::new("simplePath")],
            1 => vec![Step::new("dedup")],
            2 => vec![Step::new("barrier")],
            3 => vec![Step::new("order").with(Step::new("by").arg("T.id")), Step::new("limit").arg("2")],
            4 => child(self, "where"),
            5 => child(self, "sideEffect"),
            6 => vec![Step::new("aggregate").name_arg(&self.effect(Kind::many(kind.clone())))],
            7 => vec![self.order(kind)],
            8 => vec![Step::new("identity").with(Step::new("as").name_arg("b"))],
            _ => Vec::new(),
        }
    }

    /// Conditions before or after a loop; one of them ends it within three iterations.
    fn control(&mut self, mut step: Step, kind: &Kind) -> Step {
        let most = self.rng.u8(..4);
        let times = Step::new("times").arg(most.to_string());
        let ends = if self.rng.bool() { times } else { self.until(most, kind) };
        let before = self.once_in(3);
        step = if before { step.after(ends) } else { step.with(ends) };
        if self.once_in(2) {
            let emit = Step::new("emit");
            let emit = if self.rng.bool() { emit } else { emit.child(self.child(kind).0) };
            step = if self.once_in(3) { step.after(emit) } else { step.with(emit) };
        }
        step
    }

    /// `until` a condition holds, or so many iterations are done.
    fn until(&mut self, most: u8, kind: &Kind) -> Step {
        let counted = vec![Step::new("loops"), Step::new("is").arg(format!("gte({most})"))];
        if self.once_in(3) && self.pending.is_none() {
            return Step::new("until").child(counted);
        }
        let (condition, _): (Traversal, _) = self.child(kind);
        Step::new("until").child(Step::new("or").child(counted).child(condition))
    }
}
