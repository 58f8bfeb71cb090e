//! How large the edge nodes of one label get, where that is declared.

use values::Value;

use super::error::SchemaError;
use super::parse::{bad, fields, map, unknown};
use crate::model::options::TreeBounds;

/// How many edges the edge nodes of a label hold, as the schema declares it in place of what the graph was opened with.
///
/// It is in force for what is split, begun, merged or moved from then on; what is there stays as it is. Nodes of such a label
/// do not follow how they are used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodeBounds {
    /// Two neighbouring edge nodes below this are merged: at most half of `max`, so that what was merged is not split again.
    pub min: u32,
    /// An edge node above this is split, and a list above this leaves its section for an edge-tree: from
    /// [`NodeBounds::LEAST`] to [`NodeBounds::MOST`].
    pub max: u32,
}

impl NodeBounds {
    /// The smallest number of edges that a node may be allowed to hold. Below it, most of a node is what leads to it.
    pub const LEAST: u32 = 16;
    /// The largest: a node is read, changed and written as a whole.
    pub const MOST: u32 = 1 << 16;

    /// Nodes of at most so many edges; neighbours of less than half of that are merged.
    pub fn up_to(max: u32) -> Self {
        Self { min: max / 2, max }
    }

    /// Refuses what nodes cannot keep to.
    pub(crate) fn check(self, place: &str) -> Result<(), SchemaError> {
        let Self { min, max } = self;
        let (least, most) = (Self::LEAST, Self::MOST);
        if !(least..=most).contains(&max) {
            return Err(bad(
                place,
                &format!("an edge node may hold from {least} to {most} edges, not {max}"),
            ));
        }
        if min > max / 2 {
            let half = max / 2;
            let problem =
                format!("edge nodes of up to {max} edges may be merged below 0 to {half}, not {min}");
            return Err(bad(place, &problem));
        }
        Ok(())
    }

    /// Reads `MAX` or `{min: MIN, max: MAX}`.
    pub(crate) fn from_value(value: &Value, place: &str) -> Result<Self, SchemaError> {
        let number = |value: &Value, place: &str| {
            let number = value.as_i64().and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| {
                bad(place, &format!("expected a number of edges, found {}", values::excerpt(value)))
            })
        };
        if value.as_map().is_none() {
            return Ok(Self::up_to(number(value, place)?));
        }
        let (mut min, mut max) = (None, None);
        for (field, place, value) in fields(value, place)? {
            match field {
                "min" => min = Some(number(value, &place)?),
                "max" => max = Some(number(value, &place)?),
                _ => return Err(unknown(place, "min and max")),
            }
        }
        let max = max.ok_or_else(|| bad(place, "the bounds of edge nodes need a max"))?;
        Ok(Self { min: min.unwrap_or(max / 2), max })
    }

    /// The map that [`NodeBounds::from_value`] reads.
    pub(crate) fn to_value(self) -> Value {
        let number = |number: u32| Some(Value::Long(number.into()));
        map([("min", number(self.min)), ("max", number(self.max))])
    }

    /// The bounds of a tree of the label; the rest as it was configured.
    pub(crate) fn of_tree(self, configured: TreeBounds) -> TreeBounds {
        TreeBounds { min: self.min as usize, max: self.max as usize, ..configured }.clamped()
    }
}
