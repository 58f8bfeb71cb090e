//! `select`: of columns, of named objects, of several of them.

use gremlin::{Argument, Pop, StepName};
use values::Str;

use super::call::Call;
use super::modulators::nth;
use super::where_step::look_up;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator, Origin, Select, Selected, Step};
use crate::physical::{Aggregation, FetchKind, LocalFn, SelectForm};

impl Binder<'_> {
    pub(super) fn select(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let (pop, first) = match call.args.first() {
            Some(Argument::Column(column)) => {
                self.no_by(call)?;
                Self::push(out, Kind::Call(LocalFn::Column(*column)), call);
                return Ok(Shape::unknown());
            }
            Some(Argument::Pop(pop)) => (*pop, 1),
            _ => (Pop::Last, 0),
        };
        if matches!(call.args.get(first), Some(Argument::Traversal(_))) {
            return Err(call.unsupported("with a traversal for the key"));
        }
        let names = call.names_from(first, self)?;
        if let [name] = &names[..] {
            let (selected, shape) = self.selected(call, name, 0, pop, &shape)?;
            // An object that is found without searching needs no step of its own kind.
            let kind = match (&selected.origin, selected.by.as_fetch()) {
                (Origin::Slot(slot), Some(what)) if what != FetchKind::This => {
                    Kind::Take(Modulator::FetchFrom(*slot, what))
                }
                (Origin::Named { .. }, _) | (_, None) => {
                    Kind::Select(Select { selections: vec![selected], form: SelectForm::One })
                }
                _ if selected.by.is_this() => look_up(selected.origin, name),
                _ => Kind::Select(Select { selections: vec![selected], form: SelectForm::One }),
            };
            Self::push(out, kind, call);
            return Ok(shape);
        }
        let mut selections = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            selections.push(self.selected(call, name, index, pop, &shape)?.0);
        }
        Self::push(out, Kind::Select(Select { selections, form: SelectForm::Map }), call);
        Ok(Shape { keys: Some(names), ..Shape::of(Type::Map) })
    }

    fn no_by(&mut self, call: &Call<'_>) -> Result<(), PlanError> {
        match call.modulators(StepName::By).next() {
            Some(_) => Err(call.unsupported("of keys or values with by()")),
            None => Ok(()),
        }
    }

    /// One selected object; `index` tells which `by` is its turn.
    fn selected(
        &mut self,
        call: &Call<'_>,
        name: &Str,
        index: usize,
        pop: Pop,
        shape: &Shape,
    ) -> Result<(Selected, Shape), PlanError> {
        // Where only one object can have the name, all of them are a list of one. An entry of the current map or a
        // side-effect of that name is selected as it is.
        let only_one = pop == Pop::All && !self.names.has_history(name);
        let (origin, named) = match only_one.then(|| self.find(name, Pop::Last, shape)) {
            Some(last @ (Origin::Slot(_), _)) => last,
            _ => self.find(name, pop, shape),
        };
        let listed = only_one && matches!(origin, Origin::Slot(_));
        let named = if listed { Shape::of(Type::List) } else { named };
        let bys = self.bys_of_named(call, &named)?;
        let mut by = nth(&bys, index);
        let shape = if by.is_this() { named } else { Shape::unknown() };
        if listed {
            let mut chain = Chain::of(Kind::Aggregate(Aggregation::Fold), StepName::Select);
            if !by.is_this() {
                chain.steps.push(Step::new(Kind::Take(by), StepName::By));
            }
            by = Modulator::Chain(chain);
        }
        Ok((Selected { name: name.clone(), origin, pop, by }, shape))
    }
}
