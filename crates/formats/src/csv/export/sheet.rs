//! The files of an export: which there are, and which a row belongs to.
//!
//! Under one key a file has values of one type, so a label whose values are of several has several files. A row goes into the first
//! file of its label whose columns have the types that it needs; on the first walk columns are added for that, and on the second a file
//! must have them already, so it is the same one or one before it.

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use values::Str;

use super::super::rows::{append_line, line_of};
use super::super::scalar::ScalarType;
use super::super::sources::of_header;
use super::cells::{CellKind, Row, Shape, column_name};
#[cfg(feature = "parquet")]
use super::parquet_sheet::ParquetSheet;
use super::stretch::Part;
use super::{CsvConvention, MakeFile};
use crate::exchange::FileError;

/// Most files of vertices, and of edges: each is open.
const MOST: usize = 400;
/// Bytes of rows that files of Parquet have in memory together.
#[cfg(feature = "parquet")]
const MOST_HELD: usize = 128 << 20;
/// Most characters of a label in the name of a file.
const NAMED: usize = 60;

/// The files of vertices, or those of edges.
pub(super) struct Sheets {
    /// Nobody else has it before the files are made.
    plan: Arc<Plan>,
    /// By the numbers of the sheets.
    files: Vec<Output>,
}

/// A file that is written.
enum Output {
    Csv(Box<dyn Write + Send>),
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetSheet>),
}

/// Which files there are, and what is in which.
#[derive(Clone)]
pub(super) struct Plan {
    convention: CsvConvention,
    is_edges: bool,
    by_label: IndexMap<Str, Vec<Sheet>, FxBuildHasher>,
    count: usize,
}

/// One file.
#[derive(Clone, Default)]
struct Sheet {
    /// Its number among all.
    number: usize,
    /// The type of the ids of its edges, if they are to be there. (Ids of vertices have one type in all files.)
    id: Option<ScalarType>,
    columns: IndexMap<Str, Column, FxBuildHasher>,
}

/// A column of properties.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) scalar: ScalarType,
    pub(super) is_array: bool,
    /// Whether a single value of it is none of an array.
    has_alone: bool,
    /// Whether its values are to be texts, for one of them can be nothing else.
    pub(super) as_text: bool,
}

impl Column {
    fn of(cell: CellKind) -> Self {
        let CellKind { scalar, is_many, is_alone, as_text } = cell;
        Self { scalar, is_array: is_many, has_alone: is_alone, as_text }
    }

    /// The column that takes the cell, too; none if none can.
    fn with(self, cell: CellKind) -> Option<Self> {
        let other = Self::of(cell);
        let is_array = self.is_array || other.is_array;
        let has_alone = self.has_alone || other.has_alone;
        let fits = self.scalar == other.scalar && !(is_array && has_alone);
        let as_text = self.as_text || other.as_text;
        fits.then_some(Self { scalar: self.scalar, is_array, has_alone, as_text })
    }

    /// Whether it takes the cell as it is.
    fn takes(self, cell: CellKind) -> bool {
        self.with(cell).is_some_and(|with| (with.is_array, with.as_text) == (self.is_array, self.as_text))
    }
}

impl Sheet {
    /// Makes columns for rows of a shape; whether it can.
    fn learn(&mut self, shape: &Shape, is_edge: bool) -> bool {
        if is_edge && self.id != shape.id {
            return false;
        }
        let mut columns = Vec::with_capacity(shape.cells.len());
        for (key, cell) in &shape.cells {
            match self.columns.get(key) {
                None => columns.push((key.clone(), Column::of(*cell))),
                Some(column) => match column.with(*cell) {
                    Some(column) => columns.push((key.clone(), column)),
                    None => return false,
                },
            }
        }
        self.columns.extend(columns);
        true
    }

    fn takes(&self, row: &Row, is_edge: bool) -> bool {
        (!is_edge || self.id == row.id_type())
            && row
                .cells
                .iter()
                .all(|(key, cell)| self.columns.get(key).is_some_and(|column| column.takes(cell.kind)))
    }

    fn append(&self, row: &Row, convention: CsvConvention, into: &mut String) {
        let id = row.id.iter().map(|(_, id)| id.as_str());
        let ends = row.ends.iter().flatten().map(String::as_str);
        let label = std::iter::once(row.label.as_str());
        let special: Vec<&str> = match (convention, &row.ends) {
            (_, None) => id.chain(label).collect(),
            (CsvConvention::Neo4j | CsvConvention::Parquet, _) => ends.chain(label).chain(id).collect(),
            (CsvConvention::Neptune, _) => id.chain(ends).chain(label).collect(),
        };
        let field = |(key, column): (&Str, &Column)| {
            row.cells.get(key).map(|cell| cell.field_in(column.is_array, convention))
        };
        let cells: Vec<_> = self.columns.iter().map(field).collect();
        append_line(into, special.into_iter().map(Some).chain(cells.iter().map(Option::as_deref)), false);
    }

    fn header(&self, id: Option<ScalarType>, is_edges: bool, convention: CsvConvention) -> Vec<String> {
        use CsvConvention::{Neo4j, Neptune, Parquet};
        let special: Vec<String> = match (convention, is_edges) {
            (Neo4j | Parquet, false) => id.map(neo4j_id).into_iter().chain([":LABEL".into()]).collect(),
            (Neo4j | Parquet, true) => {
                let ends = [":START_ID", ":END_ID", ":TYPE"].map(String::from);
                ends.into_iter().chain(id.map(neo4j_id)).collect()
            }
            (Neptune, false) => ["~id", "~label"].map(String::from).into(),
            (Neptune, true) => {
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

impl Sheet {
    /// A file of CSV with its header.
    fn csv(&self, header: &[String], mut file: Box<dyn Write + Send>) -> Result<Output, FileError> {
        // A character that might be the delimiter must not look like one.
        let misleads = header.iter().any(|name| name.contains(['|', ';', '\t']));
        let line = line_of(header.iter().map(|name| Some(name.as_str())), misleads);
        file.write_all(line.as_bytes())?;
        Ok(Output::Csv(file))
    }

    /// A file of Parquet, of edges if their ends have ids.
    #[cfg(feature = "parquet")]
    fn parquet(
        &self,
        id: Option<ScalarType>,
        ends: Option<ScalarType>,
        file: Box<dyn Write + Send>,
    ) -> Result<Output, FileError> {
        let columns = self.columns.iter().map(|(key, column)| (key.clone(), *column));
        let sheet = ParquetSheet::new(id, ends, columns, file)?;
        Ok(Output::Parquet(Box::new(sheet)))
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(
        &self,
        _: Option<ScalarType>,
        _: Option<ScalarType>,
        _: Box<dyn Write + Send>,
    ) -> Result<Output, FileError> {
        Err(FileError::Unwritable(crate::foreign::PARQUET.to_string()))
    }
}

fn neo4j_id(scalar: ScalarType) -> String {
    if scalar == ScalarType::String { ":ID".into() } else { format!(":ID{{id-type:{}}}", scalar.name()) }
}

impl Plan {
    /// Appends a row to what goes into its file; how many bytes that is more.
    pub(super) fn append(&self, row: Row, into: &mut [Part]) -> Result<usize, FileError> {
        let sheets = self.by_label.get(&row.label);
        match sheets.and_then(|sheets| sheets.iter().find(|sheet| sheet.takes(&row, self.is_edges))) {
            Some(sheet) => Ok(match &mut into[sheet.number] {
                Part::Lines(lines) => {
                    let before = lines.len();
                    sheet.append(&row, self.convention, lines);
                    lines.len() - before
                }
                Part::Rows(rows) => {
                    let bytes = row.weight();
                    rows.push(row);
                    bytes
                }
            }),
            None => {
                let problem = format!("an element `{}` has come that was not there before", row.label);
                Err(FileError::Unwritable(problem))
            }
        }
    }

    /// How many files there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

impl Sheets {
    pub(super) fn new(convention: CsvConvention, is_edges: bool) -> Self {
        let plan = Plan { convention, is_edges, by_label: IndexMap::default(), count: 0 };
        Self { plan: Arc::new(plan), files: Vec::new() }
    }

    /// How many files there are.
    pub(super) fn count(&self) -> usize {
        self.plan.count
    }

    /// Which there are.
    pub(super) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// Makes room for rows of a shape.
    pub(super) fn learn(&mut self, shape: &Shape) -> Result<(), FileError> {
        let plan = Arc::make_mut(&mut self.plan);
        if !plan.by_label.contains_key(&shape.label) {
            plan.by_label.insert(shape.label.clone(), Vec::new());
        }
        let Some(sheets) = plan.by_label.get_mut(&shape.label) else { return Ok(()) };
        if sheets.iter_mut().any(|sheet| sheet.learn(shape, plan.is_edges)) {
            return Ok(());
        }
        let mut sheet = Sheet { number: plan.count, id: shape.id, ..Sheet::default() };
        sheet.learn(shape, plan.is_edges);
        sheets.push(sheet);
        plan.count += 1;
        if plan.count > MOST {
            let what = if plan.is_edges { "edges" } else { "vertices" };
            let problem = format!(
                "{what} have so many labels and types of values that more than {MOST} files are needed"
            );
            return Err(FileError::Unwritable(problem));
        }
        Ok(())
    }

    /// Makes the files, with their headers. Ids of vertices are of that type; those of edges, if there are to be any, as each file has
    /// them.
    pub(super) fn open(
        &mut self,
        of_vertices: ScalarType,
        ids: bool,
        make: &mut MakeFile,
    ) -> Result<(), FileError> {
        let plan = Arc::make_mut(&mut self.plan);
        let kind = if plan.is_edges { "edges" } else { "vertices" };
        if !plan.is_edges && plan.by_label.is_empty() {
            // A graph without anything in it is a file without rows.
            plan.by_label.insert(Str::new(), vec![Sheet::default()]);
            plan.count = 1;
        }
        let mut names = HashSet::new();
        let mut files: Vec<(usize, Output)> = Vec::new();
        for (label, sheets) in &plan.by_label {
            for sheet in sheets {
                let id = if plan.is_edges { sheet.id } else { Some(of_vertices) };
                let id = id.filter(|_| ids);
                let output = match plan.convention {
                    CsvConvention::Parquet => {
                        let ends = plan.is_edges.then_some(of_vertices);
                        let file = make(&free_name(kind, label, ".parquet", &mut names))?;
                        sheet.parquet(id, ends, file)?
                    }
                    convention => {
                        let file = make(&free_name(kind, label, ".csv", &mut names))?;
                        sheet.csv(&sheet.header(id, plan.is_edges, convention), file)?
                    }
                };
                files.push((sheet.number, output));
            }
        }
        files.sort_by_key(|(number, _)| *number);
        self.files = files.into_iter().map(|(_, file)| file).collect();
        Ok(())
    }

    /// Writes rows into the file of a number.
    pub(super) fn write(&mut self, number: usize, rows: Part) -> Result<(), FileError> {
        match (&mut self.files[number], rows) {
            (Output::Csv(file), Part::Lines(lines)) => Ok(file.write_all(lines.as_bytes())?),
            #[cfg(feature = "parquet")]
            (Output::Parquet(file), Part::Rows(rows)) => {
                rows.iter().try_for_each(|row| file.append(row))?;
                self.keep_few()
            }
            // A maker makes what its convention's files take.
            _ => Ok(()),
        }
    }

    /// Lets the largest file write what it has in memory, if all of them have much.
    #[cfg(feature = "parquet")]
    fn keep_few(&mut self) -> Result<(), FileError> {
        let sheets = || self.files.iter().enumerate();
        let held = |output: &Output| match output {
            Output::Parquet(file) => file.held(),
            Output::Csv(_) => 0,
        };
        if sheets().map(|(_, file)| held(file)).sum::<usize>() < MOST_HELD {
            return Ok(());
        }
        let largest = sheets().max_by_key(|(_, file)| held(file)).map(|(number, _)| number);
        match largest.and_then(|number| self.files.get_mut(number)) {
            Some(Output::Parquet(file)) => file.write_rows(),
            _ => Ok(()),
        }
    }

    pub(super) fn finish(&mut self) -> Result<(), FileError> {
        self.files.iter_mut().try_for_each(|file| match file {
            Output::Csv(file) => Ok(file.flush()?),
            #[cfg(feature = "parquet")]
            Output::Parquet(file) => file.finish(),
        })
    }
}

/// A name that no other file has, whatever the label, and that is none of a file which holds the header of others.
fn free_name(kind: &str, label: &str, ending: &str, taken: &mut HashSet<String>) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let label: String = label.chars().take(NAMED).map(letter).collect();
    let stem = if label.is_empty() { kind.to_owned() } else { format!("{kind}-{label}") };
    let stem = if of_header(&stem.to_lowercase()).is_some() { format!("{stem}_") } else { stem };
    // Some file systems take letters of both sizes for the same.
    let name = std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}-{number}")));
    let free = name.into_iter().find(|name| taken.insert(name.to_lowercase()));
    format!("{}{ending}", free.unwrap_or(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_for_their_labels_and_no_two_alike() {
        let mut taken = HashSet::new();
        let mut name = |label: &str| free_name("edges", label, ".csv", &mut taken);
        assert_eq!(name("knows"), "edges-knows.csv");
        assert_eq!(name("KNOWS"), "edges-KNOWS-2.csv");
        assert_eq!(name("../a b"), "edges-___a_b.csv");
        assert_eq!(name("___a_b"), "edges-___a_b-2.csv");
        assert_eq!(name(""), "edges.csv");
        assert_eq!(name("header"), "edges-header_.csv");
        assert_eq!(name("header_"), "edges-header_-2.csv");
        assert_eq!(name("x.Header"), "edges-x_Header_.csv");
        let truncated = format!("{}-header-more", "x".repeat(NAMED - 7));
        assert!(name(&truncated).ends_with("x-header_.csv"));
        assert_eq!(name(&"é".repeat(500)).len(), "edges-.csv".len() + NAMED);
    }
}
