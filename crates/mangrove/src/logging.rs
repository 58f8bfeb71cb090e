//! Structured logs on standard error.

use std::io::{self, IsTerminal};

use tracing_subscriber::{EnvFilter, fmt};

use mangrove::config::{ConfigError, LogConfig, LogFormat};

use crate::output::LogOutput;

/// What the storage engine says at these levels is about its own files; it is shown where the configuration asks for
/// it by name (`log.level = "info,fjall=info"`).
const QUIET: &str = "fjall=warn,lsm_tree=warn";

/// Starts logging for the whole process.
///
/// # Errors
/// When the level is not one.
pub fn start(config: &LogConfig) -> Result<(), ConfigError> {
    let filter = EnvFilter::builder().parse(format!("{QUIET},{}", config.level)).map_err(|error| {
        ConfigError::Invalid {
            origin: "log.level".into(),
            reason: format!("`{}`: {error}; try `info` or `warn,server=debug`", config.level),
        }
    })?;
    let builder =
        fmt().with_env_filter(filter).with_writer(|| LogOutput).with_ansi(io::stderr().is_terminal());
    match config.format {
        LogFormat::Text => builder.with_target(false).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
