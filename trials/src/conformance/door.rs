//! The ways into Mangrove.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use gremlin::Bindings;
use mangrove::{Database, DatabaseOptions, ErrorKind};
use values::Value;

use crate::Problem;
use crate::samples::{SAMPLES, load};

/// What a traversal answers.
pub type Answer = Result<Vec<Value>, Failure>;

/// Why there is no complete answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Mangrove does not do this yet.
    Refused {
        /// What it does not do, such as "step `match`".
        what: String,
        /// The whole message.
        message: String,
    },
    /// An error that Mangrove finds in the traversal or in what it works on.
    Error(String),
    /// An error that no traversal may run into: a time-out, a bound, a panic, a lost connection.
    Broken(String),
}

/// A way to ask Mangrove.
pub trait Door {
    /// What it is called in reports.
    fn name(&self) -> &'static str;

    /// Runs a traversal that begins with `g` on a graph and waits for all results.
    ///
    /// # Errors
    /// [`Failure`], be it of Mangrove or of the way to it.
    fn ask(&mut self, graph: &str, text: &str, bindings: &Bindings) -> Answer;
}

impl Failure {
    /// The failure that an error of this kind with this message is.
    pub(crate) fn of(kind: ErrorKind, message: String) -> Self {
        let what = [" is not supported", " are not supported"].iter().find_map(|end| message.split_once(end));
        match (what, kind) {
            (Some((what, _)), _) => Self::Refused { what: what.trim().to_owned(), message },
            (None, ErrorKind::Unsupported) => Self::Refused { what: message.clone(), message },
            (None, ErrorKind::Syntax | ErrorKind::Evaluation | ErrorKind::FailStep) => Self::Error(message),
            (None, _) => Self::Broken(message),
        }
    }

    /// The message.
    pub fn message(&self) -> &str {
        match self {
            Self::Refused { message, .. } | Self::Error(message) | Self::Broken(message) => message,
        }
    }
}

/// The graphs that scenarios run on, by name: TinkerPop's samples, and an empty one.
pub type Graphs = BTreeMap<String, Database>;

/// The graph that every scenario finds empty.
pub const EMPTY: &str = "empty";

/// What the name of a sample ends with whose vertices' properties have the ids of its file.
pub const WITH_PROPERTY_IDS: &str = "_with_property_ids";

/// Longer than any scenario takes, even with debug assertions on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(10);

/// More than any scenario needs.
const MEMORY: u64 = 256 << 20;

/// Opens all graphs in memory, on one engine.
///
/// # Errors
/// If a sample cannot be read.
pub(crate) fn open(data: &Path) -> Result<Graphs, Problem> {
    let options = DatabaseOptions {
        engine: Some(mangrove::start_engine(0)?),
        timeout: Some(TIMEOUT),
        memory_per_query: MEMORY,
        // Scenarios read `data/…`.
        io_directory: data.parent().map(Path::to_owned),
        ..DatabaseOptions::default()
    };
    let mut graphs = Graphs::new();
    for (name, file) in SAMPLES {
        graphs.insert(name.to_owned(), load(data, file, false, options.clone())?);
        graphs.insert(format!("{name}{WITH_PROPERTY_IDS}"), load(data, file, true, options.clone())?);
    }
    graphs.insert(EMPTY.to_owned(), Database::in_memory_with(options)?);
    Ok(graphs)
}

/// How many vertices and edges each sample has.
///
/// # Errors
/// If a graph does not say.
pub(crate) fn sizes(door: &mut dyn Door) -> Result<Vec<Value>, Problem> {
    let mut sizes = Vec::new();
    for (name, _) in SAMPLES {
        for text in ["g.V().count()", "g.E().count()"] {
            let size = door.ask(name, text, &Bindings::new());
            sizes.extend(size.map_err(|failure| format!("{name}: {text}: {}", failure.message()))?);
        }
    }
    Ok(sizes)
}
