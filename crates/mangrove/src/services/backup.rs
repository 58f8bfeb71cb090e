//! `mangrove.backup`

use values::{Map, Value};

use super::failed;
use crate::{Error, asker::Asker, database::Inner};

/// Writes a backup into the directory that was configured for it, while the graph is used; what was written.
///
/// The directory is no parameter: who may query a graph shall not choose where its server writes.
pub(super) fn write(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let Some(to) = &inner.options.backups else {
        let problem =
            "no directory for backups is configured; set `backups` (MANGROVE_BACKUPS) and start again";
        return Err(failed("mangrove.backup", problem));
    };
    let _one_at_a_time = inner.backing_up.lock();
    let summary = inner.graph.backup(to)?;
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut row = Map::new();
    row.insert("number", whole(summary.number.into()));
    row.insert("entries", whole(summary.pairs));
    row.insert("written", whole(summary.written));
    row.insert("removed", whole(summary.removed));
    row.insert("bytes", whole(summary.bytes));
    row.insert("directory", to.display().to_string());
    Ok(vec![row.into()])
}
