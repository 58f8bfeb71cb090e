//! What must not stay if the process ends in the midst of an import or an export: files and directories that are not whole.
//!
//! Whoever makes one says so here, and removes it or gives it its name. Whoever ends the process removes what is left. Of the two one is
//! first: once the process ends, nothing gets a name any more.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use rustix::fs::{AtFlags, unlinkat};

/// How often a directory is removed again in which somebody makes files meanwhile.
const ATTEMPTS: usize = 50;
/// The pause before that.
const PAUSE: Duration = Duration::from_millis(10);

/// All that are there.
static THERE: Mutex<Vec<(u64, Place)>> = Mutex::new(Vec::new());

/// The number of the next one.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Where one is.
enum Place {
    /// A file or a directory.
    Path(PathBuf),
    /// A file in a folder that is open.
    In(OwnedFd, OsString),
}

/// A file or directory that is not whole. Dropping this says that it is gone, or that it may stay.
#[derive(Debug)]
pub struct Temporary {
    number: u64,
}

impl Temporary {
    /// One that is about to be made, at a path.
    pub fn at(path: &Path) -> Self {
        Self::new(Place::Path(path.to_owned()))
    }

    /// A file that is about to be made in an open folder.
    ///
    /// # Errors
    /// If there is no descriptor left.
    pub(crate) fn within(folder: &OwnedFd, name: &OsStr) -> io::Result<Self> {
        Ok(Self::new(Place::In(folder.try_clone()?, name.to_owned())))
    }

    fn new(place: Place) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        THERE.lock().push((number, place));
        Self { number }
    }

    /// Gives it its name, by whatever `publish` does, so that it is temporary no more. It is all done, or the process ends before.
    ///
    /// # Errors
    /// Those of `publish`.
    pub fn publish<T, E>(&self, publish: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mut there = THERE.lock();
        let published = publish()?;
        self.forget(&mut there);
        Ok(published)
    }

    fn forget(&self, there: &mut MutexGuard<'_, Vec<(u64, Place)>>) {
        there.retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.forget(&mut THERE.lock());
    }
}

/// Removes all of them, for a process that is to end now: whoever makes another one, or gives one its name, waits for ever.
pub fn remove_temporaries() {
    let there = THERE.lock();
    for (_, place) in there.iter() {
        place.remove();
    }
    std::mem::forget(there);
}

impl Place {
    fn remove(&self) {
        let removed = match self {
            Self::Path(path) => remove(path),
            Self::In(folder, name) => unlinkat(folder.as_fd(), name, AtFlags::empty()).map_err(Into::into),
        };
        if let Err(error) = removed
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, "what is not whole cannot be removed");
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(path)?.is_dir() {
        return fs::remove_file(path);
    }
    for _ in 1..ATTEMPTS {
        if fs::remove_dir_all(path).is_ok() {
            break;
        }
        thread::sleep(PAUSE);
    }
    // Somebody may have made it again behind that.
    if path.exists() { fs::remove_dir_all(path) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_its_name_or_is_gone_is_temporary_no_more() {
        let numbers = || THERE.lock().iter().map(|(number, _)| *number).collect::<Vec<_>>();
        let [one, two] = ["a", "b"].map(|name| Temporary::at(Path::new(name)));
        let failed: Result<(), &str> = one.publish(|| Err("no"));
        assert!(failed.is_err() && numbers().contains(&one.number) && one.number != two.number);
        one.publish(|| Ok::<_, ()>(())).unwrap();
        assert!(!numbers().contains(&one.number));
        let three = Temporary::at(Path::new("c"));
        drop(one);
        assert!(numbers().contains(&three.number), "each has a number of its own");
        let number = two.number;
        drop(two);
        assert!(!numbers().contains(&number));
    }
}
