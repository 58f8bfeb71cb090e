//! How traversals begin, and how they end.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::Step;

/// What to go on with where nothing else fits.
pub static IDENTITY: Production = Production::new("identity", 1, Needs::Any, identity);

/// Steps that begin anew, or do nothing.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("V", 1, Needs::Any, |this, _| this.vertices()),
    Production::new("E", 1, Needs::Any, |this, _| this.edges()),
    Production::new("inject", 1, Needs::Any, inject),
    Production::new("identity", 1, Needs::Any, identity),
];

fn identity(_: &mut Generator<'_>, kind: &Kind) -> Made {
    (vec![Step::new("identity")], kind.clone())
}

fn inject(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let of = match kind {
        Kind::Number | Kind::Text | Kind::Bool | Kind::Date => kind.clone(),
        _ => Kind::Number,
    };
    let mut step = Step::new("inject");
    for _ in 0..this.rng.usize(1..4) {
        step = step.arg(this.literal(&of));
    }
    (vec![step], kind.clone().or(of))
}

impl Generator<'_> {
    fn vertices(&mut self) -> Made {
        let mut step = Step::new("V");
        if self.once_in(3) {
            for _ in 0..self.rng.usize(1..4) {
                step = step.arg(self.vertex_id().to_string());
            }
        }
        (vec![step], Kind::Vertex)
    }

    fn edges(&mut self) -> Made {
        let mut step = Step::new("E");
        if self.once_in(3) {
            step = step.arg(self.edge_id().to_string());
        }
        (vec![step], Kind::Edge)
    }

    /// The beginning of a traversal.
    pub(super) fn start(&mut self) -> Made {
        match self.rng.u8(..12) {
            0 | 1 => self.edges(),
            2 => self.injected(),
            3 | 4 => self.merged(),
            _ => self.vertices(),
        }
    }

    fn injected(&mut self) -> Made {
        let kind = match self.rng.u8(..8) {
            0 => Kind::Text,
            1 => Kind::many(Kind::Number),
            2 => Kind::many(Kind::Text),
            3 => Kind::Date,
            4 => Kind::Bool,
            5 => Kind::Map(vec![("a".into(), Kind::Number), ("b".into(), Kind::Text)]),
            _ => Kind::Number,
        };
        let mut step = Step::new("inject");
        for _ in 0..self.rng.usize(1..5) {
            step = step.arg(self.literal(&kind));
        }
        (vec![step], kind)
    }

    /// A beginning after which traversers are merged, if anything merges them.
    pub(super) fn merged(&mut self) -> Made {
        let both = || Step::new("both");
        let (mut steps, kind) = match self.rng.u8(..12) {
            0 => (vec![Step::new("V"), both(), both(), both()], Kind::Vertex),
            1 => {
                let times = Step::new("times").arg(self.rng.u8(2..4).to_string());
                (vec![Step::new("V"), Step::new("repeat").child(both()).with(times)], Kind::Vertex)
            }
            2 => (vec![Step::new("V"), Step::new("out"), Step::new("in")], Kind::Vertex),
            3 => (vec![Step::new("E"), Step::new("bothV")], Kind::Vertex),
            4 => (vec![Step::new("V"), Step::new("bothE")], Kind::Edge),
            5 => {
                let step = Step::new("inject").arg("1").arg("1").arg("1").arg("2").arg("0");
                (vec![step], Kind::Number)
            }
            6 => (vec![Step::new("V"), Step::new("values").name_arg("tag")], Kind::Text),
            7 => (vec![Step::new("V"), both(), Step::new("values").name_arg("age")], Kind::Number),
            8 => (vec![Step::new("V"), both(), both(), Step::new("bothE")], Kind::Edge),
            _ => (vec![Step::new("V"), both(), both()], Kind::Vertex),
        };
        if !self.once_in(4) || kind != Kind::Vertex {
            steps.push(Step::new("barrier"));
        }
        (steps, kind)
    }

    /// The end: often something of which the order of the stream is no part.
    pub(super) fn end(&mut self, steps: &mut Vec<Step>, kind: &mut Kind) {
        match self.rng.u8(..16) {
            0 => steps.push(Step::new("count")),
            1 => steps.push(Step::new("order")),
            2 if *kind == Kind::Vertex => {
                steps.push(Step::new("order").with(Step::new("by").name_arg("name")));
            }
            3 => steps.push(Step::new("groupCount")),
            4 if *kind == Kind::Number => steps.push(Step::new("sum")),
            5 if !self.effects.is_empty() => {
                let (name, made) = self.effects[self.rng.usize(..self.effects.len())].clone();
                steps.push(Step::new("cap").name_arg(&name));
                *kind = made;
            }
            6 => steps.push(Step::new("path")),
            7 => {
                steps.push(Step::new("dedup"));
                steps.push(Step::new("count"));
            }
            _ => {}
        }
    }
}
