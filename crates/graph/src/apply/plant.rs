//! Lists on their way from sections into trees.

use std::sync::Arc;

use super::tree::TreeWriter;
use super::tree_build::TreeBuild;
use super::writer::Application;
use crate::cells::SectionCell;
use crate::error::Result;
use crate::model::{Before, KeyId, Tick, adjacency_number, slot_of, stripe_of, under_key, value_before};
use crate::resident::Maintained;
use crate::sections::{
    Adjacency, AdjacencyBuilder, EdgeChange, EdgeChangeKind, EdgeTree, SectionKey, SectionName, TreeChange,
    TreeName,
};

impl Application<'_> {
    /// Changes one list: in its section or, if it has one, in its tree.
    /// `before` are values that the edge had.
    pub(crate) fn change_list(
        &mut self,
        name: TreeName,
        change: TreeChange<'_>,
        before: &Before,
    ) -> Result<()> {
        let TreeName { v, label, dir, .. } = name;
        let cell = self.block(v)?.adjacency.get_or_grow(adjacency_number(label, dir));
        let key = SectionKey::of(v, SectionName::Adjacency(label, dir));
        let section: Option<&Adjacency> = self.memory.section(cell, || key, self.guard)?;
        if let Some(tree) = section.and_then(|section| section.tree(slot_of(v))) {
            let root = self.memory.tree_root(None, tree, name, self.guard)?;
            let value = root.order.key().and_then(|key| value_before(before, key));
            let (before, change) = (root.degree(Tick::MAX), TreeChange { before: value, ..change });
            self.change_secondaries(tree, name, change)?;
            self.change_tree(tree, name, change)?;
            let after = self.memory.tree_root(None, tree, name, self.guard)?.degree(Tick::MAX);
            self.note_degree(name, change, before.into(), Some(after.into()));
            if after as usize <= self.memory.node_sizes.declared(label).packed_again() {
                self.writer.wilted.insert(name);
            }
            return Ok(());
        }
        let (mut before, mut after) = (0, None);
        self.change(
            cell,
            key,
            change.kind.weight(),
            || Adjacency::empty(self.memory.order_of_new(label, self.catalog)),
            |section: &Adjacency| {
                before = section.degree(slot_of(v), Tick::MAX) as u64;
                section.push(slot_of(v), change.tick, change.neighbour, change.seq, change.kind.clone());
                after = Some(section.degree(slot_of(v), Tick::MAX) as u64);
            },
        )?;
        self.note_degree(name, change, before, after);
        match cell.loaded(self.guard) {
            // A tree has one order for all snapshots.
            Some(section)
                if !section.is_between_orders()
                    && section.degree(slot_of(v), Tick::MAX) > self.memory.node_sizes.declared(label).max =>
            {
                self.plant(cell, section, name)
            }
            _ => Ok(()),
        }
    }

    /// Notes that a list without a tree, whose section has no versions, has got so many edges; plants it if that is too many.
    pub(crate) fn note_appended(
        &mut self,
        name: TreeName,
        cell: &SectionCell<Adjacency>,
        edges: u64,
    ) -> Result<()> {
        let (Some(section), Some(stripe)) =
            (cell.loaded(self.guard), self.memory.blocks.stripe(stripe_of(name.v)))
        else {
            return Ok(());
        };
        let after = section.degree(slot_of(name.v), Tick::MAX);
        let key = (stripe.label, name.label, name.dir);
        self.writer.degrees.change(key, after as u64 - edges, after as u64);
        if after > self.memory.node_sizes.declared(name.label).max {
            self.plant(cell, section, name)?;
        }
        Ok(())
    }

    /// Notes how many edges a vertex had before a change and has after it; that is not known if the list had it already.
    fn note_degree(&mut self, name: TreeName, change: TreeChange<'_>, before: u64, after: Option<u64>) {
        let by = change.kind.growth();
        if by == 0 {
            return;
        }
        let Some(stripe) = self.memory.blocks.stripe(stripe_of(name.v)) else { return };
        let (degrees, key) = (&mut self.writer.degrees, (stripe.label, name.label, name.dir));
        match after {
            Some(after) if after != before => degrees.change(key, before, after),
            // Replaying, it is in the section or the tree already.
            _ => degrees.miss(key, by),
        }
    }

    /// Changes the secondary trees of a list, before its primary one, and lets whoever builds one know.
    fn change_secondaries(
        &mut self,
        primary: &Arc<EdgeTree>,
        list: TreeName,
        change: TreeChange<'_>,
    ) -> Result<()> {
        let maintained = self.memory.secondaries.maintained(list);
        let sorted_by = self.memory.resorts.built_by(list);
        if maintained.is_empty() && sorted_by.is_none() {
            return Ok(());
        }
        let inserts = matches!(change.kind, EdgeChangeKind::Insert(_));
        let cells = if inserts { None } else { self.tree_writer(primary, list).cells_of(change)? };
        let cells = cells.as_deref().unwrap_or_default();
        let before = |by: KeyId| under_key(cells, by);
        if let Some(by) = sorted_by {
            self.memory.resorts.log(TreeChange { before: before(by), ..change });
        }
        for Maintained { by, tree } in maintained {
            let (name, change) = (list.by(Some(by)), TreeChange { before: before(by), ..change });
            match tree {
                Some(tree) => {
                    self.memory.secondaries.count_change();
                    self.change_tree(&tree, name, change)?;
                }
                None => self.memory.secondaries.log(name, change),
            }
        }
        Ok(())
    }

    fn tree_writer<'t>(&mut self, tree: &'t EdgeTree, name: TreeName) -> TreeWriter<'t>
    where
        Self: 't,
    {
        TreeWriter { memory: self.memory, tree, name, watermark: self.watermark(), guard: self.guard }
    }

    fn change_tree(&mut self, tree: &Arc<EdgeTree>, name: TreeName, change: TreeChange<'_>) -> Result<()> {
        self.tree_writer(tree, name).apply(change)?;
        self.writer.dirty_trees.entry(name).or_insert_with(|| Arc::clone(tree));
        Ok(())
    }

    /// Moves a list that has outgrown its place into a tree of its own.
    fn plant(&mut self, cell: &SectionCell<Adjacency>, section: &Adjacency, name: TreeName) -> Result<()> {
        let (slot, watermark) = (slot_of(name.v), self.watermark());
        let mut builder = AdjacencyBuilder::new(section.order, section.degree(slot, watermark));
        section.append_list(slot, watermark, &mut builder);
        builder.end_slot();
        let list = builder.finish(section.settled.max(watermark));
        let account = &self.memory.cache.account;
        let first_id = match self.writer.felled.get_mut(&name) {
            Some(felled) => felled.replant(),
            None => {
                self.memory.clear_ground(name);
                1
            }
        };
        let (dir, bounds) = (name.dir, self.memory.node_sizes.bounds(name.label));
        let root = TreeBuild { list: &list, dir, bounds, first_id, account }.root();
        let tree = Arc::new(EdgeTree::new(root, account));
        let head = section.delta.head(slot);
        let mut unsettled: Vec<_> =
            head.into_iter().flat_map(|head| head.history()).take_while(|v| v.stamp() > watermark).collect();
        unsettled.reverse();
        for version in unsettled {
            let EdgeChange { neighbour, seq, kind, .. } = version.change();
            let change =
                TreeChange { tick: version.stamp(), neighbour: *neighbour, seq: *seq, kind, before: None };
            self.change_tree(&tree, name, change)?;
        }
        let mut trees = section.trees().to_vec();
        trees.push((slot as u16, Arc::clone(&tree)));
        trees.sort_by_key(|(slot, _)| *slot);
        let section = section.merged_without(watermark, Some(slot)).with_trees(trees.into());
        cell.replace(section, account, self.guard);
        // Replaying, the section may have had the change that came by, and be stored as it was: with the list, without the tree.
        self.writer.dirty.insert(SectionKey::of(name.v, SectionName::Adjacency(name.label, name.dir)));
        self.writer.dirty_trees.insert(name, tree);
        Ok(())
    }
}
