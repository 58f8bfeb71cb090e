//! Steps that send traversers into children.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Steps beside these that can have children.
pub static OTHER_PARENTS: &[&str] = &[
    "group",
    "groupCount",
    "group(key)",
    "groupCount(key)",
    "aggregate",
    "project",
    "dedup",
    "order",
    "select",
    "where(P)",
    "where(as)",
    "match",
    "sack",
    "sack(read)",
    "path(by)",
    "valueMap(by)",
    "tree(by)",
];

/// The first so many of these let pass or not.
pub const FILTERS: usize = 5;

/// Steps with children.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("where", 3, Needs::Any, |this, kind| this.filter("where", kind)),
    Production::new("filter", 2, Needs::Any, |this, kind| this.filter("filter", kind)),
    Production::new("not", 2, Needs::Any, |this, kind| this.filter("not", kind)),
    Production::new("and", 1, Needs::Any, |this, kind| this.connective("and", kind)),
    Production::new("or", 1, Needs::Any, |this, kind| this.connective("or", kind)),
    Production::new("map", 3, Needs::Any, |this, kind| this.one("map", kind)),
    Production::new("flatMap", 3, Needs::Any, |this, kind| this.one("flatMap", kind)),
    Production::new("local", 4, Needs::Any, |this, kind| this.one("local", kind)),
    Production::new("sideEffect", 2, Needs::Any, |this, kind| {
        let (child, _) = this.child(kind);
        (vec![Step::new("sideEffect").child(child)], kind.clone())
    }),
    Production::new("optional", 3, Needs::Any, |this, kind| {
        let (child, made) = this.child(kind);
        (vec![Step::new("optional").child(child)], made.or(kind.clone()))
    }),
    Production::new("coalesce", 3, Needs::Any, |this, kind| this.several("coalesce", kind)),
    Production::new("union", 3, Needs::Any, |this, kind| this.several("union", kind)),
    Production::new("choose", 3, Needs::Any, choose_if),
    Production::new("choose(option)", 3, Needs::Any, choose_option),
    Production::new("branch", 2, Needs::Any, branch),
];

fn choose_if(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("choose");
    step = if this.pending.is_none() && this.once_in(4) && Needs::Comparable.take(kind) {
        step.arg(this.predicate(kind))
    } else {
        step.child(this.child(kind).0)
    };
    let (then, made) = this.child(kind);
    step = step.child(then);
    if this.once_in(4) {
        return (vec![step], made.or(kind.clone()));
    }
    let (otherwise, other) = this.child(kind);
    (vec![step.child(otherwise)], made.or(other))
}

fn branch(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let (child, of) = this.value_child(kind);
    let (mut step, mut made) = (Step::new("branch").child(child), None);
    for _ in 0..this.rng.usize(1..4) {
        let value = match this.rng.u8(..5) {
            0 => "any".to_owned(),
            1 => "none".to_owned(),
            2 => this.predicate(&of),
            _ => this.literal(&of),
        };
        let (child, yields) = this.child(kind);
        step = step.with(Step::new("option").arg(value).child(child));
        made = Some(made.map_or(yields.clone(), |made: Kind| made.or(yields)));
    }
    (vec![step], made.unwrap_or(Kind::Mixed))
}

fn choose_option(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let (step, of) = match (kind, this.rng.u8(..3)) {
        (Kind::Vertex, 0) if this.pending.is_none() => (Step::new("choose").arg("T.label"), Kind::Text),
        (Kind::Vertex, 1) if this.pending.is_none() => {
            (Step::new("choose").child(Step::new("label")), Kind::Text)
        }
        _ => {
            let (child, of) = this.value_child(kind);
            (Step::new("choose").child(child), of)
        }
    };
    let (mut step, mut made) = (step, kind.clone());
    for _ in 0..this.rng.usize(1..4) {
        let value = match (kind, this.rng.u8(..4)) {
            (_, 0) => this.predicate(&of),
            (Kind::Vertex, _) if of == Kind::Text => format!("'{}'", this.vertex_label()),
            _ => this.literal(&of),
        };
        let (child, yields) = this.child(kind);
        step = step.with(Step::new("option").arg(value).child(child));
        made = made.or(yields);
    }
    if this.once_in(2) {
        let pick = this.pick(&["Pick.none", "Pick.unproductive"]);
        let (child, yields) = this.child(kind);
        step = step.with(Step::new("option").arg(pick).child(child));
        made = made.or(yields);
    }
    (vec![step], made)
}

impl Generator<'_> {
    fn filter(&mut self, name: &'static str, kind: &Kind) -> Made {
        let (mut child, _) = self.child(kind);
        // A name at the end of a `where` is one to be compared with.
        if let Some(last) = child.steps.last_mut()
            && name == "where"
            && !self.once_in(8)
        {
            last.after.retain(|modulator| modulator.name != "as");
        }
        (vec![Step::new(name).child(child)], kind.clone())
    }

    fn connective(&mut self, name: &'static str, kind: &Kind) -> Made {
        let mut step = Step::new(name);
        for _ in 0..self.rng.usize(1..4) {
            step = step.child(self.child(kind).0);
        }
        (vec![step], kind.clone())
    }

    fn one(&mut self, name: &'static str, kind: &Kind) -> Made {
        let (child, made) = self.child(kind);
        (vec![Step::new(name).child(child)], made)
    }

    fn several(&mut self, name: &'static str, kind: &Kind) -> Made {
        let mut step = Step::new(name);
        let mut made: Option<Kind> = None;
        for _ in 0..self.rng.usize(1..4) {
            let (child, yields) = if self.pending.is_none() && self.once_in(5) {
                (Step::new("identity").into(), kind.clone())
            } else {
                self.child(kind)
            };
            step = step.child(child);
            made = Some(match made {
                Some(made) => made.or(yields),
                None => yields,
            });
        }
        (vec![step], made.unwrap_or(Kind::Mixed))
    }
}
