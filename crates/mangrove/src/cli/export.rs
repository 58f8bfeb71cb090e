//! `mangrove export`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mangrove::{DatabaseOptions, config::Config};

use super::{Failure, open_at, progress::bar};
use crate::output::say;

/// The arguments of `mangrove export`.
#[derive(Args, Debug)]
pub struct Export {
    /// The file to write: `.json` (GraphSON 3), `.xml` or `.graphml` (GraphML), `.kryo` (Gryo 3), each with `.gz` behind it for gzip
    file: PathBuf,
    /// The format, where the name of the file does not say it
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// Write over a file that is there
    #[arg(long)]
    overwrite: bool,
}

/// The formats that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// GraphSON 3, one vertex per line: everything is kept
    Graphson,
    /// GraphML: one value per key, no meta-properties, ids as texts
    Graphml,
    /// Gryo 3
    Gryo,
}

impl Export {
    /// Writes the graph as one snapshot has it. The file has its name once it is whole.
    pub(super) fn run(self, config: &Config) -> Result<(), Failure> {
        let file = &self.file;
        let name = file.file_name().and_then(|name| name.to_str());
        let Some(name) = name else {
            return Err(Failure::Usage(format!("{} is no name of a file, or not UTF-8", file.display())));
        };
        if file.try_exists()? && !self.overwrite {
            return Err(Failure::Usage(format!(
                "{} is there; add --overwrite to replace it",
                file.display()
            )));
        }
        let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Err(Failure::Usage(format!(
                "there is no folder {}, where {name} is to be written; make it first",
                folder.display()
            )));
        }
        let graph = config.default_graph();
        let options = DatabaseOptions {
            io_directory: Some(folder.to_path_buf()),
            ..DatabaseOptions::from(&config.engine).with_loads(&config.loads)
        };
        let database = open_at(&graph, options)?;
        let bar = bar("{spinner} writing {msg}  {elapsed}");
        bar.set_message(name.to_owned());
        let written = database.query(&self.traversal(name)).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        bar.finish_and_clear();
        written?;
        let stats = database.stats();
        let sum = |labels: &[(_, u64)]| labels.iter().map(|(_, count)| count).sum::<u64>();
        let (vertices, edges) = (sum(&stats.vertices), sum(&stats.edges));
        let size = std::fs::metadata(file)?.len();
        database.close()?;
        say(format_args!("{vertices} vertices and {edges} edges in {size} bytes"))?;
        Ok(())
    }

    /// What writes it.
    fn traversal(&self, name: &str) -> String {
        let name = name.replace('\\', "\\\\").replace('\'', "\\'");
        let writer = match self.format {
            None => "",
            Some(ExportFormat::Graphson) => ".with(IO.writer, IO.graphson)",
            Some(ExportFormat::Graphml) => ".with(IO.writer, IO.graphml)",
            Some(ExportFormat::Gryo) => ".with(IO.writer, IO.gryo)",
        };
        format!("g.io('{name}'){writer}.write()")
    }
}
