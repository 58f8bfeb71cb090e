//! Answers of writing requests: each changes one element and returns another, with its properties. Of two that change what
//! the other returns, one must show the other's change.
//!
//! ```text
//! (vertex0) ─ to1 ─▶ (vertex1) ─ to1 ─▶ (vertex2) ─ to1 ─▶ (vertex3) ─ to1 ─▶ (vertex0)      to2 and to3 lead further
//! (from) ─ answers0 {value} ─▶ (to)      and two more
//! ```
//!
//! The element that is returned is reached by its id, along an edge, or by its label. Nothing else of it is read.

use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::{Marks, Step, Workload, answer};

const VERTICES: usize = 4;
const EDGES: usize = 3;

/// The workload; its marks are those of the round.
pub(crate) struct Answers {
    marks: Arc<Marks>,
}

fn vertex(number: usize) -> String {
    format!("answers:vertex{number}")
}
fn edge(number: usize) -> String {
    format!("answers:edge{number}")
}

/// Finds the vertex in a result.
type Find = fn(&Value) -> Result<Value, String>;

/// How a vertex is returned, and where it is in the answer.
const VERTEX_FORMS: [(&str, Find); 5] = [
    ("", |result| Ok(result.clone())),
    (".fold()", |result| answer::list(result)?.first().cloned().ok_or_else(|| "an empty list".into())),
    (".project('it').by()", |result| answer::entry(result, "it").cloned()),
    (".group().by(T.label)", |result| {
        answer::list(answer::entry(result, "answers")?)?
            .first()
            .cloned()
            .ok_or_else(|| "an empty group".into())
    }),
    (".path()", |result| match result {
        Value::Path(path) => path.objects.last().cloned().ok_or_else(|| "an empty path".into()),
        _ => Err(format!("{result} is no path")),
    }),
];

/// The mark that an edge has.
fn mark_of(edge: &Value) -> Result<Option<Element>, String> {
    let Value::Edge(edge) = edge else { return Err(format!("{edge} is no edge")) };
    let property = edge.properties.iter().find(|property| &*property.key == "value");
    property.map(|property| answer::number(&property.value)).transpose()
}

impl Answers {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks }
    }

    /// Appends to a property of one vertex and returns another.
    fn return_vertex(&self, rng: &mut Rng) -> Step {
        let (first, further) = (rng.usize(..VERTICES), rng.usize(1..VERTICES));
        let (to, of) = (vertex(first), vertex((first + further) % VERTICES));
        let mark = self.marks.next();
        let way = match rng.u32(..5) {
            0 => ".V(b)".to_owned(),
            1 => format!(".outE('to{further}').inV()"),
            2 => format!(".in('to{}')", VERTICES - further),
            _ => format!(".out('to{further}')"),
        };
        let (end, find) = VERTEX_FORMS[rng.usize(..VERTEX_FORMS.len())];
        let request = Request::of(format!("g.V(a).property(list, 'l', m){way}{end}"))
            .with("a", &*to)
            .with("b", &*of)
            .with("m", mark);
        let append = Operation::Append { list: to, element: mark };
        Step::new(request, vec![append.clone()], move |results| {
            let elements = answer::values_of(&find(answer::one(results)?)?, "l")?;
            Ok(vec![append, Operation::ReadList { list: of, elements }])
        })
    }

    /// Appends to a property of one vertex and returns all of them.
    fn return_all(&self, rng: &mut Rng) -> Step {
        let (to, mark) = (vertex(rng.usize(..VERTICES)), self.marks.next());
        let request = Request::of("g.V(a).property(list, 'l', m).V().hasLabel('answers')")
            .with("a", &*to)
            .with("m", mark);
        let append = Operation::Append { list: to, element: mark };
        Step::new(request, vec![append.clone()], move |results| {
            let mut operations = vec![append];
            for found in results {
                let Value::Vertex(vertex) = found else { return Err(format!("{found} is no vertex")) };
                let list = vertex.id.as_str().unwrap_or_default().to_owned();
                operations.push(Operation::ReadList { list, elements: answer::values_of(found, "l")? });
            }
            Ok(operations)
        })
    }

    /// Appends to a property of one vertex and returns the properties of another.
    fn return_properties(&self, rng: &mut Rng) -> Step {
        let first = rng.usize(..VERTICES);
        let (to, of) = (vertex(first), vertex((first + 1) % VERTICES));
        let mark = self.marks.next();
        let request = Request::of("g.V(a).property(list, 'l', m).V(b).properties('l')")
            .with("a", &*to)
            .with("b", &*of)
            .with("m", mark);
        let append = Operation::Append { list: to, element: mark };
        Step::new(request, vec![append.clone()], move |results| {
            let value = |property: &Value| match property {
                Value::VertexProperty(property) => answer::number(&property.value),
                _ => Err(format!("{property} is no property")),
            };
            let elements = results.iter().map(value).collect::<Result<Vec<Element>, _>>()?;
            Ok(vec![append, Operation::ReadList { list: of, elements }])
        })
    }

    /// Sets a property of one edge and returns another.
    fn return_edge(&self, rng: &mut Rng) -> Step {
        let first = rng.usize(..EDGES);
        let other = (first + rng.usize(1..EDGES)) % EDGES;
        let (to, of, mark) = (edge(first), edge(other), self.marks.next());
        let way = match rng.u32(..3) {
            0 => ".E(b)".to_owned(),
            1 => format!(".outV().outE('answers{other}')"),
            _ => format!(".V('answers:to').inE('answers{other}')"),
        };
        let script = format!(
            "g.E(a).as('e').map(__.coalesce(__.values('value'), __.constant(0))).as('old').select('e')\
             .property('value', m){way}.as('of').select('old', 'of')"
        );
        let request = Request::of(script).with("a", &*to).with("b", &*of).with("m", mark);
        let write = Operation::Write { register: to.clone(), value: mark };
        Step::new(request, vec![write.clone()], move |results| {
            let result = answer::one(results)?;
            let old = answer::number(answer::entry(result, "old")?)?;
            let old = Operation::ReadRegister { register: to, value: Some(old).filter(|old| *old != 0) };
            let value = mark_of(answer::entry(result, "of")?)?;
            Ok(vec![old, write, Operation::ReadRegister { register: of, value }])
        })
    }
}

fn read_vertex(number: usize) -> Step {
    Step::new(Request::of("g.V(v)").with("v", &*vertex(number)), Vec::new(), move |results| {
        let elements = answer::values_of(answer::one(results)?, "l")?;
        Ok(vec![Operation::ReadList { list: vertex(number), elements }])
    })
}

fn read_edge(number: usize) -> Step {
    Step::new(Request::of("g.E(e)").with("e", &*edge(number)), Vec::new(), move |results| {
        let value = mark_of(answer::one(results)?)?;
        Ok(vec![Operation::ReadRegister { register: edge(number), value }])
    })
}

impl Workload for Answers {
    fn name(&self) -> &'static str {
        "answers"
    }

    fn prepare(&self) -> Vec<Request> {
        let add = |label: &str, name: &str| {
            Request::of(format!("g.addV('{label}').property(id, x)")).with("x", name)
        };
        let vertices = (0..VERTICES).map(|n| add("answers", &vertex(n)));
        let ends = ["answers:from", "answers:to"].map(|name| add("answers_end", name));
        let ways =
            (0..VERTICES).flat_map(|n| (1..VERTICES).map(move |further| (n, further))).map(|(n, further)| {
                let to = vertex((n + further) % VERTICES);
                Request::of(format!("g.V(a).addE('to{further}').to(__.V(b))"))
                    .with("a", &*vertex(n))
                    .with("b", &*to)
            });
        let edges = (0..EDGES).map(|n| {
            let script =
                format!("g.V('answers:from').addE('answers{n}').to(__.V('answers:to')).property(id, x)");
            Request::of(script).with("x", &*edge(n))
        });
        vertices.chain(ends).chain(ways).chain(edges).collect()
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        match rng.u32(..20) {
            0..10 => self.return_vertex(rng),
            10 => self.return_all(rng),
            11..14 => self.return_properties(rng),
            14..18 => self.return_edge(rng),
            18 => read_vertex(rng.usize(..VERTICES)),
            _ => read_edge(rng.usize(..EDGES)),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        (0..VERTICES).map(read_vertex).chain((0..EDGES).map(read_edge)).collect()
    }
}
