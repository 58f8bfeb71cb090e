//! `mangrove export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mangrove::{ExportError, ExportFormat, ExportOptions, config::Config};

use values::Map;

use super::{
    Failure,
    carried::{Carried, NewFiles},
    endings::end_cleanly,
    progress::bar,
    reached::Reached,
};
use crate::{
    far::{Client, Far},
    output::say,
};

/// The arguments of `mangrove export`.
#[derive(Args, Debug)]
pub struct Export {
    /// The file to write: `.json` (GraphSON 3), `.xml` or `.graphml` (GraphML), `.kryo` (Gryo 3), each with `.gz` behind it for gzip;
    /// or, for CSV and Parquet, the directory
    target: PathBuf,
    /// The format, where the name does not say it
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// Export only what this traversal yields: vertices, with the edges between them; edges, with their ends; or a subgraph()
    #[arg(long, value_name = "TRAVERSAL")]
    query: Option<String>,
    /// Write over a file, or a directory with CSV or Parquet files, that is there
    #[arg(long)]
    overwrite: bool,
    /// Leave out the ids of edges in CSV and Parquet files: neo4j-admin takes no such column
    #[arg(long)]
    no_edge_ids: bool,
}

impl Export {
    /// Writes the graph as one snapshot has it. The file has its name once it is whole.
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        end_cleanly()?;
        let database = match Reached::of(config, far)? {
            Reached::Near(database) => database,
            Reached::Far(mut client) => return self.get(&mut client),
        };
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
        say(summary)?;
        Ok(())
    }

    /// Has a server write it, and gets what it has written.
    fn get(self, client: &mut Client) -> Result<(), Failure> {
        let name = self.target.file_name().and_then(|name| name.to_str());
        let Some(name) = name.map(str::to_owned) else {
            return Err(Failure::Usage(format!(
                "{} is no name of a file, or not UTF-8",
                self.target.display()
            )));
        };
        let new = {
            let is_directory = self.format.is_some_and(ExportFormat::is_directory);
            NewFiles::create(&self.target, is_directory, self.overwrite)?
        };
        let mut asked = Map::new();
        asked.insert("file", name.as_str());
        asked.insert("noEdgeIds", self.no_edge_ids);
        if let Some(format) = self.format.and_then(|format| format.to_possible_value()) {
            asked.insert("format", format.get_name());
        }
        if let Some(query) = &self.query {
            asked.insert("query", query.as_str());
        }
        let mut carried = Carried::of(client, "g.call('mangrove.export', p)", &[("p".into(), asked.into())])?;
        let bar = bar("{spinner} the server is {msg}  {prefix}  {elapsed}");
        let said = carried.wait(&bar);
        bar.finish_and_clear();
        let said = said?;
        let files = carried.files()?;
        let bar = self::bar("{spinner} getting it  {wide_bar} {percent}%");
        bar.set_length(files.iter().map(|(_, bytes)| bytes).sum::<u64>().max(1));
        for (file, _) in &files {
            let mut into = new.file(file)?;
            carried.get(file, &mut into, &bar)?;
            into.sync_all()?;
        }
        bar.finish_and_clear();
        drop(carried);
        new.publish()?;
        Ok(say(said)?)
    }
}
