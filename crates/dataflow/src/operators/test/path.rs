//! Parts of a traverser's path.

use values::{SeededSet, Str, Value, watch};

use crate::batch::{Paths, Visited};
use crate::error::QueryError;

/// Objects up to which comparing every pair is cheaper than hashing.
const PAIRWISE: usize = 16;

/// The part of a row's path between two labels (both included; the last object that has each), last to first.
///
/// # Errors
/// If a label is not in the path, or `to` comes before `from`.
pub(in crate::operators) fn between<'p>(
    paths: &'p Paths,
    row: usize,
    from: Option<&Str>,
    to: Option<&Str>,
) -> Result<Vec<Visited<'p>>, QueryError> {
    let all: Vec<Visited<'_>> = paths.looked_through(row).collect();
    let place = |label: Option<&Str>, otherwise: usize, what: &str| match label {
        None => Ok(otherwise),
        Some(label) => all.iter().position(|visited| visited.labels().contains(label)).ok_or_else(|| {
            let label = values::excerpt(label);
            QueryError::step(
                "path",
                format!("the path has no object labelled `{label}` to {what}; label it with as()"),
            )
        }),
    };
    let (first, last) = (place(to, 0, "end at")?, place(from, all.len().saturating_sub(1), "start from")?);
    if all.is_empty() {
        return Ok(all);
    }
    if first > last {
        return Err(QueryError::step("path", "the label to end at comes before the label to start from"));
    }
    Ok(all[first..=last].to_vec())
}

/// Whether no object occurs twice between two labels.
pub(super) fn is_simple(
    paths: &Paths,
    row: usize,
    from: Option<&Str>,
    to: Option<&Str>,
) -> Result<bool, QueryError> {
    if from.is_none() && to.is_none() {
        // The usual case allocates nothing and walks the path once.
        let Some(newest) = paths.backwards(row).next() else { return Ok(true) };
        let mut part = [newest; PAIRWISE];
        let mut len = 0;
        for (place, visited) in part.iter_mut().zip(paths.backwards(row)) {
            *place = visited;
            len += 1;
        }
        if len < PAIRWISE {
            return Ok(differ(&part[..len]));
        }
    }
    let part = between(paths, row, from, to)?;
    if part.len() <= PAIRWISE {
        return Ok(differ(&part));
    }
    let mut seen: SeededSet<Value> = SeededSet::default();
    Ok(part.iter().all(|one| {
        watch::tick();
        seen.insert(one.object())
    }))
}

/// Whether no two of these are the same; the first one is the likeliest to be met again.
fn differ(part: &[Visited<'_>]) -> bool {
    part.iter().enumerate().all(|(i, one)| !part[i + 1..].iter().any(|other| other.is_same(one)))
}
