//! What a plan may depend on beside the traversal and the graph.

use gremlin::{Argument, Instruction, SourceName};
use values::{Str, Value, excerpt};

use crate::PlanError;
use crate::physical::{InterPolicy, IntraPolicy};
use crate::rules::RuleSet;

/// How plans are made. A query overrides each of these with `g.with('mangrove.…', value)`; see
/// `docs/query-options.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// Executors that the engine has.
    pub executors: u16,
    /// Most of them that one query may use; `None` for all.
    pub parallelism: Option<u16>,
    /// Whether subqueries run in scope instances of their own. Off, all input traversers share one per batch.
    pub scopes: bool,
    /// The policy between instances, instead of the planner's choice per scope.
    pub inter: Option<InterPolicy>,
    /// The policy inside instances, instead of depth-first.
    pub intra: Option<IntraPolicy>,
    /// MAX_SI, instead of the planner's choice per scope.
    pub max_instances: Option<u32>,
    /// Whether every subquery that can have an instance per traverser has one, and every part that can spread does, however
    /// little there is to do in it. Answers must not depend on it.
    pub eager: bool,
    /// Most rows that an operator is given at a time; `None` for as many as come. Answers must not depend on it.
    pub batch: Option<u32>,
    /// Rules that are switched off.
    pub disabled_rules: RuleSet,
    /// Whether to keep the text of every stage.
    pub explain: bool,
}

impl Default for Options {
    /// One executor, all rules, scopes and policies as the planner sees fit.
    fn default() -> Self {
        Self {
            executors: 1,
            parallelism: None,
            scopes: true,
            inter: None,
            intra: None,
            max_instances: None,
            eager: false,
            batch: None,
            disabled_rules: RuleSet::default(),
            explain: false,
        }
    }
}

/// Every key of the planner begins so.
const PREFIX: &str = "mangrove.";

impl Options {
    /// These options with what the traversal's own `with('mangrove.…', …)` say.
    ///
    /// # Errors
    /// [`PlanError::BadOption`] for a key or value that is not known.
    pub fn overridden(&self, source: &[Instruction<SourceName>]) -> Result<Self, PlanError> {
        let mut options = self.clone();
        for instruction in source.iter().filter(|instruction| instruction.name == SourceName::With) {
            if let Some(Value::String(key)) = instruction.args.first().and_then(Argument::as_value)
                && let Some(name) = key.strip_prefix(PREFIX)
            {
                let given = instruction.args.get(1).and_then(Argument::as_value);
                options.set(name, given.unwrap_or(&Value::Bool(true)))?;
            }
        }
        Ok(options)
    }

    /// Sets one option; `name` is its key without `mangrove.`.
    fn set(&mut self, name: &str, value: &Value) -> Result<(), PlanError> {
        let bad = |problem: String| {
            let key = Str::from(format!("{PREFIX}{}", excerpt(name)));
            PlanError::BadOption { key, problem }
        };
        match name {
            "scopes" => {
                self.scopes = switch(value).ok_or_else(|| bad("expected on, off or a boolean".into()))?
            }
            "eager" => {
                self.eager = switch(value).ok_or_else(|| bad("expected on, off or a boolean".into()))?
            }
            "explain" => {
                self.explain = switch(value).ok_or_else(|| bad("expected on, off or a boolean".into()))?
            }
            "policy.inter" => {
                self.inter = Some(match policy(value) {
                    Some(true) => InterPolicy::BreadthFirst,
                    Some(false) => InterPolicy::DepthFirst,
                    None => return Err(bad("expected bfs or dfs".into())),
                });
            }
            "policy.intra" => {
                self.intra = Some(match policy(value) {
                    Some(true) => IntraPolicy::BreadthFirst,
                    Some(false) => IntraPolicy::DepthFirst,
                    None => return Err(bad("expected bfs or dfs".into())),
                });
            }
            "maxSi" | "batch" => {
                let most = value.as_i64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
                let most = most.ok_or_else(|| bad("expected a number from 1 to 4294967295".into()))?;
                let option = if name == "batch" { &mut self.batch } else { &mut self.max_instances };
                *option = Some(most);
            }
            "parallelism" => {
                let most = value.as_i64().and_then(|n| u16::try_from(n).ok()).filter(|n| *n > 0);
                self.parallelism = Some(most.ok_or_else(|| bad("expected a number from 1 to 65535".into()))?);
            }
            "rules.off" => {
                let names = value
                    .as_str()
                    .ok_or_else(|| bad("expected names of rules, separated by commas".into()))?;
                for rule in names.split(',').map(str::trim).filter(|rule| !rule.is_empty()) {
                    self.disabled_rules.insert(rule).map_err(|known| {
                        let rule = excerpt(rule);
                        bad(format!("there is no rule '{rule}'; the rules are {}", known.join(", ")))
                    })?;
                }
            }
            _ => {
                let known = "scopes, explain, policy.inter, policy.intra, maxSi, parallelism, eager, batch, rules.off";
                return Err(bad(format!("no such option; after '{PREFIX}' there are {known}")));
            }
        }
        Ok(())
    }

    /// Executors that a plan may count on.
    pub(crate) fn usable_executors(&self) -> u16 {
        self.parallelism.map_or(self.executors, |most| most.min(self.executors))
    }
}

/// Whether a key is one of the planner's own.
pub(crate) fn is_planner_key(key: &str) -> bool {
    key.starts_with(PREFIX)
}

fn switch(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::String(word) => match word.as_str() {
            "on" | "true" => Some(true),
            "off" | "false" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a policy is breadth-first.
fn policy(value: &Value) -> Option<bool> {
    match value.as_str()?.to_ascii_lowercase().as_str() {
        "bfs" | "breadth-first" => Some(true),
        "dfs" | "depth-first" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(key: &str, value: impl Into<Value>) -> Result<Options, PlanError> {
        let args = vec![Argument::Value(key.into()), Argument::Value(value.into())];
        Options::default().overridden(&[Instruction { name: SourceName::With, args, at: None }])
    }

    #[test]
    fn a_query_overrides_each_option() {
        assert!(!with("mangrove.scopes", false).unwrap().scopes);
        assert_eq!(with("mangrove.policy.inter", "dfs").unwrap().inter, Some(InterPolicy::DepthFirst));
        assert_eq!(with("mangrove.policy.intra", "BFS").unwrap().intra, Some(IntraPolicy::BreadthFirst));
        assert_eq!(with("mangrove.maxSi", 3).unwrap().max_instances, Some(3));
        assert!(with("mangrove.eager", "on").unwrap().eager);
        assert_eq!(with("mangrove.batch", 1).unwrap().batch, Some(1));
        assert_eq!(with("mangrove.parallelism", 2i64).unwrap().parallelism, Some(2));
        let off = with("mangrove.rules.off", "degree, bulking").unwrap().disabled_rules;
        assert!(off.contains("degree") && off.contains("bulking") && !off.contains("distinct"));
    }

    #[test]
    fn other_keys_are_left_to_the_engine() {
        assert_eq!(with("evaluationTimeout", 500).unwrap(), Options::default());
    }

    #[test]
    fn what_is_not_understood_is_refused_by_key() {
        let error = with("mangrove.maxSi", 0).unwrap_err().to_string();
        assert_eq!(error, "option `mangrove.maxSi`: expected a number from 1 to 4294967295");
        let error = with("mangrove.rules.off", "degre").unwrap_err().to_string();
        assert!(error.contains("there is no rule 'degre'") && error.contains("degree"), "{error}");
        assert!(with("mangrove.nope", 1).unwrap_err().to_string().contains("no such option"));
    }
}
