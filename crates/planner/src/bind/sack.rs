//! `sack`, and the barriers at which sacks are merged.

use gremlin::Argument;
use values::Value;

use super::call::Call;
use super::source::SackSettings;
use super::{Binder, Bound, Shape};
use crate::logical::{Chain, Kind};
use crate::physical::{MergeSacks, Operand, Sack, SackWith};

/// The sacks of a traversal.
pub(super) struct SackPlace {
    /// What the source says of them.
    pub settings: Option<SackSettings>,
    /// Whether traversers have bulks.
    pub bulks: bool,
}

impl Binder<'_> {
    pub(super) fn sack(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        match call.args.first() {
            None => {
                let sack = self.sack_place();
                Self::push(out, Kind::Sack(sack), call);
                Ok(Shape::unknown())
            }
            Some(Argument::Operator(operator)) => {
                let by = self.single_by(call, &shape)?;
                let sack = self.sack_place();
                let into = sack.slot;
                Self::push(out, Kind::SackWith(SackWith { sack, operator: *operator, by, into }), call);
                Ok(shape)
            }
            Some(Argument::Lambda(_)) => Err(call.unsupported("with a lambda")),
            Some(_) => Err(call.bad_argument(0, "an operator, such as Operator.sum")),
        }
    }

    /// Where the sack is. What has no past has one of its own, with nothing in it but what was there at first.
    fn sack_place(&mut self) -> Sack {
        let slot = *self.names.sack().get_or_insert_with(|| self.plan.new_slot());
        let initial = self.sack.settings.as_ref().map_or(Value::Null, |settings| settings.initial.clone());
        Sack { slot, initial: Operand::Const(initial) }
    }

    /// What a barrier does with sacks, if it does anything with them.
    pub(super) fn merge_sacks(&mut self, normalise: bool) -> Option<MergeSacks> {
        let merge = self.sack.settings.as_ref().and_then(|settings| settings.merge);
        let (bulks, apart) =
            (self.sack.bulks, (self.sack.settings.is_some() || self.names.sacks) && merge.is_none());
        if merge.is_none() && bulks && !normalise && !apart {
            return None;
        }
        let sack = self.sack_place();
        let into = sack.slot;
        Some(MergeSacks { sack, merge, apart, normalise, bulks, into })
    }
}
