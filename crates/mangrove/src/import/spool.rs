//! Input that has no name, such as standard input. Most formats are read twice, so it goes through a temporary file.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// A temporary file with what was read. It is gone when it is dropped.
pub(super) struct Spool {
    path: PathBuf,
}

impl Spool {
    /// Reads all of the input.
    ///
    /// # Errors
    /// If it cannot be read, or there is no room for it.
    pub(super) fn of(input: &mut dyn Read) -> io::Result<Self> {
        let (path, mut file) = loop {
            let path = std::env::temp_dir().join(format!("mangrove-import-{:016x}", fastrand::u64(..)));
            match File::create_new(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => break (path, created?),
            }
        };
        let spool = Self { path };
        io::copy(input, &mut file)?;
        Ok(spool)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a temporary file cannot be removed");
        }
    }
}
