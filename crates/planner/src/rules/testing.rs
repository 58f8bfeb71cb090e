//! What the rules' tests stand on: a small schema, and before and after in words.

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use values::Str;

use super::{Context, RULES};
use crate::physical::{IndexedRange, Operand};
use crate::words::Words;
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
    fn is_single(&self, _: VertexLabelId, key: KeyId) -> bool {
        // Ages only.
        key.index() == 2
    }
    fn sort_key(&self, label: EdgeLabelId) -> Option<KeyId> {
        // Of `follows`: since.
        (label.index() == 3).then_some(KeyId(3))
    }
    fn version(&self) -> u64 {
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
    words.say(&plan.root);
    words.text
}

/// Runs rules by name, in the order given.
pub(crate) fn after(rules: &[&str], text: &str) -> (Logical, bool) {
    after_with(rules, text, &Network)
}

fn after_with(rules: &[&str], text: &str, statistics: &dyn Statistics) -> (Logical, bool) {
    let mut plan = bound(text);
    let mut changed = false;
    for name in rules {
        let rule = RULES.iter().find(|rule| rule.name == *name).unwrap_or_else(|| panic!("no rule {name}"));
        let context = Context { schema: &Network, statistics, paths: plan.history.is_kept() };
        changed |= (rule.apply)(&mut plan, &context);
    }
    (plan, changed)
}

/// The rules, one after the other, where it is known how the values are distributed, turn the traversal into this.
#[track_caller]
pub(crate) fn with_statistics(rules: &[&str], text: &str, check: impl Fn(&str)) {
    check(&line(&after_with(rules, text, &Informed).0));
}

/// The network when somebody has looked at the values: 100,000 vertices of each label, one in ten with any name, and ages
/// from 0 to 999.
struct Informed;

impl Statistics for Informed {
    fn vertices(&self, label: Option<VertexLabelId>) -> u64 {
        if label.is_some() { 100_000 } else { 300_000 }
    }
    fn edges(&self, label: Option<EdgeLabelId>) -> u64 {
        Network.edges(label)
    }
    fn degree(&self, label: EdgeLabelId, dir: graph::Dir) -> f64 {
        Network.degree(label, dir)
    }
    fn equal(&self, _: VertexLabelId, key: KeyId, _: &Operand) -> Option<f64> {
        (key.index() == 0).then_some(1.0)
    }
    fn range(&self, _: VertexLabelId, range: &IndexedRange) -> Option<f64> {
        let number = |operand: &Operand| match operand {
            Operand::Const(value) => value.as_f64().unwrap_or(0.0),
            _ => 0.0,
        };
        let shares = [0.1, 0.001];
        let first = if range.keys.len() == 1 { 1 } else { 0 };
        let equal: f64 = shares[first..].iter().take(range.equal.len()).product();
        let ages = range.high.as_ref().map_or(1_000.0, number) - range.low.as_ref().map_or(0.0, number);
        Some(100_000.0 * equal * ages / 1_000.0)
    }
    fn distinct(&self, _: VertexLabelId, keys: &[KeyId], equal: usize) -> Option<f64> {
        Some(if keys[equal] == KeyId(1) { 10.0 } else { 1_000.0 })
    }
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
