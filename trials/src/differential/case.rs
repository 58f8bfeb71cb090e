//! Cases: a traversal over a graph.

use fastrand::Rng;

use super::ast::Script;
use super::generate::{Focus, Generator, is_write, productions};
use super::graph::GraphSpec;
use super::patterns::any_step;

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// The graph.
    pub graph: GraphSpec,
    /// The traversal.
    pub script: Script,
    /// Whether it writes, if anybody gets there.
    pub writes: bool,
}

/// Steps that change the graph.
const WRITES: &[&str] = &["addE", "addV", "drop", "mergeE", "mergeV", "property"];

/// Cases in a row that have one graph.
pub const CASES_PER_GRAPH: u64 = 20;

/// Productions that no other brings along, and that have much to fail at: once more for each time that they stand here.
const RARE: &[&str] = &[
    "addE",
    "addE",
    "any",
    "combine",
    "conjoin",
    "connectedComponent",
    "dateAdd",
    "dateDiff",
    "difference",
    "disjunct",
    "element",
    "hasKey",
    "hasValue",
    "index",
    "inject",
    "key",
    "mean(local)",
    "merge",
    "min(local)",
    "pageRank",
    "peerPressure",
    "product",
    "shortestPath",
    "substring(local)",
    "toUpper(local)",
    "value",
];

/// Mixes seeds and numbers of cases, so that neighbours have nothing in common.
fn mixed(seed: u64, number: u64, what: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number.wrapping_mul(0xD1B5_4A32_D192_ED03) ^ what;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Case {
    /// The case of that number under a seed: the same whatever ran before it. Of a hundred, so many may write.
    pub fn random(seed: u64, number: u64, writes: u64) -> Self {
        let graph = GraphSpec::random(&mut Rng::with_seed(mixed(seed, number / CASES_PER_GRAPH, 1)));
        let mut rng = Rng::with_seed(mixed(seed, number, 2));
        let allowed = productions().filter(|production| writes > 0 || !is_write(production));
        // Those that would else be compared too seldom, more than once.
        let again =
            RARE.iter().flat_map(|rare| allowed.clone().filter(move |production| production.name == *rare));
        let all: Vec<_> = allowed.clone().chain(again).collect();
        // Each production in turn, two times of three in a child that merged traversers enter.
        let place = number as usize;
        let focus =
            Focus { production: all[place % all.len()], inside: !(place / all.len()).is_multiple_of(3) };
        let writes = is_write(focus.production) || rng.u64(..100) < writes;
        let script = Generator::new(rng.u64(..), &graph).script(focus, writes);
        Self::of(graph, script)
    }

    /// A traversal over a graph.
    fn of(graph: GraphSpec, script: Script) -> Self {
        let writes = any_step(&script.body.steps, &|step| WRITES.contains(&step.name));
        Self { graph, script, writes }
    }

    /// Another traversal over the same graph.
    pub fn with(&self, script: Script) -> Self {
        Self::of(self.graph.clone(), script)
    }

    /// Whether the order of results is part of the answer.
    pub fn is_ordered(&self) -> bool {
        self.script.body.steps.last().is_some_and(|step| step.name == "order")
    }
}
