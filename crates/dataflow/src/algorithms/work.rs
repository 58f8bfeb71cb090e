//! Work in pieces that any executor may take.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use values::watch;

use super::Ground;
use crate::error::QueryError;
use crate::instance::Progress;
use crate::memory::by_operator;
use crate::operator::Context;
use crate::query::{self, Path, PieceSource};
use crate::quota::Quota;

/// Results that may wait for the home executor before helpers pause.
const RESULT_BOUND: usize = 64;

/// How far something got in its turn.
pub(crate) enum Advance<T> {
    /// It is done.
    Done(T),
    /// It is to be called again.
    More,
    /// It is to be called again when others have done something.
    Blocked,
}

impl<T> Advance<T> {
    /// What whoever waits for it has to say; `None` if it is done.
    pub(crate) fn waits<U>(self) -> Option<Advance<U>> {
        match self {
            Self::Done(_) => None,
            Self::More => Some(Advance::More),
            Self::Blocked => Some(Advance::Blocked),
        }
    }
}

/// Work that consists of pieces which do not need each other.
pub(super) trait Work: Send + Sync + 'static {
    /// A piece under way.
    type Piece: Send;
    /// What a piece has to say, now and then and at its end.
    type Report: Send;

    /// Whether a piece takes so long that others may have some of them at once, and not only when the query has had work for a while.
    const IN_LONG_PIECES: bool = false;

    /// How many pieces there are.
    fn pieces(&self) -> usize;

    /// Begins a piece.
    fn begin(&self, piece: usize, ground: &Ground) -> Result<Self::Piece, QueryError>;

    /// Goes on with a piece until the quota is spent, there is a report, or it is done.
    fn go_on(
        &self,
        piece: &mut Self::Piece,
        ground: &Ground,
        quota: &Quota<'_>,
    ) -> Result<Gone<Self::Report>, QueryError>;
}

/// How far a piece got.
pub(super) enum Gone<R> {
    /// The quota is spent.
    On,
    /// It has this to say, and goes on.
    Reports(R),
    /// It is done, and has this to say.
    Ended(R),
}

/// What all who do a work share.
struct Shared<W: Work> {
    work: W,
    ground: Ground,
    pieces: usize,
    next: AtomicUsize,
    /// Pieces that others have taken and not ended.
    taken: AtomicUsize,
    /// Reports with the numbers of their pieces.
    reports: Mutex<VecDeque<(usize, W::Report)>>,
    failed: Mutex<Option<QueryError>>,
    is_over: AtomicBool,
    /// The operator that it is done for.
    op: u32,
}

impl<W: Work> Shared<W> {
    fn take_next(&self) -> Option<usize> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        (next < self.pieces).then_some(next)
    }

    fn has_pieces(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.pieces
    }

    /// A piece that somebody else has taken has ended.
    fn end_taken(&self, outcome: Result<(usize, W::Report), QueryError>) {
        match outcome {
            Ok(report) => self.reports.lock().push_back(report),
            Err(error) => {
                self.failed.lock().get_or_insert(error);
                self.is_over.store(true, Ordering::Release);
            }
        }
        self.taken.fetch_sub(1, Ordering::AcqRel);
        self.ground.query.waker.wake();
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire) || self.ground.query.cancel.is_cancelled()
    }
}

/// A work as its query sees it.
pub(super) struct Doing<W: Work> {
    shared: Arc<Shared<W>>,
    own: Option<(usize, W::Piece)>,
    is_offered: bool,
}

impl<W: Work> Doing<W> {
    pub(super) fn new(work: W, ground: &Ground) -> Self {
        let pieces = work.pieces();
        let shared = Shared {
            work,
            ground: ground.clone(),
            pieces,
            next: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            reports: Mutex::default(),
            failed: Mutex::default(),
            is_over: AtomicBool::new(false),
            op: by_operator::current(),
        };
        Self { shared: Arc::new(shared), own: None, is_offered: false }
    }

    /// Goes on with it. `receive` is given what the pieces report, with their numbers, as it comes.
    pub(super) fn go_on(
        &mut self,
        cx: &Context<'_>,
        mut receive: impl FnMut(usize, W::Report),
    ) -> Result<Advance<()>, QueryError> {
        let shared = self.shared.clone();
        loop {
            if let Some(error) = shared.failed.lock().take() {
                return Err(error);
            }
            let reports = std::mem::take(&mut *shared.reports.lock());
            let has_reports = !reports.is_empty();
            reports.into_iter().for_each(|(piece, report)| receive(piece, report));
            // In the middle of a piece, too: one may take longer than the others together.
            self.offer(cx);
            if self.own.is_none() {
                let Some(piece) = shared.take_next() else {
                    let awaits =
                        shared.taken.load(Ordering::Acquire) > 0 || !shared.reports.lock().is_empty();
                    return Ok(match (awaits, has_reports) {
                        (false, _) => Advance::Done(()),
                        (true, true) => Advance::More,
                        (true, false) => Advance::Blocked,
                    });
                };
                self.own = Some((piece, shared.work.begin(piece, &shared.ground)?));
            }
            let Some((number, piece)) = &mut self.own else { continue };
            match shared.work.go_on(piece, &shared.ground, &cx.quota)? {
                Gone::On => return Ok(Advance::More),
                Gone::Reports(report) => {
                    receive(*number, report);
                    return Ok(Advance::More);
                }
                Gone::Ended(report) => {
                    receive(*number, report);
                    self.own = None;
                }
            }
            shared.ground.snapshot.check()?;
            if cx.quota.is_spent() {
                return Ok(Advance::More);
            }
        }
    }

    /// Offers the pieces to others, if the query has had work for them for some time.
    fn offer(&mut self, cx: &Context<'_>) {
        let Some(helpers) = cx.query.helpers.as_deref().filter(|_| !self.is_offered) else { return };
        let (shareable, clock) = (&cx.query.shareable, &*cx.query.clock);
        shareable.note(clock);
        let idle = helpers.idle();
        let is_long = || W::IN_LONG_PIECES || shareable.since(helpers.sharing().patience, clock);
        if idle > 0 && self.shared.has_pieces() && is_long() {
            self.is_offered = true;
            helpers.offer(self.shared.clone(), idle);
        }
    }
}

impl<W: Work> Drop for Doing<W> {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
    }
}

/// A piece on the executor that took it.
struct Taken<W: Work> {
    shared: Arc<Shared<W>>,
    number: usize,
    piece: Option<W::Piece>,
}

impl<W: Work> PieceSource for Shared<W> {
    fn take(self: Arc<Self>) -> Option<Box<dyn query::Piece>> {
        if self.is_over() {
            return None;
        }
        // Counted before it is taken, so that nobody finds all pieces taken and none awaited.
        self.taken.fetch_add(1, Ordering::AcqRel);
        let Some(number) = self.take_next() else {
            self.taken.fetch_sub(1, Ordering::AcqRel);
            self.ground.query.waker.wake();
            return None;
        };
        Some(Box::new(Taken { shared: self, number, piece: None }))
    }

    fn left_behind(&self) -> usize {
        query::left_behind(&self.ground.query, self.is_over())
    }
}

impl<W: Work> query::Piece for Taken<W> {
    fn path(&self) -> Path {
        self.shared.ground.query.path()
    }

    fn run(&mut self, quota: Quota<'_>) -> Progress {
        if self.shared.is_over() {
            self.shared.end_taken(Err(QueryError::Cancelled));
            return Progress::Complete;
        }
        let has_room = self.shared.reports.lock().len() < RESULT_BOUND;
        let query = self.shared.ground.query.clone();
        let gone = match query::may_go_on(&query, has_room) {
            Ok(true) => {
                let watched = watch::watched(query.clone(), || self.advance(&quota));
                watched.unwrap_or_else(|_| Err(query.ended()))
            }
            Ok(false) => return Progress::Blocked,
            Err(error) => Err(error),
        };
        match gone {
            Ok(Gone::On) => Progress::Ready,
            Ok(Gone::Reports(report)) => {
                self.shared.reports.lock().push_back((self.number, report));
                query.waker.wake();
                Progress::Ready
            }
            Ok(Gone::Ended(report)) => {
                self.shared.end_taken(Ok((self.number, report)));
                Progress::Complete
            }
            Err(error) => {
                self.shared.end_taken(Err(error));
                Progress::Complete
            }
        }
    }

    fn left_behind(&self) -> usize {
        self.shared.left_behind()
    }

    fn fail(self: Box<Self>, error: QueryError) {
        self.shared.end_taken(Err(error));
    }
}

impl<W: Work> Taken<W> {
    fn advance(&mut self, quota: &Quota<'_>) -> Result<Gone<W::Report>, QueryError> {
        let Shared { work, ground, op, .. } = &*self.shared;
        let _charging = by_operator::charging(*op);
        let piece = match &mut self.piece {
            Some(piece) => piece,
            none => none.insert(work.begin(self.number, ground)?),
        };
        let gone = work.go_on(piece, ground, quota)?;
        ground.snapshot.check()?;
        Ok(gone)
    }
}
