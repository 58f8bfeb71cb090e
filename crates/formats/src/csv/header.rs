//! The header convention: what a column is, from its name.

use std::fmt;

use super::neptune;
use super::reader::likely_delimiter;
use super::scalar::ScalarType;
use crate::error::quoted;

/// What a file holds, as its header says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Column>,
    pub(super) is_edges: bool,
    /// Label from `{label:…}` in the header, if any.
    pub(super) label: Option<String>,
    /// Whether it follows Neptune's convention.
    pub(super) is_neptunes: bool,
}

/// What a column is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Column {
    /// The id of the row's element.
    Id { space: String, id_type: ScalarType, key: Option<String> },
    /// The id of the vertex that the edge leaves.
    Start { space: String },
    /// The id of the vertex that the edge enters.
    End { space: String },
    /// The label of the row's element.
    Label,
    /// Not imported.
    Ignore,
    /// A property.
    Property { key: String, scalar: ScalarType, is_array: bool },
}

/// Why a header cannot be read: what is wrong, with the column's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeaderError(String);

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What to say of a first row that may be data.
const NO_HEADER: &str = "no column of the first row says what it is, so the row may be data; a header expected, such as \
                         `id:ID,name,age:int,:LABEL` for vertices or `:START_ID,:END_ID,:TYPE` for edges (a property that is \
                         text may be `name:string`), or else a mapping (docs/import.md)";

/// What a column may be that is no property.
const KEYWORDS: [&str; 6] = ["ID", "START_ID", "END_ID", "LABEL", "TYPE", "IGNORE"];

/// The keyword of a column that is no property.
fn keyword_of(name: &str) -> Option<&str> {
    split(name).ok().map(|parts| parts.keyword).filter(|keyword| KEYWORDS.contains(keyword))
}

/// A column's name in its parts: `name:TYPE(space){key:value,…}[]`.
pub(super) struct Parts<'a> {
    name: &'a str,
    pub(super) keyword: &'a str,
    space: &'a str,
    pub(super) options: Vec<(&'a str, &'a str)>,
    pub(super) is_array: bool,
}

impl Header {
    /// Reads the names of the columns.
    pub(super) fn parse(names: Vec<String>) -> Result<Self, HeaderError> {
        let neptune = names.iter().find(|name| neptune::is_special(name));
        let mut header = Self {
            names: Vec::new(),
            columns: Vec::new(),
            is_edges: false,
            label: None,
            is_neptunes: neptune.is_some(),
        };
        let mut says_something = neptune.is_some();
        for name in &names {
            if let Some(special) = neptune {
                if let Some(keyword) = keyword_of(name) {
                    return Err(HeaderError(format!(
                        "columns of two conventions, Neptune's `{special}` and `:{keyword}`; those of one expected"
                    )));
                }
                let column = neptune::column(name);
                let column =
                    column.map_err(|problem| HeaderError(format!("column {}: {problem}", quoted(name))))?;
                header.add(name, column)?;
                continue;
            }
            let parts = split(name)?;
            says_something |= !parts.keyword.is_empty();
            if let Some((_, label)) = parts.options.iter().find(|(option, _)| *option == "label") {
                header.label = Some((*label).to_owned());
            }
            header.add(name, column(name, &parts)?)?;
        }
        if !says_something {
            return Err(HeaderError(format!("{NO_HEADER}; found {}", quoted(&names.join(",")))));
        }
        let has = |wanted: fn(&Column) -> bool| header.columns.iter().any(wanted);
        let (start, end) =
            (has(|c| matches!(c, Column::Start { .. })), has(|c| matches!(c, Column::End { .. })));
        if start != end {
            let [from, to] = if neptune.is_some() { ["~from", "~to"] } else { [":START_ID", ":END_ID"] };
            let missing = if start { to } else { from };
            return Err(HeaderError(format!(
                "edges need both `{from}` and `{to}`, but `{missing}` is missing"
            )));
        }
        header.is_edges = start;
        if neptune.is_some() {
            header.label = Some(neptune::default_label(start).to_owned());
        }
        header.names = names;
        Ok(header)
    }

    /// The id space of the ids in the file; none if it has no ids.
    pub(super) fn id_space(&self) -> Option<&str> {
        self.columns.iter().find_map(|column| match column {
            Column::Id { space, .. } => Some(space.as_str()),
            _ => None,
        })
    }

    /// The property that the ids of vertices become where they are unique in a space only: by it they are found, so it gets an index.
    pub(super) fn indexed_key(&self) -> Option<&str> {
        let mut columns = self.columns.iter().filter(|_| !self.is_edges);
        columns.find_map(|column| match column {
            Column::Id { space, key: Some(key), .. } if !space.is_empty() => Some(key.as_str()),
            _ => None,
        })
    }

    /// Whether the elements in the file have their ids from it: those that are unique in a space only are no ids of the graph.
    pub(super) fn keeps_ids(&self) -> bool {
        self.id_space().is_some_and(|space| self.is_edges || space.is_empty())
    }

    fn add(&mut self, name: &str, column: Column) -> Result<(), HeaderError> {
        let kind = std::mem::discriminant(&column);
        let clashes = |other: &Column| match (&column, other) {
            (Column::Ignore, _) => false,
            (Column::Property { key, .. }, Column::Property { key: other, .. }) => key == other,
            _ => std::mem::discriminant(other) == kind,
        };
        if let Some(other) = self.columns.iter().position(clashes) {
            return Err(HeaderError(format!(
                "column {} and column {} ({name}) are the same",
                other + 1,
                self.columns.len() + 1
            )));
        }
        self.columns.push(column);
        Ok(())
    }
}

/// The parts of a column's name.
pub(super) fn split(name: &str) -> Result<Parts<'_>, HeaderError> {
    let bad = |problem: &str| HeaderError(format!("column {}: {problem}", quoted(name)));
    let (rest, is_array) = name.strip_suffix("[]").map_or((name, false), |rest| (rest, true));
    let (rest, options) = match rest.find('{') {
        None => (rest, ""),
        Some(open) => {
            let inside = rest[open + 1..].strip_suffix('}').ok_or_else(|| bad("`}` expected at its end"))?;
            (&rest[..open], inside)
        }
    };
    let options = options.split([',', ';']).map(str::trim).filter(|text| !text.is_empty());
    let options = options
        .map(|text| text.split_once(':').ok_or_else(|| bad("options of the form `{name:value}` expected")))
        .collect::<Result<Vec<_>, _>>()?;
    let (name, keyword) = rest.rsplit_once(':').unwrap_or((rest, ""));
    let (keyword, space) = match keyword.split_once('(') {
        None => (keyword, ""),
        Some((keyword, space)) => {
            (keyword, space.strip_suffix(')').ok_or_else(|| bad("`)` expected after the id space"))?)
        }
    };
    Ok(Parts { name: name.trim(), keyword: keyword.trim(), space: space.trim(), options, is_array })
}

fn column(whole: &str, parts: &Parts<'_>) -> Result<Column, HeaderError> {
    let bad = |problem: String| HeaderError(format!("column {}: {problem}", quoted(whole)));
    let space = || parts.space.to_owned();
    let named = || (!parts.name.is_empty()).then(|| parts.name.to_owned());
    let is_property = !KEYWORDS.contains(&parts.keyword);
    if parts.is_array && !is_property {
        return Err(bad("only properties can be arrays".to_owned()));
    }
    if let Some((option, _)) = parts.options.iter().find(|(option, _)| !["label", "id-type"].contains(option))
    {
        return Err(bad(format!("the options `label` and `id-type` expected, found `{option}`")));
    }
    Ok(match parts.keyword {
        "ID" => {
            let id_type = match parts.options.iter().find(|(option, _)| *option == "id-type") {
                None => ScalarType::String,
                Some((_, name)) => ScalarType::of_id(name).ok_or_else(|| {
                    bad(format!("an id is a `string`, `int`, `long` or `uuid`, not {}", quoted(name)))
                })?,
            };
            Column::Id { space: space(), id_type, key: named() }
        }
        "START_ID" => Column::Start { space: space() },
        "END_ID" => Column::End { space: space() },
        "LABEL" | "TYPE" => Column::Label,
        "IGNORE" => Column::Ignore,
        keyword => {
            let scalar =
                if keyword.is_empty() { Some(ScalarType::String) } else { ScalarType::named(keyword) };
            let expected = ScalarType::EXPECTED;
            let scalar = scalar.ok_or_else(|| {
                bad(format!("{expected}; found {}; is the first row a header?", quoted(keyword)))
            })?;
            let key = named().ok_or_else(|| bad("a property needs a name".to_owned()))?;
            Column::Property { key, scalar, is_array: parts.is_array }
        }
    })
}

/// What a column of that name is.
pub(super) fn neo4j_column(name: &str) -> Result<Column, HeaderError> {
    column(name, &split(name)?)
}

/// Whether a line may be a header of this convention: some column says what it is.
pub fn is_csv_header(line: &str) -> bool {
    let delimiter = char::from(likely_delimiter(line));
    let line = line.trim_start_matches('\u{feff}').trim_end();
    line.split(delimiter).any(|name| {
        let name = name.trim_matches('"');
        if neptune::is_special(name) {
            return neptune::column(name).is_ok();
        }
        let parts = split(name);
        parts.is_ok_and(|parts| !parts.keyword.is_empty() && column(name, &parts).is_ok())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(names: &[&str]) -> Result<Header, String> {
        Header::parse(names.iter().map(|&n| n.to_owned()).collect()).map_err(|e| e.to_string())
    }

    #[test]
    fn a_vertex_header() {
        let header = parse(&[
            "pid:ID(Person){label:Person;id-type:long}",
            "name",
            "age:int",
            "tags:string[]",
            "x:IGNORE",
        ]);
        let header = header.unwrap();
        assert!(!header.is_edges);
        assert_eq!(header.label.as_deref(), Some("Person"));
        let (space, key) = ("Person".to_owned(), Some("pid".to_owned()));
        assert_eq!(header.columns[0], Column::Id { space, id_type: ScalarType::Long, key });
        let property = |key: &str, scalar, is_array| Column::Property { key: key.into(), scalar, is_array };
        assert_eq!(header.columns[1], property("name", ScalarType::String, false));
        assert_eq!(header.columns[2], property("age", ScalarType::Int, false));
        assert_eq!(header.columns[3], property("tags", ScalarType::String, true));
        assert_eq!(header.columns[4], Column::Ignore);
    }

    #[test]
    fn an_edge_header() {
        let header =
            parse(&[":START_ID(Person)", ":END_ID", ":TYPE", "since:date", ":ID{id-type:uuid}"]).unwrap();
        assert!(header.is_edges);
        assert_eq!(header.columns[0], Column::Start { space: "Person".into() });
        assert_eq!(header.columns[1], Column::End { space: String::new() });
        assert_eq!(header.columns[2], Column::Label);
    }

    #[test]
    fn neptunes_headers() {
        let vertices = parse(&["~id", "~label", "name:String", "tags:String[]"]).unwrap();
        assert!(!vertices.is_edges);
        assert_eq!(vertices.label.as_deref(), Some("vertex"));
        let id = Column::Id { space: String::new(), id_type: ScalarType::String, key: None };
        assert_eq!(vertices.columns[..2], [id, Column::Label]);
        let edges = parse(&["~id", "~from", "~to", "w:Double"]).unwrap();
        assert!(edges.is_edges);
        assert_eq!(edges.label.as_deref(), Some("edge"));
        assert!(is_csv_header("~id,~label") && !is_csv_header("~name,b"));
    }

    #[test]
    fn faults_name_the_column() {
        for (names, problem) in [
            (&["a", "b"][..], "may be data"),
            (&["~id", "~name"], "Neptune has `~id`"),
            (&["~id", "~from", "w:Double"], "`~to` is missing"),
            (&[":START_ID", ":END_ID", "~id"], "Neptune's `~id` and `:START_ID`"),
            (&["a:strin"], "a type"),
            (&[":int"], "needs a name"),
            (&["a:ID(x"], "`)` expected"),
            (&["a:ID{label:x"], "`}` expected"),
            (&["a:ID{x}"], "`{name:value}`"),
            (&["a:ID{x:y}"], "found `x`"),
            (&["a:ID{id-type:double}"], "not \"double\""),
            (&[":ID[]"], "arrays"),
            (&["a", "a:int"], "the same"),
            (&["12:30", "b:int"], "is the first row a header?"),
            (&[":ID", "b:ID"], "the same"),
            (&[":START_ID", "b"], "`:END_ID` is missing"),
        ] {
            let found = parse(names).unwrap_err();
            assert!(found.contains(problem), "{names:?}: {found}");
        }
    }
}
