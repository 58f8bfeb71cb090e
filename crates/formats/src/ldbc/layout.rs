//! Which file holds what: the layout of an LDBC social network, from file names and headers.
//!
//! ```text
//! person_0_0.csv                      id|firstName|…                     vertices
//! person_knows_person_0_0.csv         Person.id|Person.id|creationDate   edges
//! person_email_emailaddress_0_0.csv   Person.id|email                    an attribute with many values (CsvBasic)
//! └─ names ─────────────────┘ └ part
//! ```
//!
//! `CsvComposite` differs from `CsvBasic` in one thing: `language` and `email` are columns of `person`, values joined
//! by `;`, and their own files are missing. Nothing else needs to be told apart, so the headers decide file by file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::{ImportError, quoted};
use crate::foreign::refuse_foreign;
use crate::lines::{ranges, read_head};

/// The delimiter of all LDBC files; values are never quoted.
pub(super) const DELIMITER: u8 = b'|';
/// How deep below the given directory files are looked for.
const DEPTH: usize = 3;
/// The vertex labels of the schema.
const LABELS: [&str; 8] = ["Person", "Forum", "Post", "Comment", "Organisation", "Place", "Tag", "TagClass"];

/// All files of one social network.
#[derive(Debug, Default)]
pub(super) struct Network {
    /// Vertex labels; the tables refer to them by position.
    pub(super) labels: Vec<String>,
    pub(super) vertices: Vec<VertexTable>,
    pub(super) edges: Vec<EdgeTable>,
    pub(super) values: Vec<ValueTable>,
}

/// One CSV file.
#[derive(Debug)]
pub(super) struct CsvFile {
    pub(super) path: PathBuf,
    pub(super) header: Vec<String>,
    /// Types of the columns, in the order of the header.
    pub(super) types: Vec<FieldType>,
    /// Where the rows begin.
    pub(super) data: u64,
    pub(super) length: u64,
}

impl CsvFile {
    /// The parts of about `size` bytes in which it is read.
    pub(super) fn parts(&self, size: u64) -> impl Iterator<Item = Range<u64>> + use<> {
        ranges(self.data, self.length, size)
    }
}

/// Vertices of a label; the columns are properties.
#[derive(Debug)]
pub(super) struct VertexTable {
    pub(super) file: CsvFile,
    pub(super) label: usize,
}

/// Edges; after the two ends, the columns are properties.
#[derive(Debug)]
pub(super) struct EdgeTable {
    pub(super) file: CsvFile,
    pub(super) label: String,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Values of one multi-property of vertices that another file has.
#[derive(Debug)]
pub(super) struct ValueTable {
    pub(super) file: CsvFile,
    pub(super) label: usize,
    pub(super) key: String,
}

/// How a field is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldType {
    /// The LDBC id of a vertex, or of one end of an edge.
    Id,
    /// A 32-bit integer.
    Int,
    /// A date in milliseconds since 1970, kept as a long.
    Millis,
    /// A date in ISO 8601.
    Date,
    /// A text; none if it is empty.
    Text,
    /// Texts joined by `;`: a multi-property.
    Texts,
}

/// Finds all tables of the network below `directory`.
pub(super) fn find(directory: &Path) -> Result<Network, ImportError> {
    let mut by_name: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    collect(directory, DEPTH, &mut by_name)?;
    if by_name.is_empty() {
        let expected = "CSV files of an LDBC social network (person_0_0.csv and others) expected there or up to three \
                        levels below";
        return Err(ImportError::NoFiles { path: directory.to_owned(), expected });
    }
    let mut network = Network::default();
    // Names with one part, the vertices, come first: the others refer to them.
    let (vertices, others): (Vec<_>, Vec<_>) = by_name.into_iter().partition(|(name, _)| !name.contains('_'));
    for (name, mut paths) in vertices.into_iter().chain(others) {
        paths.sort();
        if let Some(other) = paths.iter().find(|path| path.parent() != paths[0].parent()) {
            let problem = format!("also at `{}`: name the directory of one network", other.display());
            return Err(ImportError::layout(&paths[0], problem));
        }
        paths.into_iter().try_for_each(|path| network.add(path, &name))?;
    }
    Ok(network)
}

fn collect(
    directory: &Path,
    depth: usize,
    found: &mut BTreeMap<String, Vec<PathBuf>>,
) -> Result<(), ImportError> {
    let entries = std::fs::read_dir(directory).map_err(|e| ImportError::io(directory, e))?;
    for entry in entries {
        let path = entry.map_err(|e| ImportError::io(directory, e))?.path();
        if path.is_dir() {
            if depth > 0 {
                collect(&path, depth - 1, found)?;
            }
        } else if let Some(name) = table_name(&path) {
            found.entry(name).or_default().push(path);
        } else if path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.contains(".csv.")) {
            // A table that is packed would be missed.
            refuse_foreign(&path)?;
        }
    }
    Ok(())
}

/// `person_knows_person` from `…/person_knows_person_0_0.csv`; none for files that are not tables.
fn table_name(path: &Path) -> Option<String> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".csv")?;
    let numbers = |c: char| c == '_' || c.is_ascii_digit();
    let name = stem.trim_end_matches(numbers);
    (!name.is_empty() && !name.starts_with("updateStream")).then(|| name.to_owned())
}

macro_rules! has_file {
    ($($table:ty),*) => { $(impl AsRef<CsvFile> for $table { fn as_ref(&self) -> &CsvFile { &self.file } })* };
}
has_file!(VertexTable, EdgeTable, ValueTable);

impl Network {
    /// Bytes of all rows.
    pub(super) fn bytes(&self) -> u64 {
        let files =
            self.vertices.iter().map(|table| &table.file).chain(self.edges.iter().map(|table| &table.file));
        files.chain(self.values.iter().map(|table| &table.file)).map(|file| file.length - file.data).sum()
    }

    /// Adds the file of a table, given the table's name.
    fn add(&mut self, path: PathBuf, name: &str) -> Result<(), ImportError> {
        refuse_foreign(&path)?;
        let head = read_head(&path)?;
        if head.length == 0 {
            return Err(ImportError::layout(&path, "the file is empty, not even a header"));
        }
        let header: Vec<String> = head.line.split(DELIMITER as char).map(str::to_owned).collect();
        let ends: Vec<String> =
            header.iter().take(2).filter_map(|column| column.strip_suffix(".id")).map(canonical).collect();
        let parts: Vec<&str> = name.split('_').collect();
        let sample: Vec<&str> = head.sample.split(DELIMITER as char).collect();
        let file = |types| CsvFile {
            path: path.clone(),
            header: header.clone(),
            types,
            data: head.data,
            length: head.length,
        };
        match (&parts[..], &ends[..]) {
            ([name], []) if header[0] == "id" => {
                let label = self.label_of(&canonical(name));
                let file = file(field_types(&path, &header, &sample, &self.labels[label])?);
                self.vertices.push(VertexTable { file, label });
            }
            ([_, name, _], [from, to]) => {
                let (from, to) = (self.known(&path, from)?, self.known(&path, to)?);
                let file = file(field_types(&path, &header, &sample, "")?);
                self.edges.push(EdgeTable { file, label: (*name).to_owned(), from, to });
            }
            ([_, _, _], [owner]) if header.len() == 2 && header[0].ends_with(".id") => {
                let (label, key) = (self.known(&path, owner)?, header[1].clone());
                self.check_attribute(&path, label, &key)?;
                self.values.push(ValueTable { file: file(vec![FieldType::Id, FieldType::Text]), label, key });
            }
            _ => return Err(unknown_table(&path, &head.line)),
        }
        Ok(())
    }

    /// The position of a label, which is new if need be.
    fn label_of(&mut self, label: &str) -> usize {
        self.labels.iter().position(|known| known == label).unwrap_or_else(|| {
            self.labels.push(label.to_owned());
            self.labels.len() - 1
        })
    }

    /// The position of a label that a file refers to: there has to be a file with those vertices.
    fn known(&self, path: &Path, label: &str) -> Result<usize, ImportError> {
        self.labels.iter().position(|known| known == label).ok_or_else(|| {
            let file = label.to_lowercase();
            let problem =
                format!("it refers to {label}, but there is no `{file}_0_0.csv` with those vertices");
            ImportError::layout(path, problem)
        })
    }

    /// A property comes either as a column of its vertices or in a file of its own.
    fn check_attribute(&self, path: &Path, label: usize, key: &String) -> Result<(), ImportError> {
        let mut same_label = self.vertices.iter().filter(|table| table.label == label);
        match same_label.find(|table| table.file.header.contains(key)) {
            None => Ok(()),
            Some(table) => {
                let problem = format!("`{key}` is also a column of `{}`", table.file.path.display());
                Err(ImportError::layout(path, problem))
            }
        }
    }
}

fn unknown_table(path: &Path, header: &str) -> ImportError {
    let problem = format!(
        "neither name nor header {} is that of a table: `TYPE_0_0.csv` with columns `id|…` expected, or \
         `TYPE_RELATION_TYPE_0_0.csv` with `Type.id|Type.id|…` or `Type.id|ATTRIBUTE`",
        quoted(header)
    );
    ImportError::layout(path, problem)
}

/// The label as the schema spells it: file names are in lower case, some generators write `Tagclass`.
fn canonical(name: &str) -> String {
    if let Some(known) = LABELS.iter().find(|label| label.eq_ignore_ascii_case(name)) {
        return (*known).to_owned();
    }
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The types of a header's columns; `label` is that of vertices and empty for edges.
fn field_types(
    path: &Path,
    header: &[String],
    sample: &[&str],
    label: &str,
) -> Result<Vec<FieldType>, ImportError> {
    let mut types = Vec::with_capacity(header.len());
    for (number, column) in header.iter().enumerate() {
        if header[..number].contains(column) && !column.ends_with(".id") {
            return Err(ImportError::layout(path, format!("the header has two columns `{column}`")));
        }
        let value = sample.get(number).copied().unwrap_or_default();
        types.push(field_type(column, label, value).ok_or_else(|| unknown_column(path, column))?);
    }
    Ok(types)
}

fn field_type(column: &str, label: &str, sample: &str) -> Option<FieldType> {
    Some(match column {
        "id" => FieldType::Id,
        _ if column.ends_with(".id") => FieldType::Id,
        "creationDate" | "birthday" | "joinDate" => {
            // What a file's first row has, the others must have too: a column has one type.
            let is_iso = sample.get(1..).is_some_and(|rest| rest.contains('-'));
            if is_iso { FieldType::Date } else { FieldType::Millis }
        }
        "length" | "classYear" | "workFrom" => FieldType::Int,
        "language" | "email" if label == "Person" => FieldType::Texts,
        "firstName" | "lastName" | "gender" | "locationIP" | "browserUsed" | "imageFile" | "language"
        | "content" | "title" | "name" | "url" | "type" => FieldType::Text,
        _ => return None,
    })
}

fn unknown_column(path: &Path, column: &str) -> ImportError {
    let problem = format!(
        "unknown column `{column}`; the layouts CsvBasic and CsvComposite of LDBC SNB Interactive v1 have none of that \
         name (the MergeForeign layouts cannot be imported)"
    );
    ImportError::layout(path, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(files: &[(&str, &str)]) -> Result<Network, ImportError> {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(directory.path().join(name), text).unwrap();
        }
        find(directory.path())
    }

    const PERSON: (&str, &str) = ("person_0_0.csv", "id|firstName\n");

    #[test]
    fn names_and_headers_say_what_a_file_holds() {
        let knows = ("person_knows_person_12_3.csv", "Person.id|Person.id|creationDate\n");
        let speaks = ("person_speaks_language_0_0.csv", "Person.id|language\n");
        let class = ("tagclass_0_0.csv", "id|name|url\n1|a|b\n");
        let found = network(&[knows, speaks, class, PERSON]).unwrap();
        assert_eq!(found.labels, ["Person", "TagClass"]);
        assert_eq!(found.vertices[1].label, 1);
        assert_eq!((found.edges[0].label.as_str(), found.edges[0].from, found.edges[0].to), ("knows", 0, 0));
        assert_eq!((found.values[0].label, found.values[0].key.as_str()), (0, "language"));
    }

    #[test]
    fn the_first_row_decides_how_dates_are_written() {
        let types = |row: &str| {
            let text = format!("Person.id|Person.id|creationDate\n1|2|{row}\n");
            network(&[PERSON, ("person_knows_person.csv", &text)]).unwrap().edges[0].file.types[2]
        };
        assert_eq!(types("1266161530447"), FieldType::Millis);
        assert_eq!(types("-5"), FieldType::Millis);
        assert_eq!(types("2010-02-14T15:32:10.447+0000"), FieldType::Date);
    }

    #[test]
    fn languages_are_a_list_of_persons_and_a_text_of_posts() {
        let types = |name: &str| network(&[(name, "id|language\n")]).unwrap().vertices[0].file.types[1];
        assert_eq!(types("person_0_0.csv"), FieldType::Texts);
        assert_eq!(types("post_0_0.csv"), FieldType::Text);
    }

    #[test]
    fn what_is_no_network_is_refused_with_what_was_expected() {
        let problem = |name: &str, text: &str| network(&[(name, text)]).unwrap_err().to_string();
        assert!(problem("person_0_0.csv", "").contains("is empty"));
        assert!(problem("person_0_0.csv", "id|place\n").contains("unknown column `place`"));
        assert!(problem("person_0_0.csv", "name|id\n").contains("`id|…` expected"));
        assert!(problem("person_0_0.csv", "id|name|name\n").contains("two columns `name`"));
        assert!(problem("person_likes_post_0_0.csv", "Person.id|Post.id\n").contains("no `person_0_0.csv`"));
        assert!(problem("notes.txt", "hello\n").contains("nothing to import"));
        let twice =
            [("person_0_0.csv", "id|email\n"), ("person_email_emailaddress_0_0.csv", "Person.id|email\n")];
        assert!(network(&twice).unwrap_err().to_string().contains("`email` is also a column"));
    }

    #[test]
    fn two_networks_below_one_directory_are_not_mixed() {
        let directory = tempfile::tempdir().unwrap();
        for part in ["a", "b"] {
            std::fs::create_dir(directory.path().join(part)).unwrap();
            std::fs::write(directory.path().join(part).join("tag_0_0.csv"), "id|name|url\n").unwrap();
        }
        assert!(find(directory.path()).unwrap_err().to_string().contains("one network"));
    }
}
