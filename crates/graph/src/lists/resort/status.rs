//! How far labels are whose lists are being sorted.

use values::{Map, Value};

use crate::resident::{Memory, Phase};

/// How far the lists of an edge label are on their way into the order of its sort key.
#[derive(Clone, Debug, PartialEq)]
pub struct SortStatus {
    /// The edge label.
    pub label: String,
    /// The property that its lists are being sorted by.
    pub key: String,
    /// The part of its sections that has been gone through, from 0 to 1: half of it for packed lists, half for edge-trees.
    pub progress: f64,
    /// Whether it waits for a snapshot to end that reads lists as they were.
    pub waiting: bool,
}

impl SortStatus {
    /// As a map of these fields.
    pub fn to_value(&self) -> Value {
        let mut map = Map::new();
        map.insert("label", self.label.as_str());
        map.insert("key", self.key.as_str());
        map.insert("state", if self.waiting { "waiting" } else { "sorting" });
        map.insert("progress", self.progress);
        map.into()
    }
}

impl Memory {
    /// The labels whose lists do not all lie by their sort key yet.
    pub(crate) fn sort_status(&self) -> Vec<SortStatus> {
        let catalog = self.catalog();
        let turns = self.resorts.orders.all().into_iter();
        let left = turns.filter_map(|(label, turn)| {
            let (progress, waiting) = match self.resorts.sweep(label, turn) {
                None => (0.0, self.reads_before(turn)),
                Some(sweep) if matches!(sweep.phase, Phase::Done) => return None,
                Some(sweep) => (sweep.progress(), sweep.waiting),
            };
            Some(SortStatus {
                label: catalog.edge_label_name(label).to_string(),
                key: catalog.key_name(turn.key).to_string(),
                progress,
                waiting,
            })
        });
        left.collect()
    }
}
