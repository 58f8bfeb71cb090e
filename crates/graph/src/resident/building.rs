//! A tree that is being built in another order, and what has been committed to its list since.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::resorts::Resorts;
use super::secondaries::LoggedChange;
use crate::model::{EdgeLabelId, KeyId, Retypes};
use crate::sections::{EdgeTree, TreeChange, TreeName};

/// One tree at a time.
#[derive(Default)]
pub(crate) struct Building {
    /// Whether there is one: mostly not, which costs one look.
    any: AtomicBool,
    state: Mutex<Option<State>>,
}

struct State {
    list: TreeName,
    key: KeyId,
    log: VecDeque<LoggedChange>,
    /// Once all of it is written that the snapshot sees.
    tree: Option<Arc<EdgeTree>>,
}

impl Building {
    /// Begins to log the changes of a list. While the writer is held.
    pub(crate) fn begin(&self, list: TreeName, key: KeyId) {
        *self.state.lock() = Some(State { list, key, log: VecDeque::new(), tree: None });
        self.any.store(true, Ordering::Release);
    }

    /// Forgets it.
    pub(crate) fn end(&self) {
        self.any.store(false, Ordering::Release);
        *self.state.lock() = None;
    }

    /// Notes the tree that the changes go to.
    pub(crate) fn set_tree(&self, tree: &Arc<EdgeTree>) {
        if let Some(state) = &mut *self.state.lock() {
            state.tree = Some(Arc::clone(tree));
        }
    }

    /// How many changes are logged.
    pub(crate) fn logged(&self) -> usize {
        self.state.lock().as_ref().map_or(0, |state| state.log.len())
    }

    /// Takes the first few changes, oldest first; and whether there are more.
    pub(crate) fn take(&self, most: usize) -> (Vec<LoggedChange>, bool) {
        let mut state = self.state.lock();
        let Some(state) = &mut *state else { return (Vec::new(), false) };
        let taken = state.log.drain(..state.log.len().min(most)).collect();
        (taken, !state.log.is_empty())
    }
}

impl Resorts {
    /// Whether the list of this tree is being built in another order.
    pub(crate) fn is_building(&self, list: TreeName) -> bool {
        self.built_by(list).is_some()
    }

    /// The key that the list of this tree is being built by.
    pub(crate) fn built_by(&self, list: TreeName) -> Option<KeyId> {
        if !self.building.any.load(Ordering::Acquire) {
            return None;
        }
        self.building.state.lock().as_ref().filter(|state| state.list == list).map(|state| state.key)
    }

    /// Logs a change of the list that is being built; with the value that the edge had under its key.
    pub(crate) fn log(&self, change: TreeChange<'_>) {
        if let Some(state) = &mut *self.building.state.lock() {
            state.log.push_back(LoggedChange::of(change));
        }
    }

    /// Gives what is logged the types of now, if it is of a label; the tree that is being built, likewise to be converted.
    pub(crate) fn retype(&self, label: EdgeLabelId, retypes: &Retypes, since: u64) -> Option<Arc<EdgeTree>> {
        let conversions = retypes.of_edges(label, since)?;
        let mut state = self.building.state.lock();
        let state = state.as_mut().filter(|state| state.list.label == label)?;
        state.log.iter_mut().for_each(|logged| logged.convert(&conversions));
        state.tree.clone()
    }
}
