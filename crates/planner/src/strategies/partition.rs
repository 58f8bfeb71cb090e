//! `PartitionStrategy`: elements outside of the partitions that are read are not seen, and what is created goes into one.

use gremlin::{Argument, Instruction, Predicate, StepName, Traversal};
use values::{Str, Value};

use super::{Config, finds, values_in};
use crate::PlanError;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Partition {
    /// The key under which an element says its partition.
    pub(crate) key: Str,
    /// Where new elements go.
    pub(crate) write: Value,
    read: Vec<Value>,
}

impl Partition {
    pub(super) fn of(config: Config<'_>) -> Result<Self, PlanError> {
        if config.truth("includeMetaProperties", false)? {
            return Err(config.unsupported("with includeMetaProperties"));
        }
        let Some(key) = config.text("partitionKey")? else {
            return Err(
                config.wrong("partitionKey", "a string: the key under which elements say their partition")
            );
        };
        let write = config.text("writePartition")?.map_or(Value::Null, Value::String);
        Ok(Self { key, write, read: config.members("readPartitions")? })
    }

    /// How many values it puts behind each step that finds elements.
    pub(super) fn weight(&self) -> usize {
        self.read.iter().map(values_in).sum()
    }

    pub(super) fn rewrite(&self, traversal: &mut Traversal) {
        let mut steps = Vec::with_capacity(traversal.steps.len() * 2);
        let mut from = std::mem::take(&mut traversal.steps).into_iter().peekable();
        while let Some(first) = from.next() {
            let (found, name, at) = (finds(&first), first.name, first.at);
            steps.push(first);
            if matches!(name, StepName::AddV | StepName::AddE) {
                // Behind what the element is made with.
                while let Some(more) = from.next_if(is_of_addition) {
                    steps.push(more);
                }
                let args = vec![Value::String(self.key.clone()).into(), self.write.clone().into()];
                steps.push(Instruction::new(StepName::Property, args, at));
            }
            if found.is_none() {
                continue;
            }
            // Behind the other conditions on the same element.
            let mut names = Vec::new();
            while let Some(more) = from.next_if(|next| is_condition(next.name)) {
                // A name at the end of a pattern or a `where()` is compared there: nothing comes behind it.
                match more.name {
                    StepName::As => names.push(more),
                    _ => steps.extend(names.drain(..).chain([more])),
                }
            }
            let read = self.read.iter().cloned().map(Argument::Value).collect();
            let within = Argument::Predicate(Predicate::Within(read));
            let key = Argument::Value(Value::String(self.key.clone()));
            steps.push(Instruction::new(StepName::Has, vec![key, within], at));
            steps.extend(names);
        }
        traversal.steps = steps;
    }
}

/// Whether TinkerPop makes it part of the step that adds an element: it names no cardinality, and nothing else.
fn is_of_addition(next: &Instruction<StepName>) -> bool {
    let plain = next.args.iter().all(|arg| matches!(arg, Argument::Value(_) | Argument::Parameter(..)));
    match next.name {
        StepName::Property => next.args.len() == 2 && plain,
        StepName::From | StepName::To => true,
        _ => false,
    }
}

fn is_condition(name: StepName) -> bool {
    use StepName as S;
    matches!(name, S::Has | S::HasLabel | S::HasId | S::HasKey | S::HasValue | S::As)
}
