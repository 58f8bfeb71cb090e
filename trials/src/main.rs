//! The command of the trials: `trials conformance`.

use std::process::ExitCode;

use clap::Parser;
use trials::{Problem, conformance};

/// What keeps Mangrove's promises kept.
#[derive(Parser)]
enum Arguments {
    /// TinkerPop's own scenarios, through the embedded engine and over WebSocket
    Conformance(conformance::Arguments),
}

fn main() -> Result<ExitCode, Problem> {
    match Arguments::parse() {
        Arguments::Conformance(arguments) => conformance::command(&arguments),
    }
}
