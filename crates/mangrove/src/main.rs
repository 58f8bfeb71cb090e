//! The `mangrove` command.

mod cli;
mod console;
mod logging;
mod output;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("mangrove: {failure}");
            ExitCode::FAILURE
        }
    }
}
