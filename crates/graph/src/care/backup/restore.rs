//! From the files of a backup to a store.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use store::{Bytes, Durability, Store, StoreError, WriteBatch};

use super::chain::{Chain, Held};
use super::{BackupSummary, failed, file_at, shape_of};
use crate::error::{GraphError, Result};

/// The keyspace of the root, without which there is no graph: it is written last.
const ROOT: &str = "meta";

/// Fills an empty store with what the backups in `from` hold, up to the one numbered `number` (the last, if none is
/// given). Until this has succeeded the store holds no graph.
///
/// # Errors
/// [`GraphError::Backup`] if there is no backup, a file is not the one written, or the store is not empty; a failure of
/// the store.
pub fn restore(from: impl AsRef<Path>, number: Option<u32>, store: &Arc<dyn Store>) -> Result<BackupSummary> {
    let from = from.as_ref();
    if !store.keyspace_names().is_empty() {
        return Err(failed(from, "it can be restored into an empty directory only"));
    }
    let chain = Chain::read(from, number)?;
    if chain.last == 0 {
        return Err(failed(from, "there is no backup"));
    }
    let mut files = Files { directory: from, open: Vec::new() };
    let mut summary = BackupSummary { number: chain.last, ..BackupSummary::default() };
    let root = chain.names.iter().position(|name| name == ROOT);
    let others = (0..chain.names.len()).filter(|place| Some(*place) != root);
    for place in others.chain(root) {
        restore_keyspace(&chain, place as u8, &mut files, store, &mut summary)?;
    }
    store.sync().map_err(Arc::new)?;
    Ok(summary)
}

fn restore_keyspace(
    chain: &Chain,
    place: u8,
    files: &mut Files<'_>,
    store: &Arc<dyn Store>,
    summary: &mut BackupSummary,
) -> Result<()> {
    let name = &chain.names[usize::from(place)];
    let keyspace = store.keyspace(name, shape_of(name)).map_err(Arc::new)?;
    let within = (place, Vec::new())..=(place, vec![u8::MAX; store::MAX_KEY_BYTES]);
    let mut held = chain.held.range(within);
    if name == ROOT {
        // All of it together, or nothing.
        let mut batch = WriteBatch::new();
        for ((_, key), held) in held {
            batch.put(&keyspace, key.as_slice(), files.value(held)?);
            summary.count(key, batch.bytes());
        }
        return Ok(store.write_batch(batch, Durability::Sync).map_err(Arc::new)?);
    }
    // The store passes on its own errors only, so ours waits here.
    let mut unread = None;
    let mut pairs = std::iter::from_fn(|| {
        let ((_, key), held) = held.next()?;
        match files.value(held) {
            Ok(value) => {
                summary.count(key, value.len());
                Some(Ok((Bytes::from(key.as_slice()), Bytes::from(value))))
            }
            Err(error) => {
                unread = Some(error);
                Some(Err(StoreError::Closed))
            }
        }
    });
    let ingested = store.ingest(&keyspace, &mut pairs);
    match unread {
        Some(error) => Err(error),
        None => Ok(ingested.map(drop).map_err(Arc::new)?),
    }
}

impl BackupSummary {
    fn count(&mut self, key: &[u8], value: usize) {
        self.pairs += 1;
        self.written += 1;
        self.bytes += (key.len() + value) as u64;
    }
}

/// How many files of a chain are open at a time.
const OPEN_FILES: usize = 64;

/// The files of a chain, the last used of them open for reading values.
struct Files<'a> {
    directory: &'a Path,
    /// With their numbers, the last used one first.
    open: Vec<(u32, File)>,
}

impl Files<'_> {
    fn value(&mut self, held: &Held) -> Result<Vec<u8>, GraphError> {
        let path = file_at(self.directory, held.file);
        match self.open.iter().position(|(number, _)| *number == held.file) {
            Some(place) => self.open[..=place].rotate_right(1),
            None => {
                self.open.truncate(OPEN_FILES - 1);
                let file = File::open(&path).map_err(|error| failed(&path, error))?;
                self.open.insert(0, (held.file, file));
            }
        }
        held.place.value(&self.open[0].1, &path)
    }
}
