//! The rows of a Parquet file, row group by row group, some of them in memory at a time.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parquet::column::reader::get_column_reader;

use super::super::reader::{Records, Row};
use super::column::Column;
use super::file::ParquetFile;
use super::guarded;
use super::pages::{Held, Pages, Whose};
use super::schema::Field;
use crate::error::{Fault, ImportError};

/// Rows that are read at once.
const AT_ONCE: usize = 1024;

/// See the module.
pub(super) struct ParquetRecords {
    file: Arc<ParquetFile>,
    held: Arc<Held>,
    /// All columns of the file, and of each whether it is read.
    fields: Vec<(Field, bool)>,
    /// The number of the next row group.
    group: usize,
    /// By the fields, for the row group that is read.
    columns: Vec<Option<Column>>,
    /// Rows of the row group that are not in memory, and rows that are and have not been handed on.
    rows: u64,
    ready: usize,
    /// The number of the row, from 1.
    row: u64,
}

impl ParquetRecords {
    /// Those of a file, of which some fields are read: of the others a row has nothing.
    pub(super) fn new(file: ParquetFile, fields: Vec<(Field, bool)>) -> Self {
        let (file, held) = (Arc::new(file), Arc::default());
        Self { file, held, fields, group: 0, columns: Vec::new(), rows: 0, ready: 0, row: 0 }
    }

    /// Makes rows ready; whether there are any.
    fn read(&mut self) -> Result<bool, ImportError> {
        while self.ready == 0 {
            if self.rows == 0 && !self.begin()? {
                return Ok(false);
            }
            let wanted = self.rows.min(AT_ONCE as u64) as usize;
            for (column, (field, _)) in self.columns.iter_mut().zip(&self.fields) {
                let Some(column) = column else { continue };
                let problem = match guarded(|| column.read(wanted)) {
                    Ok(found) if found == wanted => continue,
                    Ok(_) => "it has fewer rows than its row group".to_owned(),
                    Err(problem) => problem,
                };
                return Err(damaged(&self.file, self.group, field, &problem));
            }
            self.rows -= wanted as u64;
            self.ready = wanted;
        }
        Ok(true)
    }

    /// Goes to the next row group; whether there is one.
    fn begin(&mut self) -> Result<bool, ImportError> {
        let number = self.group;
        self.group += 1;
        // Pages of the last one are not needed any more.
        self.columns.clear();
        if number >= self.file.metadata.num_row_groups() {
            return Ok(false);
        }
        if !self.fields.iter().any(|(_, is_read)| *is_read) {
            let problem = "no column of it is read, and without one nothing shows how many rows it has";
            return Err(ImportError::layout(&self.file.path, problem));
        }
        let group = self.file.metadata.row_group(number);
        self.rows = u64::try_from(group.num_rows()).map_err(|_| {
            let problem = format!("row group {} declares {} rows", self.group, group.num_rows());
            ImportError::layout(&self.file.path, problem)
        })?;
        let mut columns = Vec::with_capacity(self.fields.len());
        for (field, is_read) in &self.fields {
            let column = match is_read {
                true => Some(self.column(number, field)),
                false => None,
            };
            let column = column.transpose();
            columns.push(column.map_err(|problem| damaged(&self.file, self.group, field, &problem))?);
        }
        self.columns = columns;
        Ok(true)
    }

    /// A column of a row group.
    fn column(&self, group: usize, field: &Field) -> Result<Column, String> {
        let kind = field.kind?;
        let group = self.file.metadata.row_group(group);
        let chunk = group.columns().get(field.leaf).ok_or("its row group does not have it")?;
        let place = self.file.chunk(chunk)?;
        let described = chunk.column_descr_ptr();
        let values = u64::try_from(chunk.num_values()).map_err(|_| "it declares fewer values than none")?;
        let in_lists = Arc::<AtomicU64>::default();
        let levels = [described.max_rep_level(), described.max_def_level()];
        let whose = Whose { is_list: field.is_list, levels };
        let both = (Arc::clone(&self.file), Arc::clone(&self.held));
        let pages = Pages::new(both, Arc::clone(&in_lists), whose, place, values);
        let reader = get_column_reader(described, Box::new(pages));
        Ok(Column::new(reader, kind, (field.is_list, levels[1]), in_lists))
    }
}

fn damaged(file: &ParquetFile, group: usize, field: &Field, problem: &str) -> ImportError {
    ImportError::layout(&file.path, format!("column `{}` in row group {group}: {problem}", field.name))
}

impl Records for ParquetRecords {
    fn next(&mut self, _: &Path) -> Result<Row<'_>, ImportError> {
        if !self.read()? {
            return Ok(Row::End);
        }
        self.ready -= 1;
        self.row += 1;
        let mut fault = None;
        for (number, column) in self.columns.iter_mut().enumerate() {
            if let Some(Err(problem)) = column.as_mut().map(Column::advance) {
                fault = fault.or(Some(Fault::at(number, problem)));
            }
        }
        Ok(match fault {
            Some(fault) => Row::Bad(fault),
            None => {
                let texts = self.columns.iter().map(|column| column.as_ref().map(Column::text));
                Row::Fields(self.row, texts.map(Option::unwrap_or_default).collect())
            }
        })
    }

    fn line(&self) -> u64 {
        self.row
    }

    fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    fn are_numbered(&self) -> bool {
        true
    }
}
