//! Names: `as`, `select`, `where` with names, `path`, `project`.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Steps that look at more than the current object.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("select", 4, Needs::Any, |this, kind| this.select(kind)),
    Production::new("select(map)", 3, Needs::Map, select_entry),
    Production::new("where(P)", 2, Needs::Any, where_names),
    Production::new("where(as)", 1, Needs::Vertex, where_pattern),
    Production::new("path", 2, Needs::Any, path),
    Production::new("path(by)", 1, Needs::Any, |this, _| {
        let mut step = Step::new("path");
        for _ in 0..this.rng.usize(1..3) {
            step = step.with(Step::new("by").child(this.fresh_productive_child(&Kind::Mixed)));
        }
        (vec![step], Kind::Path)
    }),
    Production::new("select(child)", 1, Needs::Map, |this, kind| {
        let entries = match kind {
            Kind::Map(entries) => entries.clone(),
            _ => Vec::new(),
        };
        let key = entries.first().map_or("a", |(key, _)| key);
        let made = entries.first().map_or(Kind::Mixed, |(_, of)| of.clone());
        let key = Step::new("constant").arg(format!("'{key}'"));
        let key = if this.rng.bool() { vec![key] } else { vec![Step::new("identity"), key] };
        (vec![Step::new("select").child(key)], made)
    }),
    Production::new("project", 2, Needs::Any, project),
];

fn select_entry(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let Kind::Map(entries) = kind else { return (Vec::new(), kind.clone()) };
    if entries.is_empty() {
        return (vec![Step::new("select").name_arg("a")], Kind::Mixed);
    }
    let (key, of) = entries[this.rng.usize(..entries.len())].clone();
    (vec![Step::new("select").name_arg(&key)], of)
}

fn where_names(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut steps = this.named(kind);
    let (name, named) = this.any_name();
    let op = this.pick(&["eq", "neq", "neq", "gt", "lt", "gte", "within", "without"]);
    let mut step = Step::new("where");
    if this.once_in(4) {
        let (other, _) = this.any_name();
        step = step.name_arg(&other);
    }
    step = step.arg(format!("{op}('{name}')"));
    if this.pending.is_some() || this.once_in(3) {
        step = step.with(this.fresh_by(&named));
    }
    steps.push(step);
    (steps, kind.clone())
}

/// `where(as('a').….as('b'))`.
fn where_pattern(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut steps = this.named(kind);
    let (name, named) = this.any_name();
    let (goal, _) = this.any_name();
    let (mut child, _) = this.child(&named);
    let start = Step::new("as").name_arg(&name);
    child.steps.insert(0, start);
    if this.rng.bool() {
        // The goal is to be the only name there.
        if let Some(last) = child.steps.last_mut()
            && !this.once_in(12)
        {
            last.after.retain(|modulator| modulator.name != "as");
        }
        child.steps.push(Step::new("as").name_arg(&goal));
    }
    steps.push(Step::new("where").child(child));
    (steps, kind.clone())
}

fn path(this: &mut Generator<'_>, _: &Kind) -> Made {
    let mut step = Step::new("path");
    match this.rng.u8(..16) {
        0 => step = step.with(Step::new("by").arg("T.label")),
        1 => step = step.with(Step::new("by").arg("T.id")),
        2..5 => step = step.with(Step::new("by")),
        5..7 if !this.scope.is_empty() => {
            let (name, _) = this.any_name();
            let end = this.pick(&["from", "to"]);
            step = step.with(Step::new(end).name_arg(&name));
        }
        _ => {}
    }
    (vec![step], Kind::Path)
}

fn project(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("project");
    let mut entries = Vec::new();
    let count = this.rng.usize(1..4);
    for key in ["p", "q", "r"].into_iter().take(count) {
        step = step.name_arg(key);
        entries.push((key.to_owned(), Kind::Mixed));
    }
    for entry in &mut entries {
        if this.once_in(5) && this.pending.is_none() {
            step = step.with(Step::new("by"));
            entry.1 = kind.clone();
        } else if this.pending.is_some() || this.rng.bool() {
            let (child, made) = this.child(kind);
            step = step.with(Step::new("by").child(child));
            entry.1 = made;
        } else {
            step = step.with(this.by(kind));
        }
    }
    (vec![step], Kind::Map(entries))
}

impl Generator<'_> {
    /// A child that something without a history enters, and that always yields something.
    fn fresh_productive_child(&mut self, kind: &Kind) -> crate::differential::ast::Traversal {
        let (child, _) = self.fresh_child(kind);
        Step::new("coalesce").child(child).child(Step::new("constant").arg("0")).into()
    }

    /// One of the names that there are, and what it names.
    pub(super) fn any_name(&mut self) -> (String, Kind) {
        match self.scope.len() {
            0 => ("a".into(), Kind::Mixed),
            count => self.scope[self.rng.usize(..count)].clone(),
        }
    }

    /// Makes sure that something has a name, and returns the step that gives it if nothing had.
    fn named(&mut self, kind: &Kind) -> Vec<Step> {
        if self.scope.is_empty() {
            self.scope.push(("a".into(), kind.clone()));
            return vec![Step::new("identity").with(Step::new("as").name_arg("a"))];
        }
        Vec::new()
    }

    /// Names the result of the last step, sometimes.
    pub(super) fn maybe_name(&mut self, steps: &mut [Step], kind: &Kind) {
        let Some(last) = steps.last_mut() else { return };
        if !self.once_in(8) || matches!(last.name, "discard" | "none") {
            return;
        }
        let name = self.pick(&["a", "b", "c"]);
        last.after.push(Step::new("as").name_arg(name));
        self.scope.retain(|(known, _)| known != name);
        self.scope.push((name.to_owned(), kind.clone()));
    }

    fn select(&mut self, kind: &Kind) -> Made {
        let mut steps = self.named(kind);
        let several = self.once_in(3) && self.scope.len() > 1;
        let mut step = Step::new("select");
        let pop = if self.once_in(4) { self.pick(&["last", "first", "all", "mixed"]) } else { "" };
        if !pop.is_empty() {
            step = step.arg(pop);
        }
        let mut names: Vec<(String, Kind)> = self.scope.clone();
        self.rng.shuffle(&mut names);
        names.truncate(if several { 2 } else { 1 });
        for (name, _) in &names {
            step = step.name_arg(name);
        }
        let of_one = names[0].1.clone();
        let by = self.pending.is_some() || self.once_in(4);
        let mut made = of_one.clone();
        if by {
            let modulator = self.fresh_by(&if pop == "all" { Kind::many(of_one.clone()) } else { of_one });
            step = step.with(modulator);
            made = Kind::Mixed;
        }
        if pop == "all" || pop == "mixed" {
            made = if pop == "all" { Kind::many(made) } else { Kind::Mixed };
        }
        if several {
            made = Kind::Map(names.iter().map(|(name, _)| (name.clone(), Kind::Mixed)).collect());
        }
        steps.push(step);
        (steps, made)
    }
}
