//! Rows into transactions.

use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use graph::{BulkColumn, BulkProgress, Graph, GraphError, Transaction};
use rustc_hash::FxHashSet;
use values::{Value, VertexRef};

use super::batch::Batch;
use super::journal::{Journal, State};
use super::others::Others;
use super::refusal::{Refusal, Written, fault, is_of_row};
use super::vertex::{self, Became, key_of, shown};
use super::{PresentOptions, edge};
use crate::error::{BadRow, Fault, ImportError};
use crate::rejects::BadRows;
use crate::sink::{Outcome, Rows, Sink, Tally};

/// How often a transaction is tried that loses against others.
const ATTEMPTS: u32 = 60;
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// In place of the vertex of a row that was refused.
const NONE: u32 = u32::MAX;

/// See the module.
pub(super) struct Writer<'g> {
    graph: &'g Graph,
    options: &'g PresentOptions,
    journal: Journal<'g>,
    /// What the vertices are of the rows that are done, by the numbers that the reader has for them.
    vertices: Vec<u32>,
    others: Others,
    ours: RefCell<Ours>,
    /// Vertices that were handed over.
    named: u32,
    /// Rows that were handed over.
    seen: u64,
    pending: Vec<Batch>,
    waiting: usize,
    reports: Vec<BadRow>,
    /// Labels and keys that have an index.
    indexed: FxHashSet<(String, String)>,
    /// Rows that were done before.
    before: u64,
}

/// The vertices of the rows that are done, to look one up; made when somebody does.
#[derive(Default)]
struct Ours {
    known: FxHashSet<u32>,
    /// How many of them are known.
    count: usize,
}

impl Ours {
    fn contains(&mut self, vertices: &[u32], v: u32) -> bool {
        self.known.extend(&vertices[self.count..]);
        self.count = vertices.len();
        self.known.contains(&v)
    }
}

/// Rows of a transaction: each by the number of its batch, and its own there.
type Chunk<'c> = &'c [(u32, u32)];

/// What a transaction comes to, until it is durable.
#[derive(Default)]
struct Draft {
    vertices: Vec<u32>,
    tally: Tally,
    refused: Vec<BadRow>,
}

/// How an attempt ended.
enum Attempt {
    Durable,
    /// It is to be done in parts, of which the first has so many rows.
    Parted(usize),
    /// Its only row is at fault.
    Bad(Fault),
    /// It is to be tried again.
    Again(GraphError),
}

impl<'g> Writer<'g> {
    pub(super) fn new(
        graph: &'g Graph,
        options: &'g PresentOptions,
        journal: Journal<'g>,
    ) -> Result<Self, ImportError> {
        Ok(Self {
            graph,
            options,
            vertices: journal.vertices()?,
            others: Others::default(),
            ours: RefCell::default(),
            named: 0,
            seen: 0,
            pending: Vec::new(),
            waiting: 0,
            reports: Vec::new(),
            indexed: FxHashSet::default(),
            before: journal.state.rows,
            journal,
        })
    }

    /// Takes the next batch; how many of its rows are done is known from the journal.
    fn take(&mut self, make: impl FnOnce(usize) -> Batch, rows: usize) -> Result<(), ImportError> {
        let done = self.journal.state.rows.saturating_sub(self.seen).min(rows as u64) as usize;
        self.seen += rows as u64;
        if done < rows {
            self.pending.push(make(done));
            self.waiting += rows - done;
        }
        if self.waiting >= self.options.rows.get() { self.flush() } else { Ok(()) }
    }

    /// Writes all rows that wait.
    fn flush(&mut self) -> Result<(), ImportError> {
        let written = self.write_pending();
        let tally = self.journal.state.tally;
        written.map_err(|cause| match tally.is_nothing() {
            true => cause,
            false => ImportError::Midway { cause: Box::new(cause), tally },
        })
    }

    fn write_pending(&mut self) -> Result<(), ImportError> {
        let batches = std::mem::take(&mut self.pending);
        self.waiting = 0;
        for batch in &batches {
            if let Some(key) = key_of(self.options, batch) {
                self.ensure_index(&batch.label, key)?;
            }
        }
        let rows = batches.iter().zip(0..).flat_map(|(batch, number)| {
            (batch.done as u32..batch.len() as u32).map(move |row| (number, row))
        });
        let rows: Vec<(u32, u32)> = rows.collect();
        rows.chunks(self.options.rows.get()).try_for_each(|chunk| self.write(&batches, chunk))
    }

    fn ensure_index(&mut self, label: &str, key: &str) -> Result<(), GraphError> {
        let (label, key) = (label.to_owned(), key.to_owned());
        let snapshot = self.graph.snapshot();
        let catalog = snapshot.catalog();
        let ids = catalog.vertex_label(&label).zip(catalog.key(&key));
        if self.indexed.contains(&(label.clone(), key.clone())) {
            return Ok(());
        }
        if !ids.is_some_and(|(label, key)| catalog.has_index(label, key)) {
            drop(snapshot);
            self.graph.create_index(&label, &key)?;
        }
        self.indexed.insert((label, key));
        Ok(())
    }

    /// Writes rows, in one transaction or, where that cannot be, in several.
    fn write(&mut self, batches: &[Batch], rows: Chunk<'_>) -> Result<(), ImportError> {
        let mut todo = vec![rows];
        while let Some(rows) = todo.pop() {
            let bad = match self.write_one(batches, rows, None)? {
                Attempt::Durable | Attempt::Again(_) => continue,
                Attempt::Parted(at) => {
                    let (first, rest) = rows.split_at(at);
                    todo.extend([rest, first].into_iter().filter(|part| !part.is_empty()));
                    continue;
                }
                Attempt::Bad(fault) => fault,
            };
            self.write_one(batches, rows, Some(&bad))?;
        }
        Ok(())
    }

    /// Writes rows in one transaction, which is tried again when it loses. With a fault, which their only row has, that row is counted
    /// and nothing else.
    fn write_one(
        &mut self,
        batches: &[Batch],
        rows: Chunk<'_>,
        bad: Option<&Fault>,
    ) -> Result<Attempt, ImportError> {
        if self.options.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(ImportError::Stopped);
        }
        let turn = self.graph.turn();
        let mut pause = Duration::from_millis(1);
        for attempt in 1.. {
            let transaction = self.graph.begin_in(self.graph.snapshot(), &turn);
            self.journal.check()?;
            let lost = match self.attempt(transaction, batches, rows, bad)? {
                Attempt::Again(lost) => lost,
                ended => return Ok(ended),
            };
            if attempt == ATTEMPTS {
                return Err(lost.into());
            }
            if !turn.wait(Some(Instant::now() + LONGEST_PAUSE)) {
                std::thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
        unreachable!("the last attempt returns")
    }

    fn attempt(
        &mut self,
        transaction: Transaction,
        batches: &[Batch],
        rows: Chunk<'_>,
        bad: Option<&Fault>,
    ) -> Result<Attempt, ImportError> {
        let mut draft = Draft::default();
        for (place, &(number, row)) in rows.iter().enumerate() {
            let (batch, row) = (&batches[number as usize], row as usize);
            let written = match bad {
                Some(fault) => Err(Refusal::Untouched(fault.clone())),
                None => self.write_row(&transaction, (batch, row), &mut draft),
            };
            match written {
                Ok(()) => {}
                Err(Refusal::Untouched(fault)) => self.refuse((batch, row), fault, &mut draft)?,
                // Nothing of the transaction is kept, so none of its rows has to be told from this one.
                Err(Refusal::Midway(fault)) if self.options.bad_rows == BadRows::Stop => {
                    return Err(ImportError::BadRow(batch.bad_row(row, fault)));
                }
                Err(Refusal::Midway(fault)) if rows.len() == 1 => return Ok(Attempt::Bad(fault)),
                Err(Refusal::Full(error)) if rows.len() == 1 => {
                    return Ok(Attempt::Bad(fault(None, error.to_string())));
                }
                // What comes before it, or the row itself if nothing does.
                Err(Refusal::Midway(_)) => return Ok(Attempt::Parted(place.max(1))),
                Err(Refusal::Full(_)) => return Ok(Attempt::Parted(rows.len() / 2)),
                Err(Refusal::Again(lost)) => return Ok(Attempt::Again(lost)),
                Err(Refusal::Failed(error)) => return Err(error.into()),
            }
        }
        let state = self.journal.state;
        let tally = draft.tally;
        let done = state.tally;
        let next = State {
            rows: state.rows + rows.len() as u64,
            tally: Tally {
                vertices: done.vertices + tally.vertices,
                edges: done.edges + tally.edges,
                merged_vertices: done.merged_vertices + tally.merged_vertices,
                merged_edges: done.merged_edges + tally.merged_edges,
                refused: done.refused + draft.refused.len() as u64,
                before: state.rows + rows.len() as u64,
            },
            done: false,
        };
        let vertices = (self.vertices.len(), &*draft.vertices);
        let committed = self.journal.note(&transaction, next, vertices).and_then(|()| {
            let submitted = transaction.submit()?;
            // What it has read need not be kept while the disk is waited for.
            drop(transaction);
            submitted.wait()
        });
        match committed {
            Ok(_) => {}
            Err(lost) if lost.is_retryable() => return Ok(Attempt::Again(lost)),
            Err(error) if is_of_row(&error) || matches!(error, GraphError::LimitExceeded { .. }) => {
                return Ok(match rows.len() {
                    1 => Attempt::Bad(fault(None, error.to_string())),
                    several => Attempt::Parted(several / 2),
                });
            }
            Err(error) => return Err(error.into()),
        }
        self.journal.committed(next, vertices);
        self.vertices.append(&mut draft.vertices);
        self.report(draft.refused);
        Ok(Attempt::Durable)
    }

    fn write_row(
        &self,
        transaction: &Transaction,
        (batch, row): (&Batch, usize),
        draft: &mut Draft,
    ) -> Written<()> {
        let Some((from, to)) = &batch.ends else {
            let became = vertex::write(transaction, self.options, (batch, row))?;
            let (Became::Added(v) | Became::Merged(v) | Became::Named(v)) = became;
            if matches!(became, Became::Added(_)) {
                transaction.check_vertex(v).map_err(Refusal::midway)?;
            }
            draft.vertices.push(v.0);
            match became {
                Became::Added(_) => draft.tally.vertices += 1,
                Became::Merged(_) => draft.tally.merged_vertices += 1,
                Became::Named(_) => {}
            }
            return Ok(());
        };
        let ends = (self.end(transaction, from[row], draft)?, self.end(transaction, to[row], draft)?);
        match edge::write(transaction, self.options, (batch, row), ends)? {
            Became::Added(e) => {
                transaction.check_edge(e).map_err(Refusal::midway)?;
                draft.tally.edges += 1;
            }
            Became::Merged(_) | Became::Named(_) => draft.tally.merged_edges += 1,
        }
        Ok(())
    }

    /// The vertex that the reader calls so.
    fn end(&self, transaction: &Transaction, name: VertexRef, draft: &Draft) -> Written<VertexRef> {
        if let Some(ids) = self.others.ids(name) {
            let found = ids.iter().find_map(|id| vertex::by_id(transaction, id));
            let found = found.filter(|v| !self.is_named_by_chance(transaction, *v, draft));
            let unknown = || {
                let problem =
                    format!("neither the file nor the graph has a vertex with the id {}", shown(&ids[0]));
                Refusal::Untouched(fault(None, problem))
            };
            return found.ok_or_else(unknown);
        }
        let number = name.0 as usize;
        let known = match number.checked_sub(self.vertices.len()) {
            None => self.vertices.get(number),
            Some(new) => draft.vertices.get(new),
        };
        match known {
            Some(&v) if v != NONE => Ok(VertexRef(v)),
            _ => Err(Refusal::Untouched(fault(None, "a vertex that it connects was refused".into()))),
        }
    }

    /// Whether a vertex that an edge names by its id is one of the rows, and has that id from the graph: the file cannot mean it.
    fn is_named_by_chance(&self, transaction: &Transaction, v: VertexRef, draft: &Draft) -> bool {
        let is_generated = transaction.snapshot().reader().id(v) == Value::Long(v.0.into());
        is_generated
            && (draft.vertices.contains(&v.0) || self.ours.borrow_mut().contains(&self.vertices, v.0))
    }

    /// Leaves a row out, if that is wanted.
    fn refuse(
        &self,
        (batch, row): (&Batch, usize),
        fault: Fault,
        draft: &mut Draft,
    ) -> Result<(), ImportError> {
        let bad = batch.bad_row(row, fault);
        if self.options.bad_rows == BadRows::Stop {
            return Err(ImportError::BadRow(bad));
        }
        if batch.ends.is_none() {
            draft.vertices.push(NONE);
        }
        draft.refused.push(bad);
        Ok(())
    }

    fn report(&mut self, refused: Vec<BadRow>) {
        let BadRows::Skip { reports } = self.options.bad_rows else { return };
        self.reports.extend(refused);
        self.reports.truncate(reports);
    }
}

impl Sink for Writer<'_> {
    fn vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>, ImportError> {
        let first = self.named;
        let too_many = GraphError::LimitExceeded {
            what: "the number of vertices of one import",
            limit: u32::MAX.into(),
            advice: "import the files in several parts",
        };
        let next = u32::try_from(rows.len()).ok().and_then(|count| first.checked_add(count));
        self.named = next.ok_or(too_many)?;
        self.take(|done| Batch::new(label, rows, ids, columns, done), rows.len())?;
        Ok((first..self.named).map(VertexRef).collect())
    }

    fn edges(
        &mut self,
        label: &str,
        (from, to): (&[VertexRef], &[VertexRef]),
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<(), ImportError> {
        let ends = Some((from.to_vec(), to.to_vec()));
        self.take(|done| Batch { ends, ..Batch::new(label, rows, ids, columns, done) }, rows.len())
    }

    fn index(&mut self, label: &str, key: &str) -> Result<(), ImportError> {
        Ok(self.ensure_index(label, key)?)
    }

    fn has_others(&self) -> bool {
        true
    }

    fn elsewhere(&mut self, ids: &[Value]) -> Option<VertexRef> {
        // Whether there is one is known when the edge is written. So rows come in the same order each time.
        self.others.name(ids)
    }

    fn null_values(&self) -> bool {
        self.graph.snapshot().catalog().schema().allow_null_values()
    }

    fn finish(mut self: Box<Self>, _: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError> {
        self.flush()?;
        self.journal.end()?;
        let tally = Tally { before: self.before, ..self.journal.state.tally };
        Ok(Outcome { stats: None, tally: Some(tally), reports: self.reports })
    }
}
