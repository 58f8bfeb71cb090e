//! Structured logs on standard error.
//!
//! A server writes them by a thread of its own: however slow whatever reads them is, or full the disk, no request waits. What is more
//! than that thread can hold is left out.

use std::io::{self, IsTerminal};

use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{EnvFilter, filter::LevelFilter, fmt, fmt::MakeWriter};

use mangrove::config::{ConfigError, LogConfig, LogFormat};

use crate::output::LogOutput;

/// What the storage engine says at these levels is about its own files; it is shown where the configuration asks for
/// it by name (`log.level = "info,fjall=info"`).
const QUIET: &str = "fjall=warn,lsm_tree=warn";

/// What these say at `trace` has messages in it as they came, with passwords: they say it only where they are asked by name.
const SECRETIVE: &str = "tungstenite=debug,tokio_tungstenite=debug,hyper=debug,rustls=debug";

/// Lines that wait to be written, at most.
const WAITING: usize = 10_000;

/// Logging, until this is dropped: lines that wait are written then.
pub struct Logging {
    set: Box<dyn Fn(EnvFilter) + Send + Sync>,
    _guard: Option<WorkerGuard>,
}

impl Logging {
    /// Logs from now on what this level says.
    ///
    /// # Errors
    /// When it is no level.
    pub fn set_level(&self, level: &str) -> Result<(), ConfigError> {
        (self.set)(filter(level)?);
        Ok(())
    }
}

/// Starts logging for the whole process; `aside`: by a thread of its own.
///
/// # Errors
/// When the level is not one.
pub fn start(config: &LogConfig, aside: bool) -> Result<Logging, ConfigError> {
    let filter = filter(&config.level)?;
    if !aside {
        return Ok(Logging { set: write_to(|| LogOutput, filter, config.format), _guard: None });
    }
    let (writer, guard): (NonBlocking, _) = NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(WAITING)
        .thread_name("log")
        .finish(LogOutput);
    Ok(Logging { set: write_to(writer, filter, config.format), _guard: Some(guard) })
}

fn filter(level: &str) -> Result<EnvFilter, ConfigError> {
    let of_all = level.split(',').rev().find_map(|directive| directive.trim().parse::<LevelFilter>().ok());
    let quiet =
        if of_all == Some(LevelFilter::TRACE) { format!("{QUIET},{SECRETIVE}") } else { QUIET.into() };
    EnvFilter::builder().parse(format!("{quiet},{level}")).map_err(|error| ConfigError::Invalid {
        origin: "log.level".into(),
        reason: format!("`{level}`: {error}; try `info` or `warn,server=debug`"),
    })
}

/// Writes to it; what sets the filter anew.
fn write_to(
    writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static,
    filter: EnvFilter,
    format: LogFormat,
) -> Box<dyn Fn(EnvFilter) + Send + Sync> {
    let builder = fmt().with_env_filter(filter).with_writer(writer).with_ansi(io::stderr().is_terminal());
    match format {
        LogFormat::Text => {
            let builder = builder.with_target(false).with_filter_reloading();
            let handle = builder.reload_handle();
            builder.init();
            // It fails only when the subscriber is gone, which is never.
            Box::new(move |filter| _ = handle.reload(filter))
        }
        LogFormat::Json => {
            let builder = builder.json().flatten_event(true).with_filter_reloading();
            let handle = builder.reload_handle();
            builder.init();
            Box::new(move |filter| _ = handle.reload(filter))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_say_no_more_than_others_and_no_messages_unless_asked_by_name() {
        let said = |level: &str| filter(level).unwrap().to_string();
        assert!(!said("info").contains("tungstenite") && !said("info,server=trace").contains("tungstenite"));
        assert!(said("trace").contains("tungstenite=debug") && said("info,trace").contains("hyper=debug"));
        let asked = said("trace,tungstenite=trace");
        assert!(asked.contains("tungstenite=trace") && !asked.contains(",tungstenite=debug"), "{asked}");
    }
}
