//! `mangrove import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mangrove::{
    ImportFormat,
    config::Config,
    formats::{BadRows, ImportOptions, ImportPhase, ImportProgress, SeveralLabels},
};

use super::{Failure, open, progress::bar};
use crate::output::say;

/// The arguments of `mangrove import`.
#[derive(Args, Debug)]
pub struct Import {
    /// A directory with LDBC or other CSV files, or a file: CSV, GraphSON, GraphML, Gryo, an edge list, or a mapping that says what other
    /// files hold. All but LDBC's may be in gzip or zstd. `-` is standard input
    source: PathBuf,
    /// The format, where it cannot be told from the files
    #[arg(long, value_enum)]
    format: Option<ImportFormat>,
    /// Skip bad rows and count them, instead of stopping at the first
    #[arg(long)]
    skip_bad_rows: bool,
    /// What becomes of a vertex to which a CSV file gives several labels (`Movie;Sequel`), for here it has one
    #[arg(long, value_enum, default_value_t = Labels::Refuse)]
    labels: Labels,
    /// Give properties of vertices ids of this graph, in place of those that a GraphSON file has, which take space
    #[arg(long)]
    new_property_ids: bool,
}

/// See [`SeveralLabels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Labels {
    /// It is a bad row
    Refuse,
    /// It has the first of them
    First,
    /// It has one that is made of all: `Movie::Sequel`
    Join,
}

impl From<Labels> for SeveralLabels {
    fn from(labels: Labels) -> Self {
        match labels {
            Labels::Refuse => Self::Refuse,
            Labels::First => Self::First,
            Labels::Join => Self::Join,
        }
    }
}

/// Bad rows that are shown when they are skipped.
const SHOWN: usize = 10;

impl Import {
    pub(super) fn run(self, config: &Config) -> Result<(), Failure> {
        let graph = config.default_graph();
        let is_new = !graph.is_memory() && !graph.path.exists();
        let database = open(config)?;
        let options = ImportOptions {
            bad_rows: if self.skip_bad_rows { BadRows::Skip { reports: SHOWN } } else { BadRows::Stop },
            keep_property_ids: !self.new_property_ids,
            several_labels: self.labels.into(),
            ..ImportOptions::default()
        };
        let bar = bar("{spinner} {msg:8} {wide_bar} {percent}%  {prefix}");
        let progress = |progress: ImportProgress| {
            bar.set_length(progress.total.max(1));
            bar.set_position(progress.done);
            bar.set_prefix(format!("{} rows", progress.rows));
            bar.set_message(match progress.phase {
                ImportPhase::Reading => "reading",
                ImportPhase::Building => "building",
            });
        };
        let summary = match self.source.as_os_str() == "-" {
            true => database.import_from(std::io::stdin().lock(), self.format, &options, &progress),
            false => database.import(&self.source, self.format, &options, &progress),
        };
        bar.finish_and_clear();
        database.close()?;
        if summary.is_err() && is_new {
            // Nothing comes of an import that failed, not even an empty graph.
            std::fs::remove_dir_all(&graph.path)?;
        }
        let summary = summary?;
        say(summary)?;
        Ok(())
    }
}
