//! Scripts that come again are not read again.

use std::{
    hash::{BuildHasher, Hash, Hasher},
    mem::{Discriminant, discriminant},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use graph::Snapshot;
use gremlin::{Bindings, Shape, ShapeKey, parameterize};
use quick_cache::{Equivalent, sync::Cache};
use rustc_hash::FxBuildHasher;
use values::{Str, Value};

use super::{
    once::has_key,
    plot::Plot,
    prepare::Prepared,
    script::{Mode, Read, Request},
};
use crate::{Error, database::Inner, services::calls};

/// Bytes of a text that is remembered; longer ones are read each time.
const LONGEST: usize = 8 << 10;

/// Bytes of what a script comes to, its shape and its literals, written out: `1..1000000` is a short text.
const LARGEST: u64 = 2 * LONGEST as u64;

/// Hashes of texts that were seen once, at most.
const SEEN: usize = 4096;

/// What scripts come to, by their text. A script whose text has come before is neither parsed nor has it its literals
/// lifted: its shape is known, and which of its variables is which literal.
///
/// ```text
/// "g.V().has('Person','id',p).out('knows').limit(9)"   p: a long
///       └─▶ shape │ literals: the value of p │ mode: run
/// ```
///
/// Texts are remembered when they come the second time: programs that write their literals into the text send each of
/// them once. To find out where a variable ends up, the text is read twice with made-up values for its variables; what
/// differs between the two is a variable, or the script is read each time it comes (because a variable decides about the
/// traversal's shape, as in `limit(n)`, or is part of a literal).
pub(crate) struct Scripts {
    known: Cache<Id, Option<Arc<Known>>, quick_cache::UnitWeighter, FxBuildHasher>,
    /// By the low bits of the hash.
    seen: Box<[AtomicU64]>,
}

/// What a script is known by: its text, and its variables with their types.
struct Id {
    source: Str,
    text: Str,
    /// All that were given, in the order of their names.
    variables: Box<[(Str, Kind)]>,
}

/// The type of a variable's value; of what is no value nothing is remembered.
type Kind = Option<Discriminant<Value>>;

/// [`Id`], borrowed.
struct Asked<'a> {
    source: &'a str,
    text: &'a str,
    bindings: &'a Bindings,
}

fn hash_of<'a, H: Hasher>(
    source: &str,
    text: &str,
    variables: impl Iterator<Item = (&'a Str, Kind)>,
    state: &mut H,
) {
    (source, text).hash(state);
    variables.for_each(|variable| variable.hash(state));
}

impl Id {
    fn variables(&self) -> impl Iterator<Item = (&Str, Kind)> {
        self.variables.iter().map(|(name, kind)| (name, *kind))
    }
}

impl Asked<'_> {
    fn variables(&self) -> impl Iterator<Item = (&Str, Kind)> {
        self.bindings.iter().map(|(name, bound)| (name, bound.as_value().map(discriminant)))
    }

    fn to_owned(&self) -> Id {
        let variables = self.variables().map(|(name, kind)| (name.clone(), kind)).collect();
        Id { source: self.source.into(), text: self.text.into(), variables }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.source == other.source && self.variables == other.variables
    }
}
impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_of(&self.source, &self.text, self.variables(), state);
    }
}

impl Hash for Asked<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_of(self.source, self.text, self.variables(), state);
    }
}

impl Equivalent<Id> for Asked<'_> {
    fn equivalent(&self, id: &Id) -> bool {
        self.text == id.text.as_str()
            && self.source == id.source.as_str()
            && self.variables().eq(id.variables())
    }
}

/// What a script comes to.
struct Known {
    mode: Mode,
    key: ShapeKey,
    literals: Box<[Literal]>,
}

/// A literal of a script.
enum Literal {
    Constant(Value),
    /// The value of a variable.
    Variable(Str),
}

impl Scripts {
    /// Room for so many scripts.
    pub(crate) fn new(capacity: usize) -> Self {
        let known =
            Cache::with(capacity, capacity as u64, Default::default(), FxBuildHasher, Default::default());
        Self { known, seen: (0..SEEN).map(|_| AtomicU64::new(0)).collect() }
    }

    /// What a script comes to with these values, if that is known.
    pub(crate) fn find(&self, text: &str, source: &str, bindings: &Bindings) -> Option<(Shape, Mode)> {
        let known = self.known.get(&Asked { source, text, bindings })??;
        let literals = known.literals.iter().map(|literal| match literal {
            Literal::Constant(value) => Some(value.clone()),
            Literal::Variable(name) => bindings.get(name)?.as_value().cloned(),
        });
        Some((Shape { key: known.key.clone(), literals: literals.collect::<Option<_>>()? }, known.mode))
    }

    /// Remembers what a script has been found to be, if it has come before.
    pub(crate) fn learn(&self, text: &str, source: &str, bindings: &Bindings, request: &Request) {
        let runs = matches!(request.mode, Mode::Run | Mode::RunForOne);
        if text.len() > LONGEST
            || !runs
            || calls(&request.traversal)
            || has_key(&request.traversal)
            || !self.has_come_before(text)
        {
            return;
        }
        let asked = Asked { source, text, bindings };
        if self.known.peek(&asked).is_none() {
            // That nothing can be remembered is remembered, too.
            let known = Known::of(text, source, bindings, request).map(Arc::new);
            self.known.insert(asked.to_owned(), known);
        }
    }

    fn has_come_before(&self, text: &str) -> bool {
        let hash = FxBuildHasher.hash_one(text);
        self.seen[hash as usize % SEEN].swap(hash, Ordering::Relaxed) == hash
    }
}

/// A script that is read.
pub(crate) enum Script {
    /// It has come before, and is ready to run.
    Prepared(Prepared, Mode),
    /// It was parsed.
    Read(Request),
    /// It is not one traversal.
    Several(Plot),
}

impl Inner {
    /// Reads a script whose statements begin with `source`.
    ///
    /// # Errors
    /// As [`Request::read`], and for settings that make no sense.
    pub(crate) fn read(
        &self,
        text: &str,
        source: &str,
        bindings: &Bindings,
        snapshot: &Snapshot,
    ) -> Result<Script, Error> {
        if let Some((shape, mode)) = self.scripts.find(text, source, bindings)
            && let Some(prepared) = self.preparer.prepare_again(shape, snapshot)?
        {
            return Ok(Script::Prepared(prepared, mode));
        }
        match Request::read(text, source, bindings)? {
            Read::One(request) => {
                self.scripts.learn(text, source, bindings, &request);
                Ok(Script::Read(request))
            }
            Read::Several(plot) => Ok(Script::Several(plot)),
        }
    }
}

impl Known {
    fn of(text: &str, source: &str, bindings: &Bindings, request: &Request) -> Option<Self> {
        let made_up = |round: u32| {
            let values = bindings
                .iter()
                .zip(0..)
                .map(|((name, bound), n)| Some((name.clone(), other(bound.as_value()?, n, round)?.into())));
            values.collect::<Option<Bindings>>()
        };
        let (one, two) = (made_up(0)?, made_up(1)?);
        let shape = parameterize(&mut request.traversal.clone());
        let literals: u64 = shape.literals.iter().map(|literal| literal.extent().expanded).sum();
        if shape.key.bytes() as u64 + literals > LARGEST {
            return None;
        }
        let with_one = shape_of(text, source, &one, request.mode)?;
        let with_two = shape_of(text, source, &two, request.mode)?;
        if with_one.key != shape.key || with_two.key != shape.key {
            return None;
        }
        let literals = shape.literals.into_iter().zip(with_one.literals.iter().zip(&with_two.literals));
        let literals = literals.map(|(value, (a, b))| {
            if is_same(a, b) {
                return is_same(&value, a).then_some(Literal::Constant(value));
            }
            let is_it = |name: &&Str| {
                let is =
                    |of: &Bindings, value| of[*name].as_value().is_some_and(|bound| is_same(bound, value));
                is(&one, a) && is(&two, b) && is(bindings, &value)
            };
            bindings.keys().find(is_it).map(|name| Literal::Variable(name.clone()))
        });
        let literals = literals.collect::<Option<_>>()?;
        Some(Self { mode: request.mode, key: shape.key, literals })
    }
}

/// The shape of a text with some values, if it asks for the same to be done with the traversal.
fn shape_of(text: &str, source: &str, bindings: &Bindings, mode: Mode) -> Option<Shape> {
    let mut request = Request::parse(text, source, bindings).ok()?;
    (request.mode == mode).then(|| parameterize(&mut request.traversal))
}

/// A value of the type of another; each number and each round has its own. `None` for types of which no text can be
/// told apart by their values: collections are taken apart by the parser, and there are two booleans.
fn other(value: &Value, number: u32, round: u32) -> Option<Value> {
    let unique = 0x5ca1_0000 + number * 2 + round;
    match value {
        Value::Int(_) => Some(Value::Int(unique as i32)),
        Value::Long(_) => Some(Value::Long(i64::from(unique) << 24)),
        Value::Double(_) => Some(Value::Double(f64::from(unique) / 3.0)),
        Value::String(_) => Some(Value::from(format!("\u{f8ff}{unique}"))),
        _ => None,
    }
}

/// Whether two values are equal and of one type.
fn is_same(one: &Value, other: &Value) -> bool {
    discriminant(one) == discriminant(other) && one == other
}

#[cfg(test)]
mod tests {
    use gremlin::Argument;

    use super::*;

    fn bindings(pairs: &[(&str, Value)]) -> Bindings {
        pairs.iter().map(|(name, value)| ((*name).into(), value.clone().into())).collect()
    }

    fn scripts(text: &str, given: &Bindings) -> Scripts {
        let scripts = Scripts::new(8);
        for _ in 0..2 {
            assert!(scripts.find(text, "g", given).is_none());
            scripts.learn(text, "g", given, &Request::parse(text, "g", given).unwrap());
        }
        scripts
    }

    /// Holds what is remembered of a text to what the parser says of it with other values.
    fn same_as_read(text: &str, learnt: &[(&str, Value)], asked: &[(&str, Value)]) {
        let (learnt, asked) = (bindings(learnt), bindings(asked));
        let found = scripts(text, &learnt).find(text, "g", &asked);
        let mut request = Request::parse(text, "g", &asked).unwrap();
        let (shape, mode) = found.unwrap_or_else(|| panic!("{text} is not remembered"));
        assert_eq!((shape, mode), (parameterize(&mut request.traversal), request.mode), "{text}");
    }

    fn is_read_each_time(text: &str, learnt: &[(&str, Value)], asked: &[(&str, Value)]) {
        assert!(scripts(text, &bindings(learnt)).find(text, "g", &bindings(asked)).is_none(), "{text}");
    }

    #[test]
    fn what_is_short_and_stands_for_much_is_read_each_time() {
        is_read_each_time("g.inject(1..100000).unfold().count()", &[], &[]);
        // Part of its shape.
        is_read_each_time("g.withSideEffect('x', 1..100000).inject(1).select('x')", &[], &[]);
        is_read_each_time(
            "g.inject(1..600, 1..600).unfold().is(p)",
            &[("p", Value::Int(1))],
            &[("p", Value::Int(2))],
        );
        same_as_read("g.inject(1..9).unfold().count()", &[], &[]);
    }

    #[test]
    fn values_find_their_places() {
        let (seven, nine) = (Value::Long(7), Value::Long(9));
        same_as_read(
            "g.V().has('Person','id',p).out().next()",
            &[("p", seven.clone())],
            &[("p", nine.clone())],
        );
        same_as_read("g.V(7L, p, 7L)", &[("p", seven.clone())], &[("p", nine.clone())]);
        same_as_read(
            "g.V().has('a', between(p, q)).has('b', p)",
            &[("p", seven.clone()), ("q", seven.clone())],
            &[("p", nine), ("q", seven)],
        );
        same_as_read("g.V().has('a', within('x', 'y')).is(z)", &[("z", "x".into())], &[("z", "y".into())]);
        same_as_read("g.V().hasLabel('a').count()", &[], &[]);
        same_as_read("g.V().is(p)", &[("p", Value::Double(0.5))], &[("p", Value::Double(f64::INFINITY))]);
    }

    #[test]
    fn a_constant_that_looks_like_a_made_up_value_stays_what_it_is() {
        let made_up = other(&Value::Int(0), 0, 0).unwrap();
        let text = format!("g.V({}, p)", made_up.as_i64().unwrap());
        same_as_read(&text, &[("p", Value::Int(1))], &[("p", Value::Int(2))]);
    }

    #[test]
    fn what_a_variable_decides_is_read_each_time() {
        let one = [("n", Value::Int(1))];
        is_read_each_time("g.V().limit(n)", &one, &one);
        is_read_each_time("g.V().next(n)", &one, &one);
        is_read_each_time("g.V().count().is(gt(n))", &one, &one);
        is_read_each_time("g.V().hasLabel(l)", &[("l", "a".into())], &[("l", "a".into())]);
        is_read_each_time("g.V().is(within(n, 3))", &one, &one);
        let list = [("l", Value::from(vec![Value::Int(1)]))];
        is_read_each_time("g.V(l)", &list, &list);
        is_read_each_time("g.V().is(b)", &[("b", Value::Bool(true))], &[("b", Value::Bool(true))]);
        is_read_each_time("g.call('mangrove.loads').is(n)", &one, &one);
        is_read_each_time("g.V(n).explain()", &one, &one);
    }

    #[test]
    fn other_variables_or_types_are_another_script() {
        let learnt = [("p", Value::Long(7))];
        is_read_each_time("g.V(p)", &learnt, &[("p", Value::Int(7))]);
        is_read_each_time("g.V(p)", &learnt, &[("p", Value::Long(7)), ("q", Value::Long(8))]);
        let scripts = scripts("g.V(p)", &bindings(&learnt));
        assert!(scripts.find("g.V(p)", "h", &bindings(&learnt)).is_none());
        assert!(scripts.find("g.V(p) ", "g", &bindings(&learnt)).is_none());
    }

    #[test]
    fn nothing_is_remembered_of_what_is_no_value() {
        let by = |order| Bindings::from([("o".into(), Argument::Order(order))]);
        let text = "g.V().order().by('age', o)";
        let (up, down) = (by(gremlin::Order::Asc), by(gremlin::Order::Desc));
        let scripts = scripts(text, &up);
        assert!(scripts.find(text, "g", &up).is_none() && scripts.find(text, "g", &down).is_none());
        let read = |bindings| Request::parse(text, "g", bindings).unwrap().traversal;
        assert_ne!(read(&up), read(&down));
    }
}
