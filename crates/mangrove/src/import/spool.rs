//! Input that has no name, such as standard input. Most formats are read twice, so it goes through a temporary file.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use crate::Temporary;

/// A temporary file with what was read, which nobody else may read. It is gone when it is dropped.
pub(super) struct Spool {
    path: PathBuf,
    _temporary: Temporary,
}

impl Spool {
    /// Reads all of the input.
    ///
    /// # Errors
    /// If it cannot be read, or there is no room for it.
    pub(super) fn of(input: &mut dyn Read) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let (spool, mut file) = loop {
            let path = std::env::temp_dir().join(format!("mangrove-import-{:016x}", fastrand::u64(..)));
            let temporary = Temporary::at(&path);
            match options.open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => break (Self { path, _temporary: temporary }, created?),
            }
        };
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
