//! The types that `P.typeOf` and `asNumber` name, and the names that error messages use.

use crate::number::NumberType;
use crate::{MapKind, Value};

macro_rules! gtypes {
    ($($variant:ident = $name:literal / $java:literal),* $(,)?) => {
        /// A type of the Gremlin language (TinkerPop's `GType`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are the documentation")]
        pub enum GType { $($variant),* }

        impl GType {
            /// Every type.
            pub const ALL: &'static [GType] = &[$(GType::$variant),*];
            /// The token's name, such as `INT`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
            /// The simple name of TinkerPop's class, such as `Integer`.
            pub fn class_name(self) -> &'static str {
                match self { $(Self::$variant => $java),* }
            }
            /// The type of that token or class name: `INT`, `GType.INT` and `Integer` are one.
            pub fn from_name(name: &str) -> Option<Self> {
                let token = name.strip_prefix("GType.").unwrap_or(name);
                Self::ALL.iter().copied().find(|t| t.as_str() == token || t.class_name() == name)
            }
        }
    };
}

gtypes! {
    BigDecimal = "BIGDECIMAL" / "BigDecimal", BigInt = "BIGINT" / "BigInteger", Binary = "BINARY" / "ByteBuffer",
    Boolean = "BOOLEAN" / "Boolean", Byte = "BYTE" / "Byte", Char = "CHAR" / "Character",
    DateTime = "DATETIME" / "OffsetDateTime", Double = "DOUBLE" / "Double", Duration = "DURATION" / "Duration",
    Edge = "EDGE" / "Edge", Float = "FLOAT" / "Float", Graph = "GRAPH" / "Graph", Int = "INT" / "Integer",
    List = "LIST" / "List", Long = "LONG" / "Long", Map = "MAP" / "Map", Null = "NULL" / "null",
    Number = "NUMBER" / "Number", Path = "PATH" / "Path", Property = "PROPERTY" / "Property", Set = "SET" / "Set",
    Short = "SHORT" / "Short", String = "STRING" / "String", Tree = "TREE" / "Tree", Uuid = "UUID" / "UUID",
    Vertex = "VERTEX" / "Vertex", VProperty = "VPROPERTY" / "VertexProperty",
}

impl GType {
    /// Whether `value` is of this type or of a subtype: every number is a `NUMBER`, a vertex property is a `PROPERTY`.
    pub fn contains(self, value: &Value) -> bool {
        match self {
            Self::Number => value.is_number(),
            Self::Property => matches!(value, Value::Property(_) | Value::VertexProperty(_)),
            // A tree is a map as well.
            Self::Map => matches!(value.gtype(), Some(Self::Map | Self::Tree)),
            exact => value.gtype() == Some(exact),
        }
    }

    /// The type of number that this names; `None` also for `NUMBER`, which names none in particular.
    pub fn number_type(self) -> Option<NumberType> {
        Some(match self {
            Self::Byte => NumberType::Byte,
            Self::Short => NumberType::Short,
            Self::Int => NumberType::Int,
            Self::Long => NumberType::Long,
            Self::BigInt => NumberType::BigInteger,
            Self::Float => NumberType::Float,
            Self::Double => NumberType::Double,
            Self::BigDecimal => NumberType::BigDecimal,
            _ => return None,
        })
    }
}

impl Value {
    /// The type of this value; `None` for tokens and entries of maps, which have none.
    pub fn gtype(&self) -> Option<GType> {
        Some(match self {
            Value::Null => GType::Null,
            Value::Bool(_) => GType::Boolean,
            Value::Byte(_) => GType::Byte,
            Value::Short(_) => GType::Short,
            Value::Int(_) => GType::Int,
            Value::Long(_) => GType::Long,
            Value::BigInteger(_) => GType::BigInt,
            Value::Float(_) => GType::Float,
            Value::Double(_) => GType::Double,
            Value::BigDecimal(_) => GType::BigDecimal,
            Value::Char(_) => GType::Char,
            Value::String(_) => GType::String,
            Value::Uuid(_) => GType::Uuid,
            Value::DateTime(_) => GType::DateTime,
            Value::Duration(_) => GType::Duration,
            Value::Binary(_) => GType::Binary,
            Value::List(_) => GType::List,
            Value::Set(_) | Value::BulkSet(_) => GType::Set,
            Value::Map(map) => match map.kind() {
                MapKind::Map | MapKind::Metrics => GType::Map,
                MapKind::Tree => GType::Tree,
                MapKind::Graph => GType::Graph,
            },
            Value::Path(_) => GType::Path,
            Value::Property(_) => GType::Property,
            Value::VertexProperty(_) => GType::VProperty,
            Value::Edge(_) | Value::EdgeRef(_) => GType::Edge,
            Value::Vertex(_) | Value::VertexRef(_) => GType::Vertex,
            Value::Entry(_) | Value::T(_) | Value::Direction(_) => return None,
        })
    }

    /// The simple name of TinkerPop's class for this value, for messages: `Integer`, `String`, `Vertex`, `null`….
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::T(_) => "T",
            Value::Entry(_) => "Entry",
            Value::Direction(_) => "Direction",
            other => other.gtype().map_or("Object", GType::class_name),
        }
    }
}
