//! The files of an export: which there are, and which a row belongs to.
//!
//! Under one key a file has values of one type, so a label whose values are of several has several files. A row goes into the first
//! file of its label whose columns have the types that it needs; on the first walk columns are added for that, and on the second a file
//! must have them already, so it is the same one or one before it.

use std::collections::HashSet;
use std::io::Write;

use indexmap::IndexMap;
use values::Str;

use super::super::{rows::line_of, scalar::ScalarType};
use super::cells::{Cell, Row, column_name};
use super::{CsvConvention, MakeFile};
use crate::exchange::FileError;

/// Most files of vertices, and of edges: each is open.
const MOST: usize = 400;
/// Most characters of a label in the name of a file.
const NAMED: usize = 60;

/// The files of vertices, or those of edges.
pub(super) struct Sheets {
    convention: CsvConvention,
    is_edges: bool,
    by_label: IndexMap<Str, Vec<Sheet>>,
    count: usize,
}

/// One file.
#[derive(Default)]
struct Sheet {
    /// The type of the ids of its edges, if they are to be there. (Ids of vertices have one type in all files.)
    id: Option<ScalarType>,
    columns: IndexMap<Str, Column>,
    into: Option<Box<dyn Write + Send>>,
}

/// A column of properties.
#[derive(Clone, Copy)]
struct Column {
    scalar: ScalarType,
    is_array: bool,
    /// Whether a single value of it is none of an array.
    has_alone: bool,
}

impl Column {
    fn of(cell: &Cell) -> Self {
        Self { scalar: cell.scalar, is_array: cell.is_many, has_alone: cell.is_alone }
    }

    /// The column that takes the cell, too; none if none can.
    fn with(self, cell: &Cell) -> Option<Self> {
        let other = Self::of(cell);
        let is_array = self.is_array || other.is_array;
        let has_alone = self.has_alone || other.has_alone;
        let fits = self.scalar == other.scalar && !(is_array && has_alone);
        fits.then_some(Self { scalar: self.scalar, is_array, has_alone })
    }

    /// Whether it takes the cell as it is.
    fn takes(self, cell: &Cell) -> bool {
        self.with(cell).is_some_and(|with| with.is_array == self.is_array)
    }
}

impl Sheet {
    /// Makes columns for a row; whether it can.
    fn learn(&mut self, row: &Row, is_edge: bool) -> bool {
        if is_edge && self.id != row.id_type() {
            return false;
        }
        let mut columns = Vec::with_capacity(row.cells.len());
        for (key, cell) in &row.cells {
            match self.columns.get(key) {
                None => columns.push((key.clone(), Column::of(cell))),
                Some(column) => match column.with(cell) {
                    Some(column) => columns.push((key.clone(), column)),
                    None => return false,
                },
            }
        }
        self.columns.extend(columns);
        true
    }

    fn takes(&self, row: &Row, is_edge: bool) -> bool {
        let takes =
            |(key, cell): (&Str, &Cell)| self.columns.get(key).is_some_and(|column| column.takes(cell));
        (!is_edge || self.id == row.id_type()) && row.cells.iter().all(takes)
    }

    fn write(&mut self, row: &Row, convention: CsvConvention) -> Result<(), FileError> {
        let id = row.id.iter().map(|(_, id)| id.as_str());
        let ends = row.ends.iter().flatten().map(String::as_str);
        let label = std::iter::once(row.label.as_str());
        let special: Vec<&str> = match (convention, &row.ends) {
            (_, None) => id.chain(label).collect(),
            (CsvConvention::Neo4j, _) => ends.chain(label).chain(id).collect(),
            (CsvConvention::Neptune, _) => id.chain(ends).chain(label).collect(),
        };
        let field = |(key, column): (&Str, &Column)| {
            row.cells.get(key).map(|cell| cell.field_in(column.is_array, convention))
        };
        let cells: Vec<_> = self.columns.iter().map(field).collect();
        let line = line_of(special.into_iter().map(Some).chain(cells.iter().map(Option::as_deref)), false);
        self.into.as_mut().map_or(Ok(()), |into| Ok(into.write_all(line.as_bytes())?))
    }

    fn header(&self, id: Option<ScalarType>, is_edges: bool, convention: CsvConvention) -> Vec<String> {
        let special: Vec<String> = match (convention, is_edges) {
            (CsvConvention::Neo4j, false) => id.map(neo4j_id).into_iter().chain([":LABEL".into()]).collect(),
            (CsvConvention::Neo4j, true) => {
                let ends = [":START_ID", ":END_ID", ":TYPE"].map(String::from);
                ends.into_iter().chain(id.map(neo4j_id)).collect()
            }
            (CsvConvention::Neptune, false) => ["~id", "~label"].map(String::from).into(),
            (CsvConvention::Neptune, true) => {
                let ends = ["~from", "~to", "~label"].map(String::from);
                id.map(|_| "~id".into()).into_iter().chain(ends).collect()
            }
        };
        let properties = self.columns.iter();
        let properties = properties
            .map(|(key, column)| column_name(key, column.scalar, column.is_array, is_edges, convention));
        special.into_iter().chain(properties).collect()
    }
}

fn neo4j_id(scalar: ScalarType) -> String {
    if scalar == ScalarType::String { ":ID".into() } else { format!(":ID{{id-type:{}}}", scalar.name()) }
}

impl Sheets {
    pub(super) fn new(convention: CsvConvention, is_edges: bool) -> Self {
        Self { convention, is_edges, by_label: IndexMap::new(), count: 0 }
    }

    /// How many files there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Makes room for a row.
    pub(super) fn learn(&mut self, row: &Row) -> Result<(), FileError> {
        if !self.by_label.contains_key(&row.label) {
            self.by_label.insert(row.label.clone(), Vec::new());
        }
        let Some(sheets) = self.by_label.get_mut(&row.label) else { return Ok(()) };
        if sheets.iter_mut().any(|sheet| sheet.learn(row, self.is_edges)) {
            return Ok(());
        }
        let mut sheet = Sheet { id: row.id_type(), ..Sheet::default() };
        sheet.learn(row, self.is_edges);
        sheets.push(sheet);
        self.count += 1;
        if self.count > MOST {
            let what = if self.is_edges { "edges" } else { "vertices" };
            let problem = format!(
                "{what} have so many labels and types of values that more than {MOST} files are needed"
            );
            return Err(FileError::Unwritable(problem));
        }
        Ok(())
    }

    /// Makes the files, with their headers. Ids are of that type, or, of edges, as each file has them, if there are to be any.
    pub(super) fn open(&mut self, id: ScalarType, ids: bool, make: &mut MakeFile) -> Result<(), FileError> {
        let kind = if self.is_edges { "edges" } else { "vertices" };
        if !self.is_edges && self.by_label.is_empty() {
            // A graph without anything in it is a file without rows.
            self.by_label.insert(Str::new(), vec![Sheet::default()]);
            self.count = 1;
        }
        let mut names = HashSet::new();
        for (label, sheets) in &mut self.by_label {
            for sheet in sheets {
                let id = if self.is_edges { sheet.id } else { Some(id) };
                let header = sheet.header(id.filter(|_| ids), self.is_edges, self.convention);
                // A character that might be the delimiter must not look like one.
                let misleads = header.iter().any(|name| name.contains(['|', ';', '\t']));
                let mut file = make(&free_name(kind, label, &mut names))?;
                let line = line_of(header.iter().map(|name| Some(name.as_str())), misleads);
                file.write_all(line.as_bytes())?;
                sheet.into = Some(file);
            }
        }
        Ok(())
    }

    /// Writes a row into its file.
    pub(super) fn write(&mut self, row: &Row) -> Result<(), FileError> {
        let is_edges = self.is_edges;
        let sheets = self.by_label.get_mut(&row.label);
        match sheets.and_then(|sheets| sheets.iter_mut().find(|sheet| sheet.takes(row, is_edges))) {
            Some(sheet) => sheet.write(row, self.convention),
            None => {
                let problem = format!("an element `{}` has come that was not there before", row.label);
                Err(FileError::Unwritable(problem))
            }
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), FileError> {
        let mut files = self.by_label.values_mut().flatten().filter_map(|sheet| sheet.into.as_mut());
        Ok(files.try_for_each(Write::flush)?)
    }
}

/// A name that no other file has, whatever the label.
fn free_name(kind: &str, label: &str, taken: &mut HashSet<String>) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let label: String = label.chars().take(NAMED).map(letter).collect();
    let stem = if label.is_empty() { kind.to_owned() } else { format!("{kind}-{label}") };
    // Some file systems take letters of both sizes for the same.
    let name = std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}-{number}")));
    let free = name.into_iter().find(|name| taken.insert(name.to_lowercase()));
    format!("{}.csv", free.unwrap_or(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_for_their_labels_and_no_two_alike() {
        let mut taken = HashSet::new();
        let mut name = |label: &str| free_name("edges", label, &mut taken);
        assert_eq!(name("knows"), "edges-knows.csv");
        assert_eq!(name("KNOWS"), "edges-KNOWS-2.csv");
        assert_eq!(name("../a b"), "edges-___a_b.csv");
        assert_eq!(name("___a_b"), "edges-___a_b-2.csv");
        assert_eq!(name(""), "edges.csv");
        assert_eq!(name(&"é".repeat(500)).len(), "edges-.csv".len() + NAMED);
    }
}
