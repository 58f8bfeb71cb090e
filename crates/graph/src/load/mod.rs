//! Bulk load: typed columns in, sections out.
//!
//! ```text
//! vertices(…) ─▶ stripe builders ─ full stripes ─▶ a thread encodes presence and columns ─▶ a temporary file
//! edges(…)    ─▶ rows per label, in memory ─ beyond the budget ─▶ runs in another, sorted by block
//! finish()    ─▶ per stripe, label and direction: sort, build on all cores ─▶ with the vertices of the stripe: ingested by
//!                a thread ─▶ indexes ─▶ checkpoint ─▶ visible
//! ```
//!
//! It must never know what file a column comes from, nor of transactions: nobody else writes meanwhile.

mod block_order;
mod building;
mod column;
mod edges;
mod feed;
mod finish;
mod given_ids;
mod label_edges;
mod obey;
mod rows;
mod sink;
mod spill;
mod staging;
mod stripe;

pub use column::{BulkCell, BulkColumn, BulkStrings, BulkValues};
pub use obey::refused_rows;

use std::collections::BTreeSet;
use std::sync::Arc;

use values::{EdgeRef, Value, VertexRef};

use self::given_ids::GivenIds;
use self::label_edges::LoadedEdges;
use self::staging::{StripeStaging, start_staging};
use self::stripe::{StripeBuilder, check_columns};
use crate::commit::Committer;
use crate::error::{GraphError, Result};
use crate::model::{
    Catalog, Counts, EDGE_ID_KEY, EdgeLabelId, IndexDefinition, IndexKind, KeyId, NameSpace, NewNames, Tick,
    VertexLabelId, element_id, index_hash, stripe_of,
};
use crate::place::OpenStripes;
use crate::read::whole_number;
use crate::sections::EdgeIdEntry;

/// Most edges of one label in memory: their rows are numbered with 32 bits.
const MAX_EDGES: usize = u32::MAX as usize;

/// Part of [`GraphOptions::bulk_bytes`](crate::model::GraphOptions::bulk_bytes) that vertices may take besides the edges.
const PART_FOR_VERTICES: usize = 16;

/// How far [`BulkLoad::finish`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BulkProgress {
    /// Edges written so far; each counts twice, since it is stored at both of its ends.
    pub done: u64,
    /// Edges to write in all, twice.
    pub total: u64,
    /// Bytes that went through temporary files, since memory was not to hold all vertices and edges.
    pub spilled: u64,
}

/// Loads an empty graph from typed columns, bypassing log and delta. Nothing is visible before [`BulkLoad::finish`]
/// returns; after a crash before that the graph is still empty. Dropping it gives the load up.
///
/// Vertices are encoded while they come; a few stay in memory, the others wait in a temporary file for the edges of their
/// stripes. Edges stay in memory until `finish`, 20 bytes and their properties each, up to
/// [`GraphOptions::bulk_bytes`](crate::model::GraphOptions::bulk_bytes); what is more goes through temporary files, too, where the
/// store keeps its data, if it keeps them on disk. Ids that users chose stay in memory whatever their number: 8 bytes for each of
/// a vertex, 20 for each of an edge, and 4 and 8 more if it is a whole number.
pub struct BulkLoad {
    committer: Arc<Committer>,
    settled: Tick,
    /// The schema that the load obeys.
    catalog: Catalog,
    /// The names that it uses. They are given out when it is done.
    names: Arc<NewNames>,
    /// The stripes of this load have this number or a later one.
    first_stripe: usize,
    /// The stripes that it fills, and nobody else: who writes meanwhile, which nobody should, is not overwritten.
    stripes: OpenStripes,
    /// All of them, also those that are full.
    filled: BTreeSet<u16>,
    full: StripeStaging,
    /// By vertex label: the stripe that is being filled.
    open: Vec<Option<(usize, StripeBuilder)>>,
    edges: LoadedEdges,
    counts: Counts,
    ids: LoadedIds,
    indexes: Vec<IndexDefinition>,
}

/// The ids that users chose, as far as they must be unique.
#[derive(Default)]
struct LoadedIds {
    /// Entries of the index of vertex ids.
    vertices: Vec<u64>,
    /// Ids of vertices that could be generated ones.
    small: GivenIds<u32>,
    /// Entries of the index of edge ids.
    edges: Vec<EdgeIdEntry>,
    /// Ids of edges that could be generated ones.
    whole: GivenIds<i64>,
    has_generated_edges: bool,
}

impl BulkLoad {
    pub(crate) fn begin(committer: &Arc<Committer>) -> Result<Self> {
        // What an earlier life of the graph left behind stays where it is; the load gets stripes of its own.
        committer.flush()?;
        let first_stripe = committer.allocator.next_stripe();
        let settled = committer.lock_writer().applied;
        let catalog = committer.catalog();
        let room = committer.options.bulk_bytes / PART_FOR_VERTICES;
        let full = start_staging(&committer.store, room, settled, catalog.schema().version)?;
        Ok(Self {
            committer: Arc::clone(committer),
            settled,
            catalog,
            names: NewNames::new(&committer.names),
            first_stripe,
            stripes: OpenStripes::default(),
            filled: BTreeSet::new(),
            full,
            open: Vec::new(),
            edges: LoadedEdges::new(committer.options.bulk_bytes),
            counts: Counts::default(),
            ids: LoadedIds::default(),
            indexes: Vec::new(),
        })
    }

    /// Adds vertices of one label, a chunk of any size; their references in the order given. The number of vertices is
    /// that of the ids or, without ids, of the values in the first column; see [`BulkLoad::vertices_without_columns`]
    /// for vertices that have neither. Without ids they get generated ones, none of which is an id that was given before: so whoever
    /// has vertices of both kinds gives those with ids first.
    ///
    /// # Errors
    /// If columns differ in length, a value cannot be stored, the label or a key cannot be one, or the schema refuses
    /// something. Duplicate ids, and values that are to be unique and are not, are found by `finish`.
    pub fn vertices(
        &mut self,
        label: &str,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>> {
        let rows = ids.as_ref().map(Vec::len).or_else(|| columns.first().map(|column| column.values.len()));
        self.add_vertices(label, rows.unwrap_or(0), ids.as_deref(), &columns)
    }

    /// Adds `count` vertices of one label that have neither ids of their own nor properties.
    ///
    /// # Errors
    /// If the label cannot be one, or the schema refuses them.
    pub fn vertices_without_columns(&mut self, label: &str, count: usize) -> Result<Vec<VertexRef>> {
        self.add_vertices(label, count, None, &[])
    }

    fn add_vertices(
        &mut self,
        label: &str,
        rows: usize,
        ids: Option<&[Value]>,
        columns: &[BulkColumn],
    ) -> Result<Vec<VertexRef>> {
        let columns = self.obey((NameSpace::VertexLabel, label), rows, columns)?;
        let keys = check_columns(&self.names, &format!("vertices with label {label:?}"), rows, &columns)?;
        ids.unwrap_or_default().iter().try_for_each(element_id::check)?;
        let label = VertexLabelId(self.intern(NameSpace::VertexLabel, label)?);
        let refs = self.references(label, rows, ids.is_none())?;
        self.counts.change_vertices(label, rows as i64);
        self.note_vertex_ids(ids.unwrap_or_default(), &refs);
        let mut first = 0;
        for part in refs.chunk_by(|a, b| stripe_of(*a) == stripe_of(*b)) {
            let names = Arc::clone(&self.names);
            self.filled.insert(stripe_of(part[0]) as u16);
            let builder = self.builder(label, stripe_of(part[0]))?;
            builder.add(part, ids.map(|ids| &ids[first..first + part.len()]));
            for (key, column) in keys.iter().zip(columns.iter()) {
                builder.add_column(&names, *key, part, &column.values, first)?;
            }
            first += part.len();
        }
        Ok(refs)
    }

    /// References of new vertices. Where they are to be the vertices' ids, those are left out that somebody else has for one.
    fn references(&mut self, label: VertexLabelId, rows: usize, are_ids: bool) -> Result<Vec<VertexRef>> {
        let committer = &self.committer;
        let mut refs = Vec::new();
        while refs.len() < rows {
            let missing = rows - refs.len();
            let mut more =
                committer.allocator.vertices_apart(&mut self.stripes, &committer.blocks, label, missing)?;
            if are_ids {
                more.retain(|v| !self.ids.small.has(v.0));
            }
            refs.append(&mut more);
        }
        Ok(refs)
    }

    /// The next sequence number of an edge that leaves a vertex. Where it is to be the edge's id, those are left out that somebody
    /// else has for one.
    fn sequence(&mut self, src: VertexRef, is_id: bool) -> Result<u32> {
        loop {
            let seq = self.committer.allocator.seq(src)?;
            let id = || EdgeRef { src, dst: src, seq, label: 0 }.generated_id();
            if !is_id || !self.ids.whole.has(id()) {
                return Ok(seq);
            }
        }
    }

    fn intern(&self, space: NameSpace, name: &str) -> Result<u16> {
        Ok(self.names.intern(space, name)?.0)
    }

    /// The builder of a stripe; the one before it, if any, is full.
    fn builder(&mut self, label: VertexLabelId, stripe: usize) -> Result<&mut StripeBuilder> {
        if self.open.len() <= label.index() {
            self.open.resize_with(label.index() + 1, || None);
        }
        let open = &mut self.open[label.index()];
        if let Some((_, full)) = open.take_if(|(number, _)| *number != stripe) {
            self.full.send(full)?;
        }
        let (_, builder) = open.get_or_insert_with(|| (stripe, StripeBuilder::new(stripe)));
        Ok(builder)
    }

    fn note_vertex_ids(&mut self, ids: &[Value], refs: &[VertexRef]) {
        for (id, v) in ids.iter().zip(refs) {
            self.ids.vertices.push(crate::sections::index_entry(index_hash(id), *v));
            self.ids.small.give(whole_number(id).and_then(|id| u32::try_from(id).ok()));
        }
    }

    /// Adds edges of one label, a chunk of any size. In each vertex's lists they keep the order of the input. Without ids they get
    /// generated ones, as vertices do: those with ids come first.
    ///
    /// # Errors
    /// If columns differ in length, an end is not a vertex of this load, a value cannot be stored, the label or a
    /// key cannot be one, or the schema refuses something.
    pub fn edges(
        &mut self,
        label: &str,
        src: &[VertexRef],
        dst: &[VertexRef],
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<()> {
        let what = format!("edges with label {label:?}");
        let bad = |problem: String| GraphError::BadBulk { what: what.clone(), problem };
        if src.len() != dst.len() || ids.as_ref().is_some_and(|ids| ids.len() != src.len()) {
            return Err(bad("sources, targets and ids differ in number".into()));
        }
        if let Some(v) = src.iter().chain(dst).find(|v| !self.is_loaded(**v)) {
            return Err(bad(format!("{v:?} is not a vertex of this load")));
        }
        if columns.iter().any(|column| matches!(column.values, BulkValues::Multi(_))) {
            return Err(bad("edges cannot have multi-properties".into()));
        }
        let columns = self.obey((NameSpace::EdgeLabel, label), src.len(), &columns)?;
        let keys = check_columns(&self.names, &what, src.len(), &columns)?;
        if let Some(ids) = &ids {
            ids.iter().try_for_each(element_id::check)?;
        }
        let label = EdgeLabelId(self.intern(NameSpace::EdgeLabel, label)?);
        let seqs: Vec<u32> = src.iter().map(|v| self.sequence(*v, ids.is_none())).collect::<Result<_>>()?;
        self.ids.has_generated_edges |= ids.is_none() && !src.is_empty();
        let id_column = ids.map(|ids| self.note_edge_ids(ids, label, (src, dst), &seqs));
        let mut columns: Vec<(KeyId, &BulkColumn)> = keys.into_iter().zip(columns.iter()).collect();
        columns.extend(id_column.as_ref().map(|column| (EDGE_ID_KEY, column)));
        if self.edges.in_memory(label) + src.len() > MAX_EDGES {
            return Err(bad(format!("more than {MAX_EDGES} edges of one label in memory")));
        }
        self.edges.add(label, (src, dst), &seqs, &columns)?;
        self.counts.change_edges(label, src.len() as i64);
        self.edges.keep_to_budget(&*self.committer.store)
    }

    /// Bytes of edges that went to temporary files so far.
    pub fn spilled_bytes(&self) -> u64 {
        self.edges.spilled_bytes()
    }

    /// Ids that users chose for edges become a hidden column.
    fn note_edge_ids(
        &mut self,
        ids: Vec<Value>,
        label: EdgeLabelId,
        (src, dst): (&[VertexRef], &[VertexRef]),
        seqs: &[u32],
    ) -> BulkColumn {
        for (i, id) in ids.iter().enumerate() {
            let e = EdgeRef { src: src[i], dst: dst[i], seq: seqs[i], label: label.0 };
            self.ids.edges.push(EdgeIdEntry::new(id, e));
            self.ids.whole.give(whole_number(id));
        }
        let values = BulkValues::Any(ids.into_iter().map(Some).collect());
        BulkColumn { key: String::new(), values }
    }

    /// Whether the reference was given out by this load.
    fn is_loaded(&self, v: VertexRef) -> bool {
        let stripe = self.committer.blocks.stripe(stripe_of(v)).filter(|_| stripe_of(v) >= self.first_stripe);
        stripe.is_some_and(|stripe| v.0 & 0xffff < stripe.allocated())
    }

    /// Asks for an equality index over the values of `key` of the vertices with `label`.
    ///
    /// # Errors
    /// If the label or the key cannot be one.
    pub fn index(&mut self, label: &str, key: &str) -> Result<()> {
        let label = VertexLabelId(self.intern(NameSpace::VertexLabel, label)?);
        let key = KeyId(self.intern(NameSpace::Key, key)?);
        self.indexes.push(IndexDefinition { label, keys: [key].into(), kind: IndexKind::Equality });
        Ok(())
    }
}
