//! Who asks what at the moment, and the alarm that ends a round.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// A query under way.
#[derive(Clone, Debug)]
struct Flight {
    kind: &'static str,
    shown: String,
    since: Instant,
}

/// What goes wrong with the server as a whole, with what ran at the time.
#[derive(Clone, Debug)]
pub(crate) struct Alert {
    /// What went wrong.
    pub what: String,
    /// The queries under way, the oldest first.
    pub beside: Vec<String>,
}

/// Queries that have ended so recently may have to do with what goes wrong now.
const RECENT: Duration = Duration::from_secs(3);
/// So many of them are remembered.
const REMEMBERED: usize = 8;

/// The queries under way, and the alarm. Once it is raised, all clients stop until the server has been started again.
#[derive(Debug)]
pub(crate) struct Alarm {
    flights: Mutex<BTreeMap<usize, Flight>>,
    /// Those that ended last, the last of them at the back, with when that was.
    landed: Mutex<VecDeque<(Instant, Flight)>>,
    raised: watch::Sender<Option<Alert>>,
}

impl Default for Alarm {
    fn default() -> Self {
        Self { flights: Mutex::default(), landed: Mutex::default(), raised: watch::Sender::new(None) }
    }
}

impl Alarm {
    /// Notes that a client begins to ask.
    pub fn begin(&self, client: usize, kind: &'static str, shown: String) {
        self.flights
            .lock()
            .expect("nobody panics with it")
            .insert(client, Flight { kind, shown, since: Instant::now() });
    }

    /// Notes that a client's query has ended.
    pub fn end(&self, client: usize) {
        let flight = self.flights.lock().expect("nobody panics with it").remove(&client);
        let mut landed = self.landed.lock().expect("nobody panics with it");
        landed.extend(flight.map(|flight| (Instant::now(), flight)));
        if landed.len() > REMEMBERED {
            landed.pop_front();
        }
    }

    /// The queries under way, the oldest first, and those that ended a short while ago.
    pub fn under_way(&self) -> Vec<String> {
        let flights = self.flights.lock().expect("nobody panics with it");
        let mut flights: Vec<&Flight> = flights.values().collect();
        flights.sort_by_key(|flight| flight.since);
        let line = |flight: &Flight| {
            format!("{} ms, {}: {}", flight.since.elapsed().as_millis(), flight.kind, flight.shown)
        };
        let mut lines: Vec<String> = flights.into_iter().map(line).collect();
        let landed = self.landed.lock().expect("nobody panics with it");
        for (ended, flight) in landed.iter().rev().filter(|(ended, _)| ended.elapsed() < RECENT) {
            let ago = ended.elapsed().as_millis();
            lines.push(format!("(ended {ago} ms ago) {}: {}", flight.kind, flight.shown));
        }
        lines
    }

    /// Raises the alarm; the first reason counts.
    pub fn raise(&self, what: impl Into<String>) {
        let alert = Alert { what: what.into(), beside: self.under_way() };
        self.raised.send_if_modified(|raised| {
            let first = raised.is_none();
            raised.get_or_insert(alert);
            first
        });
    }

    /// Whether it is raised.
    pub fn is_raised(&self) -> bool {
        self.raised.borrow().is_some()
    }

    /// Returns when it is raised.
    pub async fn wait(&self) {
        // The sender lives as long as this.
        let _ = self.raised.subscribe().wait_for(Option::is_some).await;
    }

    /// Takes the alert down, and forgets what was under way.
    pub fn clear(&self) -> Option<Alert> {
        self.flights.lock().expect("nobody panics with it").clear();
        self.landed.lock().expect("nobody panics with it").clear();
        self.raised.send_replace(None)
    }
}
