//! What is recorded of where traversers have been.

/// How much of its path a traverser keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum History {
    /// Nothing: nobody asks for it.
    #[default]
    None,
    /// Its path, of which only what has a name tells it apart from others where equal ones are merged, since nobody asks for the rest.
    Named,
    /// Its path, all of which tells it apart.
    Whole,
}

impl History {
    /// Whether paths are recorded.
    pub fn is_kept(self) -> bool {
        self != Self::None
    }

    /// Keeps at least so much.
    pub(crate) fn keep(&mut self, wanted: Self) {
        *self = wanted.max(*self);
    }
}
