//! The answer of a transaction, kept attached to the graph until its end: what it is that elements show is known only then.

use graph::{ReadNotes, Snapshot, Transaction};
use values::Value;

use super::result::Results;
use super::state::QueryState;
use crate::batch::{Batch, bulk};
use crate::detach::{Detacher, Detail, Gone, Noted};
use crate::error::QueryError;
use crate::memory::Charge;
use crate::operator::Context;

/// See the module.
#[derive(Default)]
pub(crate) struct Answer {
    held: Vec<Kept>,
    gone: Gone,
}

/// The results of a batch.
struct Kept {
    batch: Batch,
    _charge: Charge,
}

impl Answer {
    /// Keeps the results of a batch; how many traversers they stand for.
    ///
    /// # Errors
    /// If they are more than the query may hold.
    pub(crate) fn hold(&mut self, batch: Batch, cx: &Context<'_>) -> Result<u64, QueryError> {
        let batch = Batch { slots: Vec::new(), path: None, ..batch };
        let weight = batch.weight();
        weight.admit(cx.query.memory.limit())?;
        let mut count = 0;
        for row in 0..batch.len {
            count = bulk::sum(count, bulk::exact(batch.bulk(row))? as u64);
        }
        let charge = Charge::take(&cx.query.memory, weight.bytes)?;
        self.held.push(Kept { batch, _charge: charge });
        Ok(count)
    }

    /// The elements that are gone and shown all the same.
    pub(crate) fn gone(&self) -> &Gone {
        &self.gone
    }

    /// What it is now for the transaction.
    ///
    /// # Errors
    /// If it is more than the query may hold, or the query must end.
    pub(crate) fn now(
        &self,
        state: &QueryState,
        notes: &ReadNotes<'_>,
        detail: Detail,
    ) -> Result<Results, QueryError> {
        let memory = &state.memory;
        let (snapshot, base) = (state.snapshot(), state.transaction().map(Transaction::base));
        let (reader, before) = (snapshot.reader(), base.unwrap_or(&snapshot).reader());
        let noted = Noted::Now { notes, gone: &self.gone, before: &before };
        let room = memory.limit().saturating_sub(memory.used());
        let mut detacher = Detacher::new(&reader, detail, room).noting(noted);
        let mut results = Results::new();
        for held in &self.held {
            state.check()?;
            held.detach(&mut detacher, &mut results);
        }
        if detacher.is_incomplete() {
            return Err(QueryError::MemoryExceeded { limit: memory.limit() });
        }
        let bytes = detacher.made() as usize + results.len() * size_of::<(Value, u64)>();
        memory.charge(bytes as isize)?;
        Ok(results)
    }

    /// What it is as of the commit. There is no bound and no deadline any more: what is committed is committed.
    pub(crate) fn later(&self, snapshot: &Snapshot, detail: Detail) -> Results {
        let reader = snapshot.reader();
        let mut detacher = Detacher::new(&reader, detail, u64::MAX).noting(Noted::Later(&self.gone));
        let mut results = Results::new();
        self.held.iter().for_each(|held| held.detach(&mut detacher, &mut results));
        results
    }
}

impl Kept {
    fn detach(&self, detacher: &mut Detacher<'_>, results: &mut Results) {
        let Self { batch, .. } = self;
        let result = |row| (detacher.value(&batch.current.value(row)).0, batch.bulk(row));
        results.extend((0..batch.len).map(result));
    }
}
