//! Parts of a traverser's path.

use values::{Str, Value};

use crate::batch::PathRef;
use crate::batch::path::{PathNode, backwards};
use crate::error::QueryError;

/// Objects up to which comparing every pair is cheaper than hashing.
const PAIRWISE: usize = 12;

/// The nodes of a path between two labels (both included; the last node that has each), last to first.
///
/// # Errors
/// If a label is not in the path, or `to` comes before `from`.
pub(in crate::operators) fn between<'p>(
    path: &'p PathRef,
    from: Option<&Str>,
    to: Option<&Str>,
) -> Result<Vec<&'p PathNode>, QueryError> {
    let nodes: Vec<&PathNode> = backwards(path).collect();
    let place = |label: Option<&Str>, otherwise: usize, what: &str| match label {
        None => Ok(otherwise),
        Some(label) => nodes.iter().position(|node| node.labels.contains(label)).ok_or_else(|| {
            QueryError::step(
                "path",
                format!("the path has no object labelled `{label}` to {what}; label it with as()"),
            )
        }),
    };
    let (first, last) = (place(to, 0, "end at")?, place(from, nodes.len().saturating_sub(1), "start from")?);
    if nodes.is_empty() {
        return Ok(nodes);
    }
    if first > last {
        return Err(QueryError::step("path", "the label to end at comes before the label to start from"));
    }
    Ok(nodes[first..=last].to_vec())
}

/// Whether no object occurs twice between two labels.
pub(super) fn is_simple(path: &PathRef, from: Option<&Str>, to: Option<&Str>) -> Result<bool, QueryError> {
    if from.is_none() && to.is_none() && backwards(path).nth(PAIRWISE).is_none() {
        // The usual case allocates nothing.
        let comes_before =
            |node: &PathNode| backwards(&node.previous).any(|other| other.object == node.object);
        return Ok(!backwards(path).any(comes_before));
    }
    let nodes = between(path, from, to)?;
    if nodes.len() <= PAIRWISE {
        let differs =
            |(i, node): (usize, &&PathNode)| !nodes[..i].iter().any(|other| other.object == node.object);
        return Ok(nodes.iter().enumerate().all(differs));
    }
    let mut seen: rustc_hash::FxHashSet<&Value> = rustc_hash::FxHashSet::default();
    Ok(nodes.iter().all(|node| seen.insert(&node.object)))
}
