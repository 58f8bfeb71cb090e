//! Files of whole graphs.

use values::Str;

use crate::words::{InWords, Words};

/// A file that `io()` reads into the graph, or writes the graph to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphFile {
    /// What it is called, as written.
    pub name: Str,
    /// Its format.
    pub format: FileFormat,
    /// Whether it is read; otherwise it is written.
    pub reads: bool,
}

/// The format of such a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum FileFormat {
    GraphSon,
    GraphMl,
    Gryo,
}

impl FileFormat {
    /// What TinkerPop calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::GraphSon => "graphson",
            Self::GraphMl => "graphml",
            Self::Gryo => "gryo",
        }
    }

    /// The format that TinkerPop's `IoStep` takes a file for, packed or not.
    pub fn of_file(name: &str) -> Option<Self> {
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
        let ends = |ending: &&str| name.ends_with(*ending);
        match *[".kryo", ".json", ".xml", ".graphml"].iter().find(|ending| ends(ending))? {
            ".kryo" => Some(Self::Gryo),
            ".json" => Some(Self::GraphSon),
            _ => Some(Self::GraphMl),
        }
    }
}

impl InWords for GraphFile {
    fn write(&self, words: &mut Words<'_>) {
        let what = if self.reads { "ReadFile" } else { "WriteFile" };
        words.call(what, |w| w.show(format_args!("{:?} as {}", self.name, self.format.name())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_file_tells_its_format() {
        for (name, format) in [
            ("a.kryo", Some(FileFormat::Gryo)),
            ("a/b.json", Some(FileFormat::GraphSon)),
            ("a.xml", Some(FileFormat::GraphMl)),
            ("a.graphml", Some(FileFormat::GraphMl)),
            ("a.JSON", None),
            ("json", None),
        ] {
            assert_eq!(FileFormat::of_file(name), format, "{name}");
        }
    }
}
