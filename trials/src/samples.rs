//! TinkerPop's sample graphs.

use std::path::Path;

use mangrove::{Database, DatabaseOptions, formats::ImportOptions};

use crate::Problem;

/// The sample graphs by name, with the files that hold them.
pub const SAMPLES: [(&str, &str); 5] = [
    ("modern", "tinkerpop-modern.json"),
    ("classic", "tinkerpop-classic.json"),
    ("crew", "tinkerpop-crew.json"),
    ("sink", "tinkerpop-sink.json"),
    ("grateful", "grateful-dead.json"),
];

/// Opens a graph in memory with what a file of the folder `data` holds; properties of vertices may keep the ids that they
/// have there.
///
/// # Errors
/// If the file cannot be read or the graph cannot be opened.
pub fn load(
    data: &Path,
    file: &str,
    keep_property_ids: bool,
    options: DatabaseOptions,
) -> Result<Database, Problem> {
    let database = Database::in_memory_with(options)?;
    let import = ImportOptions { keep_property_ids, ..ImportOptions::default() };
    database.import(data.join(file), None, &import, &|_| {})?;
    Ok(database)
}
