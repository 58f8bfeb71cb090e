//! `mangrove serve`.

use std::{net::SocketAddr, sync::Arc, thread::available_parallelism};

use clap::Args;
use mangrove::{
    Accounts, AddressAccounts, Database, DatabaseOptions, MemoryPlan,
    config::{Config, Override, ServerConfig},
};
use server::{Graphs, Server};
use tokio::signal::unix::{SignalKind, signal};

use super::{Failure, descriptors, open_at};
use crate::output::say;

/// The arguments of `mangrove serve`.
#[derive(Args, Debug)]
pub struct Serve {
    /// Address to listen on (default 127.0.0.1; others need --insecure, since there is no authentication yet)
    #[arg(long)]
    host: Option<String>,
    /// Port to listen on; 0 for any free one
    #[arg(long, short)]
    port: Option<u16>,
    /// Listen beyond loopback, although whoever reaches the port can then read and write every graph
    #[arg(long)]
    insecure: bool,
    /// A further graph, reached by its name as traversal source; may be given several times
    #[arg(long = "graph", value_name = "NAME=DIR", value_parser = named_graph)]
    graphs: Vec<(String, String)>,
}

fn named_graph(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => Ok((name.into(), path.into())),
        _ => Err("expected NAME=DIR, such as gmodern=data/modern".into()),
    }
}

impl Serve {
    pub(super) fn overrides(&self) -> Vec<Override> {
        let host = self.host.iter().map(|host| Override::flag("server.host", host));
        let port = self.port.iter().map(|port| Override::flag("server.port", port));
        let insecure = self.insecure.then(|| Override::flag("server.insecure", true));
        host.chain(port).chain(insecure).collect()
    }

    pub(super) fn run(self, config: &Config) -> Result<(), Failure> {
        let mut config = config.clone();
        config.add_graphs(self.graphs)?;
        check_exposure(&config.server)?;
        let hosted = config.hosted();
        let memory = divide_memory(&config, hosted.len())?;
        descriptors::raise(config.server.max_connections);
        let mut graphs = Graphs::new();
        let mut databases = Vec::new();
        // One engine for all graphs: its executors are pinned to cores.
        let engine = mangrove::start_engine_with(&config.engine)?;
        let options = DatabaseOptions::from(&config.engine).with_loads(&config.loads);
        let cache = memory.cache / hosted.len().max(1) as u64;
        // Their bounds are those of all graphs together.
        let sessions = config.sessions.options();
        let accounts: Arc<dyn Accounts> = Arc::new(AddressAccounts::new(sessions.clone()));
        let options = DatabaseOptions {
            engine: Some(engine.clone()),
            accounts: Some(accounts),
            sessions,
            ..options.with_cache(cache)
        };
        for graph in hosted {
            let backups = Some(&config.backups).filter(|path| !path.as_os_str().is_empty());
            let backups = backups.map(|path| path.join(&*graph.name));
            let io_directory = Some(config.io_directory.clone());
            let options = DatabaseOptions { backups, io_directory, ..options.clone() };
            let database = open_at(&graph, options)?;
            let stats = database.stats();
            tracing::info!(
                name = %graph.name,
                source = %graph.source,
                path = %graph.path.display(),
                vertices = stats.vertex_count(),
                edges = stats.edge_count(),
                "graph open"
            );
            graphs.insert(graph.source, Arc::new(database.clone()));
            databases.push(database);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .on_thread_start(dataflow::scheduling::be_prompt)
            // The executors do the work; encoding and sockets need a part of it.
            .worker_threads(available_parallelism().map_or(1, |cores| cores.get().min(8)))
            .thread_name("server")
            .enable_all()
            .build()?;
        runtime.block_on(serve(&config, graphs))?;
        drop(runtime);
        flush(databases)
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

/// Refuses to be reached from other machines where nobody has said that this is meant.
fn check_exposure(server: &ServerConfig) -> Result<(), Failure> {
    let address = SocketAddr::new(server.host, server.port);
    if server.host.to_canonical().is_loopback() {
        return Ok(());
    }
    if !server.insecure {
        return Err(Failure::Exposed { address });
    }
    tracing::warn!(%address, "listening without authentication: whoever reaches the port can read and write every graph");
    Ok(())
}

async fn serve(config: &Config, graphs: Graphs) -> Result<(), Failure> {
    let address = SocketAddr::new(config.server.host, config.server.port);
    let server = Server::bind(address, graphs, config.server.options()).await.map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::AddrInUse => "; another server listens there, choose another --port",
            std::io::ErrorKind::PermissionDenied => {
                "; ports below 1024 need privileges, choose another --port"
            }
            _ => "",
        };
        Failure::Bind { address, reason: format!("{error}{hint}") }
    })?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    // On standard output, alone: whoever starts the server can wait for this line, and stop it from then on.
    say(format_args!("listening on ws://{}/gremlin", server.local_addr()?))?;
    server
        .run(async {
            tokio::select! {
                _ = interrupt.recv() => tracing::info!("interrupted"),
                _ = terminate.recv() => tracing::info!("asked to terminate"),
            }
        })
        .await;
    Ok(())
}

/// Writes what is only in memory and in the log, so that the next start has nothing to replay.
fn flush(databases: Vec<Database>) -> Result<(), Failure> {
    for database in databases {
        database.close()?;
    }
    tracing::info!("stopped");
    Ok(())
}
