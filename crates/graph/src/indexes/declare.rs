//! Declares and drops indexes, and says how far they are.

use super::IndexStatus;
use crate::define::Definer;
use crate::error::{GraphError, Result};
use crate::model::{
    Definitions, Index, IndexDefinition, IndexDescription, IndexState, KeyId, NameSpace, NewNames,
    SchemaError, VertexLabelId,
};
use crate::resident::Task;

/// Most indexes that a graph can ever have had: their numbers are never used again.
const MAX_INDEXES: u32 = 1 << 16;

impl Definer {
    /// Declares an index and has it built; nothing if it is there. One whose building failed is built again.
    pub(crate) fn declare_index(&self, description: &IndexDescription) -> Result<()> {
        self.refuse_if_failed()?;
        description.check("index")?;
        let _defining = self.hold_definitions();
        let names = NewNames::new(&self.names);
        let label = VertexLabelId(names.intern(NameSpace::VertexLabel, &description.label)?.0);
        let key = |name: &String| Ok(KeyId(names.intern(NameSpace::Key, name)?.0));
        let keys = description.keys.iter().map(key).collect::<Result<_>>()?;
        let definition = IndexDefinition { label, keys, kind: description.kind };
        let catalog = self.catalog();
        if let Some(index) = catalog.definitions().index(&definition) {
            if self.indexing.forget_failure(description) {
                self.indexing.add(Task::Build(index.number));
            }
            return Ok(());
        }
        if catalog.definitions().next_index >= MAX_INDEXES {
            let what = "the indexes that a graph has ever had";
            let advice = "load it into a new graph to begin again";
            return Err(GraphError::LimitExceeded { what, limit: MAX_INDEXES.into(), advice });
        }
        self.indexing.forget_failure(description);
        self.commit_names(&names)?;
        let add = |definitions: &mut Definitions| definitions.add_index(definition, IndexState::Building);
        let number = self.declare(|declared| declared.define(add));
        if let Err(error) = self.commit_definitions() {
            // A full disk, say. Nobody would build it, so it is not there.
            self.remove_index(number);
            return Err(error);
        }
        self.indexing.add(Task::Build(number));
        Ok(())
    }

    /// Waits until an index is ready. The worker must run.
    pub(crate) fn await_index(&self, description: &IndexDescription) -> Result<()> {
        self.indexing.await_that(|state| {
            if let Some(failure) = state.failures.get(description) {
                return Some(Err(failure.clone()));
            }
            match self.index_of(description) {
                None if state.building.as_ref() != Some(description) => Some(Err(no_such_index(description))),
                Some(index) if index.state == IndexState::Ready => Some(Ok(())),
                _ => None,
            }
        })
    }

    /// The index that is declared like this.
    fn index_of(&self, description: &IndexDescription) -> Option<Index> {
        let catalog = self.catalog();
        let mut indexes = catalog.indexes().iter();
        indexes.find(|index| IndexDescription::of(&index.definition, &catalog) == *description).cloned()
    }

    /// Drops an index: plans made from now on do without it.
    pub(crate) fn drop_index(&self, description: &IndexDescription) -> Result<()> {
        self.refuse_if_failed()?;
        let _defining = self.hold_definitions();
        let Some(index) = self.index_of(description) else {
            let failed = self.indexing.forget_failure(description);
            return if failed { Ok(()) } else { Err(no_such_index(description)) };
        };
        self.indexing.forget_failure(description);
        self.forget_index(index.number, None)
    }

    /// Takes an index out of the catalog and has its storage reclaimed. The definitions must be held. A failure is known
    /// from the same moment on from which the index is gone: who waits for it sees both, or neither.
    pub(crate) fn forget_index(
        &self,
        number: u32,
        failure: Option<(IndexDescription, GraphError)>,
    ) -> Result<()> {
        self.indexing.forget(number, failure, || self.remove_index(number));
        match self.log_forgotten(number) {
            // It is gone already, and cannot come back: what commits from now on is not in it. The next commit logs that as well.
            Err(error) if error.is_disk_full() => {
                tracing::warn!(%error, number, "that an index was dropped is logged when there is room");
                self.indexing.add(Task::Forget(number));
                Ok(())
            }
            logged => logged,
        }
    }

    fn remove_index(&self, number: u32) {
        let remove =
            |definitions: &mut Definitions| definitions.indexes.retain(|index| index.number != number);
        self.declare(|declared| declared.define(remove));
    }

    /// Logs that an index is no more, and has its storage reclaimed. The definitions must be held. Whoever began before and writes
    /// is refused: what it has read in the index, others change without the index's units from now on.
    pub(crate) fn log_forgotten(&self, number: u32) -> Result<()> {
        let stamp = self.commit_definitions()?;
        self.indexing.add(Task::Reclaim(number, stamp.bits()));
        Ok(())
    }

    /// All indexes, and those whose building failed.
    pub(crate) fn index_status(&self) -> Vec<IndexStatus> {
        let catalog = self.catalog();
        self.indexing.look(|state| {
            let mut statuses: Vec<IndexStatus> = Vec::new();
            for index in catalog.indexes() {
                let description = IndexDescription::of(&index.definition, &catalog);
                let progress = match (index.state, state.progress.get(&index.number)) {
                    (IndexState::Ready, _) => 1.0,
                    (IndexState::Building, Some(&(done, total))) => done as f64 / total.max(1) as f64,
                    (IndexState::Building, None) => 0.0,
                };
                let failure = state.failures.get(&description).cloned();
                statuses.push(IndexStatus { index: description, state: index.state, progress, failure });
            }
            for (index, failure) in &state.failures {
                if statuses.iter().all(|status| status.index != *index) {
                    let (index, failure) = (index.clone(), Some(failure.clone()));
                    statuses.push(IndexStatus { index, state: IndexState::Building, progress: 0.0, failure });
                }
            }
            statuses
        })
    }
}

fn no_such_index(description: &IndexDescription) -> GraphError {
    let IndexDescription { label, keys, kind } = description;
    SchemaError::NoSuchIndex { kind: kind.name(), label: label.clone(), keys: keys.join(", ") }.into()
}
