//! How large the terminal is.

use std::io;

use rustix::termios::{self, Winsize};

/// Terminals narrower than this, in characters, get tables as wide as they are. Those that do not know their width say 0.
const NARROWEST: u16 = 20;

/// Columns of the terminal that standard output is, if it is one.
pub fn width() -> Option<usize> {
    wide_enough(size(io::stdout())?.ws_col)
}

/// Whether standard error is a terminal on which a line can be written anew.
pub(super) fn shows_errors() -> bool {
    size(io::stderr()).is_some_and(|size| wide_enough(size.ws_col).is_some())
}

/// Lines of the terminal that standard output is, if it is one that knows.
pub(super) fn height() -> Option<usize> {
    let lines = size(io::stdout())?.ws_row;
    (lines > 0).then_some(lines.into())
}

fn size(stream: impl rustix::fd::AsFd) -> Option<Winsize> {
    termios::isatty(&stream).then(|| termios::tcgetwinsize(&stream).ok()).flatten()
}

fn wide_enough(columns: u16) -> Option<usize> {
    (columns >= NARROWEST).then_some(columns.into())
}
