//! An automaton, run over a text: all states that it may be in at once, from character to character.
//!
//! That takes time proportional to the text and to the number of states, whatever the two are, and one more time the text for
//! each level of look-ahead.

use super::program::{Program, State, Step};
use super::syntax::Place;
use super::words::Words;

/// Steps, of some nanoseconds each, after which it is asked whether to go on.
const PATIENCE: usize = 1 << 14;

/// A search that was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted;

type Result<T> = std::result::Result<T, Interrupted>;

/// A text that is searched.
pub(super) struct Simulation<'a> {
    text: &'a str,
    /// Where the line terminator at the end of the text begins: any that Java has, and `\n` alone. The end if there is none.
    last_line_end: usize,
    last_unix_line_end: usize,
    words: Option<Words>,
    go_on: &'a dyn Fn() -> bool,
    patience: usize,
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
    pub(super) fn new(text: &'a str, go_on: &'a dyn Fn() -> bool) -> Self {
        let ends_in =
            |ends: &[&str]| ends.iter().find(|end| text.ends_with(**end)).map_or(0, |end| end.len());
        let any = ends_in(&["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]);
        Self {
            text,
            last_line_end: text.len() - any,
            last_unix_line_end: text.len() - ends_in(&["\n"]),
            words: None,
            go_on,
            patience: PATIENCE,
        }
    }

    /// Whether a part of the text matches.
    pub(super) fn find(&mut self, program: &Program) -> Result<bool> {
        if program.has_words {
            self.words = Some(Words::new(self.text));
        }
        self.run(program, 0, false)
    }

    /// Whether the text from `start` on, if it is `anchored`, or a part of it matches.
    fn run(&mut self, program: &Program, start: usize, anchored: bool) -> Result<bool> {
        let states = program.steps.len();
        let (mut now, mut then) = (States::with_room_for(states), States::with_room_for(states));
        let mut pending = Vec::new();
        let (mut at, mut before) = (start, self.text[..start].chars().next_back());
        loop {
            let after = self.text[at..].chars().next();
            if at == start || !anchored {
                pending.push(0);
            }
            if self.enter(program, &mut pending, &mut now, (at, before, after))? {
                return Ok(true);
            }
            let Some(c) = after else { return Ok(false) };
            if anchored && now.dense.is_empty() {
                return Ok(false);
            }
            let next = now.dense.iter().filter(|state| match &program.steps[**state as usize] {
                Step::Set(set) => set.contains(c),
                _ => false,
            });
            pending.extend(next.map(|state| state + 1));
            self.spend(now.dense.len() + 1)?;
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
    ) -> Result<bool> {
        while let Some(state) = pending.pop() {
            if !into.insert(state) {
                continue;
            }
            self.spend(1)?;
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
                    if self.run(program, at, true)? != *negated {
                        pending.push(state + 1);
                    }
                }
                Step::Match => return Ok(true),
            }
        }
        Ok(false)
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

    fn spend(&mut self, steps: usize) -> Result<()> {
        match self.patience.checked_sub(steps) {
            Some(left) => self.patience = left,
            None if (self.go_on)() => self.patience = PATIENCE,
            None => return Err(Interrupted),
        }
        Ok(())
    }
}

fn is_terminator(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
