//! `mangrove serve`.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, thread::available_parallelism};

use access::{Gate, Grants, Role, Tenants};
use clap::Args;
use dataflow::scheduling;
use mangrove::{
    Accounts, DatabaseOptions, HolderAccounts, TenantMemory, Transfers,
    config::{Config, Override, ServerConfig},
};
use server::{Queries, Security, Server, TenantUse, Tls};
use tokio::signal::unix::{SignalKind, signal};

use super::{
    Failure, descriptors,
    reload::{Read, Reload},
};
use crate::{hosting::Hosting, logging::Logging, output::say, secret, traces};

/// The arguments of `mangrove serve`.
#[derive(Args, Debug)]
pub struct Serve {
    /// Address to listen on (default 127.0.0.1; others need users, or --insecure)
    #[arg(long)]
    host: Option<String>,
    /// Port to listen on; 0 for any free one
    #[arg(long, short)]
    port: Option<u16>,
    /// Listen beyond loopback although there are no users: whoever reaches the port can then read and write every graph
    #[arg(long)]
    insecure: bool,
    /// File with the password of the first admin, who is made if there are no users yet. The variable MANGROVE_ADMIN_PASSWORD_FILE
    /// does the same, MANGROVE_ADMIN_PASSWORD has the password itself
    #[arg(long, value_name = "FILE")]
    admin_password_file: Option<PathBuf>,
    /// The name of the first admin
    #[arg(long, value_name = "NAME", default_value = "admin", env = "MANGROVE_ADMIN")]
    admin: String,
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

/// Threads of the runtime for what blocks, beside those for its connections: as many as it has by itself.
const BLOCKING_THREADS: usize = 512;

/// Most threads for connections that work or wait aside: each is the kernel's, too.
const MOST_THREADS_ASIDE: usize = 4_096;

impl Serve {
    pub(super) fn overrides(&self) -> Vec<Override> {
        let host = self.host.iter().map(|host| Override::flag("server.host", host));
        let port = self.port.iter().map(|port| Override::flag("server.port", port));
        let insecure = self.insecure.then(|| Override::flag("server.insecure", true));
        host.chain(port).chain(insecure).collect()
    }

    pub(super) fn run(self, config: &Config, read: Read, logging: Logging) -> Result<(), Failure> {
        let as_read = config.clone();
        let mut config = config.clone();
        config.add_graphs(self.graphs)?;
        let tls = config.server.tls().map(Tls::load).transpose()?.map(Arc::new);
        descriptors::raise(config.server.max_connections);
        // One engine for all graphs: its executors are pinned to cores.
        let engine = mangrove::start_engine_with(&config.engine)?;
        // Their bounds are those of all graphs together.
        let sessions = config.sessions.options();
        let accounts: Arc<dyn Accounts> = Arc::new(HolderAccounts::new(sessions.clone()));
        let (tenant_memory, queries) = (TenantMemory::default(), Queries::default());
        queries.log_as(config.log.queries());
        let traces = traces::start(&config.traces)?.map(|(tracer, traces)| {
            queries.trace_with(tracer);
            traces
        });
        let transfers = Arc::new(transfers_of(&config));
        let options = DatabaseOptions {
            transfers: Some(transfers.clone()),
            tenant_memory: tenant_memory.clone(),
            queries: Some(queries.clone()),
            engine: Some(engine.clone()),
            accounts: Some(accounts),
            sessions,
            io_directory: Some(config.io_directory.clone()),
            ..DatabaseOptions::from(&config.engine).with_loads(&config.loads).read_only(config.read_only)
        };
        let hosting = Hosting::new(&config, queries.clone(), options);
        hosting.open()?;
        // The graphs are open, so no other server has what is left there, unless both were told of one directory.
        transfers.clean()?;
        let tenants = Arc::new(Tenants::new(&config.tenant.named(&config.tenants), config.tenant.bounds()));
        let gate = hosting.gate();
        first_admin(&gate, &self.admin, self.admin_password_file)?;
        check_users(&gate, &config.server, &self.admin)?;
        check_exposure(&gate, &config.server, tls.is_some())?;
        let tenant_use = Some(Arc::new(tenant_memory) as Arc<dyn TenantUse>);
        let security = Security { gate, tenants, tenant_use, queries, tls };
        server::around_long_work(scheduling::be_prompt_in_turns, scheduling::be_prompt);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .on_thread_start(scheduling::be_prompt)
            // The executors do the work; encoding and sockets need a part of it.
            .worker_threads(available_parallelism().map_or(1, |cores| cores.get().min(8)))
            // Each connection may leave a thread aside (`server::aside`), and the others go on upon yet others.
            .max_blocking_threads(BLOCKING_THREADS + config.server.max_connections.min(MOST_THREADS_ASIDE))
            .thread_name("server")
            .enable_all()
            .build()?;
        let logging = Arc::new(logging);
        let reload = Reload {
            read,
            logging: logging.clone(),
            tenants: security.tenants.clone(),
            queries: security.queries.clone(),
            tls: security.tls.clone(),
            config: as_read,
        };
        runtime.block_on(serve(&config, &hosting, security, reload))?;
        drop(runtime);
        drop(traces);
        hosting.close()?;
        tracing::info!("stopped");
        Ok(())
    }
}

/// Where files are on their way between clients and the server.
fn transfers_of(config: &Config) -> Transfers {
    let default = config.default_graph();
    let directory = match (config.transfers_directory.as_os_str().is_empty(), default.path.file_name()) {
        // Several servers may be told of one directory.
        (false, _) if !default.is_memory() => {
            let own: Vec<_> =
                default.path.iter().filter_map(|part| part.to_str()).filter(|part| *part != "/").collect();
            config.transfers_directory.join(own.join("_"))
        }
        (false, _) => config.transfers_directory.join(std::process::id().to_string()),
        (true, Some(name)) if !default.is_memory() => {
            let mut name = name.to_owned();
            name.push(".transfers");
            default.path.with_file_name(name)
        }
        _ => std::env::temp_dir().join(format!("mangrove-transfers-{}", std::process::id())),
    };
    Transfers::in_directory(directory, config.max_transfer_bytes)
}

/// Makes the first admin, if somebody has said by which password he logs in.
fn first_admin(gate: &Gate, name: &str, file: Option<PathBuf>) -> Result<(), Failure> {
    let Some(password) = secret::given(file, "MANGROVE_ADMIN_PASSWORD")? else { return Ok(()) };
    if gate.registry().has_users() {
        tracing::info!("there are users; the password for a first admin is not looked at");
        return Ok(());
    }
    gate.add_user(name, Some(&password), Grants::everywhere(Role::Admin))?;
    tracing::info!(name, "made the first admin");
    Ok(())
}

/// Closes the gate, if only users are to come in.
fn check_users(gate: &Gate, server: &ServerConfig, admin: &str) -> Result<(), Failure> {
    if !server.users_required {
        return Ok(());
    }
    if !gate.registry().has_users() {
        return Err(Failure::Usage(format!(
            "server.users_required is set, and there are no users: give the first admin, {admin}, a password, in a file \
             (--admin-password-file FILE or MANGROVE_ADMIN_PASSWORD_FILE) or in the variable MANGROVE_ADMIN_PASSWORD"
        )));
    }
    gate.close();
    Ok(())
}

/// Refuses to be reached from other machines where nobody has to say who he is, unless that is meant.
fn check_exposure(gate: &Gate, server: &ServerConfig, has_tls: bool) -> Result<(), Failure> {
    let address = SocketAddr::new(server.host, server.port);
    if server.host.to_canonical().is_loopback() {
        return Ok(());
    }
    if gate.is_closed() {
        if !has_tls {
            tracing::warn!(%address, "listening without TLS: whoever is on the way can read passwords, unless a proxy encrypts");
        }
        return Ok(());
    }
    if !server.insecure {
        return Err(Failure::Exposed { address });
    }
    tracing::warn!(%address, "listening without users: whoever reaches the port can read and write every graph");
    Ok(())
}

async fn serve(
    config: &Config,
    hosting: &Hosting,
    security: Security,
    mut reload: Reload,
) -> Result<(), Failure> {
    let address = SocketAddr::new(config.server.host, config.server.port);
    let mut server = Server::bind_secured(
        address,
        hosting.graphs(),
        config.server.options(&config.tenant),
        security.clone(),
    )
    .await
    .map_err(|error| {
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
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            reload.again();
        }
    });
    listen_at_home(&mut server, hosting);
    let scheme = if security.tls.is_some() { "wss" } else { "ws" };
    // On standard output, alone: whoever starts the server can wait for this line, and stop it from then on.
    say(format_args!("listening on {scheme}://{}/gremlin", server.local_addr()?))?;
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

/// Lets the user who runs the server ask it by the directories that it has open. It serves all the same if that cannot be.
fn listen_at_home(server: &mut Server, hosting: &Hosting) {
    let Some(socket) = hosting.socket() else { return };
    match server.listen_at(socket.clone()) {
        Ok(()) => hosting.mark(socket),
        Err(error) => {
            tracing::warn!(%error, socket = %socket.display(), "commands will not find the server by its directories");
        }
    }
}
