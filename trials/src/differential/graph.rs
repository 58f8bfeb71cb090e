//! Small random graphs that both systems can hold, with the same ids.

use std::collections::HashMap;

use fastrand::Rng;
use mangrove::graph::{Cardinality, Graph};
use serde_json::{Value as Json, json};

use super::scalar::Scalar;

/// Labels of vertices.
pub const VERTEX_LABELS: &[&str] = &["person", "software", "place"];
/// Labels of edges.
pub const EDGE_LABELS: &[&str] = &["knows", "created", "in"];
/// The first id of an edge: the ids of vertices are smaller.
pub const FIRST_EDGE: i64 = 100;

/// A graph to be made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphSpec {
    /// Its vertices.
    pub vertices: Vec<VertexSpec>,
    /// Its edges.
    pub edges: Vec<EdgeSpec>,
}

/// Ids that both systems know. Those that they give out themselves mean nothing.
#[derive(Clone, Debug, Default)]
pub struct Known {
    vertices: Vec<i64>,
    edges: Vec<i64>,
}

impl Known {
    /// The id of a vertex, if it means something.
    pub fn vertex(&self, id: &str) -> Option<String> {
        Self::known(&self.vertices, id)
    }

    /// The id of an edge, if it means something.
    pub fn edge(&self, id: &str) -> Option<String> {
        Self::known(&self.edges, id)
    }

    fn known(known: &[i64], id: &str) -> Option<String> {
        id.parse().is_ok_and(|id| known.contains(&id)).then(|| id.to_owned())
    }
}

/// A vertex to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexSpec {
    /// Its id.
    pub id: i64,
    /// Its label.
    pub label: &'static str,
    /// Its properties; a key may come several times.
    pub properties: Vec<PropertySpec>,
}

/// A property of a vertex to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertySpec {
    /// Its key.
    pub key: &'static str,
    /// Its value.
    pub value: Scalar,
    /// Its meta-properties.
    pub meta: Vec<(&'static str, Scalar)>,
}

/// An edge to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeSpec {
    /// Its id.
    pub id: i64,
    /// Its label.
    pub label: &'static str,
    /// The vertex that it leaves.
    pub from: i64,
    /// The vertex that it enters.
    pub to: i64,
    /// Its properties.
    pub properties: Vec<(&'static str, Scalar)>,
}

impl GraphSpec {
    /// A graph of a few vertices, with loops, several edges between two vertices, values that are missing and values of
    /// several types under one key.
    pub fn random(rng: &mut Rng) -> Self {
        let count = rng.i64(3..9);
        let vertices = (1..=count).map(|id| VertexSpec::random(rng, id)).collect();
        let edges = (0..rng.i64(2..12)).map(|n| EdgeSpec::random(rng, FIRST_EDGE + n, count)).collect();
        Self { vertices, edges }
    }

    /// TinkerPop's modern graph.
    pub fn modern() -> Self {
        let people = [(1, "marko", 29), (2, "vadas", 27), (4, "josh", 32), (6, "peter", 35)];
        let plain = |key, value| PropertySpec { key, value, meta: Vec::new() };
        let mut vertices: Vec<_> = people
            .into_iter()
            .map(|(id, name, age)| {
                let properties =
                    vec![plain("name", Scalar::Text(name.into())), plain("age", Scalar::Int(age))];
                VertexSpec { id, label: "person", properties }
            })
            .collect();
        vertices.extend([(3, "lop"), (5, "ripple")].map(|(id, name)| {
            let named = [("name", name), ("lang", "java")];
            let properties = named.map(|(key, value)| plain(key, Scalar::Text(value.into()))).to_vec();
            VertexSpec { id, label: "software", properties }
        }));
        let edges = [
            (7, 1, "knows", 2, 0.5),
            (8, 1, "knows", 4, 1.0),
            (9, 1, "created", 3, 0.4),
            (10, 4, "created", 5, 1.0),
            (11, 4, "created", 3, 0.4),
            (12, 6, "created", 3, 0.2),
        ];
        let edges = edges.map(|(id, from, label, to, weight)| EdgeSpec {
            id,
            label,
            from,
            to,
            properties: vec![("weight", Scalar::Double(weight))],
        });
        Self { vertices, edges: edges.to_vec() }
    }

    /// The ids of its elements.
    pub fn known(&self) -> Known {
        Known {
            vertices: self.vertices.iter().map(|vertex| vertex.id).collect(),
            edges: self.edges.iter().map(|edge| edge.id).collect(),
        }
    }

    /// The same graph to be made in another order; 0 is this one.
    #[must_use]
    pub fn shuffled(&self, order: u64) -> Self {
        let mut shuffled = self.clone();
        if order > 0 {
            let mut rng = Rng::with_seed(order);
            rng.shuffle(&mut shuffled.vertices);
            rng.shuffle(&mut shuffled.edges);
        }
        shuffled
    }

    /// Puts the graph into an empty database.
    ///
    /// # Errors
    /// If Mangrove refuses.
    pub fn load(&self, graph: &Graph) -> Result<(), mangrove::Error> {
        let transaction = graph.begin();
        let mut handles = HashMap::new();
        for vertex in &self.vertices {
            let handle = transaction.add_vertex(Some(vertex.id.into()), vertex.label)?;
            for property in &vertex.properties {
                let meta: Vec<_> =
                    property.meta.iter().map(|(key, value)| ((*key).into(), value.value())).collect();
                let value = property.value.value();
                transaction.set_vertex_property(handle, Cardinality::List, property.key, value, &meta)?;
            }
            handles.insert(vertex.id, handle);
        }
        for edge in &self.edges {
            let (from, to) = (handles[&edge.from], handles[&edge.to]);
            let handle = transaction.add_edge(Some(edge.id.into()), edge.label, from, to)?;
            for (key, value) in &edge.properties {
                transaction.set_edge_property(handle, key, value.value())?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// For the reference.
    pub fn json(&self) -> Json {
        let pairs = |pairs: &[(&'static str, Scalar)]| -> Vec<Json> {
            pairs.iter().map(|(key, value)| json!([key, value.json()])).collect()
        };
        let vertices = self.vertices.iter().map(|v| {
            let properties = v.properties.iter().map(|p| json!([p.key, p.value.json(), pairs(&p.meta)]));
            json!([v.id, v.label, properties.collect::<Vec<_>>()])
        });
        let edges = self.edges.iter().map(|e| json!([e.id, e.label, e.from, e.to, pairs(&e.properties)]));
        json!({"vertices": vertices.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>()})
    }

    /// Gremlin that makes it, for a human to paste.
    pub fn gremlin(&self) -> String {
        let mut text = String::from("g");
        for v in &self.vertices {
            text += &format!(".addV('{}').property(T.id, {}L)", v.label, v.id);
            for p in &v.properties {
                text += &format!(".property(list, '{}', {}", p.key, p.value.gremlin());
                p.meta.iter().for_each(|(key, value)| text += &format!(", '{key}', {}", value.gremlin()));
                text += ")";
            }
        }
        for e in &self.edges {
            text += &format!(
                ".addE('{}').from(__.V({}L)).to(__.V({}L)).property(T.id, {}L)",
                e.label, e.from, e.to, e.id
            );
            for (key, value) in &e.properties {
                text += &format!(".property('{key}', {})", value.gremlin());
            }
        }
        text
    }
}

impl VertexSpec {
    fn random(rng: &mut Rng, id: i64) -> Self {
        let label = VERTEX_LABELS[rng.usize(..VERTEX_LABELS.len())];
        let mut properties = Vec::new();
        let mut put = |rng: &mut Rng, key, value| {
            let meta =
                if rng.u8(..8) == 0 { vec![("since", Scalar::Int(rng.i32(2000..2004)))] } else { Vec::new() };
            properties.push(PropertySpec { key, value, meta });
        };
        put(rng, "name", Scalar::Text(NAMES[(id as usize - 1) % NAMES.len()].into()));
        if rng.u8(..4) > 0 {
            let age = rng.i32(20..24);
            let age = if rng.u8(..6) == 0 { Scalar::Long(age.into()) } else { Scalar::Int(age) };
            put(rng, "age", age);
        }
        if rng.bool() {
            let n = small_number(rng);
            put(rng, "n", n);
        }
        if rng.u8(..3) == 0 {
            let mixed = mixed(rng);
            put(rng, "x", mixed);
        }
        for _ in 0..rng.usize(..3) {
            let tag = Scalar::Text(["red", "green", "blue"][rng.usize(..3)].into());
            put(rng, "tag", tag);
        }
        if rng.u8(..4) == 0 {
            put(rng, "ok", Scalar::Bool(true));
        }
        if rng.u8(..4) == 0 {
            let born = Scalar::Date(rng.i64(0..3) * 86_400);
            put(rng, "born", born);
        }
        Self { id, label, properties }
    }
}

impl EdgeSpec {
    fn random(rng: &mut Rng, id: i64, vertices: i64) -> Self {
        let label = EDGE_LABELS[rng.usize(..EDGE_LABELS.len())];
        let (from, to) = (rng.i64(1..=vertices), rng.i64(1..=vertices));
        let mut properties = Vec::new();
        if rng.u8(..4) > 0 {
            properties.push(("weight", Scalar::Double(f64::from(rng.i32(1..5)) / 4.0)));
        }
        if rng.u8(..3) == 0 {
            properties.push(("n", small_number(rng)));
        }
        if rng.u8(..4) == 0 {
            properties.push(("name", Scalar::Text(NAMES[rng.usize(..NAMES.len())].into())));
        }
        Self { id, label, from, to, properties }
    }
}

/// Names, of several lengths and cases, some with spaces around or numbers inside.
pub const NAMES: &[&str] = &["ann", "Bob", "carl", "Dora", " eve ", "finn", "gus 7", "hal,ida", "jo", "kim"];

/// A number of one of four types.
fn small_number(rng: &mut Rng) -> Scalar {
    let n = rng.i32(-2..4);
    match rng.u8(..8) {
        0 | 1 => Scalar::Long(n.into()),
        2 => Scalar::Double(f64::from(n) / 2.0),
        3 => Scalar::Float(n as f32 / 2.0),
        _ => Scalar::Int(n),
    }
}

/// A value of any type.
fn mixed(rng: &mut Rng) -> Scalar {
    match rng.u8(..6) {
        0 => Scalar::Bool(rng.bool()),
        1 => Scalar::Text(NAMES[rng.usize(..NAMES.len())].into()),
        2 => Scalar::Text(rng.i32(0..3).to_string()),
        3 => Scalar::Date(rng.i64(0..3) * 86_400),
        _ => small_number(rng),
    }
}
