//! `sack`.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// What a traverser carries.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("sack", 2, Needs::Any, |this, kind| this.sack(kind)),
    Production::new("sack(read)", 2, Needs::Any, |this, kind| {
        let (mut steps, _) = this.sack(kind);
        if this.rng.bool() {
            steps.extend(this.sack(kind).0);
        }
        steps.push(Step::new("sack"));
        (steps, Kind::Mixed)
    }),
];

impl Generator<'_> {
    /// Changes the sack.
    fn sack(&mut self, kind: &Kind) -> Made {
        let first = Step::new("sack").arg("assign").with(Step::new("by").child(self.number_child(kind)));
        let operator = self.pick(&["sum", "mult", "minus", "min", "max", "assign", "addAll"]);
        let mut steps = vec![first];
        if self.rng.bool() && operator != "addAll" {
            let child = self.number_child(kind);
            steps.push(Step::new("sack").arg(operator).with(Step::new("by").child(child)));
        }
        (steps, kind.clone())
    }

    /// A child that yields numbers, if it yields anything.
    fn number_child(&mut self, kind: &Kind) -> crate::differential::ast::Traversal {
        let (mut child, made) = self.child(kind);
        let (adapter, _) = self.adapt(&made, Needs::Number);
        child.steps.extend(adapter);
        child
    }
}
