//! The trials, one subcommand each.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use trials::{conformance, differential};

/// What keeps Mangrove's promises kept.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    trial: Trial,
}

/// What is tried.
#[derive(Subcommand)]
enum Trial {
    /// TinkerPop's own scenarios, through the embedded engine and over WebSocket
    Conformance(conformance::Arguments),
    /// Random traversals, against TinkerGraph
    Differential(differential::Arguments),
    /// Random traversals, under all options of the planner and the engine
    Options(differential::OptionArguments),
}

fn main() -> ExitCode {
    let passed = match Arguments::parse().trial {
        Trial::Conformance(arguments) => conformance::run(&arguments),
        Trial::Differential(arguments) => differential::run(&arguments),
        Trial::Options(arguments) => differential::run_options(&arguments),
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
