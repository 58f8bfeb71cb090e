//! Point reads of one connection beside many heavy queries of others.
//!
//! ```text
//! 127.0.0.1 ── one connection, one point read after the other ─────────────┐
//!            ┌ as many connections as there are heavy queries ("same") ────┼─▶ server process
//! 127.0.0.2 ─┘ or from another address ("other"), each with one of them ───┘
//! ```
//!
//! All of the heavy queries run from before the first point read until after the last: those that read have no end within
//! that time, and who writes has sent the next request before the last is answered.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use values::Value;

use crate::client::Client;
use crate::commits::copy_folder;
use crate::graph_under_test::open;
use crate::measure::{Latencies, millis};
use crate::parameters::Bindings;
use crate::report::{Report, rounded};
use crate::server_process::ServerProcess;

/// Heavy queries beside the point reads.
const HEAVY: [usize; 4] = [0, 2, 20, 200];
/// How long the heavy ones run before anything is measured.
const BEFORE: Duration = Duration::from_secs(2);
/// How long it may take until all of them have connected and asked.
const CONNECTING: Duration = Duration::from_secs(30);
/// Vertices that a writer changes with two requests.
const WRITTEN: usize = 200;
/// Time-out of the heavy queries, in milliseconds.
const FOR_LONG: i64 = 600_000;

const PROBE: &str = "g.V().has('Person','id',p).values('firstName')";

/// A kind of heavy query.
struct Kind {
    name: &'static str,
    script: &'static str,
    writes: bool,
}

/// Those that read go on for minutes, but hold little memory: what they sort or gather they do over and over again.
const KINDS: [Kind; 5] = [
    Kind {
        name: "expansion",
        script: "g.V().hasLabel('Person').repeat(both('knows').simplePath()).times(12).path().count()",
        writes: false,
    },
    Kind {
        name: "sort",
        script: "g.V().hasLabel('Person').map(__.V().hasLabel('Comment').order().by('creationDate').by('length').skip(9).limit(1).id())",
        writes: false,
    },
    Kind {
        name: "dedup",
        script: "g.V().hasLabel('Person').map(__.V().hasLabel('Comment').values('content').dedup().count())",
        writes: false,
    },
    Kind {
        name: "group",
        script: "g.V().hasLabel('Person').map(__.V().hasLabel('Comment').group().by('content').by(count()).count(local))",
        writes: false,
    },
    Kind { name: "write", script: "g.V(ids).property('seen',n)", writes: true },
];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;
type Problem = Box<dyn std::error::Error + Send + Sync>;

/// What is measured.
pub struct Settings {
    /// Only this kind.
    pub only: Option<String>,
    /// Only so many heavy queries.
    pub heavy: Option<usize>,
    /// How long point reads are sent for each row.
    pub seconds: u64,
}

/// Measures and writes `fairness.json`.
///
/// # Errors
/// If the graph cannot be copied or served, or a heavy query ends before the point reads do.
pub fn bench(program: &Path, graph: &Path, settings: &Settings, report: &Report) -> Outcome<()> {
    let (persons, others) = ids(graph)?;
    let folder = std::env::temp_dir().join(format!("mangrove-fairness-{}", std::process::id()));
    copy_folder(graph, &folder).map_err(|e| e.to_string())?;
    let rows = all_rows(program, &folder, settings, &persons, &others);
    std::fs::remove_dir_all(&folder)?;
    report.rows("fairness", &rows?)?;
    Ok(())
}

/// The ids of persons, as a property, and of vertices that nobody asks for.
fn ids(graph: &Path) -> Outcome<(Vec<Value>, Vec<Value>)> {
    let database = open(graph, 1)?;
    let all = |text: &str| database.query(text)?.collect::<Result<Vec<Value>, _>>();
    let persons = all("g.V().hasLabel('Person').values('id')")?;
    let others = all(&format!("g.V().hasLabel('Comment').limit({}).id()", HEAVY[3] * WRITTEN))?;
    if persons.is_empty() || others.len() < HEAVY[3] * WRITTEN {
        return Err("the graph has too few persons or comments".into());
    }
    Ok((persons, others))
}

fn all_rows(
    program: &Path,
    folder: &Path,
    settings: &Settings,
    persons: &[Value],
    others: &[Value],
) -> Outcome<Vec<Json>> {
    let mut rows = Vec::new();
    for kind in KINDS.iter().filter(|kind| settings.only.as_ref().is_none_or(|only| only == kind.name)) {
        for heavy in HEAVY.into_iter().filter(|heavy| settings.heavy.is_none_or(|only| only == *heavy)) {
            let sides = [("other", Ipv4Addr::new(127, 0, 0, 2)), ("same", Ipv4Addr::LOCALHOST)];
            // Nobody is at no address.
            for (side, address) in sides.into_iter().take(heavy.clamp(1, 2)) {
                let server = ServerProcess::start(program, folder)?;
                let crowd = Crowd { kind, heavy, from: address, to: server.address, others };
                let time = Duration::from_secs(settings.seconds);
                let reads = crowd.reads_beside(persons, time)?;
                let ms = |q: f64| rounded(millis(reads.quantile(q)));
                println!("{} {heavy} {side}: {} {}", kind.name, ms(0.5), ms(0.99));
                rows.push(json!({
                    "kind": kind.name, "heavy": heavy, "address": side,
                    "p50_ms": ms(0.5), "p99_ms": ms(0.99), "max_ms": ms(1.0), "reads": reads.len(),
                }));
            }
        }
    }
    Ok(rows)
}

/// Heavy queries, each on a connection of its own.
struct Crowd<'a> {
    kind: &'a Kind,
    heavy: usize,
    from: Ipv4Addr,
    to: SocketAddr,
    others: &'a [Value],
}

impl Crowd<'_> {
    /// Point reads while all of them run. Each side has a thread of its own, since the one that reads must not wait for what
    /// the other makes of its answers.
    fn reads_beside(&self, persons: &[Value], time: Duration) -> Outcome<Latencies> {
        let (running, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        std::thread::scope(|threads| {
            let crowd = threads.spawn(|| {
                let all = self.ask(running.clone(), &over);
                thread()?.block_on(all).map_err(|e| e.to_string())
            });
            let reads = thread().and_then(|thread| {
                thread.block_on(self.read_points(persons, time, &running)).map_err(|e| e.to_string())
            });
            over.notify_one();
            let crowd = crowd.join().expect("the crowd does not panic");
            let beside = crowd?.map_or_else(String::new, |ended| format!("; {ended}"));
            reads.map_err(|problem| format!("{problem}{beside}").into())
        })
    }

    /// Has all of them run until it is `over`; what ended before, if one did.
    async fn ask(&self, running: Arc<AtomicUsize>, over: &Notify) -> Result<Option<String>, Problem> {
        let mut crowd = JoinSet::new();
        for number in 0..self.heavy {
            let client = Client::connect_from(self.from, self.to).await?;
            let running = running.clone();
            if self.kind.writes {
                let ids = self.others[number * WRITTEN..(number + 1) * WRITTEN].to_vec();
                crowd.spawn(write(client, self.kind.script, ids, running));
            } else {
                crowd.spawn(read(client, self.kind.script, running));
            }
        }
        over.notified().await;
        Ok(crowd.try_join_next().map(|ended| format!("{ended:?}")))
    }

    /// Point reads, one after the other.
    async fn read_points(
        &self,
        persons: &[Value],
        time: Duration,
        running: &AtomicUsize,
    ) -> Result<Latencies, Problem> {
        let mut probe = Client::connect_from(Ipv4Addr::LOCALHOST, self.to).await?;
        let mut reads = Latencies::default();
        let asked = Instant::now();
        while running.load(Ordering::Relaxed) < self.heavy && asked.elapsed() < CONNECTING {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let (began, mut n) = (Instant::now(), 0);
        while began.elapsed() < BEFORE + time {
            n += 1;
            let bindings = vec![("p".into(), persons[n * 7919 % persons.len()].clone())];
            let asked = Instant::now();
            probe.ask(PROBE, &bindings).await?;
            if began.elapsed() > BEFORE {
                reads.add(asked.elapsed());
            }
            let running = running.load(Ordering::Relaxed);
            if running != self.heavy {
                return Err(format!("{running} of {} heavy queries run", self.heavy).into());
            }
        }
        Ok(reads)
    }
}

/// What a thread of clients runs on.
fn thread() -> Result<Runtime, String> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())
}

/// One query, which ends with the connection.
async fn read(mut client: Client, script: &'static str, running: Arc<AtomicUsize>) -> Result<(), String> {
    let sent = client.send(script, &Bindings::new(), Some(FOR_LONG)).await;
    sent.map_err(|e| e.to_string())?;
    running.fetch_add(1, Ordering::Relaxed);
    let ended = client.finish().await;
    running.fetch_sub(1, Ordering::Relaxed);
    Err(format!("ended: {ended:?}"))
}

/// Requests one after the other, of which one or two are always under way.
async fn write(
    mut client: Client,
    script: &'static str,
    ids: Vec<Value>,
    running: Arc<AtomicUsize>,
) -> Result<(), String> {
    let halves = ids.split_at(ids.len() / 2);
    let bindings = |n: i64| {
        // What is under way at the same time changes other vertices.
        let ids = if n % 2 == 0 { halves.0 } else { halves.1 };
        vec![("ids".into(), Value::from(ids.to_vec())), ("n".into(), Value::Long(n))]
    };
    let send = async |client: &mut Client, n| client.send(script, &bindings(n), Some(FOR_LONG)).await;
    send(&mut client, 0).await.map_err(|e| e.to_string())?;
    running.fetch_add(1, Ordering::Relaxed);
    let mut n = 1;
    let ended = loop {
        if let Err(problem) = send(&mut client, n).await {
            break problem.to_string();
        }
        match client.finish().await {
            Ok((200 | 204, _)) => n += 1,
            other => break format!("{other:?}"),
        }
    };
    running.fetch_sub(1, Ordering::Relaxed);
    Err(ended)
}
