//! What all actors share: where the server is, when to stop, and what they have seen.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::sleep;

use super::sample::Sample;
use super::tally::{Ending, Tally};
use crate::histories::client::{Answer, Client, Request};

/// Shared by all actors.
#[derive(Debug)]
pub(crate) struct Field {
    /// Where the server listens, and another place after each kill.
    pub address: watch::Receiver<SocketAddr>,
    /// What became of requests.
    pub tally: Tally,
    /// How long point reads took since somebody last looked, in microseconds.
    pub points: Mutex<Vec<u64>>,
    /// The newest sample, and which it is.
    pub latest: Mutex<(usize, Sample)>,
    /// What each actor asks at the moment; of several that are alike, one.
    pub under_way: Mutex<BTreeMap<&'static str, String>>,
    /// Becomes another whenever the server is about to be killed, and again when it is back.
    pub epoch: AtomicU64,
    stop: AtomicBool,
    version: AtomicI64,
}

impl Field {
    /// One with nothing seen yet.
    pub fn new(address: watch::Receiver<SocketAddr>) -> Self {
        Self {
            address,
            tally: Tally::default(),
            points: Mutex::default(),
            latest: Mutex::default(),
            under_way: Mutex::default(),
            epoch: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            version: AtomicI64::new(1),
        }
    }

    /// Where the server listens now.
    pub fn address(&self) -> SocketAddr {
        *self.address.borrow()
    }

    /// See [`Field::epoch`](Self#structfield.epoch).
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Relaxed)
    }

    /// A version that nobody else gets.
    pub fn version(&self) -> i64 {
        self.version.fetch_add(1, Ordering::Relaxed)
    }

    /// Tells everybody to come to an end.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether it is time to come to an end.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Sleeps, but not beyond the end.
    pub async fn pause(&self, time: Duration) {
        let until = Instant::now() + time;
        while !self.is_over() && Instant::now() < until {
            sleep(Duration::from_millis(100).min(until.saturating_duration_since(Instant::now()))).await;
        }
    }

    /// Notes what an actor is about to ask.
    pub fn begin(&self, actor: &'static str, text: &str) {
        self.under_way.lock().insert(actor, text.chars().take(300).collect());
    }

    /// Notes that it has ended.
    pub fn end(&self, actor: &'static str) {
        self.under_way.lock().remove(actor);
    }

    /// Counts how a request has ended, and notes it as wrong if it should not have ended so. Silence is nothing to wonder about
    /// while the server is being killed.
    pub fn judge(&self, actor: &'static str, ending: Ending, expected: &[Ending], epoch: u64, what: &str) {
        self.tally.count(actor, ending);
        let was_killed = ending == Ending::Silent && self.epoch() != epoch;
        if ending != Ending::Done && !expected.contains(&ending) && !was_killed {
            let what: String = what.chars().take(600).collect();
            self.tally.wrong(format!("{actor}: {what}"));
        }
    }
}

/// The connection of one actor, which is made again when it has broken.
pub(crate) struct Line<'a> {
    pub field: &'a Field,
    actor: &'static str,
    expected: &'static [Ending],
    client: Option<Client>,
    /// The epoch that the connection was made in: after a kill it is of no use, though nobody has noticed.
    made_in: u64,
}

impl<'a> Line<'a> {
    /// One for an actor whose requests may end in these ways, too.
    pub fn new(field: &'a Field, actor: &'static str, expected: &'static [Ending]) -> Self {
        Self { field, actor, expected, client: None, made_in: 0 }
    }

    /// The connection; none if it is time to come to an end.
    pub async fn client(&mut self) -> Option<&mut Client> {
        let mut tries = 0;
        if self.made_in != self.field.epoch() {
            self.client = None;
        }
        while self.client.is_none() {
            let epoch = self.field.epoch();
            self.made_in = epoch;
            self.client = Client::connect(self.field.address()).await;
            if self.client.is_none() {
                if self.field.is_over() {
                    return None;
                }
                tries += 1;
                if tries == 100 && self.field.epoch() == epoch {
                    self.field.tally.wrong(format!("{}: no connection for five seconds", self.actor));
                }
                sleep(Duration::from_millis(50)).await;
            }
        }
        self.client.as_mut()
    }

    /// Breaks the connection without a word.
    pub fn hang_up(&mut self) {
        self.client = None;
    }

    /// Asks, counts, and says what came.
    pub async fn ask(&mut self, request: &Request) -> Answer {
        self.ask_as(None, request).await
    }

    /// The same in a session.
    pub async fn ask_in(&mut self, session: &str, request: &Request) -> Answer {
        self.ask_as(Some(session), request).await
    }

    async fn ask_as(&mut self, session: Option<&str>, request: &Request) -> Answer {
        self.field.begin(self.actor, &request.script);
        if self.client().await.is_none() {
            return Answer::Silence;
        }
        let epoch = self.made_in;
        let answer = match (self.client.as_mut(), session) {
            (None, _) => Answer::Silence,
            (Some(client), Some(session)) => client.ask_in(session, request).await,
            (Some(client), None) => client.ask(request).await,
        };
        self.field.end(self.actor);
        let ending = Ending::of(&answer);
        if ending == Ending::Silent {
            self.client = None;
            self.settle(epoch).await;
        }
        let said = match &answer {
            Answer::Error(code, message) => format!("{code} {message} │ {}", request.text()),
            _ => format!("no answer │ {}", request.text()),
        };
        self.field.judge(self.actor, ending, self.expected, epoch, &said);
        answer
    }

    /// Waits until it is known whether the server was killed just now: the connection breaks before anybody says so.
    async fn settle(&self, epoch: u64) {
        for _ in 0..200 {
            if self.field.epoch() != epoch {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
    }
}
