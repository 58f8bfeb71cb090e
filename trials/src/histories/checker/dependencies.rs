//! The graph of dependencies: who comes before whom, and why.
//!
//! Beside a node for every transaction there are *relays*, which stand for "everybody from here on" where an edge to each
//! of them would be too many: a chain of relays along time leads to all that were sent later. Relays lead to later
//! relays and to transactions only, so no cycle is made of relays alone.

/// Why one transaction comes before another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Why {
    /// It wrote the version before.
    WriteWrite = 1,
    /// The other saw what it wrote.
    WriteRead = 2,
    /// It saw the version before.
    ReadWrite = 4,
    /// A predicate of its did not find what the other wrote.
    PredicateReadWrite = 8,
    /// It was over before the other was sent.
    RealTime = 16,
    /// The way goes on behind a relay, for the reason that led there.
    Onward = 32,
}

/// A set of reasons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reasons(u8);

impl Reasons {
    /// Behind relays the way always goes on.
    pub const WW: Self = Self(Why::WriteWrite as u8 | Why::Onward as u8);
    pub const WR: Self = Self(Why::WriteRead as u8);
    pub const RW: Self = Self(Why::ReadWrite as u8 | Why::PredicateReadWrite as u8);
    pub const REAL_TIME: Self = Self(Why::RealTime as u8);

    /// All of either.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a reason is among them.
    pub fn have(self, why: Why) -> bool {
        self.0 & why as u8 != 0
    }
}

/// An edge, seen from where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub to: u32,
    /// The object that it is about; none of real time.
    pub object: Option<u32>,
    pub why: Why,
}

/// Dependencies as they are found.
pub(crate) struct Dependencies {
    transactions: usize,
    nodes: usize,
    edges: Vec<(u32, Edge)>,
}

impl Dependencies {
    /// None among so many transactions.
    pub fn new(transactions: usize) -> Self {
        Self { transactions, nodes: transactions, edges: Vec::new() }
    }

    /// A new relay.
    pub fn relay(&mut self) -> usize {
        self.nodes += 1;
        self.nodes - 1
    }

    /// Notes that `from` comes before `to`. That nobody comes before itself goes without saying.
    pub fn add(&mut self, from: usize, to: usize, why: Why, object: impl Into<Option<u32>>) {
        if from != to {
            self.edges.push((from as u32, Edge { to: to as u32, object: object.into(), why }));
        }
    }

    /// The graph, for searching.
    pub fn into_graph(self) -> Graph {
        let mut starts = vec![0_u32; self.nodes + 1];
        for (from, _) in &self.edges {
            starts[*from as usize + 1] += 1;
        }
        for node in 0..self.nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut edges = vec![Edge { to: 0, object: None, why: Why::Onward }; self.edges.len()];
        for (from, edge) in self.edges {
            let place = &mut next[from as usize];
            edges[*place as usize] = edge;
            *place += 1;
        }
        Graph { transactions: self.transactions, starts, edges }
    }
}

/// All dependencies, by where they begin.
pub(crate) struct Graph {
    transactions: usize,
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Graph {
    /// Number of nodes, relays among them.
    pub fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether a node is a transaction.
    pub fn is_transaction(&self, node: u32) -> bool {
        (node as usize) < self.transactions
    }

    /// The edges that begin at a node.
    pub fn edges(&self, node: u32) -> &[Edge] {
        let node = node as usize;
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
