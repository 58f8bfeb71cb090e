//! Formats that have an edge twice, at both of its ends: where it is taken from, so that it is one in the graph.
//!
//! A file that was written by a graph mentions each edge at both ends, and then the mentions of one side are enough. Others mention
//! an edge at one end alone. Which of the two a file is, is known when it has been read once ([`Survey`]): so nothing of its edges must
//! be remembered unless it mentions some at one end and some at both.

use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

use values::{Direction, Seeded, SeededMap, Value};

/// What an edge is told by, at whichever end it is mentioned: its id, or, without one, its label and its ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct EdgeKey(Value);

impl EdgeKey {
    pub(super) fn new(id: Option<&Value>, label: &str, from: &Value, to: &Value) -> Self {
        match id {
            Some(id) => Self(id.id_key()),
            // A list is nobody's id.
            None => Self(Value::list(vec![Value::str(label), from.id_key(), to.id_key()])),
        }
    }

    fn is_id(&self) -> bool {
        !matches!(self.0, Value::List(_))
    }
}

/// Whether the edges of a file have ids.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    have: bool,
    have_not: bool,
}

impl Kinds {
    pub(super) fn see(&mut self, has_id: bool) {
        self.have |= has_id;
        self.have_not |= !has_id;
    }

    /// The turns in which they are read: what gets ids of the graph comes behind what has its own, so that none of these is taken by
    /// then. Most files have edges of one kind, and are read once.
    pub(super) fn turns(self) -> &'static [Turn] {
        if self.have && self.have_not { &[Turn::WithIds, Turn::WithoutIds] } else { &[Turn::All] }
    }
}

/// The edges that are read in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    All,
    WithIds,
    WithoutIds,
}

impl Turn {
    /// Whether it is an edge's.
    pub(super) fn is_of(self, has_id: bool) -> bool {
        match self {
            Self::All => true,
            Self::WithIds => has_id,
            Self::WithoutIds => !has_id,
        }
    }
}

/// The mentions of edges in a file.
#[derive(Debug, Default)]
pub(super) struct Survey {
    leaving: Mentions,
    entering: Mentions,
    kinds: Kinds,
    hasher: Seeded,
}

/// How many there are, and a sum by which others can be told from them, whatever their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mentions {
    count: u64,
    sum: u64,
}

impl Survey {
    /// Notes an edge that is mentioned at the vertex that it leaves ([`Direction::Out`]), or else at the one that it enters.
    pub(super) fn see(&mut self, at: Direction, key: &EdgeKey) {
        let mentions = if at == Direction::Out { &mut self.leaving } else { &mut self.entering };
        mentions.count += 1;
        mentions.sum = mentions.sum.wrapping_add(self.hasher.hash_one(key));
        self.kinds.see(key.is_id());
    }

    /// Whether they have ids.
    pub(super) fn kinds(&self) -> Kinds {
        self.kinds
    }

    /// Where edges are to be taken from; at this end if all are mentioned at both.
    pub(super) fn sides(&self, at: Direction) -> Sides {
        match (self.leaving, self.entering) {
            (leaving, entering) if leaving == entering => Sides::At(at),
            (_, Mentions { count: 0, .. }) => Sides::At(Direction::Out),
            (Mentions { count: 0, .. }, _) => Sides::At(Direction::In),
            _ => Sides::Either(SeededMap::default()),
        }
    }
}

/// Where edges are taken from.
#[derive(Debug)]
pub(super) enum Sides {
    /// Where they are mentioned at this end.
    At(Direction),
    /// Where they are mentioned first. Of those that have been mentioned at one end more often than at the other: how often, above 0 at
    /// the vertices that they leave.
    Either(SeededMap<EdgeKey, i64>),
}

impl Sides {
    /// The same before any edge was taken.
    pub(super) fn anew(&self) -> Self {
        match self {
            Self::At(end) => Self::At(*end),
            Self::Either(_) => Self::Either(SeededMap::default()),
        }
    }

    /// Whether mentions at this end may be needed.
    pub(super) fn look_at(&self, at: Direction) -> bool {
        match self {
            Self::At(end) => *end == at,
            Self::Either(_) => true,
        }
    }

    /// Whether an edge that is mentioned at this end is to be taken there.
    pub(super) fn take(&mut self, at: Direction, key: impl FnOnce() -> EdgeKey) -> bool {
        let known = match self {
            Self::At(end) => return *end == at,
            Self::Either(known) => known,
        };
        let step = if at == Direction::Out { 1 } else { -1 };
        match known.entry(key()) {
            Entry::Vacant(place) => {
                place.insert(step);
                true
            }
            Entry::Occupied(mut place) => {
                let more = *place.get();
                if more + step == 0 {
                    place.remove();
                } else {
                    *place.get_mut() += step;
                }
                more.signum() == step
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: i32) -> EdgeKey {
        EdgeKey::new(Some(&Value::Int(id)), "e", &1.into(), &2.into())
    }

    fn survey(mentions: &[(Direction, i32)]) -> Survey {
        let mut survey = Survey::default();
        mentions.iter().for_each(|(at, id)| survey.see(*at, &key(*id)));
        survey
    }

    #[test]
    fn a_file_that_mentions_all_edges_at_both_ends_is_told_from_others() {
        use Direction::{In, Out};
        let sides = |mentions: &[(Direction, i32)]| survey(mentions).sides(In);
        assert!(matches!(sides(&[]), Sides::At(In)));
        assert!(matches!(sides(&[(In, 1), (Out, 2), (Out, 1), (In, 2)]), Sides::At(In)));
        assert!(matches!(sides(&[(Out, 1), (Out, 2)]), Sides::At(Out)));
        assert!(matches!(sides(&[(In, 1), (In, 2)]), Sides::At(In)));
        assert!(matches!(sides(&[(In, 1), (Out, 2)]), Sides::Either(_)), "as many, but others");
        assert!(matches!(sides(&[(In, 1), (Out, 1), (Out, 2)]), Sides::Either(_)));
    }

    #[test]
    fn an_edge_is_taken_once_for_two_mentions_and_as_often_as_it_is_there() {
        use Direction::{In, Out};
        let mut sides = Sides::Either(SeededMap::default());
        let without = || EdgeKey::new(None, "e", &Value::Int(1), &Value::Long(2));
        let longer = || EdgeKey::new(None, "e", &Value::Long(1), &Value::Int(2));
        let taken = [In, In, Out, Out, Out, In].map(|at| sides.take(at, without));
        assert_eq!(taken, [true, true, false, false, true, false]);
        assert!(sides.take(Out, without) && !sides.take(In, longer), "whatever the types of ids");
        assert!(sides.take(Out, || key(1)) && sides.take(In, || key(2)) && !sides.take(In, || key(1)));
    }
}
