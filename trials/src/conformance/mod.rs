//! TinkerPop's own scenarios, all of them, through every door.
//!
//! | file | what |
//! |---|---|
//! | `case.rs` | the scenarios, read from feature files |
//! | `step.rs` | what a line of a scenario says |
//! | `notation.rs` | TinkerPop's notation of values: `d[29].i`, `v[marko].id`, `l[a,b]` |
//! | `elements.rs` | elements by their names: `v[marko]`, `e[marko-knows->josh]` |
//! | `same.rs` | when a result is the one that was expected, and how a value is printed |
//! | `door.rs`, `embedded.rs`, `websocket.rs` | the ways into Mangrove |
//! | `scenario.rs` | one scenario through one door |
//! | `outcome.rs` | what became of it |
//! | `report.rs` | what is printed and written |
//! | `lists.rs` | what is known to fail or to be refused: lists that may only shrink |

mod case;
mod door;
mod elements;
mod embedded;
mod lists;
mod notation;
mod outcome;
mod report;
mod same;
mod scenario;
mod step;
mod websocket;

use std::path::{Path, PathBuf};
use std::time::Instant;

pub use case::{Case, cases};
pub use door::{Answer, Door, Failure, Graphs};
pub use embedded::Embedded;
pub use lists::{List, Lists};
pub use outcome::Outcome;
pub use report::Report;
pub use websocket::{Form, WebSocket};

use crate::Problem;

/// What the command is told.
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Folder of TinkerPop's feature files and sample graphs
    #[arg(long, default_value = "../shared/tinkerpop")]
    tinkerpop: PathBuf,
    /// Folder that `conformance.json` goes to
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Only scenarios with this in their name
    #[arg(long)]
    only: Option<String>,
    /// Write the lists of what fails and of what is refused anew
    #[arg(long, conflicts_with = "only")]
    renew: bool,
    /// Folder of those lists
    #[arg(long, default_value = "trials")]
    lists: PathBuf,
}

/// Runs all scenarios through every door, prints and writes what became of them, and says whether none failed.
///
/// # Errors
/// If the files cannot be read or written, or a graph cannot be opened or served.
pub fn run(arguments: &Arguments) -> Result<bool, Problem> {
    let mut cases = cases(&arguments.tinkerpop.join("features"))?;
    if let Some(only) = &arguments.only {
        cases.retain(|case| case.name.contains(only.as_str()));
    }
    let mut report = Report::new(&cases);
    for mut door in doors(&arguments.tinkerpop.join("data"))? {
        let began = Instant::now();
        report.add(door.name(), try_all(&mut *door, &cases)?);
        eprintln!("{}: {:.1} s", door.name(), began.elapsed().as_secs_f64());
    }
    report.print();
    report.write(&arguments.out)?;
    if arguments.renew {
        Lists::read(&arguments.lists)?.renewed(&report).write(&arguments.lists)?;
    }
    Ok(report.failed() == 0)
}

/// Every way into Mangrove, each with graphs of its own.
///
/// # Errors
/// If a graph cannot be opened or served.
pub fn doors(data: &Path) -> Result<Vec<Box<dyn Door>>, Problem> {
    Ok(vec![
        Box::new(Embedded::open(data)?),
        Box::new(WebSocket::open(data, Form::Script)?),
        Box::new(WebSocket::open(data, Form::Bytecode)?),
    ])
}

/// What became of each scenario.
///
/// # Errors
/// If the door is broken, or a scenario changed a graph that others read.
pub fn try_all(door: &mut dyn Door, cases: &[Case]) -> Result<Vec<Outcome>, Problem> {
    let mut elements = elements::Elements::default();
    let before = door::sizes(door)?;
    let outcomes = cases.iter().map(|case| scenario::run(case, door, &mut elements)).collect();
    if door::sizes(door)? != before {
        return Err("a scenario changed a sample graph".into());
    }
    Ok(outcomes)
}
