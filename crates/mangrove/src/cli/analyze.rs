//! `mangrove analyze`.

use mangrove::{Error, config::Config};

use super::{Failure, open, progress::bar};
use crate::output::{say, stats};

/// Counts the degrees and the values under indexes of the default graph, stores what it found and prints it.
pub(super) fn run(config: &Config) -> Result<(), Failure> {
    let database = open(config)?;
    let bar = bar("{spinner} vertices {wide_bar} {percent}%");
    let analyzed = database.graph().analyze(&mut |progress| {
        bar.set_length(progress.total.max(1));
        bar.set_position(progress.done);
    });
    bar.finish_and_clear();
    let statistics = analyzed.map_err(Error::from)?;
    say(stats::known(database.snapshot().catalog(), &statistics))?;
    Ok(())
}
