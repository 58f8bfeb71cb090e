//! Tables that do not say themselves what they hold: CSV with or without a header, JSON lines, and Parquet. Somebody else says which
//! field is an id, a label, an end of an edge or a property.

use std::path::PathBuf;

use super::CsvOptions;
use super::header::{Column, Header};
use super::json_lines::JsonLines;
use super::load::{self, SourceFile};
use super::reader::Reader;
use super::scalar::ScalarType;
use crate::ImportOptions;
use crate::error::{ImportError, quoted};
use crate::progress::ImportProgress;
use crate::sink::Target;
use crate::summary::ImportSummary;

/// A file of rows, and what its fields are.
#[derive(Clone, Debug)]
pub struct Table {
    /// The file. It may be packed.
    pub path: PathBuf,
    /// What a row is.
    pub records: TableRecords,
    /// The label of the vertices or edges.
    pub label: TableLabel,
    /// Their ids, if they have any.
    pub id: Option<TableId>,
    /// The vertices that edges leave and enter; none if the rows are vertices.
    pub ends: Option<[TableEnd; 2]>,
    /// Their properties. None for a property of each other field: of CSV all of them texts, of Parquet of the types that it says.
    pub properties: Option<Vec<TableProperty>>,
}

/// What a row is.
#[derive(Clone, Debug)]
pub enum TableRecords {
    /// A row of CSV. Its fields are called as the first row says, or so.
    Csv(CsvOptions, Option<Vec<String>>),
    /// A line with an object of JSON. Its members are fields.
    JsonLines,
    /// A row of Parquet, of which a build without the feature `parquet` reads none.
    Parquet,
}

/// Where a label is.
#[derive(Clone, Debug)]
pub enum TableLabel {
    /// It is this.
    Is(String),
    /// It is in this field.
    In(String),
}

/// Where ids are.
#[derive(Clone, Debug)]
pub struct TableId {
    /// The field.
    pub field: String,
    /// Their type: `string`, `int`, `long`, `uuid` and so on. Empty for the one that the file says, or else texts.
    pub id_type: String,
    /// The space in which they are unique. Empty if that is the graph; else vertices get ids of the graph.
    pub space: String,
}

/// Where the ids of an end of edges are.
#[derive(Clone, Debug)]
pub struct TableEnd {
    /// The field.
    pub field: String,
    /// The space of the ids.
    pub space: String,
}

/// Where a property is.
#[derive(Clone, Debug)]
pub struct TableProperty {
    /// Its key.
    pub key: String,
    /// The field.
    pub field: String,
    /// Its type, as in headers of CSV: `int`, `string[]` and so on. Empty for the one that the file says, or else texts.
    pub value_type: String,
}

/// Imports tables. They may come in any order; vertices are read first.
///
/// # Errors
/// See [`ImportError`].
pub fn tables(
    tables: &[Table],
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let files = tables.iter().map(Table::open).collect::<Result<Vec<_>, _>>()?;
    load::load(files, target, options, progress)
}

impl Table {
    fn open(&self) -> Result<SourceFile, ImportError> {
        match &self.records {
            TableRecords::Csv(options, names) => self.open_csv(*options, names.as_ref()),
            TableRecords::JsonLines => self.open_json(),
            #[cfg(feature = "parquet")]
            TableRecords::Parquet => super::parquet_files::open_table(self),
            #[cfg(not(feature = "parquet"))]
            TableRecords::Parquet => {
                let format = crate::foreign::PARQUET;
                Err(ImportError::Foreign { path: self.path.clone(), format })
            }
        }
    }

    fn open_csv(&self, options: CsvOptions, names: Option<&Vec<String>>) -> Result<SourceFile, ImportError> {
        let path = &self.path;
        let mut reader = Reader::open(path, &options, true)?;
        let names = match names {
            Some(names) => names.clone(),
            None => reader.header(path)?,
        };
        let (columns, fields): (Vec<_>, Vec<_>) = self.columns(&names)?.into_iter().unzip();
        let places = fields_in(&names, &fields).map_err(|problem| ImportError::layout(path, problem))?;
        let file = SourceFile::new(
            path,
            Box::new(reader),
            self.header(columns, fields),
            self.fixed_label(),
            options.array_delimiter,
        )?;
        Ok(file.with_fields(names, places))
    }

    fn open_json(&self) -> Result<SourceFile, ImportError> {
        if self.properties.is_none() {
            let problem = "`properties` expected in the mapping: lines of JSON may have other members each";
            return Err(ImportError::layout(&self.path, problem));
        }
        let (columns, fields): (Vec<Column>, Vec<String>) = self.columns(&[])?.into_iter().unzip();
        let is_array = |column: &Column| matches!(column, Column::Property { is_array: true, .. });
        let members = fields.iter().cloned().zip(columns.iter().map(is_array));
        let records = JsonLines::open(&self.path, members)?;
        let header = self.header(columns, fields);
        SourceFile::new(
            &self.path,
            Box::new(records),
            header,
            self.fixed_label(),
            CsvOptions::default().array_delimiter,
        )
    }

    pub(super) fn header(&self, columns: Vec<Column>, names: Vec<String>) -> Header {
        Header { names, columns, is_edges: self.ends.is_some(), label: None, is_neptunes: false }
    }

    pub(super) fn fixed_label(&self) -> Option<String> {
        match &self.label {
            TableLabel::Is(label) => Some(label.clone()),
            TableLabel::In(_) => None,
        }
    }

    /// The columns, each with its field.
    pub(super) fn columns(&self, names: &[String]) -> Result<Vec<(Column, String)>, ImportError> {
        let mut columns = Vec::new();
        if let Some(TableId { field, id_type, space }) = &self.id {
            let expected =
                || format!("an id is a `string`, `int`, `long` or `uuid`, not {}", quoted(id_type));
            let id_type = ScalarType::of_id(or_text(id_type))
                .ok_or_else(|| ImportError::layout(&self.path, expected()))?;
            // Of an id that is unique in its space alone a property is kept, which gets an index.
            let key = (!space.is_empty() && self.ends.is_none()).then(|| self.key_of(field));
            columns.push((Column::Id { space: space.clone(), id_type, key: key.flatten() }, field.clone()));
        }
        if let Some([from, to]) = &self.ends {
            columns.push((Column::Start { space: from.space.clone() }, from.field.clone()));
            columns.push((Column::End { space: to.space.clone() }, to.field.clone()));
        }
        if let TableLabel::In(field) = &self.label {
            columns.push((Column::Label, field.clone()));
        }
        let special: Vec<String> = columns.iter().map(|(_, field)| field.clone()).collect();
        let indexed = columns.iter().find_map(|(column, _)| match column {
            Column::Id { key, .. } => key.clone(),
            _ => None,
        });
        for property in self.all_properties(names, &special) {
            if indexed.as_ref() == Some(&property.key) {
                continue;
            }
            columns.push((
                property.column().map_err(|problem| ImportError::layout(&self.path, problem))?,
                property.field,
            ));
        }
        Ok(columns)
    }

    /// The fields that are something else than properties.
    #[cfg(feature = "parquet")]
    pub(super) fn special_fields(&self) -> Vec<String> {
        let id = self.id.iter().map(|id| &id.field);
        let ends = self.ends.iter().flatten().map(|end| &end.field);
        let label = match &self.label {
            TableLabel::In(field) => Some(field),
            TableLabel::Is(_) => None,
        };
        id.chain(ends).chain(label).cloned().collect()
    }

    /// Whether it says of what type the values of a field are.
    #[cfg(feature = "parquet")]
    pub(super) fn tells_type_of(&self, field: &str) -> bool {
        let mut properties = self.properties.iter().flatten();
        properties.any(|property| property.field == field && !property.value_type.is_empty())
    }

    /// The key of the property that a field is, or would be.
    fn key_of(&self, field: &str) -> Option<String> {
        let named = self.properties.iter().flatten().find(|property| property.field == field);
        Some(named.map_or_else(|| field.to_owned(), |property| property.key.clone()))
    }

    fn all_properties(&self, names: &[String], special: &[String]) -> Vec<TableProperty> {
        let as_text = |name: &String| TableProperty {
            key: name.clone(),
            field: name.clone(),
            value_type: "string".into(),
        };
        match &self.properties {
            Some(properties) => properties.clone(),
            None => names.iter().filter(|name| !special.contains(name)).map(as_text).collect(),
        }
    }
}

impl TableProperty {
    fn column(&self) -> Result<Column, String> {
        let (name, is_array) =
            self.value_type.strip_suffix("[]").map_or((&*self.value_type, false), |name| (name, true));
        let scalar = ScalarType::named(or_text(name)).ok_or_else(|| {
            format!("property `{}`: {}; found {}", self.key, ScalarType::EXPECTED, quoted(name))
        })?;
        Ok(Column::Property { key: self.key.clone(), scalar, is_array })
    }
}

/// A type, which is that of texts where there is none.
fn or_text(name: &str) -> &str {
    if name.is_empty() { "string" } else { name }
}

/// Where the fields are among all.
pub(super) fn fields_in(names: &[String], fields: &[String]) -> Result<Vec<usize>, String> {
    let place = |field: &String| {
        let mut found = names.iter().enumerate().filter(|(_, name)| *name == field).map(|(place, _)| place);
        match (found.next(), found.next()) {
            (Some(place), None) => Ok(place),
            (Some(_), Some(_)) => {
                Err(format!("the mapping names a field {}, and there are two of that name", quoted(field)))
            }
            (None, _) => {
                let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                Err(format!("the mapping names a field {}, but the fields are {names}", quoted(field)))
            }
        }
    };
    fields.iter().map(place).collect()
}
