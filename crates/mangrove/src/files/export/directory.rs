//! A directory that is written: nobody sees it before it is whole.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use super::BUFFER;
use crate::Temporary;

/// A directory under a name that nobody knows. It is gone when it is dropped, unless it has been published.
pub(super) struct NewDirectory {
    /// What it is called meanwhile, and in the end.
    path: PathBuf,
    target: PathBuf,
    /// The folder that it lies in.
    folder: PathBuf,
    temporary: Temporary,
    is_published: AtomicBool,
}

impl NewDirectory {
    /// Creates it.
    ///
    /// # Errors
    /// If it may not be, or what is there may not be replaced.
    pub(super) fn create(target: &Path, folder: &Path, overwrite: bool) -> Result<Self, String> {
        if fs::symlink_metadata(target).is_ok() {
            replaceable(target, overwrite)?;
        }
        let path = hidden(folder);
        let temporary = Temporary::at(&path);
        fs::create_dir(&path).map_err(|error| error.to_string())?;
        let (target, folder) = (target.to_owned(), folder.to_owned());
        Ok(Self { path, target, folder, temporary, is_published: AtomicBool::new(false) })
    }

    /// A new file in it.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn file(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        let file = File::create_new(self.path.join(name))?;
        Ok(Box::new(BufWriter::with_capacity(BUFFER, file)))
    }

    /// Makes it durable, and gives it its name; how many bytes are in its files.
    ///
    /// # Errors
    /// If the operating system refuses; what was there is there still, if under another name.
    pub(super) fn publish(&self) -> Result<u64, String> {
        self.put_in_place().map_err(|error| error.to_string())
    }

    fn put_in_place(&self) -> io::Result<u64> {
        let mut bytes = 0;
        for entry in fs::read_dir(&self.path)? {
            let file = File::open(entry?.path())?;
            file.sync_all()?;
            bytes += file.metadata()?.len();
        }
        File::open(&self.path)?.sync_all()?;
        let old = fs::symlink_metadata(&self.target).is_ok().then(|| hidden(&self.folder));
        let _old = old.as_deref().map(Temporary::at);
        self.temporary.publish(|| {
            if let Some(old) = &old {
                fs::rename(&self.target, old)?;
            }
            fs::rename(&self.path, &self.target)
        })?;
        self.is_published.store(true, Ordering::Relaxed);
        // Its name is durable with its folder.
        File::open(&self.folder)?.sync_all()?;
        old.map_or(Ok(()), fs::remove_dir_all)?;
        Ok(bytes)
    }
}

impl Drop for NewDirectory {
    fn drop(&mut self) {
        if !self.is_published.load(Ordering::Relaxed)
            && let Err(error) = fs::remove_dir_all(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "what was written of a directory cannot be removed");
        }
    }
}

/// A name in the folder that nobody has.
fn hidden(folder: &Path) -> PathBuf {
    folder.join(format!(".mangrove-{:016x}.tmp", fastrand::u64(..)))
}

/// Refuses what must not be replaced: what is no directory of an earlier export.
fn replaceable(target: &Path, overwrite: bool) -> Result<(), String> {
    if !fs::symlink_metadata(target).is_ok_and(|found| found.is_dir()) {
        return Err(
            "there is something else of that name, which is no directory; files of CSV or Parquet are written into one"
                .into(),
        );
    }
    let mut entries = fs::read_dir(target).map_err(|error| error.to_string())?.flatten().peekable();
    if entries.peek().is_some() && !overwrite {
        return Err("the directory is there, and not empty; add --overwrite to replace it".into());
    }
    let endings = ["csv", "parquet"].map(|ending| Some(OsStr::new(ending)));
    let is_written = |path: &Path| endings.contains(&path.extension()) && path.is_file();
    match entries.find(|entry| !is_written(&entry.path())) {
        None => Ok(()),
        Some(other) => Err(format!(
            "{} is in it, which is no file of CSV or Parquet; only a directory of an earlier export is replaced",
            other.file_name().to_string_lossy()
        )),
    }
}
