//! Kinds of arguments.

use std::fmt;

use values::Value;

use crate::Argument;

/// A set of kinds of argument; a single argument has exactly one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind(u32);

macro_rules! kinds {
    ($($bit:literal $name:ident $text:literal),* $(,)?) => {
        #[allow(missing_docs, reason = "the texts are the documentation")]
        impl Kind {
            $(pub(crate) const $name: Kind = Kind(1 << $bit);)*
            const SINGLE: &'static [(Kind, &'static str)] = &[$((Kind::$name, $text)),*];
        }
    };
}

kinds! {
    0 NULL "null", 1 BOOL "boolean", 2 INT "integer", 3 FRACTION "fraction", 4 STRING "string", 5 DATE "date-time",
    6 UUID "UUID", 7 LIST "list", 8 SET "set", 9 MAP "map", 10 T "T", 11 DIRECTION "direction", 12 ELEMENT "element",
    13 OTHER "value", 14 TRAVERSAL "traversal", 15 PREDICATE "predicate", 16 ORDER "order", 17 POP "pop",
    18 SCOPE "scope", 19 COLUMN "column", 20 PICK "pick", 21 OPERATOR "operator", 22 BARRIER "barrier",
    23 CARDINALITY "cardinality", 24 CARDINALITY_VALUE "cardinality with value", 25 MERGE "merge",
    26 STRATEGY "strategy", 27 LAMBDA "lambda", 28 GTYPE "type", 29 DT "unit of time",
}

impl Kind {
    /// `a` or `b`.
    pub(crate) const fn or(self, other: Kind) -> Kind {
        Kind(self.0 | other.0)
    }

    /// Whether every kind of `self` is in `other`.
    pub(crate) const fn is_in(self, other: Kind) -> bool {
        self.0 & !other.0 == 0
    }

    /// A string or null: keys and labels.
    pub(crate) const NAME: Kind = Kind::STRING.or(Kind::NULL);
    /// Any number.
    pub(crate) const NUMBER: Kind = Kind::INT.or(Kind::FRACTION);
    /// A map or null.
    pub(crate) const MAP_OR_NULL: Kind = Kind::MAP.or(Kind::NULL);
    /// A traversal, or the lambda that drivers may send in its place.
    pub(crate) const STREAM: Kind = Kind::TRAVERSAL.or(Kind::LAMBDA);
    /// What orders: a token, or a lambda.
    pub(crate) const COMPARATOR: Kind = Kind::ORDER.or(Kind::LAMBDA);
    /// What takes one thing out of another: `T.id`, `Column.keys`.
    pub(crate) const FUNCTION: Kind = Kind::T.or(Kind::COLUMN);
    /// What makes one of two: an operator, or a lambda.
    pub(crate) const BI_FUNCTION: Kind = Kind::OPERATOR.or(Kind::LAMBDA);
    /// The grammar's `genericLiteral`, with the elements that only a binding or bytecode can bring.
    pub(crate) const ANY: Kind = Kind::NAME
        .or(Kind::BOOL)
        .or(Kind::NUMBER)
        .or(Kind::DATE)
        .or(Kind::UUID)
        .or(Kind::LIST)
        .or(Kind::SET)
        .or(Kind::MAP)
        .or(Kind::T)
        .or(Kind::DIRECTION)
        .or(Kind::ELEMENT)
        .or(Kind::OTHER)
        .or(Kind::TRAVERSAL)
        .or(Kind::PICK)
        .or(Kind::CARDINALITY)
        .or(Kind::CARDINALITY_VALUE)
        .or(Kind::MERGE)
        .or(Kind::GTYPE)
        .or(Kind::DT);

    const NAMED: &'static [(Kind, &'static str)] = &[
        (Kind::NAME, "string"),
        (Kind::NUMBER, "number"),
        (Kind::MAP_OR_NULL, "map"),
        (Kind::STREAM, "traversal"),
        (Kind::COMPARATOR, "order"),
        (Kind::FUNCTION, "T or column"),
        (Kind::BI_FUNCTION, "operator"),
        (Kind::ANY, "value"),
    ];

    /// The kind of an argument.
    #[inline]
    pub(crate) fn of(argument: &Argument) -> Kind {
        match argument {
            Argument::Value(value) | Argument::Parameter(_, value) => Self::of_value(value),
            Argument::Binding(_, inner) => Self::of(inner),
            Argument::Traversal(_) => Self::TRAVERSAL,
            Argument::Predicate(_) => Self::PREDICATE,
            Argument::Order(_) => Self::ORDER,
            Argument::Pop(_) => Self::POP,
            Argument::Scope(_) => Self::SCOPE,
            Argument::Column(_) => Self::COLUMN,
            Argument::Pick(_) => Self::PICK,
            Argument::Operator(_) => Self::OPERATOR,
            Argument::Barrier(_) => Self::BARRIER,
            Argument::Cardinality(_) => Self::CARDINALITY,
            Argument::CardinalityValue(..) => Self::CARDINALITY_VALUE,
            Argument::Merge(_) => Self::MERGE,
            Argument::Strategy(_) => Self::STRATEGY,
            Argument::Lambda(_) => Self::LAMBDA,
            Argument::List(_) => Self::LIST,
            Argument::Set(_) => Self::SET,
            Argument::Map(_) => Self::MAP,
            Argument::GType(_) => Self::GTYPE,
            Argument::Dt(_) => Self::DT,
        }
    }

    #[inline]
    fn of_value(value: &Value) -> Kind {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOL,
            Value::Byte(_) | Value::Short(_) | Value::Int(_) | Value::Long(_) | Value::BigInteger(_) => {
                Self::INT
            }
            Value::Float(_) | Value::Double(_) | Value::BigDecimal(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::DateTime(_) => Self::DATE,
            Value::Uuid(_) => Self::UUID,
            Value::List(_) => Self::LIST,
            Value::Set(_) | Value::BulkSet(_) => Self::SET,
            Value::Map(_) => Self::MAP,
            Value::T(_) => Self::T,
            Value::Direction(_) => Self::DIRECTION,
            Value::Char(_) | Value::Duration(_) | Value::Binary(_) | Value::Entry(_) => Self::OTHER,
            _ => Self::ELEMENT,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, name)) = Self::NAMED.iter().find(|(kind, _)| kind == self) {
            return f.write_str(name);
        }
        let mut between = "";
        for (kind, name) in Self::SINGLE {
            if kind.is_in(*self) {
                write!(f, "{between}{name}")?;
                between = " or ";
            }
        }
        Ok(())
    }
}
