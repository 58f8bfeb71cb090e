//! `mangrove backup` and `mangrove restore`.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::Args;
use mangrove::{
    DatabaseOptions, Error,
    config::Config,
    graph,
    store::{FjallStore, Store},
};

use super::{Failure, check, open};

/// The arguments of `mangrove backup`.
#[derive(Args, Debug)]
pub struct Backup {
    /// The directory of the backups; in one that holds some, only what has changed since is written
    to: PathBuf,
}

impl Backup {
    pub(super) fn run(self, config: &Config) -> Result<(), Failure> {
        let database = open(config)?;
        let summary = database.graph().backup(&self.to).map_err(Error::from)?;
        println!("{summary}");
        database.close()?;
        Ok(())
    }
}

/// The arguments of `mangrove restore`.
#[derive(Args, Debug)]
pub struct Restore {
    /// The directory of the backups
    from: PathBuf,
    /// Which of them, by the number that `backup` printed (default: the last)
    #[arg(long)]
    number: Option<u32>,
}

impl Restore {
    /// Restores beside the graph's directory, checks what was restored, and only then gives it its name.
    pub(super) fn run(self, config: &Config) -> Result<(), Failure> {
        let hosted = config.default_graph();
        if hosted.is_memory() {
            return Err(Failure::Usage("name the directory to restore into with --data DIR".into()));
        }
        let to = &hosted.path;
        if fs::read_dir(to).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(Failure::Usage(format!(
                "{} is not empty; restore into another directory with --data DIR",
                to.display()
            )));
        }
        let mut unfinished = to.clone().into_os_string();
        unfinished.push(".restoring");
        let unfinished = PathBuf::from(unfinished);
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished)?;
        }
        let options = DatabaseOptions::from(&config.engine);
        let summary = self.fill(&unfinished, &options)?;
        let findings = check::find(&unfinished, options)?;
        if !findings.is_empty() {
            findings.iter().for_each(|finding| println!("{finding}"));
            return Err(Failure::Damaged { path: unfinished, count: findings.len() });
        }
        if to.exists() {
            fs::remove_dir(to)?;
        }
        fs::rename(&unfinished, to)?;
        println!("restored {summary}, and checked it");
        Ok(())
    }

    fn fill(&self, directory: &Path, options: &DatabaseOptions) -> Result<graph::BackupSummary, Failure> {
        let failed = |source| Error::Open { path: directory.into(), source: Arc::new(source) };
        let store: Arc<dyn Store> = Arc::new(FjallStore::open(directory, options.store).map_err(failed)?);
        let summary = graph::restore(&self.from, self.number, &store).map_err(Error::from);
        match summary {
            Ok(summary) => {
                store.close().map_err(failed)?;
                Ok(summary)
            }
            Err(error) => {
                drop(store);
                fs::remove_dir_all(directory)?;
                Err(error.into())
            }
        }
    }
}
