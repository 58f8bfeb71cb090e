//! The timeline of one gatekeeper, shared by threads: the locks around the state machines.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::{
    ActiveSnapshots, Capacity, Footprint, Reservations, Reserved, Sequencer, SequencerFull, Shown,
    SnapshotGuard, Stamp, Ticket, Turn, ValidationError, Validator,
};

/// Snapshots, commit order, validation and the watermark of a database with one gatekeeper.
///
/// A commit goes through four calls: [`commit`](Self::commit) validates it and gives it its stamp;
/// [`durable`](Self::durable) (or [`abandoned`](Self::abandoned)) once the log was written, [`applied`](Self::applied)
/// once every reader would find it, and [`wait_visible`](Self::wait_visible) before its client is told, so that the
/// client's next snapshot contains it: that is what makes the order strict.
///
/// ```
/// use timeline::{Footprint, Standing, Timeline, Unit, UnitKind};
///
/// let timeline = Timeline::new(1_000);
/// let reader = timeline.snapshot();
/// let mut footprint = Footprint::new();
/// footprint.reads(Unit::new(UnitKind::Vertex, 0, 7));
/// footprint.replaces(Unit::new(UnitKind::Vertex, 0, 7))?;
///
/// let stamp = timeline.commit(reader.stamp(), &footprint, Standing::Foremost, |_| ())?.stamp;
/// timeline.durable(stamp);
/// timeline.applied(stamp);
/// timeline.wait_visible(stamp);
///
/// assert!(timeline.snapshot().stamp() >= stamp);
/// let again = timeline.commit(reader.stamp(), &footprint, Standing::Foremost, |_| ());
/// assert!(again.is_err(), "what it read has changed");
/// assert_eq!(timeline.watermark(), reader.stamp(), "the reader still holds its versions");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Timeline {
    order: Mutex<CommitOrder>,
    shown: Condvar,
    active: Arc<ActiveSnapshots>,
}

#[derive(Debug)]
struct CommitOrder {
    sequencer: Sequencer,
    validator: Validator,
    reservations: Reservations,
    waiting: Waiting,
    /// How many commits have passed since the validator was last pruned.
    since_pruned: usize,
    /// How many units it remembered then.
    after_pruning: usize,
}

/// The validator is pruned once in so many commits, because the watermark looks at every shard of the snapshots.
const COMMITS_PER_PRUNE: usize = 64;

/// And once in so many units, since large commits are few.
const UNITS_PER_PRUNE: usize = 1 << 14;

/// Called once, when it may be somebody's turn.
pub type Wake = Box<dyn FnOnce() + Send>;

/// Those that wait for their turn, and how each is told.
#[derive(Default)]
struct Waiting(Vec<(Ticket, Wake)>);

impl Waiting {
    /// Takes out those that should ask again.
    fn take_due(&mut self, reservations: &Reservations, visible: Stamp) -> Vec<Wake> {
        if self.0.is_empty() {
            return Vec::new();
        }
        self.0
            .extract_if(.., |(ticket, _)| reservations.may_have_come(*ticket, visible))
            .map(|(_, wake)| wake)
            .collect()
    }
}

impl std::fmt::Debug for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(ticket, _)| ticket)).finish()
    }
}

/// Before whom a commit goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Before everybody: what others have reserved is no obstacle.
    Foremost,
    /// Before those that have reserved something with a younger ticket, or before nobody of them without one. And the time now,
    /// on the clock on which turns end.
    Ordinary(Option<Ticket>, Duration),
}

/// A transaction that got its stamp.
#[derive(Debug)]
pub struct Committed<R = ()> {
    /// The stamp.
    pub stamp: Stamp,
    /// The moment of the commit, if what the transaction shows has changed between its snapshot and that: what it shows must be
    /// read there, once it is visible.
    pub shown: Option<SnapshotGuard>,
    /// What was done under the lock.
    pub done: R,
}

impl<R> Committed<R> {
    /// The same with something else that was done.
    pub fn map<S>(self, done: impl FnOnce(R) -> S) -> Committed<S> {
        Committed { stamp: self.stamp, shown: self.shown, done: done(self.done) }
    }
}

/// Why a transaction got no stamp. All are retryable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommitRefused {
    /// It did not pass validation.
    #[error(transparent)]
    Invalid(#[from] ValidationError),
    /// It would break a transaction that goes first.
    #[error(transparent)]
    Reserved(#[from] Reserved),
    /// Too many commits are on their way.
    #[error(transparent)]
    Full(#[from] SequencerFull),
}

impl Timeline {
    /// The timeline of an empty database. `remembered_units` bounds the memory of validation: up to 90 bytes each,
    /// 24 in a queue and 33 for each place of a hash table, of which half may be empty.
    pub fn new(remembered_units: usize) -> Self {
        Self::over(Sequencer::new(), remembered_units)
    }

    /// The timeline of a database that was opened again and contains every commit up to `last_durable`.
    pub fn recover(last_durable: Stamp, remembered_units: usize) -> Self {
        Self::over(Sequencer::recover(last_durable), remembered_units)
    }

    fn over(sequencer: Sequencer, remembered_units: usize) -> Self {
        let visible = sequencer.visible();
        let validator = Validator::new(visible, remembered_units);
        let order = CommitOrder {
            sequencer,
            validator,
            reservations: Reservations::new(Capacity::default()),
            waiting: Waiting::default(),
            since_pruned: 0,
            after_pruning: 0,
        };
        Self { order: Mutex::new(order), shown: Condvar::new(), active: ActiveSnapshots::new(visible) }
    }

    /// A snapshot of everything that is visible now.
    pub fn snapshot(&self) -> SnapshotGuard {
        self.active.take()
    }

    /// The snapshots in use.
    pub fn snapshots(&self) -> &Arc<ActiveSnapshots> {
        &self.active
    }

    /// What a new snapshot would read at.
    pub fn visible(&self) -> Stamp {
        self.active.visible()
    }

    /// The last stamp given out, whether or not its commit is visible yet.
    pub fn assigned(&self) -> Stamp {
        self.order.lock().sequencer.assigned()
    }

    /// No reader, present or to come, asks for a stamp before this one (except for history, where it is kept).
    pub fn watermark(&self) -> Stamp {
        self.active.watermark()
    }

    /// Validates a transaction that read at `snapshot` and gives it its stamp, in one step. The caller must settle
    /// the stamp whatever happens: `durable` and `applied`, or `abandoned`.
    ///
    /// A commit with a ticket gives back what that has reserved; whoever waits for it is told when the commit is visible.
    ///
    /// `under_lock` is called with the stamp before any later one is given out: there the caller queues the commit's
    /// log record, so that the log is in stamp order. It must not block.
    ///
    /// # Errors
    /// [`CommitRefused`]; nothing has happened, and the transaction may be run again.
    pub fn commit<R>(
        &self,
        snapshot: Stamp,
        footprint: &Footprint,
        standing: Standing,
        under_lock: impl FnOnce(Stamp) -> R,
    ) -> Result<Committed<R>, CommitRefused> {
        let mut order = self.order.lock();
        let shown = order.validator.check(snapshot, footprint)?;
        if let Standing::Ordinary(ticket, now) = standing
            && !order.reservations.is_empty()
        {
            order.reservations.check(footprint, ticket, now)?;
        }
        let stamp = order.sequencer.assign()?;
        order.validator.record(stamp, footprint);
        if let Standing::Ordinary(Some(ticket), _) = standing {
            order.reservations.release(ticket, stamp);
        }
        order.since_pruned += 1;
        let grown = order.validator.remembered().saturating_sub(order.after_pruning);
        if order.since_pruned >= COMMITS_PER_PRUNE || grown >= UNITS_PER_PRUNE {
            order.validator.prune(self.active.watermark());
            (order.since_pruned, order.after_pruning) = (0, order.validator.remembered());
        }
        // Before the commit is visible, so nothing that is to be seen there can have been removed.
        let shown = (shown == Shown::Changed).then(|| self.active.take_ahead(stamp));
        Ok(Committed { stamp, shown, done: under_lock(stamp) })
    }

    /// Forgets what no transaction that is under way can conflict with, and gives back its memory. Commits do so on their way; behind
    /// the last one somebody must ask, or a large commit that it left behind stays.
    pub fn forget(&self) {
        let watermark = self.active.watermark();
        loop {
            let mut order = self.order.lock();
            if order.validator.prune_some(watermark, UNITS_PER_PRUNE) {
                (order.since_pruned, order.after_pruning) = (0, order.validator.remembered());
                return;
            }
            // Commits need not wait for all of it.
            MutexGuard::unlock_fair(order);
        }
    }

    /// Reserves what a transaction touched when it lost, in place of what its ticket has, for `term` once its turn has come: see
    /// [`Reservations::reserve`]. The ticket must be given back ([`release`](Self::release)). `None` if there is no room.
    pub fn reserve(
        &self,
        ticket: Option<Ticket>,
        footprint: Footprint,
        term: Duration,
        now: Duration,
    ) -> Option<Ticket> {
        let mut order = self.order.lock();
        let CommitOrder { sequencer, reservations, waiting, .. } = &mut *order;
        let reserved = reservations.reserve(ticket, footprint, sequencer.assigned(), (term, now));
        let due = waiting.take_due(reservations, sequencer.visible());
        drop(order);
        due.into_iter().for_each(|wake| wake());
        reserved
    }

    /// Frees what a ticket has reserved, if it has not committed, and lets those go on that waited for it.
    pub fn release(&self, ticket: Ticket) {
        let mut order = self.order.lock();
        let CommitOrder { sequencer, reservations, waiting, .. } = &mut *order;
        waiting.0.retain(|(other, _)| *other != ticket);
        reservations.release(ticket, sequencer.assigned());
        let due = waiting.take_due(reservations, sequencer.visible());
        drop(order);
        due.into_iter().for_each(|wake| wake());
    }

    /// Whether the turn of a ticket has come. If not, `wake` is called when it is worth asking again, on any thread, which it
    /// must not hold up; and whoever asks must ask again at the moment that the answer names.
    pub fn turn(&self, ticket: Ticket, now: Duration, wake: impl FnOnce() + Send + 'static) -> Turn {
        let mut order = self.order.lock();
        let CommitOrder { sequencer, reservations, waiting, .. } = &mut *order;
        waiting.0.retain(|(other, _)| *other != ticket);
        let turn = reservations.turn(ticket, sequencer.visible(), now);
        if matches!(turn, Turn::Waits(_)) {
            waiting.0.push((ticket, Box::new(wake)));
        }
        turn
    }

    /// The commit at `stamp` would survive a crash.
    pub fn durable(&self, stamp: Stamp) {
        self.order.lock().sequencer.durable(stamp);
    }

    /// Every reader would find the commit at `stamp`. Returns what is visible now.
    pub fn applied(&self, stamp: Stamp) -> Stamp {
        self.settle(|sequencer| sequencer.applied(stamp))
    }

    /// The commit at `stamp` failed before it was durable. Returns what is visible now.
    pub fn abandoned(&self, stamp: Stamp) -> Stamp {
        self.settle(|sequencer| sequencer.abandoned(stamp))
    }

    /// Waits until the commit at `stamp`, and with it all before, is visible.
    pub fn wait_visible(&self, stamp: Stamp) {
        if self.visible() >= stamp {
            return;
        }
        let mut order = self.order.lock();
        while order.sequencer.visible() < stamp {
            self.shown.wait(&mut order);
        }
    }

    fn settle(&self, step: impl FnOnce(&mut Sequencer) -> Stamp) -> Stamp {
        let mut order = self.order.lock();
        let before = order.sequencer.visible();
        let visible = step(&mut order.sequencer);
        if visible > before {
            self.active.show(visible);
            self.shown.notify_all();
            let CommitOrder { reservations, waiting, .. } = &mut *order;
            let due = waiting.take_due(reservations, visible);
            drop(order);
            due.into_iter().for_each(|wake| wake());
        }
        visible
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Unit, UnitKind};

    #[test]
    fn a_large_commit_that_is_the_last_one_is_forgotten_when_nobody_reads_before_it() {
        let timeline = Timeline::new(1 << 20);
        let reader = timeline.snapshot();
        let mut footprint = Footprint::new();
        (0..100_000).for_each(|key| footprint.adds(Unit::new(UnitKind::Vertex, 0, key)).unwrap());
        let committed = timeline.commit(reader.stamp(), &footprint, Standing::Foremost, |_| ()).unwrap();
        timeline.durable(committed.stamp);
        timeline.applied(committed.stamp);
        timeline.forget();
        assert_eq!(timeline.order.lock().validator.remembered(), 100_000, "a reader may conflict");
        drop(reader);
        timeline.forget();
        assert_eq!(timeline.order.lock().validator.remembered(), 0);
    }
}
