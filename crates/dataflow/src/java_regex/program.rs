//! A pattern as an automaton: states that a character, a place or nothing leads on from.
//!
//! ```text
//! a*b    0: Fork(1, 3)   1: a ─▶ 2   2: Fork(1, 3)   3: b ─▶ 4   4: Match
//! ```

use values::watch;

use super::PatternError;
use super::syntax::{Node, Place};
use super::words::Ranges;

/// Most states of an automaton: counted repetitions are written out.
const MAX_STATES: usize = 1 << 16;
/// Most parts that are looked at to write it, some of which may have no states, and ranges of characters in them.
const MAX_WORK: usize = 1 << 20;

/// The number of a state.
pub(super) type State = u32;

/// What leads on from a state.
#[derive(Debug)]
pub(super) enum Step {
    /// A character, to the next state.
    Set(Ranges),
    /// Nothing, to either state.
    Fork(State, State),
    /// Nothing, to a state.
    Jump(State),
    /// Being at a place, to the next state.
    At(Place),
    /// That another automaton matches from here on, or does not, to the next state.
    Ahead { program: Program, negated: bool },
    /// The pattern has matched.
    Match,
}

/// An automaton; it begins in state 0.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    /// States with those of the automata within.
    len: usize,
    /// How deep they lie within each other.
    levels: u32,
    /// Parts and ranges that were looked at to write it.
    pub(super) work: usize,
    /// Whether it asks where words begin and end.
    pub(super) has_words: bool,
}

impl Program {
    /// The automaton of a pattern.
    pub(super) fn new(node: &Node) -> Result<Self, PatternError> {
        let mut work = 0;
        let program = Self::within(node, &mut work)?;
        Ok(Self { work, ..program })
    }

    /// Steps of a search in a text of so many bytes, at worst: each automaton within begins anew at each character of the one around it.
    pub(super) fn steps_for(&self, text: usize) -> usize {
        text.saturating_pow(self.levels + 1).saturating_mul(self.len)
    }

    fn within(node: &Node, work: &mut usize) -> Result<Self, PatternError> {
        let mut program = Self::default();
        program.add(node, work)?;
        program.push(Step::Match)?;
        Ok(program)
    }

    fn push(&mut self, step: Step) -> Result<usize, PatternError> {
        self.len += 1;
        if self.len > MAX_STATES {
            return Err(PatternError::TooLarge { what: "states", limit: MAX_STATES });
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn next(&self) -> State {
        self.steps.len() as State
    }

    fn add(&mut self, node: &Node, work: &mut usize) -> Result<(), PatternError> {
        watch::tick();
        *work += if let Node::Set(set) = node { set.ranges().len() } else { 1 };
        if *work > MAX_WORK {
            return Err(PatternError::TooLarge { what: "parts", limit: MAX_WORK });
        }
        match node {
            Node::Set(set) => drop(self.push(Step::Set(Ranges::new(set)))?),
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.add(node, work))?,
            Node::Either(nodes) => self.add_either(nodes, work)?,
            Node::Repeat { node, least, most } => self.add_repeat(node, *least, *most, work)?,
            Node::At(place) => {
                self.has_words |= *place == Place::WordBoundary;
                self.push(Step::At(*place))?;
            }
            Node::Ahead { node, negated } => {
                let program = Self::within(node, work)?;
                self.has_words |= program.has_words;
                self.len += program.len;
                self.levels = self.levels.max(program.levels + 1);
                self.push(Step::Ahead { program, negated: *negated })?;
            }
        }
        Ok(())
    }

    /// ```text
    /// Fork(a, b)   a: … Jump(end)   b: …   end:
    /// ```
    fn add_either(&mut self, nodes: &[Node], work: &mut usize) -> Result<(), PatternError> {
        let Some((last, others)) = nodes.split_last() else { return Ok(()) };
        let mut ends = Vec::with_capacity(others.len());
        for node in others {
            let fork = self.push(Step::Fork(0, 0))?;
            let first = self.next();
            self.add(node, work)?;
            ends.push(self.push(Step::Jump(0))?);
            self.steps[fork] = Step::Fork(first, self.next());
        }
        self.add(last, work)?;
        let end = self.next();
        ends.into_iter().for_each(|jump| self.steps[jump] = Step::Jump(end));
        Ok(())
    }

    /// `a{2,4}` is `aa(a(a)?)?`, and `a{2,}` is `aaa*`.
    fn add_repeat(
        &mut self,
        node: &Node,
        least: u32,
        most: Option<u32>,
        work: &mut usize,
    ) -> Result<(), PatternError> {
        for _ in 0..least {
            self.add(node, work)?;
        }
        match most {
            None => {
                let fork = self.push(Step::Fork(0, 0))?;
                let first = self.next();
                self.add(node, work)?;
                self.push(Step::Jump(fork as State))?;
                self.steps[fork] = Step::Fork(first, self.next());
            }
            Some(most) => {
                let mut forks = Vec::new();
                for _ in least..most {
                    forks.push(self.push(Step::Fork(0, 0))?);
                    self.add(node, work)?;
                }
                let end = self.next();
                forks.into_iter().for_each(|fork| self.steps[fork] = Step::Fork(fork as State + 1, end));
            }
        }
        Ok(())
    }
}
