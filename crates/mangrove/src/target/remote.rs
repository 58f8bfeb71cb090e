//! A graph behind a server.
//!
//! ```text
//!   run ──▶ the connection, one request at a time ──▶ results
//!    └─ stop is set ──▶ another connection: mangrove.queries.stop with the id of the request; if that fails, the first one is cut
//! ```

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use super::{Bound, Description, Each, Stop, Summary, Target, Vocabulary, near::begins_with};
use crate::{
    failure::Failure,
    far::{Client, Link},
};
use gremlin::Action;
use parking_lot::Mutex;

/// How often it is looked whether a request is to end.
const LOOK: Duration = Duration::from_millis(50);

/// See the module.
pub struct Remote {
    link: Link,
    client: Mutex<Client>,
    place: String,
    /// Whether variables stay from one script to the next.
    lasts: bool,
    in_transaction: AtomicBool,
}

impl Remote {
    /// A graph of which each script knows nothing of those before.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub fn new(link: Link) -> Result<Self, Failure> {
        let client = link.connect()?;
        let place = client.called().to_owned();
        Ok(Self {
            link,
            client: Mutex::new(client),
            place,
            lasts: false,
            in_transaction: AtomicBool::new(false),
        })
    }

    /// A graph that remembers variables from script to script, and transactions that `g.tx().begin()` begins.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub fn with_session(link: Link) -> Result<Self, Failure> {
        let remote = Self::new(link)?;
        remote.client.lock().begin_session();
        Ok(Self { lasts: true, ..remote })
    }

    /// Runs it, and connects again where the connection was cut before it was asked anything: a server may have been started anew.
    fn ask(
        &self,
        text: &str,
        bindings: &Bound,
        manages: bool,
        stop: &Stop,
        each: Each<'_>,
    ) -> Result<u64, Failure> {
        let mut client = self.client.lock();
        if client.is_broken() {
            *client = self.link.connect()?;
            if self.lasts {
                client.begin_session();
                self.in_transaction.store(false, Ordering::Relaxed);
            }
        }
        let mut rows = 0;
        let id = client.next_id();
        let hangup = client.hangup();
        let over = AtomicBool::new(false);
        let ran = thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    if stop.is_set() {
                        let asked = self.link.connect().and_then(|mut other| other.stop(&id));
                        if !matches!(asked, Ok(true)) && !over.load(Ordering::Acquire) {
                            hangup.now();
                        }
                        return;
                    }
                    thread::sleep(LOOK);
                }
            });
            let ran = client.run(text, bindings, manages, &mut |value| {
                if stop.is_set() {
                    return Err(Failure::Interrupted);
                }
                rows += 1;
                each(value)
            });
            over.store(true, Ordering::Release);
            ran
        });
        match ran {
            // Whatever it came to, it was told to end.
            Err(_) if stop.is_set() => Err(Failure::Interrupted),
            ran => ran.map(|()| rows),
        }
    }

    /// The names of one kind; none if the server does not tell.
    fn names(&self, kind: &str) -> Vec<String> {
        let script = format!("g.call('mangrove.schema.names').select('{kind}').unfold()");
        let mut names = Vec::new();
        // What is not known is not completed.
        let _ = self.ask(&script, &[], true, &Stop::default(), &mut |value| {
            names.extend(value.as_str().map(str::to_owned));
            Ok(())
        });
        names
    }
}

impl Target for Remote {
    fn run(&self, text: &str, bindings: &Bound, stop: &Stop, each: Each<'_>) -> Result<Summary, Failure> {
        let goes_on = self.in_transaction.load(Ordering::Relaxed) || begins_with(text, &[Action::Begin]);
        let ran = self.ask(text, bindings, !goes_on, stop, each);
        if goes_on {
            let is_ended = begins_with(text, &[Action::Commit, Action::Rollback]);
            self.in_transaction.store(self.lasts && !is_ended, Ordering::Relaxed);
        }
        Ok(Summary { rows: ran?, warnings: Vec::new() })
    }

    fn vocabulary(&self) -> Result<Vocabulary, Failure> {
        if self.in_transaction.load(Ordering::Relaxed) {
            // A request of its own would end it.
            return Ok(Vocabulary::default());
        }
        Ok(Vocabulary {
            vertex_labels: self.names("vertices"),
            edge_labels: self.names("edges"),
            keys: self.names("keys"),
        })
    }

    fn sizes(&self) -> Result<String, Failure> {
        let mut lines = Vec::new();
        for (what, script) in
            [("vertices", "g.V().groupCount().by(label)"), ("edges", "g.E().groupCount().by(label)")]
        {
            self.ask(script, &[], true, &Stop::default(), &mut |value| {
                let counts = value.as_map().cloned().unwrap_or_default();
                let all: i64 = counts.iter().filter_map(|(_, count)| count.as_i64()).sum();
                lines.push(format!("{all} {what}"));
                lines.extend(counts.iter().map(|(label, count)| format!("  {count} {what} {label}")));
                Ok(())
            })?;
        }
        Ok(lines.join("\n"))
    }

    fn describe(&self) -> Description {
        Description { place: self.place.clone(), in_transaction: self.in_transaction.load(Ordering::Relaxed) }
    }
}
