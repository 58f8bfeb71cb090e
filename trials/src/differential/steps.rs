//! Which steps Mangrove supports, by asking it.

use mangrove::gremlin::{Instruction, StepName, Traversal};
use mangrove::{Database, Error};

/// Steps that say nothing about data, and `store`, which the reference's grammar no longer has.
const APART: &[&str] = &["call", "explain", "fail", "profile", "store"];

/// The names of all steps that Mangrove does not refuse by name.
///
/// # Errors
/// If there can be no graph.
pub fn supported() -> Result<Vec<&'static str>, Error> {
    let database = Database::in_memory()?;
    let refused = |step: StepName| {
        let call = |name| Instruction { name, args: Vec::new(), at: None };
        let traversal = Traversal { steps: vec![call(StepName::V), call(step)], ..Traversal::default() };
        let by_name = format!("step `{}` is not supported", step.as_str());
        let results = database.execute(traversal).map(|results| results.count());
        results.is_err_and(|error| error.to_string().contains(&by_name))
    };
    let names = StepName::ALL.iter().filter(|step| !refused(**step)).map(|step| step.as_str());
    Ok(names.filter(|name| !APART.contains(name)).collect())
}
