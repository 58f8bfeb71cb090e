//! What the values of columns weigh.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use values::{Extent, LARGE, Value};

use super::Column;
use super::remembered::{self, Known};
use crate::error::QueryError;

/// Collections inside one another beyond which a value is refused: whoever walks through one may recurse.
pub const DEEPEST: u16 = 256;

/// Adds up values. What several of them share is counted once if it is large, and as often as it occurs if it is small.
///
/// It knows what is shared by its address, so what was added must stay as long as more is added.
#[derive(Debug, Default)]
pub struct Weight {
    /// Bytes held.
    pub bytes: usize,
    /// Of these, what large values hold: others may hold the same ones.
    pub of_large: usize,
    /// Bytes written out: as much work is it to walk through all of them.
    pub expanded: u64,
    /// Bytes of the largest value, written out.
    pub largest: u64,
    /// Of the most deeply nested.
    pub depth: u16,
    large: FxHashSet<usize>,
    /// The last of them.
    last: Option<usize>,
}

impl Weight {
    /// Adds a value, without the slot that it stands in.
    #[inline]
    pub fn add(&mut self, value: &Value) {
        self.add_all([value].into_iter());
    }

    /// Adds values. Most are small, and of those nothing is written down one by one.
    #[inline]
    fn add_all<'v>(&mut self, values: impl Iterator<Item = &'v Value>) {
        let (mut small, mut behind) = (0, 0);
        // Rows that share a collection mostly stand together: it is asked once, and the others are counted.
        let (mut last, mut again): (Option<(usize, Extent)>, u64) = (None, 0);
        for value in values {
            match value {
                Value::Null | Value::Bool(_) | Value::Int(_) | Value::Long(_) | Value::Double(_) => {
                    small += 1
                }
                Value::VertexRef(_) | Value::EdgeRef(_) => small += 1,
                Value::String(text) if text.len() <= 15 => small += 1,
                Value::String(text) if text.len() < LARGE as usize / 2 => {
                    small += 1;
                    behind += text.len() + 48;
                }
                other => {
                    let place = other.shared_place();
                    if let Some((known, _)) = last
                        && place == Some(known)
                    {
                        again += 1;
                        continue;
                    }
                    self.add_again(last, std::mem::take(&mut again));
                    let extent = other.extent();
                    last = place.map(|place| (place, extent));
                    self.add_measured(other, extent);
                }
            }
        }
        self.add_again(last, again);
        self.bytes += behind;
        self.expanded = self.expanded.saturating_add((small * size_of::<Value>() + behind) as u64);
    }

    /// Adds a collection `times` more.
    fn add_again(&mut self, collection: Option<(usize, Extent)>, times: u64) {
        let Some((_, extent)) = collection else { return };
        self.expanded = self.expanded.saturating_add(extent.expanded.saturating_mul(times));
        // A large one is held once.
        if extent.expanded < LARGE {
            self.bytes += (extent.own * times) as usize;
        }
    }

    /// Adds a value of which the extent is known.
    #[inline]
    pub fn add_measured(&mut self, value: &Value, extent: Extent) {
        self.expanded = self.expanded.saturating_add(extent.expanded);
        self.largest = self.largest.max(extent.expanded);
        self.depth = self.depth.max(extent.depth);
        if extent.expanded < LARGE {
            self.bytes += extent.own as usize;
        } else {
            self.hold(value, extent);
        }
    }

    /// Adds what a large value holds that is not counted yet.
    fn hold(&mut self, value: &Value, extent: Extent) {
        let address = value.address();
        // Rows that share a value mostly stand together.
        if address.is_some() && address == self.last {
            return;
        }
        self.last = address;
        if address.is_none_or(|address| self.large.insert(address)) {
            self.bytes = self.bytes.saturating_add(extent.own as usize);
            self.of_large = self.of_large.saturating_add(extent.own as usize);
            if extent.has_large && extent.depth <= 2 * DEEPEST {
                value.for_each_part(&mut |part| {
                    let extent = part.extent();
                    if extent.expanded >= LARGE {
                        self.hold(part, extent);
                    }
                });
            }
        }
    }

    /// Forgets that it has counted a value, which is to go, while what it holds stays.
    pub(crate) fn forget(&mut self, value: &Value) {
        if let Some(address) = value.address()
            && self.large.remove(&address)
        {
            self.last = None;
        }
    }

    /// Forgets that it has counted what large values hold, for some of them are to go: others may soon be where they were. What stays
    /// is counted again if it is added again.
    pub(crate) fn forget_large(&mut self) {
        self.large.clear();
        self.last = None;
    }

    /// Adds a column of `len` rows that was perhaps weighed a moment ago.
    pub(super) fn add_shared(&mut self, column: &Arc<Column>, len: usize) {
        /// Rows from which on it takes longer to weigh a column than to look whether it was.
        const WORTH: usize = 16;
        if len < WORTH || !matches!(**column, Column::Values(_) | Column::Optional(_)) {
            return self.add_column(column, len);
        }
        let known = remembered::find(column).unwrap_or_else(|| {
            let (bytes, expanded) = (self.bytes, self.expanded);
            let (largest, depth) = (std::mem::take(&mut self.largest), std::mem::take(&mut self.depth));
            self.add_column(column, len);
            let (bytes, expanded) = (self.bytes - bytes, self.expanded - expanded);
            let known = Known { bytes, expanded, largest: self.largest, depth: self.depth };
            // Large values that others share weigh nothing there.
            if known.largest < LARGE {
                remembered::keep(column, known);
            }
            self.bytes -= bytes;
            self.expanded -= expanded;
            (self.largest, self.depth) = (largest, depth);
            known
        });
        self.bytes += known.bytes;
        self.expanded = self.expanded.saturating_add(known.expanded);
        self.largest = self.largest.max(known.largest);
        self.depth = self.depth.max(known.depth);
    }

    /// Adds a column of `len` rows.
    pub fn add_column(&mut self, column: &Column, len: usize) {
        self.bytes += column.slots(len);
        match column {
            Column::Values(values) => self.add_all(values.iter()),
            Column::Optional(values) => self.add_all(values.iter().flatten()),
            Column::Uniform(value) => {
                let before = self.expanded;
                self.add(value);
                let each = self.expanded - before;
                self.expanded = before.saturating_add(each.saturating_mul(len as u64));
            }
            _ => self.expanded += column.slots(len) as u64,
        }
    }

    /// Whether a value is small, and there is room for what it points to.
    #[inline]
    pub(super) fn is_slight(value: &Value, room: &mut usize) -> bool {
        let behind = match value {
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Long(_) | Value::Double(_) => return true,
            Value::VertexRef(_) | Value::EdgeRef(_) => return true,
            Value::String(text) if text.len() <= 15 => return true,
            Value::String(text) => text.len() + 48,
            other => match other.extent() {
                extent if extent.expanded < LARGE && extent.depth <= DEEPEST => extent.own as usize,
                _ => return false,
            },
        };
        let left = room.checked_sub(behind);
        *room = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether a value takes no more than its slot, and is the same outside the graph.
    #[inline]
    pub(crate) fn is_bare(value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Long(_) | Value::Double(_) => true,
            Value::String(text) => text.len() <= 15,
            _ => false,
        }
    }

    /// Refuses values that are larger, written out, than a query may hold, or nested too deeply.
    ///
    /// # Errors
    /// [`QueryError::ValueTooLarge`], [`QueryError::ValueTooDeep`].
    #[inline]
    pub fn admit(&self, limit: u64) -> Result<(), QueryError> {
        if self.largest > limit {
            return Err(QueryError::ValueTooLarge { size: self.largest, limit });
        }
        if self.depth > DEEPEST {
            return Err(QueryError::ValueTooDeep { limit: DEEPEST });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(values: &[Value]) -> Weight {
        let mut weight = Weight::default();
        weight.add_column(&Column::Values(values.to_vec()), values.len());
        weight
    }

    #[test]
    fn a_large_text_that_rows_share_is_held_once_and_written_out_for_each() {
        let text = Value::from("x".repeat(1 << 20));
        let shared = weight(&vec![text; 2048]);
        assert!((1 << 20..2 << 20).contains(&shared.bytes), "{}", shared.bytes);
        assert!(shared.expanded > 2048 << 20);
        let apart = weight(&(0..8).map(|_| Value::from("x".repeat(1 << 20))).collect::<Vec<_>>());
        assert!(apart.bytes > 8 << 20);
    }

    #[test]
    fn parts_that_large_values_share_are_held_once() {
        let text = Value::from("x".repeat(1 << 20));
        let lists: Vec<Value> = (0..100).map(|i| Value::list([text.clone(), Value::Int(i)])).collect();
        let both = weight(&[Value::list(lists.clone()), Value::list(lists)]);
        assert!((1 << 20..2 << 20).contains(&both.bytes), "{}", both.bytes);
        assert!(both.largest > 100 << 20);
    }

    #[test]
    fn a_value_that_doubles_with_every_step_is_weighed_at_once_and_refused() {
        let mut value = Value::Int(1);
        for _ in 0..200 {
            value = Value::list([value.clone(), value]);
        }
        let weight = weight(&[value]);
        assert_eq!(weight.largest, Extent::MOST);
        assert!(weight.bytes < 1 << 16, "{}", weight.bytes);
        assert!(matches!(weight.admit(1 << 30), Err(QueryError::ValueTooLarge { .. })));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let nested = |depth| (0..depth).fold(Value::Int(1), |inner, _| Value::list([inner]));
        assert!(weight(&[nested(u32::from(DEEPEST))]).admit(1 << 30).is_ok());
        assert!(weight(&[nested(u32::from(DEEPEST) + 1)]).admit(1 << 30).is_err());
    }
}
