//! Threads that load for whoever waits for several sections.
//!
//! ```text
//! reader ── misses a section, and others of its batch ─▶ group: │ key │ key │ key │ key │ …
//!   │                                                             ▲     ▲     ▲
//!   └─ takes keys itself ─────────────────────────────────────────┘     │     │
//!                          helpers, as many as there are keys ──────────┴─────┘
//! ```
//!
//! Each load is one like any other: it takes a turn in the pool of the request, and is shared with whoever needs the same
//! section (`loads.rs`). A reader never waits for a key that nobody has taken, so if all helpers are busy it is no worse
//! off than without. Light and heavy requests have helpers of their own: those of heavy ones spend their time waiting for
//! turns.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::memory::Memory;
use super::placement::CellVisitor;
use crate::cache::{Away, Class, Request, Waiter};
use crate::cells::SectionCell;
use crate::sections::{Mergeable, SectionKey, TreePart};

/// Helpers of light requests, and of heavy ones.
const MOST: usize = 16;
/// How long a helper stays that nobody needs.
const IDLE: Duration = Duration::from_secs(5);

/// The helpers of a graph, by the class of the requests that they help. Threads are started when they are needed.
#[derive(Default)]
pub(crate) struct Helpers {
    crews: [Arc<Crew>; 2],
}

#[derive(Default)]
struct Crew {
    state: Mutex<CrewState>,
    called: Condvar,
}

#[derive(Default)]
struct CrewState {
    /// One for each helper that is wanted.
    calls: VecDeque<Weak<Group>>,
    threads: usize,
    idle: usize,
    stopped: bool,
}

/// Sections that one reader needs.
struct Group {
    memory: Weak<Memory>,
    request: Option<Arc<Request>>,
    keys: Vec<SectionKey>,
    /// How many of the keys are taken.
    taken: AtomicUsize,
    inside: Mutex<Inside>,
    /// Woken when the last helper has left after the reader has.
    left: Arc<Waiter>,
}

#[derive(Default)]
struct Inside {
    helpers: usize,
    /// The reader has seen all keys taken, and waits for nothing but the helpers that are inside.
    closed: bool,
}

impl Helpers {
    /// Loads sections on behalf of a request, if there is one, by this thread and some helpers. Which of them could not be
    /// loaded the caller finds out by asking for them.
    pub(crate) fn load(&self, memory: &Arc<Memory>, request: Option<&Arc<Request>>, keys: Vec<SectionKey>) {
        let class = request.map_or(Class::Light, |request| request.class());
        let wanted = keys.len().saturating_sub(1);
        let group = Arc::new(Group {
            memory: Arc::downgrade(memory),
            request: request.cloned(),
            keys,
            taken: AtomicUsize::new(0),
            inside: Mutex::default(),
            left: Arc::default(),
        });
        self.crews[class as usize].call(&group, wanted);
        group.work(memory);
        let is_left = {
            let mut inside = group.inside.lock();
            inside.closed = true;
            inside.helpers == 0
        };
        if !is_left {
            let away = Away::begin(request, !memory.cache.is_short());
            away.expect_long();
            // If the request ends, so do the waits of the helpers; a read of the store has to be waited for.
            group.left.wait(None);
        }
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        // The last handle of the graph may be dropped by a helper itself, so nobody waits for them.
        for crew in &self.crews {
            crew.state.lock().stopped = true;
            crew.called.notify_all();
        }
    }
}

impl Crew {
    /// Asks for so many helpers.
    fn call(self: &Arc<Self>, group: &Arc<Group>, wanted: usize) {
        let mut state = self.state.lock();
        // What waits here from before is of readers who have all helpers already.
        let free = MOST.saturating_sub(state.calls.len());
        for _ in 0..wanted.min(free) {
            state.calls.push_back(Arc::downgrade(group));
        }
        let missing = state.calls.len().saturating_sub(state.idle).min(MOST - state.threads);
        for _ in 0..missing {
            let crew = Arc::clone(self);
            let thread = std::thread::Builder::new().name("load-helper".into()).spawn(move || crew.help());
            match thread {
                Ok(_) => state.threads += 1,
                Err(error) => {
                    tracing::debug!(%error, "no thread could be started to help with loads");
                    break;
                }
            }
        }
        drop(state);
        self.called.notify_all();
    }

    /// What a helper does.
    fn help(&self) {
        while let Some(call) = self.next() {
            if let Some(group) = call.upgrade() {
                group.help();
            }
        }
    }

    fn next(&self) -> Option<Weak<Group>> {
        let mut state = self.state.lock();
        loop {
            if let Some(call) = state.calls.pop_front() {
                return Some(call);
            }
            if state.stopped {
                break;
            }
            state.idle += 1;
            let timed_out = self.called.wait_for(&mut state, IDLE).timed_out();
            state.idle -= 1;
            if timed_out && state.calls.is_empty() {
                break;
            }
        }
        state.threads -= 1;
        None
    }
}

impl Group {
    /// Loads what nobody has taken yet.
    fn work(&self, memory: &Memory) {
        while let Some(key) = self.keys.get(self.taken.fetch_add(1, Ordering::Relaxed)) {
            if self.request.as_ref().is_some_and(|request| request.is_over()) {
                return;
            }
            memory.load_ahead(*key, self.request.as_ref());
        }
    }

    /// As [`Group::work`], by a helper, unless the reader has gone on.
    fn help(&self) {
        {
            let mut inside = self.inside.lock();
            if inside.closed {
                return;
            }
            inside.helpers += 1;
        }
        if let Some(memory) = self.memory.upgrade() {
            // A decoder that panics does so again in the reader, which is told.
            let _ = catch_unwind(AssertUnwindSafe(|| self.work(&memory)));
        }
        let mut inside = self.inside.lock();
        inside.helpers -= 1;
        if inside.helpers == 0 && inside.closed {
            self.left.wake();
        }
    }
}

impl Memory {
    /// Loads a section, if it is not in memory, for somebody who will ask for it. That it failed they find out themselves.
    fn load_ahead(&self, key: SectionKey, request: Option<&Arc<Request>>) {
        if let SectionKey::Tree { name, part: TreePart::Root } = key {
            let guard = crossbeam_epoch::pin();
            if let Some(tree) = self.tree_in_memory(name, &guard) {
                let _ = self.tree_root(request, &tree, name, &guard);
            }
            return;
        }
        self.visit(key, LoadAhead { memory: self, key, request });
    }
}

struct LoadAhead<'a> {
    memory: &'a Memory,
    key: SectionKey,
    request: Option<&'a Arc<Request>>,
}

impl CellVisitor for LoadAhead<'_> {
    type Output = ();

    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) {
        let guard = crossbeam_epoch::pin();
        let _ = self.memory.section_for(self.request, cell, || self.key, &guard);
    }
}
