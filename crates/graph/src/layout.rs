//! What a graph takes, section by section: for benchmarks, and for people who ask where the bytes are.

use values::Str;

use crate::catalog::{Catalog, EDGE_ID_KEY};
use crate::core::{Core, EDGE_IDS, FIRST_INDEX, VERTEX_IDS};
use crate::memory::SectionCell;
use crate::placement::CellVisitor;
use crate::section::{Mergeable, Part, Parts};
use crate::section_key::{SectionKey, SectionName};
use crate::tree::TreePart;
use crate::{Dir, Result};

/// A kind of section.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SectionKind {
    /// Which vertices there are, and their ids.
    Presence,
    /// The values of vertices under a key.
    Column(Str),
    /// The edges with a label, one way.
    Adjacency(Str, Dir),
    /// An index, named for what is looked up in it.
    Index(Str),
}

impl std::fmt::Display for SectionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Presence => f.write_str("presence"),
            Self::Column(key) => write!(f, "column {key}"),
            Self::Adjacency(label, Dir::Out) => write!(f, "adjacency {label} out"),
            Self::Adjacency(label, Dir::In) => write!(f, "adjacency {label} in"),
            Self::Index(name) => write!(f, "index {name}"),
        }
    }
}

/// What the sections of one kind take.
#[derive(Clone, Debug)]
pub struct SectionSizes {
    /// Which sections these are.
    pub kind: SectionKind,
    /// How many there are.
    pub sections: u64,
    /// Their bytes in the store, before the store's own compression.
    pub stored_bytes: u64,
    /// Their bytes in memory by part: "offsets", "neighbours", "seqs", "property since", and so on. Bases only.
    pub parts: Vec<(String, u64)>,
}

impl SectionSizes {
    /// Their bytes in memory.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|(_, bytes)| bytes).sum()
    }

    fn add(&mut self, part: String, bytes: u64) {
        match self.parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, sum)) => *sum += bytes,
            None => self.parts.push((part, bytes)),
        }
    }
}

impl Core {
    /// Loads every section that the last checkpoint names, and says what each kind takes, in the order of the kinds.
    pub(crate) fn layout(&self) -> Result<Vec<SectionSizes>> {
        let mut keys: Vec<SectionKey> = self.flushing.lock().keys().collect();
        keys.sort_unstable();
        let catalog = self.catalog();
        let mut kinds: Vec<SectionSizes> = Vec::new();
        for key in keys {
            let kind = kind_of(key, &catalog);
            let place = match kinds.iter().position(|sizes| sizes.kind == kind) {
                Some(place) => place,
                None => {
                    kinds.push(SectionSizes { kind, sections: 0, stored_bytes: 0, parts: Vec::new() });
                    kinds.len() - 1
                }
            };
            let sizes = &mut kinds[place];
            sizes.sections += 1;
            sizes.stored_bytes += self.sections.stored_bytes(key)?;
            for (part, bytes) in self.visit(key, Measure { core: self, key }).transpose()?.unwrap_or_default()
            {
                sizes.add(part_name(part, &catalog), bytes as u64);
            }
            self.measure_trees(key, &catalog, sizes)?;
        }
        kinds.sort_by(|a, b| a.kind.cmp(&b.kind));
        Ok(kinds)
    }
}

impl Core {
    /// Loads the edge-trees that a section leads to, and adds what their edge nodes take.
    fn measure_trees(&self, key: SectionKey, catalog: &Catalog, sizes: &mut SectionSizes) -> Result<()> {
        let guard = crossbeam_epoch::pin();
        for (name, tree) in self.trees_of(key, &guard) {
            let root = self.tree_root(&tree, name, &guard)?;
            for node in root.nodes() {
                sizes.sections += 1;
                if !node.is_dirty() {
                    sizes.stored_bytes += self.sections.stored_bytes(name.key(TreePart::Node(node.id())))?;
                }
                for (part, bytes) in self.edge_node(node, name, &guard)?.parts() {
                    sizes.add(part_name(part, catalog), bytes as u64);
                }
            }
        }
        Ok(())
    }
}

/// Loads a section; its parts and their bytes.
struct Measure<'a> {
    core: &'a Core,
    key: SectionKey,
}

impl CellVisitor for Measure<'_> {
    type Output = Result<Vec<(Part, usize)>>;

    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) -> Self::Output {
        let guard = crossbeam_epoch::pin();
        let section = self.core.section(cell, || self.key, &guard)?;
        Ok(section.map_or_else(Vec::new, Parts::parts))
    }
}

fn kind_of(key: SectionKey, catalog: &Catalog) -> SectionKind {
    match key {
        SectionKey::Block { name: SectionName::Presence, .. } => SectionKind::Presence,
        SectionKey::Block { name: SectionName::Column(key), .. } => {
            SectionKind::Column(catalog.key_name(key).clone())
        }
        SectionKey::Block { name: SectionName::Adjacency(label, dir), .. } => {
            SectionKind::Adjacency(catalog.edge_label_name(label).clone(), dir)
        }
        SectionKey::Index { index, .. } | SectionKey::Ordered { index, .. } => {
            SectionKind::Index(match index as usize {
                VERTEX_IDS => "vertex ids".into(),
                EDGE_IDS => "edge ids".into(),
                index => {
                    let number = (index - FIRST_INDEX) as u32;
                    let index = catalog.indexes().iter().find(|index| index.number == number);
                    let key = index.and_then(|index| index.definition.keys.first());
                    key.map_or_else(Str::default, |key| catalog.key_name(*key).clone())
                }
            })
        }
        SectionKey::Tree { name, .. } => {
            SectionKind::Adjacency(catalog.edge_label_name(name.label).clone(), name.dir)
        }
    }
}

fn part_name(part: Part, catalog: &Catalog) -> String {
    match part {
        Part::Of(name) => name.to_owned(),
        Part::EdgeColumn(EDGE_ID_KEY) => "edge ids".to_owned(),
        Part::EdgeColumn(key) => format!("property {}", catalog.key_name(key)),
    }
}
