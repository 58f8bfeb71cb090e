//! The second half of a bulk load: edges, indexes, checkpoint.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crossbeam_epoch::Guard;
use values::{Value, VertexRef};

use super::building::{Part, Source, build};
use super::edges::Target;
use super::label_edges::LabelEdges;
use super::sink::SectionSink;
use super::spill::SpillFile;
use super::staging::StagedStripes;
use super::{BulkLoad, BulkProgress, LoadedIds};
use crate::cells::SectionCell;
use crate::commit::Committer;
use crate::durable::Checkpoint;
use crate::error::{GraphError, Result};
use crate::flush::Manifest;
use crate::indexes::in_turns;
use crate::model::{
    Catalog, Counts, Definitions, DegreeTable, Dir, Index, IndexDefinition, IndexKind, IndexState, NameSpace,
    NewNames, Tick, ValueTable, repeated,
};
use crate::read::{Reader, Snapshot};
use crate::resident::{CellVisitor, Memory, Task, Writer};
use crate::sections::{
    EdgeIdEntry, IndexPartition, Mergeable, Order, PARTITIONS, SectionKey, StoredSection, VERTEX_IDS,
    edge_id_partition, edge_id_partition_key, partition_of, stripe_prefixes,
};
use crate::statistics::{GraphStats, Scrutiny};

/// Part of what edges may take in memory that finished sections take besides.
const PART_TO_GATHER: usize = 4;

/// How long a load that is read waits for those who read or write the graph meanwhile.
const PATIENTLY: Duration = Duration::from_secs(10);

impl BulkLoad {
    /// Builds and writes everything, on all cores, and publishes it. What it writes is there for all snapshots at once, also older
    /// ones, so it waits for those to end, and whoever takes one from then on waits for the load: `progress` must take none.
    ///
    /// # Errors
    /// [`GraphError::InUse`] if there are snapshots or transactions for long, [`GraphError::DuplicateVertexId`], [`GraphError::DuplicateEdgeId`], [`GraphError::NotEmpty`] if somebody wrote
    /// to the graph meanwhile, or a failure of the store. The graph is still empty then.
    pub fn finish(self, progress: &dyn Fn(BulkProgress)) -> Result<GraphStats> {
        let (committer, filled) = (Arc::clone(&self.committer), self.filled.clone());
        let finished = committer.alone(PATIENTLY, || self.build(progress));
        if finished.as_ref().is_err_and(is_nowhere) {
            committer.delete_stripes(&filled);
        }
        finished
    }

    fn build(self, progress: &dyn Fn(BulkProgress)) -> Result<GraphStats> {
        let Self {
            committer,
            settled,
            catalog,
            names,
            mut full,
            open,
            edges,
            ids,
            counts,
            indexes,
            stripes,
            ..
        } = self;
        for (_, stripe) in open.into_iter().flatten() {
            full.send(stripe)?;
        }
        let (edges, file) = edges.close()?;
        let building = Building { committer: &committer, settled, schema: catalog.schema().version };
        let (keys, degrees) = building.store(full.finish()?, (&edges, file.as_ref()), progress)?;
        drop((edges, file));
        let loaded =
            Loaded { committer: &committer, settled, catalog, names, keys, counts, degrees, indexes };
        loaded.name_indexes()?;
        let stamp = loaded.publish(ids)?;
        committer.allocator.go_on_in(stripes);
        // From here on the load is there; what it leaves behind in the log is skipped, and trimmed by the next flush.
        if let Err(error) = committer.log.trim(stamp) {
            tracing::error!(%error, "the log could not be trimmed after a bulk load");
        }
        Ok(GraphStats::of(&committer))
    }
}

/// Whether no checkpoint can name what a load has stored that failed so. Of other failures nobody knows.
fn is_nowhere(error: &GraphError) -> bool {
    match error {
        GraphError::Store(_) => error.wrote_nothing(),
        GraphError::LogFailed(_) => false,
        _ => true,
    }
}

impl Committer {
    /// Deletes what is stored of stripes that a load has filled, and that nobody else fills nor ever will. What is left of it is
    /// read by nobody.
    fn delete_stripes(&self, stripes: &BTreeSet<u16>) {
        let mut prefixes = stripes.iter().flat_map(|&stripe| stripe_prefixes(stripe));
        if let Err(error) = prefixes.try_for_each(|prefix| self.sections.delete_all(&prefix)) {
            tracing::warn!(%error, "what a bulk load has stored that failed takes up space");
        }
    }

    /// Deletes partitions of indexes that a load has stored, perhaps in place of others that the last checkpoint names. So first there
    /// is a checkpoint without them; what it names all the same was written anew for it.
    fn delete_partitions(&self, partitions: &[SectionKey], manifest: &mut Manifest) {
        if partitions.is_empty() {
            return;
        }
        let deleted = self.flush_with(manifest).and_then(|()| {
            let mut left = partitions.iter().filter(|key| !manifest.names_partition(**key));
            left.try_for_each(|key| self.sections.delete_all(&key.bytes()))
        });
        if let Err(error) = deleted {
            tracing::warn!(%error, "what a bulk load has stored of indexes that failed takes up space");
        }
    }
}

/// What a load has changed of the indexes that are declared, should it fail. Others may declare and drop some meanwhile; who declares
/// one of its own waits for the writer to know whether it stays.
struct DeclaredReady {
    added: Vec<u32>,
    /// Those that were there already, and had not been built.
    readied: Vec<u32>,
}

impl DeclaredReady {
    /// Declares indexes, and makes all there are ready: the load fills them.
    fn new(definitions: &mut Definitions, indexes: &[IndexDefinition]) -> Self {
        let unready = definitions.indexes.iter().filter(|index| index.state == IndexState::Building);
        let (readied, first) = (unready.map(|index| index.number).collect(), definitions.next_index);
        for index in indexes {
            definitions.add_index(index.clone(), IndexState::Ready);
        }
        definitions.indexes.iter_mut().for_each(|index| index.state = IndexState::Ready);
        Self { added: (first..definitions.next_index).collect(), readied }
    }

    /// The indexes that were declared before, and meanwhile, stay.
    fn undo(&self, definitions: &mut Definitions) {
        definitions.indexes.retain(|index| !self.added.contains(&index.number));
        let readied = definitions.indexes.iter_mut().filter(|index| self.readied.contains(&index.number));
        readied.for_each(|index| index.state = IndexState::Building);
    }
}

/// Sections that are stored and belong to no graph yet.
struct Loaded<'a> {
    committer: &'a Arc<Committer>,
    settled: Tick,
    /// The schema that it obeys.
    catalog: Catalog,
    /// The names that it uses.
    names: Arc<NewNames>,
    keys: Vec<SectionKey>,
    counts: Counts,
    degrees: DegreeTable,
    indexes: Vec<IndexDefinition>,
}

impl Loaded<'_> {
    /// Gives out the names that indexes are about to be declared with: a commit of somebody else may take the declaration to the log
    /// before the load is there.
    fn name_indexes(&self) -> Result<()> {
        let declared = NewNames::new(&self.committer.names);
        for IndexDefinition { label, keys, .. } in &self.indexes {
            let keys = keys.iter().map(|key| (NameSpace::Key, key.0));
            for (space, id) in keys.chain([(NameSpace::VertexLabel, label.0)]) {
                self.names.name(space, id).map_or(Ok((id, false)), |name| declared.intern(space, name))?;
            }
        }
        self.committer.commit_names(&declared)
    }

    /// Makes them the graph, from here on as one writer among others; the stamp of the checkpoint.
    fn publish(mut self, ids: LoadedIds) -> Result<Tick> {
        let committer = self.committer;
        let mut manifest = committer.hold_flushes();
        committer.refuse_if_failed()?;
        let mut writer = committer.lock_writer();
        let vertices = committer.counts.newest().vertices(None);
        if vertices > 0 {
            return Err(GraphError::NotEmpty { vertices });
        }
        let previous = committer.catalog();
        BulkLoad::check_schema(&previous, &self.catalog)?;
        committer.set_stored(self.keys.iter().copied());
        let declared = committer.declare(|declared| {
            declared.define(|definitions| DeclaredReady::new(definitions, &self.indexes))
        });
        match self.save(ids, &mut writer) {
            Ok(saved) => *manifest = saved,
            Err(error) => {
                let partitions = self.take_back(&declared, &mut manifest);
                drop(writer);
                if is_nowhere(&error) {
                    committer.delete_partitions(&partitions, &mut manifest);
                }
                return Err(error);
            }
        }
        committer.admit_flushed(&committer.loaded_partitions());
        let stamp = writer.applied;
        writer.dirty.clear();
        writer.checkpoint = stamp;
        writer.log_bytes = 0;
        writer.degrees = self.degrees;
        committer.counts.publish(committer.timeline.visible().bits(), self.counts.into());
        Ok(stamp)
    }

    /// Nothing of it is to be in memory any more, nor in the next checkpoint; the partitions of indexes that it has stored, or begun to.
    fn take_back(&self, declared: &DeclaredReady, manifest: &mut Manifest) -> Vec<SectionKey> {
        let committer = self.committer;
        committer.clear(self.keys.iter().copied());
        committer.clear(committer.loaded_partitions());
        let is_partition =
            |key: &SectionKey| matches!(key, SectionKey::Index { .. } | SectionKey::Ordered { .. });
        let partitions: Vec<_> = self.keys.iter().copied().filter(is_partition).collect();
        partitions.iter().for_each(|&key| manifest.forget_partition(key));
        committer.declare(|published| published.define(|definitions| declared.undo(definitions)));
        // Whoever was to build one may have found it ready.
        declared.readied.iter().for_each(|&number| committer.indexing.add(Task::Build(number)));
        partitions
    }

    /// Builds the indexes, checks the ids and writes the checkpoint.
    fn save(&mut self, ids: LoadedIds, writer: &mut Writer) -> Result<Manifest> {
        let committer = self.committer;
        let catalog = committer.catalog();
        for index in catalog.indexes() {
            committer.fill_index(index, writer)?;
        }
        for index in catalog.indexes().iter().filter(|index| index.definition.kind == IndexKind::Unique) {
            committer.find_duplicate(&index.definition, index.number)?;
        }
        let LoadedIds { vertices, small, mut edges, whole, has_generated_edges } = ids;
        let vertex_hashes = install_vertex_ids(committer, vertices, self.settled);
        edges.sort_unstable_by_key(|entry| (entry.partition(), *entry));
        let check = IdCheck { snapshot: Snapshot::latest(committer).with_names(&self.names), writer };
        check.vertices(&vertex_hashes, small.as_slice())?;
        check.edges(&edges, if has_generated_edges { whole.as_slice() } else { &[] })?;
        drop(check);
        self.store_edge_ids(edges)?;
        self.store_partitions()?;
        let values = self.survey(&catalog)?;
        let mut manifest = Manifest::default();
        self.keys.iter().for_each(|&key| manifest.insert(key));
        let mut checkpoint = Checkpoint {
            stamp: writer.applied,
            counts: self.counts.clone(),
            seqs: committer.allocator.seqs(),
            ..Checkpoint::default()
        };
        committer.describe(&manifest, &catalog, &mut checkpoint);
        committer.names.keep(&self.names, true);
        let saved =
            committer.meta.save(&checkpoint, &catalog.with_new(Some(&self.names)), (&self.degrees, &values));
        if saved.as_ref().is_err_and(GraphError::wrote_nothing) {
            committer.names.keep(&self.names, false);
        }
        saved?;
        committer.names.give_out(&committer.names.take_to_log(&self.names), writer.applied);
        committer.set_values(values);
        committer.learn_logged(&catalog);
        Ok(manifest)
    }

    /// Looks through the indexes: what they hold is all true yet.
    fn survey(&self, catalog: &Catalog) -> Result<ValueTable> {
        let survey = |index: &Index| {
            let vertices = self.counts.vertices(Some(index.definition.label));
            Ok((index.number, Arc::new(self.committer.survey(index, vertices, Scrutiny::Fresh)?)))
        };
        catalog.indexes().iter().map(survey).collect()
    }

    /// Stores the index of edge ids, given its entries by partition.
    fn store_edge_ids(&mut self, entries: Vec<EdgeIdEntry>) -> Result<()> {
        let (committer, keys, settled) = (self.committer, &mut self.keys, self.settled);
        let first = keys.len();
        let mut partitions = entries.chunk_by(|a, b| a.partition() == b.partition()).map(|entries| {
            keys.push(edge_id_partition_key(entries[0].partition()));
            (keys[keys.len() - 1], edge_id_partition(settled, entries).encode(0))
        });
        committer.sections.ingest(settled, &mut partitions)?;
        // Of edges that are no more, some of them may be in memory.
        committer.clear(keys[first..].iter().copied());
        committer.set_stored(keys[first..].iter().copied());
        Ok(())
    }

    /// Stores the other indexes, past the store's log like everything else of the load.
    fn store_partitions(&mut self) -> Result<()> {
        let (committer, keys) = (self.committer, &mut self.keys);
        let mut encoded = committer.loaded_partitions().into_iter().filter_map(|key| {
            let guard = crossbeam_epoch::pin();
            let encoded = committer.visit(key, EncodeBase(&guard)).flatten()?;
            keys.push(key);
            Some((key, encoded))
        });
        committer.sections.ingest(self.settled, &mut encoded)
    }
}

/// Makes sections of everything.
struct Building<'a> {
    committer: &'a Arc<Committer>,
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
        let room = self.committer.options.bulk_bytes / PART_TO_GATHER;
        let mut sink = SectionSink::start(self.committer, room, self.settled)?;
        build(&sources, threads, |parts| {
            for part in parts {
                let Part { stripe, lists, built } = part?;
                while let Some(sections) = vertices.next_up_to(stripe)? {
                    sink.add(sections)?;
                }
                sink.add(built.sections)?;
                sink.add_trees(built.trees)?;
                if let Some(stripe) = self.committer.blocks.stripe(stripe) {
                    degrees.histogram((stripe.label, lists.0, lists.1)).combine(&built.degrees, 1);
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
        let committer = self.committer;
        Target {
            dir,
            order: Order::of(committer.catalog().sort_key(edges.label())),
            settled: self.settled,
            schema: self.schema,
            bounds: committer.node_sizes.declared(edges.label()),
            account: &committer.cache.account,
        }
    }
}

/// Puts the entries of the index of vertex ids in place; the hashes that occur more than once.
fn install_vertex_ids(memory: &Memory, entries: Vec<u64>, settled: Tick) -> Vec<u32> {
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
        let cell = memory.indexes.get_or_grow(VERTEX_IDS * PARTITIONS + partition);
        cell.replace(IndexPartition::new(settled, entries.into()), &memory.cache.account, &guard);
    }
    repeated.dedup();
    repeated
}

/// How many ids are looked at by one reader, which keeps what it has seen. Who holds the writer makes room itself.
const IDS_AT_A_TIME: usize = 1 << 10;

/// Refuses ids that two elements have: by the hashes that occur more than once, and by the whole numbers among the ids, which
/// others may have been given.
struct IdCheck<'a> {
    snapshot: Snapshot,
    writer: &'a Writer,
}

impl IdCheck<'_> {
    fn vertices(&self, repeated_hashes: &[u32], small: &[u32]) -> Result<()> {
        self.refuse(repeated_hashes, GraphError::DuplicateVertexId, |reader, &hash| {
            repeated(&reader.user_ids_by_hash(hash), |id| id).cloned()
        })?;
        self.refuse(small, GraphError::DuplicateVertexId, |reader, &small| {
            let v = VertexRef(small);
            (reader.exists(v) && reader.user_id(v).is_none()).then(|| reader.id(v))
        })
    }

    /// Entries of one hash lie together.
    fn edges(&self, entries: &[EdgeIdEntry], whole: &[i64]) -> Result<()> {
        let same_hash = entries.chunk_by(|a, b| a.hash == b.hash).filter(|entries| entries.len() > 1);
        let same_hash: Vec<&[EdgeIdEntry]> = same_hash.collect();
        self.refuse(&same_hash, GraphError::DuplicateEdgeId, |reader, entries| {
            let ids: Vec<Value> = entries.iter().map(|entry| reader.edge_id(entry.edge())).collect();
            repeated(&ids, |id| id).cloned()
        })?;
        self.refuse(whole, GraphError::DuplicateEdgeId, |reader, &id| {
            let id = Value::Long(id);
            reader.edge_by_generated_id(&id).is_some().then_some(id)
        })
    }

    /// Refuses the first id that `find` finds in one of the suspects.
    fn refuse<T>(
        &self,
        suspects: &[T],
        error: impl Fn(Value) -> GraphError,
        find: impl Fn(&Reader<'_>, &T) -> Option<Value>,
    ) -> Result<()> {
        for some in suspects.chunks(IDS_AT_A_TIME) {
            self.snapshot.memory().make_room_for_writer(self.writer);
            let reader = self.snapshot.reader();
            if let Some(id) = some.iter().find_map(|suspect| find(&reader, suspect)) {
                return Err(error(id));
            }
            self.snapshot.check()?;
        }
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{KeyId, VertexLabelId};

    #[test]
    fn an_index_that_somebody_declares_while_a_load_fails_stays() {
        let index = |key| IndexDefinition {
            label: VertexLabelId(0),
            keys: [KeyId(key)].into(),
            kind: IndexKind::Equality,
        };
        let mut definitions = Definitions::default();
        let ready = definitions.add_index(index(1), IndexState::Ready);
        let building = definitions.add_index(index(2), IndexState::Building);
        let dropped = definitions.add_index(index(3), IndexState::Building);
        let declared = DeclaredReady::new(&mut definitions, &[index(1), index(4)]);
        assert!(
            definitions.indexes.len() == 4
                && definitions.indexes.iter().all(|i| i.state == IndexState::Ready)
        );
        let meanwhile = definitions.add_index(index(5), IndexState::Building);
        definitions.indexes.retain(|index| index.number != dropped);
        declared.undo(&mut definitions);
        let states: Vec<_> = definitions.indexes.iter().map(|index| (index.number, index.state)).collect();
        let expected =
            [(ready, IndexState::Ready), (building, IndexState::Building), (meanwhile, IndexState::Building)];
        assert_eq!(states, expected);
    }
}
