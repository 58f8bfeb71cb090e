//! A line on standard error while something takes long: how many rows there are so far, and for how long it has been going on.

use std::{
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

use super::{rows, screen};

/// What takes less is not worth a line.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(200);

/// Goes to the beginning of the line, and erases it.
const ERASE: &str = "\r\x1b[K";

/// The line, from when it is begun until it is dropped; nothing where standard error is no terminal.
pub struct Progress {
    line: Option<(Arc<Line>, JoinHandle<()>)>,
    /// Whether standard output is a terminal, too, and so the same one.
    is_in_the_way: bool,
}

struct Line {
    rows: AtomicU64,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Whether it is to be seen.
    shown: bool,
    over: bool,
}

impl Progress {
    /// Begins to count the time.
    pub fn begin() -> Self {
        if !screen::shows_errors() {
            return Self { line: None, is_in_the_way: false };
        }
        let line = Line { rows: AtomicU64::new(0), state: Mutex::default(), ended: Condvar::new() };
        let line = Arc::new(line);
        let shared = line.clone();
        let thread = thread::Builder::new().name("progress".into()).spawn(move || shared.show());
        Self { line: thread.ok().map(|thread| (line, thread)), is_in_the_way: screen::width().is_some() }
    }

    /// One more row.
    pub fn count(&self) {
        if let Some((line, _)) = &self.line {
            line.rows.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Does something that may write to the terminal on which the line is, and takes it away meanwhile.
    pub fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        // What is written elsewhere leaves the line alone.
        let line = self.line.as_ref().filter(|_| self.is_in_the_way);
        let _held = line.map(|(line, _)| {
            let mut state = line.state.lock();
            state.erase();
            state
        });
        write()
    }

    /// Takes the line away for good.
    pub fn end(&self) {
        if let Some((line, _)) = &self.line {
            let mut state = line.state.lock();
            state.erase();
            state.over = true;
            drop(state);
            line.ended.notify_all();
        }
    }
}

impl Line {
    fn show(&self) {
        let began = Instant::now();
        let mut state = self.state.lock();
        let mut until = began + PATIENCE;
        while !state.over {
            if self.ended.wait_until(&mut state, until).timed_out() && !state.over {
                let so_far = rows(self.rows.load(Ordering::Relaxed));
                let text = format!("{ERASE}{so_far} so far, {} s; Ctrl-C ends it", began.elapsed().as_secs());
                state.shown = io::stderr().write_all(text.as_bytes()).is_ok();
                until = Instant::now() + EVERY;
            }
        }
    }
}

impl State {
    fn erase(&mut self) {
        if std::mem::take(&mut self.shown) {
            // There is nobody to tell if that fails.
            let _ = io::stderr().write_all(ERASE.as_bytes());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
        if let Some((_, thread)) = self.line.take() {
            // It panics nowhere.
            let _ = thread.join();
        }
    }
}
