//! An element as a row: which columns it needs, and what is in them.

use std::borrow::Cow;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use values::{DateKind, Edge, Property, Str, Value, Vertex, VertexProperty};

use super::super::header::{Column, neo4j_column};
use super::super::{neptune, scalar::ScalarType};
use super::CsvConvention;
use super::losses::{Loss, Noting};
use crate::exchange::FileError;

/// Between the values of a field that has many.
const DELIMITER: char = ';';

/// An element on its way into a file.
pub(super) struct Row {
    pub(super) label: Str,
    /// Its id: none if it is not to be written.
    pub(super) id: Option<(ScalarType, String)>,
    /// The ids of an edge's ends.
    pub(super) ends: Option<[String; 2]>,
    /// In the order in which the element has them.
    pub(super) cells: IndexMap<Str, Cell, FxBuildHasher>,
}

impl Row {
    pub(super) fn id_type(&self) -> Option<ScalarType> {
        self.id.as_ref().map(|(scalar, _)| *scalar)
    }

    /// How many bytes it takes in memory, or so.
    pub(super) fn weight(&self) -> usize {
        let texts = self.id.iter().map(|(_, id)| id).chain(self.ends.iter().flatten()).map(String::len);
        let values = |cell: &Cell| match &cell.field {
            Field::Text(text) => text.len(),
            Field::Values(values) => {
                let texts = values.iter().filter_map(Value::as_str).map(str::len);
                size_of_val(&values[..]) + texts.sum::<usize>()
            }
        };
        size_of::<Self>() + texts.sum::<usize>() + self.cells.values().map(values).sum::<usize>()
    }

    /// What it needs of a file.
    pub(super) fn shape(&self) -> Shape {
        Shape {
            label: self.label.clone(),
            id: self.id_type(),
            cells: self.cells.iter().map(|(key, cell)| (key.clone(), cell.kind)).collect(),
        }
    }
}

/// What a row needs of a file. Most rows of a label are alike in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) label: Str,
    pub(super) id: Option<ScalarType>,
    pub(super) cells: Vec<(Str, CellKind)>,
}

/// The values of a row under one key.
pub(super) struct Cell {
    pub(super) kind: CellKind,
    pub(super) field: Field,
}

/// What is written of a cell, if it has a column of its kind. Nothing, if it is not to be written.
pub(super) enum Field {
    /// A text. Of many values they are joined.
    Text(String),
    /// The values themselves, in columns that have types.
    Values(Vec<Value>),
}

/// What a cell needs of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct CellKind {
    pub(super) scalar: ScalarType,
    pub(super) is_many: bool,
    /// Whether it is no value of a column of many as it stands.
    pub(super) is_alone: bool,
    /// Whether only a column of texts can say it, though there may be other columns of its type.
    pub(super) as_text: bool,
}

impl Cell {
    /// The field in a column that has one value in a row, or one of many.
    pub(super) fn field_in(&self, is_array: bool, convention: CsvConvention) -> Cow<'_, str> {
        let Field::Text(field) = &self.field else { return Cow::Borrowed("") };
        match is_array && !self.kind.is_many && convention == CsvConvention::Neptune {
            true => Cow::Owned(escaped(field)),
            false => Cow::Borrowed(field),
        }
    }

    /// Its values, in columns that have types.
    #[cfg(feature = "parquet")]
    pub(super) fn values(&self) -> &[Value] {
        match &self.field {
            Field::Values(values) => values,
            Field::Text(_) => &[],
        }
    }
}

/// Whether a column of times, which counts microseconds of UTC in 64 bits, can say a value.
fn is_counted(value: &Value) -> bool {
    let Value::DateTime(point) = value else { return true };
    point.offset() == 0
        && point.nanos.is_multiple_of(1_000)
        && point.seconds.checked_mul(1_000_000).is_some_and(|micros| micros < i64::MAX - 999_999)
}

/// A value of an array as Neptune has it.
fn escaped(text: &str) -> String {
    text.replace(DELIMITER, "\\;")
}

/// Makes rows.
pub(super) struct Rows {
    pub(super) convention: CsvConvention,
    /// Whether edges have a column of ids.
    pub(super) edge_ids: bool,
    /// Whether they are to be written, and not only looked at.
    pub(super) writes: bool,
    /// Whether a key can be the name of a column of a type, with many values or without.
    names: Names,
}

/// By key, type, whether there are many values, and whether it is of edges.
type Names = FxHashMap<(Str, ScalarType, bool, bool), bool>;

impl Rows {
    pub(super) fn new(convention: CsvConvention, edge_ids: bool) -> Self {
        Self { convention, edge_ids, writes: false, names: FxHashMap::default() }
    }

    /// The same anew, for somebody else.
    pub(super) fn another(&self) -> Self {
        Self { writes: self.writes, ..Self::new(self.convention, self.edge_ids) }
    }

    /// A vertex with that text for its id.
    pub(super) fn vertex(
        &mut self,
        vertex: &Vertex,
        id: String,
        losses: &mut Noting<'_>,
    ) -> Result<Row, FileError> {
        if vertex.label.contains(DELIMITER) {
            let problem =
                format!("the label {:?} would be several, for `;` is between labels here", vertex.label);
            return Err(FileError::Unwritable(problem));
        }
        let properties = &vertex.properties;
        for property in properties {
            property.properties.iter().for_each(|_| losses.note(Loss::Meta(property.key.to_string())));
        }
        let mut cells = IndexMap::with_capacity_and_hasher(properties.len(), FxBuildHasher);
        let mut add = |key: &Str, values: &[&Value]| {
            let cell = self.of_key(key, false).cell(values, values.len() > 1, losses);
            cells.extend(cell.map(|cell| (key.clone(), cell)));
        };
        if may_have_several(properties) {
            let mut values: IndexMap<&Str, Vec<&Value>, FxBuildHasher> = IndexMap::default();
            properties.iter().for_each(|one| values.entry(&one.key).or_default().push(&one.value));
            values.into_iter().for_each(|(key, values)| add(key, &values));
        } else {
            properties.iter().for_each(|one| add(&one.key, &[&one.value]));
        }
        let of_id = ScalarType::of_value(&vertex.id).unwrap_or(ScalarType::String);
        Ok(Row { label: vertex.label.clone(), id: Some((of_id, id)), ends: None, cells })
    }

    /// An edge between vertices with these texts for their ids.
    pub(super) fn edge(&mut self, edge: &Edge, ends: [String; 2], losses: &mut Noting<'_>) -> Row {
        let text = || if self.writes { edge.id.to_string() } else { String::new() };
        let id = match (self.edge_ids && edge.id.as_str() != Some(""), self.convention) {
            (false, _) => {
                losses.note(Loss::EdgeId);
                None
            }
            (true, CsvConvention::Neo4j | CsvConvention::Parquet) => {
                Some((ScalarType::of_value(&edge.id).unwrap_or(ScalarType::String), text()))
            }
            (true, CsvConvention::Neptune) => {
                if edge.id.as_str().is_none() {
                    losses.note(Loss::IdAsText);
                }
                Some((ScalarType::String, text()))
            }
        };
        let mut cells = IndexMap::default();
        for Property { key, value, .. } in &edge.properties {
            // A list with members of one type is a field of many values.
            let members = value.as_list().filter(|members| !members.is_empty());
            let members: Option<Vec<&Value>> = members.map(|members| members.iter().collect());
            let mut of_key = self.of_key(key, true);
            let cell = match members.filter(|members| type_of(members).is_some()) {
                Some(members) => of_key.cell(&members, true, losses),
                None => of_key.cell(&[value], false, losses),
            };
            cells.extend(cell.map(|cell| (key.clone(), cell)));
        }
        Row { label: edge.label.clone(), id, ends: Some(ends), cells }
    }

    fn of_key<'k>(&'k mut self, key: &'k Str, is_edge: bool) -> OfKey<'k> {
        let Self { convention, writes, names, .. } = self;
        OfKey { key, convention: *convention, is_edge, writes: *writes, names }
    }
}

/// Whether several of the properties may have one key: it is not looked for among many.
fn may_have_several(properties: &[VertexProperty]) -> bool {
    const MANY: usize = 16;
    let is_again =
        |(at, one): (usize, &VertexProperty)| properties[..at].iter().any(|before| before.key == one.key);
    properties.len() > MANY || properties.iter().enumerate().any(is_again)
}

/// The type that all of the values have, if a column can have it and says them.
fn type_of(values: &[&Value]) -> Option<ScalarType> {
    let scalar = ScalarType::of_value(values.first()?)?;
    let says = |value: &Value| match value {
        Value::String(_) | Value::Int(_) | Value::Long(_) | Value::Bool(_) => true,
        other => scalar.value(&other.to_string()).as_ref() == Some(other),
    };
    values.iter().all(|&value| ScalarType::of_value(value) == Some(scalar) && says(value)).then_some(scalar)
}

/// The same of numbers of which a text does not say which they are: there is one that is like no number.
fn numbers_of(values: &[&Value]) -> Option<ScalarType> {
    let scalar = ScalarType::of_value(values.first()?)?;
    let is_float = matches!(scalar, ScalarType::Float | ScalarType::Double);
    let is_one = is_float && values.iter().all(|&value| ScalarType::of_value(value) == Some(scalar));
    is_one.then_some(scalar)
}

/// What the values of an element under a key become.
struct OfKey<'k> {
    key: &'k Str,
    convention: CsvConvention,
    is_edge: bool,
    writes: bool,
    names: &'k mut Names,
}

impl OfKey<'_> {
    /// A cell; none if nothing of it can be said.
    fn cell(&mut self, values: &[&Value], is_many: bool, losses: &mut Noting<'_>) -> Option<Cell> {
        if self.convention == CsvConvention::Parquet {
            return self.typed(values, is_many, losses);
        }
        let scalar = type_of(values);
        if let ([value], false, false) = (values, is_many, self.writes)
            && let Some(cell) = self.unwritten(value, scalar)
        {
            return Some(cell);
        }
        let mut texts = Vec::with_capacity(values.len());
        for value in values {
            // Alone, an empty text stands in quotes.
            if value.is_null() || is_many && value.as_str() == Some("") {
                losses.note(Loss::Empty(self.key.to_string()));
            } else {
                texts.push(value.to_string());
            }
        }
        if texts.is_empty() {
            return None;
        }
        if !self.can_name(scalar.unwrap_or(ScalarType::String), is_many) {
            losses.note(Loss::Key(self.key.to_string()));
            return None;
        }
        let field = match is_many {
            true => self.joined(&texts, losses)?,
            false => texts.swap_remove(0),
        };
        self.note_type(scalar, values, losses);
        self.note_dates(values, losses);
        let is_alone = !is_many && self.is_alone(&field);
        let kind =
            CellKind { scalar: scalar.unwrap_or(ScalarType::String), is_many, is_alone, as_text: false };
        Some(Cell { kind, field: Field::Text(field) })
    }

    /// The cell in columns that have types.
    fn typed(&mut self, values: &[&Value], is_many: bool, losses: &mut Noting<'_>) -> Option<Cell> {
        let key = || self.key.to_string();
        let there: Vec<&Value> = values.iter().copied().filter(|value| !value.is_null()).collect();
        (there.len()..values.len()).for_each(|_| losses.note(Loss::Empty(key())));
        if there.is_empty() {
            return None;
        }
        let scalar = type_of(&there).or_else(|| numbers_of(&there));
        self.note_dates(values, losses);
        let as_text = scalar == Some(ScalarType::DateTime) && !there.iter().all(|value| is_counted(value));
        if scalar.is_none() {
            there.iter().for_each(|_| losses.note(Loss::ValueAsText(key())));
        }
        let kind = CellKind {
            scalar: scalar.unwrap_or(ScalarType::String),
            is_many,
            is_alone: self.is_edge && !is_many,
            as_text,
        };
        if !self.can_name(kind.scalar, is_many) {
            losses.note(Loss::Key(self.key.to_string()));
            return None;
        }
        let written = |value: &Value| match scalar {
            Some(_) => value.clone(),
            None => Value::str(value.to_string()),
        };
        let values = if self.writes { there.into_iter().map(written).collect() } else { Vec::new() };
        Some(Cell { kind, field: Field::Values(values) })
    }

    /// The cell of one value without what would be written, if that can be told without writing it.
    fn unwritten(&mut self, value: &Value, scalar: Option<ScalarType>) -> Option<Cell> {
        let text = match value {
            Value::String(text) => text.as_str(),
            // None of these is an empty text, or has a delimiter in it.
            Value::Int(_) | Value::Long(_) | Value::Bool(_) => "0",
            _ => return None,
        };
        let (scalar, is_alone) = (scalar?, self.is_alone(text));
        let kind = CellKind { scalar, is_many: false, is_alone, as_text: false };
        self.can_name(scalar, false).then(|| Cell { kind, field: Field::Text(String::new()) })
    }

    /// Whether one value that is this text cannot stand in a column of many.
    fn is_alone(&self, text: &str) -> bool {
        self.is_edge || text.is_empty() || !self.escapes() && text.contains(DELIMITER)
    }

    fn note_type(&self, scalar: Option<ScalarType>, values: &[&Value], losses: &mut Noting<'_>) {
        let key = || self.key.to_string();
        let own = |scalar: &ScalarType| name_of(*scalar, self.convention).is_none();
        match scalar {
            None => values.iter().for_each(|_| losses.note(Loss::ValueAsText(key()))),
            Some(scalar) if own(&scalar) => {
                values.iter().for_each(|_| losses.note(Loss::OwnType(key(), scalar.name())));
            }
            Some(_) => {}
        }
    }

    fn note_dates(&self, values: &[&Value], losses: &mut Noting<'_>) {
        let older =
            |value: &&&Value| matches!(value, Value::DateTime(at) if at.kind() != DateKind::OffsetDateTime);
        values.iter().filter(older).for_each(|_| losses.note(Loss::Dates(self.key.to_string())));
    }

    /// Whether a delimiter may be in a value.
    fn escapes(&self) -> bool {
        self.convention == CsvConvention::Neptune
    }

    fn joined(&self, texts: &[String], losses: &mut Noting<'_>) -> Option<String> {
        let last = texts.len() - 1;
        // A backslash in front of the next delimiter would be taken for its escape.
        let is_bad = |(place, text): (usize, &String)| match self.escapes() {
            true => text.ends_with('\\') && place < last,
            false => text.contains(DELIMITER),
        };
        if texts.iter().enumerate().any(is_bad) {
            losses.note(Loss::Delimiter(self.key.to_string()));
            return None;
        }
        let field = |text: &String| if self.escapes() { escaped(text) } else { text.clone() };
        Some(texts.iter().map(field).collect::<Vec<_>>().join(";"))
    }

    /// Whether the key can be the name of a column: whoever reads it must find it again.
    fn can_name(&mut self, scalar: ScalarType, is_array: bool) -> bool {
        let (key, convention, is_edge) = (self.key, self.convention, self.is_edge);
        *self.names.entry((key.clone(), scalar, is_array, is_edge)).or_insert_with(|| {
            let name = column_name(key, scalar, is_array, is_edge, convention);
            let read = match convention {
                // It would be taken for a column of Neptune's.
                _ if neptune::is_special(&name) => None,
                CsvConvention::Neo4j | CsvConvention::Parquet => neo4j_column(&name).ok(),
                CsvConvention::Neptune => neptune::column(&name).ok(),
            };
            read == Some(Column::Property { key: key.to_string(), scalar, is_array })
        })
    }
}

/// What a column of properties is called.
pub(super) fn column_name(
    key: &str,
    scalar: ScalarType,
    is_array: bool,
    is_edge: bool,
    convention: CsvConvention,
) -> String {
    let name = name_of(scalar, convention).unwrap_or(scalar.name());
    let array = if is_array { "[]" } else { "" };
    match convention {
        CsvConvention::Neo4j | CsvConvention::Parquet => format!("{key}:{name}{array}"),
        CsvConvention::Neptune => {
            let key = key.replace(':', "\\:");
            // Without it a vertex has a set.
            let cardinality = if is_array || is_edge { "" } else { "(single)" };
            format!("{key}:{name}{array}{cardinality}")
        }
    }
}

/// What a convention calls a type; none if it does not know it.
fn name_of(scalar: ScalarType, convention: CsvConvention) -> Option<&'static str> {
    use ScalarType::{
        BigDecimal, BigInteger, Bool, Byte, Char, DateTime, Double, Duration, Float, Int, Long, Short,
        String, Uuid,
    };
    match (convention, scalar) {
        // What it has no type for is a text, whose type is in the name of its column.
        (CsvConvention::Parquet, known) => Some(known.name()),
        (_, BigInteger | BigDecimal | Uuid) => None,
        (CsvConvention::Neo4j, known) => Some(known.name()),
        (CsvConvention::Neptune, Char | Duration) => None,
        (CsvConvention::Neptune, known) => Some(match known {
            Bool => "Bool",
            Byte => "Byte",
            Short => "Short",
            Int => "Int",
            Long => "Long",
            Float => "Float",
            Double => "Double",
            DateTime => "Date",
            String | Char | BigInteger | BigDecimal | Uuid | Duration => "String",
        }),
    }
}
