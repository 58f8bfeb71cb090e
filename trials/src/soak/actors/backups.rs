//! Backups of the running server, one after the other; when there are some, the last is restored and checked, and they are put away.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use values::Value;

use super::super::field::{Field, Line};
use super::super::program::Program;
use super::super::tally::Ending;
use crate::histories::client::{Answer, Request};

/// So many build on each other before new ones are begun.
const CHAIN: u64 = 8;
/// Between two.
const PAUSE: Duration = Duration::from_secs(20);

/// Where backups go, and how many there were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    /// The folder with the last of them.
    pub folder: PathBuf,
    /// All of them.
    pub written: u64,
    /// Those that were restored and checked.
    pub restored: u64,
}

/// Writes backups until it is over.
pub(crate) async fn act(field: Arc<Field>, program: Program) -> Done {
    let mut line = Line::new(&field, "backups", &[Ending::Busy]);
    let mut done = Done::default();
    while !field.is_over() {
        let request = Request::of("g.with('evaluationTimeout', 60000).call('mangrove.backup')");
        if let Answer::Results(rows) = line.ask(&request).await {
            done.folder = directory(&rows).unwrap_or_default();
            done.written += 1;
            if done.written % CHAIN == 0 && restore(&field, &program, &done.folder).await {
                done.restored += 1;
                // New ones are begun: of everything, so that the folder does not grow for ever.
                if let Err(error) = std::fs::remove_dir_all(&done.folder) {
                    field.tally.wrong(format!("backups: {}: {error}", done.folder.display()));
                }
            }
        }
        field.pause(PAUSE).await;
    }
    done
}

/// Where the server says that it has written one.
fn directory(rows: &[Value]) -> Option<PathBuf> {
    let row = rows.first()?.as_map()?;
    Some(row.get(&Value::str("directory"))?.as_str()?.into())
}

/// Restores the last backup beside the graph, checks that, and puts it away; whether it is right.
pub(crate) async fn restore(field: &Field, program: &Program, folder: &Path) -> bool {
    let to = folder.with_extension("restored");
    // What was left by one that failed.
    let _ = std::fs::remove_dir_all(&to);
    let restored = program.run(&to, &["restore".as_ref(), folder.as_os_str()]).await;
    let checked = match restored {
        Ok(()) => program.run(&to, &["check".as_ref()]).await,
        failed => failed,
    };
    if let Err(error) = &checked {
        field.tally.wrong(format!("backups: {error}"));
        return false;
    }
    let _ = std::fs::remove_dir_all(&to);
    true
}
