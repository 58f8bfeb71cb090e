//! Writes a tree straight to the store, node by node: for lists too long to be held in memory.

use std::ops::Range;
use std::sync::Arc;

use super::codec::{encode_meta, encode_root};
use super::node::{EdgeNode, FirstEdge};
use super::root::{Meta, TreeRoot};
use super::windows::Span;
use super::{TreeBounds, TreeName, TreePart};
use crate::codec::StoredSection;
use crate::section::{Adjacency, AdjacencyBuilder, Order};
use crate::section_store::SectionWriter;
use crate::{KeyId, Result, Tick};

/// A tree by a property on its way into the store. The nodes first, then what leads to them.
pub(crate) struct TreeOutput<'a> {
    name: TreeName,
    key: KeyId,
    /// The stamp of the list that is written.
    settled: Tick,
    /// The version of the schema that was in force when reading the list began.
    schema: u64,
    bounds: TreeBounds,
    output: SectionWriter<'a>,
    nodes: Vec<Arc<EdgeNode>>,
    edges: u32,
}

impl<'a> TreeOutput<'a> {
    pub(crate) fn new(
        name: TreeName,
        key: KeyId,
        (settled, schema): (Tick, u64),
        bounds: TreeBounds,
        output: SectionWriter<'a>,
    ) -> Self {
        Self { name, key, settled, schema, bounds, output, nodes: Vec::new(), edges: 0 }
    }

    /// Writes the next edges of the list, which lie in a section at these positions; `rest` is called after every node.
    pub(crate) fn append(
        &mut self,
        section: &Adjacency,
        positions: &[u32],
        mut rest: impl FnMut(),
    ) -> Result<()> {
        let fill = (self.bounds.min + self.bounds.max).div_ceil(2).max(1);
        let nodes = positions.len().div_ceil(fill);
        for node in 0..nodes {
            let part = |node: usize| node * positions.len() / nodes;
            self.node(section, &positions[Range { start: part(node), end: part(node + 1) }])?;
            rest();
        }
        Ok(())
    }

    fn node(&mut self, section: &Adjacency, positions: &[u32]) -> Result<()> {
        let mut builder = AdjacencyBuilder::new(Order::Key(self.key), positions.len());
        positions.iter().for_each(|&p| builder.copy(section, p as usize..p as usize + 1));
        builder.end_slot();
        let node = builder.finish(self.settled).into_node();
        let (id, len) = (self.nodes.len() as u32 + 1, positions.len() as u32);
        let first = match positions.first() {
            Some(_) if id > 1 => FirstEdge::at(node.base_place(0, self.key)),
            _ => FirstEdge::Least,
        };
        self.output.put(self.name.key(TreePart::Node(id)), self.settled, &node.encode(self.schema))?;
        let span = Span::of(node.seqs().iter().copied());
        self.nodes.push(Arc::new(EdgeNode::stored(id, len, first, None, span)));
        self.edges += len;
        Ok(())
    }

    /// Writes what leads to the nodes. It is durable with the next synchronous write of the store.
    pub(crate) fn finish(mut self) -> Result<()> {
        if self.nodes.is_empty() {
            self.node(&Adjacency::empty(Order::Key(self.key)), &[])?;
        }
        let mut next = self.nodes.len() as u32 + 1;
        let chunks: Vec<_> = self.nodes.chunks(self.bounds.fan_out).collect();
        let several = chunks.len() > 1;
        let metas: Arc<[Arc<Meta>]> = chunks
            .into_iter()
            .map(|nodes| {
                let id = if several { next } else { 0 };
                next += u32::from(several);
                Meta::new(id, false, nodes.into())
            })
            .collect();
        if several {
            for meta in metas.iter() {
                let id = meta.id.load(std::sync::atomic::Ordering::Relaxed);
                self.output.put(self.name.key(TreePart::Meta(id)), self.settled, &encode_meta(meta))?;
            }
        }
        let root = TreeRoot::new(self.settled, Order::Key(self.key), next, self.edges, metas);
        let encoded = encode_root(&root, self.settled);
        self.output.put(self.name.key(TreePart::Root), self.settled, &encoded)?;
        self.output.flush()
    }
}
