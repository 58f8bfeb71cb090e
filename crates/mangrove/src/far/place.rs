//! What a server leaves in the directories that it has open, so that commands find it.

use std::{
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// The file that says how to reach the server.
const FILE: &str = "server.json";

/// The socket of a server, in the first directory that it has.
const SOCKET: &str = "server.sock";

/// Bytes that the path of a socket may have.
const LONGEST: usize = 100;

/// How a server is reached, as its file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The path of its socket.
    pub socket: PathBuf,
    /// The traversal source of the graph in this directory.
    pub source: String,
}

/// The files that a server has left. Dropped, they are removed.
#[derive(Debug)]
pub struct Place {
    socket: PathBuf,
    files: Vec<PathBuf>,
}

impl Place {
    /// Where the socket of a server is that has this directory; none if the path would be too long.
    pub fn socket_in(directory: &Path) -> Option<PathBuf> {
        let directory = fs::canonicalize(directory).ok()?;
        let path = directory.join(SOCKET);
        (path.as_os_str().len() <= LONGEST).then_some(path)
    }

    /// Of a server that listens there; it has left nothing yet.
    pub fn new(socket: PathBuf) -> Self {
        Self { socket, files: Vec::new() }
    }

    /// Leaves a file in a directory, with the traversal source of its graph, that says where the socket is.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn mark(&mut self, directory: &Path, source: &str) -> io::Result<()> {
        let found = Found { socket: self.socket.clone(), source: source.into() };
        let path = directory.join(FILE);
        let mut file = fs::File::options().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        self.files.push(path);
        file.write_all(serde_json::to_string(&found)?.as_bytes())
    }

    /// Takes away what was left in a directory.
    pub fn forget(&mut self, directory: &Path) {
        let path = directory.join(FILE);
        self.files.retain(|file| *file != path);
        let _ = fs::remove_file(path);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for file in &self.files {
            // The next server overwrites what is left.
            let _ = fs::remove_file(file);
        }
    }
}

/// The server that has a directory open, if it has said so.
pub fn server_of(directory: &Path) -> Option<Found> {
    let text = fs::read_to_string(directory.join(FILE)).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_leaves_is_found_and_goes_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let socket = Place::socket_in(dir.path()).unwrap();
        let mut place = Place::new(socket.clone());
        place.mark(dir.path(), "modern").unwrap();
        assert_eq!(server_of(dir.path()), Some(Found { socket, source: "modern".into() }));
        place.forget(dir.path());
        assert_eq!(server_of(dir.path()), None);
        place.mark(dir.path(), "modern").unwrap();
        drop(place);
        assert_eq!(server_of(dir.path()), None);
        let deep = dir.path().join("x".repeat(100));
        fs::create_dir(&deep).unwrap();
        assert_eq!(Place::socket_in(&deep), None, "no socket has so long a path");
    }
}
