//! `mangrove top`: what a server does at the moment.

use std::{
    io::{self, IsTerminal},
    thread,
    time::Duration,
};

use clap::Args;
use mangrove::config::Config;
use values::{Map, Value};

use super::{Failure, reached::Reached};
use crate::{
    far::{Client, Far},
    output::{Format, Printer, say, width},
};

/// The arguments of `mangrove top`.
#[derive(Args, Debug)]
pub struct Top {
    /// Seconds between two looks
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    every: f64,
    /// Look once and leave, as is done where nobody is at a terminal
    #[arg(long)]
    once: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds")?;
    if (0.1..=3_600.0).contains(&seconds) { Ok(seconds) } else { Err("from 0.1 to 3600".into()) }
}

/// Moves to the corner of the terminal, and clears it.
const CLEAR: &str = "\x1b[H\x1b[J";

impl Top {
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        let mut client = match Reached::of(config, far)? {
            Reached::Far(client) => client,
            Reached::Near(_) => {
                return Err(Failure::Usage(
                    "no server has this directory open; name one with --url, or its directory with --data"
                        .into(),
                ));
            }
        };
        let is_live = !self.once && io::stdout().is_terminal();
        loop {
            if is_live {
                say(CLEAR)?;
            }
            show(&mut client)?;
            if !is_live {
                return Ok(());
            }
            thread::sleep(Duration::from_secs_f64(self.every));
        }
    }
}

/// Shows what there is now: how many, and a row for each.
fn show(client: &mut Client) -> Result<(), Failure> {
    let rows = client.ask("g.call('mangrove.queries')", &[])?;
    let rows: Vec<_> = rows.iter().filter_map(Value::as_map).filter(|row| !is_own(row)).collect();
    let count = |state: &str| rows.iter().filter(|row| text(row, "state") == state).count();
    let (running, waiting, sending) = (count("running"), count("waiting"), count("sending"));
    say(format_args!("{}: {running} running, {waiting} waiting, {sending} sending", client.called()))?;
    let mut printer =
        Printer::new(io::stdout().lock(), Format::Table).cut_to(width(), "g.call('mangrove.queries')");
    for row in rows {
        let mut shown = Map::new();
        for name in ["id", "user", "client", "state"] {
            shown.insert(name, text(row, name));
        }
        shown.insert("age", format!("{:.1} s", number(row, "age") / 1e3));
        shown.insert("rows", text(row, "rows"));
        shown.insert("memory", format!("{:.1} MB", number(row, "memory") / 1e6));
        shown.insert("query", first_of(&text(row, "text")));
        printer.print(shown.into())?;
    }
    printer.finish()?;
    Ok(())
}

/// Whether it is the query that asks.
fn is_own(row: &Map) -> bool {
    text(row, "text").starts_with("g.call('mangrove.queries')")
}

fn text(row: &Map, name: &str) -> String {
    match row.get(&Value::from(name)) {
        None | Some(Value::Null) => "-".into(),
        Some(value) => value.to_string(),
    }
}

fn number(row: &Map, name: &str) -> f64 {
    row.get(&Value::from(name)).and_then(Value::as_i64).unwrap_or(0) as f64
}

/// The first characters, in one line, and nothing that a terminal would obey.
fn first_of(text: &str) -> String {
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect();
    if text.chars().nth(80).is_some() { format!("{shown}…") } else { shown }
}
