//! Which secondary trees there are.
//!
//! ```text
//!  building ──────────▶ live ───────────────▶ dead ────────────────▶ gone
//!  changes are logged   kept by the writer    readable up to `died`  deleted once no snapshot is that old
//!  nobody reads it      read from `born` on
//! ```
//!
//! All changes are made while the writer is held; readers look a tree up when they begin to read a list.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;
use values::{Value, VertexRef};

use super::advisor::{Advice, Advisor, Work};
use super::secondary_tasks::Tasks;
use crate::model::{Conversions, EdgeLabelId, KeyId, Retypes, SecondaryOptions, Tick};
use crate::sections::{EdgeChangeKind, EdgeTree, TreeChange, TreeName};

/// A change of a list that a tree which is being built must still get.
pub(crate) struct LoggedChange {
    tick: Tick,
    neighbour: VertexRef,
    seq: u32,
    kind: EdgeChangeKind,
    before: Option<Value>,
}

impl LoggedChange {
    pub(crate) fn of(change: TreeChange<'_>) -> Self {
        let TreeChange { tick, neighbour, seq, kind, before } = change;
        Self { tick, neighbour, seq, kind: kind.clone(), before: before.cloned() }
    }

    /// As the tree takes it.
    pub(crate) fn change(&self) -> TreeChange<'_> {
        let Self { tick, neighbour, seq, kind, before } = self;
        TreeChange { tick: *tick, neighbour: *neighbour, seq: *seq, kind, before: before.as_ref() }
    }

    /// Gives it the types of now.
    pub(crate) fn convert(&mut self, to: &Conversions) {
        if let Some(kind) = to.of_kind(&self.kind) {
            self.kind = kind;
        }
    }
}

struct Entry {
    by: KeyId,
    tree: Arc<EdgeTree>,
    state: State,
}

enum State {
    Building(VecDeque<LoggedChange>),
    Live { born: Tick },
    Dead { born: Tick, died: Tick },
}

impl Entry {
    fn is_visible(&self, tick: Tick) -> bool {
        match self.state {
            State::Building(_) => false,
            State::Live { born } => born <= tick,
            State::Dead { born, died } => born <= tick && tick <= died,
        }
    }
}

/// A tree that the writer keeps up to date.
pub(crate) struct Maintained {
    pub(crate) by: KeyId,
    /// None while it is being built.
    pub(crate) tree: Option<Arc<EdgeTree>>,
}

/// The secondary trees of a graph, and what is known about their use.
#[derive(Default)]
pub(crate) struct Secondaries {
    /// Trees in whatever state: mostly none, which costs one look.
    len: AtomicUsize,
    /// By the name of the primary tree.
    lists: RwLock<FxHashMap<TreeName, Vec<Entry>>>,
    /// Edge nodes that were read since the period began.
    nodes_read: AtomicU64,
    /// Changes of secondary trees since then.
    changes: AtomicU64,
    advisor: Mutex<Advisor>,
    pub(crate) tasks: Tasks,
}

impl Secondaries {
    /// Whether there is none, nor is one being built.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len.load(Ordering::Acquire) == 0
    }

    /// Reads have looked at edges worth `saved` nodes more than with this tree, which would have `nodes`.
    pub(crate) fn note_missed(&self, name: TreeName, saved: f64, nodes: f64) {
        self.advisor.lock().missed(name, saved, nodes);
    }

    /// Reads have looked at edges worth `saved` nodes less than without this tree.
    pub(crate) fn note_used(&self, name: TreeName, saved: f64) {
        self.advisor.lock().used(name, saved);
    }

    /// A tree could not be built: its list changes too fast, or the disk or memory is short.
    pub(crate) fn note_failed(&self, name: TreeName) {
        self.advisor.lock().failed(name);
    }

    /// The benefit of a tree that is there, in the last busy period.
    pub(crate) fn benefit(&self, name: TreeName) -> f64 {
        self.advisor.lock().benefit(name)
    }

    /// Ends a period in which the trees `there` existed, if enough was done: what is to be built and dropped.
    pub(crate) fn end_period(&self, there: &[TreeName], options: &SecondaryOptions) -> Advice {
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed) as f64;
        let work = Work { read: take(&self.nodes_read), changed: take(&self.changes) };
        self.advisor.lock().end_period(work, there, options.threshold, options.patience)
    }

    /// Counts an edge node that is read.
    pub(crate) fn count_node(&self) {
        self.nodes_read.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a change of a secondary tree.
    pub(crate) fn count_change(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
    }

    /// The tree of this name that a snapshot at `tick` may read.
    pub(crate) fn visible(&self, name: TreeName, tick: Tick) -> Option<Arc<EdgeTree>> {
        self.find(name, |entry| entry.is_visible(tick).then(|| Arc::clone(&entry.tree)))?
    }

    /// The properties by which a snapshot at `tick` finds trees of a list.
    pub(crate) fn keys_of(&self, list: TreeName, tick: Tick) -> Vec<KeyId> {
        if self.is_empty() {
            return Vec::new();
        }
        let lists = self.lists.read();
        let entries = lists.get(&list.by(None)).map_or(&[][..], Vec::as_slice);
        entries.iter().filter(|entry| entry.is_visible(tick)).map(|entry| entry.by).collect()
    }

    /// The tree of this name, whatever its state.
    pub(crate) fn tree(&self, name: TreeName) -> Option<Arc<EdgeTree>> {
        self.find(name, |entry| Arc::clone(&entry.tree))
    }

    /// Whether what a tree of this name has in memory may not be on disk, and no flush knows of it.
    pub(crate) fn is_building(&self, name: TreeName) -> bool {
        self.find(name, |entry| matches!(entry.state, State::Building(_))).unwrap_or(false)
    }

    fn find<R>(&self, name: TreeName, look: impl FnOnce(&Entry) -> R) -> Option<R> {
        if self.is_empty() {
            return None;
        }
        let (lists, by) = (self.lists.read(), name.by?);
        lists.get(&name.by(None))?.iter().find(|entry| entry.by == by).map(look)
    }

    /// The trees that the next checkpoint names.
    pub(crate) fn live(&self) -> Vec<TreeName> {
        let mut live = self.names(|state| matches!(state, State::Live { .. }));
        live.sort_unstable();
        live
    }

    /// The trees that were dropped, and when.
    pub(crate) fn dead(&self) -> Vec<(TreeName, Tick)> {
        let died = |state: &State| if let State::Dead { died, .. } = *state { Some(died) } else { None };
        self.of_all(|name, state| Some((name, died(state)?)))
    }

    /// The last stamp whose changes a tree has, if it was dropped.
    pub(crate) fn died(&self, name: TreeName) -> Option<Tick> {
        let died = |entry: &Entry| if let State::Dead { died, .. } = entry.state { Some(died) } else { None };
        self.find(name, died)?
    }

    /// The trees that are being built.
    pub(crate) fn building(&self) -> Vec<TreeName> {
        self.names(|state| matches!(state, State::Building(_)))
    }

    fn names(&self, keep: impl Fn(&State) -> bool) -> Vec<TreeName> {
        self.of_all(|name, state| keep(state).then_some(name))
    }

    fn of_all<R>(&self, look: impl Fn(TreeName, &State) -> Option<R>) -> Vec<R> {
        let lists = self.lists.read();
        let entries = lists.iter().flat_map(|(list, entries)| entries.iter().map(|entry| (*list, entry)));
        entries.filter_map(|(list, entry)| look(list.by(Some(entry.by)), &entry.state)).collect()
    }

    /// Notes the trees that a checkpoint names.
    pub(crate) fn restore(&self, names: impl IntoIterator<Item = TreeName>) {
        for name in names {
            self.insert(name, Arc::new(EdgeTree::stored()), State::Live { born: 0 });
        }
    }

    /// Begins to log the changes of a list for a tree that is to be built; none if there is one of that name.
    pub(crate) fn begin(&self, name: TreeName) -> Option<Arc<EdgeTree>> {
        let tree = Arc::new(EdgeTree::stored());
        self.insert(name, Arc::clone(&tree), State::Building(VecDeque::new())).then_some(tree)
    }

    fn insert(&self, name: TreeName, tree: Arc<EdgeTree>, state: State) -> bool {
        let Some(by) = name.by else { return false };
        let mut lists = self.lists.write();
        let entries = lists.entry(name.by(None)).or_default();
        if entries.iter().any(|entry| entry.by == by) {
            return false;
        }
        entries.push(Entry { by, tree, state });
        self.len.fetch_add(1, Ordering::Release);
        true
    }

    /// Forgets a tree.
    pub(crate) fn remove(&self, name: TreeName) -> Option<Arc<EdgeTree>> {
        let by = name.by?;
        let mut lists = self.lists.write();
        let entries = lists.get_mut(&name.by(None))?;
        let place = entries.iter().position(|entry| entry.by == by)?;
        let removed = entries.swap_remove(place);
        if entries.is_empty() {
            lists.remove(&name.by(None));
        }
        self.len.fetch_sub(1, Ordering::Release);
        Some(removed.tree)
    }

    fn change_state(&self, name: TreeName, change: impl FnOnce(&mut State)) {
        let mut lists = self.lists.write();
        let entries = lists.get_mut(&name.by(None)).into_iter().flatten();
        if let Some(entry) = entries.into_iter().find(|entry| Some(entry.by) == name.by) {
            change(&mut entry.state);
        }
    }

    /// Lets snapshots from `born` on read a tree that is complete.
    pub(crate) fn publish(&self, name: TreeName, born: Tick) {
        self.change_state(name, |state| *state = State::Live { born });
    }

    /// Lets snapshots after `died` read a tree no more; false if there is none.
    pub(crate) fn kill(&self, name: TreeName, died: Tick) -> bool {
        let mut killed = false;
        self.change_state(name, |state| {
            if let State::Live { born } = *state {
                (*state, killed) = (State::Dead { born, died }, true);
            }
        });
        killed
    }

    /// Takes the first few of the logged changes of a tree that is being built, oldest first; and whether there are more.
    pub(crate) fn take_log(&self, name: TreeName, most: usize) -> (Vec<LoggedChange>, bool) {
        let mut taken = (Vec::new(), false);
        self.change_state(name, |state| {
            if let State::Building(log) = state {
                taken.0 = log.drain(..log.len().min(most)).collect();
                taken.1 = !log.is_empty();
            }
        });
        taken
    }

    /// How many changes are logged for a tree that is being built.
    pub(crate) fn logged(&self, name: TreeName) -> usize {
        let len = |entry: &Entry| if let State::Building(log) = &entry.state { log.len() } else { 0 };
        self.find(name, len).unwrap_or(0)
    }

    /// The trees of an edge label, whatever their state, whose edges get properties of other types since a version; so do the
    /// changes that are logged for those that are being built.
    pub(crate) fn retype(&self, label: EdgeLabelId, retypes: &Retypes, since: u64) -> Vec<Arc<EdgeTree>> {
        let Some(conversions) = retypes.of_edges(label, since) else { return Vec::new() };
        let mut lists = self.lists.write();
        let entries =
            lists.iter_mut().filter(|(list, _)| list.label == label).flat_map(|(_, entries)| entries);
        let trees = entries.map(|entry| {
            if let State::Building(log) = &mut entry.state {
                log.iter_mut().for_each(|logged| logged.convert(&conversions));
            }
            Arc::clone(&entry.tree)
        });
        trees.collect()
    }

    /// Whether a list has a secondary tree, in whatever state.
    pub(crate) fn has_any(&self, list: TreeName) -> bool {
        !self.is_empty() && self.lists.read().contains_key(&list.by(None))
    }

    /// The trees of a list that have to learn of its changes.
    pub(crate) fn maintained(&self, list: TreeName) -> Vec<Maintained> {
        if self.is_empty() {
            return Vec::new();
        }
        let lists = self.lists.read();
        let entries = lists.get(&list.by(None)).map_or(&[][..], Vec::as_slice);
        let maintained = entries.iter().filter_map(|entry| match entry.state {
            State::Building(_) => Some(Maintained { by: entry.by, tree: None }),
            State::Live { .. } => Some(Maintained { by: entry.by, tree: Some(Arc::clone(&entry.tree)) }),
            State::Dead { .. } => None,
        });
        maintained.collect()
    }

    /// Logs a change for a tree that is being built.
    pub(crate) fn log(&self, name: TreeName, change: TreeChange<'_>) {
        self.change_state(name, |state| {
            if let State::Building(log) = state {
                log.push_back(LoggedChange::of(change));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EdgeKey, EdgeSchema, Schema, ValueType};

    const KEY: KeyId = KeyId(3);
    const LABEL: EdgeLabelId = EdgeLabelId(1);

    #[test]
    fn changes_that_a_tree_must_still_get_become_the_new_type() {
        let list = TreeName::primary(VertexRef(0), LABEL, crate::model::Dir::Out);
        let secondaries = Secondaries::default();
        secondaries.begin(list.by(Some(KEY))).unwrap();
        let kind = EdgeChangeKind::Insert([(KEY, Value::Int(5)), (KeyId(4), Value::Int(6))].into());
        let change = TreeChange { tick: 1, neighbour: VertexRef(2), seq: 0, kind: &kind, before: None };
        secondaries.log(list.by(Some(KEY)), change);
        let key = EdgeKey { value_type: Some(ValueType::Long), required: false };
        let mut schema = Schema { version: 1, ..Schema::default() };
        schema.edges.insert(LABEL, EdgeSchema { keys: [(KEY, key)].into(), ..EdgeSchema::default() });
        let mut retypes = Retypes::default();
        retypes.learn(&Schema::default(), &schema);
        assert_eq!(secondaries.retype(EdgeLabelId(0), &retypes, 0).len(), 0);
        assert_eq!(secondaries.retype(LABEL, &retypes, 0).len(), 1);
        let (logged, more) = secondaries.take_log(list.by(Some(KEY)), 9);
        let EdgeChangeKind::Insert(cells) = &logged[0].kind else { panic!("it was an insert") };
        assert_eq!(**cells, [(KEY, Value::Long(5)), (KeyId(4), Value::Int(6))]);
        assert_eq!((logged.len(), more), (1, false));
    }
}
