//! The files of one import or export, and how far that is.

use std::{
    fs,
    io::{Read, Seek, SeekFrom, Write},
    path::{Component, Path, PathBuf},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use server::Holder;
use uuid::Uuid;

use crate::database::Inner;

/// Characters of a name, and folders in it.
const LONGEST: usize = 255;
const DEEPEST: usize = 8;

/// Files of one transfer: each that is read takes memory.
const MOST_FILES: usize = 1_000;

/// How often what the work writes is counted.
const COUNTED: Duration = Duration::from_millis(500);

/// How long the work goes on for a client that does not ask how far it is.
const PATIENCE: Duration = Duration::from_secs(60);

/// See the module.
#[derive(Debug)]
pub(crate) struct Transfer {
    id: Uuid,
    /// The graph, and on whose account.
    graph: Weak<Inner>,
    holder: Option<Holder>,
    directory: PathBuf,
    begun: Instant,
    /// Bytes that all transfers may have.
    most: u64,
    /// When what the work writes was counted last.
    counted: Mutex<Instant>,
    /// Bytes of all transfers, and of this one.
    all_bytes: Arc<AtomicU64>,
    bytes: AtomicU64,
    /// When its client has asked for it last.
    touched: Mutex<Instant>,
    stop: Arc<AtomicBool>,
    stage: Mutex<Stage>,
}

/// How far it is.
#[derive(Clone, Debug, Default)]
pub(crate) enum Stage {
    /// Files come in.
    #[default]
    Filling,
    /// Something is done with them.
    Working(Work),
    /// It is done; what there is to say of it.
    Done(String),
    /// It failed.
    Failed(String),
}

/// How far work is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Work {
    /// What is done, in a word.
    pub(crate) doing: &'static str,
    /// Units done, and in all.
    pub(crate) done: u64,
    pub(crate) total: u64,
    /// Rows so far.
    pub(crate) rows: u64,
}

impl Transfer {
    pub(super) fn new(
        id: Uuid,
        (graph, holder): (Weak<Inner>, Option<Holder>),
        directory: PathBuf,
        (all_bytes, most): (Arc<AtomicU64>, u64),
    ) -> Self {
        Self {
            id,
            graph,
            holder,
            directory,
            begun: Instant::now(),
            most,
            counted: Mutex::new(Instant::now()),
            all_bytes,
            bytes: AtomicU64::new(0),
            touched: Mutex::new(Instant::now()),
            stop: Arc::default(),
            stage: Mutex::default(),
        }
    }

    pub(crate) fn id(&self) -> Uuid {
        self.id
    }

    /// Whether it is between its client and this graph.
    pub(super) fn is_with(&self, graph: &Weak<Inner>) -> bool {
        Weak::ptr_eq(&self.graph, graph)
    }

    /// How long ago it was begun.
    pub(crate) fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    pub(crate) fn holder(&self) -> &Option<Holder> {
        &self.holder
    }

    /// Where its files are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn touch(&self) {
        *self.touched.lock() = Instant::now();
    }

    /// Whether somebody asked for it lately, or it is at work.
    pub(super) fn is_wanted(&self, patience: Duration) -> bool {
        self.touched.lock().elapsed() < patience || matches!(*self.stage.lock(), Stage::Working(_))
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// What is set when its work is to stop.
    pub(crate) fn stopping(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    pub(crate) fn stage(&self) -> Stage {
        self.stage.lock().clone()
    }

    /// Puts bytes at the end of a file, which must be `offset` bytes long; how long it is then.
    ///
    /// # Errors
    /// Why not, in words.
    pub(crate) fn append(&self, name: &str, offset: u64, bytes: &[u8]) -> Result<u64, String> {
        let path = self.path_of(name)?;
        let stage = self.stage.lock();
        if !matches!(*stage, Stage::Filling) {
            return Err("its files are taken already, and do not change any more".into());
        }
        let failed = |error: std::io::Error| format!("{name}: {error}");
        let is_new = !path.exists();
        // What is made is counted: so nothing is, but by the first piece of a file.
        if is_new && offset > 0 {
            return Err(format!("{name} has 0 bytes, and these were to follow {offset}"));
        }
        if is_new && self.files()?.len() >= MOST_FILES {
            return Err(format!(
                "these are more than {MOST_FILES} files; put them together, or pack them less finely"
            ));
        }
        if let Some(folder) = path.parent().filter(|_| is_new) {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut file = fs::File::options().append(true).create(is_new).open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length != offset {
            return Err(format!("{name} has {length} bytes, and these were to follow {offset}"));
        }
        if let Err(error) = file.write_all(bytes) {
            // It is as long as its client believes.
            let _ = file.set_len(length);
            return Err(failed(error));
        }
        self.count(bytes.len() as u64);
        // Until here nobody takes files in the midst of a piece.
        drop(stage);
        Ok(length + bytes.len() as u64)
    }

    /// At most `most` bytes of a file from `offset` on; none at its end.
    ///
    /// # Errors
    /// Why not, in words.
    pub(crate) fn read(&self, name: &str, offset: u64, most: u64) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("{name}: {error}");
        let mut file = fs::File::open(self.path_of(name)?).map_err(failed)?;
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(most).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Its files, with how many bytes they have.
    ///
    /// # Errors
    /// In words.
    pub(crate) fn files(&self) -> Result<Vec<(String, u64)>, String> {
        let (mut files, mut folders) = (Vec::new(), vec![self.directory.clone()]);
        while let Some(folder) = folders.pop() {
            let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                let known = fs::symlink_metadata(&path).map_err(failed)?;
                if known.is_dir() {
                    folders.push(path);
                } else if let Ok(name) = path.strip_prefix(&self.directory) {
                    files.push((name.display().to_string(), known.len()));
                }
            }
        }
        files.sort();
        Ok(files)
    }

    /// Does something with the files on a thread of its own: once.
    ///
    /// # Errors
    /// Why not, in words.
    pub(crate) fn work(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<String, String> + Send + 'static,
    ) -> Result<(), String> {
        let mut stage = self.stage.lock();
        if !matches!(*stage, Stage::Filling) {
            return Err("something was done with its files already; send them anew".into());
        }
        *stage = Stage::Working(Work::default());
        drop(stage);
        let own = self.clone();
        let begun = thread::Builder::new().name("transfer".into()).spawn(move || {
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&own)));
            let done = done.unwrap_or_else(|_| Err("the server has made a mistake; see its log".into()));
            own.recount();
            *own.stage.lock() = match done {
                Ok(said) => Stage::Done(own.without_directory(&said)),
                Err(problem) => Stage::Failed(own.without_directory(&problem)),
            };
        });
        begun.map(drop).map_err(|error| {
            // Otherwise it would seem to be at work for ever, and be kept.
            *self.stage.lock() = Stage::Failed(error.to_string());
            error.to_string()
        })
    }

    /// Notes how far the work is. It is to stop if nobody asks for that any more.
    pub(crate) fn note(&self, work: Work) {
        if self.touched.lock().elapsed() > PATIENCE {
            self.stop();
        }
        let mut counted = self.counted.lock();
        if counted.elapsed() > COUNTED {
            self.recount();
            *counted = Instant::now();
        }
        *self.stage.lock() = Stage::Working(work);
    }

    /// Whether all transfers together have more bytes than they may.
    pub(crate) fn is_too_much(&self) -> bool {
        self.all_bytes.load(Ordering::Relaxed) > self.most
    }

    fn count(&self, more: u64) {
        self.bytes.fetch_add(more, Ordering::Relaxed);
        self.all_bytes.fetch_add(more, Ordering::Relaxed);
    }

    /// Counts what the work has written.
    pub(crate) fn recount(&self) {
        let now = self.files().map_or(0, |files| files.iter().map(|(_, bytes)| bytes).sum::<u64>());
        self.count(now.saturating_sub(self.bytes.load(Ordering::Relaxed)));
    }

    /// A message as its client understands it, who knows his files and not where they wait.
    fn without_directory(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.directory.display()), "")
    }

    fn path_of(&self, name: &str) -> Result<PathBuf, String> {
        file_name(name).map(|name| self.directory.join(name))
    }
}

/// A name of a file within a transfer, which leads nowhere else.
///
/// # Errors
/// If it is none, in words.
pub(crate) fn file_name(name: &str) -> Result<&Path, String> {
    let path = Path::new(name);
    let parts = name.split('/').count();
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    // As `components` reads it, which leaves some out.
    let is_whole = path.components().count() == parts;
    let has_other = name.contains(['\\', '\0']);
    if is_plain && is_whole && !has_other && !name.is_empty() && name.len() <= LONGEST && parts <= DEEPEST {
        return Ok(path);
    }
    Err(format!(
        "{:?} is no name of a file in a transfer: it is relative, goes nowhere up, and has at most {LONGEST} bytes",
        values::excerpt(name)
    ))
}

impl Drop for Transfer {
    fn drop(&mut self) {
        self.all_bytes.fetch_sub(self.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Err(error) = fs::remove_dir_all(&self.directory) {
            tracing::warn!(directory = %self.directory.display(), %error, "files of a transfer were not removed");
        }
    }
}
