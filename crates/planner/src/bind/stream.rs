//! Steps over the whole stream, and the same steps over the inside of one object (`Scope.local`).

use gremlin::{Argument, Order, Scope, StepName};
use indexmap::IndexSet;
use values::Str;

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator, Origin};
use crate::physical::{Aggregation, FetchKind, LocalFn, LocalSort, Operand};

impl Binder<'_> {
    pub(super) fn stream_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let (local, first) = match call.args.first() {
            Some(Argument::Scope(scope)) => (*scope == Scope::Local, 1),
            _ => (false, 0),
        };
        let reduces = matches!(
            call.name,
            StepName::Count | StepName::Sum | StepName::Min | StepName::Max | StepName::Mean | StepName::Fold
        );
        if reduces && !local {
            self.no_reducer_in_body(call)?;
        }
        match call.name {
            StepName::Count | StepName::Sum | StepName::Min | StepName::Max | StepName::Mean => {
                let (global, function) = match call.name {
                    StepName::Count => (Aggregation::Count, LocalFn::Count),
                    StepName::Sum => (Aggregation::Sum, LocalFn::Sum),
                    StepName::Min => (Aggregation::Min, LocalFn::Min),
                    StepName::Max => (Aggregation::Max, LocalFn::Max),
                    _ => (Aggregation::Mean, LocalFn::Mean),
                };
                Self::push(out, if local { Kind::Call(function) } else { Kind::Aggregate(global) }, call);
                Ok(Shape::of(if matches!(call.name, StepName::Min | StepName::Max) {
                    Type::Unknown
                } else {
                    Type::Scalar
                }))
            }
            StepName::Fold => {
                let aggregation = match call.args.get(1) {
                    None => Aggregation::Fold,
                    Some(Argument::Operator(operator)) => {
                        Aggregation::Reduce(*operator, call.value_at(0, self)?.clone())
                    }
                    Some(Argument::Lambda(_)) => return Err(call.unsupported("with a lambda")),
                    Some(_) => return Err(call.bad_argument(1, "an operator")),
                };
                let ty = if aggregation == Aggregation::Fold { Type::List } else { Type::Unknown };
                Self::push(out, Kind::Aggregate(aggregation), call);
                Ok(Shape::of(ty))
            }
            StepName::Dedup if local => {
                // Labels say nothing about what is inside an object: as in TinkerPop they are not looked at.
                self.no_by(call, "dedup(local)")?;
                Self::push(out, Kind::Call(LocalFn::Dedup), call);
                Ok(Shape::unknown())
            }
            StepName::Dedup => self.dedup(call, shape, first, out),
            StepName::Order if local => self.order_local(call, shape, out),
            StepName::Order => self.order(call, shape, out),
            StepName::Barrier => {
                let normalise = match call.args.first() {
                    Some(Argument::Lambda(_)) => return Err(call.unsupported("with a lambda")),
                    given => matches!(given, Some(Argument::Barrier(_))),
                };
                let barrier = self.merge_sacks(normalise).map_or(Kind::Barrier, Kind::MergeSacks);
                Self::push(out, barrier, call);
                Ok(shape)
            }
            _ => self.range(call, shape, local, first, out),
        }
    }

    /// A loop's body has no end at which its stream could be reduced.
    pub(super) fn no_reducer_in_body(&self, call: &Call<'_>) -> Result<(), PlanError> {
        match self.body_at == Some(self.depth) {
            true => Err(call.invalid(
                "The parent of a reducing/supplying barrier can not be repeat()-step; put it into local() or map()",
            )),
            false => Ok(()),
        }
    }

    /// `limit`, `skip`, `range`, `tail`.
    fn range(&mut self, call: &Call<'_>, shape: Shape, local: bool, first: usize, out: &mut Chain) -> Bound {
        if call.name == StepName::Tail {
            let n = if call.args.len() > first { call.integer_at(first, self)? } else { 1 };
            let n = u64::try_from(n).unwrap_or(0);
            let kind = if local { Kind::Call(LocalFn::Tail(n as i64)) } else { Kind::Tail(n) };
            Self::push(out, kind, call);
            return Ok(if local { Shape::unknown() } else { shape });
        }
        let (low, high) = match call.name {
            StepName::Limit => (0, call.integer_at(first, self)?),
            StepName::Skip => (call.integer_at(first, self)?, -1),
            _ => (call.integer_at(first, self)?, call.integer_at(first + 1, self)?),
        };
        if low != -1 && high != -1 && low > high {
            return Err(call.invalid(format!("Not a legal range: [{low}, {high}]")));
        }
        // As TinkerPop counts, nothing comes before the first one, and -1 is the end.
        let (low, high) = (low.max(0), if high < -1 { 0 } else { high });
        if local {
            Self::push(out, Kind::Call(LocalFn::Range(low, high)), call);
            return Ok(Shape::unknown());
        }
        Self::push(out, Kind::Range { low: low as u64, high: u64::try_from(high).ok() }, call);
        Ok(shape)
    }

    fn dedup(&mut self, call: &Call<'_>, shape: Shape, first: usize, out: &mut Chain) -> Bound {
        let names: IndexSet<Str> = call.names_from(first, self)?.into_iter().collect();
        let names: Vec<Str> = names.into_iter().collect();
        let keys = if names.is_empty() {
            match self.single_by(call, &shape)? {
                by if by.is_this() => Vec::new(),
                by => vec![(Origin::Current, by)],
            }
        } else {
            self.resolve_all(call, &names, &shape, out)?
        };
        // The iterations of a loop share its steps, and so what a `dedup` among them has seen. What comes first shall
        // be what was reached in the fewest steps, so an iteration must be complete before the next one begins.
        if self.in_body {
            Self::push(out, Kind::Barrier, call);
        }
        Self::push(out, Kind::Dedup { keys, across_iterations: self.in_body }, call);
        Ok(shape)
    }

    fn order(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let keys = self.sort_keys(call, &shape)?;
        Self::push(out, Kind::Order { keys, limit: None }, call);
        Ok(shape)
    }

    fn sort_keys(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Vec<(Modulator, Order)>, PlanError> {
        let bys = self.bys(call, shape)?;
        Ok(bys.into_iter().map(|(by, order)| (by, order.unwrap_or(Order::Asc))).collect())
    }

    fn order_local(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let mut keys = self.without_past(|binder| binder.sort_keys(call, &Shape::unknown()))?;
        // As in TinkerPop: a shuffle that is not the last key is no key at all.
        if keys.last().is_some_and(|(_, order)| *order != Order::Shuffle) {
            keys.retain(|(_, order)| *order != Order::Shuffle);
        }
        let simple: Option<Vec<_>> =
            keys.iter().map(|(by, order)| Some((local_sort(by.as_fetch()?)?, *order))).collect();
        match simple {
            Some(keys) => Self::push(out, Kind::Call(LocalFn::Order(keys)), call),
            None => self.order_members(keys, call, out),
        }
        Ok(shape)
    }

    /// Members are sorted by anything when they are a stream.
    fn order_members(&mut self, keys: Vec<(Modulator, Order)>, call: &Call<'_>, out: &mut Chain) {
        let member = self.plan.new_slot();
        let mut steps = self.each_member(member);
        let mut sort = Vec::with_capacity(keys.len());
        for (by, order) in keys {
            let key = self.plan.new_slot();
            steps.push(Self::keep_of(member, key, by));
            sort.push((Modulator::FetchFrom(key, FetchKind::This), order));
        }
        steps.push(Kind::Order { keys: sort, limit: None });
        steps.push(Kind::Aggregate(Aggregation::Fold));
        let sorted = self.kept(steps, call, out);
        Self::push(out, Kind::Call(LocalFn::Rebuilt(Operand::Slot(sorted))), call);
    }
}

/// What `order(local)` compares.
fn local_sort(what: FetchKind) -> Option<LocalSort> {
    Some(match what {
        FetchKind::This => LocalSort::Member,
        FetchKind::Property(name, key) | FetchKind::Only(name, key) => LocalSort::Property(name, key),
        FetchKind::Token(token) => LocalSort::Token(token),
        FetchKind::Column(column) => LocalSort::Column(column),
        FetchKind::OrNull(_) => return None,
    })
}
