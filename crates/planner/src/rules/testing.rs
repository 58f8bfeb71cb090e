//! What the rules' tests stand on: a small schema, and before and after in words.

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use values::Str;

use super::{Context, RULES};
use crate::explain::words::Words;
use crate::{Schema, Statistics, bind, logical::Logical};

const VERTEX_LABELS: &[&str] = &["Person", "Post", "Tag"];
const EDGE_LABELS: &[&str] = &["knows", "likes", "created", "follows"];
const KEYS: &[&str] = &["id", "name", "age", "since"];

/// A social network of names: `Person`, `Post`, `Tag`; `knows`, `likes`, `created`, `follows` (ordered by `since`); `id` (indexed for persons), `name`,
/// `age`, `since` (range indexes over posts by `age`, and by `name` and `age`). A thousand persons with twenty friends each.
pub(crate) struct Network;

impl Schema for Network {
    fn vertex_label(&self, name: &str) -> Option<VertexLabelId> {
        place(VERTEX_LABELS, name).map(VertexLabelId)
    }
    fn edge_label(&self, name: &str) -> Option<EdgeLabelId> {
        place(EDGE_LABELS, name).map(EdgeLabelId)
    }
    fn key(&self, name: &str) -> Option<KeyId> {
        place(KEYS, name).map(KeyId)
    }
    fn vertex_label_name(&self, id: VertexLabelId) -> Str {
        VERTEX_LABELS[id.index()].into()
    }
    fn edge_label_name(&self, id: EdgeLabelId) -> Str {
        EDGE_LABELS[id.index()].into()
    }
    fn key_name(&self, id: KeyId) -> Str {
        KEYS[id.index()].into()
    }
    fn has_index(&self, label: VertexLabelId, key: KeyId) -> bool {
        label.index() == 0 && key.index() == 0
    }
    fn range_indexes(&self, label: VertexLabelId) -> Vec<Vec<KeyId>> {
        // Of posts: by age, and by name and age.
        if label.index() == 1 { vec![vec![KeyId(2)], vec![KeyId(1), KeyId(2)]] } else { Vec::new() }
    }
    fn sort_key(&self, label: EdgeLabelId) -> Option<KeyId> {
        // Of `follows`: since.
        (label.index() == 3).then_some(KeyId(3))
    }
    fn version(&self) -> u128 {
        1
    }
}

impl Statistics for Network {
    fn vertices(&self, label: Option<VertexLabelId>) -> u64 {
        if label.is_some() { 1_000 } else { 3_000 }
    }
    fn edges(&self, label: Option<EdgeLabelId>) -> u64 {
        if label.is_some() { 20_000 } else { 60_000 }
    }
    fn degree(&self, label: EdgeLabelId, dir: graph::Dir) -> f64 {
        // Whatever is created has one creator.
        if label.index() == 2 && dir == graph::Dir::In { 1.0 } else { 20.0 }
    }
}

fn place(names: &[&str], name: &str) -> Option<u16> {
    names.iter().position(|known| *known == name).map(|place| place as u16)
}

/// The logical plan of a traversal, before any rule.
pub(crate) fn bound(text: &str) -> Logical {
    let traversal =
        gremlin::parse_traversal(text, &Default::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    let settings = bind::SourceSettings::of(&traversal.source).unwrap();
    bind::bind(&traversal, &Network, settings).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A logical plan on one line.
pub(crate) fn line(plan: &Logical) -> String {
    let mut words = Words::new(&Network);
    words.chain(&plan.root);
    words.text
}

/// Runs rules by name, in the order given.
pub(crate) fn after(rules: &[&str], text: &str) -> (Logical, bool) {
    let mut plan = bound(text);
    let mut changed = false;
    for name in rules {
        let rule = RULES.iter().find(|rule| rule.name == *name).unwrap_or_else(|| panic!("no rule {name}"));
        let context = Context { schema: &Network, paths: plan.paths };
        changed |= (rule.apply)(&mut plan, &context);
    }
    (plan, changed)
}

/// The rule alone turns the traversal into that.
#[track_caller]
pub(crate) fn only(rule: &str, text: &str, expected: &str) {
    these(&[rule], text, expected);
}

/// The rules, one after the other, turn the traversal into that.
#[track_caller]
pub(crate) fn these(rules: &[&str], text: &str, expected: &str) {
    let (plan, changed) = after(rules, text);
    assert_eq!(line(&plan), expected, "{text}");
    assert!(changed, "{rules:?} left {text} as it is");
}

/// The rule leaves the traversal as it is.
#[track_caller]
pub(crate) fn unchanged(rule: &str, text: &str) {
    let before = line(&bound(text));
    let (plan, changed) = after(&[rule], text);
    assert_eq!(line(&plan), before, "{text}");
    assert!(!changed, "{rule} says it changed {text}");
}
