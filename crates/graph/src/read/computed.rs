//! Properties that a query has computed (the rank of each vertex, say), laid over what is stored: who reads with it finds them
//! under their keys, as if they had been written, and nobody else does.

use std::sync::{Arc, OnceLock};

use values::VertexRef;

use crate::error::Result;
use crate::model::{KeyId, NameSpace, NewNames, ValueRef};

/// One value for each vertex.
pub trait VertexValues: Send + Sync {
    /// The value of a vertex; `None` if it has none, and what is stored is read instead.
    fn get(&self, v: VertexRef) -> Option<ValueRef<'_>>;
}

/// The properties that a query computes. Each is laid over the stored one of that name from the moment on when it is there.
///
/// ```text
/// columns   key   values
///           17    not yet
///           18    ● ──▶ one for each vertex
/// ```
pub struct Computed {
    /// Reserved as long as somebody reads with it: the graph may not know them.
    pub(super) names: Arc<NewNames>,
    columns: Box<[Column]>,
}

struct Column {
    key: KeyId,
    values: OnceLock<Box<dyn VertexValues>>,
}

impl Computed {
    /// Properties of these names, none of which is there yet.
    ///
    /// # Errors
    /// If one of them cannot be a key's name, or there are too many names.
    pub(crate) fn new<'n>(names: Arc<NewNames>, keys: impl Iterator<Item = &'n str>) -> Result<Arc<Self>> {
        let column = |name| {
            let (key, _) = names.intern(NameSpace::Key, name)?;
            Ok(Column { key: KeyId(key), values: OnceLock::new() })
        };
        let columns = keys.map(column).collect::<Result<_>>()?;
        Ok(Arc::new(Self { names, columns }))
    }

    /// Puts a property in place, once: the first that is given stays.
    pub fn set(&self, column: usize, values: Box<dyn VertexValues>) {
        if let Some(column) = self.columns.get(column) {
            let _ = column.values.set(values);
        }
    }

    /// The first of its keys from one on.
    pub(super) fn next_key(&self, from: KeyId) -> Option<KeyId> {
        self.columns.iter().map(|column| column.key).filter(|key| *key >= from).min()
    }

    /// What was computed last for a vertex under a key.
    pub(super) fn get(&self, v: VertexRef, key: KeyId) -> Option<ValueRef<'_>> {
        let under_key = self.columns.iter().rev().filter(|column| column.key == key);
        under_key.filter_map(|column| column.values.get()).find_map(|values| values.get(v))
    }
}

impl std::fmt::Debug for Computed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.columns.iter().map(|column| column.key)).finish()
    }
}
