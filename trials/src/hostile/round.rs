//! So many queries of several clients at once, then some whose clients vanish; and what is done when the server is lost.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::time::{sleep, timeout};

use super::alarm::Alarm;
use super::client::{Client, Ready, Source};
use super::connection::Connection;
use super::gardener;
use super::kinds;
use super::prober::Prober;
use super::query::{Body, Hostile, Limit};
use super::report::Measured;
use super::server::{Attacked, bound_mb};
use super::tally::Tally;
use super::vanish::{self, Way};
use super::verdict::{Fate, Verdict};
use super::watch;
use crate::Problem;

/// Queries of each client in a round.
const EACH: u64 = 20;
/// Clients that vanish after each round.
const VANISHING: u64 = 4;
/// Every so many rounds there is a crowd.
const CROWD_EVERY: u64 = 8;
/// Clients of a crowd.
const CROWD: usize = 64;
/// How long a server rests before it is measured.
const REST: Duration = Duration::from_secs(10);
/// Between two looks at the memory.
const LOOK: Duration = Duration::from_millis(20);

/// A server under attack.
#[derive(Debug)]
pub(crate) struct Trial {
    server: Attacked,
    prober: Prober,
    alarm: Arc<Alarm>,
    source: Source,
    clients: usize,
    /// The processor time that servers took which are gone.
    served: Duration,
    /// What became of the queries.
    pub tally: Tally,
    /// What was measured.
    pub measured: Measured,
}

impl Trial {
    pub fn new(server: Attacked, prober: Prober, alarm: Arc<Alarm>, source: Source, clients: usize) -> Self {
        Self {
            server,
            prober,
            alarm,
            source,
            clients,
            served: Duration::ZERO,
            tally: Tally::default(),
            measured: Measured::default(),
        }
    }

    /// Asks so many queries, from that number on.
    ///
    /// # Errors
    /// If the server cannot be started again.
    pub async fn run(&mut self, first: u64, count: u64) -> Result<(), Problem> {
        self.prober.watch(Some(self.server.address()));
        self.tend().await?;
        self.measured.before_mb = self.server.reading().now_mb;
        let (began, others) = (Instant::now(), self.others());
        let (mut next, mut round) = (first, 0u64);
        while next - first < count {
            let size = (EACH * self.clients as u64).min(count - (next - first));
            self.attack(next, size, self.clients_of(round)).await?;
            next += size;
            // One that is to be looked at alone is not mixed with others.
            if count > size {
                let vanishing = VANISHING.min(count - (next - first));
                self.vanish(round, vanishing).await?;
                next += vanishing;
            }
            self.tend().await?;
            round += 1;
            let reading = self.server.reading();
            eprintln!("{}; {:.0} MB, {:.0} at most", self.tally.line(), reading.now_mb, reading.peak_mb);
        }
        let others = self.others().saturating_sub(others);
        self.measured.others = others.as_secs_f64() / began.elapsed().as_secs_f64();
        sleep(REST).await;
        self.measured.after_mb = self.server.reading().now_mb;
        self.measured.peak_mb = self.measured.peak_mb.max(self.server.reading().peak_mb);
        self.measured.points = self.prober.micros();
        self.measured.slow_points = self.prober.slow();
        Ok(())
    }

    /// How many clients there are in a round. One that is to be looked at alone stays alone.
    fn clients_of(&self, round: u64) -> usize {
        let is_crowd = round % CROWD_EVERY == CROWD_EVERY - 1 && self.clients > 1;
        if is_crowd { self.clients.max(CROWD) } else { self.clients }
    }

    /// The processor time that others than this trial and its servers have taken.
    fn others(&self) -> Duration {
        let ours = watch::busy(std::process::id()) + self.served + self.server.busy();
        watch::machine_busy().saturating_sub(ours)
    }

    /// Lets clients ask these queries, each the next one that nobody has asked yet.
    async fn attack(&mut self, first: u64, count: u64, clients: usize) -> Result<(), Problem> {
        let has_ceiling = self.server.has_ceiling;
        let ready: Vec<Ready> =
            (first..first + count).map(|number| self.source.ready(number, has_ceiling)).collect();
        let queue = Mutex::new(ready.into_iter());
        let bound_mb = bound_mb();
        let clients = (0..clients).map(|number| {
            let mut client =
                Client { number, address: self.server.address(), alarm: &self.alarm, connection: None };
            let queue = &queue;
            async move {
                let mut verdicts = Vec::new();
                loop {
                    let next = queue.lock().expect("nobody panics with it").next();
                    let Some(ready) = next.filter(|_| !client.alarm.is_raised()) else { return verdicts };
                    let verdict = client.ask(ready).await;
                    if matches!(verdict.fate, Fate::Closed(_)) {
                        // A server that has ended says so only to those who ask.
                        sleep(LOOK).await;
                    }
                    verdicts.push(verdict);
                }
            }
        });
        let mut exceeded = Vec::new();
        let verdicts: Vec<Vec<Verdict>> = tokio::select! {
            verdicts = futures_util::future::join_all(clients) => verdicts,
            () = watch_memory(&self.server, bound_mb, &self.alarm, &mut exceeded) => Vec::new(),
        };
        exceeded.into_iter().for_each(|(mb, beside)| self.tally.exceed(mb, beside));
        verdicts.into_iter().flatten().for_each(|verdict| self.tally.add(verdict));
        self.look_after().await
    }

    /// Lets some clients vanish while their queries run.
    async fn vanish(&mut self, round: u64, count: u64) -> Result<(), Problem> {
        let mut rng = Rng::with_seed(self.source.seed ^ round.wrapping_mul(0x9e37_79b9));
        self.prober.be_quiet(true);
        let mut shown = Vec::new();
        let mut leaving = Vec::new();
        for _ in 0..count {
            let (query, way) = (endless(&mut rng), Way::ALL[rng.usize(..Way::ALL.len())]);
            shown.push(format!("{way:?}, {}: {}", query.kind, query.shown()));
            leaving.push((query, way, rng.fork()));
        }
        let address = self.server.address();
        let leave = leaving.iter_mut().map(|(query, way, rng)| way.vanish(address, query, rng));
        let left = futures_util::future::join_all(leave).await;
        let gone = match left.into_iter().find_map(Result::err) {
            Some(error) => Err(format!("a client could not vanish: {error}")),
            None => vanish::calm(&self.server).await,
        };
        self.prober.be_quiet(false);
        let lingers = gone.is_err();
        self.tally.vanish(count, gone, shown);
        if lingers && !self.alarm.is_raised() && self.server.ended().is_none() {
            return self.replace().await;
        }
        self.look_after().await
    }

    /// Starts the server again if it is lost.
    async fn look_after(&mut self) -> Result<(), Problem> {
        // A process that is ending has closed its connections already.
        sleep(LOOK).await;
        let ended = self.server.ended();
        if ended.is_none() && !self.alarm.is_raised() {
            return Ok(());
        }
        let killed = self.server.reading().killed;
        self.prober.watch(None);
        self.tally.lose(self.alarm.clear(), ended, killed);
        self.replace().await
    }

    async fn replace(&mut self) -> Result<(), Problem> {
        self.prober.watch(None);
        self.measured.peak_mb = self.measured.peak_mb.max(self.server.reading().peak_mb);
        self.served += self.server.busy();
        self.server.start_again()?;
        self.alarm.clear();
        self.prober.watch(Some(self.server.address()));
        Ok(())
    }

    /// Has the graph that is written to put in order.
    async fn tend(&mut self) -> Result<(), Problem> {
        let tended = async {
            let mut connection = Connection::open(self.server.address()).await?;
            gardener::tend(&mut connection).await
        };
        let tended = timeout(Duration::from_secs(30), tended).await;
        if !matches!(tended, Ok(Ok(()))) {
            self.alarm.raise(format!("the graph that is written to could not be put in order: {tended:?}"));
        }
        self.look_after().await
    }
}

/// Notes what is under way each time that the process has come to take more than it may. Does not return.
async fn watch_memory(
    server: &Attacked,
    bound_mb: f64,
    alarm: &Alarm,
    exceeded: &mut Vec<(f64, Vec<String>)>,
) {
    let mut was_beyond = false;
    loop {
        let now_mb = server.reading().now_mb;
        let is_beyond = now_mb > bound_mb;
        if is_beyond && !was_beyond {
            exceeded.push((now_mb, alarm.under_way()));
        }
        was_beyond = is_beyond;
        sleep(LOOK).await;
    }
}

/// A query that would go on for ever.
fn endless(rng: &mut Rng) -> Hostile {
    loop {
        let query = kinds::draw(&kinds::ALL, rng);
        let would_last = query.needs.seconds > 30.0 && query.limit == Limit::Usual;
        if would_last && matches!(query.body, Body::Script(..)) {
            return query;
        }
    }
}
