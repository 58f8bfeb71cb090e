//! The shape of a traversal: what is left of it when its literals are taken out, so that plans can be kept by shape.

mod key;
mod lift;

pub use key::ShapeKey;

use values::{T, Value};

use crate::{Argument, StepName, Traversal};

/// A traversal's shape, and the literals that fill it in this run.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Equal for traversals that differ in their lifted literals' values alone. Types count, since they can decide
    /// whether an index serves.
    pub key: ShapeKey,
    /// The lifted literals; [`Argument::Parameter`] holds places in this list.
    pub literals: Vec<Value>,
}

/// Lifts the traversal's literals into parameters, in place, and tells its shape.
///
/// Lifted are the values that vary from request to request: ids in `V`, `E` and `hasId`, the values of `has`,
/// `hasValue`, `is`, `property`, `inject` and `constant`, the operands of predicates on values, and the maps of
/// `mergeV` and `mergeE` (whose keys remain part of the shape). All the operands of a `within` become *one* parameter,
/// their list. Everything else is structure: labels, property keys, `limit(20)`, `times(5)`, step labels and the
/// predicates of `where` that compare them, modulators, and the number in `count().is(gt(0))`.
///
/// ```
/// let shape = |text: &str| {
///     let mut traversal = gremlin::parse_traversal(text, &Default::default())?;
///     Ok::<_, gremlin::ParseError>(gremlin::parameterize(&mut traversal))
/// };
/// let one = shape("g.V().has('Person', 'id', 933L).values('name')")?;
/// let other = shape("g.V().has('Person','id',1129L).values('name')")?;
/// assert_eq!(one.key, other.key);
/// assert_eq!(one.literals, [933_i64.into()]);
/// # Ok::<(), gremlin::ParseError>(())
/// ```
pub fn parameterize(traversal: &mut Traversal) -> Shape {
    let mut lifter = lift::Lifter::default();
    lifter.traversal(traversal);
    lifter.finish()
}

/// What of an argument is lifted. Traversals inside it follow their own steps' rules in any case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lifted {
    /// Nothing: it is structure.
    Nothing,
    /// The operands of a predicate.
    Operands,
    /// A value, and the operands of a predicate.
    Values,
}

/// What is lifted of argument `i` of a step.
fn lifted(step: StepName, args: &[Argument], i: usize) -> Lifted {
    use StepName as S;
    match step {
        S::V | S::E | S::HasId | S::HasValue | S::Is | S::Inject | S::Constant | S::MergeV | S::MergeE => {
            Lifted::Values
        }
        S::Has if i > 0 && i == args.len() - 1 && !is_label(&args[0]) => Lifted::Values,
        S::Property if is_property_value(args, i) => Lifted::Values,
        S::Option if i == 1 && matches!(args[0], Argument::Merge(_)) => Lifted::Values,
        S::Filter | S::Until | S::Emit | S::Choose | S::Option | S::All | S::Any | S::None => {
            Lifted::Operands
        }
        _ => Lifted::Nothing,
    }
}

/// Whether this is `T.label`: the label of `has(T.label, 'person')` is structure, as in `hasLabel`.
fn is_label(argument: &Argument) -> bool {
    matches!(argument.as_value(), Some(Value::T(T::Label)))
}

/// In `property([cardinality,] key, value[, key, value]…)` every other argument is a value; so is a lone map.
fn is_property_value(args: &[Argument], i: usize) -> bool {
    let first = usize::from(matches!(args.first(), Some(Argument::Cardinality(_))));
    let lone = args.len() == first + 1;
    i >= first && (lone || (i - first) % 2 == 1)
}
