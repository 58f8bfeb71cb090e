//! The trials, one subcommand each.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use trials::{conformance, differential, histories, hostile, soak};

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
    /// Concurrent clients, and whether some serial order explains what they saw
    Histories(histories::Arguments),
    /// Traversals that explode, against a server with small bounds
    Hostile(hostile::Arguments),
    /// Everything at once, for a long time: nothing grows, and nothing is lost
    Soak(soak::Arguments),
}

fn main() -> ExitCode {
    let passed = match Arguments::parse().trial {
        Trial::Conformance(arguments) => conformance::run(&arguments),
        Trial::Differential(arguments) => differential::run(&arguments),
        Trial::Options(arguments) => differential::run_options(&arguments),
        Trial::Histories(arguments) => {
            histories::run(&arguments).map_err(|problem| problem.to_string().into())
        }
        Trial::Hostile(arguments) => hostile::run(&arguments),
        Trial::Soak(arguments) => soak::run(&arguments),
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
