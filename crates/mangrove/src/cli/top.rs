//! `mangrove top`: what a server does at the moment.

use std::{
    io::{self, IsTerminal},
    thread,
    time::Duration,
};

use clap::Args;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets::NOTHING};
use mangrove::config::Config;
use values::{Map, Value};

use super::{Failure, reached::Reached};
use crate::{
    far::{Client, Far},
    output::say,
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
            let page = page(&mut client)?;
            if !is_live {
                say(page)?;
                return Ok(());
            }
            say(format_args!("{CLEAR}{page}"))?;
            thread::sleep(Duration::from_secs_f64(self.every));
        }
    }
}

fn page(client: &mut Client) -> Result<String, Failure> {
    let called = client.called().to_owned();
    let rows = client.ask("g.call('mangrove.queries')", &[])?;
    let rows: Vec<_> = rows.iter().filter_map(Value::as_map).filter(|row| !is_own(row)).collect();
    let count = |state: &str| rows.iter().filter(|row| text(row, "state") == state).count();
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["ID", "USER", "CLIENT", "STATE", "AGE", "ROWS", "MEMORY", "QUERY"]);
    for row in &rows {
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row([
            Cell::new(text(row, "id")),
            Cell::new(text(row, "user")),
            Cell::new(text(row, "client")),
            Cell::new(text(row, "state")),
            right(format!("{:.1} s", number(row, "age") / 1e3)),
            right(text(row, "rows")),
            right(format!("{:.1} MB", number(row, "memory") / 1e6)),
            Cell::new(first_of(&text(row, "text"))),
        ]);
    }
    let (running, waiting, sending) = (count("running"), count("waiting"), count("sending"));
    Ok(format!(
        "{called}: {running} running, {waiting} waiting, {sending} sending; `g.call('mangrove.queries.stop', ['id': …])` stops one\n\
         {table}"
    ))
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
