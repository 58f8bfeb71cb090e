//! The patterns of a `match`, read.

use std::collections::HashSet;

use gremlin::{Argument, Instruction, Position, StepName, Traversal};
use indexmap::IndexSet;
use values::{Str, Value, watch};

use super::wrong;
use crate::{PlanError, TICKS};

/// Most patterns of one `match`, those inside `and` and `or` included.
const MAX_PATTERNS: usize = 512;

/// A pattern.
#[derive(Clone, Debug)]
pub(super) enum Pattern {
    /// `as(start).….as(end)`. `reads`: the names that a `where` inside looks at. `after`: those that a `match` inside begins with if
    /// they are known, where patterns before this one find them.
    Path { start: Str, inner: Vec<Instruction<StepName>>, end: Option<Str>, reads: Vec<Str>, after: Vec<Str> },
    /// `where(…)`, `not(…)`: a condition on variables. `starts`: those that it begins with.
    Check { step: Instruction<StepName>, starts: HashSet<Str>, reads: Vec<Str> },
    /// `or(…)`: what any of these finds.
    Or(Vec<Vec<Pattern>>),
}

/// The patterns that are a step's arguments.
pub(super) fn all(args: &[Argument], at: Option<Position>) -> Result<Vec<Pattern>, PlanError> {
    let mut patterns = Vec::new();
    for argument in args {
        match argument {
            Argument::Traversal(traversal) => read(&traversal.steps, at, &mut patterns)?,
            _ => return Err(wrong("its arguments must be traversals", at)),
        }
        if patterns.len() > MAX_PATTERNS {
            return Err(PlanError::TooLarge { what: "patterns of a match()", limit: MAX_PATTERNS });
        }
    }
    let mut found = HashSet::new();
    for pattern in &mut patterns {
        if let Pattern::Path { inner, end, after, .. } = pattern {
            matched_in(inner, &mut |name| after.extend(found.get(&name).cloned()));
            found.extend(end.clone());
        }
    }
    Ok(patterns)
}

/// Visits the variables of the `match`es among steps and inside them.
fn matched_in(steps: &[Instruction<StepName>], visit: &mut dyn FnMut(Str)) {
    for step in steps {
        watch::ticks(TICKS);
        for argument in &step.args {
            let Argument::Traversal(child) = argument else { continue };
            if step.name == StepName::Match {
                child
                    .steps
                    .iter()
                    .filter(|step| step.name == StepName::As)
                    .flat_map(names)
                    .for_each(&mut *visit);
            }
            matched_in(&child.steps, visit);
        }
    }
}

/// Appends the pattern that steps are, or those that it joins.
fn read(
    steps: &[Instruction<StepName>],
    at: Option<Position>,
    into: &mut Vec<Pattern>,
) -> Result<(), PlanError> {
    let is_infix = |step: &Instruction<StepName>, name| step.name == name && step.args.is_empty();
    if steps.iter().any(|step| is_infix(step, StepName::Or)) {
        let operands = steps.split(|step| is_infix(step, StepName::Or));
        let branch = |operand: &[Instruction<StepName>]| {
            let mut branch = Vec::new();
            read(operand, at, &mut branch).map(|()| branch)
        };
        into.push(Pattern::Or(operands.map(branch).collect::<Result<_, PlanError>>()?));
        return Ok(());
    }
    if steps.iter().any(|step| is_infix(step, StepName::And)) {
        return steps
            .split(|step| is_infix(step, StepName::And))
            .try_for_each(|operand| read(operand, at, into));
    }
    let Some((first, rest)) = steps.split_first() else {
        return Err(no_start(at));
    };
    match first.name {
        StepName::As => into.push(path(first, rest, at)?),
        StepName::And if rest.is_empty() => into.extend(all(&first.args, at)?),
        StepName::Or if rest.is_empty() => {
            let branch = |argument: &Argument| all(std::slice::from_ref(argument), at);
            into.push(Pattern::Or(first.args.iter().map(branch).collect::<Result<_, PlanError>>()?));
        }
        StepName::Not if rest.is_empty() => {
            let not = Argument::Traversal(Traversal::anonymous(vec![first.clone()]));
            into.push(check(Instruction::new(StepName::Where, vec![not], first.at)));
        }
        StepName::Where if rest.is_empty() => into.push(check(first.clone())),
        StepName::Where | StepName::Not => into.push(from_condition(first, rest, at)?),
        _ => return Err(no_start(at)),
    }
    Ok(())
}

/// A pattern that begins with a condition and goes on from the variable that the condition begins with.
fn from_condition(
    first: &Instruction<StepName>,
    rest: &[Instruction<StepName>],
    at: Option<Position>,
) -> Result<Pattern, PlanError> {
    let (start, condition) = match (&first.args[..], first.name) {
        ([name, condition @ ..], StepName::Where)
            if name.as_value().is_some_and(|name| name.as_str().is_some()) =>
        {
            let name = name.as_value().and_then(|name| name.as_str().map(Str::from));
            (name, Instruction::new(StepName::Where, condition.to_vec(), first.at))
        }
        ([Argument::Traversal(child)], _) => {
            let start = child.steps.first().filter(|step| step.name == StepName::As);
            (start.and_then(|step| names(step).next()), first.clone())
        }
        _ => (None, first.clone()),
    };
    let start = start.ok_or_else(|| no_start(at))?;
    let condition = match condition.name {
        StepName::Not => {
            let not = Argument::Traversal(Traversal::anonymous(vec![condition]));
            Instruction::new(StepName::Where, vec![not], first.at)
        }
        _ => condition,
    };
    let start = Instruction::new(StepName::As, vec![Value::String(start).into()], first.at);
    path(&start, &[&[condition], rest].concat(), at)
}

fn no_start(at: Option<Position>) -> PlanError {
    wrong(
        "All match()-traversals must have a single start label (i.e. variable): begin each with as('…')",
        at,
    )
}

fn path(
    first: &Instruction<StepName>,
    rest: &[Instruction<StepName>],
    at: Option<Position>,
) -> Result<Pattern, PlanError> {
    let starts: Vec<Str> = names(first).collect();
    let [start] = &starts[..] else { return Err(no_start(at)) };
    // The same name once more says nothing more.
    let again = rest.iter().take_while(|step| step.name == StepName::As && step.args == first.args).count();
    let rest = &rest[again..];
    if rest.first().is_some_and(|step| step.name == StepName::As) {
        // Both are names of what it starts at.
        return Err(no_start(at));
    }
    let ending = rest.iter().rev().take_while(|step| step.name == StepName::As).count();
    let (inner, ending) = rest.split_at(rest.len() - ending);
    let mut ends = ending.iter().flat_map(names);
    let end = ends.next();
    if ends.any(|other| Some(&other) != end.as_ref()) {
        return Err(wrong("The end step of a match()-traversal can have at most one label", at));
    }
    let mut reads = Vec::new();
    reads_in(inner, &mut reads);
    Ok(Pattern::Path { start: start.clone(), inner: inner.to_vec(), end, reads, after: Vec::new() })
}

/// Adds the names that conditions among steps, or inside them, look at.
fn reads_in(steps: &[Instruction<StepName>], into: &mut Vec<Str>) {
    for step in steps {
        watch::ticks(TICKS);
        for argument in &step.args {
            match argument {
                argument if step.name == StepName::Where => names_in(argument, into),
                Argument::Traversal(child) => reads_in(&child.steps, into),
                _ => {}
            }
        }
    }
}

fn check(step: Instruction<StepName>) -> Pattern {
    let mut reads = Vec::new();
    step.args.iter().for_each(|argument| names_in(argument, &mut reads));
    let mut starts = HashSet::new();
    starts_in(&step.args, &mut starts);
    Pattern::Check { starts, step, reads }
}

fn starts_in(args: &[Argument], into: &mut HashSet<Str>) {
    use StepName as S;
    let Some(Argument::Traversal(_)) = args.first() else {
        let name = args.first().and_then(|name| name.as_value()?.as_str().map(Str::from));
        return into.extend(name);
    };
    for argument in args {
        let Argument::Traversal(child) = argument else { continue };
        match child.steps.first() {
            Some(first) if first.name == S::As => into.extend(names(first)),
            Some(first) if matches!(first.name, S::And | S::Or | S::Not | S::Where) => {
                starts_in(&first.args, into);
            }
            _ => {}
        }
    }
}

/// The names that a condition has in it.
pub(super) fn names_in(argument: &Argument, into: &mut Vec<Str>) {
    match argument {
        Argument::Traversal(traversal) => {
            for step in &traversal.steps {
                if step.name == StepName::As {
                    into.extend(names(step));
                }
                step.args.iter().filter(|_| step.name != StepName::As).for_each(|arg| match arg {
                    Argument::Traversal(_) => names_in(arg, into),
                    Argument::Predicate(_) if step.name == StepName::Where => names_in(arg, into),
                    _ => {}
                });
            }
        }
        Argument::Predicate(predicate) => {
            predicate.operands().for_each(|operand| names_in(operand, into));
            predicate.inner().iter().for_each(|inner| {
                names_in(&Argument::Predicate(inner.clone()), into);
            });
        }
        argument => match argument.as_value() {
            Some(Value::String(name)) => into.push(name.clone()),
            Some(Value::List(names)) => {
                into.extend(names.iter().filter_map(Value::as_str).map(Str::from));
            }
            _ => {}
        },
    }
}

/// The names that an `as` gives.
pub(super) fn names(step: &Instruction<StepName>) -> impl Iterator<Item = Str> + '_ {
    step.args.iter().filter_map(|name| name.as_value()?.as_str().map(Str::from))
}

/// The variables that patterns start with, and those that they end with, in the order in which they are written.
pub(super) fn variables(patterns: &[Pattern]) -> (Vec<Str>, Vec<Str>) {
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    each(patterns, &mut |pattern| {
        if let Pattern::Path { start, end, .. } = pattern {
            starts.push(start.clone());
            ends.extend(end.clone());
        }
    });
    (starts, ends)
}

/// The variables that whatever satisfies all patterns has.
pub(super) fn always_found(patterns: &[Pattern]) -> Vec<Str> {
    let mut found = IndexSet::new();
    for pattern in patterns {
        if let Pattern::Path { start, end, .. } = pattern {
            found.insert(start.clone());
            found.extend(end.clone());
        }
    }
    found.into_iter().collect()
}

/// The variables that it depends on whether they were given before: those that patterns start and end with, those that conditions
/// begin with, and those of patterns inside.
pub(super) fn asked_for(patterns: &[Pattern]) -> HashSet<Str> {
    let mut asked = HashSet::new();
    each(patterns, &mut |pattern| match pattern {
        Pattern::Path { start, inner, end, .. } => {
            asked.insert(start.clone());
            asked.extend(end.clone());
            matched_in(inner, &mut |name| {
                asked.insert(name);
            });
        }
        Pattern::Check { starts, .. } if starts.len() == 1 => asked.extend(starts.iter().cloned()),
        Pattern::Check { .. } | Pattern::Or(_) => {}
    });
    asked
}

/// Visits all patterns but those that are several.
fn each<'p>(patterns: &'p [Pattern], visit: &mut dyn FnMut(&'p Pattern)) {
    for pattern in patterns {
        match pattern {
            Pattern::Path { .. } | Pattern::Check { .. } => visit(pattern),
            Pattern::Or(branches) => branches.iter().for_each(|branch| each(branch, visit)),
        }
    }
}

/// The variable that a traverser is which has none yet (TinkerPop's `computeStartLabel`): one that no pattern ends with, else the
/// first of which none that comes before it is an end. Conditions begin with variables as well.
pub(super) fn first_start(patterns: &[Pattern]) -> Option<Str> {
    let (mut starts, ends) = variables(patterns);
    starts.extend(patterns.iter().filter_map(|pattern| match pattern {
        // One that begins with several is of none of them.
        Pattern::Check { starts, .. } if starts.len() == 1 => starts.iter().next().cloned(),
        _ => None,
    }));
    let ended: HashSet<&Str> = ends.iter().collect();
    if let Some(start) = starts.iter().find(|start| !ended.contains(start)) {
        return Some(start.clone());
    }
    starts.into_iter().next()
}
