//! What stands between `g` and the first step: `with…`.

use super::{Generator, Kind};
use crate::differential::ast::{Step, Traversal};

/// Whether every traverser carries a sack from the beginning.
pub fn fills_sacks(instruction: &Step) -> bool {
    instruction.name == "withSack"
}

impl Generator<'_> {
    /// `with…`, seldom.
    pub(super) fn source_instructions(&mut self) -> Vec<Step> {
        match self.rng.u8(..48) {
            0 => vec![Step::new("withPath")],
            1 => {
                self.effects.push(("s".into(), Kind::many(Kind::Number)));
                vec![Step::new("withSideEffect").name_arg("s").arg("[1, 2]")]
            }
            2 => {
                self.effects.push(("s".into(), Kind::Number));
                vec![Step::new("withSideEffect").name_arg("s").arg("5")]
            }
            3 => vec![Step::new("withBulk").arg("false")],
            4 => vec![self.sacks(true)],
            5 => vec![self.sacks(false)],
            6 => vec![self.sacks(true), Step::new("withBulk").arg("false")],
            7 => vec![self.subgraph_strategy()],
            8 => vec![self.partition_strategy()],
            _ => Vec::new(),
        }
    }

    /// `withSack`, with an operator that adds up what merged traversers carry, or without.
    fn sacks(&mut self, merges: bool) -> Step {
        let step = Step::new("withSack").arg(self.pick(&["1", "2", "0", "1.0"]));
        if merges { step.arg(self.pick(&["sum", "sum", "min", "max", "mult"])) } else { step }
    }

    fn subgraph_strategy(&mut self) -> Step {
        let mut options = Vec::new();
        if self.once_in(2) {
            options.push(format!("vertices: {}", self.condition(&Kind::Vertex)));
        }
        if self.once_in(2) {
            options.push(format!("edges: {}", self.condition(&Kind::Edge)));
        }
        if self.once_in(3) || options.is_empty() {
            options.push(format!("vertexProperties: {}", self.condition(&Kind::VertexProperty)));
        }
        if self.once_in(4) {
            options.push("checkAdjacentVertices: false".to_owned());
        }
        Step::new("withStrategies").arg(format!("new SubgraphStrategy({})", options.join(", ")))
    }

    /// A child that most elements pass.
    fn condition(&mut self, of: &Kind) -> Traversal {
        let (key, value) = self.key(of);
        let has = Step::new("has").name_arg(key);
        let label = match of {
            Kind::Vertex => self.vertex_label(),
            _ => self.edge_label(),
        };
        match self.rng.u8(..6) {
            0 | 1 => has.into(),
            2 => Step::new("hasNot").name_arg(key).into(),
            3 if *of != Kind::VertexProperty => {
                Step::new("not").child(Step::new("hasLabel").name_arg(label)).into()
            }
            4 if *of == Kind::Vertex => Step::new(self.pick(&["out", "in", "both", "bothE"])).into(),
            5 if *of == Kind::Edge => {
                let end = Step::new(self.pick(&["outV", "inV", "bothV"]));
                vec![end, Step::new("has").name_arg("age")].into()
            }
            _ => has.arg(format!("P.neq({})", self.literal(&value))).into(),
        }
    }

    fn partition_strategy(&mut self) -> Step {
        // Partitions are named by texts.
        let (key, values) =
            if self.once_in(3) { ("name", "'ann', 'Bob', 'carl'") } else { ("tag", "'red', 'green'") };
        let mut options = vec![format!("partitionKey: '{key}'"), format!("readPartitions: {{{values}}}")];
        if self.rng.bool() {
            options.push("writePartition: 'red'".to_owned());
        }
        if self.once_in(3) {
            options.push("includeMetaProperties: true".to_owned());
        }
        Step::new("withStrategies").arg(format!("new PartitionStrategy({})", options.join(", ")))
    }

    /// Changes sacks, merges traversers and shows what became of the sacks.
    pub(super) fn carry(&mut self, steps: &mut Vec<Step>, kind: &mut Kind) {
        if self.rng.bool() {
            let operator = self.pick(&["sum", "mult", "max", "minus"]);
            let number = Step::new("constant").arg(self.pick(&["1", "2", "3"]));
            steps.push(Step::new("sack").arg(operator).with(Step::new("by").child(number)));
        }
        if self.rng.bool() {
            steps.push(Step::new("barrier"));
        }
        if self.once_in(3) {
            self.some(steps, kind, 1);
            steps.push(Step::new("barrier"));
        }
        if self.rng.bool() {
            steps.push(Step::new("sack"));
            *kind = Kind::Number;
        }
    }
}
