//! Gives out vertex references and edge sequence numbers.

use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use values::VertexRef;

use super::block::BlockTable;
use crate::error::{GraphError, Result};
use crate::model::{STRIPE_VERTICES, STRIPES, TABLETS, VertexLabelId};

/// What was given out so far. References of transactions that roll back are lost: 2³² are enough.
pub(crate) struct Allocator {
    vertices: Mutex<VertexAllocator>,
    /// The next sequence number of the edges that leave each tablet.
    seqs: [AtomicU32; TABLETS],
}

/// By label: the stripe that is being filled.
#[derive(Default)]
pub(crate) struct OpenStripes(Vec<Option<u32>>);

#[derive(Default)]
struct VertexAllocator {
    open: OpenStripes,
    /// The first stripe that is not in use.
    next_stripe: usize,
}

impl Allocator {
    pub(crate) fn new() -> Self {
        Self { vertices: Mutex::default(), seqs: [const { AtomicU32::new(0) }; TABLETS] }
    }

    /// References for `count` new vertices of `label`.
    pub(crate) fn vertices(
        &self,
        blocks: &BlockTable,
        label: VertexLabelId,
        count: usize,
    ) -> Result<Vec<VertexRef>> {
        let VertexAllocator { open, next_stripe } = &mut *self.vertices.lock();
        open.fill(next_stripe, blocks, label, count)
    }

    /// Likewise, in stripes that nobody else fills.
    pub(crate) fn vertices_apart(
        &self,
        open: &mut OpenStripes,
        blocks: &BlockTable,
        label: VertexLabelId,
        count: usize,
    ) -> Result<Vec<VertexRef>> {
        open.fill(&mut self.vertices.lock().next_stripe, blocks, label, count)
    }

    /// Lets the next vertices fill stripes that were filled apart.
    pub(crate) fn go_on_in(&self, open: OpenStripes) {
        self.vertices.lock().open = open;
    }

    /// The first stripe that is not in use.
    pub(crate) fn next_stripe(&self) -> usize {
        self.vertices.lock().next_stripe
    }

    /// Learns that `stripe` holds vertices of `label`, when a graph is opened.
    pub(crate) fn learn_stripe(&self, number: usize, label: VertexLabelId) {
        let mut allocator = self.vertices.lock();
        allocator.next_stripe = allocator.next_stripe.max(number + 1);
        *allocator.open.of(label) = Some(number as u32);
    }

    /// A sequence number for an edge that leaves `src`.
    pub(crate) fn seq(&self, src: VertexRef) -> Result<u32> {
        self.seqs[src.tablet() as usize]
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |next| next.checked_add(1))
            .map_err(|limit| GraphError::LimitExceeded {
                what: "the number of edges ever added to one tablet",
                limit: limit.into(),
                advice: "export the graph and import it again",
            })
    }

    /// Learns that `seq` is taken, when a graph is opened.
    pub(crate) fn learn_seq(&self, src: VertexRef, seq: u32) {
        self.seqs[src.tablet() as usize].fetch_max(seq.saturating_add(1), Ordering::Relaxed);
    }

    /// The next sequence number of every tablet.
    pub(crate) fn seqs(&self) -> Vec<u32> {
        self.seqs.iter().map(|seq| seq.load(Ordering::Relaxed)).collect()
    }

    /// Sequence numbers below these are taken, when a graph is opened.
    pub(crate) fn learn_seqs(&self, seqs: &[u32]) {
        for (own, &stored) in self.seqs.iter().zip(seqs) {
            own.fetch_max(stored, Ordering::Relaxed);
        }
    }
}

impl OpenStripes {
    fn of(&mut self, label: VertexLabelId) -> &mut Option<u32> {
        if self.0.len() <= label.index() {
            self.0.resize(label.index() + 1, None);
        }
        &mut self.0[label.index()]
    }

    fn fill(
        &mut self,
        next_stripe: &mut usize,
        blocks: &BlockTable,
        label: VertexLabelId,
        count: usize,
    ) -> Result<Vec<VertexRef>> {
        let mut refs = Vec::with_capacity(count);
        while refs.len() < count {
            let number = self.stripe(next_stripe, blocks, label)?;
            let stripe = blocks.stripe_for(number, label);
            let first = stripe.allocated();
            let end = STRIPE_VERTICES.min(first.saturating_add((count - refs.len()) as u32));
            stripe.allocate_up_to(end);
            refs.extend((first..end).map(|n| VertexRef((number as u32) << 16 | n)));
        }
        Ok(refs)
    }

    /// The stripe that takes the next vertex of `label`.
    fn stripe(
        &mut self,
        next_stripe: &mut usize,
        blocks: &BlockTable,
        label: VertexLabelId,
    ) -> Result<usize> {
        if let Some(number) = *self.of(label) {
            let number = number as usize;
            if blocks.stripe(number).is_none_or(|stripe| stripe.allocated() < STRIPE_VERTICES) {
                return Ok(number);
            }
        }
        if *next_stripe >= STRIPES {
            return Err(GraphError::LimitExceeded {
                what: "the number of vertex stripes (65,536 vertices of one label each)",
                limit: STRIPES as u64,
                advice: "split the data over several graphs or use fewer vertex labels",
            });
        }
        let number = *next_stripe;
        *next_stripe += 1;
        *self.of(label) = Some(number as u32);
        Ok(number)
    }
}
