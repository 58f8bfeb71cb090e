//! What a query would need if nothing stopped it.
//!
//! Each generator knows the graph and what it made, so it can say how many traversers there would be, how large a value, how
//! many names. These are lower bounds, for an engine that merges equal traversers, keeps what is shared once, and is faster
//! than any there is. A query *passes* a bound if even so it needs more than the bound allows. The run holds this model to
//! account: a query that is said to pass a bound must not be answered in full ([`overrated`](super::report)).

/// Traversers that an engine handles in a second, on all cores of the machine.
const ROWS_PER_SECOND: f64 = 4e8;
/// Results that it sends in a second.
const RESULTS_PER_SECOND: f64 = 4e7;
/// Bytes that a function of text, a comparison or a socket passes in a second.
const BYTES_PER_SECOND: f64 = 1e10;

/// What a query needs, at least.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Needs {
    /// Time.
    pub seconds: f64,
    /// Bytes that are held at the same time.
    pub bytes: f64,
    /// Bytes of the largest value that must be looked at in full, each part as often as it occurs.
    pub value: f64,
    /// Levels of nesting, of the traversal or of the message.
    pub depth: f64,
    /// Names of labels, keys, steps and side-effects in the traversal.
    pub names: f64,
    /// Bytes of the request.
    pub request: f64,
    /// Changes of the graph.
    pub writes: f64,
}

impl Needs {
    /// It never ends.
    pub fn endless(mut self) -> Self {
        self.seconds = f64::INFINITY;
        self
    }

    /// Handles so many traversers.
    pub fn rows(mut self, rows: f64) -> Self {
        self.seconds += rows / ROWS_PER_SECOND;
        self
    }

    /// Sends so many results.
    pub fn results(mut self, results: f64) -> Self {
        self.seconds += results / RESULTS_PER_SECOND;
        self
    }

    /// Holds so many bytes.
    pub fn holds(mut self, bytes: f64) -> Self {
        self.bytes = self.bytes.max(bytes);
        self
    }

    /// Looks at a value of so many bytes, of which not all need be held.
    pub fn value(mut self, bytes: f64) -> Self {
        self.value = self.value.max(bytes);
        self.seconds += bytes / BYTES_PER_SECOND;
        self
    }

    /// Passes so many bytes through a function.
    pub fn work(mut self, bytes: f64) -> Self {
        self.seconds += bytes / BYTES_PER_SECOND;
        self
    }

    /// Is nested so deep.
    pub fn depth(mut self, levels: f64) -> Self {
        self.depth = self.depth.max(levels);
        self
    }

    /// Has so many names.
    pub fn names(mut self, names: f64) -> Self {
        self.names = self.names.max(names);
        self
    }

    /// Changes the graph so often.
    pub fn writes(mut self, writes: f64) -> Self {
        self.writes = self.writes.max(writes);
        self
    }

    /// The bound that it passes, if it passes one.
    pub fn passes(&self, bounds: &Bounds) -> Option<&'static str> {
        let Bounds { seconds, memory, depth, names, request, writes } = *bounds;
        [
            ("time", self.seconds, seconds),
            ("memory", self.bytes, memory),
            ("size of values", self.value, memory),
            ("depth", self.depth, depth),
            ("names", self.names, names),
            ("size of requests", self.request, request),
            ("writes", self.writes, writes),
        ]
        .into_iter()
        .find_map(|(name, needed, bound)| (needed > bound).then_some(name))
    }
}

/// The bounds of a server, and of a query's deadline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Of time.
    pub seconds: f64,
    /// Of bytes, for one query.
    pub memory: f64,
    /// Of nesting: the deepest of those that Mangrove documents.
    pub depth: f64,
    /// Of names in one traversal.
    pub names: f64,
    /// Of the bytes of a request.
    pub request: f64,
    /// Of the changes in one transaction.
    pub writes: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds =
        Bounds { seconds: 0.3, memory: 1e6, depth: 64.0, names: 1e3, request: 1e6, writes: 1e5 };

    #[test]
    fn a_need_beyond_its_bound_passes_it_and_one_within_does_not() {
        assert_eq!(Needs::default().rows(1e6).holds(1e5).passes(&BOUNDS), None);
        assert_eq!(Needs::default().endless().passes(&BOUNDS), Some("time"));
        assert_eq!(Needs::default().rows(1e12).passes(&BOUNDS), Some("time"));
        assert_eq!(Needs::default().holds(2e6).passes(&BOUNDS), Some("memory"));
        assert_eq!(Needs::default().value(2e6).passes(&BOUNDS), Some("size of values"));
        assert_eq!(Needs::default().depth(65.0).passes(&BOUNDS), Some("depth"));
    }
}
