//! Reads a long list in the order of a property, part by part, in bounded memory.
//!
//! ```text
//! list     │ 7 2 9 4 │ 1 8 3 6 │ 5 …          a run at a time, each with a reader of its own
//! cuts            3       6                   from a sample: places between which about as many edges lie
//! parts    1 2 3 │ 4 5 6 │ 7 8 9              the list is read once for each, and sorted in memory
//! ```

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::model::{KeyId, ValueRef, order_key};
use crate::read::{Place, Run, Snapshot};
use crate::sections::{Adjacency, AdjacencyBuilder, Order, OwnPlace, SortPlace, TreeName};

/// Edges whose places are sampled for each part.
const SAMPLES: usize = 256;

/// How long a thread works before it rests.
const SLICE: Duration = Duration::from_millis(1);

/// Lets a thread take only a part of a core.
pub(crate) struct Pace {
    share: f64,
    begun: Instant,
}

impl Pace {
    /// From now on this part, of 1, of a core.
    pub(crate) fn new(share: f64) -> Self {
        Self { share: share.clamp(0.01, 1.0), begun: Instant::now() }
    }

    /// Rests, if it has worked for long enough.
    pub(crate) fn rest(&mut self) {
        let worked = self.begun.elapsed();
        if self.share < 1.0 && worked >= SLICE {
            std::thread::sleep(worked.mul_f64((1.0 - self.share) / self.share));
            self.begun = Instant::now();
        }
    }
}

/// Reads the list of one tree in another order.
pub(crate) struct Gather<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) list: TreeName,
    pub(crate) key: KeyId,
    /// Edges of a part.
    pub(crate) most: usize,
    pub(crate) pace: &'a mut Pace,
    /// Whether to stop.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Gather<'_> {
    /// Hands out the parts in order, each with the positions of its edges in order; false if it was stopped. An edge's
    /// position is that in the section's base.
    pub(crate) fn parts(
        &mut self,
        mut take: impl FnMut(&Adjacency, &[u32], &mut Pace) -> Result<()>,
    ) -> Result<bool> {
        let Some(cuts) = self.cuts()? else { return Ok(false) };
        for part in 0..=cuts.len() {
            let from = part.checked_sub(1).map(|before| &cuts[before]);
            let Some(section) = self.part(from, cuts.get(part))? else { return Ok(false) };
            let order = self.sorted(&section);
            self.pace.rest();
            take(&section, &order, self.pace)?;
        }
        Ok(true)
    }

    /// How many parts a list of so many edges comes in. A sample is not exact: they are meant to be a quarter smaller than they
    /// may be.
    pub(crate) fn parts_of(edges: usize, most: usize) -> usize {
        edges.div_ceil((most * 3 / 4).max(1))
    }

    /// The places where parts end; none if it was stopped.
    fn cuts(&mut self) -> Result<Option<Vec<OwnPlace>>> {
        let edges = {
            let TreeName { v, label, dir, .. } = self.list;
            self.snapshot.reader().list(v, label, dir).len()
        };
        let parts = Self::parts_of(edges, self.most);
        if parts <= 1 {
            return Ok(Some(Vec::new()));
        }
        let step = (edges / (parts * SAMPLES)).max(1);
        let (mut sample, mut position) = (Vec::new(), 0);
        let key = self.key;
        let whole = self.each_run(|run| {
            while position < run.end() {
                sample.push(OwnPlace::of(place_of(run, position - run.first(), key)));
                position += step;
            }
        })?;
        sample.sort_by(|a, b| a.place().order(&b.place()));
        sample.dedup_by(|a, b| a.place().order(&b.place()).is_eq());
        let cuts = (1..parts).map(|part| sample[part * sample.len() / parts].clone());
        Ok(whole.then(|| cuts.collect()))
    }

    /// The edges from one place to before another, as they lie; none if it was stopped.
    fn part(&mut self, from: Option<&OwnPlace>, to: Option<&OwnPlace>) -> Result<Option<Adjacency>> {
        let mut builder = AdjacencyBuilder::new(Order::Arrival, self.most);
        let key = self.key;
        let (from, to) = (from.map(OwnPlace::place), to.map(OwnPlace::place));
        let whole = self.each_run(|run| {
            for i in 0..run.neighbours().len() {
                let place = place_of(run, i, key);
                if from.is_none_or(|from| place.order(&from).is_ge())
                    && to.is_none_or(|to| place.order(&to).is_lt())
                {
                    run.append_to(i, &mut builder);
                }
            }
        })?;
        builder.end_slot();
        Ok(whole.then(|| builder.finish(self.snapshot.stamp().bits())))
    }

    /// The positions of a section's edges in the order of the property.
    fn sorted(&self, section: &Adjacency) -> Vec<u32> {
        let (start, end) = section.base_range(0);
        let mut bytes = Vec::new();
        let mut places: Vec<(u128, u32)> = (start..end)
            .map(|position| {
                bytes.clear();
                let value = section.base_value(position, self.key).map(ValueRef::to_value);
                order_key::push(&mut bytes, value.as_ref());
                (first_bytes(&bytes), position as u32)
            })
            .collect();
        let place = |position: u32| section.base_place(position as usize, self.key);
        places.sort_unstable_by(|(a, i), (b, j)| match a.cmp(b) {
            Ordering::Equal => place(*i).order(&place(*j)),
            other => other,
        });
        places.into_iter().map(|(_, position)| position).collect()
    }

    /// Visits the runs of the list as it lies; false if it was stopped.
    fn each_run(&mut self, mut visit: impl FnMut(&Run<'_>)) -> Result<bool> {
        let TreeName { v, label, dir, .. } = self.list;
        let mut place = Place::default();
        loop {
            let ended = {
                let mut reader = self.snapshot.reader();
                // What is read to build a tree says nothing about what trees are worth.
                reader.counts = false;
                // Nodes may have been joined since: then the run begins before what comes next.
                let run = reader.run(v, label, dir, &mut place).starting_at(place.position);
                visit(&run);
                place.position = run.end();
                run.end() >= run.total() || run.neighbours().is_empty()
            };
            self.snapshot.check()?;
            if ended {
                return Ok(true);
            }
            if (self.stop)() {
                return Ok(false);
            }
            self.pace.rest();
        }
    }
}

fn place_of<'r>(run: &'r Run<'_>, i: usize, key: KeyId) -> SortPlace<'r> {
    let e = run.edge(i);
    SortPlace { value: run.value_ref(i, key), neighbour: run.neighbour(i), seq: e.seq }
}

/// A number in the order of the bytes, as far as it goes.
fn first_bytes(bytes: &[u8]) -> u128 {
    let mut first = [0; 16];
    let len = bytes.len().min(first.len());
    first[..len].copy_from_slice(&bytes[..len]);
    u128::from_be_bytes(first)
}
