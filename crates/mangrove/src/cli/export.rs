//! `mangrove export`.

use std::fmt;
use std::path::PathBuf;

use clap::Args;
use mangrove::{DatabaseOptions, ExportError, ExportFormat, ExportOptions, ExportSummary, config::Config};

use super::{Failure, open_at, progress::bar};
use crate::output::say;

/// The arguments of `mangrove export`.
#[derive(Args, Debug)]
pub struct Export {
    /// The file to write: `.json` (GraphSON 3), `.xml` or `.graphml` (GraphML), `.kryo` (Gryo 3), each with `.gz` behind it for gzip;
    /// or, for CSV, the directory
    target: PathBuf,
    /// The format, where the name does not say it
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// Export only what this traversal yields: vertices, with the edges between them; edges, with their ends; or a subgraph()
    #[arg(long, value_name = "TRAVERSAL")]
    query: Option<String>,
    /// Write over a file, or a directory with CSV files, that is there
    #[arg(long)]
    overwrite: bool,
    /// Leave out the ids of edges in CSV files: neo4j-admin takes no such column
    #[arg(long)]
    no_edge_ids: bool,
}

impl Export {
    /// Writes the graph as one snapshot has it. The file has its name once it is whole.
    pub(super) fn run(self, config: &Config) -> Result<(), Failure> {
        let options = DatabaseOptions::from(&config.engine).with_loads(&config.loads);
        let database = open_at(&config.default_graph(), options)?;
        let bar = bar("{spinner} writing {msg}  {elapsed}");
        bar.set_message(self.target.display().to_string());
        let options = ExportOptions {
            format: self.format,
            query: self.query,
            overwrite: self.overwrite,
            edge_ids: !self.no_edge_ids,
        };
        let summary = database.export(&self.target, &options);
        bar.finish_and_clear();
        let summary = summary.map_err(|error| match error {
            ExportError::Database(error) => Failure::Database(error),
            other => Failure::Usage(other.to_string()),
        })?;
        database.close()?;
        say(Told(&summary))?;
        Ok(())
    }
}

/// A summary, for people.
struct Told<'s>(&'s ExportSummary);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ExportSummary { vertices, edges, files, bytes, losses } = self.0;
        write!(f, "{vertices} vertices and {edges} edges in {bytes} bytes")?;
        if *files > 1 {
            write!(f, " of {files} files")?;
        }
        if !losses.is_empty() {
            write!(f, "\nnot all of the graph can be said so:")?;
        }
        losses.iter().try_for_each(|loss| write!(f, "\n  {loss}"))
    }
}
