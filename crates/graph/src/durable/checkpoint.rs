//! What a graph knows about itself on disk: the root from which everything else is found.
//!
//! ```text
//! meta keyspace
//!   "format"      u32, outside of any frame, so that an older version can tell a newer format
//!   "catalog"     frame ( names of the three spaces │ format 1: indexes │ definitions )
//!   "checkpoint"  frame ( stamp │ counts │ sequence numbers │ stripes │ which sections there are │ index partitions
//!                        │ range index partitions, not in format 1 │ secondary edge-trees, from format 3 on )
//!   "statistics"  as `statistics` has it, of the same stamp; a version that knows it not leaves it behind
//! ```
//!
//! Format 1 had a list of equality indexes in place of definitions. It can be read, as formats 2 and 3 can, whose definitions
//! have no retypes, format 4, whose schema says nothing of nodes, and format 5, which knows of no lists to be sorted; in 7 ids of
//! names had no gaps. Opening such a graph makes it one of this format. Catalog and checkpoint are replaced in one batch, after
//! all the sections that the checkpoint names.

use std::sync::Arc;

use store::{Durability, KeyspaceShape, Store, WriteBatch};
use values::Str;

use super::log::decode_old_indexes;
use super::view::View;
use crate::bytes::{Input, Malformed, open_frame, seal_frame};
use crate::error::{GraphError, Result};
use crate::model::{
    Catalog, Counts, Declared, Definitions, DegreeTable, IndexState, NameSpace, Names, STRIPES, TABLETS,
    Tick, ValueTable, VertexLabelId, decode_statistics, encode_statistics,
};
use crate::sections::{SectionKey, SectionName, TreeName, TreePart};

/// The newest format of a graph on disk that this version knows. In 1 no section was packed, no list was a tree and
/// there was no schema; in 2 there were no secondary edge-trees; in 3 no section said under which version of the schema it was
/// written; in 4 the schema said nothing of the nodes of edge-trees; in 5 a sort key could not be changed while there were edges;
/// in 6 the index of edge ids led to their sources only; in 7 every id below a name's was a name's, too;
/// in 8 every point in time was an `OffsetDateTime`.
const FORMAT: u32 = 9;

/// A stripe at a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StripeEntry {
    pub(crate) number: u16,
    pub(crate) label: VertexLabelId,
    /// References given out, as far as committed vertices show.
    pub(crate) allocated: u32,
    /// Which tablets have which section: one bit per tablet.
    pub(crate) sections: Vec<(SectionName, u64)>,
}

/// The state of a graph at one stamp, but for its sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// Every commit up to here is in the sections.
    pub(crate) stamp: Tick,
    pub(crate) counts: Counts,
    /// The next sequence number of every tablet.
    pub(crate) seqs: Vec<u32>,
    pub(crate) stripes: Vec<StripeEntry>,
    /// By index: which partitions there are, one bit each.
    pub(crate) indexes: Vec<u64>,
    /// The same of range indexes.
    pub(crate) ordered: Vec<u64>,
    /// Secondary edge-trees.
    pub(crate) secondaries: Vec<TreeName>,
}

impl Checkpoint {
    fn encode(&self) -> Vec<u8> {
        seal_frame(|output| {
            output.u64(self.stamp);
            output.u64s(self.counts.vertices.iter());
            output.u64s(self.counts.edges.iter());
            output.u32s(self.seqs.iter().copied());
            output.list(&self.stripes, |output, stripe| {
                output.u16(stripe.number);
                output.u16(stripe.label.0);
                output.u32(stripe.allocated);
                output.list(&stripe.sections, |output, (name, tablets)| {
                    output.u32(name.number());
                    output.u64(*tablets);
                });
            });
            output.u64s(self.indexes.iter().copied());
            output.u64s(self.ordered.iter().copied());
            output.list(&self.secondaries, |output, name| output.block(&name.key(TreePart::Root).bytes()));
        })
    }

    fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut input = Input::new(open_frame(bytes)?);
        let stamp = input.u64()?;
        let mut numbers = || Ok::<_, Malformed>(Vec::from(input.u64s()?).into_iter().collect());
        let counts = Counts { vertices: numbers()?, edges: numbers()? };
        let seqs: Vec<u32> = input.u32s()?.into();
        let stripes: Vec<StripeEntry> = input.list(12, decode_stripe)?;
        let indexes = input.u64s()?.into();
        let ordered = if input.is_empty() { Vec::new() } else { input.u64s()?.into() };
        let secondaries = if input.is_empty() { Vec::new() } else { input.list(4, decode_secondary)? };
        input.end()?;
        let fits = seqs.len() <= TABLETS && stripes.len() <= STRIPES;
        Malformed::unless(fits, "it has more tablets or stripes than a graph can have")?;
        Ok(Self { stamp, counts, seqs, stripes, indexes, ordered, secondaries })
    }
}

fn decode_secondary(input: &mut Input<'_>) -> Result<TreeName, Malformed> {
    match SectionKey::parse(input.block()?) {
        Some((SectionKey::Tree { name, part: TreePart::Root }, [])) if name.by.is_some() => Ok(name),
        _ => Err(Malformed::new("it names a secondary edge-tree by what is no such name")),
    }
}

fn decode_stripe(input: &mut Input<'_>) -> Result<StripeEntry, Malformed> {
    let (number, label, allocated) = (input.u16()?, VertexLabelId(input.u16()?), input.u32()?);
    let sections = input.list(12, |input| {
        let name = SectionName::from_number(input.u32()?);
        Ok((name.ok_or_else(|| Malformed::new("a section has an unknown name"))?, input.u64()?))
    })?;
    Ok(StripeEntry { number, label, allocated, sections })
}

fn encode_catalog(catalog: &Catalog) -> Vec<u8> {
    seal_frame(|output| {
        for space in NameSpace::ALL {
            // No name is empty: that is an id which no name has.
            let named: Vec<(u16, &Str)> = catalog.names(space).collect();
            let bound = named.last().map_or(0, |(id, _)| usize::from(*id) + 1);
            output.len(bound);
            let mut named = named.into_iter().peekable();
            for id in 0..bound {
                let name = named.next_if(|(named, _)| usize::from(*named) == id);
                output.block(name.map_or(&[], |(_, name)| name.as_bytes()));
            }
        }
        output.len(0);
        catalog.definitions().encode(output);
    })
}

fn decode_catalog(bytes: &[u8]) -> Result<Declared, Malformed> {
    let mut input = Input::new(open_frame(bytes)?);
    let names = Arc::<Names>::default();
    for space in NameSpace::ALL {
        for id in 0..input.count(4)? {
            let (id, name) = (u16::try_from(id).unwrap_or(u16::MAX), input.str()?);
            if !name.is_empty() {
                names.restore((space, id, name), 0).map_err(|error| Malformed::new(error.to_string()))?;
            }
        }
    }
    let mut declared = Declared::new(names);
    let old_indexes = decode_old_indexes(&mut input)?;
    if input.is_empty() {
        declared.define(|definitions| {
            for index in old_indexes {
                definitions.add_index(index, IndexState::Ready);
            }
        });
    } else {
        declared.restore_definitions(Arc::new(Definitions::decode_rest(&mut input)?), 0);
    }
    input.end()?;
    Ok(declared)
}

/// The keyspace of the root.
pub(crate) struct Meta {
    view: View,
}

impl Meta {
    /// Opens the root of the graph in `store` and checks its format. A new one gets the newest, and so does an older one:
    /// from now on sections are written that an older version cannot read.
    pub(crate) fn open(store: Arc<dyn Store>) -> Result<Self> {
        let meta = Self { view: View::open(store, "meta", KeyspaceShape::Small)? };
        match meta.view.get(b"format")? {
            None => meta.write_format()?,
            Some(bytes) => {
                let corrupt = |problem| GraphError::corrupt("format", problem);
                let bytes = bytes[..].try_into().map_err(|_| corrupt("it has the wrong length"))?;
                let found = u32::from_le_bytes(bytes);
                if found > FORMAT {
                    return Err(GraphError::NewerFormat { found, supported: FORMAT });
                }
                if found == 0 {
                    return Err(corrupt("there is no format 0"));
                }
                if found < FORMAT {
                    // Everything of an older format can be read, but from now on there may be what it cannot.
                    meta.write_format()?;
                }
            }
        }
        Ok(meta)
    }

    fn write_format(&self) -> Result<()> {
        let mut batch = WriteBatch::new();
        batch.put(&self.view.keyspace, "format", FORMAT.to_le_bytes());
        self.write(batch)
    }

    /// The last checkpoint and its catalog; of an empty graph if there was none.
    pub(crate) fn load(&self) -> Result<(Checkpoint, Declared)> {
        let checkpoint = self.read("checkpoint", Checkpoint::decode)?.unwrap_or_default();
        let declared = self.read("catalog", decode_catalog)?;
        Ok((checkpoint, declared.unwrap_or_else(|| Declared::new(Arc::default()))))
    }

    fn read<T>(&self, name: &str, decode: impl FnOnce(&[u8]) -> Result<T, Malformed>) -> Result<Option<T>> {
        let decoded = self.view.get(name.as_bytes())?.map(|bytes| decode(&bytes)).transpose();
        decoded.map_err(|malformed| GraphError::corrupt(name, malformed.0))
    }

    /// The statistics that are stored, with the stamp of their checkpoint.
    pub(crate) fn stored_statistics(&self) -> Result<Option<(Tick, DegreeTable, ValueTable)>> {
        self.read("statistics", decode_statistics)
    }

    /// The statistics as of a checkpoint. Those of an empty graph are known; otherwise, if none were stored or they are
    /// damaged, nothing is: nobody needs them to be right.
    pub(crate) fn load_statistics(&self, checkpoint: &Checkpoint) -> Result<(DegreeTable, ValueTable)> {
        let stored = match self.stored_statistics() {
            Err(error @ GraphError::Corrupt { .. }) => {
                tracing::warn!(%error, "plans do without until the graph is analyzed");
                None
            }
            stored => stored?,
        };
        Ok(match stored.filter(|(stamp, ..)| *stamp == checkpoint.stamp) {
            Some((_, degrees, values)) => (degrees, values),
            None if checkpoint.stripes.is_empty() => Default::default(),
            None => (DegreeTable::unknown(), ValueTable::new()),
        })
    }

    /// Replaces checkpoint, catalog and statistics; durable when it returns, together with every section written before.
    pub(crate) fn save(
        &self,
        checkpoint: &Checkpoint,
        catalog: &Catalog,
        (degrees, values): (&DegreeTable, &ValueTable),
    ) -> Result<()> {
        let mut batch = WriteBatch::new();
        batch.put(&self.view.keyspace, "statistics", encode_statistics(checkpoint.stamp, degrees, values));
        batch.put(&self.view.keyspace, "checkpoint", checkpoint.encode());
        batch.put(&self.view.keyspace, "catalog", encode_catalog(catalog));
        self.write(batch)
    }

    fn write(&self, batch: WriteBatch) -> Result<()> {
        self.view.write(batch, Durability::Sync)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Output;
    use crate::model::{Dir, EdgeLabelId, KeyId};
    use values::VertexRef;

    #[test]
    fn a_checkpoint_comes_back_as_it_was_saved() {
        let checkpoint = Checkpoint {
            stamp: 77,
            counts: Counts { vertices: [3, 0, 9].into_iter().collect(), edges: [1].into_iter().collect() },
            seqs: vec![4; 64],
            stripes: vec![StripeEntry {
                number: 2,
                label: VertexLabelId(1),
                allocated: 99,
                sections: vec![
                    (SectionName::Presence, u64::MAX),
                    (SectionName::Adjacency(EdgeLabelId(3), Dir::In), 5),
                ],
            }],
            indexes: vec![1, 0],
            ordered: vec![0, 6],
            secondaries: vec![
                TreeName::primary(VertexRef(70_000), EdgeLabelId(3), Dir::In).by(Some(KeyId(9))),
            ],
        };
        assert_eq!(Checkpoint::decode(&checkpoint.encode()).unwrap(), checkpoint);
    }

    /// A new graph, with other things in these places.
    fn written(pairs: &[(&str, &[u8])]) -> Arc<dyn Store> {
        let store: Arc<dyn Store> = Arc::new(store::MemoryStore::new());
        let meta = Meta::open(Arc::clone(&store)).unwrap();
        let mut batch = WriteBatch::new();
        pairs.iter().for_each(|&(place, bytes)| batch.put(&meta.view.keyspace, place, bytes));
        meta.write(batch).unwrap();
        store
    }

    /// The catalog that is read of a graph of an older format, which becomes one of this format.
    fn read_of_format(format: u32, catalog: &[u8]) -> Catalog {
        let store = written(&[("format", &format.to_le_bytes()), ("catalog", catalog)]);
        let meta = Meta::open(store).unwrap();
        assert_eq!(&meta.view.get(b"format").unwrap().unwrap()[..], FORMAT.to_le_bytes());
        Catalog::newest(Arc::new(meta.load().unwrap().1))
    }

    /// Names of the three spaces as a catalog has them.
    fn write_names(output: &mut Output, spaces: [&[&str]; 3]) {
        for names in spaces {
            output.list(names, |output, name| output.block(name.as_bytes()));
        }
    }

    #[test]
    fn a_newer_format_is_refused_with_both_numbers() {
        let refused = Meta::open(written(&[("format", &(FORMAT + 1).to_le_bytes())])).err().unwrap();
        let GraphError::NewerFormat { found, supported } = refused else { panic!("{refused}") };
        assert_eq!((found, supported), (FORMAT + 1, FORMAT));
    }

    #[test]
    fn a_graph_of_format_1_is_read_with_its_indexes_and_becomes_one_of_this_format() {
        let old = seal_frame(|output| {
            write_names(output, [&["person"], &[], &["~id", "age"]]);
            output.len(1);
            output.u16(0);
            output.u16(1);
        });
        let catalog = read_of_format(1, &old);
        assert!(catalog.has_index(VertexLabelId(0), catalog.key("age").unwrap()));
        assert_eq!(catalog.definitions().next_index, 1);
    }

    #[test]
    fn catalogs_of_formats_3_to_5_are_read_and_one_of_this_format_comes_back() {
        let catalog = Catalog::default().with_changed(|declared| {
            declared.define(|definitions| definitions.schema.version = 7);
        });
        let encoded = encode_catalog(&catalog);
        assert_eq!(decode_catalog(&encoded).unwrap().definitions, *catalog.definitions());
        // Format 5 ended before the lists to be sorted: a count, and nothing to count; format 4 before the sizes of nodes as
        // well; format 3 before what is read as another type: two more.
        let body = open_frame(&encoded).unwrap();
        for missing in [4, 8, 16] {
            let old = seal_frame(|output| output.bytes.extend_from_slice(&body[..body.len() - missing]));
            assert_eq!(decode_catalog(&old).unwrap().definitions, *catalog.definitions());
        }
    }

    #[test]
    fn a_graph_of_format_5_is_read_with_its_sort_keys_and_becomes_one_of_this_format() {
        let (label, key) = (EdgeLabelId(2), KeyId(3));
        let catalog = Catalog::default().with_changed(|declared| {
            declared.define(|definitions| {
                definitions.schema.edges.entry(label).or_default().sort_key = Some(key);
            });
        });
        let encoded = encode_catalog(&catalog);
        let body = open_frame(&encoded).unwrap();
        let old = seal_frame(|output| output.bytes.extend_from_slice(&body[..body.len() - 4]));
        assert_eq!(read_of_format(5, &old).list_keys(label).collect::<Vec<_>>(), [key]);
    }

    #[test]
    fn a_catalog_with_gaps_comes_back_as_of_its_stamp_and_one_of_format_7_is_read() {
        let names = Arc::<Names>::default();
        let given = [(3, "c", 5), (1, "a", 6), (4, "d", 9)];
        for (id, name, since) in given {
            names.restore((NameSpace::EdgeLabel, id, name), since).unwrap();
        }
        let catalog = Catalog::newest(Arc::new(Declared::new(names))).at(8);
        let encoded = encode_catalog(&catalog);
        let read = Catalog::newest(Arc::new(decode_catalog(&encoded).unwrap()));
        let labels: Vec<_> = read.edge_labels().map(|(id, name)| (id.0, name.to_string())).collect();
        assert_eq!(labels, [(1, "a".to_owned()), (3, "c".to_owned())]);
        assert_eq!(read.edge_label_bound(), 4);

        let old = seal_frame(|output| {
            write_names(output, [&["person", "software"], &["knows"], &["~id", "age"]]);
            output.len(0);
            Definitions::default().encode(output);
        });
        let read = read_of_format(7, &old);
        assert_eq!(read.vertex_label("software"), Some(VertexLabelId(1)));
        assert_eq!((read.edge_label("knows"), read.key("age")), (Some(EdgeLabelId(0)), Some(KeyId(1))));
    }

    #[test]
    fn a_damaged_checkpoint_is_an_error_and_not_an_empty_graph() {
        let mut damaged = Checkpoint { stamp: 5, ..Checkpoint::default() }.encode();
        damaged[12] ^= 1;
        let meta = Meta::open(written(&[("checkpoint", &damaged)])).unwrap();
        assert!(matches!(meta.load(), Err(GraphError::Corrupt { .. })));
    }
}
