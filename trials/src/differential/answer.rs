//! What a system answers: results, and the graph it leaves.

use std::fmt::{self, Display, Formatter};

use mangrove::values::Value;
use serde_json::Value as Json;

use super::canon::{Canon, sorted};
use super::graph::Known;

/// What became of a traversal.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Its results, in order.
    Results(Vec<Canon>),
    /// It failed, with this message.
    Error(String),
    /// Mangrove has no such thing, and says so.
    Refused(String),
    /// It fell over.
    Panic(String),
    /// It took too long, or answered too much.
    Late,
}

/// What became of a traversal, and of the graph if it wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its results.
    pub outcome: Outcome,
    /// The graph afterwards, if it was asked for.
    pub state: Option<State>,
}

/// Everything in a graph, as texts in order. Elements whose ids a system gave out are told by what they have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State(Vec<String>);

/// A graph as a system tells it: vertices as (id, text of what they have), edges as (id, label, from, to, text).
pub struct Told {
    /// The vertices.
    pub vertices: Vec<(String, String)>,
    /// The edges.
    pub edges: Vec<(String, String, String, String, String)>,
}

impl State {
    /// The state that was told.
    pub fn of(told: &Told, known: &Known) -> Self {
        let name = |id: &str| {
            let found = || told.vertices.iter().find(|(of, _)| of == id);
            known.vertex(id).unwrap_or_else(|| format!("(new {})", found().map_or("?", |(_, text)| text)))
        };
        let mut lines: Vec<String> = Vec::new();
        for (id, text) in &told.vertices {
            lines.push(format!("v {} {text}", known.vertex(id).as_deref().unwrap_or("new")));
        }
        for (id, label, from, to, text) in &told.edges {
            let id = known.edge(id);
            let id = id.as_deref().unwrap_or("new");
            lines.push(format!("e {id} {label} {}->{} {text}", name(from), name(to)));
        }
        lines.sort_unstable();
        Self(lines)
    }

    /// The state as the reference's process writes it.
    ///
    /// # Errors
    /// What was not understood.
    pub fn from_json(json: &Json, known: &Known) -> Result<Self, String> {
        let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
        let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
        let mut told = Told { vertices: Vec::new(), edges: Vec::new() };
        for v in list(&json["vertices"]) {
            let mut properties = Vec::new();
            for p in list(&v[2]) {
                properties.push(format!(
                    "{}={}{}",
                    text(&p[0]),
                    Canon::from_json(&p[1], known)?,
                    plain(&p[2], known)?
                ));
            }
            properties.sort_unstable();
            told.vertices.push((text(&v[0]), format!("{} {}", text(&v[1]), properties.join(" "))));
        }
        for e in list(&json["edges"]) {
            told.edges.push((text(&e[0]), text(&e[1]), text(&e[2]), text(&e[3]), plain(&e[4], known)?));
        }
        Ok(Self::of(&told, known))
    }

    /// The state as Mangrove answers `V()` and `E()`.
    pub fn of_elements(vertices: &[Value], edges: &[Value], known: &Known) -> Self {
        let mut told = Told { vertices: Vec::new(), edges: Vec::new() };
        for value in vertices {
            let Value::Vertex(v) = value else { continue };
            let property = |p: &mangrove::values::VertexProperty| {
                let meta = p.properties.iter().map(|p| (p.key.as_str(), &p.value));
                format!("{}={}{}", p.key, Canon::of(&p.value, known), plain_text(meta, known))
            };
            let mut properties: Vec<String> = v.properties.iter().map(property).collect();
            properties.sort_unstable();
            told.vertices.push((v.id.to_string(), format!("{} {}", v.label, properties.join(" "))));
        }
        for value in edges {
            let Value::Edge(e) = value else { continue };
            let text = plain_text(e.properties.iter().map(|p| (p.key.as_str(), &p.value)), known);
            told.edges.push((
                e.id.to_string(),
                e.label.to_string(),
                e.out_v.id.to_string(),
                e.in_v.id.to_string(),
                text,
            ));
        }
        Self::of(&told, known)
    }

    /// Its lines that another has not.
    pub fn beyond<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a String> {
        self.0.iter().filter(|line| !other.0.contains(line))
    }
}

fn plain(properties: &Json, known: &Known) -> Result<String, String> {
    let mut texts = Vec::new();
    for p in properties.as_array().into_iter().flatten() {
        texts.push(format!("{}={}", p[0].as_str().unwrap_or_default(), Canon::from_json(&p[1], known)?));
    }
    Ok(braced(texts))
}

fn plain_text<'a>(properties: impl Iterator<Item = (&'a str, &'a Value)>, known: &Known) -> String {
    braced(properties.map(|(key, value)| format!("{key}={}", Canon::of(value, known))).collect())
}

fn braced(mut texts: Vec<String>) -> String {
    texts.sort_unstable();
    if texts.is_empty() { String::new() } else { format!("{{{}}}", texts.join(" ")) }
}

impl Answer {
    /// An answer without a graph.
    pub fn of(outcome: Outcome) -> Self {
        Self { outcome, state: None }
    }

    /// What kind of answer it is: cases are made smaller for as long as both answers keep their kinds.
    pub fn kind(&self) -> &str {
        match &self.outcome {
            Outcome::Results(_) => "results",
            // The class of the exception, or the place in our message.
            Outcome::Error(message) => message.split(':').next().unwrap_or_default(),
            Outcome::Refused(_) => "refused",
            Outcome::Panic(_) => "panic",
            Outcome::Late => "late",
        }
    }

    /// Whether its results are among those of another answer, each as often at most.
    pub fn is_part_of(&self, whole: &Self) -> bool {
        let (Outcome::Results(part), Outcome::Results(whole)) = (&self.outcome, &whole.outcome) else {
            return false;
        };
        let mut left: Vec<String> = whole.iter().map(ToString::to_string).collect();
        part.iter().all(|result| {
            let found = left.iter().position(|other| *other == result.to_string());
            found.map(|at| left.swap_remove(at)).is_some()
        })
    }

    /// In one text that says how closely results are looked at.
    pub fn text(&self, detail: Detail) -> String {
        let results = match (&self.outcome, detail) {
            // Numbers of two types that are equal may come in any order.
            (Outcome::Results(results), Detail::Sequence) => {
                let order = texts(results.iter().map(Canon::without_types).collect());
                format!("{order}\n{}", texts(sorted(results.clone())))
            }
            (Outcome::Results(results), Detail::Bag) => texts(sorted(results.clone())),
            (Outcome::Results(results), Detail::Contents) => {
                texts(sorted(results.iter().map(Canon::without_order).collect()))
            }
            (Outcome::Results(results), Detail::Count) => format!("{} results", results.len()),
            // Which of several mistakes is met first is nobody's promise.
            (Outcome::Error(_), _) => return "error".into(),
            (Outcome::Refused(_), _) => return "refused".into(),
            (Outcome::Panic(_), _) => return "panic".into(),
            (Outcome::Late, _) => return "late".into(),
        };
        match &self.state {
            Some(state) if detail != Detail::Count => format!("{results}\n{}", state.0.join("\n")),
            _ => results,
        }
    }
}

fn texts(results: Vec<Canon>) -> String {
    results.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// How closely results are looked at: as closely as the reference agrees with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// How many there are.
    Count,
    /// Which, without the order inside lists.
    Contents,
    /// Which.
    Bag,
    /// Which, in order.
    Sequence,
}

impl Display for Answer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Results(results) => {
                write!(f, "{} results: {}", results.len(), texts(results.clone()))
            }
            Outcome::Error(message) => write!(f, "error: {message}"),
            Outcome::Refused(message) => write!(f, "refused: {message}"),
            Outcome::Panic(message) => write!(f, "panic: {message}"),
            Outcome::Late => f.write_str("too late, or too much"),
        }
    }
}
