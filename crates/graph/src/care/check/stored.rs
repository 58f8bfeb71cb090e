//! Every stored pair, one by one.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use store::{KeyRange, Keyspace, KeyspaceShape, ScanOrder, Store};

use super::{CheckProgress, Findings};
use crate::bytes::Malformed;
use crate::durable::{Checkpoint, HEADER, Log, Meta, Notes, header};
use crate::error::Result;
use crate::flush::Manifest;
use crate::model::Tick;
use crate::sections::{
    Adjacency, Column, IndexPartition, OrderedPartition, Presence, SectionKey, SectionName, StoredMeta,
    StoredRoot, StoredSection, TreePart,
};

/// Checks what lies in the keyspaces of the graph; whether there is a graph.
pub(super) fn check(
    store: &Arc<dyn Store>,
    findings: &mut Findings,
    progress: &mut dyn FnMut(CheckProgress),
) -> Result<bool> {
    if !store.keyspace_names().iter().any(|name| name == "meta") {
        return Ok(false);
    }
    let checkpoint = match Meta::open(Arc::clone(store)).and_then(|meta| meta.load()) {
        Ok((checkpoint, _)) => checkpoint,
        Err(error) => {
            findings.add("the root of the graph", error);
            Checkpoint::default()
        }
    };
    if let Err(error) = Meta::open(Arc::clone(store)).and_then(|meta| meta.stored_statistics()) {
        findings.add("the statistics", error);
    }
    if let Err(error) = Log::open(Arc::clone(store)).and_then(|log| log.replay(0, |_, _| Ok(()))) {
        findings.add("the log", error);
    }
    if let Err(error) = Notes::new(Arc::clone(store)).each("", |_, _| Ok(())) {
        findings.add("the notes", error);
    }
    let keyspace = store.keyspace("sections", KeyspaceShape::Large).map_err(Arc::new)?;
    let total = store.approximate_size(&keyspace).map_err(Arc::new)?.keys;
    let mut sections = Sections { findings, missing: named(&checkpoint), open: None };
    if let Err(error) = sections.read(store, &keyspace, &mut |done| {
        progress(CheckProgress::Stored { done, total: total.max(done) });
    }) {
        findings.add("the sections", error);
    }
    Ok(true)
}

/// The sections that a checkpoint names.
fn named(checkpoint: &Checkpoint) -> FxHashSet<SectionKey> {
    let trees = checkpoint.secondaries.iter().map(|name| name.key(TreePart::Root));
    Manifest::of(checkpoint).keys().chain(trees).collect()
}

/// Goes through the sections in the order of their keys.
struct Sections<'a> {
    findings: &'a mut Findings,
    /// Sections that the checkpoint names and that were not met yet.
    missing: FxHashSet<SectionKey>,
    open: Option<Open>,
}

/// A section of which all parts so far were read.
struct Open {
    key: SectionKey,
    parts: u16,
    generation: Tick,
    read: u16,
    bytes: Vec<u8>,
}

impl Sections<'_> {
    fn read(
        &mut self,
        store: &Arc<dyn Store>,
        keyspace: &Keyspace,
        progress: &mut dyn FnMut(u64),
    ) -> Result<()> {
        let snapshot = store.snapshot().map_err(Arc::new)?;
        let mut done = 0;
        for pair in snapshot.scan(keyspace, KeyRange::all(), ScanOrder::Ascending).map_err(Arc::new)? {
            let (name, value) = pair.map_err(Arc::new)?;
            // A point read goes another way than a scan, and must come to the same place.
            if snapshot.get(keyspace, &name).map_err(Arc::new)?.as_ref() != Some(&value) {
                self.findings.add(format!("{name:?}"), "a scan finds it, and a read does not");
            }
            self.pair(&name, &value);
            done += 1;
            if done % 64 == 0 {
                progress(done);
            }
        }
        self.close();
        for key in self.missing.drain() {
            self.findings.add(key, "the checkpoint names it, and it is missing");
        }
        Ok(())
    }

    fn pair(&mut self, name: &[u8], value: &[u8]) {
        match SectionKey::parse(name) {
            None => self.findings.add(format!("{:?}", store::Bytes::from(name)), "no section has such a key"),
            Some((key, [])) => {
                self.close();
                self.missing.remove(&key);
                match header(value) {
                    Some((parts, generation)) if parts > 0 => {
                        let bytes = value[HEADER..].to_vec();
                        self.open = Some(Open { key, parts, generation, read: 1, bytes });
                    }
                    _ => self.findings.add(key, "its header does not read"),
                }
            }
            Some((_, part)) => self.part(part, value),
        }
    }

    /// A further part. Parts that do not go on with the section before them are left over from one that was replaced.
    fn part(&mut self, part: &[u8], value: &[u8]) {
        let Some(open) = &mut self.open else { return };
        let mut expected = open.generation.to_be_bytes().to_vec();
        expected.extend_from_slice(&open.read.to_be_bytes());
        if part == expected && open.read < open.parts {
            open.read += 1;
            open.bytes.extend_from_slice(value);
        }
    }

    /// The section that was begun has no further parts.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        if open.read < open.parts {
            let problem = format!("{} of its {} parts are there", open.read, open.parts);
            self.findings.add(open.key, problem);
            return;
        }
        if let Err(malformed) = decode(open.key, &open.bytes) {
            self.findings.add(open.key, malformed.0);
        }
    }
}

/// Decodes a section of any kind.
fn decode(key: SectionKey, bytes: &[u8]) -> Result<(), Malformed> {
    match key {
        SectionKey::Block { name: SectionName::Presence, .. } => Presence::decode(bytes).map(drop),
        SectionKey::Block { name: SectionName::Column(_), .. } => Column::decode(bytes).map(drop),
        SectionKey::Block { name: SectionName::Adjacency(..), .. } => Adjacency::decode(bytes).map(drop),
        SectionKey::Index { .. } => IndexPartition::decode(bytes).map(drop),
        SectionKey::Ordered { .. } => OrderedPartition::decode(bytes).map(drop),
        SectionKey::Tree { part: TreePart::Root, .. } => StoredRoot::decode(bytes).map(drop),
        SectionKey::Tree { part: TreePart::Meta(_), .. } => StoredMeta::decode(bytes).map(drop),
        SectionKey::Tree { part: TreePart::Node(_), .. } => Adjacency::decode(bytes).map(drop),
    }
}
