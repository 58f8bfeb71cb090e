//! What an import is known by: of what it reads, and of how. Under this name a graph remembers how far it is.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

use formats::{ImportError, ImportOptions, Merge, PresentOptions};
use xxhash_rust::xxh3::Xxh3;

use super::{ImportFormat, mapping};

/// Changes when rows of the same files come in another order: what an earlier version has begun cannot be gone on with then.
const ORDER_OF_ROWS: u32 = 3;

/// Bytes that are read at once.
const BUFFER: usize = 256 << 10;

/// The name of an import of these files: their names, lengths and contents, and all that decides what becomes of which row. How bad
/// rows are treated does not, nor how many rows a transaction has.
pub(super) fn name(
    (source, called): (&Path, &Path),
    format: ImportFormat,
    options: &ImportOptions,
    present: &PresentOptions,
) -> Result<String, ImportError> {
    let mut hasher = Xxh3::new();
    let ImportOptions { part_bytes, keep_property_ids, several_labels, .. } = options;
    let how = format!("{ORDER_OF_ROWS} {format:?} {part_bytes} {keep_property_ids} {several_labels:?}");
    text(&mut hasher, &how);
    let merge = match &present.merge {
        Merge::Nothing => "",
        Merge::ById => "id",
        Merge::ByKey(key) => &format!("key {key}"),
    };
    text(&mut hasher, &format!("{merge} {}", present.new_ids));
    for file in files(source, format)? {
        let failed = |error| ImportError::Io { path: file.clone(), source: error };
        let below =
            if file == source { called.file_name().map(Path::new) } else { file.strip_prefix(source).ok() };
        let shown = below.or_else(|| file.file_name().map(Path::new)).unwrap_or(&file);
        text(&mut hasher, &shown.display().to_string());
        let bytes = contents(&file, &mut hasher).map_err(failed)?;
        hasher.update(&bytes.to_le_bytes());
    }
    Ok(format!("{:032x}", hasher.digest128()))
}

/// A text, and where it ends.
fn text(hasher: &mut Xxh3, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text.as_bytes());
}

fn contents(file: &Path, hasher: &mut Xxh3) -> io::Result<u64> {
    let mut file = File::open(file)?;
    let mut buffer = vec![0; BUFFER];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(bytes);
        }
        hasher.update(&buffer[..count]);
        bytes += count as u64;
    }
}

/// The files that an import may read, in an order that does not change.
pub(super) fn files(source: &Path, format: ImportFormat) -> Result<Vec<PathBuf>, ImportError> {
    if format == ImportFormat::Mapping {
        let tables = mapping::tables_of(source)?;
        return Ok([source.to_owned()]
            .into_iter()
            .chain(tables.into_iter().map(|table| table.path))
            .collect());
    }
    if !source.is_dir() {
        return Ok(vec![source.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![source.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| ImportError::Io { path: folder.clone(), source };
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if fs::metadata(entry.path()).is_ok_and(|found| found.is_file()) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_told_by_what_it_reads_and_how() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let write = |name: &str, content: &str| {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), content).unwrap();
        };
        write("one/a.csv", ":ID\n1\n");
        write("two/a.csv", ":ID\n1\n");
        write("three/b.csv", ":ID\n1\n");
        write("four/a.csv", ":ID\n2\n");
        write("map/m.toml", "[[vertices]]\nfile = \"../one/a.csv\"\nlabel = \"x\"\n");
        let (import, present) = (ImportOptions::default(), PresentOptions::default());
        let of = |source: &str, format, present: &PresentOptions| {
            name((&path(source), &path(source)), format, &import, present).unwrap()
        };
        let csv = |source: &str| of(source, ImportFormat::Csv, &present);
        assert_eq!(csv("one"), csv("two"));
        assert_ne!(csv("one"), csv("three"), "a file's name may be its label");
        assert_ne!(csv("one"), csv("four"));
        let other = PresentOptions { merge: Merge::ById, ..present.clone() };
        assert_ne!(csv("one"), of("one", ImportFormat::Csv, &other));
        let fewer = PresentOptions { rows: std::num::NonZeroUsize::MIN, ..present.clone() };
        assert_eq!(csv("one"), of("one", ImportFormat::Csv, &fewer));
        let mapped = of("map/m.toml", ImportFormat::Mapping, &present);
        write("one/a.csv", ":ID\n3\n");
        assert_ne!(mapped, of("map/m.toml", ImportFormat::Mapping, &present), "what a mapping names counts");
        assert!(name((&path("nothing"), &path("nothing")), ImportFormat::Csv, &import, &present).is_err());
    }
}
