//! A server in this process.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use mangrove::Database;
use server::{Graphs, Server, ServerOptions};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::Problem;

/// Graphs, served on a free port of the loopback interface until this is dropped.
#[derive(Debug)]
pub struct Served {
    /// Where it listens.
    pub address: SocketAddr,
    runtime: Option<Runtime>,
    stop: Option<oneshot::Sender<()>>,
}

impl Served {
    /// Serves graphs under the names of their traversal sources.
    ///
    /// # Errors
    /// If no port is free or the operating system refuses a thread.
    pub fn start(
        graphs: impl IntoIterator<Item = (String, Database)>,
        options: ServerOptions,
    ) -> Result<Self, Problem> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let sources = Graphs::new();
        for (source, database) in graphs {
            sources.insert(source, Arc::new(database));
        }
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let server = runtime.block_on(Server::bind(any_port, sources, options))?;
        let address = server.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        runtime.spawn(server.run(async {
            // A dropped sender stops it too.
            let _ = stopped.await;
        }));
        Ok(Self { address, runtime: Some(runtime), stop: Some(stop) })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(5));
        }
    }
}
