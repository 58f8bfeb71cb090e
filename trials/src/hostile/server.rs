//! The server that is attacked: a process of its own, with small bounds, that is watched and started again when it is lost.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::ground;
use super::needs::Bounds;
use super::watch::{Reading, Watch};
use crate::Problem;

const MIB: u64 = 1 << 20;
/// `engine.cache`.
const CACHE: u64 = 64 * MIB;
/// `engine.memory_per_query`.
const MEMORY_PER_QUERY: u64 = 32 * MIB;
/// `engine.memory_queries`.
const MEMORY_QUERIES: u64 = 128 * MIB;
/// `server.max_request_bytes`.
const REQUEST_BYTES: u64 = MIB;
/// `server.evaluation_timeout` and its ceiling: what a query gets that does not say, or says for ever.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(1_000);
/// Graphs that are served: the one that is read and the one that is written to.
const GRAPHS: u64 = 2;

/// Settings that bound the server; those after the first six came later, and are left out where a server does not know them.
const SETTINGS: [(&str, u64); 8] = [
    ("engine.cache", CACHE),
    ("engine.memory_per_query", MEMORY_PER_QUERY),
    ("server.max_request_bytes", REQUEST_BYTES),
    ("server.max_http_results", 10_000),
    ("server.write_timeout", 2_000),
    ("server.evaluation_timeout", TIMEOUT.as_millis() as u64),
    ("engine.memory_queries", MEMORY_QUERIES),
    ("server.max_evaluation_timeout", TIMEOUT.as_millis() as u64),
];

/// Megabytes that the process may take: what docs/storage.md states beside the cache, what open transactions hold, and what all
/// queries hold together.
pub(crate) fn bound_mb() -> f64 {
    let mb = |bytes: u64| bytes as f64 / MIB as f64;
    let slack = 0.75 * mb(CACHE) + 256.0;
    let transactions = GRAPHS * mangrove::held_bytes(CACHE / GRAPHS);
    mb(CACHE) + slack + mb(transactions) + mb(MEMORY_QUERIES)
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

/// A running server, killed when this is dropped.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    program: PathBuf,
    folder: PathBuf,
    settings: Vec<String>,
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// Whether it has a ceiling for time-outs.
    pub has_ceiling: bool,
    watch: Watch,
}

impl ServerProcess {
    /// Makes the graphs in a folder and serves them on a free port.
    ///
    /// # Errors
    /// If the program cannot be run, or does not listen.
    pub fn start(program: &Path, folder: &Path) -> Result<Self, Problem> {
        let files = folder.join("files");
        std::fs::create_dir_all(&files)?;
        ground::write(&files)?;
        let mut import = command(program, folder);
        let imported = import.arg("--data").arg(folder.join("g")).arg("import").arg(&files).output()?;
        if !imported.status.success() {
            return Err(format!("no graph: {}", String::from_utf8_lossy(&imported.stderr)).into());
        }
        let mut settings = Vec::new();
        let mut has_ceiling = false;
        for (key, value) in SETTINGS {
            let setting = format!("{key}={value}");
            if !command(program, folder).args(["--set", &setting, "version"]).output()?.status.success() {
                eprintln!("the server does not know {key}");
                continue;
            }
            has_ceiling |= key == "server.max_evaluation_timeout";
            settings.extend(["--set".to_owned(), setting]);
        }
        settings.extend(["--set".to_owned(), "log.level=warn".to_owned()]);
        let (child, address) = spawn(program, folder, &settings)?;
        let watch = Watch::of(child.id());
        let (program, folder) = (program.to_owned(), folder.to_owned());
        Ok(Self { program, folder, settings, child, address, has_ceiling, watch })
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        let last = std::fs::read_to_string(self.folder.join("server.log")).unwrap_or_default();
        let last: Vec<&str> = last.lines().rev().take(3).collect();
        let last = last.into_iter().rev().collect::<Vec<_>>().join(" / ");
        Some(format!("{status}: {last}"))
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
    /// As [`ServerProcess::start`].
    pub fn start_again(&mut self) -> Result<(), Problem> {
        // It may have ended already.
        let _ = self.child.kill();
        self.child.wait()?;
        (self.child, self.address) = spawn(&self.program, &self.folder, &self.settings)?;
        self.watch = Watch::of(self.child.id());
        Ok(())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, without the configuration of whoever runs this.
fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_remove("MANGROVE_CONFIG").stdin(Stdio::null());
    command
}

/// Starts the process and waits until it listens.
fn spawn(program: &Path, folder: &Path, settings: &[String]) -> io::Result<(Child, SocketAddr)> {
    let log = File::options().create(true).append(true).open(folder.join("server.log"))?;
    let mut command = command(program, folder);
    command.arg("--data").arg(folder.join("g")).args(settings);
    command.args(["serve", "--port", "0", "--graph"]).arg(format!("w={}", folder.join("w").display()));
    let mut child = command.stdout(Stdio::piped()).stderr(log).spawn()?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    let address =
        line.trim().strip_prefix("listening on ws://").and_then(|rest| rest.strip_suffix("/gremlin"));
    match address.and_then(|address| address.parse().ok()) {
        Some(address) => Ok((child, address)),
        None => {
            // It says nothing else on standard output, so it has failed.
            let _ = child.kill();
            let status = child.wait()?;
            let log = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
            Err(io::Error::other(format!("the server does not listen ({status}): {log}")))
        }
    }
}
