//! Elements among results as a picture.
//!
//! ```text
//! results ─▶ Picture ──┬─▶ dot      text that Graphviz lays out
//!  vertices, edges,    │
//!  paths, subgraphs,   └─▶ layout ─▶ svg      a picture by itself
//!  trees, in any list
//! profile, plan ────────▶ outline ─▶ svg, dot
//! ```

mod dot;
mod layout;
mod outline;
mod svg;

use std::collections::HashSet;

use indexmap::{IndexMap, IndexSet};
use values::{Edge, Map, MapKind, Path, Str, Value, Vertex};

pub(crate) use outline::Outline;

/// Most vertices of a picture: more than anybody can tell apart, and what is laid out within a second.
const MOST_NODES: usize = 1_500;
/// Most edges of a picture.
const MOST_ARCS: usize = 6_000;
/// Ids of what is left out that are remembered, of vertices and of edges.
const MOST_LEFT_OUT: usize = 1 << 20;

/// Vertices and edges that have been found among results.
#[derive(Debug, Default)]
pub(super) struct Picture {
    /// By id.
    nodes: IndexMap<Value, Node>,
    arcs: IndexSet<Arc>,
    /// The ids of edges among these.
    known: HashSet<Value>,
    /// The names of the nodes' labels.
    labels: IndexSet<Str>,
    /// The ids of vertices and of edges for which there was no room, each once.
    left_out: (HashSet<Value>, HashSet<Value>),
}

/// A vertex.
#[derive(Debug)]
struct Node {
    /// Which of the labels it has.
    label: usize,
    /// What is written on it.
    caption: String,
    /// What else there is to say of it, a line each.
    details: Vec<String>,
    /// Whether only edges have told of it, which know nothing but its label.
    is_end: bool,
}

/// An edge, or a step of a path from vertex to vertex.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Arc {
    /// The numbers of its ends among the nodes.
    from: usize,
    to: usize,
    /// Its id; none for a step.
    id: Option<Value>,
    /// Its label; empty for a step.
    label: Str,
    /// What else there is to say of it.
    details: Vec<String>,
}

impl Picture {
    /// Adds what elements there are in a value.
    pub(super) fn add(&mut self, value: &Value) {
        match value {
            Value::Vertex(vertex) => {
                self.vertex(vertex);
            }
            Value::Edge(edge) => self.edge(edge),
            Value::Path(path) => self.path(path),
            Value::List(list) => list.iter().for_each(|member| self.add(member)),
            Value::Set(set) => set.iter().for_each(|member| self.add(member)),
            Value::BulkSet(set) => set.iter().for_each(|(member, _)| self.add(member)),
            Value::Map(map) if map.kind() == MapKind::Tree => self.tree(map, None),
            Value::Map(map) => map.iter().for_each(|(key, value)| {
                self.add(key);
                self.add(value);
            }),
            Value::Entry(entry) => {
                self.add(&entry.0);
                self.add(&entry.1);
            }
            _ => {}
        }
    }

    /// Whether there is nothing to draw.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether there was no room for something.
    pub(super) fn has_left_out(&self) -> bool {
        self.left_out() > 0
    }

    /// For how much, in words.
    pub(super) fn left_out_in_words(&self) -> String {
        let (vertices, edges) = &self.left_out;
        let is_all = vertices.len() < MOST_LEFT_OUT && edges.len() < MOST_LEFT_OUT;
        format!("{}{}", if is_all { "" } else { "at least " }, self.left_out())
    }

    fn left_out(&self) -> usize {
        self.left_out.0.len() + self.left_out.1.len()
    }

    /// As text for Graphviz.
    pub(super) fn to_dot(&self) -> String {
        dot::of(self)
    }

    /// As SVG.
    pub(super) fn to_svg(&self) -> String {
        svg::of(self, &layout::place(self.nodes.len(), self.arcs.iter().map(|arc| (arc.from, arc.to))))
    }

    /// The number of a vertex; none if there is no room for it.
    fn vertex(&mut self, vertex: &Vertex) -> Option<usize> {
        let number = self.end(vertex)?;
        let node = &mut self.nodes[number];
        if node.is_end && !vertex.properties.is_empty() {
            let name = |key: &str| vertex.properties.iter().find(|property| property.key.as_str() == key);
            if let Some(property) = ["name", "title"].into_iter().find_map(name) {
                node.caption = property.value.to_string();
            }
            let detail = |(key, value): (&Str, &Value)| format!("{key}: {value}");
            node.details = vertex.properties.iter().map(|it| detail((&it.key, &it.value))).collect();
        }
        node.is_end = false;
        Some(number)
    }

    fn end(&mut self, vertex: &Vertex) -> Option<usize> {
        if let Some(number) = self.nodes.get_index_of(&vertex.id) {
            return Some(number);
        }
        if self.nodes.len() >= MOST_NODES {
            leave_out(&mut self.left_out.0, &vertex.id);
            return None;
        }
        let (label, _) = self.labels.insert_full(vertex.label.clone());
        let node = Node { label, caption: vertex.id.to_string(), details: Vec::new(), is_end: true };
        Some(self.nodes.insert_full(vertex.id.clone(), node).0)
    }

    fn edge(&mut self, edge: &Edge) {
        let (Some(from), Some(to)) = (self.end(&edge.out_v), self.end(&edge.in_v)) else {
            leave_out(&mut self.left_out.1, &edge.id);
            return;
        };
        let details = edge.properties.iter().map(|it| format!("{}: {}", it.key, it.value)).collect();
        self.arc(Arc { from, to, id: Some(edge.id.clone()), label: edge.label.clone(), details });
    }

    fn arc(&mut self, arc: Arc) {
        let is_known = |id: &Value| self.known.contains(id);
        if self.arcs.contains(&arc) || arc.id.as_ref().is_some_and(is_known) {
            return;
        }
        if self.arcs.len() >= MOST_ARCS {
            if let Some(id) = &arc.id {
                leave_out(&mut self.left_out.1, id);
            }
            return;
        }
        self.known.extend(arc.id.clone());
        self.arcs.insert(arc);
    }

    /// A path leads from vertex to vertex, along edges where these are on it.
    fn path(&mut self, path: &Path) {
        let mut before: Option<usize> = None;
        for object in &path.objects {
            match object {
                Value::Vertex(vertex) => {
                    let here = self.vertex(vertex);
                    self.step(before, here);
                    before = here;
                }
                Value::Edge(edge) => {
                    self.edge(edge);
                    before = None;
                }
                other => {
                    self.add(other);
                    before = None;
                }
            }
        }
    }

    fn tree(&mut self, tree: &Map, above: Option<usize>) {
        for (object, below) in tree.iter() {
            let here = match object {
                Value::Vertex(vertex) => {
                    let here = self.vertex(vertex);
                    self.step(above, here);
                    here
                }
                other => {
                    self.add(other);
                    None
                }
            };
            if let Value::Map(below) = below {
                self.tree(below, here);
            }
        }
    }

    fn step(&mut self, from: Option<usize>, to: Option<usize>) {
        if let (Some(from), Some(to)) = (from, to) {
            self.arc(Arc { from, to, id: None, label: Str::default(), details: Vec::new() });
        }
    }
}

fn leave_out(among: &mut HashSet<Value>, id: &Value) {
    if among.len() < MOST_LEFT_OUT {
        among.insert(id.clone());
    }
}

/// So many letters of a text, and a sign where there are more; what might move a cursor or break a line is a space.
fn short(text: &str, letters: usize) -> String {
    let mut short: String =
        text.chars().take(letters).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if text.chars().nth(letters).is_some() {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
pub(super) mod tests {
    use values::VertexProperty;

    use super::*;

    pub(crate) fn vertex(id: i64, label: &str, name: &str) -> Vertex {
        let name = VertexProperty {
            id: Value::Long(id * 100),
            key: "name".into(),
            value: name.into(),
            properties: Vec::new(),
            vertex: None,
            owner: None,
        };
        Vertex { id: Value::Long(id), label: label.into(), properties: vec![name] }
    }

    pub(crate) fn edge(id: i64, label: &str, from: &Vertex, to: &Vertex) -> Edge {
        let bare = |vertex: &Vertex| Vertex { properties: Vec::new(), ..vertex.clone() };
        Edge {
            id: Value::Long(id),
            label: label.into(),
            out_v: bare(from),
            in_v: bare(to),
            properties: Vec::new(),
        }
    }

    #[test]
    fn each_element_is_there_once_however_it_is_come_across() {
        let (a, b, c) = (vertex(1, "person", "ada"), vertex(2, "person", "bob"), vertex(3, "town", "York"));
        let knows = edge(7, "knows", &a, &b);
        let mut path = Path::default();
        for object in [Value::from(a.clone()), b.clone().into(), c.clone().into()] {
            path.push(object, Vec::new());
        }
        let mut picture = Picture::default();
        picture.add(&knows.clone().into());
        picture.add(&Value::from(path.clone()));
        picture.add(&Value::list(vec![path.into(), knows.into(), 5.into()]));
        let captions: Vec<_> = picture.nodes.values().map(|node| node.caption.as_str()).collect();
        assert_eq!(captions, ["ada", "bob", "York"]);
        let arcs: Vec<_> =
            picture.arcs.iter().map(|arc| (arc.from, arc.to, arc.label.as_str().to_owned())).collect();
        let arc = |from, to, label: &str| (from, to, label.to_owned());
        assert_eq!(arcs, [arc(0, 1, "knows"), arc(0, 1, ""), arc(1, 2, "")]);
        assert_eq!(picture.left_out(), 0);
    }

    #[test]
    fn trees_and_subgraphs_are_drawn_and_what_is_no_element_is_not() {
        let (a, b) = (vertex(1, "person", "ada"), vertex(2, "person", "bob"));
        let mut tree = Map::tree();
        tree.grow(&[a.clone().into(), b.clone().into()]);
        let mut picture = Picture::default();
        picture.add(&tree.into());
        assert_eq!((picture.nodes.len(), picture.arcs.len()), (2, 1));
        let graph = Map::graph([a.clone().into()], [edge(3, "knows", &a, &b).into()]);
        let mut picture = Picture::default();
        picture.add(&graph.into());
        assert_eq!((picture.nodes.len(), picture.arcs.len()), (2, 1));
        let mut nothing = Picture::default();
        nothing.add(&Value::list(vec![1.into(), "text".into()]));
        assert!(nothing.is_empty());
    }

    #[test]
    fn there_is_an_end_to_what_a_picture_holds() {
        let mut picture = Picture::default();
        let last = MOST_NODES as i64 + 7;
        // What there is no room for is counted once, however often it comes.
        (0..last).chain(0..last).for_each(|n| picture.add(&vertex(n, "v", "x").into()));
        assert_eq!((picture.nodes.len(), picture.left_out()), (MOST_NODES, 7));
        let beyond = edge(1, "knows", &vertex(0, "v", "x"), &vertex(last, "v", "x"));
        (0..3).for_each(|_| picture.add(&beyond.clone().into()));
        assert_eq!(picture.left_out_in_words(), "9");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(short("abc", 3), "abc");
        assert_eq!(short("abcd", 3), "ab…");
        assert_eq!(short("a\nb", 3), "a b");
    }
}
