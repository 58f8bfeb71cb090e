//! Root and meta nodes: which edge node holds which part of the list, and how many edges there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use values::VertexRef;

use super::node::{EdgeNode, Target};
use crate::cells::Weigh;
use crate::model::Tick;
use crate::sections::delta::Delta;
use crate::sections::order::Order;

/// The meta node: a run of edge nodes. Immutable but for what flushing notes.
pub(crate) struct Meta {
    /// In the store; 0 before the first flush and while the root holds it itself.
    pub(crate) id: AtomicU32,
    pub(crate) dirty: AtomicBool,
    /// At least one.
    pub(crate) nodes: Box<[Arc<EdgeNode>]>,
    /// Bytes that it takes with its nodes, without their edges.
    bytes: usize,
}

impl Meta {
    pub(crate) fn new(id: u32, dirty: bool, nodes: Box<[Arc<EdgeNode>]>) -> Arc<Self> {
        let nodes_bytes: usize = nodes.iter().map(|node| size_of::<Arc<EdgeNode>>() + node.own_bytes()).sum();
        let bytes = size_of::<Self>() + nodes_bytes;
        Arc::new(Self { id: AtomicU32::new(id), dirty: AtomicBool::new(dirty), nodes, bytes })
    }
}

/// Which edge node: by meta node and place in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct NodePlace {
    pub(crate) meta: u32,
    pub(crate) entry: u32,
}

/// The root node.
pub(crate) struct TreeRoot {
    /// Every change up to this stamp is in `degree`.
    pub(crate) settled: Tick,
    pub(crate) order: Order,
    /// The first storage id that was not given out.
    pub(crate) next_id: AtomicU32,
    /// Differs between roots whose nodes differ: cursors compare it.
    pub(crate) version: u64,
    /// At least one.
    pub(crate) metas: Arc<[Arc<Meta>]>,
    degree: u32,
    /// The degree after each change since, as the chain of slot 0.
    delta: Delta<u32>,
    /// With how many versions to try to merge them.
    ripe_at: AtomicUsize,
}

impl Weigh for TreeRoot {
    fn weight(&self) -> usize {
        let metas: usize = self.metas.iter().map(|meta| size_of::<Arc<Meta>>() + meta.bytes).sum();
        size_of::<Self>() + metas + self.delta.bytes()
    }
}

/// Versions of the degree that are kept before they are merged.
const DEGREES: usize = 256;

impl TreeRoot {
    pub(crate) fn new(
        settled: Tick,
        order: Order,
        next_id: u32,
        degree: u32,
        metas: Arc<[Arc<Meta>]>,
    ) -> Self {
        static VERSIONS: AtomicU64 = AtomicU64::new(1);
        let version = VERSIONS.fetch_add(1, Ordering::Relaxed);
        let (next_id, ripe_at) = (AtomicU32::new(next_id), AtomicUsize::new(DEGREES));
        Self { settled, order, next_id, version, metas, degree, delta: Delta::new(), ripe_at }
    }

    /// The length of the list as of `tick`.
    #[inline]
    pub(crate) fn degree(&self, tick: Tick) -> u32 {
        self.delta.visible(0, tick).map_or(self.degree, |version| *version.change())
    }

    /// Publishes a change of the degree.
    pub(crate) fn change_degree(&self, tick: Tick, by: i64) {
        let before = self.degree(Tick::MAX);
        self.delta.push(1, 0, tick, before.saturating_add_signed(by as i32));
    }

    /// Whether it has more versions of the degree than it should, and most are settled at `watermark`.
    pub(crate) fn is_ripe(&self, watermark: Tick) -> bool {
        let versions = self.delta.len();
        if versions <= self.ripe_at.load(Ordering::Relaxed) {
            return false;
        }
        let ripe = self.delta.count_up_to(watermark) * 2 >= versions;
        if !ripe {
            // An old reader is in the way.
            self.ripe_at.store(versions * 2, Ordering::Relaxed);
        }
        ripe
    }

    /// Whether every snapshot at `watermark` or later sees the same degree.
    pub(crate) fn is_settled(&self, watermark: Tick) -> bool {
        self.delta.count_up_to(watermark) == self.delta.len()
    }

    /// The root without versions up to `stamp`.
    pub(crate) fn merged(&self, stamp: Tick) -> Self {
        Self {
            settled: self.settled.max(stamp),
            order: self.order,
            next_id: AtomicU32::new(self.next_id.load(Ordering::Relaxed)),
            version: self.version,
            metas: Arc::clone(&self.metas),
            degree: self.degree(stamp),
            delta: self.delta.newer_than(stamp, None),
            ripe_at: AtomicUsize::new(DEGREES),
        }
    }

    /// The same, giving out no storage id below `least`.
    pub(crate) fn with_ids_from(self, least: u32) -> Self {
        self.next_id.fetch_max(least, Ordering::Relaxed);
        self
    }

    /// The root over other nodes.
    pub(crate) fn over(&self, stamp: Tick, metas: Arc<[Arc<Meta>]>) -> Self {
        let merged = self.merged(stamp);
        let next_id = merged.next_id.load(Ordering::Relaxed);
        let mut root = Self::new(merged.settled, merged.order, next_id, merged.degree, metas);
        root.delta = merged.delta;
        root
    }

    /// The edge node at a place; none beyond the last.
    #[inline]
    pub(crate) fn node(&self, place: NodePlace) -> Option<&Arc<EdgeNode>> {
        self.metas.get(place.meta as usize)?.nodes.get(place.entry as usize)
    }

    /// The place after this one, whether or not there is a node.
    #[inline]
    pub(crate) fn next(&self, place: NodePlace) -> NodePlace {
        let entries = self.metas.get(place.meta as usize).map_or(0, |meta| meta.nodes.len());
        if place.entry as usize + 1 < entries {
            return NodePlace { entry: place.entry + 1, ..place };
        }
        NodePlace { meta: place.meta + 1, entry: 0 }
    }

    /// The number of nodes from one place to another that does not come before it, with both.
    pub(crate) fn nodes_from_to(&self, from: NodePlace, to: NodePlace) -> usize {
        let before = |place: NodePlace| {
            let metas = self.metas.iter().take(place.meta as usize);
            metas.map(|meta| meta.nodes.len()).sum::<usize>() + place.entry as usize
        };
        (before(to) + 1).saturating_sub(before(from))
    }

    /// The place before this one, unless it is the first.
    pub(crate) fn previous(&self, place: NodePlace) -> Option<NodePlace> {
        if place.entry > 0 {
            return Some(NodePlace { entry: place.entry - 1, ..place });
        }
        let meta = place.meta.checked_sub(1)?;
        Some(NodePlace { meta, entry: self.metas[meta as usize].nodes.len() as u32 - 1 })
    }

    pub(crate) fn last(&self) -> NodePlace {
        let meta = self.metas.len() - 1;
        NodePlace { meta: meta as u32, entry: self.metas[meta].nodes.len() as u32 - 1 }
    }

    /// The places of all edge nodes in the order of the list.
    pub(crate) fn places(&self) -> impl Iterator<Item = NodePlace> {
        self.places_from(NodePlace::default())
    }

    fn places_from(&self, first: NodePlace) -> impl Iterator<Item = NodePlace> {
        std::iter::successors(Some(first), |place| Some(self.next(*place)))
            .take_while(|place| self.node(*place).is_some())
    }

    /// All edge nodes in the order of the list.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Arc<EdgeNode>> {
        self.metas.iter().flat_map(|meta| meta.nodes.iter())
    }

    /// The node that holds the part of the list where `target` belongs.
    pub(crate) fn locate(&self, target: &Target<'_>) -> NodePlace {
        if matches!(target, Target::Last) {
            return self.last();
        }
        // The first node begins before everything, so both points are at least 1.
        let meta = self.metas.partition_point(|meta| !meta.nodes[0].first.is_after(target)).max(1) - 1;
        let nodes = &self.metas[meta].nodes;
        let entry = nodes.partition_point(|node| !node.first.is_after(target)).max(1) - 1;
        NodePlace { meta: meta as u32, entry: entry as u32 }
    }

    /// In a list by arrival: the nodes that an edge from `src` with this number may be in, the likeliest first. See
    /// [`super::windows`].
    pub(crate) fn candidates(&self, src: VertexRef, seq: u32) -> impl Iterator<Item = NodePlace> {
        let first = self.first_to_reach(src, seq);
        let behind = self.places_from(first).skip(1);
        let is_late = |place: &NodePlace| {
            let windows = self.node(*place).and_then(|node| node.windows.as_ref());
            windows.is_some_and(|windows| windows.is_late())
        };
        std::iter::once(first).chain(behind.filter(is_late))
    }

    fn first_to_reach(&self, src: VertexRef, seq: u32) -> NodePlace {
        let before = |node: &EdgeNode| node.windows.as_ref().is_some_and(|windows| !windows.reach(src, seq));
        let is_before = |meta: &Arc<Meta>| meta.nodes.last().is_some_and(|node| before(node));
        let meta = self.metas.partition_point(is_before).min(self.metas.len() - 1);
        let nodes = &self.metas[meta].nodes;
        let entry = nodes.partition_point(|node| before(node)).min(nodes.len() - 1);
        NodePlace { meta: meta as u32, entry: entry as u32 }
    }

    /// The meta nodes with `replacement` in place of the edge nodes `from..=to`, which share a meta node; a meta node
    /// that grows too large is split. Ids of meta nodes that are gone for good go to `retire`.
    pub(crate) fn replaced(
        &self,
        from: NodePlace,
        to: NodePlace,
        replacement: Vec<Arc<EdgeNode>>,
        fan_out: usize,
        mut retire: impl FnMut(u32),
    ) -> Arc<[Arc<Meta>]> {
        debug_assert_eq!(from.meta, to.meta);
        let meta = &self.metas[from.meta as usize];
        let mut nodes: Vec<Arc<EdgeNode>> = meta.nodes.to_vec();
        let at_end = to.meta as usize + 1 == self.metas.len() && to.entry as usize + 1 == nodes.len();
        nodes.splice(from.entry as usize..=to.entry as usize, replacement);
        let id = meta.id.load(Ordering::Relaxed);
        let fresh: Vec<Arc<Meta>> = if nodes.len() <= fan_out {
            vec![Meta::new(id, true, nodes.into())]
        } else {
            // Its range shrinks, so it moves to a new place; a list that grows at its end leaves full ones behind.
            retire(id);
            let cut = if at_end { nodes.len() - 1 } else { nodes.len() / 2 };
            let right = nodes.split_off(cut);
            vec![Meta::new(0, true, nodes.into()), Meta::new(0, true, right.into())]
        };
        let mut metas = self.metas.to_vec();
        metas.splice(from.meta as usize..=from.meta as usize, fresh);
        metas.into()
    }
}
