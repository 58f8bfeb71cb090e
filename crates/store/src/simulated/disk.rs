//! What is durable, what is only buffered, and what becomes of it.

use std::collections::BTreeMap;
use std::io;

use xxhash_rust::xxh3::Xxh3;

use super::faults::{FaultCounts, Random, ReadFault, Schedule, SimulatedFaults, WriteFault};
use crate::batch::Write;
use crate::keyspace::KeyspaceId;
use crate::memory::Versions;
use crate::{Bytes, Durability, StoreError};

/// How a store ends without having been asked to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outage {
    /// The process ends; what the operating system has been given stays.
    Process,
    /// The power goes: of what was not synced, a prefix of the batches survives.
    Power,
}

/// The contents of a disk, and its fate.
///
/// ```text
///   tables   name ─▶ key ─▶ value          durable
///   pending  [ batch │ batch │ … ]         in the order they were written; a sync moves all of them to the tables
/// ```
pub(super) struct Disk {
    tables: Vec<(String, BTreeMap<Bytes, Bytes>)>,
    pending: Vec<Vec<Write>>,
    /// A sync failed: even without a power cut, only a prefix of what is pending is there.
    doubtful: bool,
    /// The newest mount.
    life: u64,
    /// The power went; nothing is answered until the next mount.
    dead: bool,
    /// Writes that are still to be refused because the disk is full.
    full: u32,
    /// Writes that still pass before those.
    before_full: u32,
    faults: SimulatedFaults,
    allowed: bool,
    random: Random,
    next_write_fault: Schedule,
    next_read_fault: Schedule,
    counts: FaultCounts,
}

impl Disk {
    pub(super) fn new(seed: u64, faults: SimulatedFaults) -> Self {
        let mut random = Random::new(seed);
        let next_write_fault = Schedule::new(faults.writes_between, &mut random);
        let next_read_fault = Schedule::new(faults.reads_between, &mut random);
        Self {
            tables: Vec::new(),
            pending: Vec::new(),
            doubtful: false,
            life: 0,
            dead: true,
            full: 0,
            before_full: 0,
            faults,
            allowed: true,
            random,
            next_write_fault,
            next_read_fault,
            counts: FaultCounts::default(),
        }
    }

    /// Everything that is there, as the first commit of a new store. A store that opens makes what it finds durable,
    /// so that it never shows what a power cut could take back.
    pub(super) fn mount(&mut self) -> (Versions, u64) {
        self.harden();
        (self.life, self.dead) = (self.life + 1, false);
        let mut versions = Versions::default();
        let mut writes = Vec::new();
        for (name, pairs) in &self.tables {
            let keyspace = KeyspaceId { store: 0, index: versions.open_table(name) };
            let write = |(key, value): (&Bytes, &Bytes)| Write {
                keyspace,
                key: key.clone(),
                value: Some(value.clone()),
            };
            writes.extend(pairs.iter().map(write));
        }
        versions.apply(writes);
        (versions, self.life)
    }

    pub(super) fn stop(&mut self, outage: Outage) {
        if outage == Outage::Power || self.dead || self.doubtful {
            let survive = self.random.below(self.pending.len() + 1);
            self.pending.truncate(survive);
        }
        (self.dead, self.doubtful) = (true, false);
    }

    pub(super) fn allow_faults(&mut self, allowed: bool) {
        self.allowed = allowed;
    }

    pub(super) fn fill(&mut self, pass: u32, refuse: u32) {
        (self.before_full, self.full) = (pass, refuse);
    }

    pub(super) fn free_space(&mut self) -> bool {
        std::mem::take(&mut self.full) > 0
    }

    pub(super) fn counts(&self) -> FaultCounts {
        self.counts
    }

    pub(super) fn digest(&self) -> u64 {
        let mut hasher = Xxh3::new();
        for (name, pairs) in &self.tables {
            hasher.update(name.as_bytes());
            for (key, value) in pairs {
                [key, value].into_iter().for_each(|bytes| hasher.update(bytes));
            }
        }
        hasher.update(format!("{:?} {} {}", self.counts, self.life, self.pending.len()).as_bytes());
        hasher.digest()
    }

    /// Makes sure that there is a table called `name`.
    pub(super) fn open_table(&mut self, life: u64, name: &str) -> Result<(), StoreError> {
        if self.tables.iter().any(|(known, _)| known == name) {
            return self.check_alive(life);
        }
        let fault = self.write_fault(life)?;
        if fault.is_none_or(|fault| !fault.spares_the_disk()) {
            self.tables.push((name.to_owned(), BTreeMap::new()));
        }
        self.outcome(fault)
    }

    /// Takes a batch; with [`Durability::Sync`] it is durable when this succeeds.
    pub(super) fn write(
        &mut self,
        life: u64,
        writes: &[Write],
        durability: Durability,
    ) -> Result<(), StoreError> {
        let fault = self.write_fault(life)?;
        if fault.is_none_or(|fault| !fault.spares_the_disk()) {
            self.pending.push(writes.to_vec());
        }
        let synced = match fault {
            None => true,
            Some(WriteFault::Unacknowledged | WriteFault::CutAfter) => self.random.below(2) == 0,
            Some(_) => false,
        };
        if synced && durability == Durability::Sync {
            self.harden();
        }
        self.outcome(fault)
    }

    /// Takes pairs past the pending batches; durable when this succeeds, there in any portion when it fails.
    pub(super) fn ingest(&mut self, life: u64, table: usize, writes: &[Write]) -> Result<(), StoreError> {
        let fault = self.write_fault(life)?;
        let portion = match fault {
            None => writes.len(),
            Some(_) => self.random.below(writes.len() + 1),
        };
        for write in &writes[..portion] {
            // What was buffered for the key before is older.
            let same = |other: &Write| other.keyspace.index as usize == table && other.key == write.key;
            self.pending.iter_mut().for_each(|batch| batch.retain(|other| !same(other)));
            self.set(table, write.clone());
        }
        self.outcome(fault)
    }

    /// Makes everything that is pending durable.
    pub(super) fn sync(&mut self, life: u64) -> Result<(), StoreError> {
        let fault = self.write_fault(life)?;
        if matches!(fault, None | Some(WriteFault::CutAfter)) {
            self.harden();
        }
        self.doubtful |= fault.is_some();
        self.outcome(fault)
    }

    /// What goes wrong with a read.
    pub(super) fn read_fault(&mut self, life: u64) -> Result<Option<ReadFault>, StoreError> {
        self.check_alive(life)?;
        self.counts.reads += 1;
        if !self.allowed || !self.next_read_fault.due(&mut self.random) {
            return Ok(None);
        }
        let fault = self.random.choose(&[ReadFault::Error, ReadFault::Flipped, ReadFault::Cut]);
        if fault == ReadFault::Error {
            self.counts.failed_reads += 1;
            return Err(failure("the read was made to fail"));
        }
        Ok(Some(fault))
    }

    /// Does to a value what a fault says.
    pub(super) fn damage(&mut self, fault: ReadFault, value: &Bytes) -> Bytes {
        let mut damaged = value.to_vec();
        if damaged.is_empty() {
            return value.clone();
        }
        self.counts.damaged_reads += 1;
        let at = self.random.below(damaged.len());
        match fault {
            ReadFault::Cut => damaged.truncate(at),
            _ => damaged[at] ^= 1 << self.random.below(8),
        }
        damaged.into()
    }

    fn check_alive(&self, life: u64) -> Result<(), StoreError> {
        if self.dead || life != self.life {
            return Err(StoreError::Halted { cause: "the power of the simulated disk is off".into() });
        }
        Ok(())
    }

    /// Decides what goes wrong with a call that changes something.
    fn write_fault(&mut self, life: u64) -> Result<Option<WriteFault>, StoreError> {
        use WriteFault as F;
        self.check_alive(life)?;
        self.counts.writes += 1;
        if !self.allowed {
            return Ok(None);
        }
        if let Some(pass) = self.before_full.checked_sub(1) {
            self.before_full = pass;
            return Ok(None);
        }
        if let Some(left) = self.full.checked_sub(1) {
            self.full = left;
            return Ok(Some(F::Full));
        }
        if !self.next_write_fault.due(&mut self.random) {
            return Ok(None);
        }
        let all = [F::Refused, F::Unacknowledged, F::FailedSync, F::Full, F::CutBefore, F::CutAfter];
        let fault = self.random.choose(&all);
        if fault == F::Full {
            self.full = self.random.below(self.faults.full_for as usize + 1) as u32;
        }
        Ok(Some(fault))
    }

    /// What the caller is told, and what else a fault does.
    fn outcome(&mut self, fault: Option<WriteFault>) -> Result<(), StoreError> {
        let Some(fault) = fault else { return Ok(()) };
        let counts = &mut self.counts;
        Err(match fault {
            WriteFault::Refused => {
                counts.refused += 1;
                failure("the write was made to fail before it was done")
            }
            WriteFault::Unacknowledged => {
                counts.unacknowledged += 1;
                failure("the write was made to fail after it was done")
            }
            WriteFault::FailedSync => {
                counts.failed_syncs += 1;
                self.doubtful = true;
                failure("the sync was made to fail")
            }
            WriteFault::Full => {
                counts.full += 1;
                StoreError::DiskFull { path: "simulated".into() }
            }
            WriteFault::CutBefore | WriteFault::CutAfter => {
                counts.power_cuts += 1;
                self.dead = true;
                failure("the power went")
            }
        })
    }

    /// Everything that is pending becomes durable.
    fn harden(&mut self) {
        for batch in std::mem::take(&mut self.pending) {
            for write in batch {
                self.set(write.keyspace.index as usize, write);
            }
        }
    }

    fn set(&mut self, table: usize, Write { key, value, .. }: Write) {
        let pairs = &mut self.tables[table].1;
        match value {
            Some(value) => pairs.insert(key, value),
            None => pairs.remove(&key),
        };
    }
}

impl WriteFault {
    /// Whether nothing reaches the disk.
    fn spares_the_disk(self) -> bool {
        matches!(self, Self::Refused | Self::Full | Self::CutBefore)
    }
}

fn failure(what: &str) -> StoreError {
    StoreError::Io { path: "simulated".into(), source: io::Error::other(what) }
}
