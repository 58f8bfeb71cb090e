//! Buffered writes: the public face. What each kind of write does is in `vertex.rs` and `edge.rs`.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;
use timeline::{Committed, SnapshotGuard, Stamp, Standing, Unit};
use values::Value;

use super::held::Held;
use super::turn::Turn;
use super::write_set::WriteSet;
use crate::cache::{LoadTurn, Request};
use crate::commit::{Commit, Committer};
use crate::error::{GraphError, Result};
use crate::model::{Catalog, KeyId, NameSpace, NewNames, ReadUnit, name_hash, units, unstorable};
use crate::read::{Computed, Overlay, Own, Reader, Snapshot};
use crate::resident::Memory;

/// Writes that become visible and durable together, or not at all. Optimistic: what it read is validated at commit.
///
/// All methods take `&self`: a transaction can be shared by the operators of one query. Dropping it rolls back. A
/// method that fails has written nothing, except when the transaction is full: then roll it back.
pub struct Transaction {
    committer: Arc<Committer>,
    pub(crate) base: Snapshot,
    pub(crate) overlay: Arc<Overlay>,
    pub(super) writes: Mutex<WriteSet>,
    /// The names that it uses and its snapshot does not know.
    names: OnceLock<Arc<NewNames>>,
    /// The request that it is an attempt of, and when that began.
    attempt: Option<(Arc<Turn>, Instant)>,
}

impl Transaction {
    pub(crate) fn begin(
        committer: &Arc<Committer>,
        held: Held,
        base: Snapshot,
        turn: Option<Arc<Turn>>,
    ) -> Self {
        let writes = Mutex::new(WriteSet::new((**base.counts()).clone(), held));
        let attempt = turn.map(|turn| (turn, Instant::now()));
        let names = OnceLock::new();
        Self { committer: Arc::clone(committer), base, overlay: Arc::default(), writes, names, attempt }
    }

    /// The committed state that it began with.
    pub fn base(&self) -> &Snapshot {
        &self.base
    }

    /// The graph as this transaction sees it now: its snapshot and the writes made so far. Later writes are not seen
    /// by a snapshot taken before them: take another, it is cheap.
    pub fn snapshot(&self) -> Snapshot {
        let writes = self.writes.lock();
        if writes.writes == 0 {
            return self.base.clone();
        }
        self.base.with_own(&self.overlay, (writes.writes, self.names.get()), Arc::new(writes.counts.clone()))
    }

    /// Properties of these names that a query in this transaction computes, for [`Snapshot::with_computed`].
    ///
    /// # Errors
    /// If one of them cannot be a key's name, or there are too many names.
    pub fn computes<'n>(&self, keys: impl Iterator<Item = &'n str>) -> Result<Arc<Computed>> {
        let names = self.names.get_or_init(|| NewNames::new(&self.memory().names));
        Computed::new(Arc::clone(names), keys)
    }

    /// A request for reads of this transaction, over at `deadline` at the latest; see [`Snapshot::on_behalf_of`].
    pub fn new_request(&self, deadline: Option<Instant>) -> Arc<Request> {
        self.base.new_request(deadline)
    }

    /// Records what was read, for validation at commit. A transaction that writes nothing needs not: it is never
    /// refused.
    pub fn note_read(&self, unit: ReadUnit) {
        self.note_units(units::of_read(unit).into_iter().flatten());
    }

    /// The same of many, for [`crate::write::ReadNotes`].
    pub(crate) fn note_units(&self, units: impl IntoIterator<Item = Unit>) {
        self.writes.lock().reads(units);
    }

    /// Records what the answer shows, as it is at the commit, for [`crate::write::ReadNotes`]: unlike with what was read, a change
    /// by another transaction refuses nothing, but [`Settled::shown`] says that there was one.
    pub(crate) fn note_shown_units(&self, units: impl IntoIterator<Item = Unit>) {
        self.writes.lock().shows(units);
    }

    /// Whether anything was written.
    pub fn has_writes(&self) -> bool {
        self.writes.lock().writes > 0
    }

    /// About how many bytes of memory its writes take: to free them takes time.
    pub fn held_bytes(&self) -> usize {
        self.writes.lock().held_bytes()
    }

    /// Validates, makes durable and publishes the writes; when it returns they survive a crash.
    ///
    /// # Errors
    /// [`GraphError::Conflict`] if something that was read has changed: run the transaction again.
    /// [`GraphError::Kept`] if somebody else keeps all the memory there is for changes: run it again later.
    /// [`GraphError::Schema`] if an element lacks a property that it is required to have.
    /// [`GraphError::TransactionEnded`] if it was committed before.
    pub fn commit(self) -> Result<Stamp> {
        let submitted = self.submit()?;
        drop(self);
        submitted.wait()
    }

    /// The first half of [`Transaction::commit`], of a transaction that somebody else may still hold (an executor that is
    /// about to forget a query it helped with): validates the writes and gives them their place among all commits. The
    /// transaction has ended, whatever comes of it: it still serves reads but refuses writes.
    ///
    /// # Errors
    /// As [`Transaction::commit`].
    pub fn submit(&self) -> Result<Submitted> {
        self.submit_by(None)
    }

    /// The same of one whose client waits no longer than that.
    ///
    /// # Errors
    /// As [`Transaction::commit`], and [`GraphError::Interrupted`] if the commit would end later by what is known of the disk: then
    /// nothing of it is committed.
    pub fn submit_by(&self, deadline: Option<Instant>) -> Result<Submitted> {
        let writes = self.writes.lock().end()?;
        self.base.check()?;
        self.obey_requirements(&writes)?;
        let ((ops, notes), mut footprint, held) = writes.into_ops();
        // Whatever it wrote was checked against the schema and put in the indexes of its snapshot.
        footprint.reads(units::schema());
        if ops.is_empty() && notes.is_empty() {
            return Ok(Submitted { stamp: self.base.stamp(), queued: None });
        }
        if self.memory().options.read_only {
            return Err(GraphError::ReadOnly);
        }
        self.memory().refuse_if_kept(self.base.stamp().bits())?;
        let turn = self.memory().pools.commit_turn(ops.len());
        let standing = match &self.attempt {
            Some((turn, _)) => turn.standing(),
            None => Standing::Ordinary(None, self.committer.now()),
        };
        let names = self.names.get();
        let commit = Commit {
            snapshot: self.base.stamp(),
            footprint: &footprint,
            standing,
            names,
            ops,
            notes,
            deadline,
        };
        match self.committer.submit(&self.memory().catalog(), commit) {
            Ok(Committed { stamp, shown, .. }) => {
                let names = names.cloned();
                let queued = Queued {
                    committer: Arc::clone(&self.committer),
                    shown,
                    _names: names,
                    _held: held,
                    _turn: turn,
                };
                Ok(Submitted { stamp, queued: Some(queued) })
            }
            Err(error) => {
                self.memory().cache.let_another_through();
                if let (GraphError::Conflict(_), Some((turn, began))) = (&error, &self.attempt) {
                    turn.lost(footprint, began.elapsed());
                }
                Err(error)
            }
        }
    }

    /// What of the graph is in memory.
    pub(super) fn memory(&self) -> &Memory {
        self.base.memory()
    }

    /// Forgets the writes.
    pub fn rollback(self) {}

    /// A reader that sees every write so far, for the write that comes next.
    pub(crate) fn reader(&self, writes: &WriteSet) -> Reader<'_> {
        let names = self.names.get().map(|names| &**names);
        let own = Own { overlay: &self.overlay, writes: writes.writes, names, computed: None };
        Reader::with_own(&self.base, (writes.writes > 0).then_some(own))
    }

    /// The id of a key, after checking that the value can be stored under it.
    pub(crate) fn storable(&self, key: &str, value: &Value) -> Result<KeyId> {
        if let Some(type_name) = unstorable(value) {
            return Err(GraphError::BadValue { key: key.chars().take(64).collect(), type_name });
        }
        Ok(KeyId(self.intern(NameSpace::Key, key)?))
    }

    /// The id of a name to write with. One that the snapshot does not know is reserved: whoever writes with it may be the first who
    /// commits with it, and conflicts with whoever has found it unknown.
    pub(crate) fn intern(&self, space: NameSpace, name: &str) -> Result<u16> {
        if let Some(id) = self.base.catalog().id(space, name) {
            return Ok(id);
        }
        let names = self.names.get_or_init(|| NewNames::new(&self.memory().names));
        let (id, is_new) = names.intern(space, name)?;
        if is_new {
            self.writes.lock().introduces(units::name(space, name_hash(name)), name)?;
        }
        Ok(id)
    }

    /// A key that has this name; that none has it counts as read.
    pub(crate) fn known_key(&self, name: &str) -> Option<KeyId> {
        let known = self.catalog().key(name);
        if known.is_none() {
            self.note_read(ReadUnit::Name(NameSpace::Key, name_hash(name)));
        }
        known
    }

    /// What it knows by name: what its snapshot does, and what it has written with.
    pub(crate) fn catalog(&self) -> Catalog {
        self.base.catalog().with_new(self.names.get())
    }
}

impl std::fmt::Debug for Transaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let writes = self.writes.lock().writes;
        f.debug_struct("Transaction")
            .field("base", &self.base)
            .field("writes", &writes)
            .finish_non_exhaustive()
    }
}

/// A commit that is on its way: see [`Transaction::submit`].
///
/// Dropped without [`Submitted::wait`] it is waited for all the same, and nobody hears of a failure.
#[must_use = "it is not known to be durable before `wait` says so"]
pub struct Submitted {
    stamp: Stamp,
    /// None of a transaction that wrote nothing.
    queued: Option<Queued>,
}

/// What a commit holds until it is durable and visible.
struct Queued {
    committer: Arc<Committer>,
    /// The moment of the commit, if what the answer shows has changed before it.
    shown: Option<SnapshotGuard>,
    /// Reserved until they are given out.
    _names: Option<Arc<NewNames>>,
    _held: Held,
    _turn: Option<LoadTurn>,
}

impl Submitted {
    /// Waits until the writes are durable and visible, then flushes, if that is due; when it was, among all commits. Best
    /// when the transaction is gone: what its snapshot sees can neither be merged nor leave memory meanwhile.
    ///
    /// # Errors
    /// Those of the log: see [`Transaction::commit`].
    pub fn wait(self) -> Result<Stamp> {
        let stamp = self.stamp;
        self.settle()?.flush();
        Ok(stamp)
    }

    /// The same without the flush: whoever waits for the commit is told first.
    ///
    /// # Errors
    /// As [`Submitted::wait`].
    pub fn settle(mut self) -> Result<Settled> {
        let Some(mut queued) = self.queued.take() else {
            return Ok(Settled { shown: None, committer: None });
        };
        queued.committer.settle(self.stamp)?;
        let committer = Arc::clone(&queued.committer);
        let shown = queued.shown.take().map(|guard| Snapshot::at_commit(&committer, guard));
        Ok(Settled { shown, committer: Some(committer) })
    }
}

/// A commit that is durable and visible.
#[must_use = "a flush may be due: see `flush`"]
pub struct Settled {
    /// If another transaction has changed what the answer shows ([`crate::write::ReadNotes::of_shown`]) between the snapshot and the
    /// commit: the graph as it is at the commit, of which the answer must be made. So of two transactions that each write
    /// what the other one shows, the answer of the later shows what the earlier wrote.
    pub shown: Option<Snapshot>,
    committer: Option<Arc<Committer>>,
}

impl Settled {
    /// Flushes, if that is due: it may take as long as the disk does for all that was committed since the last time. Where nobody
    /// does it, the next commit sees to it.
    pub fn flush(self) {
        let Self { shown, committer } = self;
        // What a snapshot may read can neither be merged nor leave memory.
        drop(shown);
        if let Some(committer) = committer {
            committer.flush_if_due();
        }
    }
}

impl Drop for Submitted {
    fn drop(&mut self) {
        if let Some(queued) = self.queued.take()
            && let Err(error) = queued.committer.settle(self.stamp)
        {
            tracing::error!(%error, "a commit that nobody waited for failed");
        }
    }
}

impl std::fmt::Debug for Submitted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Submitted").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}
