//! `tree` and `subgraph`: what traversers have been through, in one object.

use gremlin::StepName;
use values::{Map, Value};

use super::call::Call;
use super::names::declare;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator};
use crate::physical::Aggregation;

impl Binder<'_> {
    pub(super) fn tree_or_graph(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        if call.name == StepName::Subgraph {
            let empty = Map::graph([], []);
            return self.gathers(call, empty.into(), Modulator::THIS, shape, out);
        }
        if call.args.is_empty() {
            let path = self.path_of_tree(call)?;
            self.no_reducer_in_body(call)?;
            // Of equal paths one is enough.
            let once = Kind::Dedup { keys: Vec::new(), across_iterations: false };
            for kind in [path, once, Kind::Aggregate(Aggregation::Tree)] {
                Self::push(out, kind, call);
            }
            return Ok(Shape::of(Type::Map));
        }
        let by = Modulator::Chain(Chain::of(self.whole_path_of_tree(call)?, StepName::Tree));
        self.gathers(call, Map::tree().into(), by, shape, out)
    }

    /// Adds all of the stream to a side-effect that begins as something empty.
    fn gathers(
        &mut self,
        call: &Call<'_>,
        empty: Value,
        by: Modulator,
        shape: Shape,
        out: &mut Chain,
    ) -> Bound {
        let name = call.name_at(0, self)?;
        let side_effect = declare(&name, &mut self.plan)?;
        if let Some((_, declared)) = self.plan.side_effects.get_index_mut(side_effect.0.into()) {
            declared.initial.get_or_insert(empty);
        }
        Self::push(out, Kind::Collect { side_effect, by, eager: true }, call);
        Ok(shape)
    }

    /// The path, without the objects for which a `by` has nothing.
    fn path_of_tree(&mut self, call: &Call<'_>) -> Result<Kind, PlanError> {
        let bys = self.bys_of_named(call, &Shape::unknown())?;
        Ok(self.path_by(bys, (None, None), true, call))
    }

    /// The path of a tree that is a side-effect: each `by` must have something.
    fn whole_path_of_tree(&mut self, call: &Call<'_>) -> Result<Kind, PlanError> {
        let mut bys = self.bys_of_named(call, &Shape::unknown())?;
        for by in bys.iter_mut().filter(|by| !by.is_this()) {
            let mut chain = Chain::default();
            self.made_by(call, by.clone(), true, &mut chain);
            *by = Modulator::Chain(chain);
        }
        Ok(self.path_by(bys, (None, None), false, call))
    }
}
