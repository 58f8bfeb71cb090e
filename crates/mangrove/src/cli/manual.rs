//! `mangrove completions` and `mangrove man`: what shells and `man` know of the command, made from the command itself.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Failure};
use crate::output::say;

/// The arguments of `mangrove completions`.
#[derive(Args, Debug)]
pub struct Completions {
    /// The shell that is to complete commands
    shell: Shell,
}

impl Completions {
    /// Prints the shell's script.
    pub(super) fn run(&self) -> Result<(), Failure> {
        // Not to standard output itself: the generator panics when nobody reads.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "mangrove", &mut script);
        say(String::from_utf8_lossy(&script))?;
        Ok(())
    }
}

/// The arguments of `mangrove man`.
#[derive(Args, Debug)]
pub struct Man {
    /// Directory to write to, made if it is not there: `…/man/man1` where `man` looks
    directory: PathBuf,
}

impl Man {
    /// Writes a page for the command, and one for each of its commands: `mangrove.1`, `mangrove-serve.1`, …
    pub(super) fn run(&self) -> Result<(), Failure> {
        let failed = |error| {
            Failure::Usage(format!("cannot write manual pages to {}: {error}", self.directory.display()))
        };
        std::fs::create_dir_all(&self.directory).map_err(failed)?;
        clap_mangen::generate_to(Cli::command(), &self.directory).map_err(failed)?;
        say(format_args!(
            "mangrove.1, and a page for each command beside it, are in {}",
            self.directory.display()
        ))?;
        Ok(())
    }
}
