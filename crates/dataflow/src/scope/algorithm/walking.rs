//! Who goes along the shortest paths that are found.

use std::collections::VecDeque;
use std::sync::Arc;

use graph::VertexRef;
use rustc_hash::FxHashMap;
use values::watch;

use crate::algorithms::{Advance, Paths, ShortestPaths};
use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::memory::{Charge, StateMemory};
use crate::operator::{Context, Output};
use crate::operators::trace;

/// Bytes of a source, in the table that numbers them and beside it.
const SOURCE: usize =
    4 * size_of::<(VertexRef, u32)>() + size_of::<VertexRef>() + size_of::<Vec<(u32, u32)>>();

/// Paths are looked for, and leave with each traveller of their source.
pub(super) struct Walking {
    paths: ShortestPaths,
    travellers: Travellers,
    /// Those that were found and have not left with all who are there.
    found: VecDeque<Found>,
    /// Who is the next to go along the first of these.
    next: usize,
}

/// Some paths of one source.
struct Found {
    source: usize,
    paths: Arc<Column>,
    len: usize,
    _charge: Charge,
}

/// The traversers of each source: their batches and rows.
pub(super) struct Travellers {
    of: Vec<Vec<(u32, u32)>>,
    _held: StateMemory,
}

impl Travellers {
    /// The vertices that traversers are at, each once, and who is there.
    ///
    /// # Errors
    /// If one is not at a vertex, or there is no room to tell them apart.
    pub(super) fn of(held: &[Batch], cx: &Context<'_>) -> Result<(Vec<VertexRef>, Self), QueryError> {
        let (mut numbers, mut sources, mut of) = (FxHashMap::default(), Vec::new(), Vec::new());
        let mut memory = StateMemory::default();
        for (at, batch) in held.iter().enumerate() {
            let before = sources.len();
            memory.grow(&cx.query.memory, batch.len * size_of::<(u32, u32)>())?;
            for row in 0..batch.len {
                watch::tick();
                let Some(v) = batch.current.vertex(row) else {
                    let is = batch.current.value(row).type_name();
                    return Err(QueryError::step(
                        &cx.op.step,
                        format!("paths begin at vertices, and not at a {is}"),
                    ));
                };
                let number = *numbers.entry(v).or_insert_with(|| {
                    sources.push(v);
                    of.push(Vec::new());
                    sources.len() - 1
                });
                of[number].push((at as u32, row as u32));
            }
            memory.grow(&cx.query.memory, (sources.len() - before) * SOURCE)?;
        }
        Ok((sources, Self { of, _held: memory }))
    }
}

impl Walking {
    pub(super) fn new(paths: ShortestPaths, travellers: Travellers) -> Self {
        Self { paths, travellers, found: VecDeque::new(), next: 0 }
    }

    /// Looks for paths for the quota, unless some have still to leave; then about a batch of them leaves.
    pub(super) fn go_on(
        &mut self,
        held: &[Batch],
        cx: &Context<'_>,
        out: &mut Output,
    ) -> Result<Advance<()>, QueryError> {
        if self.found.is_empty() {
            let found = &mut self.found;
            let advance = self.paths.go_on(cx, |some| found.extend(Found::of(some)))?;
            if found.is_empty() {
                return Ok(advance);
            }
        }
        let mut rows = 0;
        while rows < Batch::TARGET_ROWS
            && let Some(mut batch) = self.next_batch(held)
        {
            rows += batch.len;
            trace(&mut batch, cx.op);
            out.emit(batch);
        }
        Ok(Advance::More)
    }

    /// Each traveller of a source becomes one for each path: the next of them that came together, as many as fill a batch.
    fn next_batch(&mut self, held: &[Batch]) -> Option<Batch> {
        loop {
            let found = self.found.front()?;
            let of_source = self.travellers.of.get(found.source);
            let travellers = of_source.and_then(|all| all.get(self.next..)).unwrap_or(&[]);
            let Some((at, _)) = travellers.first() else {
                self.found.pop_front();
                self.next = 0;
                continue;
            };
            let together = travellers.iter().take_while(|(batch, _)| batch == at);
            let together = together.take((Batch::TARGET_ROWS / found.len).max(1));
            let rows: Vec<u32> = together.flat_map(|(_, row)| std::iter::repeat_n(*row, found.len)).collect();
            let times = rows.len() / found.len;
            self.next += times;
            return Some(held[*at as usize].derive_shared(&rows, found.repeated(times)));
        }
    }
}

impl Found {
    /// Paths that were found, if there are any: they are charged until they have left.
    fn of(Paths { source, paths, charge }: Paths) -> Option<Self> {
        let len = paths.len();
        (len > 0).then(|| Self { source, paths: Arc::new(Column::from_values(paths)), len, _charge: charge })
    }

    /// The paths so many times, one after the other.
    fn repeated(&self, times: usize) -> Arc<Column> {
        if times == 1 {
            return self.paths.clone();
        }
        let rows: Vec<u32> = (0..times).flat_map(|_| 0..self.len as u32).collect();
        Arc::new(self.paths.gather(&rows))
    }
}
