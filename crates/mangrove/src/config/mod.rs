//! The configuration: defaults, one TOML file, environment variables and flags, in rising precedence.
//!
//! ```text
//! defaults ──▶ mangrove.toml ──▶ MANGROVE_SERVER_PORT=… ──▶ --port …, --set server.port=…
//! ```
//!
//! Every layer speaks of the same dotted keys, so there is one list of settings ([`Config`] itself) and no key
//! that only one layer knows. The file is checked on its own first, because only there a mistake has a line.
//!
//! It must never know what is done with a setting: whoever obeys one takes it from here.

mod error;
mod layers;
mod sessions;
mod settings;
mod tenants;
mod texts;
mod traces;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

pub use error::ConfigError;
pub use layers::Override;
pub use sessions::SessionsConfig;
pub use settings::{Config, EngineConfig, GraphConfig, LoadsConfig, LogConfig, LogFormat, ServerConfig};
pub use tenants::{NamedTenantConfig, TenantConfig};
pub use traces::TracesConfig;

/// The file that is read when none is named, if it is there.
pub const DEFAULT_FILE: &str = "mangrove.toml";

impl Config {
    /// Reads the configuration.
    ///
    /// `file` is the file that the user named; without one, [`DEFAULT_FILE`] is read if it exists. `environment`
    /// is every variable of the process; those that start with `MANGROVE_` count. `flags` come last and win.
    ///
    /// # Errors
    /// The first mistake found, with the place where it stands.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        flags: &[Override],
    ) -> Result<Self, ConfigError> {
        let path = file.unwrap_or(Path::new(DEFAULT_FILE));
        let mut table = match fs::read_to_string(path) {
            Ok(text) => layers::parse_file(path, &text)?,
            Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                toml::Table::new()
            }
            Err(error) => {
                return Err(ConfigError::Unreadable { path: path.into(), reason: error.to_string() });
            }
        };
        let overrides = layers::from_environment(environment);
        for change in overrides.iter().chain(flags) {
            layers::apply(&mut table, change)?;
        }
        let config: Self = table.try_into().map_err(|error: toml::de::Error| ConfigError::Invalid {
            origin: "the configuration".into(),
            reason: error.message().into(),
        })?;
        config.check()?;
        Ok(config)
    }

    /// The settings that differ from those of another configuration, by their dotted keys.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        layers::differences(self, other)
    }

    /// The graphs to host: name, directory, traversal source. The default graph (`data`, reached as `g`) comes
    /// first, unless one of the named graphs claims the source `g` for itself.
    pub fn hosted(&self) -> Vec<HostedGraph> {
        let named = self.graphs.iter().map(|(name, graph)| HostedGraph {
            name: name.clone(),
            path: graph.path.clone(),
            source: graph.source.clone().unwrap_or_else(|| name.clone()),
        });
        let mut graphs: Vec<_> = named.collect();
        if !graphs.iter().any(|graph| graph.source == "g") {
            graphs.insert(
                0,
                HostedGraph { name: "default".into(), path: self.data.clone(), source: "g".into() },
            );
        }
        graphs
    }

    /// The graph that commands without a server work on: the one whose traversal source is `g`.
    pub fn default_graph(&self) -> HostedGraph {
        let graphs = self.hosted();
        let default = HostedGraph { name: "default".into(), path: self.data.clone(), source: "g".into() };
        graphs.into_iter().find(|graph| graph.source == "g").unwrap_or(default)
    }

    /// Adds graphs by name and path, each reached by its name.
    ///
    /// # Errors
    /// When two graphs have the same name, source or path.
    pub fn add_graphs(
        &mut self,
        graphs: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), ConfigError> {
        for (name, path) in graphs {
            let graph = GraphConfig { path: path.into(), source: None };
            if self.graphs.insert(name.clone(), graph).is_some() {
                return Err(ConfigError::Invalid {
                    origin: format!("--graph {name}"),
                    reason: "a graph of that name is configured already".into(),
                });
            }
        }
        self.check()
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.check_tenants()?;
        self.traces.check()?;
        let graphs = self.hosted();
        for (at, graph) in graphs.iter().enumerate() {
            let same = |other: &&HostedGraph| {
                other.source == graph.source || (other.path == graph.path && !graph.is_memory())
            };
            if let Some(other) = graphs[..at].iter().find(same) {
                return Err(ConfigError::Invalid {
                    origin: format!("[graphs.{}]", graph.name),
                    reason: format!(
                        "it has the same source or the same path as the graph {}; each needs its own",
                        other.name
                    ),
                });
            }
        }
        Ok(())
    }
}

impl Config {
    /// Refuses a user who is of two tenants, and a share of nothing.
    fn check_tenants(&self) -> Result<(), ConfigError> {
        let wrong = |origin: String, reason: String| Err(ConfigError::Invalid { origin, reason });
        if self.tenant.weight == 0 {
            return wrong("tenant.weight".into(), "a weight is at least 1".into());
        }
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, tenant) in &self.tenants {
            if tenant.weight == Some(0) {
                return wrong(format!("[tenants.{name}]"), "a weight is at least 1".into());
            }
            for user in &tenant.users {
                if let Some(other) = known.insert(user, name) {
                    return wrong(
                        format!("[tenants.{name}]"),
                        format!("the user {user} is of {other} already"),
                    );
                }
            }
        }
        Ok(())
    }
}

/// A graph to host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostedGraph {
    /// Its name in the configuration.
    pub name: String,
    /// Its directory, or [`HostedGraph::MEMORY`].
    pub path: PathBuf,
    /// The name of its traversal source.
    pub source: String,
}

impl HostedGraph {
    /// The path of a graph that lives in memory and is gone when the process ends.
    pub const MEMORY: &'static str = ":memory:";

    /// Whether the graph lives in memory only.
    pub fn is_memory(&self) -> bool {
        self.path.as_os_str() == Self::MEMORY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mangrove.toml");
        fs::write(&path, file).unwrap();
        let environment = environment.iter().map(|(k, v)| (k.to_string(), v.to_string()));
        let flags: Vec<_> = flags.iter().map(|(key, value)| Override::flag(*key, value)).collect();
        Config::load(Some(&path), environment, &flags)
    }

    fn mistake(file: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> String {
        load(file, environment, flags).unwrap_err().to_string()
    }

    #[test]
    fn later_layers_win() {
        let file = "[server]\nport = 1\nhost = '::1'\nbatch_size = 10";
        assert_eq!(load(file, &[], &[]).unwrap().server.port, 1);
        assert_eq!(load(file, &[("MANGROVE_SERVER_PORT", "2")], &[]).unwrap().server.port, 2);
        let all = load(file, &[("MANGROVE_SERVER_PORT", "2")], &[("server.port", "3")]).unwrap();
        assert_eq!(
            (all.server.port, all.server.host.to_string().as_str(), all.server.batch_size),
            (3, "::1", 10)
        );
        assert_eq!(load("", &[], &[]).unwrap(), Config::default());
    }

    #[test]
    fn an_unknown_key_in_the_file_is_named_with_its_line_and_its_nearest_neighbour() {
        let message = mistake("[server]\nhost = '::1'\nprot = 1", &[], &[]);
        assert!(message.contains("mangrove.toml:3:1"), "{message}");
        assert!(message.contains("`prot`") && message.contains("did you mean `port`?"), "{message}");
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named_with_its_place() {
        let message = mistake("[server]\nport = 'x'", &[], &[]);
        assert!(message.contains("mangrove.toml:2:8"), "{message}");
        let message = mistake("", &[("MANGROVE_SERVER_PORT", "x")], &[]);
        assert!(message.contains("MANGROVE_SERVER_PORT") && message.contains("integer"), "{message}");
        let message = mistake("", &[], &[("server.port", "70000")]);
        assert!(message.contains("server.port") && message.contains("70000"), "{message}");
    }

    #[test]
    fn an_unknown_flag_key_is_an_error_with_its_nearest_neighbour() {
        let message = mistake("", &[], &[("server.prt", "1")]);
        assert!(message.contains("did you mean `server.port`?"), "{message}");
    }

    #[test]
    fn a_text_that_looks_like_a_number_stays_text_where_text_belongs() {
        assert_eq!(load("", &[("MANGROVE_DATA", "2024")], &[]).unwrap().data, PathBuf::from("2024"));
    }

    #[test]
    fn a_list_is_given_with_commas_where_there_is_only_text() {
        let file = "[server]\nallowed_origins = ['http://a', 'http://b:81']\nallowed_hosts = ['db']";
        let server = load(file, &[], &[]).unwrap().server;
        let shown =
            |server: &ServerConfig| format!("{:?} {:?}", server.allowed_origins, server.allowed_hosts);
        let flags = [("server.allowed_origins", "http://a, http://b:81"), ("server.allowed_hosts", "DB")];
        assert_eq!(shown(&server), shown(&load("", &[], &flags).unwrap().server));
        assert_eq!(server.allowed_origins.len(), 2);
        let none = load(file, &[("MANGROVE_SERVER_ALLOWED_HOSTS", "")], &[]).unwrap().server;
        assert!(none.allowed_hosts.is_empty() && none.allowed_origins.len() == 2);
    }

    #[test]
    fn what_is_no_origin_or_no_host_is_named_with_its_place() {
        let message = mistake("[server]\nallowed_origins = ['http://a', '*']", &[], &[]);
        assert!(message.contains("mangrove.toml:2:") && message.contains("[*] is no origin"), "{message}");
        let message = mistake("", &[("MANGROVE_SERVER_ALLOWED_ORIGINS", "http://a/")], &[]);
        assert!(
            message.contains("MANGROVE_SERVER_ALLOWED_ORIGINS") && message.contains("without a path"),
            "{message}"
        );
        let message = mistake("", &[], &[("server.allowed_hosts", "a:80")]);
        assert!(message.contains("server.allowed_hosts") && message.contains("without a port"), "{message}");
    }

    #[test]
    fn variables_that_merely_look_similar_do_not_stop_the_program() {
        assert_eq!(
            load("", &[("MANGROVE_SERVER_PROT", "1"), ("PATH", "/")], &[]).unwrap(),
            Config::default()
        );
    }

    #[test]
    fn named_graphs_stand_beside_the_default_one_unless_they_claim_its_source() {
        let sources =
            |file| load(file, &[], &[]).unwrap().hosted().into_iter().map(|g| g.source).collect::<Vec<_>>();
        assert_eq!(sources(""), ["g"]);
        assert_eq!(sources("[graphs.modern]\npath = 'm'"), ["g", "modern"]);
        assert_eq!(sources("[graphs.modern]\npath = 'm'\nsource = 'g'"), ["g"]);
    }

    #[test]
    fn two_graphs_cannot_share_a_directory_or_a_source() {
        let message = mistake("data = 'm'\n[graphs.modern]\npath = 'm'", &[], &[]);
        assert!(message.contains("[graphs.modern]"), "{message}");
    }

    #[test]
    fn a_named_file_must_exist() {
        let error = Config::load(Some(Path::new("/nowhere/mangrove.toml")), [], &[]).unwrap_err();
        assert!(matches!(error, ConfigError::Unreadable { .. }));
    }
}
