//! Writing bytecode and what only bytecode holds.

use gremlin::{Argument, Instruction, Predicate, Strategy, Traversal};

use super::json;
use super::writer::{Writer, Written};
use crate::EncodeError;
use crate::bytecode::CARDINALITY_VALUE;
use crate::predicate::{self, Operands};

impl Writer<'_> {
    pub(super) fn argument(&mut self, argument: &Argument) -> Written {
        match argument {
            Argument::Value(v) | Argument::Parameter(_, v) => self.value(v),
            Argument::Order(t) => self.typed_text("g:Order", t.as_str()),
            Argument::Pop(t) => self.typed_text("g:Pop", t.as_str()),
            Argument::Scope(t) => self.typed_text("g:Scope", t.as_str()),
            Argument::Column(t) => self.typed_text("g:Column", t.as_str()),
            Argument::Pick(t) => self.typed_text("g:Pick", t.as_str()),
            Argument::Operator(t) => self.typed_text("g:Operator", t.as_str()),
            Argument::Barrier(t) => self.typed_text("g:Barrier", t.as_str()),
            Argument::Cardinality(t) => self.typed_text("g:Cardinality", t.as_str()),
            Argument::Merge(t) => self.typed_text("g:Merge", t.as_str()),
            Argument::GType(t) => self.typed_text("g:GType", t.as_str()),
            Argument::Dt(t) => self.typed_text("g:DT", t.as_str()),
            compound => self.nested(|w| w.compound_argument(compound)),
        }
    }

    fn compound_argument(&mut self, argument: &Argument) -> Written {
        match argument {
            Argument::Binding(key, value) => self.typed("g:Binding", |w| {
                w.object(|o| {
                    o.text("key", key)?;
                    o.field("value", |w| w.argument(value))
                })
            }),
            Argument::Traversal(traversal) => self.bytecode(traversal),
            Argument::CardinalityValue(cardinality, value) => self.source_call(CARDINALITY_VALUE, |w| {
                w.typed_text("g:Cardinality", cardinality.as_str())?;
                w.raw(",");
                w.value(value)
            }),
            Argument::Predicate(predicate) => self.predicate(predicate),
            Argument::Strategy(strategy) => self.strategy(strategy),
            Argument::Lambda(lambda) => self.typed("g:Lambda", |w| {
                w.object(|o| {
                    o.text("script", &lambda.script)?;
                    o.text("language", &lambda.language)?;
                    o.field("arguments", |w| {
                        json::display(lambda.arguments, w.out);
                        Ok(())
                    })
                })
            }),
            Argument::List(items) => self.collection("g:List", items, Self::argument),
            Argument::Set(items) => self.collection("g:Set", items, Self::argument),
            Argument::Map(entries) if self.dialect.wraps_collections() => {
                let both = entries.iter().flat_map(|(key, value)| [key, value]);
                self.typed("g:Map", |w| w.array(both, Self::argument))
            }
            Argument::Map(_) => Err(EncodeError::Unsupported {
                format: "GraphSON before version 3",
                what: "a map of arguments",
            }),
            simple => self.argument(simple),
        }
    }

    /// A bytecode of one source instruction, whose arguments `write` writes with commas between them.
    pub(super) fn source_call(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Written) -> Written {
        self.typed("g:Bytecode", |w| {
            w.raw("{\"source\":[[");
            w.string(name);
            w.raw(",");
            write(w)?;
            w.raw("]]}");
            Ok(())
        })
    }

    fn bytecode(&mut self, traversal: &Traversal) -> Written {
        self.typed("g:Bytecode", |w| {
            w.object(|o| {
                if !traversal.source.is_empty() {
                    o.field("source", |w| w.array(&traversal.source, |w, c| w.call(c.name.as_str(), c)))?;
                }
                if !traversal.steps.is_empty() {
                    o.field("step", |w| w.array(&traversal.steps, |w, c| w.call(c.name.as_str(), c)))?;
                }
                Ok(())
            })
        })
    }

    fn call<N>(&mut self, name: &str, call: &Instruction<N>) -> Written {
        self.raw("[");
        self.string(name);
        for argument in &call.args {
            self.raw(",");
            self.argument(argument)?;
        }
        self.raw("]");
        Ok(())
    }

    fn predicate(&mut self, p: &Predicate) -> Written {
        let parts = predicate::parts(p);
        self.typed(if parts.is_text { "g:TextP" } else { "g:P" }, |w| {
            w.object(|o| {
                o.text("predicate", parts.name)?;
                o.field("value", |w| w.operands(parts.operands))
            })
        })
    }

    fn operands(&mut self, operands: Operands<'_>) -> Written {
        match operands {
            Operands::One(operand) => self.argument(operand),
            Operands::Two(low, high) => self.array([low, high], Self::argument),
            Operands::Collection(operands) => self.collection("g:List", operands, Self::argument),
            Operands::Values(values) => self.collection("g:List", values, Self::value),
            Operands::Predicates(predicates) => self.array(predicates, |w, p| w.nested(|w| w.predicate(p))),
            Operands::Predicate(p) => self.nested(|w| w.predicate(p)),
        }
    }

    fn strategy(&mut self, strategy: &Strategy) -> Written {
        self.typed(&format!("g:{}", strategy.name), |w| {
            w.object(|o| {
                o.text("fqcn", &strategy.name)?;
                o.field("conf", |w| {
                    w.object(|o| {
                        strategy
                            .configuration
                            .iter()
                            .try_for_each(|(key, value)| o.field(key, |w| w.argument(value)))
                    })
                })
            })
        })
    }
}
