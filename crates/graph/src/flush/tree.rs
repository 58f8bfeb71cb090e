//! Writes trees: edge nodes, then meta nodes, then the root, each after everything that it leads to.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_epoch::Guard;

use crate::durable::SectionWriter;
use crate::model::Tick;
use crate::resident::Memory;
use crate::sections::{
    Adjacency, EdgeNode, EdgeTree, Meta, SectionKey, StoredSection, TreeName, TreePart, encode_meta,
    encode_root,
};

/// What of a tree differs from what is stored, as of one commit.
pub(crate) struct TreeImage<'g> {
    tick: Tick,
    /// The version of the schema whose types the nodes have.
    schema: u64,
    nodes: Vec<(SectionKey, &'g Adjacency)>,
    /// Meta nodes and, last, the root.
    above: Vec<(SectionKey, Vec<u8>)>,
    retired: Vec<SectionKey>,
}

/// What taking an image has marked as stored, for when it is, or should the flush fail.
pub(crate) struct TreeFlush {
    name: TreeName,
    tree: Arc<EdgeTree>,
    was_stored: bool,
    nodes: Vec<Arc<EdgeNode>>,
    metas: Vec<Arc<Meta>>,
    retired: Vec<TreePart>,
    /// Whether what is retired has to stay for a while.
    keeps_retired: bool,
}

impl TreeFlush {
    /// It is stored: from now on its parts may leave memory. While the writer is held.
    pub(crate) fn done(self, memory: &Memory) {
        self.end();
        if self.keeps_retired {
            memory.cache.delete_later(self.retired.iter().map(|&part| self.name.key(part)));
        }
        memory.admit_flushed_tree(self.name, &self.tree, &self.nodes);
    }

    /// No flush is writing it any more.
    fn end(&self) {
        self.tree.flushing.store(false, Ordering::Relaxed);
        self.nodes.iter().for_each(|node| node.set_flushing(false));
    }

    /// Everything counts as not stored again.
    pub(crate) fn undo(self) {
        self.end();
        self.nodes.iter().for_each(|node| node.set_dirty(true));
        self.metas.iter().for_each(|meta| meta.dirty.store(true, Ordering::Relaxed));
        self.tree.stored.store(self.was_stored, Ordering::Relaxed);
        self.retired.into_iter().for_each(|part| self.tree.retire(part));
    }
}

impl<'g> TreeImage<'g> {
    /// Takes the image of a tree after the commit at `tick`, while no other is applied; none if its root is not in memory. The tree
    /// counts as stored from here on. `schema`: the version of the schema at that moment. `keeps_retired`: what it led to before must stay in the store for a while.
    pub(crate) fn take(
        tree: &Arc<EdgeTree>,
        name: TreeName,
        tick: Tick,
        schema: u64,
        keeps_retired: bool,
        guard: &'g Guard,
    ) -> Option<(Self, TreeFlush)> {
        let root = tree.root.loaded(guard)?;
        // While the log is replayed, the root may be ahead of it: a crash in the midst of a flush has left it so. Sections need no
        // such care: what they do not have is newer than what they have, and merged they keep their own stamp.
        let tick = tick.max(root.settled);
        let mut next = root.next_id.load(Ordering::Relaxed);
        let mut nodes = Vec::new();
        let mut dirty_metas = Vec::new();
        for meta in root.metas.iter() {
            let before = nodes.len();
            take_nodes(meta, name, tick, guard, &mut next, &mut nodes);
            if root.metas.len() > 1
                && (nodes.len() > before
                    || meta.dirty.load(Ordering::Relaxed)
                    || meta.id.load(Ordering::Relaxed) == 0)
            {
                dirty_metas.push(Arc::clone(meta));
            }
        }
        let mut above = Vec::with_capacity(dirty_metas.len() + 1);
        for meta in &dirty_metas {
            if meta.id.load(Ordering::Relaxed) == 0 {
                meta.id.store(next, Ordering::Relaxed);
                next += 1;
            }
            meta.dirty.store(false, Ordering::Relaxed);
            above.push((name.key(TreePart::Meta(meta.id.load(Ordering::Relaxed))), encode_meta(meta)));
        }
        root.next_id.store(next, Ordering::Relaxed);
        above.push((name.key(TreePart::Root), encode_root(root, tick)));
        let parts = tree.take_retired();
        let gone = if keeps_retired { &[][..] } else { &parts[..] };
        let retired = gone.iter().map(|&part| name.key(part)).collect();
        tree.flushing.store(true, Ordering::Relaxed);
        let undo = TreeFlush {
            name,
            tree: Arc::clone(tree),
            was_stored: tree.stored.swap(true, Ordering::Relaxed),
            nodes: nodes.iter().map(|(_, _, node)| Arc::clone(node)).collect(),
            metas: dirty_metas,
            retired: parts,
            keeps_retired,
        };
        let nodes = nodes.into_iter().map(|(key, section, _)| (key, section)).collect();
        Some((Self { tick, schema, nodes, above, retired }, undo))
    }

    /// Writes all of the image but the last `most` bytes of it or less, which can be written when the guard is gone.
    pub(crate) fn write(&self, most: usize, output: &mut SectionWriter<'_>) -> crate::error::Result<Rest> {
        let mut rest = Rest { tick: self.tick, encoded: Vec::new(), bytes: 0, retired: Vec::new() };
        for (key, section) in &self.nodes {
            let encoded = match section.delta.is_empty() {
                true => section.encode(self.schema),
                false => section.merged(self.tick).encode(self.schema),
            };
            if rest.bytes + encoded.len() > most {
                rest.put(output)?;
            }
            rest.push(*key, encoded);
        }
        self.above.iter().for_each(|(key, encoded)| rest.push(*key, encoded.clone()));
        rest.retired.clone_from(&self.retired);
        Ok(rest)
    }
}

/// What is still to be written of an image, encoded.
pub(crate) struct Rest {
    tick: Tick,
    encoded: Vec<(SectionKey, Vec<u8>)>,
    bytes: usize,
    /// Parts that are to be deleted.
    retired: Vec<SectionKey>,
}

impl Rest {
    /// Writes it.
    pub(crate) fn write(mut self, output: &mut SectionWriter<'_>) -> crate::error::Result<()> {
        self.put(output)?;
        self.retired.iter().try_for_each(|key| output.delete(*key))
    }

    fn push(&mut self, key: SectionKey, encoded: Vec<u8>) {
        self.bytes += encoded.len();
        self.encoded.push((key, encoded));
    }

    fn put(&mut self, output: &mut SectionWriter<'_>) -> crate::error::Result<()> {
        self.bytes = 0;
        self.encoded.drain(..).try_for_each(|(key, encoded)| output.put(key, self.tick, &encoded))
    }
}

fn take_nodes<'g>(
    meta: &Meta,
    name: TreeName,
    tick: Tick,
    guard: &'g Guard,
    next: &mut u32,
    nodes: &mut Vec<(SectionKey, &'g Adjacency, Arc<EdgeNode>)>,
) {
    for node in meta.nodes.iter().filter(|node| node.is_dirty()) {
        let Some(section) = node.cell.loaded(guard) else { continue };
        let id = node.assign_id(next);
        node.set_stored_len(section.degree(0, tick) as u32);
        node.set_dirty(false);
        node.set_flushing(true);
        nodes.push((name.key(TreePart::Node(id)), section, Arc::clone(node)));
    }
}

#[cfg(test)]
mod tests {
    use store::MemoryStore;
    use values::{Value, VertexRef};

    use super::*;
    use crate::flush::take_differing;
    use crate::graph::Graph;
    use crate::model::{Dir, GraphOptions, SecondaryOptions, TreeBounds};

    /// A vertex with a list in a tree whose edges have weights, flushed; and the tree's name.
    fn hub() -> (Graph, TreeName) {
        let tree = TreeBounds { min: 2, max: 8, fan_out: 3 };
        let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
        let options = GraphOptions { tree, secondary, keeper: false, ..GraphOptions::default() };
        let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
        let transaction = graph.begin();
        let hub: VertexRef = transaction.add_vertex(None, "hub").unwrap();
        for n in 0..40 {
            let e = transaction.add_edge(None, "likes", hub, hub).unwrap();
            transaction.set_edge_property(e, "weight", Value::Long(n * 7 % 41)).unwrap();
        }
        transaction.commit().unwrap();
        graph.flush().unwrap();
        let label = graph.snapshot().catalog().edge_label("likes").unwrap();
        (graph, TreeName::primary(hub, label, Dir::Out))
    }

    /// What was read just now gets a second chance.
    fn evict_all(memory: &Memory) {
        (0..4).for_each(|_| _ = memory.evict_to(0));
    }

    #[test]
    fn a_root_that_a_flush_is_to_write_stays_although_nothing_else_of_the_tree_differs() {
        let (graph, name) = hub();
        let files = graph.definer();
        let guard = crossbeam_epoch::pin();
        let tree = files.tree_in_memory(name, &guard).unwrap();
        let _flushing = files.hold_flushes();
        files.lock_writer().dirty_trees.insert(name, Arc::clone(&tree));
        let differing = take_differing(&mut files.lock_writer());
        evict_all(files);
        assert!(tree.root.loaded(&guard).is_some(), "it has left memory before it was written");
        let full = Err(crate::error::GraphError::Interrupted);
        files.settle_differing(differing, Vec::new(), &mut files.lock_writer(), full).unwrap_err();
        assert!(!tree.is_flushing() && files.lock_writer().dirty_trees.contains_key(&name));
        evict_all(files);
        assert!(tree.root.loaded(&guard).is_some(), "it is still to be written");
    }

    #[test]
    fn what_a_former_root_led_to_is_deleted_also_where_memory_is_short() {
        let (graph, name) = hub();
        let files = graph.definer();
        let parts = || files.sections.keys_with(&crate::sections::tree_prefix(name)).unwrap().len();
        graph
            .change_schema(|schema| {
                schema.edges.entry("likes".into()).or_default().sort_key = Some("weight".into());
                Ok(())
            })
            .unwrap();
        let snapshot = graph.snapshot();
        graph.sort_lists().unwrap();
        graph.flush().unwrap();
        evict_all(files);
        let tree = files.tree_in_memory(name, &crossbeam_epoch::pin()).unwrap();
        assert!(tree.has_former());
        assert!(tree.root.loaded(&crossbeam_epoch::pin()).is_some());
        drop(snapshot);
        graph.sort_lists().unwrap();
        graph.flush().unwrap();
        let guard = crossbeam_epoch::pin();
        let root = files.tree_root(None, &tree, name, &guard).unwrap();
        assert_eq!(parts(), 1 + root.nodes().count() + root.metas.len());
        graph.snapshot().check().unwrap();
    }
}
