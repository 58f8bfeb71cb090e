//! The folder that a file lies in, below a directory and nowhere else.
//!
//! Each part of a path is opened in the folder before it, and none may be a symbolic link: so nothing that is renamed or linked
//! meanwhile leads out of the directory.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path},
};

use dataflow::FileProblem;
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat},
    io::Errno,
};

/// Most folders inside one another.
const MAX_DEPTH: usize = 64;

/// A folder, and what a file in it is or shall be called.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) handle: OwnedFd,
    pub(super) name: OsString,
}

impl Folder {
    /// That of a file below a directory.
    ///
    /// # Errors
    /// If it would lie elsewhere, or a folder on the way is none, or a link.
    pub(super) fn of(directory: &Path, file: &str) -> Result<Self, FileProblem> {
        let parts = parts(directory, Path::new(file))?;
        let Some((name, folders)) = parts.split_last() else { return Err("it has no name".into()) };
        if folders.len() > MAX_DEPTH {
            return Err(format!("it lies in more than {MAX_DEPTH} folders"));
        }
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let root = rustix::fs::open(directory, flags, Mode::empty());
        let mut handle = root.map_err(|error| format!("`io_directory` cannot be opened: {error}"))?;
        for folder in folders {
            let next = openat(&handle, *folder, flags | OFlags::NOFOLLOW, Mode::empty());
            handle = next.map_err(|error| refused(folder, error))?;
        }
        Ok(Self { handle, name: name.to_os_string() })
    }

    /// Opens the file.
    ///
    /// # Errors
    /// If there is none, or it is a link or none that has a content.
    pub(super) fn open(&self) -> Result<File, FileProblem> {
        // Whoever opens a pipe waits for somebody at its other end, unless he says that he does not.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = match openat(&self.handle, &self.name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Err("does not exist".into()),
            opened => opened.map_err(|error| refused(&self.name, error))?,
        };
        let stat = fstat(opened.as_fd()).map_err(|error| error.to_string())?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err("it is no file with a content".into());
        }
        Ok(File::from(opened))
    }

    /// Refuses what cannot be replaced by a file.
    ///
    /// # Errors
    /// If there is a folder, a link, a pipe of that name.
    pub(super) fn refuse_other_than_file(&self) -> Result<(), FileProblem> {
        match statat(&self.handle, &self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.to_string()),
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile => Ok(()),
            Ok(_) => Err("there is something else of that name, which is no file".into()),
        }
    }
}

/// The parts of a path below the directory.
fn parts<'p>(directory: &Path, file: &'p Path) -> Result<Vec<&'p OsStr>, FileProblem> {
    let outside = || "it lies outside of `io_directory`; its path is one below that, without `..`".to_owned();
    let below = if file.is_absolute() {
        let canonical = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        file.strip_prefix(directory).or_else(|_| file.strip_prefix(canonical)).map_err(|_| outside())?
    } else {
        file
    };
    let mut parts = Vec::new();
    for part in below.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    Ok(parts)
}

fn refused(part: &OsStr, error: Errno) -> FileProblem {
    let part = values::excerpt(&part.to_string_lossy());
    match error {
        Errno::LOOP | Errno::MLINK => format!("{part:?} is a symbolic link, and such are not followed"),
        Errno::NOTDIR => format!("{part:?} is no folder, or a symbolic link, and such are not followed"),
        Errno::NOENT => format!("there is no folder {part:?}"),
        other => format!("{part:?}: {other}"),
    }
}
