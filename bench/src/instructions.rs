//! Instructions that requests take, counted by valgrind: numbers that do not change with what else the machine does.
//!
//! `bench instructions GRAPH LDBC` runs itself under `valgrind` (tool callgrind), which counts only what happens inside of
//! [`counted`], on the thread that asks: there is one executor, and a query runs on the caller's thread. All requests run
//! before they count, so nothing is loaded, parsed for the first time or planned. Hashes have a seed of the process, so two
//! runs differ by some 0.1%. The engine's clock stands still, for under valgrind everything takes fifty times as long, and a query
//! that looks at the clock would have a turn for each fiftieth of one. What each request spends where, `callgrind_annotate` says of `target/bench/instructions/N`.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use dataflow::{Budget, Clock, Engine, EngineOptions};
use mangrove::Database;
use mangrove::graph::{GraphError, VertexRef};
use serde_json::{Value as Json, json};
use values::Value;

use crate::commits::{copy_folder, mix, vertices};
use crate::graph_under_test::{open_with, run};
use crate::limit;
use crate::parameters::{Bindings, rows};
use crate::queries::set;
use crate::report::{Report, rounded};
use crate::step_queries::{STEPS, WRITES};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Parameter rows per query.
const ROWS: usize = 3;
/// Rounds of a request before it counts.
const WARM_UP: usize = 2;
/// Requests and commits that are counted where each is short.
const MANY: usize = 200;

/// Counts, and writes `instructions.json`. `before` is such a file of another build: then there is a ratio, too.
///
/// # Errors
/// If valgrind is missing, or the graph cannot be opened or queried.
pub fn bench(
    graph: &Path,
    ldbc: &Path,
    only: Option<&str>,
    before: Option<&Path>,
    report: &Report,
) -> Outcome<()> {
    let before: Json = match before {
        Some(file) => serde_json::from_slice(&std::fs::read(file)?)?,
        None => Json::Null,
    };
    let folder = report.folder().join("instructions");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let outcome = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--toggle-collect=*instructions::counted*"])
        .args(["--dump-after=bench::instructions::counted"])
        .arg(format!("--callgrind-out-file={}", folder.join("all").display()))
        .arg(std::env::current_exe()?)
        .arg("counted")
        .args([graph, ldbc])
        .args(only.map(|only| ["--only", only]).into_iter().flatten())
        .output();
    let output = outcome.map_err(|error| format!("valgrind does not start ({error}): is it installed?"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let mut figures = Vec::new();
    for (number, line) in (1..).zip(String::from_utf8(output.stdout)?.lines()) {
        let (name, requests) = line.split_once('\t').ok_or("the program inside says nothing")?;
        let dump = folder.join(format!("all.{number}"));
        let each = total(&dump)? as f64 / requests.parse::<f64>()?;
        std::fs::rename(dump, folder.join(format!("{number} {}", name.replace('/', " "))))?;
        figures.push(figure(name, each, &before));
    }
    report.rows("instructions", &figures)?;
    Ok(())
}

fn figure(name: &str, each: f64, before: &Json) -> Json {
    let mut figure = json!({ "name": name, "instructions": each.round() });
    if let Some(before) = before.as_array() {
        let same = before.iter().find(|other| other["name"] == name);
        let before = same.and_then(|other| other["instructions"].as_f64());
        figure["before"] = json!(before);
        figure["ratio"] = before.map_or(Json::Null, |before| rounded(each / before));
    }
    figure
}

/// The instructions of a dump, which says `totals: 1059646`.
fn total(dump: &PathBuf) -> Outcome<u64> {
    let text = std::fs::read_to_string(dump)?;
    let total = text.lines().rev().find_map(|line| line.strip_prefix("totals: "));
    Ok(total.and_then(|total| total.split_whitespace().next()).ok_or("nothing was counted")?.parse()?)
}

/// Bytes that all queries together may hold.
const ROOM: u64 = 4 << 30;

/// What counts, and nothing else.
#[inline(never)]
fn counted(work: &mut dyn FnMut() -> Outcome<()>) -> Outcome<()> {
    black_box(work())
}

/// Runs all requests, each as `counted` as [`bench`] expects, and says how many these were.
///
/// # Errors
/// If the graph cannot be opened or queried.
pub fn inside(graph: &Path, ldbc: &Path, only: Option<&str>) -> Outcome<()> {
    let wanted = |name: &str| only.is_none_or(|only| name.contains(only));
    let database = open(graph)?;
    let starts: Vec<Bindings> = rows(ldbc, "IC1", ROWS)?.into_iter().map(named_p).collect();
    let reads =
        [("limit", limit::QUERIES.map(|(name, text, _)| (name, text)).to_vec()), ("step", STEPS.to_vec())];
    for (kind, queries) in reads {
        for (name, text) in queries {
            read(&format!("{kind} {name}"), &database, text, &starts, &wanted)?;
        }
    }
    for name in ["walks", "ic", "is", "cq"] {
        for (query, text) in set(name) {
            read(&format!("{name} {query}"), &database, text, &rows(ldbc, query, ROWS)?, &wanted)?;
        }
    }
    point(&database, &wanted)?;
    drop(database);
    writing(graph, &wanted)
}

/// A clock that stands still.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

fn open(graph: &Path) -> Outcome<Database> {
    let budget = Some(Arc::new(Budget::new(ROOM, ROOM)));
    let options = EngineOptions { executors: 1, budget, ..EngineOptions::default() };
    Ok(open_with(graph, Arc::new(Engine::start_by(&options, Arc::new(Stopped))?))?)
}

/// Runs a request with all bindings some rounds, of which the last counts.
fn read(
    name: &str,
    database: &Database,
    text: &str,
    bindings: &[Bindings],
    wanted: &dyn Fn(&str) -> bool,
) -> Outcome<()> {
    // A sum over all people needs no second start.
    let bindings = if text.contains("has('Person','id'") || text.contains("personId") {
        bindings
    } else {
        &bindings[..1]
    };
    let mut all = || -> Outcome<()> {
        for row in bindings {
            black_box(run(database, text, row).map_err(|error| format!("{name}: {error}"))?);
        }
        Ok(())
    };
    case(name, bindings.len(), wanted, &mut all)
}

fn case(
    name: &str,
    requests: usize,
    wanted: &dyn Fn(&str) -> bool,
    work: &mut dyn FnMut() -> Outcome<()>,
) -> Outcome<()> {
    if !wanted(name) {
        return Ok(());
    }
    for _ in 0..WARM_UP {
        // Another build may not know every step.
        if let Err(error) = work() {
            eprintln!("left out: {error}");
            return Ok(());
        }
    }
    counted(work)?;
    println!("{name}\t{requests}");
    Ok(())
}

/// The start is called `p` in queries that are not LDBC's.
fn named_p(mut bindings: Bindings) -> Bindings {
    let person = bindings.iter().find(|(name, _)| name == "personId").map(|(_, value)| value.clone());
    bindings.extend(person.map(|person| ("p".into(), person)));
    bindings
}

/// As `bench point`: each with its literal in the text, so that it is parsed.
fn point(database: &Database, wanted: &dyn Fn(&str) -> bool) -> Outcome<()> {
    let ids: Vec<i64> = run(database, "g.V().hasLabel('Person').values('id')", &Bindings::new())?
        .iter()
        .filter_map(Value::as_i64)
        .collect();
    let mut next = 0;
    case("point", MANY, wanted, &mut || {
        for _ in 0..MANY {
            next += 1;
            let text =
                format!("g.V().has('Person','id',{}).values('firstName')", ids[next * 7919 % ids.len()]);
            if run(database, &text, &Bindings::new())?.len() != 1 {
                return Err("a person has not one first name".into());
            }
        }
        Ok(())
    })
}

/// Writes to a copy of the graph.
fn writing(graph: &Path, wanted: &dyn Fn(&str) -> bool) -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-instructions-{}", std::process::id()));
    copy_folder(graph, &folder).map_err(|error| error.to_string())?;
    let outcome = write_to(&folder, wanted);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn write_to(graph: &Path, wanted: &dyn Fn(&str) -> bool) -> Outcome<()> {
    let database = open(graph)?;
    let snapshot = database.snapshot();
    let (persons, messages) = (vertices(&snapshot, &["Person"]), vertices(&snapshot, &["Post", "Comment"]));
    drop(snapshot);
    let mut next = 0;
    case("commit of an edge", MANY, wanted, &mut || {
        for _ in 0..MANY {
            next += 1;
            commit(&database, &persons, &messages, next)?;
        }
        Ok(())
    })?;
    let ids: Vec<i64> = run(&database, "g.V().hasLabel('Person').limit(10).values('id')", &Bindings::new())?
        .iter()
        .filter_map(Value::as_i64)
        .collect();
    for (name, text) in WRITES {
        case(&format!("write {name}"), ids.len(), wanted, &mut || {
            for id in &ids {
                next += 1;
                let bindings = vec![("p".into(), Value::Long(*id)), ("n".into(), Value::Long(next as i64))];
                run(&database, text, &bindings).map_err(|error| format!("{name}: {error}"))?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// As `bench commits`: a person likes a message.
fn commit(database: &Database, persons: &[VertexRef], messages: &[VertexRef], n: usize) -> Outcome<()> {
    let random = mix(n as u64);
    let transaction = database.graph().begin();
    let (person, message) =
        (persons[(random >> 32) as usize % persons.len()], messages[random as u32 as usize % messages.len()]);
    let edge = transaction.add_edge(None, "likes", person, message)?;
    transaction.set_edge_property(edge, "creationDate", Value::Long(n as i64))?;
    match transaction.commit() {
        Ok(_) | Err(GraphError::Conflict(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
