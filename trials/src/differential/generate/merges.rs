//! `mergeV` and `mergeE`.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// Steps that find an element or make it.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("mergeV", 3, Needs::Any, merge_vertex),
    Production::new("mergeE", 3, Needs::Any, merge_edge),
];

fn merge_vertex(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("mergeV");
    let searched = match this.rng.u8(..8) {
        0 => format!("[(T.id): {}L]", this.vertex_id()),
        1 => format!("[(T.label): '{}', (T.id): {}L]", this.vertex_label(), this.vertex_id()),
        2 => "[:]".into(),
        3 | 4 => format!("[(T.label): '{}', name: {}]", this.vertex_label(), this.text()),
        5 => format!("[name: {}]", this.text()),
        _ => format!("[(T.label): '{}', age: {}]", this.vertex_label(), this.number()),
    };
    step = match this.rng.u8(..3) {
        0 => step.child(Step::new("constant").arg(&searched)),
        _ => step.arg(&searched),
    };
    let step = this.merge_options(step, kind, &Kind::Vertex);
    (vec![step], Kind::Vertex)
}

fn merge_edge(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let (from, to) = (this.vertex_id(), this.vertex_id());
    let label = this.edge_label();
    let by_option = this.once_in(3);
    let from = if by_option { "Merge.outV".into() } else { format!("{from}L") };
    let searched = match this.rng.u8(..4) {
        0 => format!("[(T.label): '{label}', (Direction.from): {from}]"),
        1 => format!(
            "[(T.label): '{label}', (Direction.from): {from}, (Direction.to): {to}L, weight: {}]",
            this.number()
        ),
        _ => format!("[(T.label): '{label}', (Direction.from): {from}, (Direction.to): {to}L]"),
    };
    let mut step = Step::new("mergeE").arg(&searched);
    if by_option {
        let option = Step::new("option").arg("Merge.outV");
        let id = this.vertex_id();
        step = step.with(match this.rng.bool() {
            true => option.child(Step::new("V").arg(id.to_string())),
            false => option.arg(format!("[(T.id): {id}L]")),
        });
    }
    let step = this.merge_options(step, kind, &Kind::Edge);
    (vec![step], Kind::Edge)
}

impl Generator<'_> {
    /// What is made, and what is changed.
    fn merge_options(&mut self, mut step: Step, kind: &Kind, of: &Kind) -> Step {
        for event in ["Merge.onCreate", "Merge.onMatch"] {
            if self.rng.bool() && self.pending.is_none() {
                continue;
            }
            let option = Step::new("option").arg(event);
            let (key, value) = self.single_key(of);
            step = step.with(match self.rng.u8(..3) {
                0 if self.pending.is_none() => option.arg(format!("[{key}: {}]", self.literal(&value))),
                1 if self.pending.is_none() => {
                    option.child(Step::new("constant").arg(format!("[{key}: {}]", self.literal(&value))))
                }
                _ => {
                    let (child, _) = self.productive_child(kind);
                    let by = Step::new("by").child(child);
                    option.child(Step::new("project").name_arg(key).with(by))
                }
            });
        }
        step
    }
}
