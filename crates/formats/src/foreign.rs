//! Formats that are not read. They are told by how a file begins, so that it is refused by name and never taken for CSV.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::error::ImportError;
use super::exchange::GraphFormat;
use super::graphson::VERTEX_KEYS;
use super::markup::first_element;
use super::packed::unpacked;

/// Bytes of a file that are looked at to tell what it is.
pub(super) const LOOKED_AT: u64 = 64 << 10;

/// A format that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// What the file is.
    pub name: &'static str,
    /// That it is not read, and what to do: what follows its name in a sentence.
    pub advice: &'static str,
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.advice)
    }
}

const UNPACK: &str = "is not supported; unpack it first";
const UNPACK_ARCHIVE: &str = "is not supported; unpack it, or save it as CSV, first";
const UNPACK_CSV: &str = "is not supported here; unpack it first, or name it .csv.gz or .csv.zst if it is CSV with typed \
                          headers (docs/import.md)";
/// Of what is read, but not here.
const BY_ITSELF: &str = "is not what was expected here; import it as a file by itself, without --format";
/// Of an edge list, which is not told from every other text with comments.
const AS_EDGE_LIST: &str =
    "is not what was expected here; import it as a file by itself, with --format edge-list";
const SUPPORTED: &str = "is not supported; supported are LDBC's CSV files, CSV files with typed headers, GraphSON, GraphML, \
                         Gryo and edge lists, and CSV and JSON lines with a mapping (docs/import.md)";
const TO_UTF8: &str = "is not supported; convert it to UTF-8 first (`iconv -f UTF-16 -t UTF-8`)";
const FROM_UTF32: &str = "is not supported; convert it to UTF-8 first";
const TO_LINES: &str = "is not supported; GraphSON is supported with a vertex per line, as `g.io(…).write()` writes it, and JSON \
                        lines of any kind with a mapping (docs/import.md)";
const EDGE_LIST: &str =
    "is not supported; make it a CSV file with the header `:START_ID,:END_ID`, without comments";
/// Of Parquet, which some builds read, and that where it is expected.
const OF_PARQUET: &str = if cfg!(feature = "parquet") {
    "is not what was expected here; import it by itself, not packed, without --format, or name it in a mapping"
} else {
    "is not supported by this build; install one that reads it (`cargo install --path crates/mangrove --features parquet`), or save it \
     as CSV"
};
const SCRIPT: &str = "is not supported; run it with `mangrove console < FILE`";

const PARQUET_MAGIC: &[u8] = b"PAR1";
/// Parquet where it is not read.
pub(super) const PARQUET: Foreign = Foreign { name: "Parquet", advice: OF_PARQUET };

/// How files that are not text begin.
const BYTES: &[(&[u8], &str, &str)] = &[
    (b"\x1f\x8b", "gzip", UNPACK_CSV),
    (b"\x28\xb5\x2f\xfd", "zstd", UNPACK_CSV),
    (b"BZh", "bzip2", UNPACK),
    (b"\xfd7zXZ\0", "xz", UNPACK),
    (b"\x04\x22\x4d\x18", "lz4", UNPACK),
    (b"\xff\x06\0\0sNaPpY", "snappy", UNPACK),
    (b"PK\x03\x04", "a zip archive (or a spreadsheet)", UNPACK_ARCHIVE),
    (b"PK\x05\x06", "an empty zip archive", SUPPORTED),
    (b"7z\xbc\xaf\x27\x1c", "7z", UNPACK),
    (PARQUET_MAGIC, PARQUET.name, PARQUET.advice),
    (b"PARE", "encrypted Parquet", "is not supported; write it without encryption"),
    (b"ORC\x0a", "ORC", SUPPORTED),
    (b"ORC\x08", "ORC", SUPPORTED),
    (b"Obj\x01", "Avro", SUPPORTED),
    (b"ARROW1", "Arrow", SUPPORTED),
    (b"SQLite format 3\0", "an SQLite database", SUPPORTED),
    (b"\x89HDF", "HDF5", SUPPORTED),
    (b"gio\0", "Gryo", BY_ITSELF),
    (b"\xff\xfe\0\0", "text in UTF-32", FROM_UTF32),
    (b"\0\0\xfe\xff", "text in UTF-32", FROM_UTF32),
    (b"\xff\xfe", "text in UTF-16", TO_UTF8),
    (b"\xfe\xff", "text in UTF-16", TO_UTF8),
];

/// What XML is, by its first element.
const ELEMENTS: &[(&str, &str, &str)] = &[
    (GRAPHML, "GraphML", BY_ITSELF),
    ("gexf", "GEXF", SUPPORTED),
    ("rdf", "RDF", SUPPORTED),
    ("html", "HTML", SUPPORTED),
];

const GRAPHML: &str = "graphml";

/// How the first line that says something begins, in small letters, in other formats of text.
const WORDS: &[(&str, &str, &str)] = &[
    ("@prefix", "Turtle", SUPPORTED),
    ("@base", "Turtle", SUPPORTED),
    ("prefix ", "Turtle", SUPPORTED),
    ("_:", "N-Triples", SUPPORTED),
    ("%%matrixmarket", "Matrix Market", EDGE_LIST),
    ("%", "an edge list with comments", AS_EDGE_LIST),
    ("*vertices", "Pajek", SUPPORTED),
    ("graph [", "GML", SUPPORTED),
    ("creator \"", "GML", SUPPORTED),
    ("digraph ", "DOT", SUPPORTED),
    ("strict digraph ", "DOT", SUPPORTED),
    ("graph {", "DOT", SUPPORTED),
    ("create (", "Cypher", SUPPORTED),
    ("merge (", "Cypher", SUPPORTED),
    (":begin", "Cypher", SUPPORTED),
    ("create table", "SQL", SUPPORTED),
    ("insert into", "SQL", SUPPORTED),
    ("g.addv(", "a script of traversals", SCRIPT),
    ("---", "YAML", SUPPORTED),
];

/// The keys that GraphSON of another form may begin with: all vertices in one object, and version 1 with the classes of Java.
const WHOLE_KEYS: [&str; 2] = ["vertices", "@class"];

/// Looks whether a file is of a format that is not read.
///
/// # Errors
/// [`ImportError::Foreign`], or [`ImportError::Io`].
pub fn refuse_foreign(path: &Path) -> Result<(), ImportError> {
    refuse(path, File::open(path), foreign)
}

/// Whether a file begins as Parquet.
///
/// # Errors
/// [`ImportError::Io`] if it cannot be read.
pub fn is_parquet(path: &Path) -> Result<bool, ImportError> {
    let mut magic = [0; PARQUET_MAGIC.len()];
    match File::open(path).and_then(|mut file| file.read_exact(&mut magic)) {
        Ok(()) => Ok(magic == PARQUET_MAGIC),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(ImportError::io(path, error)),
    }
}

/// Looks whether what is inside of a file that may be packed is of a format that is not read.
///
/// # Errors
/// As [`refuse_foreign`].
pub fn refuse_foreign_inside(path: &Path) -> Result<(), ImportError> {
    refuse(path, File::open(path).and_then(unpacked), foreign)
}

/// Looks only whether what is inside of a file is text, for a reader that tells by itself whether it is its own.
///
/// # Errors
/// As [`refuse_foreign`].
pub(super) fn refuse_binary_inside(path: &Path) -> Result<(), ImportError> {
    refuse(path, File::open(path).and_then(unpacked), |start| text(start).err())
}

fn refuse(
    path: &Path,
    opened: std::io::Result<impl Read>,
    foreign: impl Fn(&[u8]) -> Option<Foreign>,
) -> Result<(), ImportError> {
    let mut start = Vec::new();
    let read = opened.and_then(|file| file.take(LOOKED_AT).read_to_end(&mut start));
    read.map_err(|e| ImportError::io(path, e))?;
    match foreign(&start) {
        Some(format) => Err(ImportError::Foreign { path: path.to_owned(), format }),
        None => Ok(()),
    }
}

/// The format of a file of a whole graph that begins so; and whether it may be GraphSON with a vertex on each line.
pub(super) fn whole_graph(start: &[u8]) -> Option<(GraphFormat, bool)> {
    if start.starts_with(b"gio\0") {
        return Some((GraphFormat::Gryo, false));
    }
    let text = text(start).ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    if line.starts_with('<') {
        return (first_element(text)? == GRAPHML).then_some((GraphFormat::GraphMl, false));
    }
    let inside = line.strip_prefix('{')?.trim_start();
    let is_known = match first_key(inside) {
        Some(key) => WHOLE_KEYS.contains(&key) || VERTEX_KEYS.contains(&key),
        // Over several lines, it is for its reader to say.
        None => inside.is_empty(),
    };
    // A vertex that goes on behind its first line is none for a reader of lines; of one that is longer than what was looked at
    // nobody knows.
    let is_line = first_key(inside).is_some_and(|key| VERTEX_KEYS.contains(&key))
        && (line.ends_with('}') || !text.trim_end().contains('\n'));
    is_known.then_some((GraphFormat::GraphSon, is_line))
}

fn first_key(inside: &str) -> Option<&str> {
    inside.strip_prefix('"').and_then(|rest| rest.split_once('"')).map(|(key, _)| key)
}

/// The format of a file that begins so, if it is one that is not read.
pub(super) fn foreign(start: &[u8]) -> Option<Foreign> {
    match text(start) {
        Ok(text) => of_text(text),
        Err(foreign) => Some(foreign),
    }
}

/// What a file that begins so has of text, without a byte order mark. Its first line must be text; what comes behind it is
/// for a reader to judge, row by row.
pub(super) fn text(start: &[u8]) -> Result<&str, Foreign> {
    if let Some((_, name, advice)) = BYTES.iter().find(|(magic, ..)| start.starts_with(magic)) {
        return Err(Foreign { name, advice });
    }
    if start.get(257..262) == Some(b"ustar") {
        return Err(Foreign { name: "a tar archive", advice: UNPACK });
    }
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start);
    let (text, is_whole) = match std::str::from_utf8(start) {
        Ok(text) => (text, true),
        Err(error) => {
            // At the end of what was looked at a character may be cut off.
            let valid = std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default();
            (valid, error.error_len().is_none())
        }
    };
    let first = text.split_once('\n').map(|(first, _)| first);
    if (first.is_none() && !is_whole) || first.unwrap_or(text).contains('\0') {
        return Err(not_text(start));
    }
    Ok(text)
}

fn not_text(start: &[u8]) -> Foreign {
    let begins = &start[..start.len().min(32)];
    let is_gryo = begins.to_ascii_lowercase().windows(7).any(|word| word == b"gremlin");
    let name = if is_gryo { "Gryo, which is not a text file," } else { "a file that is not text in UTF-8" };
    Foreign { name, advice: SUPPORTED }
}

fn of_text(text: &str) -> Option<Foreign> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let begins_with_comment = lines.peek().is_some_and(|line| line.starts_with('#'));
    let line = lines.find(|line| !line.starts_with('#')).unwrap_or_default();
    let small = line.to_lowercase();
    if let Some((_, name, advice)) = WORDS.iter().find(|(word, ..)| small.starts_with(word)) {
        return Some(Foreign { name, advice });
    }
    match line.chars().next() {
        Some('<') => Some(markup(text, line)),
        Some('[') => Some(Foreign { name: "a JSON array", advice: TO_LINES }),
        Some('{') => json(line),
        _ if begins_with_comment && !super::is_csv_header(text.lines().next().unwrap_or_default()) => {
            Some(Foreign { name: "an edge list with comments", advice: AS_EDGE_LIST })
        }
        _ => None,
    }
}

fn markup(text: &str, line: &str) -> Foreign {
    let first = first_element(text);
    let element = ELEMENTS.iter().find(|(element, ..)| first.as_deref() == Some(element));
    let is_triple = || line.ends_with('.') && line.matches('<').count() > 1;
    match element {
        Some((_, name, advice)) => Foreign { name, advice },
        None if is_triple() => Foreign { name: "N-Triples", advice: SUPPORTED },
        None => Foreign { name: "XML", advice: SUPPORTED },
    }
}

/// JSON that is no vertex of GraphSON, from its first key.
fn json(line: &str) -> Option<Foreign> {
    let inside = line[1..].trim_start();
    let (name, advice) = match first_key(inside) {
        Some(key) if VERTEX_KEYS.contains(&key) => return None,
        Some("@type") => ("GraphSON with a whole graph or typed elements", TO_LINES),
        Some("@class") => ("GraphSON 1 with types", BY_ITSELF),
        Some("vertices") => ("GraphSON with a whole graph in one object (`wrapAdjacencyList`)", BY_ITSELF),
        Some(_) => ("JSON that is not GraphSON", TO_LINES),
        None if inside.is_empty() => ("JSON over several lines", BY_ITSELF),
        None => return None,
    };
    Some(Foreign { name, advice })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_how_they_begin() {
        for (start, name) in [
            (&b"\x1f\x8b\x08\0\0"[..], "gzip"),
            (b"PK\x03\x04\x14", "a zip archive (or a spreadsheet)"),
            (b"\x28\xb5\x2f\xfd\x04", "zstd"),
            (b"PAR1\x15\x04", "Parquet"),
            (b"gio\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", "Gryo"),
            (b"\0\xffGremlin\0", "Gryo, which is not a text file,"),
            (b"\xff\xfei\0d\0:\0I\0D\0", "text in UTF-16"),
            (b"\xfe\xff\0i\0d", "text in UTF-16"),
            (b"i\0d\0:\0I\0D\0", "a file that is not text in UTF-8"),
            (b"id:ID,Jos\xe9\n1,a\n", "a file that is not text in UTF-8"),
            (b"<?xml version=\"1.0\"?><graphml xmlns=\"x\">", "GraphML"),
            (b"\xef\xbb\xbf<?xml version='1.0'?>\n<gexf>", "GEXF"),
            (b"<?xml version='1.0'?><a/>", "XML"),
            (b"<!DOCTYPE html><html>", "HTML"),
            (b"# a comment\n@prefix ex: <http://example.org/> .", "Turtle"),
            (b"PREFIX ex: <http://example.org/>", "Turtle"),
            (b"<http://a> <http://b> <http://c> .\n", "N-Triples"),
            (b"# FromNodeId\tToNodeId\n0\t1\n", "an edge list with comments"),
            (b"# Nodes: 3 Edges: 2", "an edge list with comments"),
            (b"%%MatrixMarket matrix coordinate", "Matrix Market"),
            (b"graph [\n  node [", "GML"),
            (b"digraph g { a -> b }", "DOT"),
            (b"CREATE (:Person {name: 'a'})", "Cypher"),
            (b"g.addV('person')", "a script of traversals"),
            (b"[{\"id\":1}]", "a JSON array"),
            (b"{\"nodes\":[]}", "JSON that is not GraphSON"),
            (b"{\"type\":\"node\",\"id\":\"0\"}", "JSON that is not GraphSON"),
            (b"{\n  \"id\": 1", "JSON over several lines"),
            (b"{\"@type\":\"tinker:graph\"", "GraphSON with a whole graph or typed elements"),
        ] {
            let shown = String::from_utf8_lossy(start);
            assert_eq!(foreign(start).map(|format| format.name), Some(name), "{shown}");
        }
    }

    #[test]
    fn what_may_be_read_is_left_to_its_reader() {
        let cut = "id:ID,na\u{ef}ve".as_bytes();
        for start in [
            &b""[..],
            b"\xef\xbb\xbfid:ID,name\n1,a\n",
            b"id:ID,name",
            b"#id:ID,name\n1,a\n",
            b"{\"id\":{\"@type\":\"g:Int32\",\"@value\":1}",
            b"{\"label\":\"person\"}",
            b"id|firstName|lastName\n",
            b"id:ID,name\n1,Jos\xe9\n",
            &cut[..cut.len() - 3],
        ] {
            assert_eq!(foreign(start), None, "{}", String::from_utf8_lossy(start));
        }
        assert_eq!(foreign(&cut[..9]), None, "a character may be cut off");
    }
}
