//! Adaptive parallelism: parts of a plan that run on several executors at once (Grasper's adaptive parallelism
//! control, Banyan section 4.1).
//!
//! ```text
//!               ┌─ piece 0 ── run here ────────────────┐
//! large batch ──┼─ piece 1 ── taken by executor 2 ─────┼──► gathered, in order where asked
//!               └─ piece 2 ── taken by executor 1 ─────┘
//! small batch ───────────────── run here ──────────────────► passes
//! ```
//!
//! A piece is a scope instance that may live on another executor: its ingress and egress are here, so progress is
//! tracked as for any scope (the scope completes when every piece it has opened has completed), also for scopes inside
//! a piece, each of which has an ingress and an egress of its own in every piece. Idle executors *take* pieces; nobody
//! waits for a busy one. Any executor may read any tablet, so where a piece runs is a matter of load alone.
//!
//! A piece is some rows of a batch or, where one row means too much work for a piece, some edge nodes of that row's list
//! (`work.rs`). In an ordered exchange helpers take the first piece that is left rather than the last, and stay within a
//! window of the one that is emitted next: so what waits for its turn is bounded by the window.
//!
//! In an ordered exchange an error has its place, too: it is due when the pieces before have left.
//!
//! Pieces are offered once the query has had such work for some time, or has very much of it ([`crate::Sharing`]): to share
//! what is soon done costs more than it gains.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use planner::physical::{IntraPolicy, OpKind, Pipeline, Scope, ScopeKind};

use crate::batch::Batch;
use crate::edge_part::EdgePart;
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::memory::Charge;
use crate::operator::{Context, Operator, Output, Step};
use crate::query::{Counters, Helpers};
use crate::scope_memory::ScopeMemory;

use super::piece::{Delivery, Piece, Pieces};
use super::work::{Cut, FEW_ROWS, LARGE, Work, per_edge};

/// Pieces per executor that a batch is cut into, so that uneven ones balance out.
const PIECES_PER_EXECUTOR: usize = 4;

/// See the module.
pub(super) struct ExchangeScope {
    child: Pipeline,
    ordered: bool,
    intra: IntraPolicy,
    source: Option<Arc<Pieces>>,
    /// None in an ordered exchange: of equal objects the first of the stream must stay, and not the one met first.
    memory: Option<Arc<ScopeMemory>>,
    /// Pieces that nobody else has been offered, oldest first.
    local: VecDeque<Piece>,
    /// What following one edge costs, with all that comes of it here, by the plan's guess; at least 1.
    per_edge: f64,
    /// Whether there was a batch that is shared at once.
    has_large: bool,
    running: Option<u64>,
    instance: Instance,
    opened: u64,
    /// Next piece to emit, and what has arrived of later ones, where order matters.
    next: u64,
    arrived: BTreeMap<u64, Waiting>,
    /// How many pieces may be under way, and wait, beyond those that are emitted.
    ahead: u64,
    /// Where order matters: the first piece that has failed, and at what.
    failed: Option<(u64, QueryError)>,
}

/// Results of a piece that wait for those before it.
#[derive(Default)]
struct Waiting {
    batches: Vec<(Batch, Charge)>,
    ended: bool,
}

impl Waiting {
    fn keep(
        &mut self,
        batches: impl Iterator<Item = Result<(Batch, Charge), QueryError>>,
        ended: bool,
    ) -> Result<(), QueryError> {
        for batch in batches {
            self.batches.push(batch?);
        }
        self.ended |= ended;
        Ok(())
    }
}

/// A batch that came back charged, or one of a piece that ran here.
enum Came {
    Charged(Batch, Charge),
    Here(Batch),
}

impl Came {
    /// The batch, which is charged again by who gets it.
    fn batch(self) -> Batch {
        match self {
            Self::Charged(batch, _) | Self::Here(batch) => batch,
        }
    }

    /// The batch with what it is charged while it waits.
    fn charged(self, cx: &Context<'_>) -> Result<(Batch, Charge), QueryError> {
        match self {
            Self::Charged(batch, charge) => Ok((batch, charge)),
            Self::Here(batch) => {
                let charge = Charge::take(&cx.query.memory, batch.bytes())?;
                Ok((batch, charge))
            }
        }
    }
}

impl ExchangeScope {
    pub(super) fn new(scope: &Scope) -> Self {
        let ScopeKind::Exchange { child } = &scope.kind else { unreachable!("not an exchange") };
        Self {
            child: child.clone(),
            ordered: scope.policy.ordered,
            intra: scope.policy.intra,
            source: None,
            memory: (!scope.policy.ordered).then(Arc::default),
            local: VecDeque::new(),
            per_edge: per_edge(child),
            has_large: false,
            running: None,
            instance: Instance::new(child.clone()),
            opened: 0,
            next: 0,
            arrived: BTreeMap::new(),
            ahead: 0,
            failed: None,
        }
    }

    /// Ingress: cuts a batch that means much work.
    fn admit(&mut self, batch: Batch, cx: &Context<'_>) {
        if self.failed.is_some() {
            return;
        }
        let cut = self.cut(&batch, cx);
        if cut.len() < 2 {
            let piece = self.piece(batch, None, cx);
            return self.local.push_back(piece);
        }
        for cut in cut {
            let piece = match cut {
                Cut::Rows(rows) => self.piece(batch.gather(&rows.collect::<Vec<u32>>()), None, cx),
                Cut::Edges(row, part) => self.piece(batch.gather(&[row]), Some(part), cx),
            };
            self.local.push_back(piece);
        }
    }

    /// What a batch is cut into; nothing if it stays whole.
    fn cut(&mut self, batch: &Batch, cx: &Context<'_>) -> Vec<Cut> {
        let Some(helpers) = cx.query.helpers.as_deref() else { return Vec::new() };
        let idle = helpers.idle();
        // There will be other batches, but few rows may be all that there is: somebody may have time for them later.
        if idle == 0 && batch.len > FEW_ROWS {
            return Vec::new();
        }
        let (work, small) = (Work::of(batch, &self.child, cx), helpers.sharing().piece);
        let cost = (work.total as f64 * self.per_edge) as u64;
        if cost < 2 * small {
            return Vec::new();
        }
        cx.query.shareable.note(&*cx.query.clock);
        self.has_large |= cost >= LARGE;
        // As long as the pieces stay here they need not be small.
        let is_due = idle > 0 && self.is_due(helpers, cx);
        let piece = if is_due { small } else { LARGE / PIECES_PER_EXECUTOR as u64 };
        if cost < 2 * piece {
            return Vec::new();
        }
        work.cut(batch, wanted(idle.max(1)), (piece as f64 / self.per_edge) as u64, cx)
    }

    /// Whether others should help: the query has had work for them for long, or has much.
    fn is_due(&self, helpers: &dyn Helpers, cx: &Context<'_>) -> bool {
        self.has_large || cx.query.shareable.since(helpers.sharing().patience, &*cx.query.clock)
    }

    /// Offers the pieces to others if it pays. No piece may be under way: till others join in, pieces remember together what
    /// one executor does ([`ScopeMemory::has_company`]).
    fn offer(&mut self, cx: &Context<'_>) {
        let Some(helpers) = cx.query.helpers.as_deref().filter(|_| self.local.len() > 1) else { return };
        let idle = helpers.idle();
        if idle == 0 || !self.is_due(helpers, cx) {
            return;
        }
        self.ahead = wanted(idle);
        let window = self.next + self.ahead;
        if let Some(memory) = &self.memory {
            memory.expect_company();
        }
        let scope = (&self.child, self.intra, self.ordered);
        let source = self.source.get_or_insert_with(|| Pieces::new(scope, self.memory.as_ref(), cx));
        source.move_window(window);
        source.add(self.local.drain(..));
        helpers.offer(source.clone(), idle);
    }

    fn piece(&mut self, batch: Batch, part: Option<EdgePart>, cx: &Context<'_>) -> Piece {
        let ordinal = self.opened;
        self.opened += 1;
        Piece { ordinal, batch, part, single_tag: cx.single_tag, tags: cx.tags, tag: cx.tag }
    }

    /// The next piece to run here: one that nobody has been offered first, then one that nobody has taken yet.
    fn next_piece(&mut self) -> Option<Piece> {
        self.local.pop_front().or_else(|| self.source.as_ref()?.take_back())
    }

    /// Takes results of a piece: emits them, or keeps them until the pieces before are through.
    fn receive(
        &mut self,
        ordinal: u64,
        batches: impl Iterator<Item = Came>,
        ended: bool,
        cx: &Context<'_>,
        out: &mut Output,
    ) -> Result<(), QueryError> {
        if self.ordered && ordinal != self.next {
            let waiting = self.arrived.entry(ordinal).or_default();
            return waiting.keep(batches.map(|came| came.charged(cx)), ended);
        }
        batches.for_each(|came| out.emit(came.batch()));
        if !self.ordered {
            return Ok(());
        }
        if ended {
            self.next += 1;
            while let Some(waiting) = self.arrived.remove(&self.next) {
                waiting.batches.into_iter().for_each(|(batch, _)| out.emit(batch));
                if !waiting.ended {
                    break;
                }
                self.next += 1;
            }
            self.move_window(cx);
        }
        Ok(())
    }

    /// Lets helpers take pieces further on.
    fn move_window(&self, cx: &Context<'_>) {
        let Some(source) = &self.source else { return };
        source.move_window(self.next + self.ahead);
        // An offer of which nothing can be taken is forgotten.
        if let Some(helpers) = &cx.query.helpers
            && let idle = helpers.idle()
            && idle > 0
            && source.has_pieces()
        {
            helpers.offer(source.clone(), idle);
        }
    }

    /// Egress for pieces that ran elsewhere.
    fn gather(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        let Some(source) = self.source.clone() else { return Ok(()) };
        for delivery in source.collect() {
            match delivery {
                Delivery::Batches(ordinal, batches) => {
                    let came = batches.into_iter().map(|(batch, charge)| Came::Charged(batch, charge));
                    self.receive(ordinal, came, false, cx, out)?;
                }
                Delivery::End(ordinal) => {
                    self.receive(ordinal, std::iter::empty(), true, cx, out)?;
                    if let Some(counters) = cx.query.profile.of(cx.op.id) {
                        Counters::add(&counters.shipped, 1);
                    }
                }
                Delivery::Failed(ordinal, error) => self.note_failure(ordinal, error)?,
            }
        }
        Ok(())
    }

    /// A piece has failed. Where order matters those before it go on, and those behind it do nothing more.
    fn note_failure(&mut self, ordinal: u64, error: QueryError) -> Result<(), QueryError> {
        if !self.ordered || !error.is_of_traverser() {
            return Err(error);
        }
        if self.failed.as_ref().is_none_or(|(first, _)| ordinal < *first) {
            self.failed = Some((ordinal, error));
            self.local.retain(|piece| piece.ordinal < ordinal);
            self.source.iter().for_each(|source| source.forget_behind(ordinal));
        }
        Ok(())
    }

    /// The error, once all before it has left.
    fn due(&mut self) -> Option<QueryError> {
        let next = self.next;
        self.failed.take_if(|(ordinal, _)| *ordinal == next).map(|(_, error)| error)
    }

    fn is_awaiting(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.is_awaited())
    }

    fn work(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        loop {
            self.gather(cx, out)?;
            if !out.is_empty() {
                return Ok(Step::More);
            }
            if let Some(error) = self.due() {
                return Err(error);
            }
            if self.running.is_none() {
                self.offer(cx);
                let Some(piece) = self.next_piece() else {
                    return Ok(if self.is_awaiting() { Step::Blocked } else { Step::Idle });
                };
                self.running = Some(piece.ordinal);
                piece.enter(&mut self.instance, &inside(&self.memory, cx))?;
            }
            let mut results = Output::default();
            let progress = match self.instance.run(&inside(&self.memory, cx), self.intra, &mut results) {
                Ok(progress) => progress,
                Err(error) => {
                    self.note_failure(self.running.unwrap_or(self.next), error)?;
                    self.instance.reset();
                    self.running = None;
                    continue;
                }
            };
            let ended = progress == Progress::Complete;
            if let Some(ordinal) = self.running {
                let came = results.batches.into_iter().map(Came::Here);
                self.receive(ordinal, came, ended, cx, out)?;
            }
            if ended {
                self.instance.reset();
                self.running = None;
            }
            if !out.is_empty() || cx.quota.is_spent() {
                return Ok(Step::More);
            }
            if progress == Progress::Blocked {
                return Ok(Step::Blocked);
            }
        }
    }
}

/// Whether a step inside remembers what has come, in all pieces together.
fn remembers(pipeline: &Pipeline) -> bool {
    pipeline.ops.iter().any(|op| match &op.kind {
        OpKind::Dedup(_) => true,
        OpKind::Expand(way) => way.distinct,
        OpKind::Scope(scope) => scope.kind.pipelines().any(remembers),
        _ => false,
    })
}

/// Pieces that there should be if so many help.
fn wanted(idle: usize) -> u64 {
    ((idle + 1) * PIECES_PER_EXECUTOR) as u64
}

/// The context inside a piece that runs here.
fn inside<'a>(memory: &'a Option<Arc<ScopeMemory>>, cx: &Context<'a>) -> Context<'a> {
    Context { piece_memory: memory.as_deref(), ..*cx }
}

impl Operator for ExchangeScope {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input {
            self.admit(batch, cx);
        }
        self.work(cx, out)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.work(cx, out)
    }

    fn is_blank(&self) -> bool {
        let is_idle = self.local.is_empty() && self.running.is_none() && !self.is_awaiting();
        is_idle && self.arrived.is_empty() && self.failed.is_none() && !remembers(&self.child)
    }

    fn reset(&mut self) {
        if let Some(source) = self.source.take() {
            source.terminate();
        }
        self.local.clear();
        self.has_large = false;
        if self.running.take().is_some() {
            self.instance.reset();
        }
        self.opened = 0;
        self.next = 0;
        self.failed = None;
        self.arrived.clear();
        self.memory = (!self.ordered).then(Arc::default);
    }
}

impl Drop for ExchangeScope {
    fn drop(&mut self) {
        self.reset();
    }
}
