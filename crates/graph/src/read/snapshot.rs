//! A consistent view of a graph.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use timeline::{SnapshotGuard, Stamp};

use super::computed::Computed;
use super::overlay::{Overlay, Own};
use super::reader::Reader;
use crate::cache::Request;
use crate::error::{GraphError, Result};
use crate::model::{Catalog, Counts, EdgeLabelId, NewNames, VertexLabelId};
use crate::resident::Memory;

/// A consistent view of the graph: everything that was committed up to its stamp and nothing later; inside a
/// transaction also the writes that the transaction had made when the snapshot was taken. Cheap to clone.
///
/// While it lives it holds back the removal of old versions, so it should not outlive its query.
#[derive(Clone)]
pub struct Snapshot {
    inner: Arc<Inner>,
    /// On whose behalf is read.
    request: Option<Arc<Request>>,
}

struct Inner {
    memory: Arc<Memory>,
    catalog: Catalog,
    counts: Arc<Counts>,
    own: Option<(Arc<Overlay>, u64)>,
    computed: Option<Arc<Computed>>,
    /// The first read that failed, of all snapshots of one transaction.
    failure: Arc<OnceLock<GraphError>>,
    /// Holds the watermark.
    guard: Arc<SnapshotGuard>,
}

impl Snapshot {
    /// The latest committed state.
    pub(crate) fn latest(memory: &Arc<Memory>) -> Self {
        loop {
            let catalog = memory.catalog();
            let guard = memory.timeline.snapshot();
            // The writer publishes counts just before their commit becomes visible; between the two, look again.
            if let Some(counts) = memory.counts.at(guard.stamp().bits()) {
                // Its schema and indexes must not be newer than the stamp: an index has what anybody sees from the moment on
                // when it is ready.
                let newest = memory.catalog();
                if newest.revision() != catalog.revision() {
                    continue;
                }
                let catalog = newest.at(guard.stamp().bits());
                let guard = Arc::new(guard);
                let (memory, failure) = (Arc::clone(memory), Arc::default());
                let inner = Inner { memory, catalog, counts, own: None, computed: None, failure, guard };
                return Self { inner: Arc::new(inner), request: None };
            }
            std::hint::spin_loop();
        }
    }

    /// The graph as of a commit that is visible by now, though not necessarily the last one: for its elements alone. Counts, schema
    /// and indexes may be newer.
    pub(crate) fn at_commit(memory: &Arc<Memory>, guard: SnapshotGuard) -> Self {
        let catalog = memory.catalog().at(guard.stamp().bits());
        let (counts, guard) = (memory.counts.newest(), Arc::new(guard));
        let (memory, failure) = (Arc::clone(memory), Arc::default());
        let inner = Inner { memory, catalog, counts, own: None, computed: None, failure, guard };
        Self { inner: Arc::new(inner), request: None }
    }

    /// The same moment with the first `writes` writes of a transaction, the names that they bring, and the counts that they lead to.
    pub(crate) fn with_own(
        &self,
        overlay: &Arc<Overlay>,
        (writes, names): (u64, Option<&Arc<NewNames>>),
        counts: Arc<Counts>,
    ) -> Self {
        let own = Some((Arc::clone(overlay), writes));
        self.with(names, counts, own)
    }

    /// The same moment with names that are not given out yet.
    pub(crate) fn with_names(&self, names: &Arc<NewNames>) -> Self {
        self.with(Some(names), Arc::clone(&self.inner.counts), None)
    }

    /// Properties of these names that a query computes, for [`Snapshot::with_computed`].
    ///
    /// # Errors
    /// If one of them cannot be a key's name, or there are too many names.
    pub fn computes<'n>(&self, keys: impl Iterator<Item = &'n str>) -> Result<Arc<Computed>> {
        Computed::new(NewNames::new(&self.inner.memory.names), keys)
    }

    /// The same moment as somebody sees it who has computed these properties.
    #[must_use]
    pub fn with_computed(&self, computed: &Arc<Computed>) -> Self {
        let own = self.inner.own.clone().unwrap_or_default();
        let mut seen = self.with(Some(&computed.names), Arc::clone(&self.inner.counts), Some(own));
        if let Some(inner) = Arc::get_mut(&mut seen.inner) {
            inner.computed = Some(Arc::clone(computed));
        }
        seen
    }

    /// The same moment without what somebody has computed.
    #[must_use]
    pub fn without_computed(&self) -> Self {
        match self.inner.computed {
            Some(_) => self.with(None, Arc::clone(&self.inner.counts), None),
            None => self.clone(),
        }
    }

    fn with(
        &self,
        names: Option<&Arc<NewNames>>,
        counts: Arc<Counts>,
        own: Option<(Arc<Overlay>, u64)>,
    ) -> Self {
        let Inner { memory, failure, guard, .. } = &*self.inner;
        let (memory, failure, guard) = (Arc::clone(memory), Arc::clone(failure), Arc::clone(guard));
        let catalog = self.inner.catalog.with_new(names);
        let inner = Inner { memory, catalog, counts, own, computed: None, failure, guard };
        Self { inner: Arc::new(inner), request: self.request.clone() }
    }

    /// The names and indexes as of this snapshot.
    pub fn catalog(&self) -> &Catalog {
        &self.inner.catalog
    }

    /// The same view for a request: what its readers miss is loaded through the graph's I/O pools.
    #[must_use]
    pub fn on_behalf_of(mut self, request: &Arc<Request>) -> Self {
        self.request = Some(Arc::clone(request));
        self
    }

    /// The request that it serves, if any.
    pub fn request(&self) -> Option<&Arc<Request>> {
        self.request.as_ref()
    }

    /// A request for reads of this snapshot's graph, over at `deadline` at the latest; see
    /// [`Snapshot::on_behalf_of`].
    pub fn new_request(&self, deadline: Option<Instant>) -> Arc<Request> {
        Request::new(&self.inner.memory.pools, deadline)
    }

    /// Begins a batch of reads: pins the memory-reclamation epoch once. Hold it only while working on one batch.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(self)
    }

    /// The last commit that this snapshot sees.
    pub fn stamp(&self) -> Stamp {
        self.inner.guard.stamp()
    }

    /// The number of vertices, of one label or of all; exact, uncommitted writes of the transaction included.
    pub fn vertex_count(&self, label: Option<VertexLabelId>) -> u64 {
        self.inner.counts.vertices(label)
    }

    /// The number of edges, of one label or of all; exact, uncommitted writes of the transaction included.
    pub fn edge_count(&self, label: Option<EdgeLabelId>) -> u64 {
        self.inner.counts.edges(label)
    }

    /// Whether all reads so far, through any reader of this snapshot or of its clones, could be answered.
    ///
    /// Reads return plain values. When a section cannot be loaded (the disk fails, its checksum does not match) the
    /// read sees nothing there and the failure is kept here: check before results leave the engine.
    ///
    /// # Errors
    /// The first failure.
    pub fn check(&self) -> Result<()> {
        match self.inner.failure.get() {
            Some(failure) => Err(failure.clone()),
            None if self.request.as_ref().is_some_and(|request| request.was_interrupted()) => {
                Err(GraphError::Interrupted)
            }
            None => Ok(()),
        }
    }

    pub(crate) fn fail(&self, error: GraphError) {
        // That one request did not wait for it is nothing to the others of its transaction.
        if let (GraphError::Interrupted, Some(request)) = (&error, &self.request) {
            return request.note_interrupted();
        }
        tracing::error!(%error, "a section could not be read");
        // A later failure than the first adds nothing.
        let _ = self.inner.failure.set(error);
    }

    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.inner.memory
    }

    pub(crate) fn counts(&self) -> &Arc<Counts> {
        &self.inner.counts
    }

    pub(crate) fn own(&self) -> Option<Own<'_>> {
        let names = self.inner.catalog.new_names();
        let computed = self.inner.computed.as_deref();
        self.inner.own.as_ref().map(|(overlay, writes)| Own { overlay, writes: *writes, names, computed })
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot").field("stamp", &self.stamp()).finish_non_exhaustive()
    }
}
