//! `mangrove analyze`.

use mangrove::{Error, config::Config};

use super::{Failure, print_all, progress::bar, reached::Reached};
use crate::{
    far::Far,
    output::{say, stats},
};

/// Counts the degrees and the values under indexes of the default graph, stores what it found and prints it.
pub(super) fn run(config: &Config, far: &Far) -> Result<(), Failure> {
    let database = match Reached::of(config, far)? {
        Reached::Near(database) => database,
        Reached::Far(mut client) => return print_all(client.ask("g.call('mangrove.analyze')", &[])?),
    };
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
