//! Functions of one number, text, truth value or date.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Functions of one value.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("constant", 1, Needs::Any, |this, _| {
        let kind = this.pick(&[0u8, 1, 2]);
        let kind = [Kind::Number, Kind::Text, Kind::many(Kind::Number)][kind as usize].clone();
        (vec![Step::new("constant").arg(this.literal(&kind))], kind)
    }),
    Production::new("math", 4, Needs::Number, math),
    Production::new("asNumber", 1, Needs::Number, as_number),
    Production::new("asString", 1, Needs::Comparable, |_, _| (vec![Step::new("asString")], Kind::Text)),
    Production::new("asBool", 1, Needs::Number, |_, _| (vec![Step::new("asBool")], Kind::Bool)),
    Production::new("asDate", 1, Needs::Number, |_, _| {
        let whole = Step::new("asNumber").arg("GType.LONG");
        (vec![whole, Step::new("asDate")], Kind::Date)
    }),
    Production::new("dateAdd", 3, Needs::Date, |this, _| {
        let unit = this.pick(&["DT.day", "DT.hour", "DT.minute", "DT.second"]);
        let count = this.rng.i32(-2..3).to_string();
        (vec![Step::new("dateAdd").arg(unit).arg(count)], Kind::Date)
    }),
    Production::new("dateDiff", 3, Needs::Date, |this, _| {
        (vec![Step::new("dateDiff").arg(this.literal(&Kind::Date))], Kind::Mixed)
    }),
    Production::new("concat", 2, Needs::Text, |this, _| {
        let step = Step::new("concat").arg(this.text());
        let step = if this.rng.bool() { step.arg(this.text()) } else { step };
        (vec![step], Kind::Text)
    }),
    Production::new("concat(child)", 1, Needs::Text, |this, kind| {
        let (child, _) = this.text_child(kind);
        (vec![Step::new("concat").child(child)], Kind::Text)
    }),
    Production::new("format(by)", 1, Needs::Any, |this, kind| {
        let (child, _) = this.text_child(kind);
        let child = Step::new("coalesce").child(child).child(Step::new("constant").arg("'none'"));
        let step = Step::new("format").name_arg("%{_} %{_}").with(Step::new("by").child(child));
        (vec![step.with(Step::new("by").child(Step::new("constant").arg("1")))], Kind::Text)
    }),
    Production::new("length", 2, Needs::Text, |_, _| (vec![Step::new("length")], Kind::Number)),
    Production::new("toUpper", 1, Needs::Text, |_, _| (vec![Step::new("toUpper")], Kind::Text)),
    Production::new("toLower", 1, Needs::Text, |_, _| (vec![Step::new("toLower")], Kind::Text)),
    Production::new("trim", 1, Needs::Text, |_, _| (vec![Step::new("trim")], Kind::Text)),
    Production::new("lTrim", 1, Needs::Text, |_, _| (vec![Step::new("lTrim")], Kind::Text)),
    Production::new("rTrim", 1, Needs::Text, |_, _| (vec![Step::new("rTrim")], Kind::Text)),
    Production::new("reverse", 1, Needs::Text, |_, _| (vec![Step::new("reverse")], Kind::Text)),
    Production::new("replace", 1, Needs::Text, |this, _| {
        let from = this.pick(&["a", "n", "e", "x"]);
        (vec![Step::new("replace").name_arg(from).name_arg("yy")], Kind::Text)
    }),
    Production::new("substring", 2, Needs::Text, |this, _| {
        let step = Step::new("substring").arg(this.rng.i32(-3..4).to_string());
        let step = if this.rng.bool() { step.arg(this.rng.i32(-3..6).to_string()) } else { step };
        (vec![step], Kind::Text)
    }),
    Production::new("split", 1, Needs::Text, |this, _| {
        let separator = this.pick(&["n", " ", ",", "a"]);
        (vec![Step::new("split").name_arg(separator)], Kind::many(Kind::Text))
    }),
    Production::new("format", 1, Needs::Vertex, |this, _| {
        let text = this.pick(&["%{name} is %{age}", "%{name}", "n=%{n}"]);
        (vec![Step::new("format").name_arg(text)], Kind::Text)
    }),
    Production::new("loops", 1, Needs::Any, loops),
];

fn math(this: &mut Generator<'_>, _: &Kind) -> Made {
    let named = this.scope.iter().rev().find(|(_, kind)| *kind == Kind::Number).map(|(name, _)| name.clone());
    let text = match (named, this.rng.u8(..8)) {
        (Some(name), 0..3) => format!("_ + {name}"),
        (_, 0) => "_ * _ - 2".into(),
        (_, 1) => "abs(_) ^ 2".into(),
        (_, 2) => "_ % 3".into(),
        (_, 3) => "ceil(_ / 2)".into(),
        (_, 4) => "-_".into(),
        _ => "_ + 1".into(),
    };
    (vec![Step::new("math").arg(format!("'{text}'"))], Kind::Number)
}

fn as_number(this: &mut Generator<'_>, _: &Kind) -> Made {
    let step = Step::new("asNumber");
    let step = match this.rng.bool() {
        true => {
            let gtype = this.pick(&["INT", "LONG", "DOUBLE", "SHORT", "BIGINT"]);
            step.arg(format!("GType.{gtype}"))
        }
        false => step,
    };
    (vec![step], Kind::Number)
}

fn loops(this: &mut Generator<'_>, kind: &Kind) -> Made {
    match this.loops.last().cloned() {
        None => (vec![Step::new("identity")], kind.clone()),
        Some(Some(name)) if this.rng.bool() => (vec![Step::new("loops").name_arg(&name)], Kind::Number),
        Some(_) => (vec![Step::new("loops")], Kind::Number),
    }
}
