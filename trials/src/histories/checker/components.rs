//! Strongly connected components, after Tarjan: what lies on a common cycle.

use super::dependencies::{Graph, Reasons};

/// Not visited yet.
const NEW: u32 = u32::MAX;

/// The components with more than one node among `nodes`, along edges for one of the `reasons` that lead to nodes of which
/// `inside` is true.
pub(crate) fn components(
    graph: &Graph,
    nodes: impl IntoIterator<Item = u32>,
    reasons: Reasons,
    inside: impl Fn(u32) -> bool,
) -> Vec<Vec<u32>> {
    let mut search = Search {
        index: vec![NEW; graph.nodes()],
        low: vec![0; graph.nodes()],
        on_stack: vec![false; graph.nodes()],
        stack: Vec::new(),
        next: 0,
        found: Vec::new(),
    };
    for node in nodes {
        if search.index[node as usize] == NEW {
            search.visit(graph, node, reasons, &inside);
        }
    }
    search.found
}

struct Search {
    /// When a node was first seen.
    index: Vec<u32>,
    /// The earliest node on the stack that can be reached from it.
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next: u32,
    found: Vec<Vec<u32>>,
}

impl Search {
    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.on_stack[node as usize] = true;
        self.stack.push(node);
    }

    /// Visits all that can be reached. The way is a list and no recursion: it may be as long as the history.
    fn visit(&mut self, graph: &Graph, root: u32, reasons: Reasons, inside: &impl Fn(u32) -> bool) {
        self.enter(root);
        let mut way = vec![(root, 0)];
        while let Some((node, edge)) = way.last_mut() {
            let node = *node;
            let Some(next) = graph.edges(node).get(*edge) else {
                way.pop();
                self.leave(node, way.last().map(|(parent, _)| *parent));
                continue;
            };
            *edge += 1;
            if !reasons.have(next.why) || !inside(next.to) {
                continue;
            }
            if self.index[next.to as usize] == NEW {
                self.enter(next.to);
                way.push((next.to, 0));
            } else if self.on_stack[next.to as usize] {
                self.reaches(node, self.index[next.to as usize]);
            }
        }
    }

    fn reaches(&mut self, node: u32, index: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(index);
    }

    /// All that `node` reaches has been seen.
    fn leave(&mut self, node: u32, parent: Option<u32>) {
        let low = self.low[node as usize];
        if low == self.index[node as usize] {
            let first = self.stack.iter().rposition(|other| *other == node).unwrap_or(0);
            let component = self.stack.split_off(first);
            component.iter().for_each(|member| self.on_stack[*member as usize] = false);
            if component.len() > 1 {
                self.found.push(component);
            }
        }
        if let Some(parent) = parent {
            self.reaches(parent, low);
        }
    }
}
