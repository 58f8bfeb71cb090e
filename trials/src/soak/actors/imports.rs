//! Imports of files into another graph, beside the server that runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::super::field::Field;
use super::super::program::Program;
use super::super::tally::Ending;

/// Between two.
const PAUSE: Duration = Duration::from_secs(45);

/// Imports `files` into `to`, checks that, and puts it away, until it is over.
pub(crate) async fn act(field: Arc<Field>, program: Program, files: PathBuf, to: PathBuf) {
    while !field.is_over() {
        // What was left by one that failed.
        let _ = std::fs::remove_dir_all(&to);
        let mut ended = program.run(&to, &["import".as_ref(), files.as_os_str()]).await;
        if ended.is_ok() {
            ended = program.run(&to, &["check".as_ref()]).await;
        }
        field.tally.count("imports", if ended.is_ok() { Ending::Done } else { Ending::Failed });
        if let Err(error) = ended {
            field.tally.wrong(format!("imports: {error}"));
        }
        field.pause(PAUSE).await;
    }
    let _ = std::fs::remove_dir_all(&to);
}
