//! What transactions leave for whoever comes after them, by names: bytes that are none of the graph's own.
//!
//! ```text
//! name      frame ( bytes )          keyspace "notes", which is made with the first note
//! ```
//!
//! A note is written in the same batch as the record of the commit that it belongs to, so the two are durable together or not at
//! all, and neither replay nor checkpoints know of notes. An older version leaves them where they are.

use std::sync::{Arc, OnceLock};

use store::{KeyRange, KeyspaceShape, Store, WriteBatch};

use super::view::View;
use crate::bytes::{open_frame, seal_frame};
use crate::error::{GraphError, Result};

/// The name of their keyspace.
const KEYSPACE: &str = "notes";

/// A note that a commit leaves under a name, or that it takes away.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) name: String,
    pub(crate) content: Option<Vec<u8>>,
}

impl Note {
    /// Bytes that it takes in a batch, at most.
    pub(crate) fn bytes(&self) -> usize {
        64 + self.name.len() + self.content.as_ref().map_or(0, Vec::len)
    }
}

/// The keyspace of the notes.
pub(crate) struct Notes {
    store: Arc<dyn Store>,
    view: OnceLock<View>,
}

impl Notes {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, view: OnceLock::new() }
    }

    fn open(&self) -> Result<&View> {
        if let Some(view) = self.view.get() {
            return Ok(view);
        }
        let view = View::open(Arc::clone(&self.store), KEYSPACE, KeyspaceShape::Small)?;
        Ok(self.view.get_or_init(|| view))
    }

    /// The keyspace if there is one. To ask makes none.
    fn there(&self) -> Result<Option<&View>> {
        let is_there =
            self.view.get().is_some() || self.store.keyspace_names().iter().any(|name| name == KEYSPACE);
        if is_there { self.open().map(Some) } else { Ok(None) }
    }

    /// Adds notes to a batch that somebody is about to write.
    pub(super) fn write(&self, notes: &[Note], batch: &mut WriteBatch) -> Result<()> {
        for Note { name, content } in notes {
            let keyspace = &self.open()?.keyspace;
            match content {
                Some(content) => {
                    batch.put(
                        keyspace,
                        name.as_bytes(),
                        seal_frame(|output| output.bytes.extend_from_slice(content)),
                    );
                }
                None => batch.delete(keyspace, name.as_bytes()),
            }
        }
        Ok(())
    }

    /// What is noted under a name.
    pub(crate) fn get(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(view) = self.there()? else { return Ok(None) };
        view.get(name.as_bytes())?.map(|bytes| content(name.as_bytes(), &bytes)).transpose()
    }

    /// Hands out the notes whose names begin so, in the order of their names.
    pub(crate) fn each(
        &self,
        prefix: &str,
        mut visit: impl FnMut(&str, Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let Some(view) = self.there()? else { return Ok(()) };
        view.scan(KeyRange::prefix(prefix.as_bytes()), |key, bytes| {
            let name =
                std::str::from_utf8(&key).map_err(|_| GraphError::corrupt("note", "its name is no text"))?;
            visit(name, content(&key, &bytes)?)?;
            Ok(true)
        })
    }
}

fn content(name: &[u8], bytes: &[u8]) -> Result<Vec<u8>> {
    let opened = open_frame(bytes).map(<[u8]>::to_vec);
    opened.map_err(|malformed| GraphError::corrupt(format!("note {}", name.escape_ascii()), malformed.0))
}
