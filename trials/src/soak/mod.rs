//! Everything at once, for a long time: memory, disk and latency stay flat, and nothing is lost.
//!
//! ```text
//!  points, analytics ──┐
//!  writers, sessions,  │                                    ┌─▶ samples ─▶ flat?
//!  transactions ───────┼─▶ server (a process of its own) ───┤
//!     └─▶ ledger       │       people │ ground │ w          └─▶ opened again: all of the ledger is there, `check` is clean,
//!  bulk, operator,     │                                        and so is the last backup
//!  cancelled, hostile, │
//!  backups, imports ───┘
//! ```
//!
//! | file | what |
//! |---|---|
//! | `actors/` | who does what, one file each |
//! | `stage.rs`, `program.rs` | the graphs, the server and its bounds, and commands beside it |
//! | `field.rs`, `http.rs` | what actors share, and how they ask |
//! | `ledger.rs`, `slots.rs` | what was written, and what must be there |
//! | `sample.rs`, `flat.rs` | what the server takes, and whether that grows |
//! | `tally.rs`, `ending.rs`, `report.rs` | what became of requests, what is left at the end, and how it is told |
//!
//! Whether it is flat counts in runs of eight minutes and more, since what has bounds has to reach them first. With `--kills` the
//! server is killed and started again every so often; then it is not asked whether anything is flat.

mod actors;
mod ending;
mod field;
mod flat;
mod http;
mod ledger;
mod program;
mod report;
mod sample;
mod slots;
mod stage;
mod tally;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use fastrand::Rng;
use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use values::Value;

use self::actors::{
    analytics, backups, bulk, cancelled, hostile, imports, operator, points, sessions, transactions, writers,
};
use self::field::Field;
use self::ledger::Ledger;
use self::sample::Place;
use self::stage::Stage;
use crate::Problem;
use crate::histories::client::{Answer, Client, Request};
use crate::process::ServerProcess;

/// The arguments of `trials soak`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// How long
    #[arg(long, default_value_t = 30.0)]
    minutes: f64,
    /// People of the graph; everything else grows with them
    #[arg(long, default_value_t = 2_000)]
    persons: u64,
    /// Kills the server and starts it again, each so many minutes
    #[arg(long, value_name = "MINUTES")]
    kills: Option<f64>,
    /// What everything random comes from, but the moments; a random one by default
    #[arg(long)]
    seed: Option<u64>,
    /// The mangrove program
    #[arg(long, default_value = "target/release/mangrove")]
    program: PathBuf,
    /// Folder of the graphs, which is emptied
    #[arg(long, default_value = "target/soak")]
    folder: PathBuf,
    /// Folder that `soak.json` goes to
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
}

/// From so many minutes on it counts whether numbers are flat.
const COUNTS_FROM: f64 = 8.0;
/// Slots of each writer.
const SLOTS: i64 = 400;
/// An actor has ended so long after it was told to: commands run for up to ten minutes.
const LEAVE: Duration = Duration::from_secs(660);
/// Most of what is wrong that is printed.
const MOST_PRINTED: usize = 20;

/// Runs the trial, prints and writes what became of it; whether nothing was wrong.
///
/// # Errors
/// If the server cannot be started, or a file not be written.
pub fn run(arguments: &Arguments) -> Result<bool, Problem> {
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    // The clients are many and do little.
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(soak(arguments, seed))
}

async fn soak(arguments: &Arguments, seed: u64) -> Result<bool, Problem> {
    let stage = Stage::prepare(&arguments.folder, &arguments.program, arguments.persons).await?;
    let mut server = stage.start()?;
    let persons = prepare(&server).await?;
    let (moved, address) = watch::channel(server.address());
    let field = Arc::new(Field::new(address));
    let process = Arc::new(AtomicU32::new(server.id()));
    let place = Place { graphs: stage.graphs(), bound_mb: Stage::bound_mb(), process };
    let began = Instant::now();
    let samples = sample::start(field.clone(), place.clone(), began);
    let cast = Cast::enter(&field, &stage, &Arc::new(persons), &mut Rng::with_seed(seed));
    let watched = watch_over(&field, &mut server, &moved, &place, arguments).await;
    field.stop();
    watched?;
    let (ledger, done) = cast.leave(&field).await;
    let samples = samples.join().map_err(|_| "the samples are lost")?;
    let left = ending::left(&field, &place).await?;
    println!("all have left: {:.0} MB, {} files, {} threads", left.rss_mb, left.files, left.threads);
    ending::compare(&field, &stage, server, &ledger, &done).await?;
    stage.complaints().into_iter().for_each(|line| field.tally.wrong(format!("the server's log: {line}")));

    let lines = flat::lines(&samples);
    report::table(&lines);
    if arguments.kills.is_none() && arguments.minutes >= COUNTS_FROM {
        lines.iter().filter(|line| !line.is_flat()).for_each(|line| {
            field.tally.wrong(format!("{} grows: {:.1?}", line.name, line.quarters));
        });
    }
    let actors = ["points", "analytics", "writes", "sessions", "transactions", "bulk", "operator", "backups"];
    field.tally.judge_refusals(&actors);
    let (wrong, told) = field.tally.all_wrong();
    let [acknowledged, refused, unknown] = ledger.writes;
    let figures = json!({
        "seed": seed, "minutes": arguments.minutes, "persons": arguments.persons, "kills": arguments.kills,
        "writes": { "acknowledged": acknowledged, "refused": refused, "unknown": unknown },
        "backups": { "written": done.written, "restored": done.restored },
        "requests": field.tally.to_json(), "left": left, "wrong": wrong, "told": told,
    });
    println!(
        "\nrequests: {}\nwrites: {acknowledged} acknowledged, {refused} refused, {unknown} without an answer; {} backups",
        field.tally.to_json(),
        done.written
    );
    report::write(&arguments.out, figures, &lines, &samples)?;
    told.iter().take(MOST_PRINTED).for_each(|line| println!("wrong: {line}"));
    println!("{}", if wrong == 0 { "nothing is wrong".to_owned() } else { format!("{wrong} wrong") });
    Ok(wrong == 0)
}

/// Makes what the writers begin with; the ids of people.
async fn prepare(server: &ServerProcess) -> Result<Vec<Value>, Problem> {
    let mut client = Client::connect(server.address()).await.ok_or("no connection")?;
    for request in slots::prepare().into_iter().chain([bulk::prepare()]) {
        if let answer @ (Answer::Error(..) | Answer::Silence) = client.ask(&request).await {
            return Err(format!("{}: {answer:?}", request.text()).into());
        }
    }
    match client.ask(&Request::of("g.V().hasLabel('Person').values('id')")).await {
        Answer::Results(persons) if !persons.is_empty() => Ok(persons),
        answer => Err(format!("there are no people: {answer:?}").into()),
    }
}

/// All actors.
struct Cast {
    writers: Vec<JoinHandle<Ledger>>,
    backups: JoinHandle<backups::Done>,
    others: Vec<JoinHandle<()>>,
}

impl Cast {
    fn enter(field: &Arc<Field>, stage: &Stage, persons: &Arc<Vec<Value>>, rng: &mut Rng) -> Self {
        let mut writer = 0;
        let mut ledger = || {
            writer += 1;
            Ledger::new(writer * 10_000..writer * 10_000 + SLOTS)
        };
        let writers = vec![
            tokio::spawn(writers::act(field.clone(), ledger(), 10, rng.fork())),
            tokio::spawn(writers::act(field.clone(), ledger(), 10, rng.fork())),
            tokio::spawn(writers::act(field.clone(), ledger(), 10, rng.fork())),
            tokio::spawn(sessions::act(field.clone(), ledger(), rng.fork())),
            tokio::spawn(sessions::act(field.clone(), ledger(), rng.fork())),
            tokio::spawn(transactions::act(field.clone(), ledger(), rng.fork())),
        ];
        let others = vec![
            tokio::spawn(points::act(field.clone(), persons.clone(), rng.fork())),
            tokio::spawn(points::act(field.clone(), persons.clone(), rng.fork())),
            tokio::spawn(analytics::act(field.clone(), persons.clone(), rng.fork())),
            tokio::spawn(bulk::act(field.clone(), rng.fork())),
            tokio::spawn(operator::act(field.clone(), rng.fork())),
            tokio::spawn(cancelled::act(field.clone(), rng.fork())),
            tokio::spawn(hostile::act(field.clone(), rng.fork())),
            tokio::spawn(imports::act(field.clone(), stage.program.clone(), stage.files(), stage.imported())),
        ];
        let backups = tokio::spawn(backups::act(field.clone(), stage.program.clone()));
        Self { writers, backups, others }
    }

    /// Waits until all have left; what was written, and the backups.
    async fn leave(self, field: &Field) -> (Ledger, backups::Done) {
        let mut ledger = Ledger::default();
        for writer in self.writers {
            match timeout(LEAVE, writer).await {
                Ok(Ok(written)) => ledger.merge(written),
                problem => field.tally.wrong(format!("a writer does not end: {problem:?}")),
            }
        }
        for other in self.others {
            if let problem @ (Err(_) | Ok(Err(_))) = timeout(LEAVE, other).await {
                field.tally.wrong(format!("an actor does not end: {problem:?}"));
            }
        }
        let done = match timeout(LEAVE, self.backups).await {
            Ok(Ok(done)) => done,
            problem => {
                field.tally.wrong(format!("who writes backups does not end: {problem:?}"));
                backups::Done::default()
            }
        };
        (ledger, done)
    }
}

/// Waits until the time is over, says how it goes, and kills the server if it is to be killed.
async fn watch_over(
    field: &Field,
    server: &mut ServerProcess,
    moved: &watch::Sender<std::net::SocketAddr>,
    place: &Place,
    arguments: &Arguments,
) -> Result<(), Problem> {
    let minutes = |minutes: f64| Duration::from_secs_f64(minutes * 60.0);
    let (began, mut told) = (Instant::now(), 0);
    let mut next_kill = arguments.kills.map(minutes);
    while began.elapsed() < minutes(arguments.minutes) {
        server.check()?;
        if next_kill.is_some_and(|next| began.elapsed() >= next) {
            next_kill = next_kill.zip(arguments.kills).map(|(next, every)| next + minutes(every));
            kill(field, server, moved, place)?;
        }
        let count = field.latest.lock().0;
        if count >= told + 2 {
            told = count;
            println!("{}", report::progress(&field.latest.lock().1, field.tally.all_wrong().0));
        }
        sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

fn kill(
    field: &Field,
    server: &mut ServerProcess,
    moved: &watch::Sender<std::net::SocketAddr>,
    place: &Place,
) -> Result<(), Problem> {
    field.epoch.fetch_add(1, Ordering::Relaxed);
    server.kill()?;
    let began = Instant::now();
    server.start_again()?;
    println!("killed, and there again after {:.1} s", began.elapsed().as_secs_f64());
    place.process.store(server.id(), Ordering::Relaxed);
    // Somebody listens: the field.
    let _ = moved.send(server.address());
    field.epoch.fetch_add(1, Ordering::Relaxed);
    Ok(())
}
