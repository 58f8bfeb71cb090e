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
        if let Some(number) = self.certain_index(&definition) {
            if self.indexing.forget_failure(description) {
                self.indexing.add(Task::Build(number));
            }
            return Ok(());
        }
        if self.catalog().definitions().next_index >= MAX_INDEXES {
            let what = "the indexes that a graph has ever had";
            let advice = "load it into a new graph to begin again";
            return Err(GraphError::LimitExceeded { what, limit: MAX_INDEXES.into(), advice });
        }
        self.indexing.forget_failure(description);
        self.commit_names(&names)?;
        let number = self.add_index(&definition)?;
        self.indexing.add(Task::Build(number));
        Ok(())
    }

    /// The number of the index that is defined so, if there is one. A bulk load shows its own before they are certain, and takes them
    /// back if it fails; it holds the writer all the while.
    fn certain_index(&self, definition: &IndexDefinition) -> Option<u32> {
        self.catalog().definitions().index(definition)?;
        drop(self.lock_writer());
        self.catalog().definitions().index(definition).map(|index| index.number)
    }

    /// Adds an index to the catalog and to the log; its number.
    fn add_index(&self, definition: &IndexDefinition) -> Result<u32> {
        loop {
            let (number, is_own) = self.declare(|declared| {
                declared.define(|definitions| {
                    let is_own = definitions.index(definition).is_none();
                    (definitions.add_index(definition.clone(), IndexState::Building), is_own)
                })
            });
            if let Err(error) = self.commit_definitions() {
                // A full disk, say. Nobody would build it, so it is not there; but one of a bulk load is the load's.
                if is_own {
                    self.remove_index(number);
                }
                return Err(error);
            }
            // The commit has waited for a load that had shown it before. If that failed, the index is gone again.
            if self.catalog().indexes().iter().any(|index| index.number == number) {
                return Ok(number);
            }
        }
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
    let keys: Vec<String> = keys.iter().map(values::excerpt).collect();
    let label = values::excerpt(label);
    SchemaError::NoSuchIndex { kind: kind.name(), label, keys: keys.join(", ") }.into()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc::channel};
    use std::time::Duration;

    use store::MemoryStore;

    use super::*;
    use crate::graph::Graph;
    use crate::model::{GraphOptions, IndexKind};

    /// Declares an index while a bulk load shows the same one, and then fails.
    fn declare_beside_a_load(declare: impl FnOnce(&Definer, &IndexDefinition) -> Result<()> + Send) {
        let graph = Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default()).unwrap();
        let transaction = graph.begin();
        let v = transaction.add_vertex(None, "person").unwrap();
        transaction.set_vertex_property(v, None, "name", "ada".into(), &[]).unwrap();
        transaction.commit().unwrap();
        let definer = graph.definer();
        let catalog = definer.catalog();
        let definition = IndexDefinition {
            label: catalog.vertex_label("person").unwrap(),
            keys: [catalog.key("name").unwrap()].into(),
            kind: IndexKind::Equality,
        };
        let definition = &definition;
        let (done, told) = channel();
        let writer = definer.lock_writer();
        let show =
            |definitions: &mut Definitions| definitions.add_index(definition.clone(), IndexState::Ready);
        let shown = definer.declare(|declared| declared.define(show));
        std::thread::scope(|scope| {
            scope.spawn(move || done.send(declare(definer, definition)).unwrap());
            let early = told.recv_timeout(Duration::from_millis(200));
            assert!(early.is_err(), "nobody knows yet whether it stays");
            definer.remove_index(shown);
            drop(writer);
            told.recv_timeout(Duration::from_secs(60)).unwrap().unwrap();
        });
        assert!(definer.catalog().definitions().index(definition).is_some());
    }

    #[test]
    fn an_index_that_a_load_takes_back_is_there_for_who_has_declared_it_meanwhile() {
        let index =
            IndexDescription { label: "person".into(), keys: vec!["name".into()], kind: IndexKind::Equality };
        declare_beside_a_load(|definer, _| definer.declare_index(&index));
        // Who has looked before the load showed it.
        declare_beside_a_load(|definer, definition| definer.add_index(definition).map(|_| ()));
    }
}
