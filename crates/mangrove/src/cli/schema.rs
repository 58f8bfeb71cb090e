//! `mangrove schema`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mangrove::{
    Database, Error,
    config::Config,
    graph::{IndexDescription, SchemaDescription},
    schema_file,
};
use values::{Map, Str, Value};

use super::{Failure, reached::Reached};
use crate::{
    far::{Client, Far},
    output::say,
};

/// What to do with the schema.
#[derive(Subcommand, Debug)]
pub enum Schema {
    /// Print the schema and the indexes as a schema file
    Show,
    /// Make the schema what a file says
    Apply(Apply),
}

/// The arguments of `mangrove schema apply`.
#[derive(Args, Debug)]
pub struct Apply {
    /// A schema file (TOML); see docs/schema.md
    file: PathBuf,
    /// Say what would change, and whether what exists obeys it, and change nothing
    #[arg(long)]
    check: bool,
}

impl Schema {
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        match (self, Reached::of(config, far)?) {
            (Self::Show, Reached::Near(database)) => {
                say(schema_file::write(&database.graph().schema()))?;
                Ok(())
            }
            (Self::Show, Reached::Far(mut client)) => {
                for shown in client.ask("g.call('mangrove.schema.show')", &[])? {
                    // The number of the version is no part of a schema.
                    let fields = shown.as_map().into_iter().flat_map(|map| map.iter());
                    let fields = fields.filter(|(key, _)| **key != Value::from("version"));
                    let fields: Map = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
                    let schema = SchemaDescription::from_value(&fields.into())
                        .map_err(|error| Failure::Refused(format!("the server's schema is none: {error}")))?;
                    say(schema_file::write(&schema))?;
                }
                Ok(())
            }
            (Self::Apply(apply), Reached::Near(database)) => apply.run(&database),
            (Self::Apply(apply), Reached::Far(client)) => apply.run_there(*client),
        }
    }
}

impl Apply {
    /// The same by a server's services.
    fn run_there(self, mut client: Client) -> Result<(), Failure> {
        let wanted = schema_file::read(&self.file).map_err(Error::from)?.to_value();
        let given = [(Str::from("wanted"), wanted)];
        for change in client.ask("g.call('mangrove.schema.check', wanted)", &given)? {
            say(format_args!("  {change}"))?;
        }
        if !self.check {
            client.ask("g.call('mangrove.schema.apply', wanted)", &given)?;
            say("the schema is in force")?;
        }
        Ok(())
    }

    fn run(self, database: &Database) -> Result<(), Failure> {
        let wanted = schema_file::read(&self.file).map_err(Error::from)?;
        let graph = database.graph();
        let current = graph.schema();
        // Indexes that the file does not mention stay.
        let kept = current.indexes.iter().filter(|index| !wanted.indexes.contains(index));
        let mut result = wanted.clone();
        result.indexes.extend(kept.clone().cloned());
        let changes = current.difference(&result);
        changes.iter().try_for_each(say)?;
        for index in kept {
            say(format_args!("  index {index} is not in the file and stays; mangrove.index.drop drops it"))?;
        }
        if self.check {
            graph.check_schema(&wanted).map_err(Error::from)?;
            say(if changes.is_empty() { "nothing would change" } else { "what exists obeys this" })?;
            return Ok(());
        }
        let version = graph.apply_schema(&wanted).map_err(Error::from)?;
        let await_index = |index: &IndexDescription| graph.await_index(index).map_err(Error::from);
        wanted.indexes.iter().try_for_each(await_index)?;
        say(format_args!("version {version} of the schema is in force"))?;
        for status in graph.sorting() {
            say(format_args!("  lists of {} are being sorted by {}", status.label, status.key))?;
        }
        graph.await_sorted_lists().map_err(Error::from)?;
        database.flush()?;
        Ok(())
    }
}
