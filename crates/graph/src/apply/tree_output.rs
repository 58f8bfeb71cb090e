//! Writes a tree straight to the store, node by node: for lists too long to be held in memory.

use std::ops::Range;
use std::sync::Arc;

use crate::durable::SectionWriter;
use crate::error::{GraphError, Result};
use crate::model::{KeyId, Tick, TreeBounds};
use crate::sections::{
    Adjacency, AdjacencyBuilder, EdgeNode, FirstEdge, Meta, Order, Span, StoredSection, TreeName, TreePart,
    TreeRoot, encode_meta, encode_root,
};

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
    /// Storage ids that it may use.
    ids: Range<u32>,
    nodes: Vec<Arc<EdgeNode>>,
    edges: u32,
}

/// How many storage ids a tree of so many edges needs at most that come in so many parts.
pub(crate) fn ids_needed(edges: usize, parts: usize, bounds: TreeBounds) -> u32 {
    let nodes = edges / fill(bounds) + parts + 1;
    u32::try_from(nodes + nodes / bounds.fan_out + 1).unwrap_or(u32::MAX)
}

/// Edges of a new node, which has room to grow.
fn fill(bounds: TreeBounds) -> usize {
    (bounds.min + bounds.max).div_ceil(2).max(1)
}

impl<'a> TreeOutput<'a> {
    pub(crate) fn new(
        name: TreeName,
        key: KeyId,
        (settled, schema): (Tick, u64),
        bounds: TreeBounds,
        output: SectionWriter<'a>,
    ) -> Self {
        Self { name, key, settled, schema, bounds, output, ids: 1..u32::MAX, nodes: Vec::new(), edges: 0 }
    }

    /// The same with these storage ids only.
    pub(crate) fn with_ids(self, ids: Range<u32>) -> Self {
        Self { ids, ..self }
    }

    fn next_id(&mut self) -> Result<u32> {
        let problem = "its list has more edges than its degree says";
        self.ids.next().ok_or_else(|| GraphError::corrupt(self.name.key(TreePart::Root), problem))
    }

    /// Writes the next edges of the list, which lie in a section at these positions; `rest` is called after every node.
    pub(crate) fn append(
        &mut self,
        section: &Adjacency,
        positions: &[u32],
        mut rest: impl FnMut(),
    ) -> Result<()> {
        let nodes = positions.len().div_ceil(fill(self.bounds));
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
        let (id, len) = (self.next_id()?, positions.len() as u32);
        let first = match positions.first() {
            Some(_) if !self.nodes.is_empty() => FirstEdge::at(node.base_place(0, self.key)),
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
        let root = self.metas()?;
        let encoded = encode_root(&root, self.settled);
        self.output.put(self.name.key(TreePart::Root), self.settled, &encoded)?;
        self.output.flush()
    }

    /// Writes everything but the root, which is the result.
    pub(crate) fn finish_below_root(mut self) -> Result<TreeRoot> {
        let root = self.metas()?;
        self.output.flush()?;
        Ok(root)
    }

    fn metas(&mut self) -> Result<TreeRoot> {
        if self.nodes.is_empty() {
            self.node(&Adjacency::empty(Order::Key(self.key)), &[])?;
        }
        let nodes = std::mem::take(&mut self.nodes);
        let chunks = nodes.chunks(self.bounds.fan_out);
        let several = chunks.len() > 1;
        let mut metas = Vec::with_capacity(chunks.len());
        for nodes in chunks {
            let id = if several { self.next_id()? } else { 0 };
            let meta = Meta::new(id, false, nodes.into());
            if several {
                self.output.put(self.name.key(TreePart::Meta(id)), self.settled, &encode_meta(&meta))?;
            }
            metas.push(meta);
        }
        Ok(TreeRoot::new(self.settled, Order::Key(self.key), self.ids.start, self.edges, metas.into()))
    }
}
