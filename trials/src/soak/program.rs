//! The program, for what is done without a server.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tokio::task::spawn_blocking;

use crate::Problem;

/// The mangrove program, without the configuration of whoever runs this.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    path: PathBuf,
    /// Bytes of cache that it may have.
    cache: u64,
}

impl Program {
    /// The one at a path, with so much cache.
    pub fn new(path: &Path, cache: u64) -> Self {
        Self { path: path.to_owned(), cache }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs it on the graph of a directory.
    ///
    /// # Errors
    /// If it cannot be run, or fails; with what it said.
    pub async fn run(&self, data: &Path, arguments: &[&OsStr]) -> Result<(), Problem> {
        let mut command = Command::new(&self.path);
        command.arg("--data").arg(data).arg("--set").arg(format!("engine.cache={}", self.cache));
        command.args(arguments).env_remove("MANGROVE_CONFIG").current_dir(std::env::temp_dir());
        command.stdin(Stdio::null());
        let output = spawn_blocking(move || command.output()).await??;
        if output.status.success() {
            return Ok(());
        }
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().chars().take(1_000).collect::<String>();
        let what: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        let (said, complained) = (text(&output.stdout), text(&output.stderr));
        Err(format!("{}: {}: {said} {complained}", what.join(" "), output.status).into())
    }
}
