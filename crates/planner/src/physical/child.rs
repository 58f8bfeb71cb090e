//! What a subquery sees of the traverser that enters it, and what becomes of its results.

/// What enters a subquery (TinkerPop: a child traversal), and what of the inside is kept outside.
///
/// A step says this once for each of its subqueries (`logical::Role::child`), and all else follows from it: what the binder
/// lets be seen of names, whether merged traversers may enter, and what a scope does at its ingress and egress.
///
/// ```text
///                 enters                     runs             a result has
/// Each            ⟨object, bulk 1, path⟩     once             bulk, names and path of what entered, and one more object
/// EachTimesBulk   ⟨object, bulk 1, path⟩     as bulk says     what it was given inside
/// Whole           ⟨object, bulk n, path⟩     once             what it was given inside
/// Fresh           ⟨another object, bulk 1⟩   once             bulk, names and path of what entered
/// Stream          all of them, bulk n        once             what it was given inside
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// One traverser: filters, `map`, `flatMap`, `coalesce`, `sideEffect`, `by`, arguments that are traversals.
    Each,
    /// One traverser at a time, as often as its bulk says: `local`.
    EachTimesBulk,
    /// One traverser with its bulk: `optional`.
    Whole,
    /// A new traverser of another object than the current one, without a past: `by` of what is selected.
    Fresh,
    /// The stream: `union`, options of `choose`, the body of `repeat`, the values of `group`.
    Stream,
}

impl Child {
    /// Whether what enters stands for one traverser, whatever its bulk is outside.
    pub fn enters_alone(self) -> bool {
        matches!(self, Self::Each | Self::EachTimesBulk | Self::Fresh)
    }

    /// Whether results keep the names and the path that they were given inside.
    pub fn keeps_inside(self) -> bool {
        matches!(self, Self::EachTimesBulk | Self::Whole | Self::Stream)
    }

    /// Whether the bulk of a result inside says how many there are of it outside. Otherwise each counts as often as what
    /// entered.
    pub fn keeps_bulk(self) -> bool {
        matches!(self, Self::Whole | Self::Stream)
    }
}
