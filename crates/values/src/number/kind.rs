//! The types of numbers and the one where two of them meet.

use crate::Value;

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are those of `Value`'s variants")]
pub enum NumberType {
    Byte,
    Short,
    Int,
    Long,
    BigInteger,
    Float,
    Double,
    BigDecimal,
}

impl NumberType {
    /// Width in bits; 128 stands for "any size".
    pub fn bits(self) -> u32 {
        match self {
            Self::Byte => 8,
            Self::Short => 16,
            Self::Int | Self::Float => 32,
            Self::Long | Self::Double => 64,
            Self::BigInteger | Self::BigDecimal => 128,
        }
    }

    /// Whether numbers of this type may have a fraction.
    pub fn is_floating(self) -> bool {
        matches!(self, Self::Float | Self::Double | Self::BigDecimal)
    }

    /// The narrowest type of at least `bits` bits that has a fraction, or has none.
    pub fn of_width(bits: u32, floating: bool) -> Self {
        match (floating, bits) {
            (true, 0..=32) => Self::Float,
            (true, 33..=64) => Self::Double,
            (true, _) => Self::BigDecimal,
            (false, 0..=8) => Self::Byte,
            (false, 9..=16) => Self::Short,
            (false, 17..=32) => Self::Int,
            (false, 33..=64) => Self::Long,
            (false, _) => Self::BigInteger,
        }
    }

    /// Java's simple class name, as TinkerPop's messages print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "Byte",
            Self::Short => "Short",
            Self::Int => "Integer",
            Self::Long => "Long",
            Self::BigInteger => "BigInteger",
            Self::Float => "Float",
            Self::Double => "Double",
            Self::BigDecimal => "BigDecimal",
        }
    }
}

/// The narrowest type that both promote to.
pub fn promote(a: NumberType, b: NumberType) -> NumberType {
    NumberType::of_width(a.bits().max(b.bits()), a.is_floating() || b.is_floating())
}

impl Value {
    /// The type of the number inside, if this is one.
    #[inline]
    pub fn number_type(&self) -> Option<NumberType> {
        Some(match self {
            Value::Byte(_) => NumberType::Byte,
            Value::Short(_) => NumberType::Short,
            Value::Int(_) => NumberType::Int,
            Value::Long(_) => NumberType::Long,
            Value::BigInteger(_) => NumberType::BigInteger,
            Value::Float(_) => NumberType::Float,
            Value::Double(_) => NumberType::Double,
            Value::BigDecimal(_) => NumberType::BigDecimal,
            _ => return None,
        })
    }

    /// Whether this is a number.
    #[inline]
    pub fn is_number(&self) -> bool {
        self.number_type().is_some()
    }

    /// Whether this is the float or double `NaN`.
    #[inline]
    pub fn is_nan(&self) -> bool {
        match self {
            Value::Float(v) => v.is_nan(),
            Value::Double(v) => v.is_nan(),
            _ => false,
        }
    }
}
