//! Point reads and `/health` beside the attack: what somebody else notices of it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use values::Value;

use super::alarm::Alarm;
use super::connection::{Connection, End, get};
use super::ground::{FIRST_POINT, POINTS};
use super::query::{Form, Hostile, message};
use crate::Problem;

/// A server that does not answer for so long is stuck.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Between two point reads.
const PAUSE: Duration = Duration::from_millis(5);
/// Between two looks at `/health`.
const HEALTH_PAUSE: Duration = Duration::from_millis(100);
/// A server that was just started has nothing in its caches.
const WARM_UP: Duration = Duration::from_millis(500);

/// Somebody else, on a thread of its own.
#[derive(Debug)]
pub(crate) struct Prober {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    alarm: Arc<Alarm>,
    address: watch::Sender<Option<SocketAddr>>,
    /// Point reads are left out while this is so.
    quiet: AtomicBool,
    micros: Mutex<Vec<u32>>,
    /// The slowest point reads, with what was under way.
    slow: Mutex<Vec<Slow>>,
}

/// A point read that took long.
#[derive(Clone, Debug)]
pub(crate) struct Slow {
    /// How long it took.
    pub micros: u32,
    /// The queries under way, the oldest first.
    pub beside: Vec<String>,
}

/// So many of them are remembered.
const REMEMBERED: usize = 24;

impl Prober {
    /// Begins to probe, once it is told where.
    ///
    /// # Errors
    /// If the operating system refuses a thread.
    pub fn start(alarm: &Arc<Alarm>) -> Result<Self, Problem> {
        let shared = Arc::new(Shared {
            alarm: Arc::clone(alarm),
            address: watch::Sender::new(None),
            quiet: AtomicBool::new(false),
            micros: Mutex::default(),
            slow: Mutex::default(),
        });
        let (points, health) = (Arc::clone(&shared), Arc::clone(&shared));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("prober".into()).spawn(move || {
            runtime.block_on(async { tokio::join!(points.points(), health.health()) });
        })?;
        Ok(Self { shared })
    }

    /// Says where the server is; nowhere while it is started again.
    pub fn watch(&self, address: Option<SocketAddr>) {
        self.shared.address.send_replace(address);
    }

    /// Leaves out point reads, or not.
    pub fn be_quiet(&self, quiet: bool) {
        self.shared.quiet.store(quiet, Ordering::Relaxed);
    }

    /// How long each point read took so far, in microseconds.
    pub fn micros(&self) -> Vec<u32> {
        self.shared.micros.lock().expect("nobody panics with it").clone()
    }

    /// The slowest, the slowest first.
    pub fn slow(&self) -> Vec<Slow> {
        self.shared.slow.lock().expect("nobody panics with it").clone()
    }
}

impl Shared {
    /// The address, once there is one.
    async fn server(&self) -> SocketAddr {
        let mut address = self.address.subscribe();
        let there = address.wait_for(Option::is_some).await;
        // The sender lives as long as this.
        there.ok().and_then(|there| *there).unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    /// Whether the server is still meant to be there.
    fn is_at(&self, address: SocketAddr) -> bool {
        *self.address.borrow() == Some(address) && !self.alarm.is_raised()
    }

    async fn points(&self) {
        loop {
            let address = self.server().await;
            let Ok(mut connection) = Connection::open(address).await else {
                self.complain(address, "no connection within 2 s").await;
                continue;
            };
            let began = Instant::now();
            while self.is_at(address) {
                if self.quiet.load(Ordering::Relaxed) {
                    sleep(PAUSE).await;
                    continue;
                }
                let asked = Instant::now();
                match timeout(PATIENCE, point(&mut connection)).await {
                    Ok(Ok(End::Done)) => {}
                    // Who is refused must ask again: that is as if nothing had come in all that time.
                    Ok(Ok(End::Failed { .. })) => self.note(PATIENCE),
                    Ok(end) => {
                        self.complain(address, &format!("a point read failed: {end:?}")).await;
                        break;
                    }
                    Err(_) => {
                        self.complain(address, "no answer to a point read within 2 s").await;
                        break;
                    }
                }
                if began.elapsed() > WARM_UP {
                    self.note(asked.elapsed());
                }
                sleep(PAUSE).await;
            }
            sleep(PAUSE).await;
        }
    }

    async fn health(&self) {
        loop {
            let address = self.server().await;
            if let Err(error) = get(address, "/health", PATIENCE).await {
                self.complain(address, &format!("no answer from /health within 2 s: {error}")).await;
            }
            sleep(HEALTH_PAUSE).await;
        }
    }

    fn note(&self, took: Duration) {
        let micros = u32::try_from(took.as_micros()).unwrap_or(u32::MAX);
        self.micros.lock().expect("nobody panics with it").push(micros);
        let mut slow = self.slow.lock().expect("nobody panics with it");
        let place = slow.partition_point(|other| other.micros >= micros);
        if place < REMEMBERED {
            slow.insert(place, Slow { micros, beside: self.alarm.under_way() });
            slow.truncate(REMEMBERED);
        }
    }

    /// Raises the alarm, if the server should have been there.
    async fn complain(&self, address: SocketAddr, what: &str) {
        if self.is_at(address) {
            self.alarm.raise(what);
        }
        sleep(HEALTH_PAUSE).await;
    }
}

/// Reads the name of a vertex.
async fn point(connection: &mut Connection) -> Result<End, Problem> {
    let id = FIRST_POINT + fastrand::u64(..POINTS);
    let read = Hostile::script("g.V(x).values('name')").with("x", Value::Long(id as i64));
    connection.send(message(&read, Form::Binary, None)?).await?;
    Ok(connection.end().await)
}
