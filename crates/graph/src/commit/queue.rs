//! From a validated transaction to a visible one: queue, log, apply.
//!
//! ```text
//!  committer ─ validate, stamp, enqueue ─▶ queue ─▶ leader: one record to the log, one fsync
//!  committer ─ validate, stamp, enqueue ─▶   │              apply to the sections, in stamp order
//!  committer ─ …                             │              visible, and everybody is told
//!                                            └─ who arrives meanwhile waits; one of them leads the next group
//! ```
//!
//! A stamp is given out and its record queued in one step, so the log is in stamp order and whatever is durable is a
//! prefix of it.
//!
//! A commit that fails once it has its stamp leaves a gap that nothing can pass, since nobody knows whether the log has
//! it: the graph accepts no more writes until it is opened again. Only a full disk is different, and what the store takes
//! in no case. They promise that nothing was written, so the group and all that waits behind it are given up, their stamps
//! stay empty, and the next commit tries again. A record that would be too large is refused before it gets a stamp.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use store::StoreError;
use timeline::{CommitRefused, Committed, Footprint, Stamp, Standing};

use super::commit_counts::CommitCounters;
use super::committer::Committer;
use crate::apply::Application;
use crate::durable::{CatalogGrowth, GroupRecord, Note, definitions_bytes, encode_ops, name_bytes};
use crate::error::{GraphError, Result};
use crate::model::{Catalog, Counts, Named, NewNames, Op, Tick, name_hash, units};
use crate::resident::{Memory, Writer};

/// Bytes of records that one group gathers.
const GROUP_BYTES: usize = 8 << 20;

/// Bytes that frames, keys and counts take of the largest batch that the store accepts, at most.
const FRAMES: usize = 4 << 10;

/// Bytes that a commit takes in a record beside everything that it brings, at most.
const COMMIT_BYTES: usize = 32;

/// Bytes from which on the size of a commit says how long it takes.
const LARGE: usize = 1 << 20;

/// Nanoseconds for each byte, before anything is known of the disk.
const PER_BYTE: f64 = 5.0;

/// Operations that are applied under one guard.
const STRETCH: usize = 64;

/// The longest that a group waits for further members, however slow the disk.
const LONGEST_WAIT: Duration = Duration::from_millis(2);

/// Commits that have a stamp and wait for the log.
pub(super) struct CommitQueue {
    state: Mutex<State>,
    changed: Condvar,
    /// Told when as many wait as the leader waits for.
    joined: Condvar,
    pub(super) counters: CommitCounters,
}

struct State {
    waiting: VecDeque<Pending>,
    /// Whether somebody leads a group at the moment.
    led: bool,
    /// How many committed at the same time lately: the last group, and who waited when it ended.
    company: usize,
    /// How long it took to make the last group durable.
    pace: Duration,
    /// Nanoseconds for each byte that large groups took lately, from the log to being visible.
    per_byte: f64,
    /// Commits that the store has refused, until their committers hear of it.
    given_up: FxHashMap<Stamp, Arc<StoreError>>,
    /// Which definitions the log (or the checkpoint) already has.
    logged_revision: u64,
}

struct Pending {
    stamp: Stamp,
    growth: CatalogGrowth,
    body: Vec<u8>,
    ops: Vec<Op>,
    notes: Vec<Note>,
    /// What all of it takes of a batch, at most.
    bytes: usize,
}

impl CommitQueue {
    /// An empty queue over a log that has the definitions of `revision`.
    pub(super) fn new(revision: u64) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            led: false,
            company: 1,
            pace: Duration::ZERO,
            per_byte: PER_BYTE,
            given_up: FxHashMap::default(),
            logged_revision: revision,
        };
        let (changed, joined) = (Condvar::new(), Condvar::new());
        Self { state: Mutex::new(state), changed, joined, counters: CommitCounters::default() }
    }

    /// Whether a commit of so many bytes would end by then, as far as one can tell: a large one takes as long as the last large ones
    /// did. What it has to wait for is counted, but for the group that is under way. Who is refused makes the next one's chances
    /// better: a disk that once stood still must not keep all large commits out, of which none would ever show that it is well.
    fn can_end_by(&self, deadline: Instant, bytes: usize) -> bool {
        let mut state = self.state.lock();
        let bytes = bytes + state.waiting.iter().map(|pending| pending.bytes).sum::<usize>();
        let time = if bytes < LARGE { 0.0 } else { bytes as f64 * state.per_byte };
        let can = Instant::now() + Duration::from_nanos(time as u64) <= deadline;
        if !can && bytes >= LARGE {
            state.per_byte = PER_BYTE.max(state.per_byte / 2.0);
        }
        can
    }

    /// Bytes of what `catalog` has and the log has not.
    fn unlogged_bytes(&self, catalog: &Catalog) -> usize {
        let is_new = catalog.revision() > self.state.lock().logged_revision;
        if is_new { definitions_bytes(catalog.definitions()) } else { 0 }
    }

    /// A group of so many bytes took so long.
    fn note_pace(&self, bytes: usize, took: Duration) {
        if bytes >= LARGE {
            let state = &mut self.state.lock();
            state.per_byte = (state.per_byte + took.as_nanos() as f64 / bytes as f64) / 2.0;
        }
    }

    /// Waits for those who committed at the same time lately, at most for as long as the last group took to write. They
    /// were just told that their commits are durable, and whoever commits one transaction after another is about to be
    /// back. Without this they part into two halves that take turns, and the disk writes twice as often for as much.
    fn await_company(&self, state: &mut MutexGuard<'_, State>) {
        if state.waiting.len() >= state.company {
            return;
        }
        let until = Instant::now() + state.pace.min(LONGEST_WAIT);
        while state.waiting.len() < state.company && !self.joined.wait_until(state, until).timed_out() {}
    }
}

impl State {
    /// These names, and what `catalog` has and the log has not.
    fn growth(&mut self, catalog: &Catalog, names: Vec<Named>) -> CatalogGrowth {
        let mut growth = CatalogGrowth { names, ..CatalogGrowth::default() };
        if catalog.revision() > self.logged_revision {
            growth.definitions = Some(std::sync::Arc::clone(catalog.definitions()));
            self.logged_revision = catalog.revision();
        }
        growth
    }

    /// What a record was to bring is not in the log after all, and must come with a later one.
    fn forget_logged(&mut self, growth: &CatalogGrowth) {
        if let Some(definitions) = &growth.definitions {
            self.logged_revision = self.logged_revision.min(definitions.revision.saturating_sub(1));
        }
    }

    /// The commits of the next group: at least one.
    fn gather(&mut self) -> Vec<Pending> {
        let mut bytes = 0;
        let mut group = Vec::new();
        while let Some(pending) = self.waiting.front() {
            bytes += pending.bytes;
            if bytes > GROUP_BYTES && !group.is_empty() {
                break;
            }
            group.extend(self.waiting.pop_front());
        }
        group
    }
}

/// A transaction on its way to its stamp.
pub(crate) struct Commit<'a> {
    /// What it read at.
    pub(crate) snapshot: Stamp,
    pub(crate) footprint: &'a Footprint,
    pub(crate) standing: Standing,
    /// Names that it may be the first to commit with.
    pub(crate) names: Option<&'a Arc<NewNames>>,
    pub(crate) ops: Vec<Op>,
    /// What it leaves beside its record.
    pub(crate) notes: Vec<Note>,
    /// When its client stops waiting.
    pub(crate) deadline: Option<Instant>,
}

impl Committer {
    /// A bulk load's checkpoint has the definitions of `catalog`.
    pub(crate) fn learn_logged(&self, catalog: &Catalog) {
        self.commits.state.lock().logged_revision = catalog.revision();
    }

    /// Makes a change of definitions durable and visible, with those of a catalog that may not be published yet: the commit puts
    /// them in force. It waits for nobody who has reserved something. Flush if it is due when whoever committed holds no snapshot
    /// any more.
    pub(crate) fn commit_with(
        &self,
        catalog: &Catalog,
        snapshot: Stamp,
        footprint: &Footprint,
    ) -> Result<Stamp> {
        self.commit_at_once(catalog, (snapshot, footprint), None)
    }

    /// Gives names out that something is about to be declared with: what is declared has names that nobody can take back. Whoever
    /// has found one of them unknown is refused.
    pub(crate) fn commit_names(&self, names: &Arc<NewNames>) -> Result<()> {
        if !names.has_unused() {
            return Ok(());
        }
        let mut footprint = Footprint::new();
        for (space, _, name) in names.unused() {
            // A schema has far fewer names than a footprint has room for.
            let _ = footprint.adds(units::name(space, name_hash(name)));
        }
        let snapshot = self.timeline.snapshot();
        self.commit_at_once(&self.catalog(), (snapshot.stamp(), &footprint), Some(names))?;
        Ok(())
    }

    fn commit_at_once(
        &self,
        catalog: &Catalog,
        (snapshot, footprint): (Stamp, &Footprint),
        names: Option<&Arc<NewNames>>,
    ) -> Result<Stamp> {
        let commit = Commit {
            snapshot,
            footprint,
            standing: Standing::Foremost,
            names,
            ops: Vec::new(),
            notes: Vec::new(),
            deadline: None,
        };
        let stamp = self.submit(catalog, commit)?.stamp;
        self.settle(stamp)?;
        Ok(stamp)
    }

    /// Validates a transaction and queues it; its stamp. It is to be settled.
    pub(crate) fn submit(&self, catalog: &Catalog, commit: Commit<'_>) -> Result<Committed> {
        self.refuse_if_failed()?;
        let Commit { snapshot, footprint, standing, names, ops, notes, deadline } = commit;
        let body = encode_ops(&ops);
        let beside = notes.iter().map(Note::bytes).sum::<usize>() + COMMIT_BYTES;
        self.refuse_if_too_large(body.len() + beside, catalog, names)?;
        if deadline.is_some_and(|deadline| !self.commits.can_end_by(deadline, body.len())) {
            return Err(GraphError::Interrupted);
        }
        let names = || names.map_or_else(Vec::new, |names| self.names.take_to_log(names));
        let enqueue = |stamp| self.enqueue(stamp, (catalog, names), (body, beside), (ops, notes));
        let outcome = self.timeline.commit(snapshot, footprint, standing, enqueue);
        self.commits.counters.note(&outcome);
        let committed = outcome.map_err(refused)?;
        if !committed.done {
            // The stamp stays unsettled, and with it everything after: nothing will be committed any more.
            self.refuse_if_failed()?;
        }
        Ok(committed.map(|_| ()))
    }

    /// Refuses a commit of so many bytes whose record the store would not take with the names and definitions that it may bring:
    /// nobody else is to lose by it.
    fn refuse_if_too_large(
        &self,
        bytes: usize,
        catalog: &Catalog,
        names: Option<&Arc<NewNames>>,
    ) -> Result<()> {
        let names = names.into_iter().flat_map(|names| names.unused());
        let names: usize = names.map(|(.., name)| name_bytes(name)).sum();
        let limit = self.store.limits().transaction_bytes.saturating_sub(FRAMES);
        if bytes + names + self.commits.unlogged_bytes(catalog) <= limit {
            return Ok(());
        }
        let (what, limit) =
            ("what one transaction writes to the log, with the names that it brings,", limit as u64);
        let advice = "commit the work in several smaller transactions";
        Err(GraphError::LimitExceeded { what, limit, advice })
    }

    /// Queues a commit; false if an earlier one failed. Called under the timeline's lock, so in stamp order.
    fn enqueue(
        &self,
        stamp: Stamp,
        (catalog, names): (&Catalog, impl FnOnce() -> Vec<Named>),
        (body, beside): (Vec<u8>, usize),
        (ops, notes): (Vec<Op>, Vec<Note>),
    ) -> bool {
        let mut state = self.commits.state.lock();
        if self.refuse_if_failed().is_err() {
            return false;
        }
        let growth = state.growth(catalog, names());
        let bytes = body.len() + beside + growth.bytes();
        state.waiting.push_back(Pending { stamp, growth, body, ops, notes, bytes });
        if state.waiting.len() >= state.company {
            self.commits.joined.notify_one();
        }
        true
    }

    /// Waits until the commit at `stamp` is durable and visible, leading groups where nobody else does.
    pub(crate) fn settle(&self, stamp: Stamp) -> Result<()> {
        let mut state = self.commits.state.lock();
        loop {
            if let Some(cause) = state.given_up.remove(&stamp) {
                return Err(GraphError::Store(cause));
            }
            self.refuse_if_failed_at(stamp)?;
            if self.timeline.visible() >= stamp {
                return Ok(());
            }
            if state.led {
                self.commits.changed.wait(&mut state);
                continue;
            }
            state.led = true;
            self.commits.await_company(&mut state);
            let group = state.gather();
            drop(state);
            self.lead(group);
            state = self.commits.state.lock();
        }
    }

    /// Commits a group, and lets the next one begin whatever happens.
    fn lead(&self, mut group: Vec<Pending>) {
        let unsettled = group.iter().map(|pending| pending.stamp).collect();
        let mut leading =
            Leading { committer: self, unsettled, size: group.len(), pace: Duration::ZERO, ended: false };
        let began = Instant::now();
        let written = self.write_group(&mut group);
        leading.pace = began.elapsed();
        let outcome = match written {
            Ok(bytes) => {
                let applied = self.apply_group(group, bytes, &mut leading);
                self.commits.note_pace(bytes, began.elapsed());
                applied
            }
            Err(error) => match &error {
                GraphError::Store(cause) if error.wrote_nothing() => {
                    self.give_up(group, cause, &mut leading);
                    Ok(())
                }
                _ => Err(error),
            },
        };
        leading.end(outcome.err().map(|error| error.to_string()));
    }

    /// Gives up a group that the store has refused, and all that was queued behind it, whose records count on the
    /// names that its records brought. Their stamps become visible with nothing at them.
    fn give_up(&self, mut group: Vec<Pending>, cause: &Arc<StoreError>, leading: &mut Leading<'_>) {
        let mut state = self.commits.state.lock();
        group.extend(state.waiting.drain(..));
        leading.unsettled = group.iter().map(|pending| pending.stamp).collect();
        for pending in &group {
            state.forget_logged(&pending.growth);
            self.names.take_back(&pending.growth.names);
            state.given_up.insert(pending.stamp, Arc::clone(cause));
        }
        drop(state);
        let _writer = self.lock_writer();
        for pending in group {
            // Counts first: a reader asks for those of the stamp that it sees. The writer's last commit stays what it
            // was: a stamp that is not in the log may be given out again after a restart, so no section may say that it
            // has it.
            self.counts.publish(pending.stamp.bits(), self.counts.newest());
            self.timeline.abandoned(pending.stamp);
            leading.unsettled.pop_front();
        }
    }

    /// Makes the commits of a group durable; their size.
    fn write_group(&self, group: &mut [Pending]) -> Result<usize> {
        let (mut record, mut notes) = (GroupRecord::new(), Vec::new());
        for pending in group {
            record.add(pending.stamp.bits(), &pending.growth, &std::mem::take(&mut pending.body));
            notes.append(&mut pending.notes);
        }
        self.log.write(&record, &notes)?;
        Ok(record.len())
    }

    /// Applies a group in stamp order; each commit is visible as soon as it is applied.
    fn apply_group(&self, group: Vec<Pending>, bytes: usize, leading: &mut Leading<'_>) -> Result<()> {
        let memory: &Memory = self;
        let mut writer = memory.lock_writer();
        let mut enough = memory.cache.enough_for_a_group();
        for pending in group {
            if memory.cache.account.total() > enough {
                // Nobody who waits for this group has a snapshot any more that would keep what was changed.
                MutexGuard::unlocked(&mut writer, || self.flush_for_room());
                enough = memory.cache.enough_for_a_group();
            }
            let tick: Tick = pending.stamp.bits();
            let mut counts = memory.counts.newest();
            memory.names.give_out(&pending.growth.names, tick);
            if let Some(definitions) = &pending.growth.definitions {
                memory.adopt(definitions, (tick, true), &writer)?;
            }
            let mut changed = (*counts).clone();
            for ops in pending.ops.chunks(STRETCH) {
                apply_stretch(memory, ops, (tick, &mut writer), &mut changed)?;
            }
            writer.applied = tick;
            if changed != *counts {
                counts = changed.into();
            }
            memory.counts.publish(tick, counts);
            memory.timeline.durable(pending.stamp);
            memory.timeline.applied(pending.stamp);
            leading.unsettled.pop_front();
        }
        // Not before: a flush in the midst of the group cannot trim its record.
        writer.log_bytes += bytes as u64;
        Ok(())
    }
}

/// Applies a part of a commit. What it replaces and evicts is freed behind it: a guard for all of a large commit would keep
/// the old bases of every section that the commit merges.
fn apply_stretch(
    memory: &Memory,
    ops: &[Op],
    (tick, writer): (Tick, &mut Writer),
    counts: &mut Counts,
) -> Result<()> {
    memory.make_room_for_writer(writer);
    let guard = crossbeam_epoch::pin();
    let mut application = Application {
        memory,
        writer,
        catalog: &memory.catalog(),
        counts,
        tick,
        watermark: None,
        merges_lists: true,
        guard: &guard,
    };
    let outcome = ops.iter().try_for_each(|op| application.apply(op));
    if memory.cache.is_littered() {
        // This thread may lead no group for long, and would keep the last bases that it has replaced, some sixty.
        guard.flush();
    }
    outcome
}

fn refused(refused: CommitRefused) -> GraphError {
    GraphError::Conflict(refused.to_string())
}

/// Held while a group is led: should its leader fail or panic, nothing more is committed and nobody waits for ever.
///
/// The stamps of commits that failed are never settled, so readers stay before the first of them and cannot see a part
/// of it.
struct Leading<'a> {
    committer: &'a Committer,
    /// Commits of the group that are not visible yet.
    unsettled: VecDeque<Stamp>,
    /// Commits of the group.
    size: usize,
    /// How long it took to make them durable.
    pace: Duration,
    ended: bool,
}

impl Leading<'_> {
    fn end(&mut self, failure: Option<String>) {
        self.ended = true;
        let mut state = self.committer.commits.state.lock();
        state.led = false;
        (state.company, state.pace) = (self.size + state.waiting.len(), self.pace);
        if let (Some(cause), Some(&first)) = (failure, self.unsettled.front()) {
            tracing::error!(%cause, "the graph accepts no more writes");
            self.committer.fail(first, cause);
            state.waiting.clear();
        }
        self.committer.commits.changed.notify_all();
    }
}

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.end(Some("a commit panicked while it was applied".into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_waits_for_company_and_not_for_ever() {
        let queue = CommitQueue::new(0);
        let mut state = queue.state.lock();
        state.company = 2;
        state.pace = Duration::from_secs(3600);
        let began = Instant::now();
        queue.await_company(&mut state);
        assert!(began.elapsed() >= LONGEST_WAIT, "nobody came");
        assert!(state.waiting.is_empty());
    }

    #[test]
    fn a_large_commit_is_expected_to_take_as_long_as_the_last_ones_did() {
        let queue = CommitQueue::new(0);
        let soon = Instant::now() + Duration::from_millis(500);
        assert!(queue.can_end_by(soon, 10 << 20));
        (0..10).for_each(|_| queue.note_pace(1 << 20, Duration::from_millis(100)));
        assert!(!queue.can_end_by(soon, 10 << 20), "a second");
        assert!(queue.can_end_by(soon, 2 << 20));
        assert!(queue.can_end_by(soon, LARGE - 1) && !queue.can_end_by(Instant::now(), 1));
        queue.note_pace(1 << 20, Duration::from_secs(10));
        assert!(!queue.can_end_by(soon, 10 << 20), "the disk has stood still");
        assert!(
            (0..20).any(|_| queue.can_end_by(soon, 10 << 20)),
            "and goes on, which somebody must find out"
        );
    }

    #[test]
    fn who_commits_alone_is_company_enough() {
        let store = std::sync::Arc::new(store::MemoryStore::new());
        let files = crate::restart::open(store, crate::model::GraphOptions::default()).unwrap();
        let committer = Committer::new(Arc::new(files));
        committer.commits.state.lock().company = 7;
        let (snapshot, footprint) = (committer.timeline.visible(), Footprint::default());
        committer.commit_with(&committer.catalog(), snapshot, &footprint).unwrap();
        assert_eq!(committer.commits.state.lock().company, 1);
    }
}
