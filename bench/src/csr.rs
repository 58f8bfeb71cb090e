//! The limit: the same traversals, hand-written over CSR arrays.
//!
//! ```text
//! offsets    │0│3│3│5│ …    one per person, and one
//! neighbours │1│4│7│0│2│ …  dense person numbers
//! ```
//!
//! Extracted from the graph that Mangrove answers from, so both see the same data.

use graph::{Dir, KeyId, ScanCursor, Snapshot};
use values::VertexRef;

/// The `knows` edges between persons, with the one property that a limit query filters by.
#[derive(Clone)]
pub struct Csr {
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    birthdays: Vec<i64>,
    /// The LDBC id of each person.
    pub ids: Vec<i64>,
    seen: Vec<u32>,
    epoch: u32,
    frontier: Vec<u32>,
    next: Vec<u32>,
}

impl Csr {
    /// Extracts the arrays; `None` if the graph has no persons who know each other.
    pub fn extract(snapshot: &Snapshot) -> Option<Self> {
        let catalog = snapshot.catalog();
        let (person, knows) = (catalog.vertex_label("Person")?, catalog.edge_label("knows")?);
        let (id, birthday) = (catalog.key("id")?, catalog.key("birthday")?);
        let reader = snapshot.reader();
        let (mut persons, mut cursor) = (Vec::new(), ScanCursor::default());
        while reader.scan_vertices(Some(person), &mut cursor, 4096, &mut persons) {}
        let numbers: std::collections::HashMap<VertexRef, u32> =
            persons.iter().enumerate().map(|(n, v)| (*v, n as u32)).collect();
        let long = |v: VertexRef, key: KeyId| reader.value(v, key).and_then(|x| x.as_i64()).unwrap_or(0);
        let (mut offsets, mut neighbours) = (vec![0u32], Vec::new());
        for &v in &persons {
            let mut list: Vec<u32> =
                reader.list(v, knows, Dir::Out).neighbours().map(|n| numbers[&n]).collect();
            list.sort_unstable();
            neighbours.extend(list);
            offsets.push(neighbours.len() as u32);
        }
        Some(Self {
            offsets,
            neighbours,
            birthdays: persons.iter().map(|&v| long(v, birthday)).collect(),
            ids: persons.iter().map(|&v| long(v, id)).collect(),
            seen: vec![0; persons.len()],
            epoch: 0,
            frontier: Vec::new(),
            next: Vec::new(),
        })
    }

    fn list(&self, person: u32) -> &[u32] {
        &self.neighbours[self.offsets[person as usize] as usize..self.offsets[person as usize + 1] as usize]
    }

    /// Number of distinct ends of walks of `hops` steps from a person.
    pub fn distinct(&mut self, person: u32, hops: usize) -> u64 {
        let (mut frontier, mut next) = (std::mem::take(&mut self.frontier), std::mem::take(&mut self.next));
        frontier.clear();
        frontier.push(person);
        for _ in 0..hops {
            self.epoch += 1;
            next.clear();
            for &a in &frontier {
                let range = self.offsets[a as usize] as usize..self.offsets[a as usize + 1] as usize;
                for &b in &self.neighbours[range] {
                    let seen = &mut self.seen[b as usize];
                    if *seen != self.epoch {
                        *seen = self.epoch;
                        next.push(b);
                    }
                }
            }
            std::mem::swap(&mut frontier, &mut next);
        }
        let count = frontier.len() as u64;
        (self.frontier, self.next) = (frontier, next);
        count
    }

    /// Number of walks of two steps.
    pub fn paths(&self, person: u32) -> u64 {
        self.list(person).iter().map(|&a| self.list(a).len() as u64).sum()
    }

    /// Number of walks of two steps from anybody.
    pub fn all_paths(&self) -> u64 {
        (0..self.ids.len() as u32).map(|person| self.paths(person)).sum()
    }

    /// Number of walks of two steps whose end was born before `before`.
    pub fn paths_born_before(&self, person: u32, before: i64) -> u64 {
        let hits =
            |a: u32| self.list(a).iter().filter(|&&b| self.birthdays[b as usize] < before).count() as u64;
        self.list(person).iter().map(|&a| hits(a)).sum()
    }
}
