//! Roots and edge nodes, loaded if they are on disk.

use super::memory::Memory;
use crate::cache::{Entry, Request};
use crate::cells::{SectionCell, SectionState};
use crate::error::{GraphError, Result};
use crate::model::{adjacency_number, slot_of, vertex_at};
use crate::sections::{
    Adjacency, Below, EdgeNode, EdgeTree, Meta, SectionKey, SectionName, StoredMeta, StoredRoot, TreeName,
    TreePart, TreeRoot,
};
use crossbeam_epoch::Guard;
use std::sync::Arc;

impl Memory {
    /// The root of a tree, loaded together with its meta nodes if it is on disk, on behalf of a request if there is one.
    pub(crate) fn tree_root<'g>(
        &self,
        request: Option<&Arc<Request>>,
        tree: &EdgeTree,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g TreeRoot> {
        match tree.root.read(self.cache.account.era(), guard) {
            SectionState::Loaded(root) => Ok(root),
            // The writer may have loaded it meanwhile, and written it elsewhere.
            _ => self
                .load_tree(request, tree, name, guard)
                .or_else(|error| tree.root.loaded(guard).ok_or(error)),
        }
    }

    #[cold]
    pub(crate) fn load_tree<'g>(
        &self,
        request: Option<&Arc<Request>>,
        tree: &EdgeTree,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g TreeRoot> {
        self.make_room(false);
        let key = name.key(TreePart::Root);
        let is_absent = || tree.root.loaded(guard).is_none();
        let _load = loop {
            if let Some(load) = self.begin_load(key, request, is_absent)? {
                break load;
            }
            // Somebody else has loaded it; unless it has been evicted since.
            if let Some(root) = tree.root.loaded(guard) {
                return Ok(root);
            }
        };
        // The section stays for as long as the load lasts. If it has left before, whoever asks comes by it again.
        let current = self.tree_in_memory(name, guard);
        if !current.is_some_and(|current| std::ptr::eq(&*current, tree)) {
            return Err(nowhere(key));
        }
        let (mut stored, _): (StoredRoot, _) = self.sections.load(key)?;
        let below = std::mem::replace(&mut stored.below, Below::Metas(Box::default()));
        let metas: Arc<[Arc<Meta>]> = match below {
            Below::Nodes(nodes) => [nodes.into_meta(0)].into(),
            Below::Metas(ids) => ids
                .iter()
                .map(|&id| {
                    let (meta, _): (StoredMeta, _) = self.sections.load(name.key(TreePart::Meta(id)))?;
                    Ok(meta.into_meta(id))
                })
                .collect::<Result<_>>()?,
        };
        let root = stored.into_root(metas);
        self.settle_in(&tree.root, root, key, || Entry::Section(key), guard).ok_or_else(|| nowhere(key))
    }

    /// A tree, if the section that leads to it is in memory; secondary ones always are known.
    pub(crate) fn tree_in_memory(&self, name: TreeName, guard: &Guard) -> Option<Arc<EdgeTree>> {
        if name.by.is_some() {
            return self.secondaries.tree(name);
        }
        let cell = self.blocks.block(name.v)?.adjacency.get(adjacency_number(name.label, name.dir))?;
        cell.loaded(guard)?.tree(slot_of(name.v)).cloned()
    }

    /// Whether this is the object of the tree that the section leads to now.
    pub(crate) fn is_current(&self, tree: &Arc<EdgeTree>, name: TreeName, guard: &Guard) -> bool {
        self.tree_in_memory(name, guard).is_some_and(|current| Arc::ptr_eq(&current, tree))
    }

    /// The place of a section of lists.
    pub(crate) fn list_cell(&self, key: SectionKey) -> Option<&SectionCell<Adjacency>> {
        let SectionKey::Block { stripe, tablet, name: SectionName::Adjacency(label, dir) } = key else {
            return None;
        };
        self.blocks.stripe(stripe.into())?.block(tablet.into()).adjacency.get(adjacency_number(label, dir))
    }

    /// The trees that a section in memory leads to.
    pub(crate) fn trees_of(&self, key: SectionKey, guard: &Guard) -> Vec<(TreeName, Arc<EdgeTree>)> {
        let SectionKey::Block { stripe, tablet, name: SectionName::Adjacency(label, dir) } = key else {
            return Vec::new();
        };
        let section = self.list_cell(key).and_then(|cell| cell.loaded(guard));
        let trees = section.into_iter().flat_map(|section| section.trees());
        let name = |slot| TreeName::primary(vertex_at(stripe, tablet, slot), label, dir);
        trees.map(|(slot, tree)| (name(*slot), Arc::clone(tree))).collect()
    }

    /// The section of an edge node, on behalf of a request if there is one.
    pub(crate) fn edge_node<'g>(
        &self,
        request: Option<&Arc<Request>>,
        node: &Arc<EdgeNode>,
        name: TreeName,
        guard: &'g Guard,
    ) -> Result<&'g Adjacency> {
        if let SectionState::Loaded(section) = node.cell.read(self.cache.account.era(), guard) {
            return Ok(section);
        }
        // The writer may load it meanwhile, and give it another place in the store.
        let key = || name.key(TreePart::Node(node.id()));
        match self.load(request, &node.cell, key, || Entry::node(node), guard) {
            Ok(Some(section)) => Ok(section),
            Ok(None) => Err(nowhere(key())),
            Err(error) => node.cell.loaded(guard).ok_or(error),
        }
    }
}

pub(crate) fn nowhere(key: SectionKey) -> GraphError {
    GraphError::corrupt(key, "it is neither on disk nor in memory")
}
