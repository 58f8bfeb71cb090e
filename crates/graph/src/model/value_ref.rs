//! A property value, borrowed from where it is stored.

use values::{DateTime, Str, Value, compare};

/// A property value as it lies in a column: reading one allocates nothing.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    /// A stored null.
    Null,
    /// A truth value.
    Bool(bool),
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer.
    Long(i64),
    /// IEEE double.
    Double(f64),
    /// A string.
    Str(&'a str),
    /// A point in time.
    DateTime(DateTime),
    /// Any other type.
    Other(&'a Value),
}

impl<'a> ValueRef<'a> {
    /// Borrows `value`; scalars that have a variant of their own never become `Other`.
    #[inline]
    pub fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(v) => Self::Bool(*v),
            Value::Int(v) => Self::Int(*v),
            Value::Long(v) => Self::Long(*v),
            Value::Double(v) => Self::Double(*v),
            Value::String(v) => Self::Str(v),
            Value::DateTime(v) => Self::DateTime(*v),
            other => Self::Other(other),
        }
    }

    /// The value, owned.
    #[inline]
    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(v) => Value::Bool(v),
            Self::Int(v) => Value::Int(v),
            Self::Long(v) => Value::Long(v),
            Self::Double(v) => Value::Double(v),
            Self::Str(v) => Value::String(Str::from(v)),
            Self::DateTime(v) => Value::DateTime(v),
            Self::Other(v) => v.clone(),
        }
    }

    /// Gremlin equality (`P.eq`) with `other`, as [`compare::equals`] has it.
    #[inline]
    pub fn equals(self, other: &Value) -> bool {
        match (self, other) {
            (Self::Str(a), Value::String(b)) => a == b.as_str(),
            (Self::Long(a), Value::Long(b)) => a == *b,
            (Self::Int(a), Value::Int(b)) => a == *b,
            (Self::Other(Value::VertexRef(a)), Value::VertexRef(b)) => a == b,
            (a, b) => a.equals_rare(b),
        }
    }

    #[inline(never)]
    fn equals_rare(self, other: &Value) -> bool {
        match self {
            Self::Other(value) => compare::equals(value, other),
            scalar => compare::equals(&scalar.to_value(), other),
        }
    }

    /// TinkerPop's orderability, as [`compare::order`] has it.
    #[inline]
    pub fn order(self, other: ValueRef<'_>) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Long(a), ValueRef::Long(b)) => a.cmp(&b),
            (Self::Int(a), ValueRef::Int(b)) => a.cmp(&b),
            (Self::Str(a), ValueRef::Str(b)) => a.cmp(b),
            (Self::DateTime(a), ValueRef::DateTime(b)) => a.cmp(&b),
            (a, b) => compare::order(&a.to_value(), &b.to_value()),
        }
    }

    /// The integer inside, if this is a byte, short, int or long.
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Self::Int(v) => Some(v.into()),
            Self::Long(v) => Some(v),
            Self::Other(v) => v.as_i64(),
            _ => None,
        }
    }

    /// The string inside, if this is one.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        match self {
            Self::Str(v) => Some(v),
            _ => None,
        }
    }
}
