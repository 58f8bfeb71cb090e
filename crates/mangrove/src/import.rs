//! Which importer suits a file or directory.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use graph::import::{self, CsvOptions, CsvSource, ImportOptions, ImportProgress, ImportSummary};

use crate::{Database, Error};

/// The formats that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    /// LDBC SNB Interactive v1, CsvBasic or CsvComposite
    Ldbc,
    /// CSV files whose headers say what the columns are (`:ID`, `:START_ID`, `name:string`)
    Csv,
    /// GraphSON 3, one vertex per line
    Graphson,
}

/// Bytes of a file that are looked at to tell its format.
const PEEK: u64 = 4_096;

impl ImportFormat {
    /// Tells the format of a file or a directory.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`] with what was looked for.
    pub fn detect(source: &Path) -> Result<Self, Error> {
        let unknown = |reason: String| Error::UnknownFormat { path: source.into(), reason };
        let kind = fs::metadata(source).map_err(|error| unknown(error.to_string()))?;
        if kind.is_dir() {
            return Self::of_directory(source).ok_or_else(|| {
                unknown(
                    "there are neither person_0_0.csv and its kin (LDBC) nor other .csv files in it".into(),
                )
            });
        }
        Self::of_file(source).map_err(|error| unknown(error.to_string()))?.ok_or_else(|| {
            unknown("it starts neither with { (GraphSON) nor with a CSV header such as id:ID,name".into())
        })
    }

    fn of_directory(directory: &Path) -> Option<Self> {
        let has_person = |directory: PathBuf| {
            entries(&directory).any(|path| {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                name.starts_with("person_") && name.ends_with(".csv")
            })
        };
        // LDBC keeps its dynamic part in a folder of its own, perhaps below `social_network`.
        let places = ["", "dynamic", "social_network", "social_network/dynamic"];
        if places.iter().any(|place| has_person(directory.join(place))) {
            return Some(Self::Ldbc);
        }
        let is_csv = |path: PathBuf| path.extension().is_some_and(|extension| extension == "csv");
        entries(directory).any(is_csv).then_some(Self::Csv)
    }

    fn of_file(file: &Path) -> std::io::Result<Option<Self>> {
        let mut start = String::new();
        BufReader::new(File::open(file)?.take(PEEK)).read_line(&mut start)?;
        let start = start.trim_start_matches('\u{feff}').trim_start();
        Ok(if start.starts_with('{') {
            Some(Self::Graphson)
        } else if start.contains(':') || file.extension().is_some_and(|extension| extension == "csv") {
            Some(Self::Csv)
        } else {
            None
        })
    }
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

impl Database {
    /// Fills this graph, which must be empty, from files. `format` need be given only where it cannot be told.
    ///
    /// # Errors
    /// [`Error::Import`]; the graph is empty then, as before.
    pub fn import(
        &self,
        source: impl AsRef<Path>,
        format: Option<ImportFormat>,
        options: &ImportOptions,
        progress: &dyn Fn(ImportProgress),
    ) -> Result<ImportSummary, Error> {
        let source = source.as_ref();
        let format = match format {
            Some(format) => format,
            None => ImportFormat::detect(source)?,
        };
        let graph = self.graph();
        Ok(match format {
            ImportFormat::Ldbc => import::ldbc(source, graph, options, progress)?,
            ImportFormat::Graphson => import::graphson(source, graph, options, progress)?,
            ImportFormat::Csv => {
                let mut sources = if source.is_dir() {
                    CsvSource::in_directory(source)?
                } else {
                    vec![CsvSource { path: source.into(), label: None }]
                };
                // A file whose header says nothing else holds what its name says.
                for source in &mut sources {
                    source.label = source.path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
                }
                import::csv(&sources, CsvOptions::default(), graph, options, progress)?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_told_from_names_and_first_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir_all(path("ldbc/dynamic")).unwrap();
        fs::write(path("ldbc/dynamic/person_0_0.csv"), "id|firstName").unwrap();
        fs::create_dir(path("csv")).unwrap();
        fs::write(path("csv/people.csv"), "id:ID,name").unwrap();
        fs::write(path("modern.json"), "{\"id\":1}").unwrap();
        fs::create_dir(path("empty")).unwrap();
        fs::write(path("picture"), [0xff, 0xd8]).unwrap();
        for (name, format) in [
            ("ldbc", ImportFormat::Ldbc),
            ("csv", ImportFormat::Csv),
            ("csv/people.csv", ImportFormat::Csv),
            ("modern.json", ImportFormat::Graphson),
        ] {
            assert_eq!(ImportFormat::detect(&path(name)).unwrap(), format, "{name}");
        }
        for name in ["empty", "picture", "nothing"] {
            assert!(matches!(ImportFormat::detect(&path(name)), Err(Error::UnknownFormat { .. })), "{name}");
        }
    }
}
