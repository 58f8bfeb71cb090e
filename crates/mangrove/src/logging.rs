//! Structured logs on standard error.
//!
//! A server writes them by a thread of its own: however slow whatever reads them is, or full the disk, no request waits. What is more
//! than that thread can hold is left out.

use std::io::{self, IsTerminal};

use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, fmt, fmt::MakeWriter};

use mangrove::config::{ConfigError, LogConfig, LogFormat};

use crate::output::LogOutput;

/// What the storage engine says at these levels is about its own files; it is shown where the configuration asks for
/// it by name (`log.level = "info,fjall=info"`).
const QUIET: &str = "fjall=warn,lsm_tree=warn";

/// Lines that wait to be written, at most.
const WAITING: usize = 10_000;

/// Logging, until this is dropped: lines that wait are written then.
pub struct Logging {
    _guard: Option<WorkerGuard>,
}

/// Starts logging for the whole process; `aside`: by a thread of its own.
///
/// # Errors
/// When the level is not one.
pub fn start(config: &LogConfig, aside: bool) -> Result<Logging, ConfigError> {
    let filter = EnvFilter::builder().parse(format!("{QUIET},{}", config.level)).map_err(|error| {
        ConfigError::Invalid {
            origin: "log.level".into(),
            reason: format!("`{}`: {error}; try `info` or `warn,server=debug`", config.level),
        }
    })?;
    if !aside {
        write_to(|| LogOutput, filter, config.format);
        return Ok(Logging { _guard: None });
    }
    let (writer, guard): (NonBlocking, _) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(WAITING)
        .thread_name("log")
        .finish(LogOutput);
    write_to(writer, filter, config.format);
    Ok(Logging { _guard: Some(guard) })
}

fn write_to(
    writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static,
    filter: EnvFilter,
    format: LogFormat,
) {
    let builder = fmt().with_env_filter(filter).with_writer(writer).with_ansi(io::stderr().is_terminal());
    match format {
        LogFormat::Text => builder.with_target(false).init(),
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
}
