//! `group`, `groupCount`, side-effects.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Steps that gather.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("group", 3, Needs::Any, |this, kind| {
        let step = this.group(Step::new("group"), kind);
        (vec![step], Kind::Map(Vec::new()))
    }),
    Production::new("groupCount", 2, Needs::Any, |this, kind| {
        let step = Step::new("groupCount");
        let step =
            if this.rng.u8(..3) > 0 || this.pending.is_some() { step.with(this.by(kind)) } else { step };
        (vec![step], Kind::Map(Vec::new()))
    }),
    Production::new("group(key)", 1, Needs::Any, |this, kind| {
        let name = this.effect(Kind::Map(Vec::new()));
        let step = this.group(Step::new("group").name_arg(&name), kind);
        (vec![step], kind.clone())
    }),
    Production::new("groupCount(key)", 1, Needs::Any, |this, kind| {
        let name = this.effect(Kind::Map(Vec::new()));
        let step = Step::new("groupCount")
            .name_arg(&name)
            .with(Step::new("by").child(this.productive_child(kind).0));
        (vec![step], kind.clone())
    }),
    Production::new("aggregate", 2, Needs::Any, aggregate),
    Production::new("aggregate(local)", 1, Needs::Any, |this, kind| {
        let name = this.effect(Kind::many(kind.clone()));
        (vec![Step::new("local").child(Step::new("aggregate").name_arg(&name))], kind.clone())
    }),
    Production::new("aggregate(read)", 2, Needs::Any, read_back),
    Production::new("tree(by)", 1, Needs::Any, |this, _| {
        let (child, _) = this.child(&Kind::Mixed);
        let by = Step::new("coalesce").child(child).child(Step::new("constant").arg("0"));
        (vec![Step::new("tree").with(Step::new("by").child(by))], Kind::Mixed)
    }),
    Production::new("tree", 1, Needs::Any, |_, _| (vec![Step::new("tree")], Kind::Mixed)),
    Production::new("cap", 1, Needs::Any, cap),
];

fn aggregate(this: &mut Generator<'_>, kind: &Kind) -> Made {
    if this.rng.bool() && this.pending.is_none() {
        let name = this.effect(Kind::many(kind.clone()));
        return (vec![Step::new("aggregate").name_arg(&name)], kind.clone());
    }
    let by = this.by(kind);
    let name = this.effect(Kind::many(Kind::Mixed));
    (vec![Step::new("aggregate").name_arg(&name).with(by)], kind.clone())
}

fn cap(this: &mut Generator<'_>, kind: &Kind) -> Made {
    if this.effects.is_empty() {
        let (mut steps, _) = aggregate(this, kind);
        let (more, kind) = cap_of(this);
        steps.extend(more);
        return (steps, kind);
    }
    cap_of(this)
}

fn cap_of(this: &mut Generator<'_>) -> Made {
    let (name, kind) = this.effects[this.rng.usize(..this.effects.len())].clone();
    (vec![Step::new("cap").name_arg(&name)], kind)
}

/// Gathers, and reads what was gathered so far: on the spot, or in a child further on.
fn read_back(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let name = this.effect(Kind::many(kind.clone()));
    let gather = Step::new("aggregate").name_arg(&name);
    let gather = match this.rng.u8(..4) {
        0 => Step::new("local").child(gather),
        1 => Step::new("sideEffect").child(gather),
        _ => gather,
    };
    let (mut read, made) = this.read_effect(&name, kind);
    if this.pending.is_none() && this.rng.bool() {
        let parent = this.pick(&["map", "flatMap", "local", "coalesce"]);
        read = vec![Step::new(parent).child(read)];
    }
    (std::iter::once(gather).chain(read).collect(), made)
}

impl Generator<'_> {
    /// What is in a side-effect, taken out of it at once, for it may go on growing.
    fn read_effect(&mut self, name: &str, kind: &Kind) -> Made {
        let reader = self.pick(&["select", "select", "cap"]);
        let read = Step::new(reader).name_arg(name);
        let (take, made) = match self.rng.u8(..4) {
            0 => (Step::new("unfold"), kind.clone()),
            1 => (Step::new("dedup").arg("local"), Kind::many(kind.clone())),
            _ => (Step::new("count").arg("local"), Kind::Number),
        };
        (vec![read, take], made)
    }

    fn group(&mut self, mut step: Step, kind: &Kind) -> Step {
        if self.rng.u8(..6) > 0 || self.pending.is_some() {
            step = step.with(self.by(kind));
            if self.rng.u8(..3) > 0 || self.pending.is_some() {
                step = step.with(match self.rng.u8(..4) {
                    0 if self.pending.is_none() => Step::new("by").child(Step::new("count")),
                    1 if self.pending.is_none() && matches!(kind, Kind::Vertex) => {
                        Step::new("by").name_arg("name")
                    }
                    _ => Step::new("by").child(self.child(kind).0),
                });
            }
        }
        step
    }

    /// The name of a side-effect that there will be.
    pub(super) fn effect(&mut self, made: Kind) -> String {
        // A list and a map under one name do not go together.
        let names = if matches!(made, Kind::Map(_)) { ["m", "k"] } else { ["x", "y"] };
        let name = if self.once_in(20) { "z" } else { self.pick(&names) }.to_owned();
        self.effects.push((name.clone(), made));
        name
    }
}
