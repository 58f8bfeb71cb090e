//! The last element of a scope tag (Banyan, section 3.1).

use std::cmp::Ordering;

use planner::physical::InterPolicy;

/// Where a traverser is in the innermost scope around it. The elements before the last are where it stands: an instance lives inside
/// an operator of the instance around it, so nobody has to look them up.
///
/// ```text
/// instance    those of a scope are numbered as they are opened; those of a loop by their iteration
///   row       of a batch of several traversers that one instance covers: which of them it is about, if it takes them one by one;
///             where it takes them together, the batch's column of tags says so of each
///   loops     iterations of the innermost loop that it has completed: what `loops()` says
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScopeTag {
    /// The instance of its scope.
    pub instance: u64,
    /// The row of the scope's input, where the instance is about one of several.
    pub row: u32,
    /// Iterations completed in the innermost enclosing loop.
    pub loops: i64,
}

impl ScopeTag {
    /// Of a whole instance inside this place.
    pub(crate) fn within(self, instance: u64) -> Self {
        Self { instance, row: 0, loops: self.loops }
    }

    /// Of an iteration, from 1, of a loop.
    pub(crate) fn iteration(number: u64) -> Self {
        Self { instance: number, row: 0, loops: number as i64 - 1 }
    }

    /// The iteration after this one.
    pub(crate) fn next_iteration(self) -> Self {
        Self::iteration(self.instance + 1)
    }

    /// Of a row of the instance.
    pub(crate) fn of_row(self, row: u32) -> Self {
        Self { row, ..self }
    }

    /// Of what comes after the body of a loop in the same iteration.
    pub(crate) fn after_body(self) -> Self {
        Self { loops: self.loops + 1, ..self }
    }

    /// Which of two instances of one scope goes first by a policy: the paper's comparator. From both ends, whoever compares knows
    /// which end has its turn.
    pub(crate) fn compare(self, other: Self, policy: InterPolicy) -> Ordering {
        let first_opened =
            (self.loops, self.instance, self.row).cmp(&(other.loops, other.instance, other.row));
        match policy {
            InterPolicy::BreadthFirst | InterPolicy::BothEnds => first_opened,
            InterPolicy::DepthFirst => first_opened.reverse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breadth_first_is_the_order_of_opening_and_depth_first_the_reverse() {
        let outer = ScopeTag::iteration(3);
        assert_eq!((outer.loops, outer.after_body().loops, outer.next_iteration().instance), (2, 3, 4));
        let (older, newer) = (outer.within(7), outer.within(8));
        assert_eq!(older.compare(newer, InterPolicy::BreadthFirst), Ordering::Less);
        assert_eq!(older.compare(newer, InterPolicy::DepthFirst), Ordering::Greater);
        assert_eq!(older.of_row(1).compare(older, InterPolicy::BreadthFirst), Ordering::Greater);
    }
}
