//! What a line of a scenario says.

use gherkin::Step;

/// A line of a scenario, understood.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line<'a> {
    /// On this graph.
    Graph(&'a str),
    /// Run this first.
    Initialize(&'a str),
    /// A variable of the traversal, and its value in TinkerPop's notation.
    Parameter(&'a str, String),
    /// A side effect, and its value in TinkerPop's notation.
    SideEffect(&'a str, String),
    /// What is tried.
    Traversal(&'a str),
    /// All results are asked for.
    ToList,
    /// The first result is asked for.
    Next,
    /// There are no results.
    Empty,
    /// These are the results, in this order.
    Ordered(Vec<&'a str>),
    /// These are the results.
    Unordered(Vec<&'a str>),
    /// Every result is one of these.
    Among(Vec<&'a str>),
    /// There are so many results.
    Count(usize),
    /// So many results has this traversal afterwards.
    Afterwards(i64, String),
    /// It is an error, whose message has this text in this place.
    Error(Option<(Place, String)>),
    /// The result is a tree, drawn like this.
    Tree(&'a str),
    /// The result is a graph with these elements, `edges` or `vertices`.
    Subgraph(&'a str, Vec<&'a str>),
    /// TinkerPop has no way to try it.
    Unsupported,
    /// That is why.
    Because(&'a str),
}

/// Where in a message a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Anywhere.
    Containing,
    /// At its beginning.
    Starting,
    /// At its end.
    Ending,
}

impl<'a> Line<'a> {
    /// Understands a line; `None` if TinkerPop's step definitions have no such.
    pub(crate) fn of(step: &'a Step) -> Option<Self> {
        let text = step.value.as_str();
        if let Some(line) = Self::plain(text) {
            return Some(line);
        }
        if let Some(rest) = text.strip_prefix("using the parameter ") {
            return definition(rest).map(|(name, value)| Self::Parameter(name, value));
        }
        if let Some(rest) = text.strip_prefix("using the side effect ") {
            return definition(rest).map(|(name, value)| Self::SideEffect(name, value));
        }
        if let Some(rest) = text.strip_prefix("the graph should return ") {
            let (count, traversal) = rest.split_once(" for count of ")?;
            return Some(Self::Afterwards(count.parse().ok()?, quoted(traversal)?));
        }
        if let Some(rest) = text.strip_prefix("the traversal will raise an error with message ") {
            return message(rest).map(|expected| Self::Error(Some(expected)));
        }
        if let Some(count) = text.strip_prefix("the result should have a count of ") {
            return count.parse().ok().map(Self::Count);
        }
        if let Some(name) = text.strip_prefix("the ").and_then(|rest| rest.strip_suffix(" graph")) {
            return Some(Self::Graph(name));
        }
        Self::with_attachment(text, step)
    }

    /// Whether it says what should come of the traversal.
    pub(crate) fn is_assertion(&self) -> bool {
        match self {
            Self::Empty | Self::Ordered(_) | Self::Unordered(_) | Self::Among(_) | Self::Count(_) => true,
            Self::Afterwards(..) | Self::Error(_) | Self::Tree(_) | Self::Subgraph(..) => true,
            Self::Graph(_) | Self::Initialize(_) | Self::Parameter(..) | Self::SideEffect(..) => false,
            Self::Traversal(_) | Self::ToList | Self::Next | Self::Unsupported | Self::Because(_) => false,
        }
    }

    fn plain(text: &str) -> Option<Self> {
        Some(match text {
            "iterated to list" => Self::ToList,
            "iterated next" => Self::Next,
            "the result should be empty" => Self::Empty,
            "the traversal will raise an error" => Self::Error(None),
            "an unsupported test" => Self::Unsupported,
            _ => return None,
        })
    }

    /// Lines that are followed by a text or a table.
    fn with_attachment(text: &str, step: &'a Step) -> Option<Self> {
        let attached = || step.docstring.as_deref().map(str::trim);
        Some(match text {
            "the graph initializer of" => Self::Initialize(attached()?),
            "the traversal of" => Self::Traversal(attached()?),
            "nothing should happen because" => Self::Because(attached()?),
            "the result should be a tree with a structure of" => Self::Tree(step.docstring.as_deref()?),
            "the result should be ordered" => Self::Ordered(table(step)?.1),
            "the result should be unordered" => Self::Unordered(table(step)?.1),
            "the result should be of" => Self::Among(table(step)?.1),
            "the result should be a subgraph with the following" => {
                let (kind, elements) = table(step)?;
                Self::Subgraph(kind, elements)
            }
            _ => return None,
        })
    }
}

/// The heading of a table of one column, and the cells below it.
fn table(step: &Step) -> Option<(&str, Vec<&str>)> {
    let mut cells = step.table.as_ref()?.rows.iter().map(|row| row.first().map_or("", String::as_str));
    Some((cells.next()?, cells.collect()))
}

/// `NAME defined as "VALUE"`
fn definition(text: &str) -> Option<(&str, String)> {
    let (name, value) = text.split_once(" defined as ")?;
    Some((name, quoted(value)?))
}

/// `containing text of "TEXT"`
fn message(text: &str) -> Option<(Place, String)> {
    let (place, expected) = text.split_once(" text of ")?;
    let place = match place {
        "containing" => Place::Containing,
        "starting" => Place::Starting,
        "ending" => Place::Ending,
        _ => return None,
    };
    Some((place, quoted(expected)?))
}

/// What stands between quotes, in which a backslash takes a quote's meaning away.
fn quoted(text: &str) -> Option<String> {
    Some(text.trim().strip_prefix('"')?.strip_suffix('"')?.replace("\\\"", "\""))
}
