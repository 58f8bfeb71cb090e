//! Results, and the sizes of a graph, for people and for pipes.
//!
//! It must never know where results come from.

mod say;
pub mod stats;
mod table;

use std::io::{self, Write};

use clap::ValueEnum;
use values::Value;
use wire::{Properties, graphson::Dialect};

pub use say::{LogOutput, complain, say};
use table::Table;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people; maps spread over columns.
    #[default]
    Table,
    /// One JSON document per line.
    Json,
    /// One result per line, as the Gremlin Console prints it.
    Plain,
}

/// Rows that a table lays out together; longer results become several tables, so memory stays bounded and the
/// first rows appear early.
const PAGE: usize = 500;

/// Prints results one after another.
pub struct Printer<W: Write> {
    out: W,
    format: Format,
    page: Vec<Value>,
    rows: u64,
}

impl<W: Write> Printer<W> {
    /// A printer to `out`.
    pub fn new(out: W, format: Format) -> Self {
        Self { out, format, page: Vec::new(), rows: 0 }
    }

    /// Prints a result, or keeps it for the next table.
    ///
    /// # Errors
    /// When `out` takes no more, for instance because the reader of a pipe left.
    pub fn print(&mut self, value: Value) -> io::Result<()> {
        self.rows += 1;
        match self.format {
            Format::Plain => writeln!(self.out, "{value}"),
            Format::Json => {
                let mut line = Vec::new();
                wire::graphson::encode_value(&value, Properties::All, Dialect::UNTYPED, &mut line)
                    .map_err(io::Error::other)?;
                line.push(b'\n');
                self.out.write_all(&line)
            }
            Format::Table => {
                self.page.push(value);
                if self.page.len() == PAGE { self.turn() } else { Ok(()) }
            }
        }
    }

    /// Prints what was kept, and says how many results there were.
    ///
    /// # Errors
    /// As [`Self::print`].
    pub fn finish(mut self) -> io::Result<u64> {
        self.turn()?;
        self.out.flush()?;
        Ok(self.rows)
    }

    fn turn(&mut self) -> io::Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        let table = Table::of(&self.page);
        self.page.clear();
        writeln!(self.out, "{table}")
    }
}

/// A number of rows in words.
pub fn rows(n: u64) -> String {
    match n {
        1 => "1 row".into(),
        n => format!("{n} rows"),
    }
}
