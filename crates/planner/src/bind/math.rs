//! `math`: where the variables of an expression come from.

use super::call::Call;
use super::{Binder, Shape};
use crate::PlanError;
use crate::logical::{Kind, Origin};
use crate::physical::Expression;

impl Binder<'_> {
    pub(super) fn math(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Kind, PlanError> {
        let expression =
            Expression::parse(&call.name_at(0, self)?).map_err(|problem| call.invalid(problem))?;
        let names = expression.variables();
        let mut variables = Vec::with_capacity(names.len());
        for (index, name) in names.iter().enumerate() {
            let is_named = name != "_";
            let (origin, shape) = match is_named {
                false => (Origin::Current, shape.clone()),
                true => self.resolve(call, name, shape)?,
            };
            variables.push((name.clone(), origin, self.by_in_turn(call, index, &shape, is_named)?));
        }
        Ok(Kind::Math { expression, variables })
    }
}
