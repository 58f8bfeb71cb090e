//! The LDBC social network as a schema: names, indexes, and how much there is of what at scale factor 0.1.
#![allow(dead_code, reason = "each test uses its own part")]

use graph::{Dir, EdgeLabelId, KeyId, VertexLabelId};
use planner::{Options, PlanError, Planned, Schema, Statistics, plan};
use values::Str;

const VERTEX_LABELS: &[(&str, u64)] = &[
    ("Person", 1_528),
    ("Post", 135_701),
    ("Comment", 151_043),
    ("Forum", 13_750),
    ("Tag", 16_080),
    ("TagClass", 71),
    ("Place", 1_460),
    ("Organisation", 7_955),
];

/// Name, number, average out-degree and in-degree of those that have any.
const EDGE_LABELS: &[(&str, u64, f64, f64)] = &[
    ("knows", 28_370, 18.6, 18.6),
    ("likes", 109_000, 90.0, 3.0),
    ("hasCreator", 286_744, 1.0, 187.0),
    ("replyOf", 151_043, 1.0, 2.1),
    ("isLocatedIn", 296_227, 1.0, 250.0),
    ("isPartOf", 1_454, 1.0, 13.0),
    ("hasTag", 350_000, 2.0, 40.0),
    ("hasInterest", 35_000, 23.0, 8.0),
    ("hasMember", 123_268, 9.0, 80.0),
    ("hasModerator", 13_750, 1.0, 9.0),
    ("containerOf", 135_701, 10.0, 1.0),
    ("workAt", 3_300, 2.2, 2.0),
    ("studyAt", 1_200, 1.0, 4.0),
    ("hasType", 16_080, 1.0, 226.0),
    ("isSubclassOf", 70, 1.0, 5.0),
];

const KEYS: &[&str] = &[
    "id",
    "firstName",
    "lastName",
    "gender",
    "birthday",
    "birthdayMonth",
    "birthdayDay",
    "creationDate",
    "locationIP",
    "browserUsed",
    "content",
    "imageFile",
    "language",
    "length",
    "title",
    "name",
    "url",
    "type",
    "email",
    "speaks",
    "joinDate",
    "workFrom",
    "classYear",
    "age",
    "lang",
    "weight",
    "since",
    "location",
];

/// The network. Every `id` is indexed.
pub struct SocialNetwork;

impl Schema for SocialNetwork {
    fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        place(VERTEX_LABELS.iter().map(|label| label.0), name).map(VertexLabelId)
    }
    fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        place(EDGE_LABELS.iter().map(|label| label.0), name).map(EdgeLabelId)
    }
    fn key(&self, name: &str) -> Option<KeyId> {
        place(KEYS.iter().copied(), name).map(KeyId)
    }
    fn vertex_label_name(&self, id: VertexLabelId) -> Str {
        VERTEX_LABELS[id.index()].0.into()
    }
    fn edge_label_name(&self, id: EdgeLabelId) -> Str {
        EDGE_LABELS[id.index()].0.into()
    }
    fn key_name(&self, id: KeyId) -> Str {
        KEYS[id.index()].into()
    }
    fn has_index(&self, _: VertexLabelId, key: KeyId) -> bool {
        key.index() == 0
    }
    fn version(&self) -> u64 {
        7
    }
}

impl Statistics for SocialNetwork {
    fn vertices(&self, label: Option<VertexLabelId>) -> u64 {
        match label {
            Some(label) => VERTEX_LABELS[label.index()].1,
            None => VERTEX_LABELS.iter().map(|label| label.1).sum(),
        }
    }
    fn edges(&self, label: Option<EdgeLabelId>) -> u64 {
        match label {
            Some(label) => EDGE_LABELS[label.index()].1,
            None => EDGE_LABELS.iter().map(|label| label.1).sum(),
        }
    }
    fn degree(&self, label: EdgeLabelId, dir: Dir) -> f64 {
        let (_, _, out, inn) = EDGE_LABELS[label.index()];
        if dir == Dir::Out { out } else { inn }
    }
}

fn place(mut names: impl Iterator<Item = &'static str>, name: &str) -> Option<u16> {
    names.position(|known| known == name).map(|place| place as u16)
}

/// Plans a traversal on the network, as written.
pub fn planned_with(text: &str, options: &Options) -> Result<Planned, PlanError> {
    let traversal =
        gremlin::parse_traversal(text, &Default::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    plan(&traversal, &SocialNetwork, &SocialNetwork, options)
}

/// The physical plan of a traversal in words.
pub fn physical(text: &str) -> String {
    physical_with(text, &Options::default())
}

/// The physical plan of a traversal in words, without the steps' names, the guesses and the first line.
pub fn physical_with(text: &str, options: &Options) -> String {
    let lines = guessed_with(text, options);
    let lines = lines.lines().map(|line| line.split("  ~").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The same with the guesses.
pub fn guessed_with(text: &str, options: &Options) -> String {
    let options = Options { explain: true, ..options.clone() };
    let planned = planned_with(text, &options).unwrap_or_else(|e| panic!("{text}: {e}"));
    let explanation = planned.explanation.unwrap();
    let (_, plan) = explanation.stages().last().unwrap();
    let lines = plan.lines().skip(1).map(|line| line.split("    ← ").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}
