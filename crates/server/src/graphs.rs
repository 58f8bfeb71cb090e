//! The graphs a server hosts, found by the names of their traversal sources.

use std::{collections::BTreeMap, fmt, sync::Arc};

use crate::Database;

/// Which traversal source name reaches which graph.
///
/// Clients name a traversal source (`g`, `gmodern`) in an alias, or a script does by its first word. Several
/// names may reach one graph.
#[derive(Clone, Default)]
pub struct Graphs {
    sources: BTreeMap<String, Arc<dyn Database>>,
}

impl Graphs {
    /// No graphs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A server with one graph, reached as `g`.
    pub fn single(database: Arc<dyn Database>) -> Self {
        let mut graphs = Self::new();
        graphs.insert("g", database);
        graphs
    }

    /// Lets `source` reach `database`; gives back the graph that the name reached before.
    pub fn insert(
        &mut self,
        source: impl Into<String>,
        database: Arc<dyn Database>,
    ) -> Option<Arc<dyn Database>> {
        self.sources.insert(source.into(), database)
    }

    /// The graph behind a traversal source.
    pub fn get(&self, source: &str) -> Option<&Arc<dyn Database>> {
        self.sources.get(source)
    }

    /// The traversal sources with their graphs, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<dyn Database>)> {
        self.sources.iter().map(|(source, database)| (source.as_str(), database))
    }

    /// The names of the traversal sources, sorted.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }
}

impl fmt::Debug for Graphs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.sources()).finish()
    }
}
