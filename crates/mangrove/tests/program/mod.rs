//! The `mangrove` command, and a server that it is.

#![allow(dead_code, reason = "each test uses some of it")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

pub fn mangrove(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mangrove"));
    command.args(args).env_remove("MANGROVE_CONFIG").env("HOME", std::env::temp_dir());
    command
}

pub fn run(args: &[&str]) -> Output {
    mangrove(args).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a command prints; it must succeed.
pub fn output(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What a command complains about; it must fail.
pub fn complaint(args: &[&str]) -> String {
    let output = run(args);
    assert!(!output.status.success(), "{args:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

/// A folder for a graph and what is beside it.
pub struct Site {
    pub dir: tempfile::TempDir,
    /// The graph's directory.
    pub data: String,
}

impl Site {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("g").display().to_string();
        Self { dir, data }
    }

    pub fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    /// A file with the password of the first admin.
    pub fn password(&self) -> String {
        let path = self.path("password");
        std::fs::write(&path, "the password\n").unwrap();
        path
    }
}

/// A server on a free port.
pub struct Serving {
    process: Child,
    pub address: String,
}

impl Serving {
    pub fn start(args: &[&str]) -> Self {
        let mut process = mangrove(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_once("://").and_then(|(_, rest)| rest.strip_suffix("/gremlin\n"));
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Self { process, address }
    }

    /// The number of its process.
    pub fn id(&self) -> String {
        self.process.id().to_string()
    }

    pub fn http(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    pub fn gremlin(&self, body: &str) -> String {
        self.http(&format!(
            "POST /gremlin HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    /// Sends a signal and waits for the end; gives the log.
    pub fn stop(mut self, signal: &str) -> String {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let deadline = Instant::now() + Duration::from_secs(20);
        let status = loop {
            match self.process.try_wait().unwrap() {
                Some(status) => break status,
                None if Instant::now() > deadline => panic!("the server does not stop"),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        let mut log = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(status.success(), "{status}: {log}");
        log
    }
}

/// What `curl` gets for a script: the answer, and its status at the end. `credentials`: a name and a password, a token, or nothing.
pub fn curl(serving: &Serving, credentials: &str, script: &str) -> String {
    let body = serde_json::json!({ "gremlin": script }).to_string();
    text(&curl_for(serving, credentials, &["/gremlin", "-d", &body]).output().unwrap().stdout)
}

/// `curl` for a path of the server, which comes first in `args`.
pub fn curl_for(serving: &Serving, credentials: &str, args: &[&str]) -> Command {
    let url = format!("http://{}{}", serving.address, args[0]);
    let mut curl = Command::new("curl");
    curl.args(["-s", "-w", " %{http_code}", &url]).args(&args[1..]);
    if credentials.starts_with("mgv_") {
        curl.args(["-H", &format!("Authorization: Bearer {}", credentials.trim())]);
    } else if !credentials.is_empty() {
        curl.args(["-u", credentials]);
    }
    curl
}

impl Drop for Serving {
    fn drop(&mut self) {
        // Already gone after `stop`; still there when a test failed.
        let _ = self.process.kill();
    }
}
