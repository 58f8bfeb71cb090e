//! Where a stream must be whole before it goes on: what a step writes must not be seen by what was read before it.
//!
//! A step that writes acts for all that reach it, and everything before it was read by then. With the stream in batches, the
//! second of them would be read when the first has been written already:
//!
//! ```text
//! V().both().hasNot(k).property(k, 1)    ─►  … Filter ─ Gather ─ SetProperty
//! V().hasNot(k).property(k, 1)           ─►  as it is: each vertex is looked at once, before it is written itself
//! V().out().property(k, 1)               ─►  as it is: nobody has looked at properties
//! V().out().count().addV()               ─►  as it is: count() has everything before it goes on
//! V().both().property(k, 1).in().property(k, 2)  ─►  … in() ─ Gather ─ SetProperty: who comes last must not depend on batches
//! V().not(addE()).repeat(both().barrier())  ─►  … not() ─ Gather ─ Repeat: such a loop begins when all have come
//! V().property(k, 1).out().properties().property(m, 2)  ─►  … out() ─ Gather ─ Properties ─ Gather ─ SetProperty: none that is
//!                                          found is replaced before it is written
//! V().addV().limit(1)                   ─►  … AddVertex ─ Gather ─ Range: it has acted for all when the stream ends
//! ```

use values::{Str, Value};

use super::effects::begins_as_a_whole;
use super::parts::{Parts, changes, reads};
use super::{Access, Input, Kind, Lookup, Step, Write};
use crate::physical::{Operand, PropertyForm};

/// Of each step of a chain that ends with its first result, whether it does so there: not in front of a step that takes all of the
/// stream before it has a result.
pub(crate) fn each_ends_early(steps: &[Step], ends_early: bool) -> Vec<bool> {
    let last = steps.iter().rposition(|step| waits_for_all(&step.kind));
    (0..steps.len()).map(|index| ends_early && last.is_none_or(|last| last <= index)).collect()
}

/// For each step of a chain, whether all of the stream must have come before the first of it enters. `is_root`: whether the
/// chain is the traversal, not a subquery. `ends_early`: whether the chain ends with its first result, where one traverser after
/// the other writes.
pub(crate) fn gathers_before(steps: &[Step], is_root: bool, ends_early: bool) -> Vec<bool> {
    let mut state = State { read: Parts::NONE, changed: Parts::NONE, keys: Vec::new(), stream: Stream::Any };
    let each_ends_early = each_ends_early(steps, ends_early);
    let of_step = |(index, step): (usize, &Step)| {
        let ends_early = each_ends_early[index];
        let is_cut = !ends_early && ends_the_stream(&step.kind) && state.changed != Parts::NONE;
        let as_a_whole =
            state.changed != Parts::NONE && reads(&step.kind).meets(state.changed) && begins_as_a_whole(step);
        let behind = &steps[index + 1..];
        let keeps_them = state.changed.meets(Parts::PROPERTIES) && finds_properties(&step.kind);
        let would_vanish =
            keeps_them && behind.iter().any(|step| changes(&step.kind).meets(Parts::PROPERTIES));
        // Where the first result ends it, nothing is done for those behind the one that makes it.
        let waits = !ends_early && (would_vanish || state.must_gather_before(&step.kind));
        let gathers = is_cut || as_a_whole || waits;
        state.pass(&step.kind, gathers, is_root && index == 0);
        gathers
    };
    steps.iter().enumerate().map(of_step).collect()
}

/// What may be in the stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    /// All elements of the graph or of a label, each once; of each, nothing but itself was looked at.
    Elements,
    /// Likewise, their properties.
    Properties,
    /// Anything.
    Any,
}

/// What is known of the stream in front of a step.
struct State {
    /// What has been read for some of its traversers, and not yet for others.
    read: Parts,
    /// What has been changed for some of them, and not yet for others.
    changed: Parts,
    /// Likewise, under which keys values were written; `None`: any.
    keys: Vec<Option<Str>>,
    stream: Stream,
}

impl State {
    fn must_gather_before(&self, kind: &Kind) -> bool {
        let sees = changes(kind).meets(self.read) || self.writes_again(kind);
        sees && !self.changes_what_was_looked_at_alone(kind)
    }

    /// Whether it may write under a key that was written before.
    fn writes_again(&self, kind: &Kind) -> bool {
        let writes = changes(kind).meets(Parts::PROPERTIES) && !self.keys.is_empty();
        let key = key_written(kind);
        writes && (key.is_none() || self.keys.iter().any(|known| known.is_none() || *known == key))
    }

    /// Whether it changes what one traverser is at, which no other has looked at, nor will.
    fn changes_what_was_looked_at_alone(&self, kind: &Kind) -> bool {
        let Kind::Write(write) = kind else { return false };
        match self.stream {
            Stream::Elements => matches!(**write, Write::SetProperty(_) | Write::Drop),
            Stream::Properties => matches!(**write, Write::Drop),
            Stream::Any => false,
        }
    }

    /// Goes on behind a step.
    fn pass(&mut self, kind: &Kind, gathers: bool, is_first: bool) {
        if gathers || waits_for_all(kind) {
            (self.read, self.changed) = (Parts::NONE, Parts::NONE);
            self.keys.clear();
        }
        if !waits_for_all(kind) {
            self.read = self.read | reads(kind);
            self.changed = self.changed | changes(kind);
            self.keys.extend(changes(kind).meets(Parts::PROPERTIES).then(|| key_written(kind)));
        }
        self.stream = self.stream_behind(kind, is_first);
    }

    fn stream_behind(&self, kind: &Kind, is_first: bool) -> Stream {
        match kind {
            Kind::Graph(Access {
                lookup: Lookup::All | Lookup::VertexLabels(_) | Lookup::EdgeLabels(_),
                ..
            }) if is_first => Stream::Elements,
            Kind::Filter(_) | Kind::Identity | Kind::Range { .. } => self.stream,
            Kind::Write(write) if matches!(**write, Write::SetProperty(_)) => self.stream,
            Kind::Properties { form: PropertyForm::Properties, .. } if self.stream == Stream::Elements => {
                Stream::Properties
            }
            _ => Stream::Any,
        }
    }
}

/// The key that the step writes under, if that is one, and known.
fn key_written(kind: &Kind) -> Option<Str> {
    let Kind::Write(write) = kind else { return None };
    match &**write {
        Write::SetProperty(property) if property.meta.is_empty() => match &property.key {
            Input::Operand(Operand::Const(Value::String(key))) => Some(key.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether it finds properties as such, which a write of their key replaces.
fn finds_properties(kind: &Kind) -> bool {
    matches!(kind, Kind::Properties { form: PropertyForm::Properties, .. })
}

/// Whether the step may end the stream before all of it has come.
fn ends_the_stream(kind: &Kind) -> bool {
    matches!(kind, Kind::Range { high: Some(_), .. })
}

/// Whether nothing leaves the step before all of its stream has come.
pub(super) fn waits_for_all(kind: &Kind) -> bool {
    match kind {
        Kind::Order { .. }
        | Kind::Tail(_)
        | Kind::Aggregate(_)
        | Kind::Barrier
        | Kind::Algorithm(_)
        | Kind::MergeSacks(_)
        | Kind::Sample(..)
        | Kind::Cap(_)
        | Kind::Collect { eager: true, .. } => true,
        Kind::Group(group) => group.side_effect.is_none(),
        Kind::GroupCount(group) => group.side_effect.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::bound;

    /// The steps of the traversal itself that the stream is gathered in front of, by their numbers.
    fn gathered(text: &str) -> Vec<usize> {
        let logical = bound(text);
        let gathers = super::gathers_before(&logical.root.steps, true, false);
        (0..gathers.len()).filter(|&index| gathers[index]).collect()
    }

    #[test]
    fn it_is_gathered_where_a_write_could_be_read() {
        assert_eq!(gathered("g.V().both().hasNot('age').property('age', 1)"), [3]);
        assert_eq!(gathered("g.V().where(__.out().has('age')).property('age', 1)"), [2]);
        assert_eq!(gathered("g.V().addV('Person')"), [1]);
        assert_eq!(gathered("g.V().out().drop()"), [2]);
        assert_eq!(gathered("g.V().out().local(__.addE('knows').to(__.V(1)))"), [2]);
        assert_eq!(gathered("g.V().order().by('age').out().has('age').property('age', 1)"), [4]);
    }

    #[test]
    fn it_goes_on_where_none_could() {
        for text in [
            "g.V().hasNot('age').property('age', 1)",
            "g.V().out().property('age', 1)",
            "g.V().both().has('age').count().addV('Person')",
            "g.V().has('age').fold().coalesce(__.unfold(), __.addV('Person'))",
            "g.V().drop()",
            "g.V().properties('age').drop()",
            "g.inject(1, 2).coalesce(__.V().has('age', 1), __.addV('Person'))",
            "g.V().both().has('age')",
        ] {
            assert_eq!(gathered(text), [0_usize; 0], "{text}");
        }
    }

    #[test]
    fn who_writes_last_does_not_depend_on_batches() {
        assert_eq!(gathered("g.V().both().property('age', 1).in().property('age', 2)"), [4]);
        assert_eq!(gathered("g.V().both().property('age', 1).in().property('name', 2)"), [0_usize; 0]);
        assert_eq!(gathered("g.V().both().union(__.property('age', 1)).in().property('name', 2)"), [4]);
    }

    #[test]
    fn what_writes_has_acted_for_all_before_a_limit() {
        assert_eq!(gathered("g.V().addV('a').limit(1)"), [1, 2]);
        assert_eq!(gathered("g.V().out().property('age', 1).id().range(1, 2)"), [4]);
        assert_eq!(gathered("g.V().local(__.addE('a').to(__.V(1))).limit(1)"), [2]);
        assert_eq!(gathered("g.V().out().property('age', 1).skip(1)"), [0_usize; 0]);
        assert_eq!(gathered("g.V().limit(1).property('age', 1)"), [0_usize; 0]);
        assert_eq!(gathered("g.V().out().property('age', 1).order().limit(1)"), [0_usize; 0]);
    }

    #[test]
    fn a_loop_with_a_barrier_sees_what_all_have_written() {
        assert_eq!(
            gathered("g.V().out().map(__.addE('a').to(__.V(1))).repeat(__.both().barrier()).times(2)"),
            [2, 3]
        );
        assert_eq!(
            gathered("g.V().out().property('age', 1).repeat(__.both().barrier()).times(2)"),
            [0_usize; 0]
        );
        assert_eq!(
            gathered("g.V().out().property('age', 1).repeat(__.both().has('age').dedup()).times(2)"),
            [3]
        );
        assert_eq!(
            gathered("g.V().out().property('age', 1).repeat(__.both().has('age')).times(2)"),
            [0_usize; 0]
        );
    }

    #[test]
    fn what_was_gathered_once_is_not_read_again() {
        assert_eq!(gathered("g.V().addV('a').addV('b')"), [1]);
        assert_eq!(gathered("g.V().addV('a').V().addV('b')"), [1, 3]);
    }
}
