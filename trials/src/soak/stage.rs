//! The graphs that are served, and the server's bounds.

use std::io;
use std::path::{Path, PathBuf};

use super::actors::hostile::GROUND;
use super::program::Program;
use crate::Problem;
use crate::hostile::ground;
use crate::process::{ServerProcess, Settings};

const MIB: u64 = 1 << 20;
/// `engine.cache`, of three graphs: a third of it is far less than a few thousand people take, so that they are evicted.
pub(crate) const CACHE: u64 = 96 * MIB;
/// `engine.memory_queries`.
const QUERIES: u64 = 128 * MIB;
/// `server.max_receiving_bytes`.
const RECEIVING: u64 = 64 * MIB;

/// Bounds that are reached within the first minutes, so that what is kept up to them does not look like growth.
const SETTINGS: [(&str, u64); 9] = [
    ("engine.cache", CACHE),
    ("engine.memory_per_query", 32 * MIB),
    ("engine.memory_queries", QUERIES),
    ("engine.plan_cache", 128),
    ("engine.request_keys", 5_000),
    ("engine.request_key_time", 60_000),
    ("server.max_receiving_bytes", RECEIVING),
    ("server.write_timeout", 5_000),
    ("sessions.idle_timeout", 5_000),
];

/// Where everything is.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    /// The folder of it all, which is emptied first.
    pub folder: PathBuf,
    /// The program.
    pub program: Program,
}

impl Stage {
    /// Makes the graphs in a folder, which is emptied: people as `g`, what hostile queries are for, and an empty one.
    ///
    /// # Errors
    /// If the folder cannot be written to, or the program fails.
    pub async fn prepare(folder: &Path, program: &Path, persons: u64) -> Result<Self, Problem> {
        let program = program.canonicalize().map_err(|error| format!("{}: {error}", program.display()))?;
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => std::fs::create_dir_all(folder)?,
        }
        let stage = Self { folder: folder.canonicalize()?, program: Program::new(&program, CACHE) };
        let social = stage.folder.join("social");
        let count = persons.to_string();
        let generate = ["generate".as_ref(), "social".as_ref(), "--persons".as_ref(), count.as_ref()];
        stage.program.run(&stage.graph(), &[&generate[..], &[social.as_os_str()]].concat()).await?;
        stage.program.run(&stage.graph(), &["import".as_ref(), social.as_os_str()]).await?;
        std::fs::remove_dir_all(&social)?;
        std::fs::create_dir_all(stage.files())?;
        ground::write(&stage.files())?;
        let ground = stage.folder.join(GROUND);
        stage.program.run(&ground, &["import".as_ref(), stage.files().as_os_str()]).await?;
        Ok(stage)
    }

    /// Starts the server.
    ///
    /// # Errors
    /// If it does not listen.
    pub fn start(&self) -> io::Result<ServerProcess> {
        let mut settings: Settings = SETTINGS.iter().map(|(key, value)| (*key, value.to_string())).collect();
        settings.push(("log.level", "warn".to_owned()));
        settings.push(("backups", self.backups().display().to_string()));
        ServerProcess::start_with(self.program.path(), &self.folder, settings, vec![GROUND, "w"])
    }

    /// Megabytes that the process may take: what docs/storage.md states beside the cache, what open transactions hold, what all
    /// queries hold together, and what is received.
    pub fn bound_mb() -> f64 {
        let graphs = 3;
        let transactions = graphs * mangrove::held_bytes(CACHE / graphs);
        let mb = |bytes: u64| bytes as f64 / MIB as f64;
        1.75 * mb(CACHE) + 256.0 + mb(transactions) + mb(QUERIES) + mb(RECEIVING)
    }

    /// The graph that everybody works on.
    pub fn graph(&self) -> PathBuf {
        self.folder.join("graph")
    }

    /// All graphs.
    pub fn graphs(&self) -> Vec<PathBuf> {
        ["graph", GROUND, "w"].iter().map(|name| self.folder.join(name)).collect()
    }

    /// The files of a small graph.
    pub fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// What is imported meanwhile.
    pub fn imported(&self) -> PathBuf {
        self.folder.join("imported")
    }

    /// Where the server writes backups.
    pub fn backups(&self) -> PathBuf {
        self.folder.join("backups")
    }

    /// What the server said that it should not have had to: panics and errors, the first of them.
    pub fn complaints(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.join("server.log")).unwrap_or_default();
        let complains = |line: &&str| line.contains("panicked") || line.contains(" ERROR ");
        log.lines().filter(complains).take(20).map(|line| line.chars().take(400).collect()).collect()
    }
}
