//! Building a column value by value.

use graph::ValueRef;
use values::Value;

use crate::batch::Column;

/// Collects values, some of which may be absent, into the most compact column that holds them.
#[derive(Debug)]
pub(super) enum ColumnBuilder {
    /// Nothing but longs so far.
    Longs(Vec<i64>),
    /// All present so far.
    Values(Vec<Value>),
    /// Some are absent.
    Optional(Vec<Option<Value>>),
}

impl ColumnBuilder {
    /// A builder with room for `rows` values.
    pub(super) fn with_capacity(rows: usize) -> Self {
        Self::Longs(Vec::with_capacity(rows))
    }

    /// Appends a value that lies somewhere else, or its absence.
    #[inline]
    pub(super) fn push(&mut self, value: Option<ValueRef<'_>>) {
        match (&mut *self, value) {
            (Self::Longs(longs), Some(ValueRef::Long(v))) => longs.push(v),
            (_, value) => self.push_value(value.map(ValueRef::to_value)),
        }
    }

    /// Appends longs.
    #[inline]
    pub(super) fn extend_longs(&mut self, values: impl Iterator<Item = i64>) {
        match self {
            Self::Longs(longs) => longs.extend(values),
            Self::Values(others) => others.extend(values.map(Value::Long)),
            Self::Optional(others) => others.extend(values.map(|value| Some(Value::Long(value)))),
        }
    }

    /// Appends a value or its absence.
    pub(super) fn push_value(&mut self, value: Option<Value>) {
        match (&mut *self, value) {
            (Self::Longs(longs), Some(Value::Long(v))) => longs.push(v),
            (Self::Longs(longs), Some(v)) => {
                let mut values = Vec::with_capacity(longs.capacity().max(longs.len() + 1));
                values.extend(longs.drain(..).map(Value::Long));
                values.push(v);
                *self = Self::Values(values);
            }
            (Self::Longs(longs), None) => {
                let mut values: Vec<_> = longs.drain(..).map(|v| Some(Value::Long(v))).collect();
                values.push(None);
                *self = Self::Optional(values);
            }
            (Self::Values(values), Some(v)) => values.push(v),
            (Self::Values(values), None) => {
                let mut optional: Vec<_> = values.drain(..).map(Some).collect();
                optional.push(None);
                *self = Self::Optional(optional);
            }
            (Self::Optional(values), v) => values.push(v),
        }
    }

    /// What was appended last, unless that is an absence or a long among longs.
    #[inline]
    pub(super) fn last(&self) -> Option<&Value> {
        match self {
            Self::Longs(_) => None,
            Self::Values(values) => values.last(),
            Self::Optional(values) => values.last()?.as_ref(),
        }
    }

    /// Forgets all but the first rows.
    pub(super) fn truncate(&mut self, rows: usize) {
        match self {
            Self::Longs(longs) => longs.truncate(rows),
            Self::Values(values) => values.truncate(rows),
            Self::Optional(values) => values.truncate(rows),
        }
    }

    /// The column.
    pub(super) fn finish(self) -> Column {
        match self {
            Self::Longs(longs) => Column::Longs(longs),
            Self::Values(values) => Column::from_values(values),
            Self::Optional(values) => Column::from_optional(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_compact_as_its_values_allow() {
        let build = |values: &[Option<Value>]| {
            let mut builder = ColumnBuilder::with_capacity(4);
            values.iter().for_each(|v| builder.push(v.as_ref().map(ValueRef::of)));
            builder.finish()
        };
        assert_eq!(build(&[Some(1i64.into()), Some(2i64.into())]), Column::Longs(vec![1, 2]));
        assert_eq!(
            build(&[Some(1i64.into()), Some("a".into())]),
            Column::Values(vec![1i64.into(), "a".into()])
        );
        assert_eq!(build(&[Some(1i64.into()), None]), Column::Optional(vec![Some(1i64.into()), None]));
        assert_eq!(
            build(&[Some("a".into()), None, Some(3i64.into())]),
            Column::Optional(vec![Some("a".into()), None, Some(3i64.into())])
        );
    }
}
