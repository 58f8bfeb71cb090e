//! The server that is attacked: a process with small bounds, that is watched and started again when it is lost.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::ground;
use super::needs::Bounds;
use super::watch::{Reading, Watch};
use crate::Problem;
use crate::process::{ServerProcess, Settings};

const MIB: u64 = 1 << 20;
/// `engine.cache`.
const CACHE: u64 = 64 * MIB;
/// `engine.memory_per_query`.
const MEMORY_PER_QUERY: u64 = 32 * MIB;
/// `engine.memory_queries`.
const MEMORY_QUERIES: u64 = 128 * MIB;
/// `server.max_request_bytes`.
const REQUEST_BYTES: u64 = MIB;
/// `server.max_receiving_bytes`.
const RECEIVING: u64 = 16 * MIB;
/// `server.evaluation_timeout` and its ceiling: what a query gets that does not say, or says for ever.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(1_000);
/// The setting of that ceiling.
const CEILING: &str = "server.max_evaluation_timeout";
/// Graphs that are served: the one that is read and the one that is written to.
const GRAPHS: u64 = 2;

/// Settings that bound the server; those after the first six came later, and are left out where a server does not know them.
const SETTINGS: [(&str, u64); 9] = [
    ("engine.cache", CACHE),
    ("engine.memory_per_query", MEMORY_PER_QUERY),
    ("server.max_request_bytes", REQUEST_BYTES),
    ("server.max_http_results", 10_000),
    ("server.write_timeout", 2_000),
    ("server.evaluation_timeout", TIMEOUT.as_millis() as u64),
    ("engine.memory_queries", MEMORY_QUERIES),
    (CEILING, TIMEOUT.as_millis() as u64),
    ("server.max_receiving_bytes", RECEIVING),
];

/// Megabytes that the process may take: what docs/storage.md states beside the cache, what open transactions hold, what all
/// queries hold together, and what is received.
pub(crate) fn bound_mb() -> f64 {
    let mb = |bytes: u64| bytes as f64 / MIB as f64;
    let slack = 0.75 * mb(CACHE) + 256.0;
    let transactions = GRAPHS * mangrove::held_bytes(CACHE / GRAPHS);
    mb(CACHE) + slack + mb(transactions) + mb(MEMORY_QUERIES) + mb(RECEIVING)
}

/// The bounds of one query with such a deadline.
pub(crate) fn bounds(deadline: Duration) -> Bounds {
    Bounds {
        seconds: deadline.as_secs_f64(),
        memory: MEMORY_PER_QUERY as f64,
        // Of text; of bytecode it is 128, and of what is bound to a plan 64.
        depth: 200.0,
        names: 4_096.0,
        request: REQUEST_BYTES as f64,
        writes: (mangrove::held_bytes(CACHE / GRAPHS) / 640) as f64,
    }
}

/// A running server with the graph of [`ground`] as `g` and an empty one as `w`.
#[derive(Debug)]
pub(crate) struct Attacked {
    process: ServerProcess,
    watch: Watch,
    /// Whether it has a ceiling for time-outs.
    pub has_ceiling: bool,
}

impl Attacked {
    /// Makes the graphs in a folder and serves them on a free port.
    ///
    /// # Errors
    /// If the program cannot be run, or does not listen.
    pub fn start(program: &Path, folder: &Path) -> Result<Self, Problem> {
        let files = folder.join("files");
        std::fs::create_dir_all(&files)?;
        ground::write(&files)?;
        let mut import = command(program, folder);
        let imported = import.arg("--data").arg(folder.join("graph")).arg("import").arg(&files).output()?;
        if !imported.status.success() {
            return Err(format!("no graph: {}", String::from_utf8_lossy(&imported.stderr)).into());
        }
        let settings = known_settings(program, folder)?;
        let has_ceiling = settings.iter().any(|(key, _)| *key == CEILING);
        let process = ServerProcess::start_with(program, folder, settings, vec!["w"])?;
        let watch = Watch::of(process.id());
        Ok(Self { process, watch, has_ceiling })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.process.address()
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        self.process.check().err().map(|error| error.to_string())
    }

    /// What it takes, since it was last started.
    pub fn reading(&self) -> Reading {
        self.watch.reading()
    }

    /// The processor time that it has taken, of all cores.
    pub fn busy(&self) -> Duration {
        self.watch.busy()
    }

    /// Kills it and starts it again, on another port; it recovers what it had committed.
    ///
    /// # Errors
    /// As [`Attacked::start`].
    pub fn start_again(&mut self) -> Result<(), Problem> {
        // It may have ended already.
        let _ = self.process.kill();
        self.process.start_again()?;
        self.watch = Watch::of(self.process.id());
        Ok(())
    }
}

/// The settings, but for those that the program does not know.
fn known_settings(program: &Path, folder: &Path) -> Result<Settings, Problem> {
    let mut settings = Settings::new();
    for (key, value) in SETTINGS {
        let setting = format!("{key}={value}");
        if command(program, folder).args(["--set", &setting, "version"]).output()?.status.success() {
            settings.push((key, value.to_string()));
        } else {
            eprintln!("the server does not know {key}");
        }
    }
    settings.push(("log.level", "warn".to_owned()));
    Ok(settings)
}

/// The program, without the configuration of whoever runs this.
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_remove("MANGROVE_CONFIG");
    command
}
