//! An automaton, run over a text: all states that it may be in at once, from character to character.
//!
//! That takes time proportional to the text and to the number of states, whatever the two are, and one more time the text for
//! each level of look-ahead.

use values::watch;

use super::STEPS_PER_TICK;
use super::program::{Program, State, Step};
use super::syntax::Place;
use super::words::Words;

/// Steps after which the query's watch is told.
const STEPS: usize = 1 << 10;

/// A text that is searched.
pub(super) struct Simulation<'a> {
    text: &'a str,
    /// Where the line terminator at the end of the text begins: any that Java has, and `\n` alone. The end if there is none.
    last_line_end: usize,
    last_unix_line_end: usize,
    words: Option<Words>,
    /// Steps of which the watch has not been told.
    steps: usize,
}

/// States, each once.
#[derive(Default)]
struct States {
    dense: Vec<State>,
    sparse: Vec<State>,
}

impl States {
    fn with_room_for(states: usize) -> Self {
        Self { dense: Vec::with_capacity(states), sparse: vec![0; states] }
    }

    /// Whether it was not there yet.
    fn insert(&mut self, state: State) -> bool {
        let place = self.sparse[state as usize] as usize;
        if self.dense.get(place) == Some(&state) {
            return false;
        }
        self.sparse[state as usize] = self.dense.len() as State;
        self.dense.push(state);
        true
    }
}

impl<'a> Simulation<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let ends_in =
            |ends: &[&str]| ends.iter().find(|end| text.ends_with(**end)).map_or(0, |end| end.len());
        let any = ends_in(&["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]);
        Self {
            text,
            last_line_end: text.len() - any,
            last_unix_line_end: text.len() - ends_in(&["\n"]),
            words: None,
            steps: 0,
        }
    }

    /// Whether a part of the text matches.
    pub(super) fn find(&mut self, program: &Program) -> bool {
        if program.has_words {
            self.words = Some(Words::new(self.text));
        }
        self.run(program, 0, false)
    }

    /// Whether the text from `start` on, if it is `anchored`, or a part of it matches.
    fn run(&mut self, program: &Program, start: usize, anchored: bool) -> bool {
        let states = program.steps.len();
        let (mut now, mut then) = (States::with_room_for(states), States::with_room_for(states));
        let mut pending = Vec::new();
        let (mut at, mut before) = (start, self.text[..start].chars().next_back());
        loop {
            let after = self.text[at..].chars().next();
            if at == start || !anchored {
                pending.push(0);
            }
            if self.enter(program, &mut pending, &mut now, (at, before, after)) {
                return true;
            }
            let Some(c) = after else { return false };
            if anchored && now.dense.is_empty() {
                return false;
            }
            let next = now.dense.iter().filter(|state| match &program.steps[**state as usize] {
                Step::Set(set) => set.contains(c),
                _ => false,
            });
            pending.extend(next.map(|state| state + 1));
            self.spend(now.dense.len() + 1);
            now.dense.clear();
            std::mem::swap(&mut now, &mut then);
            (at, before) = (at + c.len_utf8(), Some(c));
        }
    }

    /// Enters states, and those that nothing leads to from them; whether one of them is a match. `pending` is empty afterwards.
    fn enter(
        &mut self,
        program: &Program,
        pending: &mut Vec<State>,
        into: &mut States,
        (at, before, after): (usize, Option<char>, Option<char>),
    ) -> bool {
        while let Some(state) = pending.pop() {
            if !into.insert(state) {
                continue;
            }
            self.spend(1);
            match &program.steps[state as usize] {
                Step::Set(_) => {}
                Step::Fork(first, second) => pending.extend([*first, *second]),
                Step::Jump(next) => pending.push(*next),
                Step::At(place) => {
                    if self.is_at(*place, at, before, after) {
                        pending.push(state + 1);
                    }
                }
                Step::Ahead { program, negated } => {
                    if self.run(program, at, true) != *negated {
                        pending.push(state + 1);
                    }
                }
                Step::Match => return true,
            }
        }
        false
    }

    fn is_at(&self, place: Place, at: usize, before: Option<char>, after: Option<char>) -> bool {
        let is_between = before == Some('\r') && after == Some('\n');
        match place {
            Place::Start => at == 0,
            Place::End => after.is_none(),
            Place::LastLineEnd { unix: false } => after.is_none() || at == self.last_line_end,
            Place::LastLineEnd { unix: true } => after.is_none() || at == self.last_unix_line_end,
            // Not at the end of the text, not even behind a line terminator.
            Place::LineStart { unix: false } => {
                after.is_some() && before.is_none_or(is_terminator) && !is_between
            }
            Place::LineStart { unix: true } => after.is_some() && before.is_none_or(|c| c == '\n'),
            Place::LineEnd { unix: false } => after.is_none_or(is_terminator) && !is_between,
            Place::LineEnd { unix: true } => after.is_none_or(|c| c == '\n'),
            Place::WordBoundary => {
                self.words.as_ref().is_some_and(|words| words.is_boundary(at, before, after))
            }
        }
    }

    fn spend(&mut self, steps: usize) {
        self.steps += steps;
        if self.steps >= STEPS {
            watch::ticks(self.steps / STEPS_PER_TICK);
            self.steps = 0;
        }
    }
}

fn is_terminator(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
