//! Files on their way between clients and a server: what is to be imported, and what was exported.
//!
//! ```text
//!   client ── put, put … ─▶ DIRECTORY/ID/people.csv ── import ─▶ graph
//!   client ◀─ get, get … ── DIRECTORY/ID/people.json ◀─ export ── graph
//! ```
//!
//! A transfer is of the user, or the address, that began it. It is gone when that ends it, or has not asked for it for a while, and
//! with the server. So a slow client keeps no snapshot, and one that disappears leaves nothing for long.
//!
//! It must never know what is in a file, nor by which words a client asks.

mod transfer;

use std::{
    collections::HashMap,
    fs,
    io::{self, ErrorKind},
    os::unix::fs::DirBuilderExt,
    path::PathBuf,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;
use server::Holder;
use uuid::Uuid;

use crate::database::Inner;

pub(crate) use transfer::{Stage, Transfer, Work, file_name};

/// Transfers of one user or address at a time.
const EACH: usize = 8;

/// How long one is kept that nobody asks for.
const KEPT: Duration = Duration::from_secs(2 * 60);

/// See the module.
#[derive(Debug)]
pub struct Transfers {
    directory: PathBuf,
    most: u64,
    /// Bytes of all of them.
    bytes: Arc<AtomicU64>,
    all: Mutex<HashMap<Uuid, Arc<Transfer>>>,
}

impl Transfers {
    /// Transfers in a directory that is made with the first of them, and is nobody else's. All of them together may have `most` bytes.
    pub fn in_directory(directory: PathBuf, most: u64) -> Self {
        Self { directory, most, bytes: Arc::default(), all: Mutex::default() }
    }

    /// Removes what an earlier server has left. Only for who knows that it is over.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn clean(&self) -> io::Result<()> {
        match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(entries) => {
                for entry in entries {
                    let entry = entry?;
                    // Nothing but what is called as transfers are.
                    if entry.file_name().to_str().is_some_and(|name| Uuid::try_parse(name).is_ok()) {
                        fs::remove_dir_all(entry.path())?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Begins one between a client and a graph.
    ///
    /// # Errors
    /// Why not, in words.
    pub(crate) fn begin(&self, graph: Weak<Inner>, holder: Option<Holder>) -> Result<Arc<Transfer>, String> {
        let mut all = self.all.lock();
        all.retain(|_, transfer| transfer.is_wanted(KEPT));
        if all.values().filter(|other| other.holder() == &holder).count() >= EACH {
            return Err(format!(
                "there are {EACH} imports and exports of this user or address already; end one of them"
            ));
        }
        let id = Uuid::new_v4();
        let path = self.directory.join(id.to_string());
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(|error| {
            format!("{}: {error}; transfers_directory says where files wait", path.display())
        })?;
        let transfer = Arc::new(Transfer::new(id, (graph, holder), path, (self.bytes.clone(), self.most)));
        all.insert(id, transfer.clone());
        Ok(transfer)
    }

    /// That of an id, if whoever asks has begun it, with this graph.
    ///
    /// # Errors
    /// If there is none, in words.
    pub(crate) fn get(
        &self,
        id: Uuid,
        graph: &Weak<Inner>,
        holder: &Option<Holder>,
    ) -> Result<Arc<Transfer>, String> {
        let is_own = |transfer: &&Arc<Transfer>| transfer.holder() == holder && transfer.is_with(graph);
        let found = self.all.lock().get(&id).filter(is_own).cloned();
        let found = found.ok_or_else(|| {
            format!("there is no transfer {id}, or not any more: one that nobody asks for is forgotten after {} minutes", KEPT.as_secs() / 60)
        })?;
        found.touch();
        Ok(found)
    }

    /// Those that something is done with, and how far that is.
    pub(crate) fn at_work(&self) -> Vec<(Arc<Transfer>, Work)> {
        let all = self.all.lock();
        let at_work = all.values().filter_map(|transfer| match transfer.stage() {
            Stage::Working(work) => Some((transfer.clone(), work)),
            Stage::Filling | Stage::Done(_) | Stage::Failed(_) => None,
        });
        at_work.collect()
    }

    /// Stops what is done for a user, who may do it no more.
    pub(crate) fn stop_of(&self, user: &str) {
        let own = |transfer: &&Arc<Transfer>| transfer.holder().as_ref().and_then(Holder::user) == Some(user);
        self.all.lock().values().filter(own).for_each(|transfer| transfer.stop());
    }

    /// Ends one: what is being done with it stops, and its files go.
    pub(crate) fn end(&self, transfer: &Transfer) {
        transfer.stop();
        self.all.lock().remove(&transfer.id());
    }

    /// Refuses so many more bytes than there is room for.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn check_room(&self, more: u64) -> Result<(), String> {
        self.all.lock().retain(|_, transfer| transfer.is_wanted(KEPT));
        let used = self.bytes.load(Ordering::Relaxed);
        if used.saturating_add(more) <= self.most {
            return Ok(());
        }
        Err(format!(
            "files of imports and exports on this server have {used} bytes, and may have {} (max_transfer_bytes); try again when others are done",
            self.most
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<Holder> {
        Some(Holder::User(name.into()))
    }

    #[test]
    fn a_transfer_is_of_who_began_it_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let transfers = Transfers::in_directory(dir.path().join("t"), 100);
        let transfer = transfers.begin(Weak::new(), of("ada")).unwrap();
        assert!(transfers.get(transfer.id(), &Weak::new(), &of("ada")).is_ok());
        assert!(
            transfers.get(transfer.id(), &Weak::new(), &of("bob")).is_err()
                && transfers.get(transfer.id(), &Weak::new(), &None).is_err()
        );
        assert_eq!(transfer.append("a/b.csv", 0, b"12").unwrap(), 2);
        assert_eq!(transfer.append("a/b.csv", 2, b"345").unwrap(), 5);
        // A message that was sent twice.
        assert!(transfer.append("a/b.csv", 2, b"345").unwrap_err().contains("has 5 bytes"));
        // What follows nothing makes nothing.
        assert!(transfer.append("c/d.csv", 1, b"x").unwrap_err().contains("has 0 bytes"));
        assert!(!transfer.directory().join("c").exists());
        assert_eq!(transfer.read("a/b.csv", 1, 3).unwrap(), b"234");
        assert_eq!(transfer.files().unwrap(), [("a/b.csv".to_owned(), 5)]);
        assert!(transfers.check_room(95).is_ok() && transfers.check_room(96).is_err());
        transfers.end(&transfer);
        drop(transfer);
        assert!(fs::read_dir(dir.path().join("t")).unwrap().next().is_none());
        assert!(transfers.check_room(100).is_ok());
    }

    #[test]
    fn no_name_leads_out_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let transfers = Transfers::in_directory(dir.path().into(), 100);
        let transfer = transfers.begin(Weak::new(), None).unwrap();
        let long = "x".repeat(300);
        for name in [
            "",
            ".",
            "..",
            "../x",
            "a/../../x",
            "/etc/passwd",
            "a//b",
            "a/",
            "a\0b",
            "a\\..",
            &long,
            &"a/".repeat(20),
        ] {
            assert!(transfer.append(name, 0, b"x").is_err(), "{name}");
            assert!(transfer.read(name, 0, 1).is_err(), "{name}");
        }
    }

    #[test]
    fn there_is_an_end_to_them_and_what_is_left_goes_with_a_new_start() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("mine"), "").unwrap();
        let transfers = Transfers::in_directory(dir.path().into(), 100);
        let kept: Vec<_> = (0..EACH).map(|_| transfers.begin(Weak::new(), of("ada")).unwrap()).collect();
        assert!(transfers.begin(Weak::new(), of("ada")).is_err());
        assert!(transfers.begin(Weak::new(), of("bob")).is_ok());
        std::mem::forget(kept);
        Transfers::in_directory(dir.path().into(), 100).clean().unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "what is not ours stays");
    }
}
