//! What one tenant has: how many queries run, and which wait.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use access::Tenant;
use parking_lot::Mutex;
use tokio::{runtime::Handle, time::sleep};

/// Queries of one tenant that wait, at most.
const WAITING: usize = 4_096;

/// See the module.
#[derive(Debug)]
pub(crate) struct Desk {
    tenant: Arc<Tenant>,
    max_wait: Duration,
    connections: AtomicUsize,
    line: Mutex<Line>,
    /// Where queries begin that have waited: not on a thread of the engine, which has others to serve.
    runtime: Handle,
}

#[derive(Debug)]
struct Line {
    running: usize,
    waiting: VecDeque<Arc<dyn Waits>>,
    allowance: Allowance,
    /// Whether somebody looks again when the next one may begin.
    is_watched: bool,
}

/// How many requests may begin now: as many as in a second, and so many more each second.
#[derive(Debug)]
struct Allowance {
    /// None has been asked for yet.
    left: Option<f64>,
    at: Instant,
}

impl Allowance {
    fn new(now: Instant) -> Self {
        Self { left: None, at: now }
    }

    /// Takes one at this rate, or says how long it will be until there is one.
    fn take(&mut self, rate: u32, now: Instant) -> Result<(), Duration> {
        if rate == 0 {
            return Ok(());
        }
        let rate = f64::from(rate);
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        let left = (self.left.unwrap_or(rate) + passed * rate).min(rate);
        self.at = now;
        if left >= 1.0 {
            self.left = Some(left - 1.0);
            return Ok(());
        }
        self.left = Some(left);
        Err(Duration::from_secs_f64((1.0 - left) / rate))
    }
}

/// What holds a query up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// As many run as may.
    Queries,
    /// As many have begun in this second as may.
    Rate,
}

/// A query in the line.
pub(crate) trait Waits: Send + Sync {
    /// Its turn has come.
    fn begin(self: Arc<Self>, place: Place);
}

impl std::fmt::Debug for dyn Waits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Waits")
    }
}

/// A query that runs, for its count.
#[derive(Debug)]
pub(crate) struct Place(Arc<Desk>);

/// A connection on which somebody has logged in, for its count.
#[derive(Debug)]
pub(crate) struct Slot(Arc<Desk>);

impl Desk {
    pub(super) fn new(tenant: Arc<Tenant>, max_wait: Duration) -> Self {
        let allowance = Allowance::new(Instant::now());
        let line = Line { running: 0, waiting: VecDeque::new(), allowance, is_watched: false };
        let connections = AtomicUsize::new(0);
        Self { tenant, max_wait, connections, line: Mutex::new(line), runtime: Handle::current() }
    }

    pub(crate) fn tenant(&self) -> &Arc<Tenant> {
        &self.tenant
    }

    /// How long a query waits at most.
    pub(crate) fn max_wait(&self) -> Duration {
        self.max_wait
    }

    /// Whether anything bounds its queries.
    pub(crate) fn is_bounded(&self) -> bool {
        self.tenant.bounds().max_queries > 0 || self.tenant.bounds().max_rate > 0
    }

    /// Queries that run, and that wait.
    pub(crate) fn queries(&self) -> (usize, usize) {
        let line = self.line.lock();
        (line.running, line.waiting.len())
    }

    /// Connections on which somebody of it has logged in.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    /// Counts a connection; `None` if there are too many.
    pub(crate) fn connect(self: &Arc<Self>) -> Option<Slot> {
        let most = match self.tenant.bounds().max_connections {
            0 => usize::MAX,
            most => most,
        };
        let free = |taken: usize| (taken < most).then_some(taken + 1);
        self.connections.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free).ok()?;
        Some(Slot(self.clone()))
    }

    /// Takes a place for a query that need not wait; or puts it into the line. What holds it up, if the line is full.
    pub(crate) fn enter(self: &Arc<Self>, waiting: Arc<dyn Waits>) -> Result<Option<Place>, Hold> {
        let mut line = self.line.lock();
        if line.waiting.is_empty() {
            match self.next(&mut line) {
                Ok(place) => return Ok(Some(place)),
                Err((_, again)) => self.watch(&mut line, again),
            }
        }
        if line.waiting.len() >= WAITING {
            return Err(self.hold(&line));
        }
        line.waiting.push_back(waiting);
        Ok(None)
    }

    /// Takes a query out of the line that waits no longer; what has held it up.
    pub(crate) fn leave(&self, waiting: &dyn Waits) -> Hold {
        let mut line = self.line.lock();
        let here = std::ptr::from_ref(waiting).cast::<()>();
        line.waiting.retain(|other| Arc::as_ptr(other).cast::<()>() != here);
        self.hold(&line)
    }

    fn hold(&self, line: &Line) -> Hold {
        let most = self.tenant.bounds().max_queries;
        if most > 0 && line.running >= most { Hold::Queries } else { Hold::Rate }
    }

    /// A place for one more, or what holds it up and, if nothing else will tell, when to look again.
    fn next(self: &Arc<Self>, line: &mut Line) -> Result<Place, (Hold, Option<Duration>)> {
        let most = self.tenant.bounds().max_queries;
        if most > 0 && line.running >= most {
            return Err((Hold::Queries, None));
        }
        line.allowance
            .take(self.tenant.bounds().max_rate, Instant::now())
            .map_err(|wait| (Hold::Rate, Some(wait)))?;
        line.running += 1;
        Ok(Place(self.clone()))
    }

    /// Looks again after a while.
    fn watch(self: &Arc<Self>, line: &mut Line, again: Option<Duration>) {
        let Some(again) = again else { return };
        if std::mem::replace(&mut line.is_watched, true) {
            return;
        }
        let desk = self.clone();
        self.runtime.spawn(async move {
            sleep(again).await;
            desk.line.lock().is_watched = false;
            desk.go_on();
        });
    }

    /// Begins what waits and need not any more, after its bounds were changed.
    pub(super) fn look_again(self: &Arc<Self>) {
        self.go_on();
    }

    /// Begins what waits and need not any more.
    fn go_on(self: &Arc<Self>) {
        loop {
            let mut line = self.line.lock();
            if line.waiting.is_empty() {
                return;
            }
            let place = match self.next(&mut line) {
                Ok(place) => place,
                Err((_, again)) => return self.watch(&mut line, again),
            };
            let next = line.waiting.pop_front();
            drop(line);
            if let Some(next) = next {
                next.begin(place);
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let waits = {
            let mut line = self.0.line.lock();
            line.running -= 1;
            !line.waiting.is_empty()
        };
        if waits {
            let desk = self.0.clone();
            self.0.runtime.spawn(async move { desk.go_on() });
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_begin_in_a_second_as_may() {
        let mut now = Instant::now();
        let mut allowance = Allowance::new(now);
        let begun = (0..100).filter(|_| allowance.take(10, now).is_ok()).count();
        assert_eq!(begun, 10);
        let wait = allowance.take(10, now).unwrap_err();
        assert!(wait <= Duration::from_millis(100) && wait > Duration::from_millis(99), "{wait:?}");
        let mut begun = 0;
        for _ in 0..1_000 {
            now += Duration::from_millis(10);
            begun += usize::from(allowance.take(10, now).is_ok());
        }
        assert!((99..=101).contains(&begun), "{begun} in ten seconds");
        assert!((0..1_000).all(|_| Allowance::new(now).take(0, now).is_ok()), "no bound");
    }
}
