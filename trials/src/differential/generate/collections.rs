//! Functions of one list, map or path.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Functions of what has members.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("unfold", 4, Needs::Container, unfold),
    Production::new("count(local)", 2, Needs::Container, |_, _| {
        (vec![Step::new("count").arg("local")], Kind::Number)
    }),
    Production::new("sum(local)", 1, Needs::Many, |this, kind| this.reduce_local("sum", kind)),
    Production::new("mean(local)", 1, Needs::Many, |this, kind| this.reduce_local("mean", kind)),
    Production::new("min(local)", 1, Needs::Many, |this, kind| this.reduce_local("min", kind)),
    Production::new("max(local)", 1, Needs::Many, |this, kind| this.reduce_local("max", kind)),
    Production::new("order(local)", 2, Needs::Container, order_local),
    Production::new("dedup(local)", 1, Needs::Many, |_, kind| {
        (vec![Step::new("dedup").arg("local")], kind.clone())
    }),
    Production::new("limit(local)", 1, Needs::Container, |this, kind| this.part_local("limit", kind)),
    Production::new("range(local)", 1, Needs::Container, |this, kind| this.part_local("range", kind)),
    Production::new("tail(local)", 1, Needs::Container, |this, kind| this.part_local("tail", kind)),
    Production::new("skip(local)", 1, Needs::Container, |this, kind| this.part_local("skip", kind)),
    Production::new("index", 1, Needs::Many, |this, kind| {
        let step = Step::new("index");
        match this.rng.bool() {
            true => {
                let with = Step::new("with").arg("WithOptions.indexer").arg("WithOptions.map");
                (vec![step.with(with)], Kind::Map(Vec::new()))
            }
            false => (vec![step], Kind::many(Kind::many(member(kind)))),
        }
    }),
    Production::new("combine", 1, Needs::Many, |this, kind| this.with_list("combine", kind)),
    Production::new("difference", 1, Needs::Many, |this, kind| this.with_list("difference", kind)),
    Production::new("disjunct", 1, Needs::Many, |this, kind| this.with_list("disjunct", kind)),
    Production::new("intersect", 1, Needs::Many, |this, kind| this.with_list("intersect", kind)),
    Production::new("merge", 1, Needs::Many, |this, kind| this.with_list("merge", kind)),
    Production::new("product", 1, Needs::Many, |this, kind| this.with_list("product", kind)),
    Production::new("combine(child)", 1, Needs::Many, |this, kind| {
        let name = this.pick(&["combine", "difference", "disjunct", "intersect", "merge", "product"]);
        let (mut child, _) = this.child(kind);
        child.steps.push(Step::new("fold"));
        let made =
            if name == "product" { Kind::many(Kind::many(member(kind))) } else { Kind::many(Kind::Mixed) };
        (vec![Step::new(name).child(child)], made)
    }),
    Production::new("order(local, by)", 1, Needs::Many, |this, kind| {
        let (child, _) = this.value_child(&member(kind));
        (vec![Step::new("order").arg("local").with(Step::new("by").child(child))], kind.clone())
    }),
    Production::new("conjoin", 1, Needs::Texts, |_, _| {
        (vec![Step::new("conjoin").name_arg("-")], Kind::Text)
    }),
    Production::new("reverse(list)", 1, Needs::Many, |_, kind| (vec![Step::new("reverse")], kind.clone())),
    Production::new("toUpper(local)", 1, Needs::Texts, |this, _| {
        let name = this.pick(&["toUpper", "toLower", "trim", "lTrim", "rTrim", "length", "asString"]);
        let made = if name == "length" { Kind::Number } else { Kind::Text };
        (vec![Step::new(name).arg("local")], Kind::many(made))
    }),
    Production::new("substring(local)", 1, Needs::Texts, |this, _| {
        let step = match this.rng.u8(..3) {
            0 => Step::new("substring").arg("local").arg("1"),
            1 => Step::new("replace").arg("local").name_arg("a").name_arg("b"),
            _ => {
                return (
                    vec![Step::new("split").arg("local").name_arg("n")],
                    Kind::many(Kind::many(Kind::Text)),
                );
            }
        };
        (vec![step], Kind::many(Kind::Text))
    }),
    Production::new("select(column)", 2, Needs::Map, |this, kind| {
        let column = this.pick(&["keys", "values"]);
        let of = match kind {
            Kind::Map(entries) if column == "values" => {
                entries.iter().map(|(_, kind)| kind.clone()).reduce(Kind::or).unwrap_or(Kind::Mixed)
            }
            Kind::Map(entries) if !entries.is_empty() => Kind::Text,
            _ => Kind::Mixed,
        };
        (vec![Step::new("select").arg(column)], Kind::many(of))
    }),
    Production::new("unfold(path)", 2, Needs::Path, |_, _| (vec![Step::new("unfold")], Kind::Mixed)),
    Production::new("count(path)", 2, Needs::Path, |_, _| {
        (vec![Step::new("count").arg("local")], Kind::Number)
    }),
];

/// What a list has in it.
pub fn member(kind: &Kind) -> Kind {
    match kind {
        Kind::Many(of) => (**of).clone(),
        _ => Kind::Mixed,
    }
}

fn unfold(this: &mut Generator<'_>, kind: &Kind) -> Made {
    match kind {
        Kind::Map(_) => {
            let column = this.pick(&["keys", "values"]);
            let made = Kind::Mixed;
            let steps = vec![Step::new("unfold"), Step::new("select").arg(column)];
            if this.rng.bool() { (steps, made) } else { (vec![Step::new("unfold")], Kind::Map(Vec::new())) }
        }
        _ => (vec![Step::new("unfold")], member(kind)),
    }
}

fn order_local(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("order").arg("local");
    match (kind, this.rng.u8(..4)) {
        (Kind::Map(_), 0..3) => {
            let column = this.pick(&["keys", "values"]);
            step = step.with(Step::new("by").arg(column));
        }
        (Kind::Many(of), 0) if **of == Kind::Vertex => step = step.with(Step::new("by").name_arg("name")),
        (_, 1) => step = step.with(Step::new("by").arg("desc")),
        _ => {}
    }
    (vec![step], kind.clone())
}

impl Generator<'_> {
    fn reduce_local(&mut self, name: &'static str, kind: &Kind) -> Made {
        if member(kind) == Kind::Number {
            return (vec![Step::new(name).arg("local")], Kind::Number);
        }
        let list = self.literal(&Kind::many(Kind::Number));
        (vec![Step::new("constant").arg(list), Step::new(name).arg("local")], Kind::Number)
    }

    fn part_local(&mut self, name: &'static str, kind: &Kind) -> Made {
        let mut steps = Vec::new();
        // Which members are first is part of an answer only where they are sorted.
        if self.rng.u8(..3) > 0 && matches!(kind, Kind::Many(of) if Needs::Comparable.take(of)) {
            steps.push(Step::new("order").arg("local"));
        }
        let mut step = Step::new(name).arg("local").arg(self.rng.u8(..3).to_string());
        if name == "range" {
            step = step.arg(self.rng.u8(2..5).to_string());
        }
        steps.push(step);
        // TinkerPop makes an object of a list with one member.
        let made = match kind {
            Kind::Many(_) => Kind::Mixed,
            other => other.clone(),
        };
        (steps, made)
    }

    fn with_list(&mut self, name: &'static str, kind: &Kind) -> Made {
        let of = match member(kind) {
            kind @ (Kind::Number | Kind::Text | Kind::Bool) => kind,
            _ => Kind::Mixed,
        };
        let step = Step::new(name).arg(self.literal(&Kind::many(of)));
        let made = if name == "product" { Kind::many(Kind::many(member(kind))) } else { kind.clone() };
        (vec![step], made)
    }
}
