//! The Gremlin by which slots are written and read.

use std::collections::BTreeMap;

use fastrand::Rng;
use values::Value;

use super::ledger::{Content, Found};
use crate::histories::client::Request;

/// Vertices that all slots have an edge to: their lists are edge-trees.
pub(crate) const ANCHORS: i64 = 4;

/// What is declared and made before anything is written.
pub(crate) fn prepare() -> Vec<Request> {
    let mut all = vec![
        Request::of("g.call('mangrove.schema.declare', [edges: [holds: [nodes: 64]]])"),
        Request::of(
            "g.call('mangrove.index.create', [label: 'Slot', key: 'key', kind: 'unique', wait: true])",
        ),
        Request::of(
            "g.call('mangrove.index.create', [label: 'Anchor', key: 'key', kind: 'unique', wait: true])",
        ),
    ];
    let anchor = |key| Request::of("g.addV('Anchor').property('key', a)").with("a", key);
    all.extend((0..ANCHORS).map(anchor));
    all
}

/// One write to a slot.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    /// The slot.
    pub key: i64,
    /// What it holds then.
    pub content: Content,
    /// How it is sent.
    pub request: Request,
}

/// The ways to write to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// `addV` and `addE`, where there is nothing yet.
    Add,
    /// Other values for the properties of the vertex and of its edge.
    Update,
    /// The same, with another edge in place of the old one.
    Replace,
    /// `drop`.
    Drop,
    /// `mergeV` and `mergeE`, whether there is something or not.
    Merge,
}

const ADD: &str = "g.addV('Slot').property('key', k).property('v', v).property('text', t).as('s')\
                   .V().has('Anchor', 'key', a).addE('holds').from('s').property('n', v).count()";
const UPDATE: &str = "g.V().has('Slot', 'key', k).property('v', v).property('text', t)\
                      .outE('holds').property('n', v).count()";
const REPLACE: &str = "g.V().has('Slot', 'key', k).property('v', v).property('text', t).as('s')\
                       .sideEffect(__.outE('holds').drop())\
                       .V().has('Anchor', 'key', a).addE('holds').from('s').property('n', v).count()";
const DROP: &str = "g.V().has('Slot', 'key', k).drop()";
const MERGE: &str = "g.mergeV([(T.label): 'Slot', key: k]).option(onCreate, [v: v, text: t]).option(onMatch, [v: v, text: t])\
                     .as('s').V().has('Anchor', 'key', a).as('a')\
                     .mergeE([(T.label): 'holds', (OUT): Merge.outV, (IN): Merge.inV])\
                     .option(Merge.outV, __.select('s')).option(Merge.inV, __.select('a'))\
                     .option(onCreate, [n: v]).option(onMatch, [n: v]).count()";

impl Way {
    /// One that fits what the slot holds; a merge, if nobody knows that.
    pub fn draw(known: Option<Content>, rng: &mut Rng) -> Self {
        match known {
            None => Self::Merge,
            Some(None) => [Self::Add, Self::Add, Self::Merge][rng.usize(..3)],
            Some(Some(_)) => match rng.u32(..20) {
                0..=9 => Self::Update,
                10..=13 => Self::Replace,
                14..=16 => Self::Merge,
                _ => Self::Drop,
            },
        }
    }

    /// The write of a version to a slot.
    pub fn write(self, key: i64, version: i64) -> Write {
        let script = match self {
            Self::Add => ADD,
            Self::Update => UPDATE,
            Self::Replace => REPLACE,
            Self::Drop => DROP,
            Self::Merge => MERGE,
        };
        let mut request = Request::of(script).with("k", key);
        if self != Self::Drop {
            request = request.with("v", version).with("t", text_of(version));
        }
        if matches!(self, Self::Add | Self::Replace | Self::Merge) {
            request = request.with("a", key.rem_euclid(ANCHORS));
        }
        Write { key, content: (self != Self::Drop).then_some(version), request }
    }
}

/// The text of a version: of 40 to 5,000 bytes.
pub(crate) fn text_of(version: i64) -> String {
    let mut rng = Rng::with_seed(version as u64);
    let length = rng.usize(40..5_000);
    (0..length).map(|_| rng.alphanumeric()).collect()
}

const READ: &str = ".project('key', 'v', 'text', 'edges').by('key').by('v').by('text')\
                    .by(__.outE('holds').values('n').fold())";

/// Reads one slot.
pub(crate) fn read_one(key: i64) -> Request {
    Request::of(format!("g.V().has('Slot', 'key', k){READ}")).with("k", key)
}

/// Reads all of them.
pub(crate) fn read_all() -> Request {
    Request::of(format!("g.with('evaluationTimeout', 60000).V().hasLabel('Slot'){READ}"))
}

/// What was read, by key. What is no slot at all counts as one of the key -1.
pub(crate) fn found(rows: &[Value]) -> BTreeMap<i64, Vec<Found>> {
    let mut found: BTreeMap<i64, Vec<Found>> = BTreeMap::new();
    for row in rows {
        let part = |name: &str| row.as_map().and_then(|row| row.get(&Value::str(name)));
        let key = part("key").and_then(Value::as_i64).unwrap_or(-1);
        let version = part("v").and_then(Value::as_i64).unwrap_or(-1);
        let has_text = part("text").and_then(Value::as_str) == Some(text_of(version).as_str());
        let edges = part("edges").and_then(Value::as_list).unwrap_or_default();
        let has_edge = matches!(edges, [edge] if edge.as_i64() == Some(version));
        found.entry(key).or_default().push(Found { version, is_whole: has_text && has_edge });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use values::Map;

    fn row(version: i64, text: &str, edges: &[i64]) -> Value {
        let mut row = Map::new();
        row.insert("key", 3i64);
        row.insert("v", version);
        row.insert("text", text);
        row.insert("edges", Value::list(edges.iter().map(|edge| Value::from(*edge)).collect::<Vec<_>>()));
        row.into()
    }

    #[test]
    fn a_slot_is_whole_if_its_text_and_its_only_edge_are_those_of_its_version() {
        let is_whole = |row: Value| found(&[row])[&3][0].is_whole;
        assert!(is_whole(row(7, &text_of(7), &[7])));
        assert!(!is_whole(row(7, &text_of(8), &[7])));
        assert!(!is_whole(row(7, &text_of(7), &[8])));
        assert!(!is_whole(row(7, &text_of(7), &[7, 7])));
        assert!(!is_whole(row(7, &text_of(7), &[])));
    }

    #[test]
    fn a_slot_of_which_nothing_is_known_is_merged() {
        let mut rng = Rng::with_seed(1);
        assert!((0..50).all(|_| Way::draw(None, &mut rng) == Way::Merge));
        assert!((0..50).all(|_| matches!(Way::draw(Some(None), &mut rng), Way::Add | Way::Merge)));
        assert_eq!(Way::Drop.write(3, 9).content, None);
        assert_eq!(Way::Merge.write(3, 9).content, Some(9));
    }
}
