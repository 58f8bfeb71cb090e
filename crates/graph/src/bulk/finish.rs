//! The second half of a bulk load: edges, indexes, checkpoint.

use std::sync::Arc;

use crossbeam_epoch::Guard;
use values::{Value, VertexRef, compare};

use super::building::{Part, Source, build};
use super::edges::Target;
use super::label_edges::LabelEdges;
use super::sink::SectionSink;
use super::spill::SpillFile;
use super::staging::StagedStripes;
use super::turns::in_turns;
use super::{BulkLoad, BulkProgress, LoadedIds};
use crate::catalog::Catalog;
use crate::checkpoint::Checkpoint;
use crate::core::{Core, EDGE_IDS, VERTEX_IDS};
use crate::counts::Counts;
use crate::flush::Manifest;
use crate::memory::SectionCell;
use crate::placement::CellVisitor;
use crate::schema::{Index, IndexDefinition, IndexKind, IndexState};
use crate::section::{IndexPartition, Mergeable, Order, PARTITIONS, partition_of};

use crate::section_key::SectionKey;
use crate::statistics::{DegreeTable, Scrutiny, ValueTable};
use crate::writer::Writer;
use crate::{Dir, GraphError, GraphStats, Result, Snapshot, Tick};

/// Part of what edges may take in memory that finished sections take besides.
const PART_TO_GATHER: usize = 4;

impl BulkLoad {
    /// Builds and writes everything, on all cores, and publishes it. Snapshots of the empty graph should be gone by
    /// then: they would see it, too.
    ///
    /// # Errors
    /// [`GraphError::DuplicateVertexId`], [`GraphError::DuplicateEdgeId`], [`GraphError::NotEmpty`] if somebody wrote
    /// to the graph meanwhile, or a failure of the store. The graph is still empty then.
    pub fn finish(self, progress: &dyn Fn(BulkProgress)) -> Result<GraphStats> {
        let Self { core, settled, catalog, mut full, open, edges, ids, counts, indexes, stripes, .. } = self;
        for (_, stripe) in open.into_iter().flatten() {
            full.send(stripe)?;
        }
        let (edges, file) = edges.close()?;
        let building = Building { core: &core, settled, schema: catalog.schema().version };
        let (keys, degrees) = building.store(full.finish()?, (&edges, file.as_ref()), progress)?;
        drop((edges, file));
        let stamp = Loaded { core: &core, settled, catalog, keys, counts, degrees, indexes }.publish(ids)?;
        core.allocator.go_on_in(stripes);
        // From here on the load is there; what it leaves behind in the log is skipped, and trimmed by the next flush.
        if let Err(error) = core.log.trim(stamp) {
            tracing::error!(%error, "the log could not be trimmed after a bulk load");
        }
        Ok(GraphStats::of(&core))
    }
}

/// Sections that are stored and belong to no graph yet.
struct Loaded<'a> {
    core: &'a Arc<Core>,
    settled: Tick,
    /// The schema that it obeys.
    catalog: Arc<Catalog>,
    keys: Vec<SectionKey>,
    counts: Counts,
    degrees: DegreeTable,
    indexes: Vec<IndexDefinition>,
}

impl Loaded<'_> {
    /// Makes them the graph, from here on as one writer among others; the stamp of the checkpoint.
    fn publish(mut self, ids: LoadedIds) -> Result<Tick> {
        let core = self.core;
        let mut manifest = core.flushing.lock();
        let mut writer = core.writer.lock();
        let vertices = core.counts.newest().vertices(None);
        if vertices > 0 {
            return Err(GraphError::NotEmpty { vertices });
        }
        let previous = core.catalog();
        BulkLoad::check_schema(&previous, &self.catalog)?;
        core.set_stored(self.keys.iter().copied());
        match self.save(ids, &mut writer) {
            Ok(saved) => *manifest = saved,
            Err(error) => {
                core.clear(self.keys);
                core.clear(core.loaded_partitions());
                core.grow_catalog(|catalog| {
                    let indexes = previous.indexes().to_vec();
                    catalog.define(|definitions| definitions.indexes = indexes);
                    Ok(())
                })?;
                return Err(error);
            }
        }
        core.admit_flushed(&core.loaded_partitions());
        let stamp = writer.applied;
        writer.dirty.clear();
        writer.checkpoint = stamp;
        writer.log_bytes = 0;
        writer.degrees = self.degrees;
        core.counts.publish(core.timeline.visible().bits(), self.counts.into());
        Ok(stamp)
    }

    /// Builds the indexes, checks the ids and writes the checkpoint.
    fn save(&mut self, ids: LoadedIds, writer: &mut Writer) -> Result<Manifest> {
        let core = self.core;
        core.grow_catalog(|catalog| {
            catalog.define(|definitions| {
                for index in &self.indexes {
                    definitions.add_index(index.clone(), IndexState::Building);
                }
                definitions.indexes.iter_mut().for_each(|index| index.state = IndexState::Ready);
            });
            Ok(())
        })?;
        let catalog = core.catalog();
        for index in catalog.indexes() {
            core.fill_index(index, writer)?;
        }
        for index in catalog.indexes().iter().filter(|index| index.definition.kind == IndexKind::Unique) {
            core.find_duplicate(&index.definition, index.number)?;
        }
        let vertex_hashes = install_ids(core, VERTEX_IDS, ids.vertices, self.settled);
        let sources = if ids.has_generated_edges { sources(&ids.edges) } else { Vec::new() };
        let edge_hashes = install_ids(core, EDGE_IDS, ids.edges, self.settled);
        check_ids(core, (&vertex_hashes, &ids.small), (&edge_hashes, &sources), writer)?;
        self.store_partitions()?;
        let values = self.survey(&catalog)?;
        let mut manifest = Manifest::default();
        self.keys.iter().for_each(|&key| manifest.insert(key));
        let mut checkpoint = Checkpoint {
            stamp: writer.applied,
            counts: self.counts.clone(),
            seqs: core.allocator.seqs(),
            ..Checkpoint::default()
        };
        core.describe(&manifest, &catalog, &mut checkpoint);
        core.meta.save(&checkpoint, &catalog, (&self.degrees, &values))?;
        core.set_values(values);
        core.commits.learn_logged(&catalog);
        Ok(manifest)
    }

    /// Looks through the indexes: what they hold is all true yet.
    fn survey(&self, catalog: &Catalog) -> Result<ValueTable> {
        let survey = |index: &Index| {
            let vertices = self.counts.vertices(Some(index.definition.label));
            Ok((index.number, Arc::new(self.core.survey(index, vertices, Scrutiny::Fresh)?)))
        };
        catalog.indexes().iter().map(survey).collect()
    }

    /// Stores the indexes, past the store's log like everything else of the load.
    fn store_partitions(&mut self) -> Result<()> {
        let (core, keys) = (self.core, &mut self.keys);
        let mut encoded = core.loaded_partitions().into_iter().filter_map(|key| {
            let guard = crossbeam_epoch::pin();
            let encoded = core.visit(key, EncodeBase(&guard)).flatten()?;
            keys.push(key);
            Some((key, encoded))
        });
        core.sections.ingest(self.settled, &mut encoded)
    }
}

/// Makes sections of everything.
struct Building<'a> {
    core: &'a Arc<Core>,
    settled: Tick,
    /// The version of the schema that the load obeys.
    schema: u64,
}

impl Building<'_> {
    /// Stores all vertices and edges in the order of their keys; those keys, and how many edges the vertices have.
    fn store(
        &self,
        mut vertices: StagedStripes,
        (edges, file): (&[LabelEdges], Option<&SpillFile>),
        progress: &dyn Fn(BulkProgress),
    ) -> Result<(Vec<SectionKey>, DegreeTable)> {
        let (total, spilled) = (
            edges.iter().map(|label| 2 * label.len()).sum(),
            file.map_or(0, SpillFile::len) + vertices.file_bytes(),
        );
        let (mut done, mut degrees) = (0, DegreeTable::default());
        progress(BulkProgress { done, total, spilled });
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let lists: Vec<_> = edges.iter().flat_map(|label| [(label, Dir::Out), (label, Dir::In)]).collect();
        let source = |&(label, dir): &(_, Dir)| Source::new(label, self.target(label, dir), file);
        let sources: Vec<Source<'_>> =
            in_turns(&lists, (threads, lists.len()), source, |sources| sources.collect());
        let room = self.core.options.bulk_bytes / PART_TO_GATHER;
        let mut sink = SectionSink::start(self.core, room, self.settled)?;
        build(&sources, threads, |parts| {
            for part in parts {
                let Part { stripe, lists, built } = part?;
                while let Some(sections) = vertices.next_up_to(stripe)? {
                    sink.add(sections)?;
                }
                sink.add(built.sections)?;
                sink.add_trees(built.trees)?;
                if let Some(stripe) = self.core.blocks.stripe(stripe) {
                    degrees.histogram((stripe.label, lists.0, lists.1)).add(&built.degrees);
                }
                done += built.edges;
                progress(BulkProgress { done, total, spilled });
            }
            Ok::<_, GraphError>(())
        })?;
        while let Some(sections) = vertices.next_up_to(usize::MAX)? {
            sink.add(sections)?;
        }
        Ok((sink.finish()?, degrees))
    }

    fn target(&self, edges: &LabelEdges, dir: Dir) -> Target<'_> {
        let core = self.core;
        Target {
            dir,
            order: Order::of(core.catalog().sort_key(edges.label())),
            settled: self.settled,
            schema: self.schema,
            bounds: core.node_sizes.declared(edges.label()),
            account: &core.cache.account,
        }
    }
}

/// Puts the entries of an index of ids in place; the hashes that occur more than once.
fn install_ids(core: &Core, index: usize, entries: Vec<u64>, settled: Tick) -> Vec<u32> {
    let mut partitions: Vec<Vec<u64>> = vec![Vec::new(); PARTITIONS];
    for entry in entries {
        partitions[partition_of((entry >> 32) as u32)].push(entry);
    }
    let guard = crossbeam_epoch::pin();
    let mut repeated = Vec::new();
    for (partition, mut entries) in
        partitions.into_iter().enumerate().filter(|(_, entries)| !entries.is_empty())
    {
        entries.sort_unstable();
        let hash = |entry: u64| (entry >> 32) as u32;
        repeated.extend(
            entries.windows(2).filter(|pair| hash(pair[0]) == hash(pair[1])).map(|pair| hash(pair[0])),
        );
        let cell = core.indexes.get_or_grow(index * PARTITIONS + partition);
        cell.replace(IndexPartition::new(settled, entries.into()), &core.cache.account, &guard);
    }
    repeated.dedup();
    repeated
}

/// The vertices that edges with ids of the user leave, each once.
fn sources(entries: &[u64]) -> Vec<VertexRef> {
    let mut sources: Vec<_> = entries.iter().map(|&entry| VertexRef(entry as u32)).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

/// Refuses ids that two elements have: of vertices, by the hashes that occur more than once and the small numbers among them,
/// which others may have been given; of edges, by such hashes and, if others have generated ids, by the vertices that edges
/// with ids of the user leave.
fn check_ids(
    core: &Arc<Core>,
    (vertex_hashes, small_ids): (&[u32], &[u32]),
    (edge_hashes, sources): (&[u32], &[VertexRef]),
    writer: &Writer,
) -> Result<()> {
    let snapshot = Snapshot::latest(core);
    let reader = snapshot.reader();
    for &hash in vertex_hashes {
        if let Some(id) = repeated(reader.user_ids_by_hash(hash)) {
            return Err(GraphError::DuplicateVertexId(id));
        }
    }
    for &hash in edge_hashes {
        if let Some(id) = repeated(reader.user_edge_ids_by_hash(hash)) {
            return Err(GraphError::DuplicateEdgeId(id));
        }
    }
    drop(reader);
    // Whoever holds the writer makes room itself, and a reader keeps what it has seen.
    for some in small_ids.chunks(1 << 10) {
        core.make_room_for_writer(writer);
        let reader = snapshot.reader();
        let mut vertices = some.iter().map(|&small| VertexRef(small));
        if let Some(v) = vertices.find(|&v| reader.exists(v) && reader.user_id(v).is_none()) {
            return Err(GraphError::DuplicateVertexId(reader.id(v)));
        }
    }
    for some in sources.chunks(1 << 10) {
        core.make_room_for_writer(writer);
        let reader = snapshot.reader();
        let mut ids = some.iter().flat_map(|&src| reader.user_edge_ids_of(src));
        if let Some(id) = ids.find(|id| reader.edge_by_generated_id(id).is_some()) {
            return Err(GraphError::DuplicateEdgeId(id));
        }
    }
    snapshot.check()
}

/// A value that equals one before it.
fn repeated(ids: Vec<Value>) -> Option<Value> {
    let before = |i: usize| ids[..i].iter().any(|other| compare::equals(other, &ids[i]));
    (1..ids.len()).find(|&i| before(i)).map(|i| ids[i].clone())
}

/// Encodes a partition of an index that has no delta.
struct EncodeBase<'g>(&'g Guard);

impl CellVisitor for EncodeBase<'_> {
    type Output = Option<Vec<u8>>;

    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) -> Self::Output {
        // Partitions of indexes have no values, so none of an older type.
        cell.loaded(self.0).map(|section| section.encode(0))
    }
}
