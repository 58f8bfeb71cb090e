//! A file that is written: nobody sees it before it is whole.

use std::fs::File;

use dataflow::FileProblem;
use rustix::{
    fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat},
    io::Errno,
};

use super::folder::Folder;
use crate::Temporary;

/// A file under a name that nobody knows. It is gone when it is dropped, unless it has been published.
#[derive(Debug)]
pub(super) struct NewFile {
    folder: Folder,
    file: File,
    /// What it is called meanwhile.
    name: String,
    temporary: Temporary,
    is_published: bool,
}

impl NewFile {
    /// Creates it.
    ///
    /// # Errors
    /// If it may not be, or something else has the name that it is to have.
    pub(super) fn create(folder: Folder) -> Result<Self, FileProblem> {
        folder.refuse_other_than_file()?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o644);
        loop {
            let name = format!(".mangrove-{:016x}.tmp", fastrand::u64(..));
            let temporary = Temporary::within(&folder.handle, name.as_ref());
            let temporary = temporary.map_err(|error| format!("it cannot be written: {error}"))?;
            match openat(&folder.handle, &name, flags, mode) {
                Err(Errno::EXIST) => {}
                created => {
                    let file = created.map_err(|error| format!("it cannot be written: {error}"))?;
                    return Ok(Self { folder, file: file.into(), name, temporary, is_published: false });
                }
            }
        }
    }

    /// Where it is written.
    ///
    /// # Errors
    /// If there is no descriptor left.
    pub(super) fn handle(&self) -> Result<File, FileProblem> {
        self.file.try_clone().map_err(|error| error.to_string())
    }

    /// Makes it durable, and gives it its name: what was called so before is gone.
    ///
    /// # Errors
    /// If the operating system refuses; what was there is there still.
    pub(super) fn publish(&mut self) -> Result<(), FileProblem> {
        let told = |error: &dyn std::fmt::Display| format!("it cannot be written: {error}");
        self.file.sync_all().map_err(|error| told(&error))?;
        let Folder { handle, name } = &self.folder;
        let renamed = self.temporary.publish(|| renameat(handle, &self.name, handle, name));
        renamed.map_err(|error| told(&error))?;
        self.is_published = true;
        // Its name is durable with its folder.
        rustix::fs::fsync(handle).map_err(|error| told(&error))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_published
            && let Err(error) = unlinkat(&self.folder.handle, &self.name, AtFlags::empty())
        {
            tracing::warn!(name = %self.name, %error, "what was written of a file cannot be removed");
        }
    }
}
