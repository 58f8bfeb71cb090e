//! Which importer suits a file or directory, and who is given what.
//!
//! It must never know what is in a file of a format: whoever reads the format does.

mod identity;
mod into;
mod mapping;
mod spool;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use clap::ValueEnum;
use formats::{
    CsvOptions, CsvSource, GraphFormat, ImportError, ImportOptions, ImportProgress, ImportSummary, Stoppable,
    Target,
};

pub use into::{ImportIntoOptions, ImportSource, Imported};

use crate::{Database, Error};

/// The formats that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    /// LDBC SNB Interactive v1, CsvBasic or CsvComposite
    Ldbc,
    /// CSV files whose headers say what the columns are (`:ID`, `:START_ID`, `name:string`)
    Csv,
    /// GraphSON 1 to 3, a vertex after the other or all in one object
    Graphson,
    /// GraphML
    Graphml,
    /// Gryo 3
    Gryo,
    /// An edge on each line, by the ids of its ends (SNAP, KONECT)
    EdgeList,
    /// A mapping in TOML that says what the fields of CSV files, of JSON lines and of Parquet files are
    Mapping,
    /// Parquet files whose columns are named as in CSV (builds with the feature `parquet`)
    Parquet,
}

/// Bytes of a file that are looked at to tell its format.
const PEEK: u64 = 4_096;

impl ImportFormat {
    /// Tells the format of a file or a directory.
    ///
    /// # Errors
    /// [`Error::Import`] for a format that is not read, by its name; [`Error::UnknownFormat`] with what was looked for.
    pub fn detect(source: &Path) -> Result<Self, Error> {
        let unknown = |reason: String| Error::UnknownFormat { path: source.into(), reason };
        let kind = fs::metadata(source).map_err(|error| unknown(error.to_string()))?;
        if kind.is_dir() {
            return Self::of_directory(source)?.ok_or_else(|| {
                unknown(
                    "there are neither person_0_0.csv and its kin (LDBC) nor other .csv or .parquet files in it".into(),
                )
            });
        }
        if formats::is_parquet(source)? {
            return Ok(Self::Parquet);
        }
        if mapping::is_mapping(source) {
            return Ok(Self::Mapping);
        }
        if let Some(format) = formats::whole_format(source)? {
            return Ok(format.into());
        }
        if formats::is_edge_list(source)? {
            return Ok(Self::EdgeList);
        }
        formats::refuse_foreign_inside(source)?;
        if is_empty(source).map_err(|error| unknown(error.to_string()))? {
            // An export of a graph without anything in it is so.
            return Self::of_name(source).ok_or_else(|| {
                unknown("the file is empty, and its name does not end as one of GraphSON or Gryo; --format says what it is".into())
            });
        }
        Self::of_file(source).map_err(|error| unknown(error.to_string()))?.ok_or_else(|| {
            let nothing =
                "it starts neither as GraphSON, GraphML, Gryo or an edge list with comments nor with a CSV header such as id:ID,name"
                    .to_owned();
            unknown(nothing)
        })
    }

    fn of_directory(directory: &Path) -> Result<Option<Self>, Error> {
        let has_person = |directory: PathBuf| {
            entries(&directory).any(|path| {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                name.starts_with("person_") && name.ends_with(".csv")
            })
        };
        // LDBC keeps its dynamic part in a folder of its own, perhaps below `social_network`.
        let places = ["", "dynamic", "social_network", "social_network/dynamic"];
        if places.iter().any(|place| has_person(directory.join(place))) {
            return Ok(Some(Self::Ldbc));
        }
        if entries(directory).any(|path| is_named_csv(&path)) {
            return Ok(Some(Self::Csv));
        }
        if entries(directory).any(|path| formats::is_named_parquet(&path)) {
            return Ok(Some(Self::Parquet));
        }
        // If there is nothing that can be read, the name of something that cannot helps more than what was looked for.
        entries(directory)
            .filter(|path| path.is_file())
            .try_for_each(|path| formats::refuse_foreign(&path))?;
        Ok(None)
    }

    /// The format of a file without anything in it, by its name.
    fn of_name(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?;
        let plain = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
        let of = [(".json", Self::Graphson), (".kryo", Self::Gryo)];
        of.into_iter().find(|(ending, _)| plain.ends_with(ending)).map(|(_, format)| format)
    }

    fn of_file(file: &Path) -> std::io::Result<Option<Self>> {
        let mut start = Vec::new();
        BufReader::new(formats::unpacked(File::open(file)?)?.take(PEEK)).read_until(b'\n', &mut start)?;
        let start = String::from_utf8_lossy(&start);
        let start = start.trim_start_matches('\u{feff}').trim();
        Ok(if start.starts_with('{') {
            Some(Self::Graphson)
        } else if formats::is_csv_header(start) || is_named_csv(file) && !start.is_empty() {
            Some(Self::Csv)
        } else {
            None
        })
    }
}

impl From<GraphFormat> for ImportFormat {
    fn from(format: GraphFormat) -> Self {
        match format {
            GraphFormat::GraphSon => Self::Graphson,
            GraphFormat::GraphMl => Self::Graphml,
            GraphFormat::Gryo => Self::Gryo,
        }
    }
}

/// Whether there is nothing in a file, which may be packed.
fn is_empty(file: &Path) -> std::io::Result<bool> {
    Ok(formats::unpacked(File::open(file)?)?.read(&mut [0])? == 0)
}

/// What a file that does not say it holds, by its name.
fn label_of(source: &CsvSource) -> Option<String> {
    source.name().map(str::to_owned)
}

fn is_named_csv(file: &Path) -> bool {
    formats::csv_stem(file).is_some()
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
        Importer { target: self.graph(), options, progress }.import(source, format, label_of)
    }

    /// Fills this graph, which must be empty, from what somebody sends: any format that is one file. It goes through a temporary file,
    /// for which there must be room; a format that its name would tell is to be given, and so are labels in CSV.
    ///
    /// # Errors
    /// As [`Database::import`]. What is wrong is said of a file `-`.
    pub fn import_from(
        &self,
        mut input: impl Read,
        format: Option<ImportFormat>,
        options: &ImportOptions,
        progress: &dyn Fn(ImportProgress),
    ) -> Result<ImportSummary, Error> {
        spooled(&mut input, format, |path| self.import_nameless(path, (format, options, progress), None))
    }

    /// Fills this graph, which must be empty, from files, as long as nobody says that it is to `stop`. `has_name`: the name of a file
    /// says something.
    pub(crate) fn import_unless(
        &self,
        stop: &AtomicBool,
        (path, has_name): (&Path, bool),
        how: &ImportIntoOptions,
        progress: &dyn Fn(ImportProgress),
    ) -> Result<ImportSummary, Error> {
        let (format, options) = (how.format, &how.reading);
        if !has_name {
            return self.import_nameless(path, (format, options, progress), Some(stop));
        }
        let format = format.map_or_else(|| ImportFormat::detect(path), Ok)?;
        let target = Stoppable { target: self.graph(), stop };
        Importer { target: &target, options, progress }.import(path, format, label_of)
    }

    fn import_nameless(
        &self,
        path: &Path,
        (format, options, progress): How<'_>,
        stop: Option<&AtomicBool>,
    ) -> Result<ImportSummary, Error> {
        nameless(path, format, |path| {
            let format = format.map_or_else(|| ImportFormat::detect(path), Ok)?;
            let never = AtomicBool::new(false);
            let target = Stoppable { target: self.graph(), stop: stop.unwrap_or(&never) };
            let mut summary =
                Importer { target: &target, options, progress }.import(path, format, |_| None)?;
            named(&mut summary);
            Ok(summary)
        })
    }
}

/// In which format something is read, and how.
type How<'a> = (Option<ImportFormat>, &'a ImportOptions, &'a dyn Fn(ImportProgress));

/// All files that an import reads.
///
/// # Errors
/// If they are not there, or their format is not known.
pub fn import_files(source: &Path, format: Option<ImportFormat>) -> Result<Vec<PathBuf>, Error> {
    let format = format.map_or_else(|| ImportFormat::detect(source), Ok)?;
    Ok(identity::files(source, format)?)
}

/// Refuses files that name others which are elsewhere, as a mapping may.
///
/// # Errors
/// If one is not in the directory.
pub(crate) fn check_within(
    source: &Path,
    format: Option<ImportFormat>,
    directory: &Path,
) -> Result<(), Error> {
    let failed = |path: &Path, source| Error::from(ImportError::Io { path: path.into(), source });
    let directory = directory.canonicalize().map_err(|error| failed(directory, error))?;
    for file in import_files(source, format)? {
        // Of what is elsewhere nobody is told whether it is there.
        if !file.canonicalize().is_ok_and(|whole| whole.starts_with(&directory)) {
            let problem = "it is not among the files that were sent".into();
            return Err(ImportError::Layout { path: file, problem }.into());
        }
    }
    Ok(())
}

/// What somebody sends is called so.
const NAMELESS: &str = "-";

/// Lets `work` read what somebody sends, as a file; what is wrong is said of a file `-`.
fn spooled<T>(
    input: &mut dyn Read,
    format: Option<ImportFormat>,
    work: impl FnOnce(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    let spool = spool::Spool::of(input)
        .map_err(|source| ImportError::Io { path: Path::new(NAMELESS).into(), source })?;
    nameless(spool.path(), format, work)
}

/// The same of a file of which the name says nothing.
fn nameless<T>(
    path: &Path,
    format: Option<ImportFormat>,
    work: impl FnOnce(&Path) -> Result<T, Error>,
) -> Result<T, Error> {
    let name = Path::new(NAMELESS);
    if let Some(format @ (ImportFormat::Ldbc | ImportFormat::Mapping)) = format {
        let problem = format!("{format:?} is several files, and here is one; name them");
        return Err(ImportError::Layout { path: name.into(), problem }.into());
    }
    work(path).map_err(|error| of_file(name, error))
}

/// Says what a summary says of a file that has no name.
fn named(summary: &mut ImportSummary) {
    summary.reports.iter_mut().for_each(|row| row.file = NAMELESS.into());
}

/// An import that is to be done.
struct Importer<'a> {
    target: &'a dyn Target,
    options: &'a ImportOptions,
    progress: &'a dyn Fn(ImportProgress),
}

impl Importer<'_> {
    /// Imports from files of a format. CSV that does not say its label has the one of its name.
    fn import(
        self,
        source: &Path,
        format: ImportFormat,
        label: impl Fn(&CsvSource) -> Option<String>,
    ) -> Result<ImportSummary, Error> {
        let Self { target, options, progress } = self;
        let whole = |format| formats::whole(source, format, target, options, progress);
        Ok(match format {
            ImportFormat::Ldbc => formats::ldbc(source, target, options, progress)?,
            ImportFormat::Graphson => match formats::whole_format(source)? {
                Some(GraphFormat::GraphSon) => whole(GraphFormat::GraphSon)?,
                _ => formats::graphson(source, target, options, progress)?,
            },
            ImportFormat::Graphml => whole(GraphFormat::GraphMl)?,
            ImportFormat::Gryo => whole(GraphFormat::Gryo)?,
            ImportFormat::EdgeList => formats::edge_list(source, target, options, progress)?,
            ImportFormat::Mapping => {
                formats::tables(&mapping::tables_of(source)?, target, options, progress)?
            }
            ImportFormat::Parquet => {
                let mut sources = if source.is_dir() {
                    CsvSource::parquet_in_directory(source)?
                } else {
                    vec![CsvSource::new(source)]
                };
                sources.iter_mut().for_each(|source| source.label = label(source));
                formats::parquet(&sources, target, options, progress)?
            }
            ImportFormat::Csv => {
                let mut sources = if source.is_dir() {
                    CsvSource::in_directory(source)?
                } else {
                    vec![CsvSource::new(source)]
                };
                sources.iter_mut().for_each(|source| source.label = label(source));
                formats::csv(&sources, CsvOptions::default(), target, options, progress)?
            }
        })
    }
}

/// An error, said of a file by another name.
fn of_file(name: &Path, error: Error) -> Error {
    match error {
        Error::UnknownFormat { reason, .. } => Error::UnknownFormat { path: name.into(), reason },
        Error::Import(error) => match Arc::try_unwrap(error) {
            Ok(error) => error.of_file(name).into(),
            Err(shared) => Error::Import(shared),
        },
        other => other,
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
        fs::write(path("some.toml"), "").unwrap();
        fs::write(path("mapping"), "# two tables\n\n[[edges]]\n").unwrap();
        fs::create_dir(path("parquet")).unwrap();
        fs::write(path("parquet/people.parquet"), "PAR1").unwrap();
        fs::write(path("rows"), "PAR1").unwrap();
        fs::create_dir(path("empty")).unwrap();
        fs::write(path("picture"), [0xff, 0xd8]).unwrap();
        for (name, format) in [
            ("ldbc", ImportFormat::Ldbc),
            ("csv", ImportFormat::Csv),
            ("csv/people.csv", ImportFormat::Csv),
            ("modern.json", ImportFormat::Graphson),
            ("some.toml", ImportFormat::Mapping),
            ("mapping", ImportFormat::Mapping),
            ("parquet", ImportFormat::Parquet),
            ("rows", ImportFormat::Parquet),
        ] {
            assert_eq!(ImportFormat::detect(&path(name)).unwrap(), format, "{name}");
        }
        for name in ["empty", "nothing"] {
            assert!(matches!(ImportFormat::detect(&path(name)), Err(Error::UnknownFormat { .. })), "{name}");
        }
        assert!(matches!(ImportFormat::detect(&path("picture")), Err(Error::Import(_))));
    }
}
