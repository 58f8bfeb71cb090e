//! Sets of options under which every traversal must give one answer.

use std::fmt::{self, Display, Formatter};

use fastrand::Rng;
use planner::RuleSet;

use super::ast::{Script, Step};

/// Options of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSet {
    /// `with('mangrove.…', …)`: keys and values as Gremlin writes them.
    with: Vec<(&'static str, String)>,
    /// Whether several executors may help.
    pub several: bool,
}

impl OptionSet {
    fn of(with: &[(&'static str, &str)], several: bool) -> Self {
        Self { with: with.iter().map(|(key, value)| (*key, (*value).to_owned())).collect(), several }
    }

    /// Every rule off by itself, and the sets that change how plans run.
    pub fn all() -> Vec<Self> {
        let rules = RuleSet::known();
        let all_rules = format!("'{}'", rules.join(","));
        let off = |rule: &str| Self { with: vec![("rules.off", format!("'{rule}'"))], several: false };
        // None at all, for what falls over by itself.
        let mut sets = vec![Self::of(&[], false)];
        sets.extend(rules.iter().map(|rule| off(rule)));
        let one = |with: &[_]| Self::of(with, false);
        sets.extend([
            one(&[("rules.off", &all_rules)]),
            one(&[("scopes", "'off'")]),
            one(&[("scopes", "'off'"), ("rules.off", &all_rules), ("batch", "1")]),
            one(&[("eager", "true")]),
            one(&[("eager", "true"), ("maxSi", "1")]),
            one(&[("eager", "true"), ("rules.off", &all_rules)]),
            one(&[("batch", "1")]),
            one(&[("batch", "2"), ("policy.intra", "'bfs'")]),
            one(&[("batch", "1"), ("eager", "true"), ("maxSi", "1")]),
            Self::of(&[], true),
            Self::of(&[("eager", "true")], true),
            Self::of(&[("eager", "true"), ("batch", "1")], true),
            Self::of(&[("eager", "true"), ("rules.off", &all_rules)], true),
        ]);
        for inter in ["'bfs'", "'dfs'"] {
            for intra in ["'bfs'", "'dfs'"] {
                sets.push(one(&[("eager", "true"), ("policy.inter", inter), ("policy.intra", intra)]));
                sets.push(one(&[("batch", "1"), ("policy.inter", inter), ("policy.intra", intra)]));
            }
        }
        sets
    }

    /// Some of everything.
    pub fn random(rng: &mut Rng) -> Self {
        let off: Vec<_> = RuleSet::known().into_iter().filter(|_| rng.u8(..3) == 0).collect();
        let mut with = vec![("rules.off", format!("'{}'", off.join(",")))];
        let mut maybe = |key, values: &[&str]| {
            if rng.bool() {
                with.push((key, values[rng.usize(..values.len())].to_owned()));
            }
        };
        maybe("scopes", &["'on'", "'off'"]);
        maybe("eager", &["true"]);
        maybe("policy.inter", &["'bfs'", "'dfs'"]);
        maybe("policy.intra", &["'bfs'", "'dfs'"]);
        maybe("maxSi", &["1", "2", "5"]);
        maybe("batch", &["1", "2", "3", "7"]);
        Self { with, several: rng.u8(..3) == 0 }
    }

    /// The script under these options.
    pub fn on(&self, script: &Script) -> String {
        let mut script = script.clone();
        for (key, value) in &self.with {
            script.source.push(Step::new("with").name_arg(&format!("mangrove.{key}")).arg(value.clone()));
        }
        script.to_string()
    }

    /// Sets with less in them.
    pub fn smaller(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for (index, (key, value)) in self.with.iter().enumerate() {
            let mut fewer = self.clone();
            fewer.with.remove(index);
            found.push(fewer);
            let names: Vec<&str> = value.trim_matches('\'').split(',').collect();
            if *key != "rules.off" || names.len() < 2 {
                continue;
            }
            let (left, right) = names.split_at(names.len() / 2);
            let all_but_one = (0..names.len()).map(|out| [&names[..out], &names[out + 1..]].concat());
            for rest in [left.to_vec(), right.to_vec()].into_iter().chain(all_but_one) {
                let mut fewer = self.clone();
                fewer.with[index].1 = format!("'{}'", rest.join(","));
                found.push(fewer);
            }
        }
        if self.several {
            found.push(Self { several: false, ..self.clone() });
        }
        found
    }
}

impl Display for OptionSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if self.several { "several executors" } else { "one executor" })?;
        self.with.iter().try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}
