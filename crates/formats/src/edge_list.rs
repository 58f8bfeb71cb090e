//! Import of edge lists, as SNAP and KONECT have them: an edge on each line, by the ids of its ends.
//!
//! ```text
//! # Directed graph                 % sym unweighted
//! # FromNodeId    ToNodeId         1 2
//! 0       1                        1 3 0.5
//! ```
//!
//! Fields are separated by tabs or spaces; a third one is the edge's `weight`. Lines that begin with `#` or `%` are comments. Ids
//! that are whole numbers are longs, others texts. Vertices come in the order in which they are named first; they have the label
//! `vertex`, edges `edge`. The file is read twice, vertices first, and may be packed.

use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use rustc_hash::FxHashMap;
use values::{Str, Value, VertexRef};

use super::ImportOptions;
use super::error::{Fault, ImportError};
use super::foreign::{LOOKED_AT, text};
use super::lines::Lines;
use super::packed::unpacked;
use super::progress::{ImportProgress, Monitor};
use super::rejects::Rejects;
use super::sink::{Places, Rows, Sink, Standing, Target};
use super::summary::{Counts, ImportSummary, finish};
use graph::{BulkColumn, BulkValues};

/// The labels of what such a file holds.
const VERTEX: &str = "vertex";
const EDGE: &str = "edge";
/// The key of an edge's third field.
const WEIGHT: &str = "weight";

/// Elements after which they are handed on, and progress is reported.
const FULL: usize = 64 << 10;

/// Whether a file is an edge list, packed or not: it begins with comments, and behind them there are two whole numbers on a line.
/// One without comments may be CSV without a header.
///
/// # Errors
/// [`ImportError::Io`] if it cannot be read.
pub fn is_edge_list(path: &Path) -> Result<bool, ImportError> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(|e| ImportError::io(path, e))?;
    // What cannot be unpacked is for another one to refuse.
    let read = unpacked(file).and_then(|inside| inside.take(LOOKED_AT).read_to_end(&mut start));
    Ok(read.is_ok() && begins_as_edge_list(&start))
}

fn begins_as_edge_list(start: &[u8]) -> bool {
    let Ok(text) = text(start) else { return false };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let has_comments = lines.peek().is_some_and(|line| is_comment(line) && !line.starts_with("%%"));
    let data = lines.find(|line| !is_comment(line));
    // Those that are too long for an integer are texts.
    let is_whole = |field: &str| {
        let digits = field.strip_prefix(['-', '+']).unwrap_or(field);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    has_comments
        && data.is_some_and(|line| {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            matches!(fields[..], [from, to] | [from, to, _] if is_whole(from) && is_whole(to))
        })
}

fn is_comment(line: &str) -> bool {
    line.starts_with(['#', '%'])
}

/// Imports an edge list.
///
/// # Errors
/// See [`ImportError`].
pub fn edge_list(
    file: &Path,
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let begun = Instant::now();
    let length = std::fs::metadata(file).map_err(|e| ImportError::io(file, e))?.len();
    let mut import = Import {
        file,
        sink: target.begin()?,
        monitor: Monitor::new(2 * length, progress),
        rejects: Rejects::new(options.bad_rows),
        counts: Counts::default(),
        ids: FxHashMap::default(),
    };
    import.sink.treat_bad_rows(options.bad_rows);
    import.read_vertices()?;
    import.read_edges()?;
    let Import { sink, counts, monitor, rejects, .. } = import;
    let mut summary = finish(sink, counts, &monitor, rejects, begun)?;
    summary.bytes = length;
    Ok(summary)
}

/// An import on its way.
struct Import<'a> {
    file: &'a Path,
    sink: Box<dyn Sink + 'a>,
    monitor: Monitor<'a>,
    rejects: Rejects,
    counts: Counts,
    ids: FxHashMap<Value, VertexRef>,
}

/// A line's edge.
struct Line {
    from: Value,
    to: Value,
    weight: Option<f64>,
}

/// Vertices on their way into the graph: of each the line that names it first.
#[derive(Default)]
struct Vertices {
    ids: Vec<Value>,
    lines: Vec<u64>,
}

/// Edges on their way into the graph.
#[derive(Default)]
struct Edges {
    lines: Vec<u64>,
    from: Vec<VertexRef>,
    to: Vec<VertexRef>,
    weights: Vec<Option<f64>>,
}

impl Import<'_> {
    fn read_vertices(&mut self) -> Result<(), ImportError> {
        let mut new = Vertices::default();
        self.each_line(|import, number, line| {
            let line = match parse(line) {
                Ok(line) => line,
                Err(fault) => return import.rejects.add(import.file, number, fault).map(|()| 0),
            };
            for id in [line.from, line.to] {
                // The reference is filled in when the batch is loaded.
                if let Entry::Vacant(place) = import.ids.entry(id) {
                    new.ids.push(place.key().clone());
                    new.lines.push(number);
                    place.insert(VertexRef::default());
                }
            }
            if new.ids.len() >= FULL {
                import.load_vertices(std::mem::take(&mut new))?;
            }
            Ok(0)
        })?;
        self.load_vertices(new)
    }

    fn load_vertices(&mut self, new: Vertices) -> Result<(), ImportError> {
        let Vertices { ids, lines } = new;
        let rows = Rows { standing: Standing::Implied, ..Rows::of(self.file, Places::Lines(&lines)) };
        let vertices = self.sink.vertices(VERTEX, rows, Some(ids.clone()), Vec::new())?;
        self.counts.vertices += vertices.len() as u64;
        self.ids.extend(ids.into_iter().zip(vertices));
        Ok(())
    }

    fn read_edges(&mut self) -> Result<(), ImportError> {
        let mut edges = Edges::default();
        self.each_line(|import, number, line| {
            // Lines with faults were reported by the first pass.
            let Ok(line) = parse(line) else { return Ok(0) };
            let (Some(from), Some(to)) = (import.ids.get(&line.from), import.ids.get(&line.to)) else {
                return Ok(0);
            };
            edges.lines.push(number);
            edges.from.push(*from);
            edges.to.push(*to);
            edges.weights.push(line.weight);
            if edges.from.len() >= FULL {
                import.load_edges(std::mem::take(&mut edges))?;
            }
            Ok(1)
        })?;
        self.load_edges(edges)
    }

    fn load_edges(&mut self, edges: Edges) -> Result<(), ImportError> {
        let Edges { lines, from, to, weights } = edges;
        let weights = weights.iter().any(Option::is_some).then_some(weights);
        let columns =
            weights.map(|weights| BulkColumn { key: WEIGHT.into(), values: BulkValues::Double(weights) });
        self.counts.edges += from.len() as u64;
        let rows = Rows::of(self.file, Places::Lines(&lines));
        self.sink.edges(EDGE, (&from, &to), rows, None, columns.into_iter().collect())?;
        Ok(())
    }

    /// Calls `work` with the number (from 1) and the text of every line that is no comment; it returns the number of rows that it
    /// has made of it.
    fn each_line(
        &mut self,
        mut work: impl FnMut(&mut Self, u64, &[u8]) -> Result<u64, ImportError>,
    ) -> Result<(), ImportError> {
        let mut lines = Lines::open(self.file)?;
        let mut rows = 0;
        while let Some((number, line)) = lines.next()? {
            if !line.starts_with(b"#") && !line.starts_with(b"%") {
                rows += work(self, number, line)?;
            }
            if (number as usize).is_multiple_of(FULL) {
                self.monitor.advance(lines.advance(), std::mem::take(&mut rows));
            }
        }
        self.monitor.advance(lines.advance(), rows);
        Ok(())
    }
}

fn parse(line: &[u8]) -> Result<Line, Fault> {
    let line = std::str::from_utf8(line).map_err(|_| Fault::at(0, "text in UTF-8 expected"))?;
    let mut fields = line.split_ascii_whitespace();
    let fields = [fields.next(), fields.next(), fields.next(), fields.next()];
    let (from, to, weight) = match fields {
        [Some(from), Some(to), weight, None] => (from, to, weight),
        [_, None, ..] => {
            return Err(Fault::at(
                1,
                "two ids expected, and perhaps a weight, separated by tabs or spaces; found one field",
            ));
        }
        _ => {
            return Err(Fault::at(3, "two ids expected, and perhaps a weight; found more than three fields"));
        }
    };
    let weight = match weight {
        None => None,
        Some(field) => {
            let number = field.parse().ok().filter(|weight: &f64| weight.is_finite());
            Some(number.ok_or_else(|| Fault::expected(2, "a weight, a number,", field))?)
        }
    };
    Ok(Line { from: id(from), to: id(to), weight })
}

/// An id: a long if it is one in its usual notation.
fn id(field: &str) -> Value {
    let number = field.parse::<i64>().ok().filter(|number| number.to_string() == field);
    number.map_or_else(|| Value::String(Str::from(field)), Value::Long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_lists_are_told_by_their_comments_and_numbers() {
        for start in [
            "# FromNodeId\tToNodeId\n0\t1\n",
            "# one\n#two\n\n30   1412\n",
            "% sym unweighted\n1 2\n",
            "\u{feff}# x\n-1 2 0.5\n",
            "# x\n99999999999999999999 1\n",
        ] {
            assert!(begins_as_edge_list(start.as_bytes()), "{start:?}");
        }
        for start in [
            "",
            "0\t1\n",
            "# a comment alone\n",
            "#id:ID,name\n1,a\n",
            "# x\na b\n",
            "# x\n1 2 3 4\n",
            "%%MatrixMarket matrix coordinate\n3 3 2\n1 2\n",
            "# x\n@prefix ex: <http://example.org/> .\n",
        ] {
            assert!(!begins_as_edge_list(start.as_bytes()), "{start:?}");
        }
    }

    #[test]
    fn a_line_has_two_ids_and_perhaps_a_weight() {
        let line = parse(b"7 a\t-0.5").ok().unwrap();
        assert_eq!((line.from, line.to, line.weight), (Value::Long(7), Value::str("a"), Some(-0.5)));
        assert_eq!(
            parse(b"007 +7").ok().map(|line| (line.from, line.to)),
            Some((Value::str("007"), Value::str("+7")))
        );
        for (line, problem) in [
            ("7", "found one field"),
            ("1 2 x", "a weight"),
            ("1 2 nan", "a weight"),
            ("1 2 3 4", "more than three"),
        ] {
            let found = parse(line.as_bytes()).err().unwrap();
            assert!(found.problem.contains(problem), "{line}: {}", found.problem);
        }
    }
}
