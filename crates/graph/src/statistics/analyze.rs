//! Counts exactly, while commits go on.
//!
//! ```text
//! snapshot S                     now
//!    │── looks at every vertex ──▶│        exact(now) = counted(S) + kept(now) − kept(S)
//! kept(S)                      kept(now)
//! ```
//!
//! What the writer keeps may be wrong as a whole, but how it changes is right: it is the sum of changes of single lists,
//! each with the degree before and after.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::AnalyzeProgress;
use super::survey::Scrutiny;
use crate::error::Result;
use crate::flush::Files;
use crate::model::{DegreeTable, Dir, EdgeLabelId, IndexState, Statistics, ValueTable, VertexLabelId};
use crate::read::{ScanCursor, Snapshot};

/// Vertices that are looked at at once.
const BATCH: usize = 4096;

impl Files {
    /// See [`crate::graph::Graph::analyze`].
    pub(crate) fn analyze(&self, progress: &mut dyn FnMut(AnalyzeProgress)) -> Result<Arc<Statistics>> {
        let _analyzing = self.known.hold_analysis();
        let (snapshot, before) = {
            // Nobody commits while the writer is held: both are of one moment.
            let writer = self.lock_writer();
            (Snapshot::latest(self), writer.degrees.clone())
        };
        let counted = self.count_degrees(&snapshot, progress)?;
        let values = self.count_values(&snapshot)?;
        snapshot.check()?;
        drop(snapshot);
        let published = {
            let mut writer = self.lock_writer();
            let mut degrees = counted;
            degrees.combine(&writer.degrees, 1);
            degrees.combine(&before, -1);
            writer.degrees = degrees;
            self.set_values(values);
            self.publish_statistics(&writer.degrees)
        };
        self.flush()?;
        Ok(published)
    }

    fn count_degrees(
        &self,
        snapshot: &Snapshot,
        progress: &mut dyn FnMut(AnalyzeProgress),
    ) -> Result<DegreeTable> {
        let (mut done, total) = (0, snapshot.vertex_count(None));
        let mut degrees = DegreeTable::default();
        let mut vertices = Vec::with_capacity(BATCH);
        for (label, _) in snapshot.catalog().vertex_labels() {
            let lists = self.lists_of(label, snapshot);
            let mut cursor = ScanCursor::default();
            loop {
                progress(AnalyzeProgress { done, total });
                vertices.clear();
                // A reader of its own for every batch: what is read holds back the reclamation of memory.
                let reader = snapshot.reader();
                let more = reader.scan_vertices(Some(label), &mut cursor, BATCH, &mut vertices);
                for &(edge, dir) in &lists {
                    let histogram = degrees.histogram((label, edge, dir));
                    vertices.iter().for_each(|v| histogram.add_vertex(reader.list_len(*v, edge, dir)));
                }
                snapshot.check()?;
                done += vertices.len() as u64;
                if !more {
                    break;
                }
            }
        }
        progress(AnalyzeProgress { done, total });
        Ok(degrees)
    }

    /// Which edges the vertices of a label may have.
    fn lists_of(&self, label: VertexLabelId, snapshot: &Snapshot) -> Vec<(EdgeLabelId, Dir)> {
        let (guard, bound) = (crossbeam_epoch::pin(), snapshot.catalog().edge_label_bound());
        let after = |from| self.blocks.next(Some(label), from);
        let stripes = std::iter::successors(after(0), |(number, _)| after(number + 1));
        let lists: BTreeSet<_> = stripes.flat_map(|(_, stripe)| stripe.lists(&guard)).collect();
        let known = lists.into_iter().filter(|(_, edge)| edge.index() < bound);
        known.map(|(dir, edge)| (edge, dir)).collect()
    }

    fn count_values(&self, snapshot: &Snapshot) -> Result<ValueTable> {
        let catalog = snapshot.catalog();
        let ready = catalog.indexes().iter().filter(|index| index.state == IndexState::Ready);
        ready
            .map(|index| {
                let vertices = snapshot.vertex_count(Some(index.definition.label));
                let values = self.survey(index, vertices, Scrutiny::Exact(snapshot))?;
                Ok((index.number, Arc::new(values)))
            })
            .collect()
    }
}
