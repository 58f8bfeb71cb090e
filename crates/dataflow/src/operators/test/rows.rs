//! Which rows of a batch are left while it is tested.

/// Rows, ascending.
#[derive(Debug)]
pub(in crate::operators) enum Rows {
    /// So many, from the first on: nothing was tested yet.
    All(usize),
    /// These.
    Some(Vec<u32>),
}

impl Rows {
    /// How many are left.
    pub(in crate::operators) fn len(&self) -> usize {
        match self {
            Self::All(len) => *len,
            Self::Some(rows) => rows.len(),
        }
    }

    /// Those that are left.
    pub(in crate::operators) fn iter(&self) -> impl Iterator<Item = u32> {
        let (all, some) = match self {
            Self::All(len) => (0..*len as u32, &[][..]),
            Self::Some(rows) => (0..0, &rows[..]),
        };
        all.chain(some.iter().copied())
    }

    /// Keeps the rows for which `keep` holds.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        match self {
            Self::All(len) => *self = Self::Some((0..*len as u32).filter(|row| keep(*row)).collect()),
            Self::Some(rows) => rows.retain(|row| keep(*row)),
        }
    }

    /// Those that are left, written out.
    pub(in crate::operators) fn into_vec(self) -> Vec<u32> {
        match self {
            Self::All(len) => (0..len as u32).collect(),
            Self::Some(rows) => rows,
        }
    }
}
