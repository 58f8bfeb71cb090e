//! What commands say, on standard output and on standard error, when nobody may be listening any more.
//!
//! `println!` panics when the reader of a pipe has left (`mangrove import … | head -1`), though the work is done or still
//! worth doing. So nothing but this file and the printer of results writes to the two; clippy sees to it (`main.rs`).

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Says something on standard output, and ends its line; nothing if there is nothing to say. A reader that has left misses it.
///
/// # Errors
/// If standard output cannot be written to, though there may be a reader.
pub fn say(text: impl Display) -> io::Result<()> {
    let mut text = text.to_string();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() { tame(&text) } else { text.into() };
    forgive_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Says on standard error why a command does not do what it was asked to. There is nobody to tell if that fails.
pub fn complain(text: impl Display) {
    let (mut out, text) = (io::stderr(), text.to_string());
    let text = if out.is_terminal() { tame(&text) } else { text.into() };
    let _ = writeln!(out, "{text}");
}

/// A text for a terminal: what is stored in a graph must not move its cursor or change its title.
pub fn tame(text: &str) -> Cow<'_, str> {
    let moves = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(moves) { text.replace(moves, " ").into() } else { text.into() }
}

/// Standard error for the log, which must not end a server because whoever read it has gone.
#[derive(Debug, Default)]
pub struct LogOutput;

impl Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        forgive_closed(io::stderr().write_all(bytes)).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        forgive_closed(io::stderr().flush())
    }
}

fn forgive_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}
