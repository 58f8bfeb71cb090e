//! What the cells of a column are, and what two kinds have in common.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Decimal128Array, LargeBinaryArray, LargeListArray, LargeStringArray, NullArray,
    PrimitiveArray,
    types::{
        ArrowPrimitiveType, DurationMicrosecondType, Float32Type, Float64Type, Int32Type, Int64Type,
        TimestampMicrosecondType,
    },
};
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::Field;
use mangrove::values::{BigDecimal, BigInt, Value};

use super::{Misfit, column::Column, table::Table};

/// Bytes of many texts one after the other, and where each ends.
#[derive(Default)]
pub(super) struct Texts {
    bytes: Vec<u8>,
    ends: Vec<i64>,
}

impl Texts {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as i64);
    }

    fn parts(self) -> (OffsetBuffer<i64>, Buffer) {
        (offsets(self.ends), Buffer::from_vec(self.bytes))
    }
}

/// Offsets of lists, or texts, that end there.
fn offsets(ends: Vec<i64>) -> OffsetBuffer<i64> {
    let mut offsets = Vec::with_capacity(ends.len() + 1);
    offsets.push(0);
    offsets.extend(ends);
    OffsetBuffer::new(ScalarBuffer::from(offsets))
}

/// The cells of a column. A cell that is null has some value, too.
pub(super) enum Cells {
    /// All are null.
    Nulls(usize),
    Bools(BooleanBufferBuilder),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
    Floats(Vec<f32>),
    Doubles(Vec<f64>),
    Decimals(Vec<BigDecimal>),
    Texts(Texts),
    Binaries(Texts),
    /// Microseconds since 1970, in UTC.
    Times(Vec<i64>),
    /// Microseconds.
    Spans(Vec<i64>),
    Lists(Vec<i64>, Box<Column>),
    Tables(Box<Table>),
}

/// The most digits of a decimal of Arrow's with 128 bits.
const MOST_DIGITS: u8 = 38;

impl Cells {
    /// Cells that a value fits into, `nulls` of which come first.
    pub(super) fn for_value(value: &Value, nulls: usize) -> Option<Self> {
        let texts = || {
            let mut texts = Texts::default();
            (0..nulls).for_each(|_| texts.push(&[]));
            texts
        };
        Some(match value {
            Value::Bool(_) => {
                let mut bools = BooleanBufferBuilder::new(nulls + 1);
                bools.append_n(nulls, false);
                Self::Bools(bools)
            }
            Value::Byte(_) | Value::Short(_) | Value::Int(_) => Self::Ints(vec![0; nulls]),
            Value::Long(_) => Self::Longs(vec![0; nulls]),
            Value::Float(_) => Self::Floats(vec![0.0; nulls]),
            Value::Double(_) => Self::Doubles(vec![0.0; nulls]),
            Value::BigInteger(_) | Value::BigDecimal(_) => Self::Decimals(vec![BigDecimal::default(); nulls]),
            Value::String(_) | Value::Char(_) | Value::Uuid(_) | Value::T(_) | Value::Direction(_) => {
                Self::Texts(texts())
            }
            Value::Binary(_) => Self::Binaries(texts()),
            Value::DateTime(_) => Self::Times(vec![0; nulls]),
            Value::Duration(_) => Self::Spans(vec![0; nulls]),
            Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Path(_) => {
                Self::Lists(vec![0; nulls], Box::default())
            }
            Value::Map(_) | Value::Vertex(_) | Value::Edge(_) | Value::Entry(_) => {
                Self::Tables(Box::new(Table::of_nulls(nulls)))
            }
            _ => return None,
        })
    }

    /// The same cells as a wider kind that has room for a value, too. None: there is none.
    pub(super) fn widened(self, value: &Value) -> Result<Self, Self> {
        use Value::{BigDecimal as Decimal, BigInteger, Byte, Double, Float, Int, Long, Short};
        Ok(match (self, value) {
            (Self::Nulls(nulls), value) => Self::for_value(value, nulls).ok_or(Self::Nulls(nulls))?,
            (Self::Ints(ints), Long(_)) => Self::Longs(ints.into_iter().map(i64::from).collect()),
            (Self::Ints(ints), Float(_) | Double(_)) => {
                Self::Doubles(ints.into_iter().map(f64::from).collect())
            }
            (Self::Longs(longs), Float(_) | Double(_)) => {
                Self::Doubles(longs.into_iter().map(|v| v as f64).collect())
            }
            (Self::Floats(floats), Double(_) | Byte(_) | Short(_) | Int(_) | Long(_)) => {
                Self::Doubles(floats.into_iter().map(f64::from).collect())
            }
            (Self::Ints(ints), BigInteger(_) | Decimal(_)) => {
                Self::Decimals(ints.into_iter().map(BigDecimal::from).collect())
            }
            (Self::Longs(longs), BigInteger(_) | Decimal(_)) => {
                Self::Decimals(longs.into_iter().map(BigDecimal::from).collect())
            }
            (cells, _) => return Err(cells),
        })
    }

    /// What they are called in a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Nulls(_) => "null",
            Self::Bools(_) => "boolean",
            Self::Ints(_) => "int",
            Self::Longs(_) => "long",
            Self::Floats(_) => "float",
            Self::Doubles(_) => "double",
            Self::Decimals(_) => "bigdecimal",
            Self::Texts(_) => "string",
            Self::Binaries(_) => "binary",
            Self::Times(_) => "datetime",
            Self::Spans(_) => "duration",
            Self::Lists(..) => "list",
            Self::Tables(_) => "map",
        }
    }

    /// As Arrow's array; the name is for what goes wrong.
    pub(super) fn into_array(self, name: &str, nulls: Option<NullBuffer>) -> Result<ArrayRef, Misfit> {
        Ok(match self {
            Self::Nulls(rows) => Arc::new(NullArray::new(rows)),
            Self::Bools(mut bools) => Arc::new(BooleanArray::new(bools.finish(), nulls)),
            Self::Ints(values) => primitive::<Int32Type>(values, nulls),
            Self::Longs(values) => primitive::<Int64Type>(values, nulls),
            Self::Floats(values) => primitive::<Float32Type>(values, nulls),
            Self::Doubles(values) => primitive::<Float64Type>(values, nulls),
            Self::Times(values) => Arc::new(
                PrimitiveArray::<TimestampMicrosecondType>::new(values.into(), nulls).with_timezone("UTC"),
            ),
            Self::Spans(values) => primitive::<DurationMicrosecondType>(values, nulls),
            Self::Texts(texts) => {
                let (offsets, bytes) = texts.parts();
                Arc::new(LargeStringArray::try_new(offsets, bytes, nulls).map_err(|e| Misfit::of(name, e))?)
            }
            Self::Binaries(texts) => {
                let (offsets, bytes) = texts.parts();
                Arc::new(LargeBinaryArray::try_new(offsets, bytes, nulls).map_err(|e| Misfit::of(name, e))?)
            }
            Self::Decimals(values) => decimals(name, &values, nulls)?,
            Self::Lists(ends, items) => {
                let items = items.into_array(name)?;
                let field = Arc::new(Field::new("item", items.data_type().clone(), true));
                let lists = LargeListArray::try_new(field, offsets(ends), items, nulls);
                Arc::new(lists.map_err(|e| Misfit::of(name, e))?)
            }
            Self::Tables(table) => Arc::new(table.into_struct(nulls)?),
        })
    }
}

fn primitive<T: ArrowPrimitiveType>(values: Vec<T::Native>, nulls: Option<NullBuffer>) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(values.into(), nulls))
}

/// Decimals with as many digits behind the point as the one that has most.
fn decimals(name: &str, values: &[BigDecimal], nulls: Option<NullBuffer>) -> Result<ArrayRef, Misfit> {
    let too_long = || {
        Misfit::of(
            name,
            format!(
                "a number has more than {MOST_DIGITS} digits, which is more than a decimal of Arrow's has; ask for .asString()"
            ),
        )
    };
    let most =
        values.iter().map(|value| value.normalized().as_bigint_and_exponent().1).max().unwrap_or(0).max(0);
    let scale = i8::try_from(most).ok().filter(|scale| *scale <= MOST_DIGITS as i8).ok_or_else(too_long)?;
    let unscaled = |value: &BigDecimal| {
        // Numbers with thousands of digits are not written out to find that they are too long.
        (value.digits() <= 2 * u64::from(MOST_DIGITS) && value.as_bigint_and_exponent().1 > -100)
            .then(|| value.with_scale(most).as_bigint_and_exponent().0)
            .and_then(|digits: BigInt| i128::try_from(digits).ok())
            .ok_or_else(too_long)
    };
    let unscaled = values.iter().map(unscaled).collect::<Result<Vec<_>, _>>()?;
    let array = Decimal128Array::new(unscaled.into(), nulls);
    let array = array.with_precision_and_scale(MOST_DIGITS, scale).map_err(|e| Misfit::of(name, e))?;
    array.validate_decimal_precision(MOST_DIGITS).map_err(|_| too_long())?;
    Ok(Arc::new(array))
}
