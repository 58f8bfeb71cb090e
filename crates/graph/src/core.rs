//! The shared state of an open graph.

use crate::commit::Committer;
use crate::define::DefinitionLock;
use crate::error::Result;
use crate::model::GraphOptions;
use crate::write::HeldBytes;
use std::sync::Arc;
use store::Store;

/// Everything that the handles of one open graph share.
pub(crate) struct Core {
    /// What is in memory, the files behind it, and the commits on their way there.
    pub(crate) committer: Arc<Committer>,
    /// What open transactions have written.
    pub(crate) held: Arc<HeldBytes>,
    /// Held by whoever changes the schema or the indexes: one at a time.
    pub(crate) defining: DefinitionLock,
}

impl std::ops::Deref for Core {
    type Target = Arc<Committer>;
    fn deref(&self) -> &Arc<Committer> {
        &self.committer
    }
}

impl Core {
    /// Opens the graph in `store`.
    pub(crate) fn open(store: Arc<dyn Store>, options: GraphOptions) -> Result<Self> {
        let committer = Arc::new(Committer::new(Arc::new(crate::restart::open(store, options)?)));
        let held = HeldBytes::new(committer.options.held_bytes);
        Ok(Self { committer, held, defining: DefinitionLock::default() })
    }
}
