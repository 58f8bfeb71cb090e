//! `math`: where the variables of an expression come from.

use super::call::Call;
use super::modulators::nth;
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
        let bys = self.plain_bys(call, shape)?;
        for (index, name) in names.iter().enumerate() {
            let origin = match name.as_str() {
                "_" => Origin::Current,
                _ => self.resolve(call, name, shape)?.0,
            };
            variables.push((name.clone(), origin, nth(&bys, index)));
        }
        Ok(Kind::Math { expression, variables })
    }
}
