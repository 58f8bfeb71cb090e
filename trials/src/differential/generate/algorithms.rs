//! The algorithms over whole graphs, which the reference runs on a graph computer. Behind them it takes what a vertex knows of
//! itself and its edges, so these cases are made by a plan of their own.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::{Script, Step};

/// One of them, at the beginning of a traversal.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("pageRank", 0, Needs::Vertex, page_rank),
    Production::new("peerPressure", 0, Needs::Vertex, peer_pressure),
    Production::new("connectedComponent", 0, Needs::Vertex, connected_component),
    Production::new("shortestPath", 0, Needs::Vertex, shortest_path),
];

/// What it leaves with each vertex.
const RESULT: &str = "result";

/// Whether it is one of them.
pub fn is_algorithm(production: &Production) -> bool {
    PRODUCTIONS.iter().any(|algorithm| algorithm.name == production.name)
}

fn option(key: &str, value: impl Into<String>) -> Step {
    Step::new("with").arg(key).arg(value)
}

fn page_rank(this: &mut Generator<'_>, _: &Kind) -> Made {
    let mut step = Step::new("pageRank");
    if this.once_in(3) {
        step = step.arg(this.pick(&["0.5", "0.9", "0.85d", "1.0"]));
    }
    step = step.with(option("PageRank.propertyName", format!("'{RESULT}'")));
    if this.rng.bool() {
        step = step.with(this.edges_of("PageRank.edges"));
    }
    if this.rng.bool() {
        step = step.with(option("PageRank.times", this.pick(&["0", "1", "2", "5", "30"])));
    }
    (vec![step], Kind::Vertex)
}

fn peer_pressure(this: &mut Generator<'_>, _: &Kind) -> Made {
    let mut step = Step::new("peerPressure").with(option("PeerPressure.propertyName", format!("'{RESULT}'")));
    if this.rng.bool() {
        step = step.with(this.edges_of("PeerPressure.edges"));
    }
    if this.rng.bool() {
        step = step.with(option("PeerPressure.times", this.pick(&["0", "1", "2", "5"])));
    }
    (vec![step], Kind::Vertex)
}

fn connected_component(this: &mut Generator<'_>, _: &Kind) -> Made {
    let named = option("'~tinkerpop.connectedComponent.propertyName'", format!("'{RESULT}'"));
    let mut step = Step::new("connectedComponent").with(named);
    if this.rng.bool() {
        step = step.with(this.edges_of("'~tinkerpop.connectedComponent.edges'"));
    }
    (vec![step], Kind::Vertex)
}

fn shortest_path(this: &mut Generator<'_>, _: &Kind) -> Made {
    let mut step = Step::new("shortestPath");
    if this.rng.bool() {
        let target = this.some_vertices();
        step = step.with(Step::new("with").arg("ShortestPath.target").child(target));
    }
    if this.rng.bool() {
        step = step.with(match this.once_in(3) {
            true => option("ShortestPath.edges", this.pick(&["OUT", "IN", "BOTH"])),
            false => this.edges_of("ShortestPath.edges"),
        });
    }
    if this.once_in(3) {
        step = step.with(option("ShortestPath.includeEdges", this.pick(&["true", "false"])));
    }
    if this.once_in(3) {
        step = step.with(option("ShortestPath.distance", "'weight'"));
    }
    if this.once_in(3) {
        step = step.with(option("ShortestPath.maxDistance", this.pick(&["0", "1", "2", "3"])));
    }
    (vec![step], Kind::Path)
}

impl Generator<'_> {
    fn edges_of(&mut self, key: &str) -> Step {
        let way = self.pick(&["outE", "outE", "inE", "bothE"]);
        let mut edges = Step::new(way);
        for _ in 0..self.rng.usize(0..3) {
            edges = edges.name_arg(self.edge_label());
        }
        Step::new("with").arg(key).child(edges)
    }

    /// A filter of vertices, by what each knows of itself.
    fn some_vertices(&mut self) -> Step {
        match self.rng.u8(..4) {
            0 => Step::new("hasLabel").name_arg(self.vertex_label()),
            1 => Step::new("has").name_arg(self.key(&Kind::Vertex).0),
            2 => Step::new("hasId").arg(self.vertex_id().to_string()),
            _ => Step::new("hasNot").name_arg(self.key(&Kind::Vertex).0),
        }
    }

    /// A traversal with an algorithm.
    pub(super) fn algorithm(&mut self, production: &Production) -> Script {
        // On a computer they are a set, however often one is named.
        let mut start = Step::new("V");
        if self.once_in(3) {
            start = start.arg(self.vertex_id().to_string());
        }
        let mut steps = vec![start];
        if self.once_in(3) {
            steps.push(self.some_vertices());
        }
        if self.once_in(4) {
            let way = self.pick(&["out", "in", "both"]);
            steps.push(Step::new(way));
        }
        let (made, kind) = (production.make)(self, &Kind::Vertex);
        steps.extend(made);
        match kind {
            Kind::Path => self.behind_paths(&mut steps),
            _ => self.behind_results(production.name == "pageRank", &mut steps),
        }
        Script { source: vec![Step::new("withComputer")], body: steps.into() }
    }

    fn behind_paths(&mut self, steps: &mut Vec<Step>) {
        match self.rng.u8(..6) {
            0 => steps.push(Step::new("count")),
            1 => steps.push(Step::new("count").arg("local")),
            2 => steps.extend([Step::new("unfold"), Step::new("id")]),
            3 => steps.extend([Step::new("dedup"), Step::new("count")]),
            _ => {}
        }
    }

    fn behind_results(&mut self, are_ranks: bool, steps: &mut Vec<Step>) {
        let by = |key: &str| Step::new("by").name_arg(key);
        let by_id = Step::new("by").arg("T.id");
        match self.rng.u8(..8) {
            // Ranks that should be equal may differ in their last digits, for each is a sum in an order of its own.
            1..=3 if are_ranks => {
                let pair = Step::new("project").name_arg("p").name_arg("q");
                steps.push(pair.with(by_id).with(by(RESULT)));
            }
            0 => steps.push(Step::new("values").name_arg(RESULT)),
            1 => steps.push(Step::new("groupCount").with(by(RESULT))),
            2 => {
                let values = Step::new("by").child(Step::new("count"));
                steps.push(Step::new("group").with(by(RESULT)).with(values));
            }
            3 => steps.extend([Step::new("dedup").with(by(RESULT)), Step::new("count")]),
            4 => {
                steps.extend([self.some_vertices(), Step::new("values").name_arg("name").name_arg(RESULT)]);
            }
            5 => steps.extend([Step::new("has").name_arg(RESULT), Step::new("id")]),
            _ => {
                let pair = Step::new("project").name_arg("p").name_arg("q");
                steps.push(pair.with(by_id).with(by(RESULT)));
            }
        }
    }
}
