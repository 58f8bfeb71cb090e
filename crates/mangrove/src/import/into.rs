//! Imports into a graph that may have data.

use std::{fmt, io::Read, path::Path};

use formats::{
    BadRows, ImportError, ImportOptions, ImportPhase, ImportProgress, ImportSummary, Position, Present,
    PresentOptions, Tally,
};

use super::{ImportFormat, Importer, identity, label_of, named, nameless, spooled};
use crate::{Database, Error};

/// How to import into a graph that may have data.
#[derive(Clone, Debug, Default)]
pub struct ImportIntoOptions {
    /// The format, where it cannot be told.
    pub format: Option<ImportFormat>,
    /// How files are read.
    pub reading: ImportOptions,
    /// What becomes of their rows. Bad rows are treated as when they are read.
    pub writing: PresentOptions,
    /// Whether files that have been imported so before are imported once more.
    pub again: bool,
}

/// What an import reads.
pub enum ImportSource<'a> {
    /// A file or a directory.
    Path(&'a Path),
    /// A file of which the name says nothing.
    Nameless(&'a Path),
    /// What somebody sends: one file. It goes through a temporary file, for which there must be room.
    Stream(&'a mut dyn Read),
}

/// What has become of an import into a graph that may have data.
#[derive(Clone, Debug)]
pub enum Imported {
    /// It is done.
    Now(Box<ImportSummary>),
    /// The same files were imported in the same way before, and nothing was done now.
    Before(Tally),
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(summary) => summary.fmt(f),
            Self::Before(Tally { vertices, edges, merged_vertices, merged_edges, .. }) => write!(
                f,
                "nothing to do: these files were imported into this graph before ({vertices} vertices and {edges} edges added, \
                 {merged_vertices} and {merged_edges} merged); --again imports them once more"
            ),
        }
    }
}

impl fmt::Debug for ImportSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.debug_tuple("Path").field(path).finish(),
            Self::Nameless(path) => f.debug_tuple("Nameless").field(path).finish(),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}

impl Database {
    /// Adds what files hold to this graph, or merges it with what is there, in transactions of bounded size; others may read and write
    /// meanwhile. Unless bad rows are skipped, all of the files is looked at before anything is written.
    ///
    /// How far it is, is remembered in the graph: after a failure, or the end of the process, the same call goes on behind the last
    /// transaction that is durable, and nothing is done twice.
    ///
    /// ```
    /// # use mangrove::{Database, ImportIntoOptions, ImportSource, formats::{Merge, PresentOptions}};
    /// let db = Database::in_memory()?;
    /// db.query("g.addV('person').property('name', 'marko').property('city', 'Ulm')")?;
    /// let mut csv: &[u8] = b"name:string,age:int,:LABEL\nmarko,29,person\nvadas,27,person\n";
    /// let writing = PresentOptions { merge: Merge::ByKey("name".into()), ..PresentOptions::default() };
    /// let options = ImportIntoOptions { writing, ..ImportIntoOptions::default() };
    /// db.import_into(ImportSource::Stream(&mut csv), &options, &|_| {})?;
    /// assert_eq!(db.query("g.V().has('age', 29).values('city')")?.next().transpose()?, Some("Ulm".into()));
    /// assert_eq!(db.query("g.V().count()")?.next().transpose()?, Some(2i64.into()));
    /// # Ok::<(), mangrove::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Import`]. What was committed before stays: [`ImportError::Midway`] says what that is.
    pub fn import_into(
        &self,
        source: ImportSource<'_>,
        options: &ImportIntoOptions,
        progress: &dyn Fn(ImportProgress),
    ) -> Result<Imported, Error> {
        match source {
            ImportSource::Path(path) => self.import_path_into((path, path), options, progress, true),
            ImportSource::Nameless(path) => nameless(path, options.format, |path| {
                let imported = self.import_path_into((path, Path::new("-")), options, progress, false)?;
                Ok(match imported {
                    Imported::Now(mut summary) => {
                        named(&mut summary);
                        Imported::Now(summary)
                    }
                    before => before,
                })
            }),
            ImportSource::Stream(input) => spooled(input, options.format, |path| {
                self.import_into(ImportSource::Nameless(path), options, progress)
            }),
        }
    }

    fn import_path_into(
        &self,
        (path, called): (&Path, &Path),
        options: &ImportIntoOptions,
        progress: &dyn Fn(ImportProgress),
        has_name: bool,
    ) -> Result<Imported, Error> {
        let format = match options.format {
            Some(format) => format,
            None => ImportFormat::detect(path)?,
        };
        let label = |source: &_| has_name.then(|| label_of(source)).flatten();
        let writing = PresentOptions { bad_rows: options.reading.bad_rows, ..options.writing.clone() };
        let name = identity::name((path, called), format, &options.reading, &writing)?;
        let present = Present::new(self.graph(), &writing, &name);
        let mut position = present.position()?;
        if let Position::Done(tally) = position {
            if !options.again {
                return Ok(Imported::Before(tally));
            }
            present.forget()?;
            position = Position::New;
        }
        if position == Position::New && writing.bad_rows == BadRows::Stop {
            let looking =
                |told: ImportProgress| progress(ImportProgress { phase: ImportPhase::Looking, ..told });
            let target = present.looking_only();
            Importer { target: &target, options: &options.reading, progress: &looking }
                .import(path, format, label)?;
        }
        let importer = Importer { target: &present, options: &options.reading, progress };
        let summary = importer.import(path, format, label).map_err(|error| match error {
            // What the reader itself finds when something is durable.
            Error::Import(cause) if !matches!(*cause, ImportError::Midway { .. }) => midway(&present, cause),
            other => other,
        })?;
        Ok(Imported::Now(Box::new(summary)))
    }
}

/// A failure, with what is done.
fn midway(present: &Present<'_>, cause: std::sync::Arc<ImportError>) -> Error {
    match (present.position(), std::sync::Arc::try_unwrap(cause)) {
        (Ok(Position::UnderWay(tally)), Ok(cause)) => {
            ImportError::Midway { cause: Box::new(cause), tally }.into()
        }
        (_, Ok(cause)) => cause.into(),
        (_, Err(shared)) => Error::Import(shared),
    }
}
