//! Typed columns: what a bulk load is fed with.

use values::{DateTime, Str, Value};

/// The values of one property key for a chunk of elements, in the order of the elements.
#[derive(Clone, Debug)]
pub struct BulkColumn {
    /// The property key.
    pub key: String,
    /// One value or none per element.
    pub values: BulkValues,
}

/// One value of a multi-property.
#[derive(Clone, Debug)]
pub struct BulkCell {
    /// The value.
    pub value: Value,
    /// Its meta-properties.
    pub meta: Vec<(Str, Value)>,
    /// The id that the property comes with, if it is to be kept; no other property of the vertex should have it. Without one
    /// it gets a generated id.
    pub id: Option<Value>,
}

impl BulkCell {
    /// A value without meta-properties.
    pub fn plain(value: Value) -> Self {
        Self { value, meta: Vec::new(), id: None }
    }

    /// Whether the value alone says it all.
    pub fn is_plain(&self) -> bool {
        self.meta.is_empty() && self.id.is_none()
    }
}

/// The values of a column. `None` (or no value) means that the element has no such property.
#[derive(Clone, Debug)]
pub enum BulkValues {
    /// 64-bit integers.
    Long(Vec<Option<i64>>),
    /// 32-bit integers.
    Int(Vec<Option<i32>>),
    /// IEEE doubles.
    Double(Vec<Option<f64>>),
    /// Truth values.
    Bool(Vec<Option<bool>>),
    /// Strings.
    Str(BulkStrings),
    /// Points in time.
    DateTime(Vec<Option<DateTime>>),
    /// Values of any storable type.
    Any(Vec<Option<Value>>),
    /// Multi- and meta-properties of vertices: all values of each element. Not for edges.
    Multi(Vec<Vec<BulkCell>>),
}

impl BulkValues {
    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::Long(v) => v.len(),
            Self::Int(v) => v.len(),
            Self::Double(v) => v.len(),
            Self::Bool(v) => v.len(),
            Self::Str(v) => v.len(),
            Self::DateTime(v) => v.len(),
            Self::Any(v) => v.len(),
            Self::Multi(v) => v.len(),
        }
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Many strings in one allocation.
///
/// ```text
/// bytes: │alice│bob│…│      ends: │5│8│8│…│      present: │1│1│0│…│
/// ```
#[derive(Clone, Debug, Default)]
pub struct BulkStrings {
    bytes: String,
    ends: Vec<usize>,
    present: Vec<bool>,
}

impl BulkStrings {
    /// No strings yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// No strings yet, with room for `rows` of them that have `bytes` in all.
    pub fn with_capacity(rows: usize, bytes: usize) -> Self {
        Self {
            bytes: String::with_capacity(bytes),
            ends: Vec::with_capacity(rows),
            present: Vec::with_capacity(rows),
        }
    }
    /// Appends the next element's string, or that it has none.
    pub fn push(&mut self, value: Option<&str>) {
        self.bytes.push_str(value.unwrap_or_default());
        self.ends.push(self.bytes.len());
        self.present.push(value.is_some());
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// The string of element `row`; `None` also beyond the end.
    pub fn get(&self, row: usize) -> Option<&str> {
        if !*self.present.get(row)? {
            return None;
        }
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        Some(&self.bytes[start..self.ends[row]])
    }
}

impl<'a> FromIterator<Option<&'a str>> for BulkStrings {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(iter: I) -> Self {
        let mut strings = Self::new();
        iter.into_iter().for_each(|value| strings.push(value));
        strings
    }
}
