//! Pieces of an exchange's input, and what becomes of them on the executors that take them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use planner::physical::{IntraPolicy, Op, Pipeline};
use values::watch;

use crate::batch::Batch;
use crate::edge_part::EdgePart;
use crate::entered::Entered;
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::memory::Charge;
use crate::operator::{Context, Output};
use crate::query::{self, Path, PieceSource, QueryState};
use crate::quota::Quota;
use crate::raised;
use crate::scope_memory::ScopeMemory;
use crate::scope_tag::ScopeTag;

/// Result batches that may wait for the home executor before a helper pauses.
const RESULT_BOUND: usize = 64;

/// Bytes of them from which on it pauses, too.
const BYTES_BOUND: usize = 8 << 20;

/// A piece of an exchange's input.
pub(super) struct Piece {
    pub(super) ordinal: u64,
    pub(super) batch: Batch,
    /// Which edges of the batch's one row, if not all.
    pub(super) part: Option<EdgePart>,
    /// The instance that the exchange stands in.
    pub(super) single_tag: bool,
    pub(super) tags: u32,
    pub(super) tag: ScopeTag,
}

impl Piece {
    /// Becomes the input of an instance.
    pub(super) fn enter(self, instance: &mut Instance, cx: &Context<'_>) -> Result<(), QueryError> {
        if let Some(part) = self.part {
            instance.restrict(part);
        }
        instance.receive(self.batch, cx)?;
        instance.end_input();
        Ok(())
    }
}

/// What comes back from a piece.
pub(super) enum Delivery {
    /// Results, charged while they wait.
    Batches(u64, Vec<(Batch, Charge)>),
    End(u64),
    Failed(u64, QueryError),
}

/// What has come back and waits for the home executor.
#[derive(Default)]
struct Deliveries {
    waiting: VecDeque<Delivery>,
    bytes: usize,
}

/// The pieces of one exchange that other executors may take, and what they have delivered.
pub(super) struct Pieces {
    query: Arc<QueryState>,
    op: Op,
    pipeline: Pipeline,
    intra: IntraPolicy,
    /// What the pieces remember together, where their order does not matter.
    memory: Option<Arc<ScopeMemory>>,
    /// Whether results leave in the order of the pieces.
    ordered: bool,
    /// Of an ordered exchange: the piece before which others may be taken.
    window: AtomicU64,
    pieces: Mutex<VecDeque<Piece>>,
    deliveries: Mutex<Deliveries>,
    /// Pieces being run by other executors.
    taken: AtomicUsize,
    terminated: AtomicBool,
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pieces").field("step", &self.op.step).finish_non_exhaustive()
    }
}

impl Pieces {
    /// The pieces of an exchange that other executors may take; none so far.
    pub(super) fn new(
        scope: (&Pipeline, IntraPolicy, bool),
        memory: Option<&Arc<ScopeMemory>>,
        cx: &Context<'_>,
    ) -> Arc<Self> {
        let (pipeline, intra, ordered) = scope;
        Arc::new(Self {
            query: cx.query.clone(),
            op: cx.op.clone(),
            pipeline: pipeline.clone(),
            intra,
            memory: memory.cloned(),
            ordered,
            window: AtomicU64::new(0),
            pieces: Mutex::default(),
            deliveries: Mutex::default(),
            taken: AtomicUsize::new(0),
            terminated: AtomicBool::new(false),
        })
    }

    /// Adds pieces.
    pub(super) fn add(&self, more: impl Iterator<Item = Piece>) {
        let mut pieces = self.pieces.lock();
        pieces.extend(more);
        pieces.make_contiguous().sort_unstable_by_key(|piece| piece.ordinal);
    }

    /// Lets pieces before this one be taken, where their order matters.
    pub(super) fn move_window(&self, window: u64) {
        self.window.store(window, Ordering::Relaxed);
    }

    /// Whether there are pieces that nobody has taken.
    pub(super) fn has_pieces(&self) -> bool {
        !self.pieces.lock().is_empty()
    }

    /// Takes a piece back that nobody else has taken: the first.
    pub(super) fn take_back(&self) -> Option<Piece> {
        let window = self.window.load(Ordering::Relaxed);
        self.pieces.lock().pop_front_if(|piece| !self.ordered || piece.ordinal < window)
    }

    /// Drops pieces behind one that has failed.
    pub(super) fn forget_behind(&self, failed: u64) {
        self.pieces.lock().retain(|piece| piece.ordinal < failed);
    }

    /// What has come back since the last call.
    pub(super) fn collect(&self) -> VecDeque<Delivery> {
        std::mem::take(&mut *self.deliveries.lock()).waiting
    }

    /// Whether something is still to come back.
    pub(super) fn is_awaited(&self) -> bool {
        self.taken.load(Ordering::Acquire) > 0 || !self.deliveries.lock().waiting.is_empty()
    }

    /// Ends all pieces.
    pub(super) fn terminate(&self) {
        self.terminated.store(true, Ordering::Release);
        self.pieces.lock().clear();
        drop(self.collect());
    }

    fn take_next(&self) -> Option<Piece> {
        let mut pieces = self.pieces.lock();
        let piece = if self.ordered {
            let window = self.window.load(Ordering::Relaxed);
            pieces.pop_front_if(|piece| piece.ordinal < window)?
        } else {
            pieces.pop_back()?
        };
        self.taken.fetch_add(1, Ordering::AcqRel);
        Some(piece)
    }

    fn deliver(&self, delivery: Delivery) {
        let last = !matches!(delivery, Delivery::Batches(..));
        let bytes = match &delivery {
            Delivery::Batches(_, batches) => batches.iter().map(|(_, charge)| charge.bytes()).sum(),
            _ => 0,
        };
        let mut deliveries = self.deliveries.lock();
        deliveries.bytes += bytes;
        deliveries.waiting.push_back(delivery);
        drop(deliveries);
        if last {
            self.taken.fetch_sub(1, Ordering::AcqRel);
        }
        self.query.waker.wake();
    }

    /// Whether as much waits for the home executor as may.
    fn is_full(&self) -> bool {
        let deliveries = self.deliveries.lock();
        deliveries.waiting.len() >= RESULT_BOUND || deliveries.bytes >= BYTES_BOUND
    }

    fn is_terminated(&self) -> bool {
        self.terminated.load(Ordering::Acquire) || self.query.cancel.is_cancelled()
    }
}

/// A piece on the executor that took it.
struct TakenPiece {
    source: Arc<Pieces>,
    piece: Option<Piece>,
    ordinal: u64,
    shape: (bool, u32, ScopeTag),
    instance: Instance,
}

impl PieceSource for Pieces {
    fn take(self: Arc<Self>) -> Option<Box<dyn query::Piece>> {
        if self.is_terminated() {
            return None;
        }
        let piece = self.take_next()?;
        Some(Box::new(TakenPiece {
            ordinal: piece.ordinal,
            shape: (piece.single_tag, piece.tags, piece.tag),
            piece: Some(piece),
            instance: Instance::new(self.pipeline.clone()),
            source: self,
        }))
    }

    fn left_behind(&self) -> usize {
        query::left_behind(&self.query, self.is_terminated())
    }
}

impl query::Piece for TakenPiece {
    fn path(&self) -> Path {
        self.source.query.path()
    }

    fn run(&mut self, quota: Quota<'_>) -> Progress {
        if self.source.is_terminated() {
            self.source.deliver(Delivery::End(self.ordinal));
            return Progress::Complete;
        }
        let progress = match query::may_go_on(&self.source.query, !self.source.is_full()) {
            Ok(true) => {
                let watched = watch::watched(self.source.query.clone(), || self.advance(quota));
                watched.unwrap_or_else(|_| Err(self.source.query.ended()))
            }
            Ok(false) => return Progress::Blocked,
            Err(error) => Err(error),
        };
        match progress {
            Ok(Progress::Complete) => {
                self.source.deliver(Delivery::End(self.ordinal));
                Progress::Complete
            }
            Ok(progress) => progress,
            Err(error) => {
                self.source.deliver(Delivery::Failed(self.ordinal, error));
                Progress::Complete
            }
        }
    }

    fn left_behind(&self) -> usize {
        self.source.left_behind()
    }

    fn fail(self: Box<Self>, error: QueryError) {
        self.source.deliver(Delivery::Failed(self.ordinal, error));
    }
}

impl TakenPiece {
    fn advance(&mut self, quota: Quota<'_>) -> Result<Progress, QueryError> {
        let (single_tag, tags, tag) = self.shape;
        let source = self.source.clone();
        let cx = Context {
            query: &source.query,
            op: &source.op,
            tag,
            loop_memory: None,
            piece_memory: source.memory.as_deref(),
            single_tag,
            tags,
            entered: Entered::All,
            alone: false,
            quota,
        };
        // Of a query that was ended in the middle of a call.
        drop(raised::take());
        if let Some(piece) = self.piece.take() {
            piece.enter(&mut self.instance, &cx)?;
        }
        let mut out = Output::default();
        let progress = self.instance.run(&cx, source.intra, &mut out)?;
        if !out.batches.is_empty() {
            let charged = |batch: Batch| {
                let charge = Charge::take(&source.query.memory, batch.bytes())?;
                Ok((batch, charge))
            };
            let batches = out.batches.into_iter().map(charged).collect::<Result<_, QueryError>>()?;
            source.deliver(Delivery::Batches(self.ordinal, batches));
        }
        Ok(progress)
    }
}
