//! `mangrove import`.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use mangrove::{
    ImportFormat, ImportIntoOptions, ImportSource, Imported, Temporary,
    config::Config,
    formats::{
        BadRows, ImportOptions, ImportPhase, ImportProgress, ImportSummary, Merge, PresentOptions,
        SeveralLabels,
    },
};

use values::Value;

use super::{Failure, carried::Carried, endings::end_cleanly, progress::bar, reached::Reached};
use crate::{
    far::{Client, Far},
    output::say,
};

/// The arguments of `mangrove import`.
#[derive(Args, Debug)]
pub struct Import {
    /// A directory with LDBC or other CSV files or Parquet, or a file: CSV, Parquet, GraphSON, GraphML, Gryo, an edge list, or a mapping
    /// that says what other files hold. All but LDBC's and Parquet may be in gzip or zstd. `-` is standard input
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
    /// Add what the files hold to what the graph has. Vertices and edges keep the ids of the files, and one that is taken is an error
    #[arg(long, conflicts_with = "merge")]
    add: bool,
    /// Give elements that the graph has already the properties of the files, and add the others. With `id` an element is told by its id,
    /// with a key a vertex by its label and the value of that property; edges are told by their ids, or by their ends and label
    #[arg(long, value_name = "id|KEY")]
    merge: Option<String>,
    /// What is added gets ids of this graph, in place of those of the files
    #[arg(long)]
    new_ids: bool,
    /// Rows of a transaction, with --add or --merge (by default 5000). What is committed is remembered, and the same command goes on
    /// behind it
    #[arg(long, value_name = "ROWS")]
    batch: Option<NonZeroUsize>,
    /// Import files once more that were added or merged before
    #[arg(long)]
    again: bool,
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
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        let graph = config.default_graph();
        let is_new = !graph.is_memory() && !graph.path.exists();
        let writing = self.writing()?;
        end_cleanly()?;
        // What rows are committed by an import in transactions stays, for the same command to go on with. Where a server is asked, the
        // directory is somebody else's.
        let makes_it = is_new && writing.is_none() && !far.is_asked();
        let new = makes_it.then(|| Temporary::at(&graph.path));
        let database = match Reached::of(config, far)? {
            Reached::Near(database) => database,
            Reached::Far(mut client) => {
                drop(new);
                return self.send(&mut client);
            }
        };
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
                ImportPhase::Looking => "looking",
                ImportPhase::Reading => "reading",
                ImportPhase::Building => "building",
            });
        };
        let is_input = self.source.as_os_str() == "-";
        let done = match writing {
            None if is_input => database
                .import_from(std::io::stdin().lock(), self.format, &options, &progress)
                .map(|summary| Done::Filled(Box::new(summary))),
            None => database
                .import(&self.source, self.format, &options, &progress)
                .map(|summary| Done::Filled(Box::new(summary))),
            Some(writing) => {
                let into =
                    ImportIntoOptions { format: self.format, reading: options, writing, again: self.again };
                let mut input = std::io::stdin();
                let source = match is_input {
                    true => ImportSource::Stream(&mut input),
                    false => ImportSource::Path(&self.source),
                };
                database.import_into(source, &into, &progress).map(Done::Into)
            }
        };
        let left = is_new && done.is_err() && database.snapshot().vertex_count(None) == 0;
        bar.finish_and_clear();
        database.close()?;
        if let (Some(new), false) = (&new, left) {
            new.publish(|| Ok::<_, Failure>(()))?;
        }
        if left {
            // Nothing comes of an import that failed, not even an empty graph.
            std::fs::remove_dir_all(&graph.path)?;
        }
        match done? {
            Done::Filled(summary) => say(summary)?,
            Done::Into(imported) => say(imported)?,
        }
        Ok(())
    }

    /// Sends the files to a server, which imports them.
    fn send(self, client: &mut Client) -> Result<(), Failure> {
        let is_input = self.source.as_os_str() == "-";
        let files = if is_input { Vec::new() } else { sent(&self.source, self.format)? };
        let mut carried = Carried::begin(client)?;
        let bar = bar("{spinner} sending {wide_bar} {percent}%");
        let length = |path: &PathBuf| fs::metadata(path).map_or(0, |file| file.len());
        bar.set_length(files.iter().map(|(_, path)| length(path)).sum::<u64>().max(1));
        if is_input {
            carried.send(INPUT, std::io::stdin().lock(), &bar)?;
        }
        for (name, path) in &files {
            let file = fs::File::open(path)
                .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))?;
            carried.send(name, file, &bar)?;
        }
        bar.finish_and_clear();
        let name_of = |choice: Option<clap::builder::PossibleValue>| {
            choice.map_or(Value::Null, |choice| choice.get_name().into())
        };
        let file = match (is_input, self.source.is_dir()) {
            (true, _) => INPUT.into(),
            (false, true) => Value::Null,
            (false, false) => {
                self.source.file_name().and_then(|name| name.to_str()).unwrap_or_default().into()
            }
        };
        let batch = self.batch.map(|rows| i64::try_from(rows.get()).unwrap_or(i64::MAX));
        let asked = [
            ("file", file),
            ("stream", is_input.into()),
            ("add", self.add.into()),
            ("merge", self.merge.as_deref().map_or(Value::Null, Value::from)),
            ("format", name_of(self.format.and_then(|format| format.to_possible_value()))),
            ("skipBadRows", self.skip_bad_rows.into()),
            ("labels", name_of(self.labels.to_possible_value())),
            ("newPropertyIds", self.new_property_ids.into()),
            ("newIds", self.new_ids.into()),
            ("batch", batch.map_or(Value::Null, Value::from)),
            ("again", self.again.into()),
        ];
        carried.ask("mangrove.import", asked)?;
        let bar = self::bar("{spinner} {msg:8} {wide_bar} {percent}%  {prefix}");
        let said = carried.wait(&bar);
        bar.finish_and_clear();
        let said = said?;
        drop(carried);
        Ok(say(said)?)
    }

    /// How to import into a graph that may have data; none if it must be empty.
    fn writing(&self) -> Result<Option<PresentOptions>, Failure> {
        let merge = match self.merge.as_deref() {
            None if !self.add => {
                let of_present =
                    [("--new-ids", self.new_ids), ("--again", self.again), ("--batch", self.batch.is_some())];
                return match of_present.iter().find(|(_, is_asked)| *is_asked) {
                    None => Ok(None),
                    Some((option, _)) => Err(Failure::Usage(format!(
                        "{option} is for graphs that have data: say --add or --merge, too"
                    ))),
                };
            }
            None => Merge::Nothing,
            Some("id") if self.new_ids => {
                let problem = "--merge id tells elements by the ids that --new-ids takes from them; leave out one of the two";
                return Err(Failure::Usage(problem.into()));
            }
            Some("id") => Merge::ById,
            Some(key) => Merge::ByKey(key.to_owned()),
        };
        let of_none = PresentOptions::default();
        Ok(Some(PresentOptions {
            merge,
            new_ids: self.new_ids,
            rows: self.batch.unwrap_or(of_none.rows),
            ..of_none
        }))
    }
}

/// What has been done.
enum Done {
    /// An empty graph was filled.
    Filled(Box<ImportSummary>),
    /// Something was added to one that may have data.
    Into(Imported),
}

/// What standard input is called on its way.
const INPUT: &str = "input";

/// The files that an import reads, with their names on the way: they lie beside what names them, or below.
fn sent(source: &Path, format: Option<ImportFormat>) -> Result<Vec<(String, PathBuf)>, Failure> {
    let files = mangrove::import_files(source, format)?;
    let folder = if source.is_dir() { source } else { source.parent().unwrap_or(Path::new("")) };
    let named = |path: PathBuf| match path.strip_prefix(folder).ok().and_then(Path::to_str) {
        Some(name) => Ok((name.to_owned(), path)),
        None => Err(Failure::Usage(format!(
            "{} is not beside {}, or not UTF-8; a server takes the files of a mapping from its folder alone",
            path.display(),
            source.display()
        ))),
    };
    files.into_iter().map(named).collect()
}
