//! `match`.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::{Step, Traversal};

/// Patterns.
pub static PRODUCTIONS: &[Production] = &[Production::new("match", 3, Needs::Any, matched)];

fn matched(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut variables = vec![(if this.once_in(12) { "a" } else { "d" }.to_owned(), kind.clone())];
    let mut step = Step::new("match");
    // Names of before would be joined with, but for one that it begins with.
    let hidden = std::mem::take(&mut this.scope);
    if !hidden.is_empty() && this.once_in(3) {
        let given = hidden[this.rng.usize(..hidden.len())].clone();
        if variables.iter().all(|(name, _)| *name != given.0) {
            variables.push(given);
        }
    }
    // Which pattern comes first is nobody's promise, so none of them writes.
    let writes = std::mem::take(&mut this.writes);
    let pending = this.pending.take_if(|focus| super::is_write(focus));
    for _ in 0..this.rng.usize(1..4) {
        step = step.child(this.pattern(&mut variables));
    }
    if this.once_in(3) {
        let test = this.test_of(&variables);
        step = step.child(test);
    }
    this.scope = hidden;
    this.writes = writes;
    this.pending = this.pending.or(pending);
    if this.rng.bool() {
        let (name, of) = variables[this.rng.usize(..variables.len())].clone();
        return (vec![step, Step::new("select").name_arg(&name)], of);
    }
    (vec![step], Kind::Map(variables))
}

impl Generator<'_> {
    /// From a variable that there is to one that there is, or a new one.
    fn pattern(&mut self, variables: &mut Vec<(String, Kind)>) -> Traversal {
        let (from, kind) = variables[self.rng.usize(..variables.len())].clone();
        let (mut child, made) = match (&kind, self.rng.u8(..3)) {
            (Kind::Vertex, 0 | 1) if self.pending.is_none() => {
                let name = self.pick(&["out", "in", "both"]);
                (Step::new(name).into(), Kind::Vertex)
            }
            (Kind::Vertex, _) if self.pending.is_none() => {
                let (key, made) = self.single_key(&kind);
                (Step::new("values").name_arg(key).into(), made)
            }
            _ => self.child(&kind),
        };
        unnamed(&mut child);
        child.steps.insert(0, Step::new("as").name_arg(&from));
        let known = variables.iter().filter(|(name, of)| *of == made && *name != from).count() > 0;
        let to = if known && self.once_in(3) {
            variables.iter().find(|(name, of)| *of == made && *name != from).map(|(name, _)| name.clone())
        } else {
            ["e", "f", "h"].get(variables.len() - 1).map(|name| (*name).to_owned())
        };
        if let Some(to) = to {
            child.steps.push(Step::new("as").name_arg(&to));
            if variables.iter().all(|(name, _)| *name != to) {
                variables.push((to, made));
            }
        }
        child
    }

    /// A condition among variables.
    fn test_of(&mut self, variables: &[(String, Kind)]) -> Traversal {
        let one = |this: &mut Self| variables[this.rng.usize(..variables.len())].clone();
        let (name, kind) = one(self);
        let others: Vec<_> = variables.iter().filter(|(other, _)| *other != name).collect();
        if !others.is_empty() && self.once_in(2) {
            let other = &others[self.rng.usize(..others.len())].0;
            let op = self.pick(&["neq", "eq"]);
            return Step::new("where").name_arg(&name).arg(format!("{op}('{other}')")).into();
        }
        let (mut child, _) = self.child(&kind);
        unnamed(&mut child);
        child.steps.insert(0, Step::new("as").name_arg(&name));
        Step::new(self.pick(&["not", "where"])).child(child).into()
    }
}

/// Takes out names, which would be variables, and looks at paths: what the reference's patterns leave there is no promise.
fn unnamed(child: &mut Traversal) {
    child.for_each_step_mut(&mut |step| {
        step.after.retain(|modulator| modulator.name != "as");
        if matches!(step.name, "path" | "simplePath" | "cyclicPath" | "tree") {
            *step = Step::new("identity");
        }
    });
}
