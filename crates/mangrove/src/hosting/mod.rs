//! The graphs that a server has open: those that the configuration names, and those that were made while it ran.
//!
//! Memory is divided among all of them anew when one comes or goes. It must never know of commands, nor of requests beyond their graph's
//! name.

mod folder;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock, Weak},
};

use access::Gate;
use mangrove::{
    Database, DatabaseOptions, GraphHost, GraphInfo, MemoryPlan,
    config::{Config, HostedGraph},
};
use parking_lot::Mutex;
use server::{Graphs, Queries};

pub use folder::Folder;
use folder::check_name;

use crate::{failure::Failure, far::Place};

/// See the module.
pub struct Hosting {
    config: Config,
    /// How each is opened, but for what is its own.
    options: DatabaseOptions,
    graphs: Graphs,
    queries: Queries,
    /// The users of the server, who are kept with the first graph that is opened.
    gate: OnceLock<Gate>,
    /// Where graphs are made; none: in memory.
    folder: Option<Folder>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    graphs: BTreeMap<String, Hosted>,
    /// What commands find the server by.
    place: Option<Place>,
}

struct Hosted {
    database: Database,
    directory: Option<PathBuf>,
    is_configured: bool,
}

impl std::fmt::Debug for Hosting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Hosting").field(&self.graphs).finish()
    }
}

impl Hosting {
    /// Of a configuration; no graph is open yet. The memory of `options` is divided here.
    pub fn new(config: &Config, queries: Queries, options: DatabaseOptions) -> Arc<Self> {
        Arc::new_cyclic(|host: &Weak<Self>| {
            let host: Weak<dyn GraphHost> = host.clone();
            Self {
                config: config.clone(),
                options: DatabaseOptions { graph_host: Some(host), ..options },
                graphs: Graphs::new(),
                queries,
                gate: OnceLock::new(),
                folder: Folder::of(config),
                open: Mutex::default(),
            }
        })
    }

    /// Opens all graphs.
    ///
    /// # Errors
    /// What one of them has against it.
    pub fn open(&self) -> Result<(), Failure> {
        let mut hosted = self.config.hosted();
        // The users of the server are kept with the graph that is reached as g.
        hosted.sort_by_key(|graph| graph.source != "g");
        let made = self.folder.as_ref().map_or(Ok(Vec::new()), Folder::names)?;
        if let Some(name) =
            made.iter().find(|name| hosted.iter().any(|graph| graph.source == **name || graph.name == **name))
        {
            return Err(Failure::Usage(format!(
                "the configuration has a graph that is called or reached as {name}, and so is one that was made while the server ran; give the \
                 former another name and `source`"
            )));
        }
        let plan = divide_memory(&self.config, hosted.len() + made.len())?;
        let count = (hosted.len() + made.len()).max(1) as u64;
        let mut open = self.open.lock();
        for graph in hosted {
            self.open_one(&mut open, &graph, plan.cache / count, true)?;
        }
        if let Some(folder) = &self.folder {
            // The default graph is open, so nobody else makes or removes any.
            folder.clean()?;
            for name in made {
                let path = folder.path_of(&name);
                let graph = HostedGraph { source: name.clone(), name, path };
                self.open_one(&mut open, &graph, plan.cache / count, false)?;
            }
        }
        Ok(())
    }

    fn open_one(
        &self,
        open: &mut Open,
        graph: &HostedGraph,
        cache: u64,
        is_configured: bool,
    ) -> Result<(), Failure> {
        let backups = Some(&self.config.backups).filter(|path| !path.as_os_str().is_empty());
        let options = DatabaseOptions {
            backups: backups.map(|path| path.join(&graph.name)),
            users: self.gate.get().cloned(),
            ..self.options.clone().with_cache(cache)
        };
        let database = open_at(graph, options)?;
        let _ = self.gate.set(database.users().clone());
        let stats = database.stats();
        tracing::info!(
            name = %graph.name,
            source = %graph.source,
            path = %graph.path.display(),
            vertices = stats.vertex_count(),
            edges = stats.edge_count(),
            "graph open"
        );
        let directory = (!graph.is_memory()).then(|| graph.path.clone());
        if let (Some(place), Some(directory)) = (&mut open.place, &directory) {
            mark(place, directory, &graph.source);
        }
        self.graphs.insert(graph.source.clone(), Arc::new(database.clone()));
        open.graphs.insert(graph.source.clone(), Hosted { database, directory, is_configured });
        Ok(())
    }

    /// The graphs, as the server knows them.
    pub fn graphs(&self) -> Graphs {
        self.graphs.clone()
    }

    /// The users of the server.
    pub fn gate(&self) -> Gate {
        self.gate.get().cloned().unwrap_or_else(Gate::of_nobody)
    }

    /// Where the server listens for commands that find it by a directory; none if no graph is in one.
    pub fn socket(&self) -> Option<PathBuf> {
        let open = self.open.lock();
        let users = self.config.default_graph().source;
        let first = open.graphs.get(&users).into_iter().chain(open.graphs.values());
        let directory = first.filter_map(|graph| graph.directory.as_deref()).next()?;
        Place::socket_in(directory)
    }

    /// Lets commands find the server by the directories of its graphs.
    pub fn mark(&self, socket: PathBuf) {
        let mut open = self.open.lock();
        let mut place = Place::new(socket);
        for (source, graph) in &open.graphs {
            if let Some(directory) = &graph.directory {
                mark(&mut place, directory, source);
            }
        }
        open.place = Some(place);
    }

    /// Closes all graphs. What is only in memory and in the log is written, so that the next start has nothing to replay.
    ///
    /// # Errors
    /// If that fails.
    pub fn close(&self) -> Result<(), Failure> {
        let mut open = self.open.lock();
        open.place = None;
        for (_, graph) in std::mem::take(&mut open.graphs) {
            graph.database.close()?;
        }
        Ok(())
    }

    /// Divides the cache among the graphs that are open.
    fn divide_cache(&self, open: &Open) {
        let count = open.graphs.len().max(1);
        let share = MemoryPlan::of_server(&self.config, count).cache / count as u64;
        let bytes = self.options.clone().with_cache(share).graph.cache_bytes;
        open.graphs.values().for_each(|graph| graph.database.graph().set_cache_bytes(bytes));
    }
}

impl GraphHost for Hosting {
    fn list(&self) -> Vec<GraphInfo> {
        let open = self.open.lock();
        let info = |(name, graph): (&String, &Hosted)| GraphInfo {
            name: name.clone(),
            directory: graph.directory.clone(),
            is_configured: graph.is_configured,
            stats: graph.database.stats(),
        };
        open.graphs.iter().map(info).collect()
    }

    fn create(&self, name: &str) -> Result<(), String> {
        check_name(name)?;
        let mut open = self.open.lock();
        if open.graphs.contains_key(name) {
            return Err(format!("there is a graph {name} already"));
        }
        // Backups are kept by names.
        if self.config.hosted().iter().any(|graph| graph.name == name) {
            return Err(format!("the configuration has a graph that it calls {name}; choose another name"));
        }
        let count = open.graphs.len();
        let plan = MemoryPlan::of_server(&self.config, count + 1);
        if !plan.fits() && MemoryPlan::of_server(&self.config, count).fits() {
            return Err(format!(
                "there is no memory for more than {count} graphs: with one more there would be {plan}; drop one, or lower engine.cache or \
                 engine.memory_queries"
            ));
        }
        let cache = plan.cache / (count as u64 + 1);
        let path = match &self.folder {
            None => HostedGraph::MEMORY.into(),
            Some(folder) => folder.make(name, empty)?,
        };
        let graph = HostedGraph { name: name.into(), path, source: name.into() };
        self.open_one(&mut open, &graph, cache, false).map_err(|error| error.to_string())?;
        self.divide_cache(&open);
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), String> {
        let mut open = self.open.lock();
        match open.graphs.get(name) {
            None => return Err(format!("there is no graph {}", values::excerpt(name))),
            Some(graph) if graph.is_configured => {
                return Err(format!(
                    "the configuration has the graph {name}: take it out there, start the server anew, and remove its directory"
                ));
            }
            Some(_) => {}
        }
        let Some(graph) = open.graphs.remove(name) else { return Ok(()) };
        self.graphs.remove(name);
        self.queries.stop("an admin, who has dropped the graph", |query| query.source == *name);
        if let (Some(place), Some(directory)) = (&mut open.place, &graph.directory) {
            place.forget(directory);
        }
        // What still has it in its hands is told that it is closed.
        if let Err(error) = graph.database.close() {
            tracing::warn!(graph = name, %error, "a graph that is dropped was not closed in peace");
        }
        self.divide_cache(&open);
        self.folder.as_ref().map_or(Ok(()), |folder| folder.remove(name))
    }
}

/// Opens a graph of the configuration.
///
/// # Errors
/// As [`Database::open_with`].
pub fn open_at(graph: &HostedGraph, options: DatabaseOptions) -> Result<Database, Failure> {
    Ok(if graph.is_memory() {
        Database::in_memory_with(options)?
    } else {
        Database::open_with(&graph.path, options)?
    })
}

/// An empty graph in a directory.
///
/// # Errors
/// Why there is none, in words.
pub fn empty(directory: &Path) -> Result<(), String> {
    Database::open(directory).and_then(Database::close).map_err(|error| error.to_string())
}

fn mark(place: &mut Place, directory: &Path, source: &str) {
    if let Err(error) = place.mark(directory, source) {
        tracing::warn!(%error, directory = %directory.display(), "commands will not find the server by this directory");
    }
}

/// Divides the memory among the parts of the server. Refuses what cannot hold, and warns of what may not.
fn divide_memory(config: &Config, graphs: usize) -> Result<MemoryPlan, Failure> {
    let plan = MemoryPlan::of_server(config, graphs);
    plan.check()?;
    if plan.fits() {
        tracing::info!(%plan, "memory");
    } else {
        tracing::warn!(
            %plan,
            "all that is bounded may together take more than there is, and the system may then end the server; lower \
             engine.cache, engine.memory_queries or server.max_receiving_bytes"
        );
    }
    Ok(plan)
}
