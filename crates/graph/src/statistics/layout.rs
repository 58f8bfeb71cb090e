//! What a graph takes, section by section: for benchmarks, and for people who ask where the bytes are.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_epoch::Guard;
use values::Str;

use crate::cells::SectionCell;
use crate::error::Result;
use crate::flush::Files;
use crate::model::{Catalog, Dir, EDGE_ID_KEY};
use crate::resident::{CellVisitor, Memory};
use crate::sections::{
    EDGE_IDS, EdgeTree, FIRST_INDEX, Mergeable, Part, Parts, SectionKey, SectionName, TreeName, TreePart,
    VERTEX_IDS,
};

/// A kind of section.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SectionKind {
    /// Which vertices there are, and their ids.
    Presence,
    /// The values of vertices under a key.
    Column(Str),
    /// The edges with a label, one way.
    Adjacency(Str, Dir),
    /// Those of them whose lists are edge-trees: the nodes of the trees.
    Trees(Str, Dir),
    /// The nodes of their secondary edge-trees by a property.
    SecondaryTrees(Str, Dir, Str),
    /// An index, named for what is looked up in it.
    Index(Str),
}

impl std::fmt::Display for SectionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Presence => f.write_str("presence"),
            Self::Column(key) => write!(f, "column {key}"),
            Self::Adjacency(label, dir) => write!(f, "adjacency {label} {}", word(*dir)),
            Self::Trees(label, dir) => write!(f, "trees {label} {}", word(*dir)),
            Self::SecondaryTrees(label, dir, key) => {
                write!(f, "trees {label} {} by {key}", word(*dir))
            }
            Self::Index(name) => write!(f, "index {name}"),
        }
    }
}

fn word(dir: Dir) -> &'static str {
    match dir {
        Dir::Out => "out",
        Dir::In => "in",
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

impl Files {
    /// Loads every section that the last checkpoint names, and says what each kind takes, in the order of the kinds.
    pub(crate) fn layout(&self) -> Result<Vec<SectionSizes>> {
        let mut keys: Vec<SectionKey> = self.hold_flushes().keys().collect();
        keys.sort_unstable();
        let mut layout = Layout { memory: self, catalog: self.catalog(), kinds: BTreeMap::new() };
        for key in keys {
            layout.section(key)?;
        }
        for name in self.secondaries.live() {
            if let Some(tree) = self.secondaries.tree(name) {
                layout.tree(name, &tree, &crossbeam_epoch::pin())?;
            }
        }
        Ok(layout.kinds.into_values().collect())
    }
}

/// The kinds met so far.
struct Layout<'a> {
    memory: &'a Memory,
    catalog: Catalog,
    kinds: BTreeMap<SectionKind, SectionSizes>,
}

impl Layout<'_> {
    /// Counts a section, and the trees that it leads to.
    fn section(&mut self, key: SectionKey) -> Result<()> {
        let parts = self.memory.visit(key, Measure { memory: self.memory, key }).transpose()?;
        self.count(key, parts.unwrap_or_default())?;
        let guard = crossbeam_epoch::pin();
        let mut trees = self.memory.trees_of(key, &guard).into_iter();
        trees.try_for_each(|(name, tree)| self.tree(name, &tree, &guard))
    }

    /// Counts the nodes of a tree. What root and meta nodes take in memory is left out: some dozens of bytes for every
    /// thousand edges.
    fn tree(&mut self, name: TreeName, tree: &Arc<EdgeTree>, guard: &Guard) -> Result<()> {
        let root = match self.memory.tree_root(None, tree, name, guard) {
            Ok(root) => root,
            // It has left memory and gone back into its section meanwhile.
            Err(_) if !self.memory.is_current(tree, name, guard) => return Ok(()),
            Err(error) => return Err(error),
        };
        self.count(name.key(TreePart::Root), Vec::new())?;
        for meta in root.metas.iter().map(|meta| meta.id.load(Ordering::Relaxed)).filter(|id| *id != 0) {
            self.count(name.key(TreePart::Meta(meta)), Vec::new())?;
        }
        for node in root.nodes().filter(|node| node.id() != 0) {
            let parts = self.memory.edge_node(None, node, name, guard)?.parts();
            self.count(name.key(TreePart::Node(node.id())), parts)?;
        }
        Ok(())
    }

    fn count(&mut self, key: SectionKey, parts: Vec<(Part, usize)>) -> Result<()> {
        let kind = kind_of(key, &self.catalog);
        let new = SectionSizes { kind: kind.clone(), sections: 0, stored_bytes: 0, parts: Vec::new() };
        let sizes = self.kinds.entry(kind).or_insert(new);
        sizes.sections += 1;
        sizes.stored_bytes += self.memory.sections.stored_bytes(key)?;
        for (part, bytes) in parts {
            sizes.add(part_name(part, &self.catalog), bytes as u64);
        }
        Ok(())
    }
}

/// Loads a section; its parts and their bytes.
struct Measure<'a> {
    memory: &'a Memory,
    key: SectionKey,
}

impl CellVisitor for Measure<'_> {
    type Output = Result<Vec<(Part, usize)>>;

    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) -> Self::Output {
        let guard = crossbeam_epoch::pin();
        let section = self.memory.section(cell, || self.key, &guard)?;
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
        SectionKey::Tree { name: TreeName { label, dir, by: Some(key), .. }, .. } => {
            let (label, key) = (catalog.edge_label_name(label), catalog.key_name(key));
            SectionKind::SecondaryTrees(label.clone(), dir, key.clone())
        }
        SectionKey::Tree { name: TreeName { label, dir, .. }, .. } => {
            SectionKind::Trees(catalog.edge_label_name(label).clone(), dir)
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
    }
}

fn part_name(part: Part, catalog: &Catalog) -> String {
    match part {
        Part::Of(name) => name.to_owned(),
        Part::EdgeColumn(EDGE_ID_KEY) => "edge ids".to_owned(),
        Part::EdgeColumn(key) => format!("property {}", catalog.key_name(key)),
    }
}
