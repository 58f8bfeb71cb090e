//! `mangrove graph`: the graphs of a server, beside those that its configuration names. While no server has the default graph open, the
//! same is done in their folder.

use access::Role;
use clap::Subcommand;
use mangrove::config::Config;
use values::{Map, Value};

use super::{Failure, print_all, reached::Reached};
use crate::{
    far::Far,
    hosting::{Folder, empty},
    output::say,
};

/// What is done with graphs.
#[derive(Subcommand, Debug)]
pub enum GraphCommand {
    /// Make an empty graph, which is reached by its name as traversal source
    Create {
        /// The name: letters, digits and _
        name: String,
        /// Give a user a role on it: read, write, schema or admin; may be given several times
        #[arg(long = "grant", value_name = "USER=ROLE", value_parser = grant)]
        grants: Vec<(String, Role)>,
    },
    /// Remove a graph with everything in it, and everybody's role on it
    Drop {
        /// The name
        name: String,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Show all graphs
    List,
}

fn grant(text: &str) -> Result<(String, Role), String> {
    let (user, role) = text.split_once('=').ok_or("expected USER=ROLE, such as ada=write")?;
    Ok((user.into(), role.parse().map_err(|error: access::NoRole| error.to_string())?))
}

impl GraphCommand {
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        if let Self::Drop { name, yes: false } = &self {
            confirm(name)?;
        }
        match Reached::of(config, far)? {
            Reached::Far(mut client) => {
                let (script, parameters) = self.call();
                let answer = client.ask(script, &parameters)?;
                match self {
                    Self::List => print_all(answer),
                    other => Ok(say(other.done())?),
                }
            }
            Reached::Near(database) => {
                let Some(folder) = Folder::of(config) else {
                    return Err(Failure::Usage("a graph in memory has no others beside it".into()));
                };
                folder.clean()?;
                let is_configured = |name: &str| {
                    config.hosted().iter().any(|graph| graph.source == name || graph.name == name)
                };
                let registry = database.users().registry();
                match &self {
                    Self::List => return list(config, &folder),
                    Self::Create { name, grants } => {
                        if is_configured(name) {
                            return Err(Failure::Usage(format!("there is a graph {name} already")));
                        }
                        if let Some((user, _)) = grants.iter().find(|(user, _)| !registry.has(user)) {
                            return Err(Failure::Usage(format!("there is no user {user}; nothing was made")));
                        }
                        folder.make(name, empty).map_err(Failure::Usage)?;
                        for (user, role) in grants {
                            registry.grant(user, name, Some(*role))?;
                        }
                    }
                    Self::Drop { name, .. } => {
                        if is_configured(name) {
                            return Err(Failure::Usage(format!(
                                "the configuration has the graph {name}: take it out there, and remove its directory"
                            )));
                        }
                        folder.there_is(name).map_err(Failure::Usage)?;
                        // Whoever has it open keeps it.
                        mangrove::Database::open(folder.path_of(name)).map(drop)?;
                        folder.remove(name).map_err(Failure::Usage)?;
                        registry.forget_graph(name)?;
                    }
                }
                database.close()?;
                Ok(say(self.done())?)
            }
        }
    }

    /// The call of a service that does it.
    fn call(&self) -> (&'static str, Vec<(values::Str, Value)>) {
        let named = |name: &str| ("n".into(), Value::from(name));
        match self {
            Self::List => ("g.call('mangrove.graphs.list')", Vec::new()),
            Self::Drop { name, .. } => ("g.call('mangrove.graphs.drop', ['name': n])", vec![named(name)]),
            Self::Create { name, grants } => {
                let users: Map =
                    grants.iter().map(|(user, role)| (user.as_str().into(), role.name().into())).collect();
                let script = "g.call('mangrove.graphs.create', ['name': n, 'users': u])";
                (script, vec![named(name), ("u".into(), users.into())])
            }
        }
    }

    fn done(&self) -> String {
        match self {
            Self::Create { name, .. } => {
                format!("made the graph {name}; it is reached as {name}, as in {name}.V()")
            }
            Self::Drop { name, .. } => format!("dropped the graph {name}"),
            Self::List => String::new(),
        }
    }
}

/// Asks whoever sits at the terminal whether that is meant.
fn confirm(name: &str) -> Result<(), Failure> {
    use std::io::{self, IsTerminal};
    let not_meant =
        || Failure::Usage(format!("the graph {name} stays as it is; --yes drops it without asking"));
    if !io::stdin().is_terminal() {
        return Err(not_meant());
    }
    crate::output::complain(format_args!("Drop the graph {name} with everything in it? Type its name: "));
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    if line.trim() == name { Ok(()) } else { Err(not_meant()) }
}

/// Those that a server would have.
fn list(config: &Config, folder: &Folder) -> Result<(), Failure> {
    let row = |name: &str, directory: String, is_configured: bool| {
        let mut row = Map::new();
        row.insert("name", name);
        row.insert("directory", directory);
        row.insert("configured", is_configured);
        Value::from(row)
    };
    let configured =
        config.hosted().into_iter().map(|it| row(&it.source, it.path.display().to_string(), true));
    let names = folder.names()?;
    let made = names.iter().map(|name| row(name, folder.path_of(name).display().to_string(), false));
    print_all(configured.chain(made).collect())
}
