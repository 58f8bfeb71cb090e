//! What the files of an export do not say of the graph.

use std::collections::BTreeMap;

use super::CsvConvention;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Losses {
    counts: BTreeMap<Loss, u64>,
}

/// What is not said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    /// Ids are written as texts.
    IdAsText,
    /// Ids of edges are not written.
    EdgeId,
    /// A value under this key is written as a text.
    ValueAsText(String),
    /// A value under this key has a type that only Mangrove knows.
    OwnType(String, &'static str),
    /// A value under this key is an older kind of date of Java, and will be a date-time.
    Dates(String),
    /// A value under this key is left out: null, or an empty text among several values.
    Empty(String),
    /// Values under this key are left out, since a delimiter in one of them would part it.
    Delimiter(String),
    /// Values under this key are left out, since it cannot be the name of a column.
    Key(String),
    /// Properties of properties under this key are left out.
    Meta(String),
}

impl Losses {
    /// Where losses of a pass are noted: nowhere if it does not write.
    pub(super) fn in_pass(&mut self, writes: bool) -> Noting<'_> {
        Noting(writes.then_some(self))
    }

    pub(super) fn id_as_text(&mut self) {
        self.in_pass(true).note(Loss::IdAsText);
    }

    /// Counts those of somebody else, too.
    pub(super) fn add(&mut self, others: Self) {
        for (loss, count) in others.counts {
            *self.counts.entry(loss).or_default() += count;
        }
    }

    /// All of them, in words.
    pub(super) fn told(&self, convention: CsvConvention) -> Vec<String> {
        self.counts.iter().map(|(loss, count)| loss.told(*count, convention)).collect()
    }
}

/// Notes losses, or not.
pub(super) struct Noting<'l>(Option<&'l mut Losses>);

impl Noting<'_> {
    pub(super) fn note(&mut self, loss: Loss) {
        if let Some(losses) = &mut self.0 {
            *losses.counts.entry(loss).or_default() += 1;
        }
    }
}

impl Loss {
    fn told(&self, count: u64, convention: CsvConvention) -> String {
        let whose = match convention {
            CsvConvention::Neo4j => "neo4j-admin",
            CsvConvention::Neptune => "Neptune",
            CsvConvention::Parquet => "Parquet",
        };
        match self {
            Self::IdAsText if convention == CsvConvention::Neptune => {
                format!("{count} ids that are no texts are written as texts, for Neptune has no others")
            }
            Self::IdAsText => {
                format!(
                    "{count} ids that are no texts are written as texts, for vertices have ids of several types"
                )
            }
            Self::EdgeId => format!("{count} ids of edges are left out"),
            Self::ValueAsText(key) => {
                format!("`{key}`: {count} values are written as texts, for no type of a column is theirs")
            }
            Self::OwnType(key, scalar) => {
                format!(
                    "`{key}`: {count} values have the type {scalar}, which Mangrove reads and {whose} does not"
                )
            }
            Self::Dates(key) => {
                format!(
                    "`{key}`: {count} values that are a Date or Timestamp of Java are written as date-times"
                )
            }
            Self::Empty(key) if convention == CsvConvention::Parquet => {
                format!("`{key}`: {count} values are left out, which are null")
            }
            Self::Empty(key) => {
                format!(
                    "`{key}`: {count} values are left out, null or empty texts among several, which are like none in CSV"
                )
            }
            Self::Delimiter(key) => {
                format!(
                    "`{key}`: the values of {count} elements are left out, for one of several has the delimiter `;` in it"
                )
            }
            Self::Key(key) => {
                format!("`{key}`: {count} properties are left out, for this cannot be the name of a column")
            }
            Self::Meta(key) => format!("`{key}`: {count} properties of properties are left out"),
        }
    }
}
