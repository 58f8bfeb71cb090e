//! Writing values.

use gremlin::{Argument, Instruction, Predicate, Strategy, Traversal};
use values::{
    BigDecimal, BigInt, DateKind, DateTime, Edge, MapKind, Path, Property, Str, Value, Vertex,
    VertexProperty, watch,
};

use super::codes::{self, PRESENT};
use super::version::Version;
use crate::bytecode::CARDINALITY_VALUE;
use crate::predicate::{self, Operands};
use crate::temporal::LocalTime;
use crate::wire_value::{Extended, Graph, Tree, kind_of_argument};
use crate::{EncodeError, MAX_DEPTH, Properties, WireValue};

/// Appends encoded values to a buffer.
pub(super) struct Writer<'a> {
    pub(super) out: &'a mut Vec<u8>,
    properties: Properties,
    pub(super) version: Version,
    depth: usize,
}

pub(super) type Written = Result<(), EncodeError>;

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut Vec<u8>, properties: Properties, version: Version) -> Self {
        Self { out, properties, version, depth: 0 }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// A type code and the flag that a value follows.
    #[inline]
    pub fn head(&mut self, code: u8) {
        self.bytes(&[code, PRESENT]);
    }

    pub fn null(&mut self) {
        self.bytes(&[codes::NULL, codes::ABSENT]);
    }

    pub fn length(&mut self, length: usize) -> Written {
        let length = i32::try_from(length).map_err(|_| EncodeError::TooLong(length))?;
        self.bytes(&length.to_be_bytes());
        Ok(())
    }

    /// A string without code and flag.
    #[inline]
    pub fn text(&mut self, text: &str) -> Written {
        self.length(text.len())?;
        self.bytes(text.as_bytes());
        Ok(())
    }

    pub fn string(&mut self, text: &str) -> Written {
        self.head(codes::STRING);
        self.text(text)
    }

    /// A fully qualified list or set.
    pub fn sequence<T>(
        &mut self,
        code: u8,
        items: impl ExactSizeIterator<Item = T>,
        write: impl FnMut(&mut Self, T) -> Written,
    ) -> Written {
        self.sequence_after([code, PRESENT], items, write)
    }

    /// What begins with that code and flag, and has a length and items.
    pub fn sequence_after<T>(
        &mut self,
        head: [u8; 2],
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Written,
    ) -> Written {
        self.bytes(&head);
        self.length(items.len())?;
        items.into_iter().try_for_each(|item| {
            watch::tick();
            write(self, item)
        })
    }

    /// Writes something that may contain more of its kind.
    pub fn nested(&mut self, write: impl FnOnce(&mut Self) -> Written) -> Written {
        if self.depth == MAX_DEPTH {
            return Err(EncodeError::TooDeep);
        }
        // A value that shares its parts is much larger here than it was.
        watch::tick();
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn fixed<const N: usize>(&mut self, code: u8, bytes: [u8; N]) {
        self.head(code);
        self.bytes(&bytes);
    }

    /// A fully qualified value.
    pub fn value(&mut self, value: &Value) -> Written {
        match value {
            Value::Null => self.null(),
            Value::Bool(v) => self.fixed(codes::BOOLEAN, [u8::from(*v)]),
            Value::Byte(v) => self.fixed(codes::BYTE, v.to_be_bytes()),
            Value::Short(v) => self.fixed(codes::SHORT, v.to_be_bytes()),
            Value::Int(v) => self.fixed(codes::INT, v.to_be_bytes()),
            Value::Long(v) => self.fixed(codes::LONG, v.to_be_bytes()),
            Value::Float(v) => self.fixed(codes::FLOAT, v.to_be_bytes()),
            Value::Double(v) => self.fixed(codes::DOUBLE, v.to_be_bytes()),
            Value::Uuid(v) => self.fixed(codes::UUID, v.into_bytes()),
            Value::String(v) => return self.string(v),
            Value::BigInteger(v) => {
                self.head(codes::BIG_INTEGER);
                return self.big_integer(v);
            }
            Value::BigDecimal(v) => return self.big_decimal(v),
            Value::Char(v) => {
                self.head(codes::CHAR);
                self.bytes(v.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Value::DateTime(v) => self.date_time(v),
            Value::Duration(v) => {
                self.fixed(codes::DURATION, v.seconds.to_be_bytes());
                self.bytes(&v.nanos.to_be_bytes());
            }
            Value::Binary(v) => {
                self.head(codes::BYTE_BUFFER);
                self.length(v.len())?;
                self.bytes(v);
            }
            Value::T(v) => return self.token(codes::T, v.as_str()),
            Value::Direction(v) => return self.token(codes::DIRECTION, v.as_str()),
            Value::VertexRef(_) => return Err(EncodeError::Attached("vertex")),
            Value::EdgeRef(_) => return Err(EncodeError::Attached("edge")),
            Value::Vertex(v) => return self.vertex(v),
            Value::Edge(v) => return self.edge(v),
            Value::VertexProperty(v) => return self.vertex_property(v, false),
            Value::Property(v) => return self.property(v),
            Value::Path(v) => return self.nested(|w| w.path(v)),
            Value::List(v) => return self.nested(|w| w.sequence(codes::LIST, v.iter(), Self::value)),
            Value::Set(v) => return self.nested(|w| w.sequence(codes::SET, v.iter(), Self::value)),
            Value::BulkSet(v) => {
                let head = self.version.bulk_set();
                return self.nested(|w| w.sequence_after(head, v.iter(), Self::member));
            }
            Value::Map(v) => {
                return self.nested(|w| match v.kind() {
                    MapKind::Map => w.map(v.len(), v.iter()),
                    MapKind::Tree => w.extended(&Extended::Tree(Tree::of(v))),
                    MapKind::Graph => w.extended(&Extended::Graph(Graph::of(v))),
                    // Version 4 has no profiles.
                    MapKind::Metrics if w.version == Version::Four => w.map(v.len(), v.iter()),
                    MapKind::Metrics => w.extended(&Extended::profile(v)),
                });
            }
            Value::Entry(v) => return self.nested(|w| w.map(1, std::iter::once((&v.0, &v.1)))),
        }
        Ok(())
    }

    /// A member of a bulk set: how often it is in it fits a long, or is told as the most that one can say.
    fn member(&mut self, (value, count): (&Value, u64)) -> Written {
        self.value(value)?;
        self.bytes(&i64::try_from(count).unwrap_or(i64::MAX).to_be_bytes());
        Ok(())
    }

    fn map<'v>(&mut self, len: usize, entries: impl Iterator<Item = (&'v Value, &'v Value)>) -> Written {
        self.bytes(&self.version.map());
        self.entries(len, entries)
    }

    /// The entries of a map without code and flag.
    pub fn entries<'v>(
        &mut self,
        len: usize,
        mut entries: impl Iterator<Item = (&'v Value, &'v Value)>,
    ) -> Written {
        self.length(len)?;
        entries.try_for_each(|(key, value)| {
            watch::tick();
            self.value(key)?;
            self.value(value)
        })
    }

    /// The name of a token, as a fully qualified string.
    fn token(&mut self, code: u8, name: &str) -> Written {
        self.head(code);
        self.string(name)
    }

    fn big_integer(&mut self, v: &BigInt) -> Written {
        let bytes = v.to_signed_bytes_be();
        self.length(bytes.len())?;
        self.bytes(&bytes);
        Ok(())
    }

    fn big_decimal(&mut self, v: &BigDecimal) -> Written {
        let (unscaled, scale) = v.as_bigint_and_scale();
        let scale = i32::try_from(scale).map_err(|_| EncodeError::Scale(scale))?;
        self.fixed(codes::BIG_DECIMAL, scale.to_be_bytes());
        self.big_integer(&unscaled)
    }

    /// A day without code and flag.
    pub fn local_date(&mut self, v: &DateTime) {
        let ((year, month, day), _) = v.civil();
        // Dates come from a calendar of nine-digit years; a hand-made one beyond it saturates.
        let year = year.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        self.bytes(&year.to_be_bytes());
        self.bytes(&[month as u8, day as u8]);
    }

    pub fn local_date_time(&mut self, v: &DateTime) {
        self.local_date(v);
        self.bytes(&LocalTime::of(v).nanos().to_be_bytes());
    }

    /// A point in time as what it was given; version 4 has one kind alone.
    fn date_time(&mut self, v: &DateTime) {
        match (self.version, v.kind()) {
            (Version::One, DateKind::Date) => self.long(codes::DATE, v.epoch_millis()),
            (Version::One, DateKind::Timestamp) => self.long(codes::TIMESTAMP, v.epoch_millis()),
            _ => self.offset_date_time(self.version.date_time(), v),
        }
    }

    pub fn offset_date_time(&mut self, code: u8, v: &DateTime) {
        self.head(code);
        self.local_date_time(v);
        self.bytes(&v.offset().to_be_bytes());
    }

    /// The label of an element, without code and flag: a string, or in version 4 a list of those that there are.
    pub fn label(&mut self, label: &str) -> Written {
        match self.version {
            Version::One => self.text(label),
            Version::Four if label.is_empty() => self.length(0),
            Version::Four => {
                self.length(1)?;
                self.string(label)
            }
        }
    }

    fn vertex(&mut self, v: &Vertex) -> Written {
        self.head(codes::VERTEX);
        self.value(&v.id)?;
        self.label(&v.label)?;
        match self.properties.of(&v.properties) {
            Some(properties) => {
                self.sequence(codes::LIST, properties.iter(), |w, p| w.vertex_property(p, true))
            }
            None => {
                self.null();
                Ok(())
            }
        }
    }

    fn edge(&mut self, e: &Edge) -> Written {
        self.head(codes::EDGE);
        self.value(&e.id)?;
        self.label(&e.label)?;
        self.value(&e.in_v.id)?;
        self.label(&e.in_v.label)?;
        self.value(&e.out_v.id)?;
        self.label(&e.out_v.label)?;
        self.null();
        self.property_list(&e.properties, false)
    }

    /// Inside a vertex, meta-properties are always a list; alone, there may be null instead.
    fn vertex_property(&mut self, p: &VertexProperty, inside: bool) -> Written {
        self.head(codes::VERTEX_PROPERTY);
        self.value(&p.id)?;
        self.label(&p.key)?;
        self.value(&p.value)?;
        self.null();
        self.property_list(&p.properties, inside)
    }

    fn property_list(&mut self, properties: &[Property], always: bool) -> Written {
        match self.properties.of(properties) {
            Some(properties) => self.sequence(codes::LIST, properties.iter(), Self::property),
            None if always => self.sequence(codes::LIST, properties.iter(), Self::property),
            None => {
                self.null();
                Ok(())
            }
        }
    }

    pub fn property(&mut self, p: &Property) -> Written {
        self.head(codes::PROPERTY);
        self.text(&p.key)?;
        self.value(&p.value)?;
        self.null();
        Ok(())
    }

    fn path(&mut self, p: &Path) -> Written {
        self.head(codes::PATH);
        self.sequence(codes::LIST, p.labels.iter(), |w, labels| {
            w.sequence(codes::SET, labels.iter(), |w, label: &Str| w.string(label))
        })?;
        self.sequence(codes::LIST, p.objects.iter(), Self::value)
    }

    /// A fully qualified value of any type.
    pub fn wire_value(&mut self, value: &WireValue) -> Written {
        match value {
            WireValue::Value(value) => self.value(value),
            WireValue::Argument(argument) => self.argument(argument),
            WireValue::List(items) => {
                self.nested(|w| w.sequence(codes::LIST, items.iter(), Self::wire_value))
            }
            WireValue::Set(items) => self.nested(|w| w.sequence(codes::SET, items.iter(), Self::wire_value)),
            WireValue::Map(entries) => self.nested(|w| {
                w.sequence_after(w.version.map(), entries.iter(), |w, (key, value)| {
                    w.wire_value(key)?;
                    w.wire_value(value)
                })
            }),
            WireValue::Extended(extended) => self.nested(|w| w.extended(extended)),
        }
    }

    /// The error that this version has no form for something.
    pub fn unsupported(&self, what: &'static str) -> EncodeError {
        EncodeError::Unsupported { format: self.version.name(), what }
    }

    fn argument(&mut self, argument: &Argument) -> Written {
        match argument {
            Argument::Value(v) | Argument::Parameter(_, v) => self.value(v),
            Argument::Merge(t) => self.token(codes::MERGE, t.as_str()),
            other if self.version == Version::Four => Err(self.unsupported(kind_of_argument(other))),
            Argument::Order(t) => self.token(codes::ORDER, t.as_str()),
            Argument::Pop(t) => self.token(codes::POP, t.as_str()),
            Argument::Scope(t) => self.token(codes::SCOPE, t.as_str()),
            Argument::Column(t) => self.token(codes::COLUMN, t.as_str()),
            Argument::Pick(t) => self.token(codes::PICK, t.as_str()),
            Argument::Operator(t) => self.token(codes::OPERATOR, t.as_str()),
            Argument::Barrier(t) => self.token(codes::BARRIER, t.as_str()),
            Argument::Cardinality(t) => self.token(codes::CARDINALITY, t.as_str()),
            Argument::GType(t) => self.token(codes::GTYPE, t.as_str()),
            Argument::Dt(t) => self.token(codes::DT, t.as_str()),
            compound => self.nested(|w| w.compound_argument(compound)),
        }
    }

    fn compound_argument(&mut self, argument: &Argument) -> Written {
        match argument {
            Argument::Binding(key, value) => {
                self.head(codes::BINDING);
                self.text(key)?;
                self.argument(value)
            }
            Argument::Traversal(traversal) => self.bytecode(traversal),
            Argument::CardinalityValue(cardinality, value) => {
                self.head(codes::BYTECODE);
                self.length(0)?;
                self.length(1)?;
                self.text(CARDINALITY_VALUE)?;
                self.length(2)?;
                self.token(codes::CARDINALITY, cardinality.as_str())?;
                self.value(value)
            }
            Argument::Predicate(predicate) => self.predicate(predicate),
            Argument::Strategy(strategy) => self.strategy(strategy),
            Argument::Lambda(lambda) => {
                self.head(codes::LAMBDA);
                self.text(&lambda.language)?;
                self.text(&lambda.script)?;
                self.bytes(&lambda.arguments.to_be_bytes());
                Ok(())
            }
            Argument::List(items) => self.sequence(codes::LIST, items.iter(), Self::argument),
            Argument::Set(items) => self.sequence(codes::SET, items.iter(), Self::argument),
            Argument::Map(entries) => self.sequence(codes::MAP, entries.iter(), |w, (key, value)| {
                w.argument(key)?;
                w.argument(value)
            }),
            simple => self.argument(simple),
        }
    }

    fn bytecode(&mut self, traversal: &Traversal) -> Written {
        self.head(codes::BYTECODE);
        self.calls(&traversal.steps, |name| name.as_str())?;
        self.calls(&traversal.source, |name| name.as_str())
    }

    fn calls<N: Copy>(&mut self, calls: &[Instruction<N>], name: fn(N) -> &'static str) -> Written {
        self.length(calls.len())?;
        calls.iter().try_for_each(|call| {
            self.text(name(call.name))?;
            self.length(call.args.len())?;
            call.args.iter().try_for_each(|argument| self.argument(argument))
        })
    }

    fn predicate(&mut self, p: &Predicate) -> Written {
        let parts = predicate::parts(p);
        self.head(if parts.is_text { codes::TEXT_P } else { codes::P });
        self.text(parts.name)?;
        match parts.operands {
            Operands::One(operand) => {
                self.length(1)?;
                self.argument(operand)
            }
            Operands::Two(low, high) => {
                self.length(2)?;
                self.argument(low)?;
                self.argument(high)
            }
            Operands::Collection(operands) => {
                self.length(operands.len())?;
                operands.iter().try_for_each(|operand| self.argument(operand))
            }
            Operands::Values(values) => {
                self.length(values.len())?;
                values.iter().try_for_each(|value| self.value(value))
            }
            Operands::Predicates(predicates) => {
                self.length(predicates.len())?;
                predicates.iter().try_for_each(|p| self.nested(|w| w.predicate(p)))
            }
            Operands::Predicate(p) => {
                self.length(1)?;
                self.nested(|w| w.predicate(p))
            }
        }
    }

    fn strategy(&mut self, strategy: &Strategy) -> Written {
        self.head(codes::TRAVERSAL_STRATEGY);
        self.text(&strategy.name)?;
        self.length(strategy.configuration.len())?;
        strategy.configuration.iter().try_for_each(|(key, value)| {
            self.string(key)?;
            self.argument(value)
        })
    }
}
