//! `mangrove backup` and `mangrove restore`.

use std::{
    fs::{self, File},
    io,
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

use super::{Failure, check, print_all, reached::Reached};
use crate::{
    far::{Client, Far},
    output::say,
};

/// The arguments of `mangrove backup`.
#[derive(Args, Debug)]
pub struct Backup {
    /// The directory of the backups; in one that holds some, only what has changed since is written. A server writes into the one that
    /// its configuration has for backups
    to: Option<PathBuf>,
}

impl Backup {
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        let database = match Reached::of(config, far)? {
            Reached::Near(database) => database,
            Reached::Far(client) => return self.ask(*client),
        };
        let Some(to) = self.to else {
            return Err(Failure::Usage("name the directory of the backups: mangrove backup DIR".into()));
        };
        let summary = database.graph().backup(&to).map_err(Error::from)?;
        database.close()?;
        say(summary)?;
        Ok(())
    }
}

impl Backup {
    /// Has a server write one, while it goes on.
    fn ask(self, mut client: Client) -> Result<(), Failure> {
        if let Some(to) = self.to {
            return Err(Failure::Usage(format!(
                "{} writes backups into the directory that `backups` in its configuration names, and not into {}; leave that out",
                client.called(),
                to.display()
            )));
        }
        print_all(client.ask("g.with('evaluationTimeout', 0L).call('mangrove.backup')", &[])?)
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
    /// Restores where nobody looks for a graph, checks what was restored, and only then gives it its place.
    pub(super) fn run(self, config: &Config) -> Result<(), Failure> {
        let hosted = config.default_graph();
        if hosted.is_memory() {
            return Err(Failure::Usage("name the directory to restore into with --data DIR".into()));
        }
        let stage = Stage::new(&hosted.path)?;
        let options = DatabaseOptions::from(&config.engine);
        let summary = self.fill(&stage.at, &options)?;
        let findings = check::find(&stage.at, options)?;
        if !findings.is_empty() {
            findings.iter().try_for_each(say)?;
            return Err(Failure::Damaged { path: stage.at, count: findings.len() });
        }
        stage.move_into_place()?;
        say(format_args!("restored {summary}, and checked it"))?;
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

/// The file of a store without which its directory is not opened.
const LAST_TO_MOVE: &str = "MANGROVE";

/// Where a graph is restored before it has its place.
///
/// ```text
/// DIR is not there        DIR.restoring ─── renamed ───▶ DIR
/// DIR is there, empty     DIR/restoring/* ─── renamed ───▶ DIR/*       it may be a volume, whose name cannot be given away
/// ```
struct Stage {
    at: PathBuf,
    to: PathBuf,
    is_within: bool,
}

impl Stage {
    fn new(to: &Path) -> Result<Self, Failure> {
        // Without a slash at its end, which would put what is beside it into it.
        let to: PathBuf = to.components().collect();
        let is_within = to.try_exists()?;
        if is_within && fs::read_dir(&to)?.next().is_some() {
            let to = to.display();
            let text = format!("{to} is not empty; restore into another directory with --data DIR");
            return Err(Failure::Usage(text));
        }
        let mut beside = to.clone().into_os_string();
        beside.push(".restoring");
        let at = if is_within { to.join("restoring") } else { beside.into() };
        if at.try_exists()? {
            let at = at.display();
            let text = format!("{at} is there, perhaps from a restore that was interrupted; remove it first");
            return Err(Failure::Usage(text));
        }
        Ok(Self { at, to, is_within })
    }

    fn move_into_place(&self) -> io::Result<()> {
        if self.is_within {
            self.move_up()?;
        } else {
            fs::rename(&self.at, &self.to)?;
        }
        let parent = self.to.parent().filter(|parent| !parent.as_os_str().is_empty());
        File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
    }

    fn move_up(&self) -> io::Result<()> {
        let mut names: Vec<_> =
            fs::read_dir(&self.at)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        names.sort_by_key(|name| name == LAST_TO_MOVE);
        for name in names {
            fs::rename(self.at.join(&name), self.to.join(&name))?;
        }
        fs::remove_dir(&self.at)?;
        File::open(&self.to)?.sync_all()
    }
}
