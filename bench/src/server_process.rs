//! A server in a process of its own, as users run it.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running server. It is ended when this is dropped.
pub struct ServerProcess {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl ServerProcess {
    /// Starts `program` on the graph in `folder`, on a free port.
    ///
    /// # Errors
    /// If it cannot be started, or ends before it listens.
    pub fn start(program: &Path, folder: &Path) -> io::Result<Self> {
        Self::start_with(program, folder, &[])
    }

    /// The same with these arguments.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_with(program: &Path, folder: &Path, args: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg("--data").arg(folder).args(["--log-level", "warn", "serve", "--port", "0"]).args(args);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said =
            line.trim().strip_prefix("listening on ws://").and_then(|rest| rest.strip_suffix("/gremlin"));
        match said.and_then(|address| address.parse().ok()) {
            Some(address) => Ok(Self { child, address }),
            None => {
                // It says nothing else on standard output, so it has failed, and said why on the other.
                let _ = child.kill();
                let status = child.wait()?;
                Err(io::Error::other(format!("the server does not listen: {status}")))
            }
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
