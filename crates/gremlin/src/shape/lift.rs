//! Walking over a traversal, lifting its literals and writing down the rest.

use std::mem;

use values::{Value, watch};

use super::key::KeyWriter;
use super::{Lifted, Shape, lifted};
use crate::{Argument, Predicate, StepName, Traversal};

/// What has been lifted and written down so far.
#[derive(Default)]
pub(super) struct Lifter {
    key: KeyWriter,
    literals: Vec<Value>,
}

/// Tells apart the things that a key is made of.
#[repr(u8)]
enum Tag {
    Literal,
    Value,
    Traversal,
    Predicate,
    Printed,
    List,
    Set,
    Map,
    Strategy,
    Many,
}

impl Lifter {
    pub(super) fn finish(self) -> Shape {
        Shape { key: self.key.finish(), literals: self.literals }
    }

    pub(super) fn traversal(&mut self, traversal: &mut Traversal) {
        self.key.count(traversal.source.len());
        for call in &mut traversal.source {
            watch::tick();
            self.key.tag(call.name as u8);
            self.arguments(&mut call.args);
        }
        self.key.count(traversal.steps.len());
        let mut after_count = false;
        for call in &mut traversal.steps {
            watch::tick();
            self.key.tag(call.name as u8);
            self.key.count(call.args.len());
            for i in 0..call.args.len() {
                // `count().is(gt(0))` is planned as a test of existence, so there the number is structure.
                let compares_count = after_count && call.name == StepName::Is;
                let lifted = if compares_count { Lifted::Nothing } else { lifted(call.name, &call.args, i) };
                self.argument(&mut call.args[i], lifted);
            }
            after_count = call.name == StepName::Count;
        }
    }

    /// Arguments that are structure.
    fn arguments(&mut self, args: &mut [Argument]) {
        self.key.count(args.len());
        args.iter_mut().for_each(|argument| self.argument(argument, Lifted::Nothing));
    }

    fn argument(&mut self, argument: &mut Argument, lifted: Lifted) {
        watch::tick();
        match argument {
            Argument::Value(_) | Argument::Parameter(..) if lifted == Lifted::Values => {
                self.literal(argument)
            }
            Argument::Binding(_, inner) => {
                let mut inner = mem::replace(&mut **inner, Argument::Value(Value::Null));
                self.argument(&mut inner, lifted);
                *argument = inner;
            }
            Argument::Value(value) | Argument::Parameter(_, value) => {
                self.key.tag(Tag::Value as u8);
                self.key.value(value);
            }
            Argument::Traversal(inner) => {
                self.key.tag(Tag::Traversal as u8);
                self.traversal(inner);
            }
            Argument::Predicate(predicate) => {
                let operands = if lifted == Lifted::Nothing { Lifted::Nothing } else { Lifted::Values };
                self.key.tag(Tag::Predicate as u8);
                self.predicate(predicate, operands);
            }
            Argument::List(items) => self.items(Tag::List, items),
            Argument::Set(items) => self.items(Tag::Set, items),
            Argument::Map(entries) => {
                self.key.tag(Tag::Map as u8);
                self.key.count(entries.len());
                for (key, value) in entries {
                    self.argument(key, Lifted::Nothing);
                    self.argument(value, Lifted::Nothing);
                }
            }
            Argument::Strategy(strategy) => {
                self.key.tag(Tag::Strategy as u8);
                self.key.text(&strategy.name);
                self.key.count(strategy.configuration.len());
                for (key, value) in &mut strategy.configuration {
                    self.key.text(key);
                    self.argument(value, Lifted::Nothing);
                }
            }
            token => {
                self.key.tag(Tag::Printed as u8);
                self.key.printed(token);
            }
        }
    }

    fn items(&mut self, tag: Tag, items: &mut [Argument]) {
        self.key.tag(tag as u8);
        self.arguments(items);
    }

    /// Makes a parameter of a value.
    fn literal(&mut self, argument: &mut Argument) {
        let (Argument::Value(value) | Argument::Parameter(_, value)) =
            mem::replace(argument, Argument::Value(Value::Null))
        else {
            return;
        };
        self.key.tag(Tag::Literal as u8);
        self.key.signature(&value);
        *argument = Argument::Parameter(self.literals.len() as u32, value.clone());
        self.literals.push(value);
    }

    fn predicate(&mut self, predicate: &mut Predicate, operands: Lifted) {
        watch::tick();
        self.key.text(predicate.name());
        match predicate {
            Predicate::Within(many) | Predicate::Without(many) => self.many(many, operands),
            Predicate::TypeOf(name) => self.argument(name, Lifted::Nothing),
            Predicate::Compare(_, a) | Predicate::Text(_, a) => self.argument(a, operands),
            Predicate::Inside(a, b) | Predicate::Outside(a, b) | Predicate::Between(a, b) => {
                self.argument(a, operands);
                self.argument(b, operands);
            }
            Predicate::And(inner) | Predicate::Or(inner) => {
                self.key.count(inner.len());
                inner.iter_mut().for_each(|inner| self.predicate(inner, operands));
            }
            Predicate::Not(inner) => self.predicate(inner, operands),
        }
    }

    /// The operands of `within`: one parameter, their list, if they are all values.
    fn many(&mut self, many: &mut Vec<Argument>, operands: Lifted) {
        let liftable = operands == Lifted::Values && many.iter().all(|operand| operand.as_value().is_some());
        if !liftable {
            self.key.tag(Tag::Many as u8);
            self.key.count(many.len());
            many.iter_mut().for_each(|operand| self.argument(operand, operands));
            return;
        }
        let mut list = match many.as_slice() {
            [Argument::Parameter(_, list @ Value::List(_))] => Argument::Value(list.clone()),
            values => Argument::Value(
                values.iter().filter_map(Argument::as_value).cloned().collect::<Vec<_>>().into(),
            ),
        };
        self.literal(&mut list);
        *many = vec![list];
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use values::watch::{Ended, Watch, watched};
    use values::{Map, Value};

    use crate::{Argument, Bindings, Predicate, Shape, ShapeKey, Traversal, parameterize, parse_traversal};

    fn shape(text: &str) -> (Shape, Traversal) {
        let mut traversal = parse_traversal(text, &Bindings::new()).expect("the text is Gremlin");
        (parameterize(&mut traversal), traversal)
    }

    fn assert_same(one: &str, other: &str) {
        assert_eq!(shape(one).0.key, shape(other).0.key, "{one} and {other}");
    }

    fn assert_different(one: &str, other: &str) {
        assert_ne!(shape(one).0.key, shape(other).0.key, "{one} and {other}");
    }

    #[test]
    fn traversals_that_differ_in_literals_alone_have_one_shape() {
        assert_same("g.V(1).out('knows')", "g.V( 2 ).out(\"knows\")");
        assert_same("g.V().has('age', gt(29))", "g.V().has('age', P.gt(31))");
        assert_same("g.V().hasId(within(1, 2, 3))", "g.V().hasId(within([7]))");
        assert_same(
            "g.addV('a').property('x', 1).property('y', 'p')",
            "g.addV('a').property('x', 2).property('y', 'q')",
        );
        assert_same("g.mergeV([name: 'a', age: 1])", "g.mergeV([name: 'b', age: 2])");
        assert_same("g.V().where(out().has('x', 1))", "g.V().where(out().has('x', 2))");
        assert_same("g.V().filter(out().values('x').is(lt(1)))", "g.V().filter(out().values('x').is(lt(2)))");
    }

    #[test]
    fn structure_and_types_belong_to_the_shape() {
        assert_different("g.V(1)", "g.V(1l)");
        assert_different("g.V(1)", "g.V(1, 2)");
        assert_different("g.V([1])", "g.V([])");
        assert_same("g.V([1])", "g.V([2, 3])");
        assert_different("g.V().limit(1)", "g.V().limit(2)");
        assert_different("g.V().out('a')", "g.V().out('b')");
        assert_different("g.V().has('a', 1)", "g.V().has('b', 1)");
        assert_different("g.V().has('a', gt(1))", "g.V().has('a', lt(1))");
        assert_different("g.V().has(T.label, 'a')", "g.V().has(T.label, 'b')");
        assert_different("g.V().hasLabel('a')", "g.V().hasLabel('b')");
        assert_different("g.mergeV([name: 'a'])", "g.mergeV([label: 'a'])");
        assert_different("g.V().repeat(out()).times(2)", "g.V().repeat(out()).times(3)");
        assert_different("g.V().order().by('a', asc)", "g.V().order().by('a', desc)");
        assert_different("g.with('x', 1).V()", "g.with('x', 2).V()");
    }

    #[test]
    fn the_labels_that_where_compares_belong_to_the_shape() {
        assert_different("g.V().as('a').out().where(neq('a'))", "g.V().as('a').out().where(neq('b'))");
        assert_different("g.V().where(within('a'))", "g.V().where(within('b'))");
    }

    #[test]
    fn parameters_are_numbered_in_the_order_of_the_literals() {
        let (shape, traversal) =
            shape("g.V(7).has('a', between(1, 2)).where(out().has('b', within('x', 'y')))");
        let list = Value::from(vec![Value::from("x"), Value::from("y")]);
        assert_eq!(shape.literals, [Value::Int(7), Value::Int(1), Value::Int(2), list.clone()]);
        let Argument::Traversal(inner) = &traversal.steps[2].args[0] else { panic!("{traversal}") };
        let Argument::Predicate(Predicate::Within(operands)) = &inner.steps[1].args[1] else {
            panic!("{inner}")
        };
        assert_eq!(operands[..], [Argument::Parameter(3, list)]);
    }

    /// Many mentions of a map of a thousand entries: after one another, and in a map.
    fn mentions_of_a_map() -> [Traversal; 2] {
        let map: Map = (0..1_000).map(|n| (Value::from(format!("a{n}")), Value::Int(n))).collect();
        let bindings = Bindings::from([("x".into(), Argument::Value(map.into()))]);
        let within = (0..2_000).map(|n| format!("b{n}:x")).collect::<Vec<_>>().join(",");
        [vec!["x"; 2_000].join(","), format!("[{within}]")].map(|said| {
            parse_traversal(&format!("g.inject({said})"), &bindings).expect("the text is Gremlin")
        })
    }

    #[test]
    fn a_map_that_is_said_often_is_lifted_each_time_and_written_down_until_there_is_enough() {
        for (mut traversal, literals) in mentions_of_a_map().into_iter().zip([2_000, 1]) {
            let shape = parameterize(&mut traversal);
            let bytes = shape.key.bytes();
            assert!((ShapeKey::KEPT + 1..3 * ShapeKey::KEPT).contains(&bytes), "{bytes}");
            assert_eq!(shape.literals.len(), literals);
            assert!(traversal.steps[0].args.iter().all(|it| matches!(it, Argument::Parameter(..))));
        }
    }

    #[test]
    fn lifting_ends_when_its_watch_says_so() {
        struct Over;
        impl Watch for Over {
            fn must_end(&self) -> bool {
                true
            }
        }
        for mut traversal in mentions_of_a_map() {
            assert_eq!(watched(Arc::new(Over), || parameterize(&mut traversal)), Err(Ended));
        }
    }

    #[test]
    fn lifting_twice_changes_nothing() {
        let (first, mut traversal) = shape("g.V(7).has('a', within(1, 2)).property('b', 'c')");
        assert_eq!(parameterize(&mut traversal), first);
    }
}
