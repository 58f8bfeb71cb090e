//! A tree whose list was sorted anew: older snapshots go on reading it as it was.
//!
//! ```text
//! snapshots      ──── up to `former_until` ────┬──── later ────▶
//! root               former                    │     root
//!                      │                       │       │
//! edge nodes     │ 7 2 9 │ 1 8 3 │             │  │ 1 2 3 │ 7 8 9 │      of both, in memory or under ids of their own in the store
//! ```
//!
//! The former root is complete for those snapshots, and nothing changes in it any more. It stays in memory until the last of
//! them has ended, and so does the section that leads to the tree; its nodes may leave memory, if they are in the store as they
//! are. Then their storage ids are retired, and the next flush deletes them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_epoch::Guard;

use crate::cells::Account;
use crate::model::Tick;
use crate::sections::{EdgeTree, TreePart, TreeRoot};

impl EdgeTree {
    /// Puts another root in the place of `old`, which snapshots up to `until` go on reading. The writer's call, when no
    /// snapshot is newer than that and there is no former root.
    pub(crate) fn replace_root(
        &self,
        (old, until): (TreeRoot, Tick),
        new: TreeRoot,
        account: &Arc<Account>,
        guard: &Guard,
    ) {
        self.former.replace(old, account, guard);
        self.former_until.store(until, Ordering::Release);
        self.root.replace(new, account, guard);
    }

    /// Forgets the former root, once no snapshot reads it; what is stored of it is retired. The writer's call; whether there
    /// was one.
    pub(crate) fn forget_former(&self, watermark: Tick, guard: &Guard) -> bool {
        if watermark <= self.former_until.load(Ordering::Acquire) {
            return false;
        }
        let Some(former) = self.former.loaded(guard) else { return false };
        // Without an id, a node counts as one that belongs to no tree.
        former.nodes().for_each(|node| self.retire(TreePart::Node(node.forget_id())));
        former.metas.iter().for_each(|meta| self.retire(TreePart::Meta(meta.id.load(Ordering::Relaxed))));
        self.former_until.store(0, Ordering::Release);
        self.former.clear(guard);
        true
    }
}

#[cfg(test)]
mod tests {
    use store::MemoryStore;

    use super::*;
    use crate::graph::Graph;
    use crate::model::{Dir, GraphOptions, SecondaryOptions, TreeBounds};
    use crate::read::Place;
    use crate::sections::TreeName;
    use values::Value;

    /// A reader finds a section that leads to a tree. Before it asks for the root, the section leaves memory, and the list is
    /// sorted by another key: what the section of now leads to has a newer root, which is not the reader's.
    #[test]
    fn who_came_by_a_section_that_was_evicted_reads_the_list_as_it_lay() {
        let tree = TreeBounds { min: 2, max: 8, fan_out: 3 };
        let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
        let options = GraphOptions { tree, secondary, keeper: false, ..GraphOptions::default() };
        let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
        let definer = graph.definer();
        let transaction = graph.begin();
        let hub = transaction.add_vertex(None, "hub").unwrap();
        transaction.commit().unwrap();
        let add = |n: i64| {
            let transaction = graph.begin();
            let e = transaction.add_edge(None, "likes", hub, hub).unwrap();
            transaction.set_edge_property(e, "weight", Value::Long(n * 7 % 41)).unwrap();
            transaction.commit().unwrap();
        };
        (0..40).for_each(add);
        graph
            .change_schema(|schema| {
                schema.edges.entry("likes".into()).or_default().sort_key = Some("weight".into());
                Ok(())
            })
            .unwrap();
        graph.flush().unwrap();
        let snapshot = graph.snapshot();
        let label = snapshot.catalog().edge_label("likes").unwrap();
        let read = || {
            let reader = snapshot.reader();
            let runs = reader.list(hub, label, Dir::Out).runs();
            runs.flat_map(|run| (0..run.neighbours().len()).map(|i| run.edge(i).seq).collect::<Vec<_>>())
                .collect::<Vec<u32>>()
        };
        let (expected, reader) = (read(), snapshot.reader());
        let name = TreeName::primary(hub, label, Dir::Out);
        let stale = reader.tree_of(name).unwrap();
        // What was read just now gets a second chance.
        (0..4).for_each(|_| _ = definer.evict_to(0));
        assert!(definer.tree_in_memory(name, &reader.guard).is_none(), "the section was to leave memory");
        graph.sort_lists().unwrap();
        assert!(reader.tree_of(name).unwrap().has_former(), "the list was to be sorted");
        assert_eq!(reader.tree_degree(&stale, name), 40);
        let run = reader.tree_run(&stale, name, &mut Place::at(0));
        let begin: Vec<u32> = (0..run.neighbours().len()).map(|i| run.edge(i).seq).collect();
        assert_eq!(begin, expected[..begin.len()]);
        assert_eq!(read(), expected);
        snapshot.check().unwrap();
    }
}
