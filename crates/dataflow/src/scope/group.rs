//! `group`: one map from keys to what the value traversal makes of the traversers with that key.
//!
//! All groups run in one instance of the value traversal; the scope tag tells them apart, so `by(count())`,
//! `by(values('x').dedup().fold())` and any other reduction work per key without a dataflow per key:
//!
//! ```text
//! (outer tag, key)   tag inside   first result
//! (0, "java")            0            4
//! (0, "c")               1            7          ──►  outer tag 0: {java=4, c=7}
//! ```

use std::sync::Arc;

use planner::physical::{By, IntraPolicy, Scope, ScopeKind, SideEffectId};
use values::{Map, Value};

use crate::batch::{Batch, Column, Paths, Tags, Weight};
use crate::entered::Entered;
use crate::error::QueryError;
use crate::growing::{Chunks, GrowingMap};
use crate::instance::{Instance, Progress};
use crate::java_hash;
use crate::memory::StateMemory;
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};
use crate::operators::{Waiting, trace};

/// See the module.
pub(super) struct GroupScope {
    key: By,
    side_effect: Option<SideEffectId>,
    intra: IntraPolicy,
    /// Groups by their outer tags and keys, with their results.
    groups: GrowingMap<(u32, Value), Option<Value>>,
    instance: Instance,
    used: bool,
    /// Under `SeedStrategy` the traversers, until all have come.
    unseen: Vec<Batch>,
    /// Traversers that go on when all of the stream is in the side-effect.
    waiting: Waiting,
    /// Of keys and results.
    weight: Weight,
    held: StateMemory,
    /// What goes into the maps at the end, and the maps; once it is there, all of the input has.
    delivery: Option<Delivery>,
    /// Whether the maps have been delivered.
    delivered: bool,
}

/// The maps of the outer tags on their way: some groups at a time, for there may be millions.
struct Delivery {
    groups: Chunks<((u32, Value), Option<Value>)>,
    maps: Vec<Map>,
}

/// Groups that go into their maps between two looks at the clock.
const STRETCH: usize = 1 << 10;

impl GroupScope {
    pub(super) fn new(scope: &Scope) -> Self {
        let ScopeKind::Group { key, value, side_effect } = &scope.kind else { unreachable!("not a group") };
        Self {
            key: key.clone(),
            side_effect: *side_effect,
            intra: scope.policy.intra,
            groups: GrowingMap::default(),
            instance: Instance::new(value.clone()),
            used: false,
            unseen: Vec::new(),
            waiting: Waiting::default(),
            weight: Weight::default(),
            held: StateMemory::default(),
            delivery: None,
            delivered: false,
        }
    }

    /// Ingress: replaces the tags of the rows by the numbers of their groups; rows without a key are left out.
    fn admit(&mut self, batch: &Batch, cx: &Context<'_>) -> Result<(), QueryError> {
        let (mut rows, mut tags) = (Vec::with_capacity(batch.len), Vec::with_capacity(batch.len));
        let before = self.groups.len();
        let held = self.weight.bytes;
        for row in 0..batch.len {
            let Some(key) = self.key_of(batch, row) else { continue };
            let (group, _, is_new) = self.groups.get_or_insert((batch.tags.get(row), key), || None);
            if is_new && let Some((_, key)) = self.groups.key(group) {
                self.weight.add(key);
            }
            rows.push(row as u32);
            tags.push(group as u32);
        }
        let grown = self.groups.len() - before;
        self.held.grow(&cx.query.memory, grown * 3 * size_of::<Value>() + self.weight.bytes - held)?;
        if rows.is_empty() {
            return Ok(());
        }
        let mut inner = if rows.len() == batch.len { batch.clone() } else { batch.gather(&rows) };
        inner.tags = Tags::Rows(Arc::new(tags));
        self.instance.receive(inner, &self.inside(cx))
    }

    /// Keeps traversers whose groups draw: who is first among them is known when all have come.
    fn wait(&mut self, batch: Batch, cx: &Context<'_>) -> Result<(), QueryError> {
        self.held.grow(&cx.query.memory, batch.bytes())?;
        self.unseen.push(batch);
        Ok(())
    }

    /// Lets in those that were kept: the groups have their numbers in the order in which they draw.
    fn admit_in_order(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        if self.unseen.is_empty() {
            return Ok(());
        }
        let unseen = std::mem::take(&mut self.unseen);
        let mut keys: GrowingMap<(u32, Value), ()> = GrowingMap::default();
        for batch in &unseen {
            for row in 0..batch.len {
                if let Some(key) = self.key_of(batch, row) {
                    keys.get_or_insert((batch.tags.get(row), key), || ());
                }
            }
        }
        let keys: Vec<(u32, Value)> = keys.into_iter().map(|(key, ())| key).collect();
        for key in java_hash::in_order(keys, |(_, key)| key) {
            self.groups.get_or_insert(key, || None);
        }
        unseen.iter().try_for_each(|batch| self.admit(batch, cx))
    }

    fn key_of(&self, batch: &Batch, row: usize) -> Option<Value> {
        match self.key {
            By::Current => batch.current.get(row),
            By::Slot(slot) => batch.slot(slot).and_then(|column| column.get(row)),
        }
    }

    fn inside<'a>(&self, cx: &Context<'a>) -> Context<'a> {
        Context { single_tag: false, tags: self.groups.len() as u32, entered: Entered::All, ..*cx }
    }

    /// Runs the value traversal and keeps the first result of each group.
    fn work(&mut self, cx: &Context<'_>) -> Result<Step, QueryError> {
        loop {
            let mut results = Output::default();
            let progress = self.instance.run(&self.inside(cx), self.intra, &mut results)?;
            let held = self.weight.bytes;
            for batch in &results.batches {
                for row in 0..batch.len {
                    let group = self.groups.value_mut(batch.tags.get(row) as usize);
                    if let Some(result @ None) = group {
                        let value = batch.current.value(row);
                        self.weight.add(&value);
                        *result = Some(value);
                    }
                }
            }
            self.weight.admit(cx.query.memory.limit())?;
            self.held.grow(&cx.query.memory, self.weight.bytes - held)?;
            match progress {
                Progress::Complete | Progress::Idle => return Ok(Step::Idle),
                Progress::Blocked => return Ok(Step::Blocked),
                Progress::Ready if cx.quota.is_spent() => return Ok(Step::More),
                Progress::Ready => {}
            }
        }
    }

    /// Puts groups into the maps, as far as that goes in this turn; the maps if all are in.
    fn fill_maps(&mut self, cx: &Context<'_>) -> Option<Vec<Map>> {
        let mut delivery = self.delivery.take().unwrap_or_else(|| {
            let mut maps: Vec<Map> = (0..cx.tags.max(1)).map(|_| Map::new()).collect();
            if let [only] = &mut maps[..] {
                *only = Map::with_capacity(self.groups.len());
            }
            Delivery { groups: std::mem::take(&mut self.groups).into_iter(), maps }
        });
        let Delivery { groups, maps } = &mut delivery;
        while groups.len() > 0 {
            for ((tag, key), result) in groups.by_ref().take(STRETCH) {
                let at = tag as usize;
                if at >= maps.len() {
                    maps.resize_with(at + 1, Map::new);
                }
                if let Some(value) = result {
                    maps[at].insert(key, value);
                }
            }
            if cx.quota.is_spent() && groups.len() > 0 {
                self.delivery = Some(delivery);
                return None;
            }
        }
        Some(delivery.maps)
    }

    /// Egress: one map per outer tag.
    fn deliver(&mut self, maps: Vec<Map>, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        if let Some(side_effect) = self.side_effect {
            // The side-effect has it now, and is charged for it. It lives as long as the query, and so does the charge.
            self.held.release();
            return maps.into_iter().try_for_each(|map| {
                let memory = &cx.query.memory;
                let room = memory.limit().saturating_sub(memory.used());
                let grown = cx.query.side_effects.merge_map(side_effect, map, room)?;
                cx.charge(grown)
            });
        }
        let (tags, maps): (Vec<u32>, Vec<Value>) = (0..)
            .zip(maps)
            .filter(|(tag, _)| cx.entered.contains(*tag))
            .map(|(tag, map)| (tag, Value::from(map)))
            .unzip();
        let mut batch = Batch::new(Column::Values(maps), tags.len());
        batch.tags = if cx.single_tag { Tags::Uniform(0) } else { Tags::Rows(Arc::new(tags)) };
        if cx.query.plan.history.is_kept() {
            batch.path = Some(Arc::new(Paths::empty(batch.len)));
            batch.extend_path(&cx.op.labels);
        }
        out.emit(batch);
        Ok(())
    }
}

impl Operator for GroupScope {
    fn step(
        &mut self,
        input: Option<Batch>,
        cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        self.used = true;
        if let Some(mut batch) = input {
            match cx.query.draws.are_seeded() {
                true => self.wait(batch.clone(), cx)?,
                false => self.admit(&batch, cx)?,
            }
            if self.side_effect.is_some() {
                trace(&mut batch, cx.op);
                self.waiting.push(batch, cx)?;
            }
        }
        self.work(cx)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.used = true;
        self.admit_in_order(cx)?;
        self.instance.end_input();
        // Without a group nobody asks what its value would be.
        if self.delivery.is_none() && !self.delivered && self.groups.len() > 0 {
            let step = self.work(cx)?;
            if step != Step::Idle {
                return Ok(step);
            }
        }
        if !self.delivered {
            let Some(maps) = self.fill_maps(cx) else { return Ok(Step::More) };
            self.delivered = true;
            self.deliver(maps, cx, out)?;
        }
        Ok(self.waiting.release_next(out))
    }

    fn reset(&mut self) {
        if std::mem::take(&mut self.used) {
            self.instance.reset();
        }
        let bytes = self.held.bytes();
        if bytes >= reclaim::LARGE {
            let groups = std::mem::take(&mut self.groups);
            reclaim::free((groups, self.delivery.take(), std::mem::take(&mut self.held)), bytes);
        }
        self.groups.clear();
        self.unseen.clear();
        self.delivery = None;
        self.waiting.clear();
        self.weight = Weight::default();
        self.held.release();
        self.delivered = false;
    }
}
