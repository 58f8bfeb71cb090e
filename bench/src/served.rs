//! A server in this process, so that its executors can be watched.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use dataflow::Engine;
use mangrove::{Database, DatabaseOptions};
use server::{Graphs, Server, ServerOptions};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// A graph, served on a free port of the loopback interface until this is dropped.
pub struct Served {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its engine.
    pub engine: Arc<Engine>,
    /// The graph itself.
    pub database: Database,
    runtime: Option<Runtime>,
    stop: Option<oneshot::Sender<()>>,
}

impl Served {
    /// Opens the graph with an engine of so many executors and serves it.
    ///
    /// # Errors
    /// If the graph cannot be opened or no port is free.
    pub fn start(graph: &Path, executors: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let engine = mangrove::start_engine(executors)?;
        let options = DatabaseOptions { engine: Some(engine.clone()), ..DatabaseOptions::default() };
        let database = Database::open_with(graph, options)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let graphs = Graphs::single(Arc::new(database.clone()));
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = runtime.block_on(Server::bind(any_port, graphs, ServerOptions::default()))?;
        let address = server.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        runtime.spawn(server.run(async {
            // A dropped sender stops it too.
            let _ = stopped.await;
        }));
        Ok(Self { address, engine, database, runtime: Some(runtime), stop: Some(stop) })
    }

    /// Whether every executor sleeps and no query is left.
    pub fn is_idle(&self) -> bool {
        self.engine.running() == 0 && self.engine.idle() == self.engine.executors()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(std::time::Duration::from_secs(5));
        }
    }
}
