//! One column that grows.

use arrow_array::ArrayRef;
use arrow_buffer::NullBufferBuilder;
use mangrove::values::{BigDecimal, DateTime, Duration, MapKind, Value};

use super::{Misfit, kinds::Cells};

/// See the module.
pub(super) struct Column {
    cells: Cells,
    nulls: NullBufferBuilder,
}

/// Bits that a column has room for at first.
const ROOM: usize = 1 << 10;

impl Default for Column {
    fn default() -> Self {
        Self { cells: Cells::Nulls(0), nulls: NullBufferBuilder::new(ROOM) }
    }
}

impl Column {
    /// One of which so many cells are null.
    pub(super) fn of_nulls(nulls: usize) -> Self {
        let mut column = Self { cells: Cells::Nulls(nulls), ..Self::default() };
        column.nulls.append_n_nulls(nulls);
        column
    }

    pub(super) fn len(&self) -> usize {
        self.nulls.len()
    }

    /// Appends a value.
    pub(super) fn push(&mut self, name: &str, value: &Value) -> Result<(), Misfit> {
        if self.fits(name, value)? {
            self.nulls.append_non_null();
            return Ok(());
        }
        match value {
            Value::Null => {
                self.push_null();
                return Ok(());
            }
            // What these hold is what is wanted.
            Value::VertexProperty(property) => return self.push(name, &property.value),
            Value::Property(property) => return self.push(name, &property.value),
            Value::Map(map) if map.kind() == MapKind::Graph => {
                return Err(Misfit::of(name, "a subgraph is no cell of a table; take to_networkx() of it"));
            }
            _ => {}
        }
        let before = std::mem::replace(&mut self.cells, Cells::Nulls(0));
        match before.widened(value) {
            Ok(wider) => self.cells = wider,
            Err(cells) => {
                let problem = format!(
                    "it has values of several types ({} and {}), and a column has one; convert them in the query (.asString(), \
                     .asNumber()), or take to_list()",
                    cells.kind(),
                    value.type_name()
                );
                self.cells = cells;
                return Err(Misfit::of(name, problem));
            }
        }
        self.push(name, value)
    }

    /// Appends a value if the cells are of its kind; whether they are.
    #[inline]
    fn fits(&mut self, name: &str, value: &Value) -> Result<bool, Misfit> {
        match (&mut self.cells, value) {
            (Cells::Ints(cells), Value::Int(v)) => cells.push(*v),
            (Cells::Longs(cells), Value::Long(v)) => cells.push(*v),
            (Cells::Texts(cells), Value::String(v)) => cells.push(v.as_bytes()),
            (Cells::Doubles(cells), Value::Double(v)) => cells.push(*v),
            (Cells::Floats(cells), Value::Float(v)) => cells.push(*v),
            (Cells::Bools(cells), Value::Bool(v)) => cells.append(*v),
            (Cells::Times(cells), Value::DateTime(v)) => cells.push(micros_of_point(name, v)?),
            (Cells::Spans(cells), Value::Duration(v)) => cells.push(micros_of_span(name, v)?),
            (Cells::Binaries(cells), Value::Binary(v)) => cells.push(v),
            (Cells::Lists(ends, items), value) => {
                let Some(pushed) = push_items(name, items, value) else { return Ok(false) };
                pushed?;
                ends.push(items.len() as i64);
            }
            (Cells::Tables(table), value) => return table.push(value),
            (cells, value) => return wide(cells, value),
        }
        Ok(true)
    }

    pub(super) fn push_null(&mut self) {
        self.nulls.append_null();
        match &mut self.cells {
            Cells::Nulls(nulls) => *nulls += 1,
            Cells::Bools(cells) => cells.append(false),
            Cells::Ints(cells) => cells.push(0),
            Cells::Longs(cells) | Cells::Times(cells) | Cells::Spans(cells) => cells.push(0),
            Cells::Floats(cells) => cells.push(0.0),
            Cells::Doubles(cells) => cells.push(0.0),
            Cells::Decimals(cells) => cells.push(BigDecimal::default()),
            Cells::Texts(cells) | Cells::Binaries(cells) => cells.push(&[]),
            Cells::Lists(ends, items) => ends.push(items.len() as i64),
            Cells::Tables(table) => table.push_null(),
        }
    }

    /// As Arrow's array; the name is for what goes wrong.
    pub(super) fn into_array(mut self, name: &str) -> Result<ArrayRef, Misfit> {
        let nulls = self.nulls.finish();
        self.cells.into_array(name, nulls)
    }
}

/// Appends a value of a narrower kind, or one that is told as text; whether it was one.
fn wide(cells: &mut Cells, value: &Value) -> Result<bool, Misfit> {
    match cells {
        Cells::Ints(cells) => match value {
            Value::Byte(v) => cells.push((*v).into()),
            Value::Short(v) => cells.push((*v).into()),
            _ => return Ok(false),
        },
        Cells::Longs(cells) => match value.as_i64() {
            Some(v) => cells.push(v),
            None => return Ok(false),
        },
        Cells::Doubles(cells) => match value {
            Value::Byte(_) | Value::Short(_) | Value::Int(_) | Value::Long(_) | Value::Float(_) => {
                cells.push(value.as_f64().unwrap_or(f64::NAN));
            }
            _ => return Ok(false),
        },
        Cells::Decimals(cells) => match value {
            Value::BigDecimal(v) => cells.push((**v).clone()),
            Value::BigInteger(v) => cells.push(BigDecimal::from((**v).clone())),
            value => match value.as_i64() {
                Some(v) => cells.push(v.into()),
                None => return Ok(false),
            },
        },
        Cells::Texts(cells) => match value {
            Value::Char(v) => cells.push(v.encode_utf8(&mut [0; 4]).as_bytes()),
            Value::Uuid(v) => cells.push(v.to_string().as_bytes()),
            Value::T(v) => cells.push(v.as_str().as_bytes()),
            Value::Direction(v) => cells.push(v.as_str().as_bytes()),
            _ => return Ok(false),
        },
        _ => return Ok(false),
    }
    Ok(true)
}

/// Appends what is in a collection; None if it is none.
fn push_items(name: &str, items: &mut Column, value: &Value) -> Option<Result<(), Misfit>> {
    let mut push = |item: &Value| items.push(name, item);
    Some(match value {
        Value::List(list) => list.iter().try_for_each(push),
        Value::Set(set) => set.iter().try_for_each(push),
        Value::BulkSet(set) => set.repeated_from(0).try_for_each(push),
        Value::Path(path) => path.objects.iter().try_for_each(&mut push),
        _ => return None,
    })
}

fn micros_of_point(name: &str, point: &DateTime) -> Result<i64, Misfit> {
    micros(point.seconds, point.nanos)
        .ok_or_else(|| Misfit::of(name, format!("{point} is beyond what Arrow's timestamps have")))
}

fn micros_of_span(name: &str, span: &Duration) -> Result<i64, Misfit> {
    micros(span.seconds, span.nanos)
        .ok_or_else(|| Misfit::of(name, format!("{span} is beyond what Arrow's durations have")))
}

fn micros(seconds: i64, nanos: u32) -> Option<i64> {
    seconds.checked_mul(1_000_000)?.checked_add((nanos / 1_000).into())
}
