//! `mangrove check`.

use std::{path::Path, sync::Arc};

use mangrove::{
    DatabaseOptions, Error,
    config::Config,
    graph::{self, CheckProgress},
    store::{FjallStore, Store},
};

use super::{Failure, progress::bar};
use crate::output::say;

/// Checks the default graph, and prints what is wrong, one line each.
pub(super) fn run(config: &Config) -> Result<(), Failure> {
    let hosted = config.default_graph();
    if hosted.is_memory() {
        return Err(Failure::Usage(
            "a graph in memory has no files to check; name one with --data DIR".into(),
        ));
    }
    let findings = find(&hosted.path, DatabaseOptions::from(&config.engine))?;
    findings.iter().try_for_each(say)?;
    match findings.len() {
        0 => {
            say(format_args!("{} is sound", hosted.path.display()))?;
            Ok(())
        }
        count => Err(Failure::Damaged { path: hosted.path.clone(), count }),
    }
}

/// What is wrong with the files, or if nothing is, with the graph in them.
pub(super) fn find(path: &Path, options: DatabaseOptions) -> Result<Vec<String>, Failure> {
    let bar = bar("{spinner} {msg:8} {wide_bar} {percent}%");
    let show = |what: &'static str, done: u64, total: u64| {
        bar.set_message(what);
        bar.set_length(total.max(1));
        bar.set_position(done);
    };
    let failed = |source| Error::Open { path: path.into(), source: Arc::new(source) };
    let damaged =
        FjallStore::check_files(path, &mut |done, total| show("files", done, total)).map_err(failed)?;
    let findings = if damaged.is_empty() {
        match FjallStore::open(path, options.store) {
            Err(error) => vec![error.to_string()],
            Ok(store) => {
                let store: Arc<dyn Store> = Arc::new(store);
                let found =
                    graph::check_within(&store, options.graph.cache_bytes, &mut |progress| match progress {
                        CheckProgress::Stored { done, total } => show("sections", done, total),
                        CheckProgress::Contents { done, total } => show("vertices", done, total),
                    });
                found.map_err(Error::from)?.iter().map(ToString::to_string).collect()
            }
        }
    } else {
        damaged.iter().map(ToString::to_string).collect()
    };
    bar.finish_and_clear();
    Ok(findings)
}
