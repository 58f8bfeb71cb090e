//! `mangrove generate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mangrove::generate::{MODERN_EDGES, MODERN_VERTICES, SocialOptions, modern, social};

use super::{Failure, progress::bar};
use crate::output::say;

/// What to generate.
#[derive(Subcommand, Debug)]
pub enum Generate {
    /// A social network in the schema and CSV layout of LDBC SNB
    Social(Social),
    /// TinkerPop's modern graph, of which the examples in its documentation are: four people, two programs
    Modern(Modern),
}

/// The arguments of `mangrove generate social`.
#[derive(Args, Debug)]
pub struct Social {
    /// Directory to write to
    #[arg(default_value = "social")]
    directory: PathBuf,
    /// Number of people; everything else grows with it
    #[arg(long, default_value_t = 1_000)]
    persons: u64,
    /// Same seed, same bytes
    #[arg(long, default_value_t = 7)]
    seed: u64,
}

/// The arguments of `mangrove generate modern`.
#[derive(Args, Debug)]
pub struct Modern {
    /// File to write, in GraphSON 3
    #[arg(default_value = "modern.json")]
    file: PathBuf,
}

impl Generate {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Social(social) => social.run(),
            Self::Modern(modern) => modern.run(),
        }
    }
}

impl Modern {
    fn run(self) -> Result<(), Failure> {
        modern(&self.file)?;
        say(format_args!("{MODERN_VERTICES} vertices and {MODERN_EDGES} edges in {}", self.file.display()))?;
        Ok(())
    }
}

impl Social {
    fn run(self) -> Result<(), Failure> {
        let Self { directory, persons, seed } = self;
        let bar = bar("{spinner} {wide_bar} {pos}/{len} persons, {msg}");
        bar.set_length(persons);
        let summary = social(SocialOptions { persons, seed }, &directory, &mut |progress| {
            bar.set_position(progress.persons_done);
            bar.set_message(format!("{} MB", progress.bytes / 1_000_000));
        })?;
        bar.finish_and_clear();
        say(format_args!(
            "{} persons, {} friendships, {} forums, {} posts, {} comments, {} likes in {:.1} s",
            summary.persons,
            summary.friendships,
            summary.forums,
            summary.posts,
            summary.comments,
            summary.likes,
            summary.elapsed.as_secs_f64()
        ))?;
        say(format_args!(
            "{} MB in {}; an import will have {} vertices and {} edges",
            summary.bytes / 1_000_000,
            directory.display(),
            summary.vertices,
            summary.edges
        ))?;
        Ok(())
    }
}
