//! Files that `io()` reads and writes: where they may lie, and what their formats are. And exports (`export/`).
//!
//! ```text
//!  g.io('people/ada.json').write()
//!         └─▶ below `io_directory`, folder by folder (folder) ─▶ a nameless name beside it ─▶ formats' writer
//!                                                                  └─ whole and durable ─▶ its own name (written)
//! ```
//!
//! It must never know who asks for a file, nor what is done with what is in it.

mod adapter;
mod export;
mod folder;
mod packing;
mod written;

use std::{io::BufWriter, path::PathBuf, sync::Arc};

use dataflow::{FileProblem, FileReader, FileRoom, FileWriter, GraphFiles};
use formats::{GraphFormat, graph_file_reader, graph_file_writer, unpacked};
use planner::physical::{FileFormat, GraphFile};

pub use export::{ExportError, ExportFormat, ExportOptions, ExportSummary};

use adapter::{Read, Written};
use folder::Folder;
use packing::Packing;
use written::NewFile;

/// Bytes that are written at once.
const BUFFER: usize = 256 << 10;

/// The files of a database.
#[derive(Debug)]
pub(crate) struct Files {
    /// The directory that they lie below; none if there are to be none.
    directory: Option<PathBuf>,
    /// Whether some may be written.
    writable: bool,
}

impl Files {
    pub(crate) fn new(directory: Option<PathBuf>) -> Self {
        Self { directory: directory.filter(|path| !path.as_os_str().is_empty()), writable: true }
    }

    /// The same for who may only read.
    pub(crate) fn read_only(&self) -> Arc<Self> {
        Arc::new(Self { directory: self.directory.clone(), writable: false })
    }

    /// The folder that a file lies in, and its name there.
    fn folder(&self, file: &GraphFile) -> Result<Folder, FileProblem> {
        let Some(directory) = &self.directory else {
            return Err("no directory for files is configured; set `io_directory` (MANGROVE_IO_DIRECTORY) and start again".into());
        };
        Folder::of(directory, &file.name)
    }
}

impl GraphFiles for Files {
    fn open(&self, file: &GraphFile, room: FileRoom) -> Result<Box<dyn FileReader>, FileProblem> {
        let opened = self.folder(file)?.open()?;
        let inside = unpacked(opened).map_err(|error| error.to_string())?;
        Ok(Box::new(Read(graph_file_reader(format_of(file), inside, room))))
    }

    fn create(&self, file: &GraphFile, room: FileRoom) -> Result<Box<dyn FileWriter>, FileProblem> {
        if !self.writable {
            return Err("a request that may only read does not write files".into());
        }
        if file.name.ends_with(".zst") {
            return Err("zstd is read and not written; use `.gz`, or nothing".into());
        }
        let new = NewFile::create(self.folder(file)?)?;
        let into = Packing::new(new.handle()?, file.name.ends_with(".gz"));
        // Writers write a few bytes at a time.
        let pieces = Box::new(BufWriter::with_capacity(BUFFER, into.clone()));
        let writer = graph_file_writer(format_of(file), pieces, room);
        Ok(Box::new(Written { writer, into, file: new }))
    }
}

fn format_of(file: &GraphFile) -> GraphFormat {
    match file.format {
        FileFormat::GraphSon => GraphFormat::GraphSon,
        FileFormat::GraphMl => GraphFormat::GraphMl,
        FileFormat::Gryo => GraphFormat::Gryo,
    }
}
