//! An element as a row: which columns it needs, and what is in them.

use std::borrow::Cow;

use indexmap::IndexMap;
use values::{Edge, Property, Str, Value, Vertex};

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
    pub(super) cells: IndexMap<Str, Cell>,
}

impl Row {
    pub(super) fn id_type(&self) -> Option<ScalarType> {
        self.id.as_ref().map(|(scalar, _)| *scalar)
    }
}

/// The values of a row under one key.
pub(super) struct Cell {
    pub(super) scalar: ScalarType,
    /// The field, if it has a column of its kind. Of many values they are joined.
    pub(super) field: String,
    pub(super) is_many: bool,
    /// Whether it is no value of a column of many as it stands.
    pub(super) is_alone: bool,
}

impl Cell {
    /// The field in a column that has one value in a row, or one of many.
    pub(super) fn field_in(&self, is_array: bool, convention: CsvConvention) -> Cow<'_, str> {
        match is_array && !self.is_many && convention == CsvConvention::Neptune {
            true => Cow::Owned(escaped(&self.field)),
            false => Cow::Borrowed(&self.field),
        }
    }
}

/// A value of an array as Neptune has it.
fn escaped(text: &str) -> String {
    text.replace(DELIMITER, "\\;")
}

/// A vertex with that text for its id.
pub(super) fn row_of_vertex(
    vertex: &Vertex,
    id: String,
    convention: CsvConvention,
    losses: &mut Noting<'_>,
) -> Result<Row, FileError> {
    if vertex.label.contains(DELIMITER) {
        let problem =
            format!("the label {:?} would be several, for `;` is between labels here", vertex.label);
        return Err(FileError::Unwritable(problem));
    }
    let mut values: IndexMap<Str, Vec<Value>> = IndexMap::new();
    for property in &vertex.properties {
        property.properties.iter().for_each(|_| losses.note(Loss::Meta(property.key.to_string())));
        values.entry(property.key.clone()).or_default().push(property.value.clone());
    }
    let mut cells = IndexMap::new();
    for (key, values) in values {
        let of_key = OfKey { key: &key, convention, is_edge: false };
        if let Some(cell) = of_key.cell(&values, values.len() > 1, losses) {
            cells.insert(key, cell);
        }
    }
    let of_id = ScalarType::of_value(&vertex.id).unwrap_or(ScalarType::String);
    Ok(Row { label: vertex.label.clone(), id: Some((of_id, id)), ends: None, cells })
}

/// An edge between vertices with these texts for their ids.
pub(super) fn row_of_edge(
    edge: &Edge,
    ends: [String; 2],
    convention: CsvConvention,
    with_id: bool,
    losses: &mut Noting<'_>,
) -> Row {
    let text = edge.id.to_string();
    let id = match (with_id && !text.is_empty(), convention) {
        (false, _) => {
            losses.note(Loss::EdgeId);
            None
        }
        (true, CsvConvention::Neo4j) => {
            Some((ScalarType::of_value(&edge.id).unwrap_or(ScalarType::String), text))
        }
        (true, CsvConvention::Neptune) => {
            if edge.id.as_str().is_none() {
                losses.note(Loss::IdAsText);
            }
            Some((ScalarType::String, text))
        }
    };
    let mut cells = IndexMap::new();
    for Property { key, value, .. } in &edge.properties {
        let of_key = OfKey { key, convention, is_edge: true };
        // A list with members of one type is a field of many values.
        let members = value.as_list().filter(|members| !members.is_empty() && type_of(members).is_some());
        let cell = match members {
            Some(members) => of_key.cell(members, true, losses),
            None => of_key.cell(std::slice::from_ref(value), false, losses),
        };
        cells.extend(cell.map(|cell| (key.clone(), cell)));
    }
    Row { label: edge.label.clone(), id, ends: Some(ends), cells }
}

/// The type that all of the values have, if a column can have it and says them.
fn type_of(values: &[Value]) -> Option<ScalarType> {
    let scalar = ScalarType::of_value(values.first()?)?;
    let says = |value: &Value| match value {
        Value::String(_) | Value::Int(_) | Value::Long(_) | Value::Bool(_) => true,
        other => scalar.value(&other.to_string()).as_ref() == Some(other),
    };
    values.iter().all(|value| ScalarType::of_value(value) == Some(scalar) && says(value)).then_some(scalar)
}

/// What the values of an element under a key become.
struct OfKey<'k> {
    key: &'k Str,
    convention: CsvConvention,
    is_edge: bool,
}

impl OfKey<'_> {
    /// A cell; none if nothing of it can be said.
    fn cell(&self, values: &[Value], is_many: bool, losses: &mut Noting<'_>) -> Option<Cell> {
        let scalar = type_of(values);
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
        let is_parted = field.is_empty() || !self.escapes() && field.contains(DELIMITER);
        let is_alone = !is_many && (self.is_edge || is_parted);
        Some(Cell { scalar: scalar.unwrap_or(ScalarType::String), field, is_many, is_alone })
    }

    fn note_type(&self, scalar: Option<ScalarType>, values: &[Value], losses: &mut Noting<'_>) {
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
    fn can_name(&self, scalar: ScalarType, is_array: bool) -> bool {
        let name = column_name(self.key, scalar, is_array, self.is_edge, self.convention);
        let read = match self.convention {
            CsvConvention::Neo4j => neo4j_column(&name).ok(),
            CsvConvention::Neptune => neptune::column(&name).ok(),
        };
        read == Some(Column::Property { key: self.key.to_string(), scalar, is_array })
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
        CsvConvention::Neo4j => format!("{key}:{name}{array}"),
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
