//! Random traversals that mostly make sense.
//!
//! Every step is a [`Production`]: what it wants to be given, how often it comes, and how it is made. A case has a *focus*: a
//! production that comes in it for sure, at the top or in a child of a random step that merged traversers enter. So each step
//! is seen often, under every parent.

mod adapt;
mod algorithms;
mod branches;
mod collections;
mod elements;
mod filters;
mod grouping;
mod kind;
mod literals;
mod merges;
mod patterns;
mod repeat;
mod sacks;
mod scoping;
mod source_instructions;
mod sources;
mod stream;
mod values;
mod writes;

use fastrand::Rng;

use super::ast::{Script, Step, Traversal};
use super::graph::GraphSpec;
pub use kind::{Kind, Needs};

/// What a production makes: steps in a row, and the kind of what they yield.
pub type Made = (Vec<Step>, Kind);

/// A way to go on with a traversal.
pub struct Production {
    /// What it is called in the report: mostly its step.
    pub name: &'static str,
    /// How often it comes, beside the others.
    weight: u32,
    /// What it wants.
    needs: Needs,
    /// Makes it of a stream of that kind.
    make: fn(&mut Generator<'_>, &Kind) -> Made,
}

impl Production {
    const fn new(
        name: &'static str,
        weight: u32,
        needs: Needs,
        make: fn(&mut Generator<'_>, &Kind) -> Made,
    ) -> Self {
        Self { name, weight, needs, make }
    }
}

/// All productions.
pub fn productions() -> impl Iterator<Item = &'static Production> + Clone {
    [
        sources::PRODUCTIONS,
        elements::PRODUCTIONS,
        filters::PRODUCTIONS,
        values::PRODUCTIONS,
        collections::PRODUCTIONS,
        stream::PRODUCTIONS,
        grouping::PRODUCTIONS,
        scoping::PRODUCTIONS,
        branches::PRODUCTIONS,
        repeat::PRODUCTIONS,
        sacks::PRODUCTIONS,
        patterns::PRODUCTIONS,
        writes::PRODUCTIONS,
        merges::PRODUCTIONS,
        algorithms::PRODUCTIONS,
    ]
    .into_iter()
    .flatten()
}

/// Whether a production changes the graph.
pub fn is_write(production: &Production) -> bool {
    writes::PRODUCTIONS.iter().chain(merges::PRODUCTIONS).any(|write| write.name == production.name)
}

/// Productions that yield a traverser without a history.
const REDUCERS: &[&str] = &[
    "count",
    "sum",
    "mean",
    "min",
    "max",
    "fold",
    "fold(seed)",
    "group",
    "groupCount",
    "cap",
    "tree",
    "tree(by)",
];

/// Productions that always have children, beside the branches and loops.
const WITH_CHILDREN: &[&str] = &[
    "combine(child)",
    "concat(child)",
    "format(by)",
    "match",
    "order(local, by)",
    "path(by)",
    "sack",
    "sack(read)",
    "tree(by)",
    "valueMap(by)",
];

/// Children inside one another.
const MAX_DEPTH: usize = 3;

/// Makes traversals over one graph.
pub struct Generator<'g> {
    rng: Rng,
    graph: &'g GraphSpec,
    /// Names that `as` gave, with the kinds of what they name.
    scope: Vec<(String, Kind)>,
    /// Names of side-effects, with the kinds of what `cap` makes of them.
    effects: Vec<(String, Kind)>,
    /// The loops around, innermost last, with their names.
    loops: Vec<Option<String>>,
    /// Number of traversals around.
    depth: usize,
    /// Whether it may write.
    writes: bool,
    /// What the next child has to contain.
    pending: Option<&'static Production>,
}

/// What a case has to contain.
#[derive(Clone, Copy)]
pub struct Focus {
    /// The production.
    pub production: &'static Production,
    /// Whether it has to be in a child that merged traversers enter.
    pub inside: bool,
}

impl<'g> Generator<'g> {
    /// A generator of traversals over a graph.
    pub fn new(seed: u64, graph: &'g GraphSpec) -> Self {
        Self {
            rng: Rng::with_seed(seed),
            graph,
            scope: Vec::new(),
            effects: Vec::new(),
            loops: Vec::new(),
            depth: 0,
            writes: false,
            pending: None,
        }
    }

    /// A traversal; `writes` says whether it may change the graph.
    pub fn script(&mut self, focus: Focus, writes: bool) -> Script {
        if algorithms::is_algorithm(focus.production) {
            return self.algorithm(focus.production);
        }
        self.writes = writes;
        let source = self.source_instructions();
        let (mut steps, mut kind) = if focus.inside { self.merged() } else { self.start() };
        if focus.inside {
            self.pending = Some(focus.production);
            for _ in 0..4 {
                let parent = self.parent();
                self.extend(&mut steps, &mut kind, parent);
                if self.pending.is_none() {
                    break;
                }
            }
            // None of them had room for it.
            if let Some(focus) = self.pending.take() {
                let mut inside = Vec::new();
                let mut yielded = kind.clone();
                self.depth += 1;
                self.extend(&mut inside, &mut yielded, focus);
                self.depth -= 1;
                let parent = self.pick(&["local", "flatMap", "map"]);
                steps.push(Step::new(parent).child(inside));
                kind = yielded;
            }
        } else {
            self.some(&mut steps, &mut kind, 2);
            self.extend(&mut steps, &mut kind, focus.production);
        }
        if source.iter().any(source_instructions::fills_sacks) {
            self.carry(&mut steps, &mut kind);
        }
        self.some(&mut steps, &mut kind, 3);
        self.end(&mut steps, &mut kind);
        Script { source, body: Traversal { steps } }
    }

    /// Adds a production, and before it what makes its input of the stream.
    fn extend(&mut self, steps: &mut Vec<Step>, kind: &mut Kind, production: &'static Production) {
        if !production.needs.take(kind) {
            let (adapter, adapted) = self.adapt(kind, production.needs);
            steps.extend(adapter);
            *kind = adapted;
        }
        let (made, next) = (production.make)(self, kind);
        steps.extend(made);
        *kind = next;
        // What comes out of a reducer has no history, so names from before it name nothing.
        if REDUCERS.contains(&production.name) && !self.once_in(12) {
            self.scope.clear();
        }
        self.maybe_name(steps, kind);
    }

    /// Adds up to so many random productions.
    fn some(&mut self, steps: &mut Vec<Step>, kind: &mut Kind, most: usize) {
        for _ in 0..self.rng.usize(..=most) {
            let production = self.any(kind);
            self.extend(steps, kind, production);
        }
    }

    /// A random production that takes what there is.
    fn any(&mut self, kind: &Kind) -> &'static Production {
        let weight = |this: &Self, production: &Production| {
            let fits = production.needs.take(kind) && this.allows(production);
            // What takes anything would else crowd out what only this kind can.
            let special = if production.needs == Needs::Any { 1 } else { 3 };
            if fits { production.weight * special } else { 0 }
        };
        let all: u32 = productions().map(|production| weight(self, production)).sum();
        let mut left = self.rng.u32(..all.max(1));
        for production in productions() {
            let weight = weight(self, production);
            if left < weight {
                return production;
            }
            left -= weight;
        }
        &sources::IDENTITY
    }

    fn allows(&self, production: &Production) -> bool {
        let writes = is_write(production);
        let deep = branches::PRODUCTIONS.iter().chain(repeat::PRODUCTIONS).any(|b| b.name == production.name)
            || WITH_CHILDREN.contains(&production.name);
        // What it does in a child is the reference's secret.
        let inject = production.name == "inject" && self.depth > 0;
        !(writes && !self.writes || deep && self.depth >= MAX_DEPTH || inject)
    }

    /// A random production that has a child traversal.
    fn parent(&mut self) -> &'static Production {
        // What it does in a stream is the reference's secret, and a loop refuses it.
        if self.pending.is_some_and(|focus| focus.name == "inject") {
            return &branches::PRODUCTIONS[self.rng.usize(..branches::FILTERS)];
        }
        let parents: Vec<_> = branches::PRODUCTIONS
            .iter()
            .chain(repeat::PRODUCTIONS)
            .chain(productions().filter(|p| branches::OTHER_PARENTS.contains(&p.name)))
            .chain(writes::PRODUCTIONS.iter().chain(merges::PRODUCTIONS).filter(|_| self.writes))
            .collect();
        parents[self.rng.usize(..parents.len())]
    }

    /// A child traversal over a stream of that kind, and the kind of what it yields.
    fn child(&mut self, kind: &Kind) -> (Traversal, Kind) {
        self.depth += 1;
        let (scope, effects) = (self.scope.clone(), self.effects.len());
        let mut steps = Vec::new();
        let mut kind = kind.clone();
        let takes_focus = self.pending.is_some() && self.rng.u8(..4) > 0;
        match self.pending.take() {
            Some(focus) if takes_focus => {
                self.some(&mut steps, &mut kind, 1);
                self.extend(&mut steps, &mut kind, focus);
                self.some(&mut steps, &mut kind, 1);
            }
            later => {
                self.some(&mut steps, &mut kind, 2);
                if steps.is_empty() {
                    let production = self.any(&kind);
                    self.extend(&mut steps, &mut kind, production);
                }
                self.pending = later;
            }
        }
        // What a child names is seldom of use outside it, but it may be.
        if !self.once_in(8) {
            self.scope = scope;
        }
        if self.rng.u8(..4) == 0 {
            self.effects.truncate(effects);
        }
        self.depth -= 1;
        (Traversal { steps }, kind)
    }

    /// A child that something new enters, without a history: the names outside are not known inside.
    fn fresh_child(&mut self, kind: &Kind) -> (Traversal, Kind) {
        let hidden = match self.once_in(12) {
            true => self.scope.clone(),
            false => std::mem::take(&mut self.scope),
        };
        let made = self.child(kind);
        self.scope = hidden;
        made
    }

    /// A child that always yields something, mostly.
    fn productive_child(&mut self, kind: &Kind) -> (Traversal, Kind) {
        let (child, made) = self.value_child(kind);
        if self.once_in(3) || child.steps.last().is_some_and(|last| last.name == "count") {
            return (child, made);
        }
        let otherwise = Step::new("constant").arg(self.literal(&made));
        (Step::new("coalesce").child(child).child(otherwise).into(), made)
    }

    /// A child that yields something to sort or group by, if it yields anything.
    fn value_child(&mut self, kind: &Kind) -> (Traversal, Kind) {
        let (mut child, yielded) = self.child(kind);
        if Needs::Comparable.take(&yielded) || self.rng.u8(..6) == 0 {
            return (child, yielded);
        }
        if self.rng.bool() {
            child.steps.push(Step::new("count"));
            return (child, Kind::Number);
        }
        let (adapter, adapted) = self.adapt(&yielded, Needs::Comparable);
        child.steps.extend(adapter);
        (child, adapted)
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.usize(..of.len())]
    }

    /// True once in so many times.
    fn once_in(&mut self, times: u8) -> bool {
        self.rng.u8(..times) == 0
    }
}
