//! Slots that nobody reads any more: what fills them goes, and what they hold is forgotten.
//!
//! ```text
//! before   Store s0 ─ Expand ─ Fetch s1 ─ Order by s1 ─ Expand ─ Barrier ─ …        (s0 is never read)
//! after               Expand ─ Fetch s0 ─ Order by s0 ─ Forget s0 ─ Expand ─ Barrier ─ …
//! ```
//!
//! A slot is *live* at a place if an operator further on may read it before it is filled anew. Liveness is found
//! from the end to the start; a loop's body is followed by itself, which adds nothing that one look does not show.
//! Forgetting matters where columns are copied (expansions) and where traversers are merged (barriers: a dead
//! column would keep them apart).

use std::sync::Arc;

use values::{Str, watch};

use super::pipeline::unnumbered;
use crate::physical::{Control, ExpandTo, Op, OpKind, Pipeline, Scope, ScopeKind, Slot, Slots, Use, op};

/// Removes dead slots from a plan and numbers the others anew. Returns how many there are.
pub(super) fn settle(root: &mut Pipeline, forget: bool) -> u16 {
    let nothing = SlotSet::default();
    prune(root, &nothing);
    if forget {
        let mut filled = SlotSet::default();
        insert_forgets(root, &nothing, &mut filled);
    }
    let slots = renumber(root);
    note_reads(root);
    slots
}

/// A set of slots.
#[derive(Clone, Default, PartialEq)]
struct SlotSet(Vec<u64>);

impl SlotSet {
    fn insert(&mut self, slot: Slot) {
        let word = usize::from(slot.0) / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot.0 % 64);
    }

    fn remove(&mut self, slot: Slot) {
        if let Some(word) = self.0.get_mut(usize::from(slot.0) / 64) {
            *word &= !(1 << (slot.0 % 64));
        }
    }

    fn contains(&self, slot: Slot) -> bool {
        self.0.get(usize::from(slot.0) / 64).is_some_and(|word| word & 1 << (slot.0 % 64) != 0)
    }

    fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Those that are not in `other`.
    fn without(&self, other: &Self) -> Vec<Slot> {
        let mut slots = Vec::new();
        for (index, word) in self.0.iter().enumerate() {
            let rest = word & !other.0.get(index).copied().unwrap_or(0);
            slots.extend(
                (0..64).filter(|bit| rest & 1 << bit != 0).map(|bit| Slot((index * 64 + bit) as u16)),
            );
        }
        slots
    }
}

/// Whether the results of a scope's pipelines are the scope's own: their slots are read after it.
fn passes_slots(op: &OpKind) -> bool {
    let OpKind::Scope(scope) = op else { return false };
    // What a group makes of its values is no traverser.
    scope.child.keeps_inside() && !matches!(scope.kind, ScopeKind::Group { .. })
}

/// What is live before an operator, if that is live after it.
fn before(op: &mut Op, after: &SlotSet) -> SlotSet {
    let passes = passes_slots(&op.kind);
    let mut live = after.clone();
    op.kind.for_each_slot(&mut |slot, used| {
        if used == Use::Fill {
            live.remove(*slot);
        }
    });
    op.kind.for_each_slot(&mut |slot, used| {
        if used == Use::Read {
            live.insert(*slot);
        }
    });
    if let OpKind::Scope(scope) = &mut op.kind {
        let inner = if passes { after.clone() } else { SlotSet::default() };
        live.add(&before_scope(scope, &inner));
    }
    live
}

/// What a scope's pipelines read of what is filled before it. `after`: what is read of their results.
fn before_scope(scope: &mut Scope, after: &SlotSet) -> SlotSet {
    let mut live = SlotSet::default();
    if let ScopeKind::Repeat { head, body, tail } = &mut scope.kind {
        return Loop::of(head, body, tail, after).head;
    }
    scope.for_each_pipeline(&mut |pipeline| live.add(&before_pipeline(pipeline, after)));
    live
}

fn before_pipeline(pipeline: &mut Pipeline, after: &SlotSet) -> SlotSet {
    watch::tick();
    let mut live = after.clone();
    for op in Arc::make_mut(&mut pipeline.ops).iter_mut().rev() {
        live = before(op, &live);
    }
    live
}

/// What is live at the places of a loop.
struct Loop {
    /// Where an iteration begins.
    head: SlotSet,
    /// Where the body ends.
    tail: SlotSet,
}

impl Loop {
    /// One look at each part is enough, and no more may be: loops in the conditions of loops would be looked at twice as often
    /// with each. What is live before a part is what it reads and, of what is live behind it, what it does not fill; so what an
    /// iteration adds to its own end is at its beginning already.
    fn of(head: &mut [Control], body: &mut Pipeline, tail: &mut [Control], after: &SlotSet) -> Self {
        let mut at_tail = before_control(tail, after);
        let mut at_head = before_pipeline(body, &at_tail);
        at_head.add(after);
        let at_head = before_control(head, &at_head);
        // What the next iteration reads is live behind the body, too. (The tests there fill marks, which no iteration reads.)
        at_tail.add(&at_head);
        Self { head: at_head, tail: at_tail }
    }
}

/// `after`: what is live where the loop goes on, and where it is left.
fn before_control(control: &mut [Control], after: &SlotSet) -> SlotSet {
    let mut live = after.clone();
    for point in control.iter_mut().rev() {
        live.add(after);
        point.for_each_slot(&mut |slot, _| live.insert(*slot));
        live = before_pipeline(&mut point.tests, &live);
    }
    live
}

/// Removes operators that fill dead slots and do nothing else.
fn prune(pipeline: &mut Pipeline, after: &SlotSet) {
    let mut live = after.clone();
    let ops = Arc::make_mut(&mut pipeline.ops);
    for index in (0..ops.len()).rev() {
        if ops.len() > 1 && fills_only_dead(&ops[index], &live) {
            ops.remove(index);
            continue;
        }
        let op = &mut ops[index];
        if let OpKind::Expand(op::Expand { to, fetch, .. }) = &mut op.kind {
            fetch.retain(|(_, slot)| live.contains(*slot));
            if let ExpandTo::Edges { from } = to {
                *from = from.filter(|slot| live.contains(*slot));
            }
        }
        let passes = passes_slots(&op.kind);
        if let OpKind::Scope(scope) = &mut op.kind {
            let inner = if passes { live.clone() } else { SlotSet::default() };
            match &mut scope.kind {
                ScopeKind::Repeat { head, body, tail } => {
                    let places = Loop::of(head, body, tail, &inner);
                    prune(body, &places.tail);
                }
                _ => scope.for_each_pipeline(&mut |pipeline| prune(pipeline, &inner)),
            }
        }
        live = before(&mut ops[index], &live);
    }
}

fn fills_only_dead(op: &Op, live: &SlotSet) -> bool {
    // What carries names of the path stays.
    op.labels.is_empty()
        && match &op.kind {
            OpKind::Store(slot)
            | OpKind::Fetch(op::Fetch { into: slot, .. })
            | OpKind::Degree(op::Degree { into: Some(slot), .. }) => !live.contains(*slot),
            _ => false,
        }
}

/// Inserts `Forget` before operators that copy or merge columns, for slots that hold something nobody will read.
fn insert_forgets(pipeline: &mut Pipeline, after: &SlotSet, filled: &mut SlotSet) {
    let mut live = after.clone();
    let ops = Arc::make_mut(&mut pipeline.ops);
    let mut needed = Vec::with_capacity(ops.len());
    for op in ops.iter_mut().rev() {
        watch::ticks(live.0.len() / 8);
        needed.push(live.clone());
        live = before(op, &live);
    }
    needed.reverse();
    let mut index = 0;
    for after_op in needed {
        let here = before(&mut ops[index], &after_op);
        let dead = filled.without(&here);
        if !dead.is_empty() && copies_columns(&ops[index].kind) {
            dead.iter().for_each(|slot| filled.remove(*slot));
            let forget = unnumbered(OpKind::Forget(dead), Str::default(), false);
            ops.insert(index, forget);
            index += 1;
        }
        forget_inside(&mut ops[index], &after_op, filled);
        ops[index].kind.for_each_slot(&mut |slot, used| {
            if used == Use::Fill {
                filled.insert(*slot);
            }
        });
        index += 1;
    }
}

/// Goes on inside an operator's pipelines.
fn forget_inside(op: &mut Op, after: &SlotSet, filled: &mut SlotSet) {
    let passes = passes_slots(&op.kind);
    let OpKind::Scope(scope) = &mut op.kind else { return };
    let inner = if passes { after.clone() } else { SlotSet::default() };
    let entering = filled.clone();
    if let ScopeKind::Repeat { head, body, tail } = &mut scope.kind {
        let places = Loop::of(head, body, tail, &inner);
        // Whatever an iteration fills is there when the next one begins.
        let mut in_loop = entering;
        body.for_each_op(&mut |op| {
            op.kind.for_each_slot(&mut |slot, used| {
                if used == Use::Fill {
                    in_loop.insert(*slot);
                }
            });
        });
        let mut leaving = in_loop.clone();
        insert_forgets(body, &places.tail, &mut in_loop);
        leaving.add(&in_loop);
        *filled = leaving;
        return;
    }
    // What happens to columns inside a subquery that keeps them to itself is over soon.
    if !passes {
        return;
    }
    let mut leaving = entering.clone();
    scope.for_each_pipeline(&mut |pipeline| {
        let mut inside = entering.clone();
        insert_forgets(pipeline, &inner, &mut inside);
        leaving.add(&inside);
    });
    *filled = leaving;
}

/// Whether the operator copies the columns of its input, or merges traversers by them.
fn copies_columns(op: &OpKind) -> bool {
    match op {
        OpKind::Expand(_) | OpKind::Barrier(_) | OpKind::MergeSacks(_) | OpKind::Unfold => true,
        OpKind::Scope(scope) => {
            matches!(
                scope.kind,
                ScopeKind::Repeat { .. } | ScopeKind::FlatMap { .. } | ScopeKind::Exchange { .. }
            )
        }
        _ => false,
    }
}

/// Notes for each scope that keeps its slots to itself which of them are wanted inside.
fn note_reads(pipeline: &mut Pipeline) {
    for op in Arc::make_mut(&mut pipeline.ops) {
        let OpKind::Scope(scope) = &mut op.kind else { continue };
        if !scope.child.keeps_inside() {
            scope.reads = Some(before_scope(scope, &SlotSet::default()).without(&SlotSet::default()));
        }
        scope.for_each_pipeline(&mut note_reads);
    }
}

/// Numbers the slots that are left from 0 on.
fn renumber(root: &mut Pipeline) -> u16 {
    let mut numbers: Vec<Option<u16>> = Vec::new();
    let mut next = 0;
    root.for_each_op(&mut |op| {
        let mut number = |slot: &mut Slot| {
            let index = usize::from(slot.0);
            if numbers.len() <= index {
                numbers.resize(index + 1, None);
            }
            *slot = Slot(*numbers[index].get_or_insert_with(|| {
                next += 1;
                next - 1
            }));
        };
        if let OpKind::Forget(slots) = &mut op.kind {
            slots.iter_mut().for_each(&mut number);
        }
        op.kind.for_each_slot(&mut |slot, _| number(slot));
    });
    next
}
