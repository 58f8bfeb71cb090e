//! The trials, one subcommand each.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use trials::histories;

/// Trials of Mangrove over the wire.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    trial: Trial,
}

/// What is tried.
#[derive(Subcommand)]
enum Trial {
    /// Concurrent clients, and whether some serial order explains what they saw
    Histories(histories::Arguments),
}

fn main() -> ExitCode {
    let passed = match Arguments::parse().trial {
        Trial::Histories(arguments) => histories::run(&arguments),
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
