//! The graphs a server hosts, found by the names of their traversal sources.

use std::{collections::BTreeMap, fmt, sync::Arc};

use parking_lot::RwLock;

use crate::Database;

/// Which traversal source name reaches which graph. Cheap to clone; clones are the same, and graphs may come and go while they are
/// served.
///
/// Clients name a traversal source (`g`, `gmodern`) in an alias, or a script does by its first word. Several
/// names may reach one graph.
#[derive(Clone, Default)]
pub struct Graphs {
    sources: Arc<RwLock<BTreeMap<String, Arc<dyn Database>>>>,
}

impl Graphs {
    /// No graphs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A server with one graph, reached as `g`.
    pub fn single(database: Arc<dyn Database>) -> Self {
        let graphs = Self::new();
        graphs.insert("g", database);
        graphs
    }

    /// Lets `source` reach `database`; gives back the graph that the name reached before.
    pub fn insert(
        &self,
        source: impl Into<String>,
        database: Arc<dyn Database>,
    ) -> Option<Arc<dyn Database>> {
        self.sources.write().insert(source.into(), database)
    }

    /// Lets `source` reach nothing any more; gives back what it reached. Requests that have it go on.
    pub fn remove(&self, source: &str) -> Option<Arc<dyn Database>> {
        self.sources.write().remove(source)
    }

    /// The graph behind a traversal source.
    pub fn get(&self, source: &str) -> Option<Arc<dyn Database>> {
        self.sources.read().get(source).cloned()
    }

    /// The traversal sources with their graphs at the moment, sorted by name.
    pub fn all(&self) -> Vec<(String, Arc<dyn Database>)> {
        let sources = self.sources.read();
        sources.iter().map(|(source, database)| (source.clone(), database.clone())).collect()
    }

    /// The names of the traversal sources at the moment, sorted.
    pub fn sources(&self) -> Vec<String> {
        self.sources.read().keys().cloned().collect()
    }
}

impl fmt::Debug for Graphs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.sources()).finish()
    }
}
