//! Transactions that commit together: one record of the log has all of them, and where memory is short the first are
//! flushed before the last are applied.

use graph::{
    Cardinality, EdgeRef, Graph, GraphError, PropertyId, Stamp, Submitted, Transaction, Value, VertexRef,
};

use super::{Doubt, Run};
use crate::naive::Naive;
use crate::naive::steps::{EDGES, KEYS, RARE, pick_vertex, rare, value};

/// A transaction that is about to commit, and what it leaves behind.
pub(super) struct Member {
    pub(super) transaction: Transaction,
    pub(super) change: Change,
}

/// What a transaction has changed.
pub(super) enum Change {
    /// All there is, to what it is then: of the first of a group.
    To(Naive),
    /// What is said: of those that began before the first had ended.
    By(Vec<Write>),
}

/// A write that makes the same of every state in which there are its vertices.
pub(super) enum Write {
    Edge { e: EdgeRef, label: &'static str },
    Property { v: VertexRef, key: &'static str, value: Value, id: PropertyId },
}

impl Write {
    fn vertices(&self) -> [VertexRef; 2] {
        match self {
            Self::Edge { e, .. } => [e.src, e.dst],
            Self::Property { v, .. } => [*v; 2],
        }
    }

    /// Does it to the model; false if one of its vertices is gone.
    fn apply(&self, model: &mut Naive) -> bool {
        if self.vertices().iter().any(|v| !model.vertices.contains_key(&v.0)) {
            return false;
        }
        match self {
            Self::Edge { e, label } => {
                model.names.extend(RARE.iter().find(|name| *name == label));
                model.add_edge(*e, label, None);
            }
            Self::Property { v, key, value, id } => {
                model.names.extend(RARE.iter().find(|name| *name == key));
                model.set_vertex_property(*v, Cardinality::Single, key, value.clone(), &[], *id);
            }
        }
        true
    }
}

/// A commit that was submitted, or not; whether what was read before could be read, and where it read.
struct Ending {
    submitted: Result<Submitted, GraphError>,
    read: Result<(), GraphError>,
    before: Stamp,
    change: Change,
}

impl Run {
    /// Some transactions of a few writes each that begin now, none of which knows of the others. Some that were between them have
    /// been rolled back by then, with the names that they had.
    pub(super) fn followers(&mut self, graph: &Graph) -> Vec<Member> {
        (0..1 + self.random.below(4))
            .filter_map(|_| {
                let transaction = graph.begin();
                let count = 1 + self.random.below(4);
                let writes = (0..count).filter_map(|_| self.write_alone(&transaction)).collect();
                if self.random.below(4) == 0 {
                    transaction.rollback();
                    return None;
                }
                Some(Member { transaction, change: Change::By(writes) })
            })
            .collect()
    }

    fn write_alone(&mut self, transaction: &Transaction) -> Option<Write> {
        self.operations += 1;
        let (model, random) = (&self.model, &mut self.random);
        let v = pick_vertex(model, random)?;
        let write = if random.below(3) > 0 {
            let other = pick_vertex(model, random)?;
            let is_rare = random.below(4) == 0;
            let label = if is_rare { rare(model, random) } else { EDGES[random.below(EDGES.len())] };
            transaction.add_edge(None, label, v, other).map(|e| Write::Edge { e, label })
        } else {
            let is_rare = random.below(4) == 0;
            let key = if is_rare { rare(model, random) } else { KEYS[random.below(3)] };
            let value = value(random);
            let set = transaction.set_vertex_property(v, Cardinality::Single, key, value.clone(), &[]);
            set.map(|id| Write::Property { v, key, value, id })
        };
        match write {
            Ok(write) => Some(write),
            // It has written nothing; what was read must have failed.
            Err(GraphError::Store(_) | GraphError::Corrupt { .. }) => {
                self.report.refused_reads += 1;
                None
            }
            Err(error) => {
                self.wrong(format!("a write was refused with: {error}"));
                None
            }
        }
    }

    /// Commits all of them at once: the first to wait leads the others.
    pub(super) fn commit_together(&mut self, members: Vec<Member>) {
        let endings: Vec<Ending> = members
            .into_iter()
            .map(|Member { transaction, change }| {
                let snapshot = transaction.snapshot();
                let (read, before) = (snapshot.check(), snapshot.stamp());
                Ending { submitted: transaction.submit(), read, before, change }
            })
            .collect();
        let (stopped, acknowledged) = (self.stopped, self.report.acknowledged);
        // With what those before it may have left behind.
        let mut latest = self.model.clone();
        for ending in endings {
            self.operations += 1;
            let was_stopped = std::mem::replace(&mut self.stopped, stopped);
            self.end(ending, &mut latest);
            self.stopped |= was_stopped;
            if !self.sound() {
                return;
            }
        }
        self.report.groups += u64::from(self.report.acknowledged > acknowledged + 1);
    }

    fn end(&mut self, ending: Ending, latest: &mut Naive) {
        let Ending { submitted, read, before, change } = ending;
        if let (Err(GraphError::Conflict(_)), Change::By(_)) = (&submitted, &change) {
            return;
        }
        let is_queued = submitted.is_ok();
        let committed = submitted.and_then(Submitted::wait);
        self.tell(|| format!("commit {committed:?}, read {read:?}"));
        if let (Ok(stamp), Change::By(writes)) = (&committed, &change)
            && writes.is_empty()
        {
            if *stamp != before {
                self.wrong("a transaction without writes was committed".into());
            }
            return;
        }
        let mut tentative = latest.clone();
        let fits = match change {
            Change::To(model) => {
                tentative = model;
                true
            }
            Change::By(writes) => writes.iter().all(|write| write.apply(&mut tentative)),
        };
        match (committed, read) {
            // Nothing was left to write, so nothing was: that succeeds whatever came before.
            (Ok(stamp), Ok(())) if stamp == before => {
                self.model = tentative.clone();
                *latest = tentative;
            }
            (Ok(_), Ok(())) if !fits => self.wrong("a vertex was dropped that somebody else changed".into()),
            (Ok(_), Ok(())) => {
                self.acknowledge(tentative.clone());
                *latest = tentative;
            }
            (Ok(_), Err(error)) => self.wrong(format!("committed, though it could not read: {error}")),
            (Err(_), Err(_)) => {}
            (Err(error), Ok(())) => {
                let doubts = self.doubts.len();
                self.refused(&error, Doubt { model: tentative.clone(), loaded: Vec::new() });
                if is_queued && self.doubts.len() > doubts {
                    *latest = tentative;
                }
            }
        }
    }
}
