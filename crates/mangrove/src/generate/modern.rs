//! TinkerPop's *modern* graph: the six people and programs that its documentation, and ours, ask about.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::GenerateError;

/// The file that Apache TinkerPop 3.8.1 brings for it, byte by byte (Apache License 2.0): GraphSON 3, a
/// vertex on each line. Examples rely on its ids and types, so none of it is written in another way.
const MODERN: &str = include_str!("modern.json");
/// Vertices in it.
pub const MODERN_VERTICES: usize = 6;
/// Edges in it.
pub const MODERN_EDGES: usize = 6;

/// Writes the modern graph into a new file that `import` reads.
///
/// # Errors
/// If there is a file of that name, or the file system refuses.
pub fn modern(file: &Path) -> Result<(), GenerateError> {
    let failed = |error| GenerateError::io(file, error);
    let mut output = File::create_new(file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => GenerateError::FileExists { path: file.to_owned() },
        _ => failed(error),
    })?;
    output.write_all(MODERN.as_bytes()).map_err(failed)
}
