//! Planning, end to end.

use std::sync::Arc;

use gremlin::{StepName, Traversal};
use values::{Str, Value};

use crate::computed::WithoutComputed;
use crate::estimates::{Estimate, Estimates};
use crate::explain::Explanation;
use crate::physical::Plan;
use crate::unknown::Unknown;
use crate::words::{InWords, Words};
use crate::{Options, PlanError, Schema, Statistics, bind, lower, matching, rules};

/// A plan with what the engine needs to know beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The stages it went through, where they were asked for.
    pub explanation: Option<Explanation>,
    /// Whether the traversal asks for the explanation instead of its results (`explain()`).
    pub explains: bool,
    /// The traversal's `with` options that are not the planner's, such as `evaluationTimeout`; the last one counts.
    pub settings: Vec<(Str, Value)>,
    /// Whether other traversals of the same shape can use the plan.
    pub reusable: bool,
    /// What its choices depend on.
    estimates: Vec<Estimate>,
}

impl Planned {
    /// Whether the plan is as good for the literals that these statistics know as for those it was made for.
    pub fn fits(&self, statistics: &dyn Statistics) -> bool {
        self.estimates.iter().all(|estimate| estimate.is_alike(statistics))
    }

    /// The value of a `with` option that is not the planner's.
    pub fn setting(&self, key: &str) -> Option<&Value> {
        self.settings.iter().rev().find(|(known, _)| known == key).map(|(_, value)| value)
    }
}

/// Plans a traversal for a graph.
///
/// The traversal may have been through [`gremlin::parameterize`]; then the plan names its literals by number
/// ([`crate::physical::Operand::Param`]) and serves every traversal of that shape, as long as the schema's version is
/// the same.
///
/// # Errors
/// [`PlanError`], which names the step at fault.
///
/// ```
/// # use planner::{Options, PlanError, Schema, Statistics, plan};
/// # fn show(schema: &dyn Schema, statistics: &dyn Statistics) -> Result<(), Box<dyn std::error::Error>> {
/// let traversal = gremlin::parse_traversal("g.V().has('Person','id',933).out('knows')", &Default::default())?;
/// let planned = plan(&traversal, schema, statistics, &Options { explain: true, ..Options::default() })?;
/// println!("{}", planned.explanation.unwrap_or_default());
/// # Ok(())
/// # }
/// ```
pub fn plan(
    traversal: &Traversal,
    schema: &dyn Schema,
    statistics: &dyn Statistics,
    options: &Options,
) -> Result<Planned, PlanError> {
    let overridden;
    let options = if traversal.source.is_empty() {
        options
    } else {
        overridden = options.overridden(&traversal.source)?;
        &overridden
    };
    let mut source = bind::SourceSettings::of(&traversal.source)?;
    let settings = std::mem::take(&mut source.settings);
    let explains = traversal.steps.last().is_some_and(|step| step.name == StepName::Explain);
    let mut explanation = (explains || options.explain).then(|| Explanation::of(traversal));
    let unknown = Unknown::new(schema);
    let rewritten = source.strategies.apply(traversal)?;
    if let (Some(explanation), Some(rewritten)) = (&mut explanation, &rewritten) {
        explanation.add_traversal("strategies", rewritten);
    }
    let traversal = rewritten.as_ref().unwrap_or(traversal);
    let matched = matching::without_match(traversal, &unknown, statistics)?;
    if let (Some(explanation), Some(matched)) = (&mut explanation, &matched) {
        explanation.add_traversal("match", matched);
    }
    let traversal = matched.as_ref().unwrap_or(traversal);
    let mut logical = bind::bind(traversal, &unknown, source)?;
    let written = |plan: &dyn InWords, room: usize| {
        let mut words = Words::new(schema).at_most(room);
        plan.write(&mut words);
        words.text
    };
    if let Some(explanation) = &mut explanation {
        explanation.add("logical plan", written(&logical, explanation.room()));
    }
    // Who draws from a sequence does so in the order of the stream.
    let in_turn;
    let options = match logical.seed {
        Some(_) => {
            in_turn = Options { parallelism: Some(1), max_instances: Some(1), ..options.clone() };
            &in_turn
        }
        None => options,
    };
    let without_computed = WithoutComputed::new(schema, &logical.computed);
    let schema: &dyn Schema = if logical.computed.is_empty() { schema } else { &without_computed };
    let asked = Estimates::new(statistics);
    rules::rewrite(&mut logical, schema, &asked, options, |rule, plan| {
        if let Some(explanation) = &mut explanation {
            explanation.add(rule, written(plan, explanation.room()));
        }
    });
    let (reusable, estimates) = (!logical.pinned, asked.into_all());
    let plan = lower::lower(logical, schema, statistics, options)?;
    let plan = Plan { unknown: unknown.into_names(), ..plan };
    if let Some(explanation) = &mut explanation {
        explanation.add("physical plan", written(&plan, explanation.room()));
    }
    Ok(Planned { plan: Arc::new(plan), explanation, explains, settings, reusable, estimates })
}
