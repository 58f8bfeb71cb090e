//! A server in a process of its own, which can be killed and started again on the same data.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Settings of a server: configuration keys and their values.
pub type Settings = Vec<(&'static str, String)>;

/// A running server. It is killed when this is dropped.
#[derive(Debug)]
pub struct ServerProcess {
    program: PathBuf,
    /// Holds the graph and what the server says.
    folder: PathBuf,
    settings: Settings,
    graphs: Vec<&'static str>,
    child: Child,
    address: SocketAddr,
}

impl ServerProcess {
    /// Starts `program` on the graph `graph` in `folder`, on a free port.
    ///
    /// # Errors
    /// If it cannot be started, or ends before it listens.
    pub fn start(program: &Path, folder: &Path, settings: Settings) -> io::Result<Self> {
        Self::start_with(program, folder, settings, Vec::new())
    }

    /// The same with further graphs in `folder`, each with the name of its folder.
    ///
    /// # Errors
    /// As [`ServerProcess::start`].
    pub fn start_with(
        program: &Path,
        folder: &Path,
        settings: Settings,
        graphs: Vec<&'static str>,
    ) -> io::Result<Self> {
        let (child, address) = spawn(program, folder, &settings, &graphs)?;
        let (program, folder) = (program.to_owned(), folder.to_owned());
        Ok(Self { program, folder, settings, graphs, child, address })
    }

    /// The process, as the operating system calls it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it without a warning.
    ///
    /// # Errors
    /// If it had ended before.
    pub fn kill(&mut self) -> io::Result<()> {
        self.check()?;
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Starts it again after it was killed. It listens elsewhere.
    ///
    /// # Errors
    /// As [`ServerProcess::start`].
    pub fn start_again(&mut self) -> io::Result<()> {
        (self.child, self.address) = spawn(&self.program, &self.folder, &self.settings, &self.graphs)?;
        Ok(())
    }

    /// Whether it still runs.
    ///
    /// # Errors
    /// If it has ended of itself: with what it said last.
    pub fn check(&mut self) -> io::Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => Err(ended(&self.folder, &status.to_string())),
        }
    }

    /// What `/metrics` has of these counters and gauges, summed over their labels, in the same order.
    ///
    /// # Errors
    /// If the server does not answer.
    pub fn metrics<const N: usize>(&self, names: [&str; N]) -> io::Result<[f64; N]> {
        metrics_at(self.address, names)
    }

    /// Asks it to end and waits until it has, for as long as `patience`.
    ///
    /// # Errors
    /// If it cannot be asked, does not end in time, or says that it failed.
    pub fn stop(&mut self, patience: Duration) -> io::Result<()> {
        self.check()?;
        // `std` sends no signal but the one that ends a process at once.
        Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status()?;
        let asked = Instant::now();
        while asked.elapsed() < patience {
            match self.child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(ended(&self.folder, &status.to_string())),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
        Err(io::Error::other(format!("the server does not stop within {} s", patience.as_secs())))
    }
}

/// How long the server may take over a page of numbers.
const PAGE: Duration = Duration::from_secs(20);

/// What `/metrics` of the server at an address has of these counters and gauges, as [`ServerProcess::metrics`]. A name may end
/// within its labels (`mangrove_edges{graph="g"`): those count that go on so.
///
/// # Errors
/// If the server does not answer.
pub fn metrics_at<const N: usize>(address: SocketAddr, names: [&str; N]) -> io::Result<[f64; N]> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PAGE))?;
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    Ok(names.map(|name| sum_of(&page, name)))
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts the process and waits until it listens.
fn spawn(
    program: &Path,
    folder: &Path,
    settings: &Settings,
    graphs: &[&str],
) -> io::Result<(Child, SocketAddr)> {
    let log = File::options().create(true).append(true).open(folder.join("server.log"))?;
    let mut command = Command::new(program);
    command.arg("--data").arg(folder.join("graph"));
    for (key, value) in settings {
        command.arg("--set").arg(format!("{key}={value}"));
    }
    // No configuration of whoever runs this.
    command.args(["serve", "--port", "0"]).current_dir(folder).env_remove("MANGROVE_CONFIG");
    for name in graphs {
        command.arg("--graph").arg(format!("{name}={}", folder.join(name).display()));
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn()?;
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
            Err(ended(folder, &status.to_string()))
        }
    }
}

fn ended(folder: &Path, status: &str) -> io::Error {
    let log = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
    let lines: Vec<&str> = log.lines().rev().take(20).collect();
    let last: Vec<&str> = lines.into_iter().rev().collect();
    io::Error::other(format!("the server ended of itself ({status}):\n{}", last.join("\n")))
}

/// The sum over all labels of a metric, or where the name ends within them (`mangrove_edges{graph="g"`) over those that go on so.
fn sum_of(page: &str, name: &str) -> f64 {
    let values = page.lines().filter_map(|line| {
        let (metric, value) = line.rsplit_once(' ')?;
        let is_meant = match name.contains('{') {
            true => metric.starts_with(name),
            false => metric.split_once('{').map_or(metric, |(metric, _)| metric) == name,
        };
        is_meant.then(|| value.parse::<f64>().ok()).flatten()
    });
    values.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_summed_over_their_labels() {
        let page = "# HELP mangrove_loads Loads.\nmangrove_loads_total{graph=\"g\",pool=\"light\"} 3.0\n\
                    mangrove_loads_total{graph=\"g\",pool=\"heavy\"} 4.5\nmangrove_loads_total_of_all{} 9\n# EOF\n";
        assert!((sum_of(page, "mangrove_loads_total") - 7.5).abs() < 1e-9);
        assert!(sum_of(page, "mangrove_evictions_total").abs() < 1e-9);
        assert!((sum_of(page, "mangrove_loads_total{graph=\"g\",pool=\"heavy\"") - 4.5).abs() < 1e-9);
    }
}
