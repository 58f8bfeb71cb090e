//! The command line.
//!
//! It must never know how a query is planned or run: it asks a `Database`, as any application does.

mod analyze;
mod backup;
mod carried;
mod check;
mod descriptors;
mod endings;
mod export;
mod generate;
mod graph;
mod import;
mod manual;
mod progress;
mod query;
mod reached;
mod reload;
mod schema;
mod serve;
mod top;
mod user;

use std::{io, path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand};
use mangrove::{
    Database, DatabaseOptions, SessionOptions,
    config::{Config, HostedGraph, Override},
    store::FjallStore,
};
use values::Value;

use crate::{
    console::Console,
    failure::Failure,
    far::{Client, Far},
    hosting::open_at,
    logging,
    output::{Format, Printer, say, stats},
};
use reached::Reached;

/// Mangrove: a graph database for interactive, multi-tenant Gremlin.
#[derive(Parser, Debug)]
#[command(name = "mangrove", version = mangrove::VERSION, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    settings: Settings,
    #[command(subcommand)]
    command: Command,
}

/// Settings that every command takes. They win over environment variables (`MANGROVE_SERVER_PORT=…`), which win over
/// the configuration file.
#[derive(Args, Debug)]
struct Settings {
    #[command(flatten)]
    far: Far,
    /// Configuration file (default: mangrove.toml, if it is there)
    #[arg(long, global = true, value_name = "FILE", env = "MANGROVE_CONFIG")]
    config: Option<PathBuf>,
    /// Directory of the default graph; `:memory:` for one that is not kept
    #[arg(long, short, global = true, value_name = "DIR")]
    data: Option<String>,
    /// Make a graph where there is none, also for a command that does not do so by itself as `import` and `serve` do
    #[arg(long, global = true)]
    create: bool,
    /// Open graphs for reading alone: what would change them is refused
    #[arg(long, global = true)]
    read_only: bool,
    /// Any setting of the configuration file, such as server.batch_size=100
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// What to log: error, warn, info, debug, trace, or per crate (warn,server=debug)
    #[arg(long, global = true, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Form of a log line
    #[arg(long, global = true, value_name = "text|json")]
    log_format: Option<String>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve graphs over WebSocket and HTTP
    Serve(serve::Serve),
    /// Fill an empty graph from files: LDBC CSV, CSV with typed headers or a mapping, JSON lines, GraphSON, GraphML, Gryo, an edge list
    Import(import::Import),
    /// Write the graph, or a part of it, into a file (GraphSON, GraphML, Gryo) or a directory of CSV
    Export(export::Export),
    /// Run a script of one or several statements and print its results
    Query(query::Query),
    /// Talk with a graph: editing, history, completion, tables, a pager; Ctrl-C ends a query
    Console,
    /// Write generated data
    #[command(subcommand)]
    Generate(generate::Generate),
    /// Write a graph into a directory of backups; a server into its own
    Backup(backup::Backup),
    /// Bring a graph back from a directory of backups
    Restore(backup::Restore),
    /// Read every file of a graph and every element in it, and print what is wrong; status 1 if anything is
    Check,
    /// Show or change what the graph's elements must look like
    #[command(subcommand)]
    Schema(schema::Schema),
    /// Make, show and drop graphs
    #[command(subcommand)]
    Graph(graph::GraphCommand),
    /// Make and change those who may ask a server
    #[command(subcommand)]
    User(user::User),
    /// Show what a running server does, query by query
    Top(top::Top),
    /// Show the sizes of a graph, and what the planner knows about degrees and indexed values
    Stats,
    /// Count degrees and indexed values exactly, for better plans, and show them
    Analyze,
    /// Print what makes a shell complete commands: mangrove completions bash > …/bash-completion/completions/mangrove
    Completions(manual::Completions),
    /// Write manual pages, of this command and of each of its commands
    Man(manual::Man),
    /// Show the version
    Version,
}

impl Cli {
    /// Whether it takes and frees large pieces of memory again and again, and is over soon: it imports or exports.
    pub fn churns(&self) -> bool {
        matches!(self.command, Command::Import(_) | Command::Export(_))
    }

    /// Does what the command line says.
    ///
    /// # Errors
    /// What went wrong, for the user.
    pub fn run(self) -> Result<(), Failure> {
        let mut overrides = self.settings.overrides()?;
        if let Command::Serve(serve) = &self.command {
            overrides.extend(serve.overrides());
        }
        let file = self.settings.config.clone();
        let read = move || {
            let environment = std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
            Config::load(file.as_deref(), environment, &overrides)
        };
        let mut config = read()?;
        let serves = matches!(self.command, Command::Serve(_));
        if !serves && self.settings.log_level.is_none() && config.log.level == Config::default().log.level {
            // People at a terminal want results, not news.
            config.log.level = "warn".into();
        }
        let logging = logging::start(&config.log, serves)?;
        let far = self.settings.far;
        if config.read_only && !far.is_asked() && self.command.changes_graphs() {
            let problem = "this changes a graph, and graphs are to be opened for reading alone (read_only)";
            return Err(Failure::Usage(problem.into()));
        }
        if self.command.wants_a_graph() && !self.settings.create && !far.is_asked() {
            there_is(&config.default_graph())?;
        }
        match self.command {
            Command::Serve(serve) => serve.run(&config, Box::new(read), logging),
            Command::Import(import) => import.run(&config, &far),
            Command::Export(export) => export.run(&config, &far),
            Command::Query(query) => query.run(&config, &far),
            Command::Console => Console::new(reached::target(&config, &far, true)?)?.run(),
            Command::Generate(generate) => generate.run(),
            Command::Backup(backup) => backup.run(&config, &far),
            Command::Restore(restore) => restore.run(&config),
            Command::Check => check::run(&config),
            Command::Schema(schema) => schema.run(&config, &far),
            Command::Graph(graph) => graph.run(&config, &far),
            Command::User(user) => user.run(&config, &far),
            Command::Top(top) => top.run(&config, &far),
            Command::Stats => {
                let database = match Reached::of(&config, &far)? {
                    Reached::Near(database) => database,
                    Reached::Far(client) => return stats_of(*client),
                };
                let statistics = database.graph().current_statistics();
                say(stats::report(&database.stats()))?;
                say(stats::known(database.snapshot().catalog(), &statistics))?;
                say(stats::secondary(&database.graph().secondary_trees()))?;
                Ok(())
            }
            Command::Analyze => analyze::run(&config, &far),
            Command::Completions(completions) => completions.run(),
            Command::Man(man) => man.run(),
            Command::Version => {
                say(format_args!("mangrove {}", mangrove::VERSION))?;
                Ok(())
            }
        }
    }
}

impl Command {
    /// Whether it cannot but change graphs.
    fn changes_graphs(&self) -> bool {
        match self {
            Self::Import(_) | Self::Restore(_) | Self::Analyze => true,
            Self::Graph(graph) => !matches!(graph, graph::GraphCommand::List),
            _ => false,
        }
    }

    /// Whether it is about a graph that is there: one that a mistyped name makes is none.
    fn wants_a_graph(&self) -> bool {
        match self {
            Self::Export(_) | Self::Query(_) | Self::Console | Self::Backup(_) | Self::Check => true,
            Self::Schema(_) | Self::Graph(_) | Self::User(_) | Self::Top(_) | Self::Stats | Self::Analyze => {
                true
            }
            Self::Serve(_) | Self::Import(_) | Self::Generate(_) | Self::Restore(_) => false,
            Self::Completions(_) | Self::Man(_) | Self::Version => false,
        }
    }
}

/// What a server knows of its graph: labels with their counts, then what it knows about degrees and values.
fn stats_of(mut client: Client) -> Result<(), Failure> {
    for (what, script) in
        [("vertices", "g.V().groupCount().by(label)"), ("edges", "g.E().groupCount().by(label)")]
    {
        for counts in client.ask(script, &[])? {
            let counts = counts.as_map().cloned().unwrap_or_default();
            say(format_args!(
                "{} {what}",
                counts.iter().filter_map(|(_, count)| count.as_i64()).sum::<i64>()
            ))?;
            counts.iter().try_for_each(|(label, count)| say(format_args!("  {count} {what} {label}")))?;
        }
    }
    print_all(client.ask("g.call('mangrove.statistics')", &[])?)
}

/// Prints values as a table.
fn print_all(values: Vec<Value>) -> Result<(), Failure> {
    let mut printer = Printer::new(io::stdout().lock(), Format::Table);
    values.into_iter().try_for_each(|value| printer.print(value))?;
    printer.finish()?;
    Ok(())
}

/// Refuses a directory without a graph.
fn there_is(graph: &HostedGraph) -> Result<(), Failure> {
    if graph.is_memory() || FjallStore::is_in(&graph.path) {
        return Ok(());
    }
    let path = graph.path.display();
    Err(Failure::Usage(format!(
        "there is no graph in {path}; name its directory with --data DIR, fill a new one with `mangrove import`, or add --create"
    )))
}

impl Settings {
    fn overrides(&self) -> Result<Vec<Override>, Failure> {
        let mut overrides = Vec::new();
        for setting in &self.set {
            let Some((key, value)) = setting.split_once('=') else {
                return Err(Failure::Usage(format!(
                    "--set {setting}: expected KEY=VALUE, such as server.port=8182"
                )));
            };
            overrides.push(Override::flag(key.trim(), value.trim()));
        }
        overrides.extend(self.read_only.then(|| Override::flag("read_only", true)));
        let named = [("data", &self.data), ("log.level", &self.log_level), ("log.format", &self.log_format)];
        overrides
            .extend(named.into_iter().filter_map(|(key, value)| Some(Override::flag(key, value.as_ref()?))));
        Ok(overrides)
    }
}

/// Opens the default graph.
fn open(config: &Config) -> Result<Database, Failure> {
    open_at(&config.default_graph(), options(config))
}

/// Opens the default graph for somebody who thinks between two lines, and keeps nobody waiting: his transactions may be open for a day.
fn open_for_console(config: &Config) -> Result<Database, Failure> {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    let sessions = SessionOptions { idle: DAY, lifetime: DAY, ..config.sessions.options() };
    open_at(&config.default_graph(), DatabaseOptions { sessions, ..options(config) })
}

fn options(config: &Config) -> DatabaseOptions {
    let options = DatabaseOptions::from(&config.engine).with_loads(&config.loads).read_only(config.read_only);
    DatabaseOptions { io_directory: Some(config.io_directory.clone()), ..options }
}

/// Where the default graph is, in words.
fn place(config: &Config) -> String {
    let graph = config.default_graph();
    if graph.is_memory() {
        "a graph in memory".into()
    } else {
        format!("the graph in {}", graph.path.display())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_makes_sense() {
        Cli::command().debug_assert();
    }
}
