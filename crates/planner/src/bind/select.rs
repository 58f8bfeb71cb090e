//! `select`: of columns, of named objects, of several of them.

use gremlin::{Argument, Pop, StepName, Traversal};
use values::Str;

use super::call::Call;
use super::modulators::nth;
use super::where_step::look_up;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator, Origin, Select, Selected, Step};
use crate::physical::{Aggregation, FetchKind, LocalFn, Operand, SelectForm, SideEffectId, Test};

impl Binder<'_> {
    pub(super) fn select(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let (pop, first) = match call.args.first() {
            Some(Argument::Column(column)) => {
                self.no_by(call, "select(keys) and select(values)")?;
                Self::push(out, Kind::Call(LocalFn::Column(*column)), call);
                return Ok(Shape::unknown());
            }
            Some(Argument::Pop(pop)) => (*pop, 1),
            _ => (Pop::Last, 0),
        };
        if let Some(Argument::Traversal(key)) = call.args.get(first) {
            let pop = if first == 0 { Pop::Mixed } else { pop };
            return self.select_computed(call, key, pop, &shape, out);
        }
        let names = call.names_from(first, self)?;
        if let [name] = &names[..] {
            // As in TinkerPop: of several by() the last counts.
            let last = call.modulators(StepName::By).count().saturating_sub(1);
            let (mut selected, of, shape) = self.selected(call, name, last, pop, &shape)?;
            if matches!(of, Type::Unknown | Type::Scalar) {
                match selected.by {
                    Modulator::Chain(_) => return self.select_or_null(call, name, selected, out),
                    Modulator::Fetch(what) if what != FetchKind::This => {
                        selected.by = Modulator::Fetch(FetchKind::OrNull(Box::new(what)));
                    }
                    _ => {}
                }
            }
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

    /// `select(traversal)`: what has the name that the traversal finds; no traverser without it.
    fn select_computed(
        &mut self,
        call: &Call<'_>,
        key: &Traversal,
        pop: Pop,
        shape: &Shape,
        out: &mut Chain,
    ) -> Bound {
        // Any name may be found, of any time.
        let mut by = self.bys_of_named(call, &Shape::unknown())?.pop().unwrap_or(Modulator::THIS);
        by = by.simplified().unwrap_or(by);
        let mut chain = Chain::default();
        let slot = self.computed(call, key, shape, &mut chain)?;
        Self::push(&mut chain, Kind::Filter(Test::Present(slot)), call);
        let key = Operand::Slot(slot);
        let side_effects = (0..).map(SideEffectId).zip(self.plan.side_effects.keys());
        let side_effects = side_effects.map(|(id, name)| (name.clone(), id)).collect();
        Self::push(&mut chain, Kind::Call(LocalFn::Scoped { key, pop, side_effects }), call);
        if by.is_this() {
            out.steps.append(&mut chain.steps);
            return Ok(Shape::unknown());
        }
        self.made_by(call, by, true, &mut chain);
        Self::push(out, Kind::Map(chain), call);
        Ok(Shape::unknown())
    }

    /// `select(name).by(traversal)` of what may be null, which stays null.
    fn select_or_null(&mut self, call: &Call<'_>, name: &Str, selected: Selected, out: &mut Chain) -> Bound {
        let by = selected.by;
        let found = match selected.origin {
            origin @ Origin::Named { .. } => {
                let selected = Selected { origin, by: Modulator::THIS, ..selected };
                Kind::Select(Select { selections: vec![selected], form: SelectForm::One })
            }
            origin => look_up(origin, name),
        };
        let mut chain = Chain::of(found, call.name);
        self.made_by(call, by, false, &mut chain);
        Self::push(out, Kind::Map(chain), call);
        Ok(Shape::unknown())
    }

    /// What a `by` makes of the current object: null of null. Where it makes nothing there is no traverser, unless it `must`.
    pub(super) fn made_by(&mut self, call: &Call<'_>, by: Modulator, must: bool, chain: &mut Chain) {
        let (found, made) = (self.plan.new_slot(), self.plan.new_slot());
        Self::push(chain, Self::keep_current(found), call);
        Self::push(chain, Self::keep_of(found, made, by), call);
        Self::push(chain, Kind::Call(LocalFn::Made { by: Operand::Slot(made), must }), call);
    }

    /// One selected object, and what it is of before its `by`; `index` tells which `by` is its turn.
    fn selected(
        &mut self,
        call: &Call<'_>,
        name: &Str,
        index: usize,
        pop: Pop,
        shape: &Shape,
    ) -> Result<(Selected, Type, Shape), PlanError> {
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
        let of = named.ty;
        let shape = if by.is_this() { named } else { Shape::unknown() };
        if listed {
            let mut chain = Chain::of(Kind::Aggregate(Aggregation::Fold), StepName::Select);
            if !by.is_this() {
                chain.steps.push(Step::new(Kind::Take(by), StepName::By));
            }
            by = Modulator::Chain(chain);
        }
        Ok((Selected { name: name.clone(), origin, pop, by }, of, shape))
    }
}
