//! Import of an LDBC social network.
//!
//! Three passes over the files, each in parallel: attributes with many values, which have to be known when their
//! vertices are made; vertices, which fill a map from LDBC id to reference for every label; edges.

mod ids;
mod layout;
mod rows;

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use self::ids::Ids;
use self::layout::{CsvFile, EdgeTable, Network, ValueTable, VertexTable};
use self::rows::{Attribute, EdgeRows, End, Part, ValueRows, VertexRows};
use super::ImportOptions;
use super::columns::retain;
use super::error::{Fault, ImportError};
use super::lines::read_range;
use super::pipeline::in_order;
use super::progress::{ImportProgress, Monitor};
use super::rejects::Rejects;
use super::sink::{Places, Rows, Sink, Target};
use super::summary::{Counts, ImportSummary, finish};

/// The first line after the header.
const FIRST_LINE: u64 = 2;

/// The relation that holds in both directions: each of its rows becomes two edges.
const MUTUAL: &str = "knows";

/// Properties that get an equality index besides every label's `id`: the benchmark's queries begin at them.
const INDEXED: [(&str, &str); 6] = [
    ("Person", "firstName"),
    ("Tag", "name"),
    ("TagClass", "name"),
    ("Place", "name"),
    ("Organisation", "name"),
    ("Forum", "title"),
];

/// Imports the LDBC social network below `directory` (SNB Interactive v1, `CsvBasic` or `CsvComposite`).
///
/// - Labels are `Person Forum Post Comment Organisation Place Tag TagClass`; an edge's label is the middle part of its
///   file's name (`knows`, `hasCreator`, `isLocatedIn` …).
/// - LDBC ids are unique per label only, so vertices get generated ids and keep theirs as the property `id` (a long),
///   with an equality index; the names of tags, classes, places and organisations have one too.
/// - `email` and `language` of a person are multi-properties. An empty field means that there is no such property.
/// - Dates are longs where the files have milliseconds, date-times where they have ISO 8601. `length`, `classYear` and
///   `workFrom` are ints, ids are longs, the rest are strings.
/// - Every `knows` row becomes two edges, one in each direction.
///
/// Update streams and substitution parameters are not read. `progress` is called about once per
/// [`ImportOptions::part_bytes`].
///
/// # Errors
/// See [`ImportError`].
pub fn ldbc(
    directory: &Path,
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let begun = Instant::now();
    let network = layout::find(directory)?;
    let mut import = Import {
        options,
        sink: target.begin()?,
        monitor: Monitor::new(network.bytes(), progress),
        rejects: Rejects::new(options.bad_rows),
        counts: Counts::default(),
    };
    import.sink.treat_bad_rows(options.bad_rows);
    import.index(&network.labels)?;
    let attributes = import.read_attributes(&network)?;
    let ids = import.read_vertices(&network, &attributes)?;
    import.report_orphans(&network, &attributes, &ids)?;
    drop(attributes);
    import.read_edges(&network, &ids)?;
    drop(ids);
    let Import { sink, counts, monitor, rejects, .. } = import;
    finish(sink, counts, &monitor, rejects, begun)
}

/// An import on its way.
struct Import<'a> {
    options: &'a ImportOptions,
    sink: Box<dyn Sink + 'a>,
    monitor: Monitor<'a>,
    rejects: Rejects,
    counts: Counts,
}

impl Import<'_> {
    fn index(&mut self, labels: &[String]) -> Result<(), ImportError> {
        for label in labels {
            self.sink.index(label, "id")?;
            for (_, key) in INDEXED.iter().filter(|(indexed, _)| indexed == label) {
                self.sink.index(label, key)?;
            }
        }
        Ok(())
    }

    /// First pass: attributes with many values.
    fn read_attributes(&mut self, network: &Network) -> Result<Vec<Attribute>, ImportError> {
        let policy = self.options.bad_rows;
        let mut attributes: Vec<Attribute> = Vec::new();
        self.pass(
            &network.values,
            |table: &ValueTable, bytes| rows::values(&table.file, bytes, policy),
            |_, number, table, first_line, rows: ValueRows| {
                let attribute = attribute_of(&mut attributes, table);
                for (id, text, line) in rows {
                    let owned = attribute.values.entry(id).or_default();
                    if owned.texts.is_empty() {
                        (owned.table, owned.line) = (number, first_line + line);
                    }
                    owned.texts.push(text);
                }
                Ok(())
            },
        )?;
        Ok(attributes)
    }

    /// Second pass: vertices. Returns the ids of every label.
    fn read_vertices(
        &mut self,
        network: &Network,
        attributes: &[Attribute],
    ) -> Result<Vec<Ids>, ImportError> {
        let policy = self.options.bad_rows;
        let mut ids: Vec<Ids> = network.labels.iter().map(|_| Ids::default()).collect();
        self.pass(
            &network.vertices,
            |table: &VertexTable, bytes| {
                let own: Vec<&Attribute> = attributes.iter().filter(|a| a.label == table.label).collect();
                rows::vertices(&table.file, &own, bytes, policy)
            },
            |import, _, table, first_line, mut rows: VertexRows| {
                let known = &mut ids[table.label];
                if first_line == FIRST_LINE {
                    // The first of the parts of a file tells how many rows the others have.
                    known.expect(rows.ids.len() * table.file.parts(import.options.part_bytes).count());
                }
                import.reject_duplicates(table, known, first_line, &mut rows)?;
                let places = Rows::of(&table.file.path, Places::LinesFrom(first_line, &rows.lines));
                let label = &network.labels[table.label];
                let vertices = import.sink.vertices(label, places, None, rows.columns)?;
                import.counts.vertices += vertices.len() as u64;
                known.fill(&vertices);
                Ok(())
            },
        )?;
        Ok(ids)
    }

    /// Third pass: edges.
    fn read_edges(&mut self, network: &Network, ids: &[Ids]) -> Result<(), ImportError> {
        let policy = self.options.bad_rows;
        let end = |label: usize| End { label: &network.labels[label], ids: &ids[label] };
        self.pass(
            &network.edges,
            |table: &EdgeTable, bytes| {
                rows::edges(&table.file, end(table.from), end(table.to), bytes, policy)
            },
            |import, _, table, first_line, rows: EdgeRows| {
                let EdgeRows { from, to, lines, columns } = rows;
                let places = Rows::of(&table.file.path, Places::LinesFrom(first_line, &lines));
                if table.label == MUTUAL {
                    import.counts.edges += from.len() as u64;
                    import.sink.edges(&table.label, (&to, &from), places, None, columns.clone())?;
                }
                import.counts.edges += from.len() as u64;
                import.sink.edges(&table.label, (&from, &to), places, None, columns)
            },
        )
    }

    /// Leaves out rows whose id has been seen before. Enters the new ids, with a reference yet to be filled in.
    fn reject_duplicates(
        &mut self,
        table: &VertexTable,
        known: &mut Ids,
        first_line: u64,
        rows: &mut VertexRows,
    ) -> Result<(), ImportError> {
        let is_new = known.enter(&rows.ids);
        if is_new.iter().all(|&new| new) {
            return Ok(());
        }
        for (row, _) in is_new.iter().enumerate().filter(|(_, new)| !**new) {
            let problem =
                format!("an id of its own expected, but an earlier row has the id {}, too", rows.ids[row]);
            let fault = Fault::at(0, problem).named(&table.file.header);
            self.rejects.add(&table.file.path, first_line + u64::from(rows.lines[row]), fault)?;
        }
        rows.columns.iter_mut().for_each(|column| retain(&mut column.values, &is_new));
        let mut keep = is_new.iter();
        rows.lines.retain(|_| *keep.next().unwrap_or(&true));
        Ok(())
    }

    /// Reports values of multi-properties whose owner does not exist.
    fn report_orphans(
        &mut self,
        network: &Network,
        attributes: &[Attribute],
        ids: &[Ids],
    ) -> Result<(), ImportError> {
        for attribute in attributes {
            let known = &ids[attribute.label];
            let mut orphans: Vec<_> =
                attribute.values.iter().filter(|(id, _)| !known.contains(**id)).collect();
            orphans.sort_by_key(|(_, owned)| (owned.table, owned.line));
            for (id, owned) in orphans {
                let file = &network.values[owned.table].file;
                let fault = rows::unknown_id(&network.labels[attribute.label], *id, 0).named(&file.header);
                self.rejects.add(&file.path, owned.line, fault)?;
            }
        }
        Ok(())
    }

    /// Reads `tables` in parallel, part by part, and hands what `work` makes of each part to `consume`, in order: with
    /// the number of the table, the table, and the line that the part begins with.
    fn pass<T: AsRef<CsvFile> + Sync, C: Send>(
        &mut self,
        tables: &[T],
        work: impl Fn(&T, &[u8]) -> Part<C> + Sync,
        mut consume: impl FnMut(&mut Self, usize, &T, u64, C) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let tasks: Vec<(usize, Range<u64>)> = tables
            .iter()
            .enumerate()
            .flat_map(|(number, table)| {
                table.as_ref().parts(self.options.part_bytes).map(move |range| (number, range))
            })
            .collect();
        let mut next_line = vec![FIRST_LINE; tables.len()];
        let read = |buffer: &mut Vec<u8>, (number, range): &(usize, Range<u64>)| {
            let file = tables[*number].as_ref();
            let bytes = read_range(&file.path, range.clone(), file.data, buffer)?;
            Ok(work(&tables[*number], bytes))
        };
        in_order(&tasks, self.options.threads(), read, |(number, range), part: Result<_, ImportError>| {
            let (part, table) = (part?, &tables[*number]);
            let first_line = next_line[*number];
            next_line[*number] += part.lines;
            self.rejects.add_all(&table.as_ref().path, first_line, part.faults)?;
            consume(self, *number, table, first_line, part.content)?;
            self.monitor.advance(range.end - range.start, part.rows);
            Ok(())
        })
    }
}

fn attribute_of<'a>(attributes: &'a mut Vec<Attribute>, table: &ValueTable) -> &'a mut Attribute {
    let found = attributes.iter().position(|a| a.label == table.label && a.key == table.key);
    let position = found.unwrap_or_else(|| {
        let (label, key) = (table.label, table.key.clone());
        attributes.push(Attribute { label, key, values: rustc_hash::FxHashMap::default() });
        attributes.len() - 1
    });
    &mut attributes[position]
}
