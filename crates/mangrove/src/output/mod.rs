//! Results, and the sizes of a graph, for people and for pipes.
//!
//! ```text
//!   value ─▶ Printer ──┬─ json, plain: a line each ──────────────────────────────┐
//!                      └─ table, csv: a page of them ─▶ layout ─▶ grid or records ┴─▶ standard output, perhaps through a pager
//! ```
//!
//! It must never know where results come from.

mod csv;
mod fields;
mod grid;
mod layout;
mod pager;
mod picture;
mod printer;
mod progress;
mod say;
mod screen;
pub mod stats;
mod text;

use clap::ValueEnum;

pub use pager::Pager;
pub(crate) use picture::Outline;
pub use printer::Printer;
pub use progress::Progress;
pub use say::{LogOutput, complain, say};
pub use screen::width;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people; elements and maps spread over columns.
    #[default]
    Table,
    /// One JSON document per line.
    Json,
    /// Comma-separated values with a header; elements and maps spread over columns.
    Csv,
    /// One result per line, as the Gremlin Console prints it.
    Plain,
    /// A picture of the elements, paths and subgraphs among the results, or of a plan or profile, for Graphviz to lay out.
    Dot,
    /// The same as SVG.
    Svg,
}

/// A number of rows in words.
pub fn rows(n: u64) -> String {
    match n {
        1 => "1 row".into(),
        n => format!("{n} rows"),
    }
}
