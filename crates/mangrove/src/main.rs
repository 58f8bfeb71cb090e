//! The `mangrove` command.

#![deny(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "they panic when nobody reads; `output::say` does not"
)]

mod cli;
mod console;
mod failure;
mod far;
mod hosting;
mod logging;
mod output;
mod secret;
mod target;
mod traces;

use std::process::ExitCode;

use clap::Parser;
use failure::Failure;

/// Sections come and go in all sizes and on all threads: with a graph larger than its cache (`bench cache`) the system's
/// allocator keeps 620 MB where this one keeps 500, and point reads beside a scan are slower by 40%.
#[global_allocator]
static ALLOCATOR: mangrove::Mimalloc = mangrove::Mimalloc;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    if cli.churns() {
        mangrove::keep_memory_for_a_while();
    } else {
        mangrove::give_memory_back_soon();
    }
    match cli.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(Failure::Interrupted) => {
            output::complain("mangrove: interrupted");
            // What a shell says of a command that Ctrl-C has ended: 128 and the number of the signal.
            ExitCode::from(130)
        }
        Err(failure) => {
            output::complain(format_args!("mangrove: {failure}"));
            ExitCode::FAILURE
        }
    }
}
