//! Mappings: TOML that says what the fields of CSV files, of JSON lines and of Parquet files are.
//!
//! ```toml
//! [[vertices]]
//! file = "user.csv"                              # beside the mapping
//! columns = ["name", "age"]                      # it has no header
//! label = "User"
//! id = "name"
//! properties = { name = "string", age = "long" }
//!
//! [[edges]]
//! file = "follows.csv"
//! columns = ["from", "to", "since"]
//! label = "Follows"
//! from = "from"
//! to = "to"
//! properties = { since = "int" }
//! ```

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read,
    path::Path,
};

use formats::{CsvOptions, ImportError, Table, TableEnd, TableId, TableLabel, TableProperty, TableRecords};
use serde::Deserialize;

/// Most bytes of a mapping.
const LONGEST: u64 = 1 << 20;
/// Bytes of a file that are looked at to tell whether it is one.
const LOOKED_AT: u64 = 64 << 10;

/// A mapping as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mapping {
    #[serde(default)]
    vertices: Vec<Spec>,
    #[serde(default)]
    edges: Vec<Spec>,
}

/// What is said of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Spec {
    file: String,
    format: Option<Format>,
    columns: Option<Vec<String>>,
    delimiter: Option<char>,
    quote: Option<String>,
    array_delimiter: Option<char>,
    label: Option<String>,
    label_column: Option<String>,
    id: Option<String>,
    id_type: Option<String>,
    id_space: Option<String>,
    from: Option<String>,
    from_space: Option<String>,
    to: Option<String>,
    to_space: Option<String>,
    properties: Option<BTreeMap<String, Property>>,
}

/// The format of a file.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Jsonl,
    Parquet,
}

/// What is said of a property: its type, or where it is as well.
#[derive(Deserialize)]
#[serde(untagged)]
enum Property {
    Type(String),
    Column {
        column: String,
        #[serde(rename = "type", default)]
        value_type: String,
    },
}

/// Whether a file is a mapping: it is called so, or has a table of vertices or edges on a line of its own.
pub(super) fn is_mapping(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut start));
    let text = String::from_utf8_lossy(&start);
    let begins = |line: &str| ["[[vertices]]", "[[edges]]"].contains(&line.trim());
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    read.is_ok() && (path.extension().is_some_and(|ending| ending == "toml") || first.is_some_and(begins))
}

/// The tables of a mapping, whose files lie beside it.
pub(super) fn tables_of(path: &Path) -> Result<Vec<Table>, ImportError> {
    let wrong = |problem: String| ImportError::Layout { path: path.into(), problem };
    let text = fs::metadata(path).and_then(|found| match found.len() {
        0..=LONGEST => fs::read_to_string(path),
        _ => Err(std::io::Error::other("a mapping has no more than 1 MiB")),
    });
    let text = text.map_err(|source| ImportError::Io { path: path.into(), source })?;
    let Mapping { vertices, edges } = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if vertices.is_empty() && edges.is_empty() {
        return Err(wrong("a table `[[vertices]]` or `[[edges]]` expected in a mapping".into()));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let vertices = vertices.into_iter().map(|spec| (spec, false));
    let all = vertices.chain(edges.into_iter().map(|spec| (spec, true)));
    all.map(|(spec, is_edges)| {
        let file = spec.file.clone();
        spec.into_table(folder, is_edges).map_err(|problem| wrong(format!("the table of {file}: {problem}")))
    })
    .collect()
}

impl Spec {
    fn into_table(self, folder: &Path, is_edges: bool) -> Result<Table, String> {
        let (path, records) = (folder.join(&self.file), self.records()?);
        let ends = match (is_edges, self.from, self.to) {
            (false, None, None) => None,
            (false, ..) => {
                return Err("`from` and `to` are of edges; `[[edges]]` expected around them".into());
            }
            (true, Some(from), Some(to)) => Some([
                TableEnd { field: from, space: self.from_space.unwrap_or_default() },
                TableEnd { field: to, space: self.to_space.unwrap_or_default() },
            ]),
            (true, ..) => return Err("edges need `from` and `to`, the columns of their ends".into()),
        };
        let label = match (self.label, self.label_column) {
            (Some(label), None) => TableLabel::Is(label),
            (None, Some(field)) => TableLabel::In(field),
            _ => return Err("one of `label` and `label-column` expected".into()),
        };
        let id = self.id.map(|field| TableId {
            field,
            id_type: self.id_type.unwrap_or_default(),
            space: self.id_space.unwrap_or_default(),
        });
        let property = |(key, property)| match property {
            Property::Type(value_type) => TableProperty { field: String::clone(&key), key, value_type },
            Property::Column { column, value_type } => TableProperty { key, field: column, value_type },
        };
        let properties = self.properties.map(|properties| properties.into_iter().map(property).collect());
        Ok(Table { path, records, label, id, ends, properties })
    }

    fn records(&self) -> Result<TableRecords, String> {
        let name = self.file.trim_end_matches(".gz").trim_end_matches(".zst");
        let is_json = [".jsonl", ".ndjson", ".json"].iter().any(|ending| name.ends_with(ending));
        let told = match name.ends_with(".parquet") {
            true => Format::Parquet,
            false if is_json => Format::Jsonl,
            false => Format::Csv,
        };
        let (records, what) = match self.format.unwrap_or(told) {
            Format::Csv => return Ok(TableRecords::Csv(self.csv_options()?, self.columns.clone())),
            Format::Jsonl => (TableRecords::JsonLines, "JSON lines"),
            Format::Parquet => (TableRecords::Parquet, "Parquet"),
        };
        let of_csv = [
            self.columns.is_some(),
            self.delimiter.is_some(),
            self.quote.is_some(),
            self.array_delimiter.is_some(),
        ];
        match of_csv.contains(&true) {
            true => Err(format!(
                "`columns`, `delimiter`, `quote` and `array-delimiter` are of CSV, and this is {what}"
            )),
            false => Ok(records),
        }
    }

    fn csv_options(&self) -> Result<CsvOptions, String> {
        let byte = |what: &str, character: char| {
            let byte = u8::try_from(character).ok().filter(u8::is_ascii);
            byte.ok_or_else(|| format!("`{what}`: a character of ASCII expected, found {character:?}"))
        };
        let mut options = CsvOptions::default();
        if let Some(delimiter) = self.delimiter {
            options.delimiter = Some(byte("delimiter", delimiter)?);
        }
        if let Some(quote) = &self.quote {
            let mut characters = quote.chars();
            options.quote = match (characters.next(), characters.next()) {
                (None, _) => None,
                (Some(quote), None) => Some(byte("quote", quote)?),
                _ => return Err(format!("`quote`: one character or none expected, found {quote:?}")),
            };
        }
        options.array_delimiter = self.array_delimiter.unwrap_or(options.array_delimiter);
        Ok(options)
    }
}
