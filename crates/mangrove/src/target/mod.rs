//! Whatever the console and `mangrove query` ask: a graph in a directory of this machine, or one behind a server.
//!
//! ```text
//!   console ─┐                          ┌─▶ Near: a Database that this process has open
//!            ├─▶ Target::run(text, …) ──┤
//!   query ───┘        │                 └─▶ one behind a server, over its protocol
//!                     ▼
//!              each(value), on the calling thread        stop.set(), from any other
//! ```
//!
//! It must never know who asks, nor how results are shown: values go to whoever called, one by one.

mod binding;
mod inbox;
mod interrupts;
mod near;
mod remote;
mod stop;

use values::{Str, Value};

use crate::failure::Failure;

pub use binding::binding;
pub use interrupts::Interrupts;
pub use near::Near;
pub use remote::Remote;
pub use stop::Stop;

/// Values for variables of a script.
pub type Bound = [(Str, Value)];

/// What results are given to. An error ends the script, and is what it comes to.
pub type Each<'a> = &'a mut dyn FnMut(Value) -> Result<(), Failure>;

/// A graph that can be asked.
pub trait Target: Send + Sync {
    /// Runs a script of one or several statements; `each` is given every result of the last one, as often as it stands there, on the
    /// calling thread, as they come. Where it may, a script is a transaction of its own.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] soon after `stop` was set; what the graph says; what `each` says. Some results may have been given to
    /// `each` before.
    fn run(&self, text: &str, bindings: &Bound, stop: &Stop, each: Each<'_>) -> Result<Summary, Failure>;

    /// How the last statement of a script would be run. Those before it are.
    ///
    /// # Errors
    /// As [`Target::run`].
    fn explain(&self, text: &str, bindings: &Bound, stop: &Stop) -> Result<String, Failure> {
        self.report(&gremlin::asked_about(text, "explain"), bindings, stop)
    }

    /// Runs a script, and tells where the time of its last statement went. What it writes is committed.
    ///
    /// # Errors
    /// As [`Target::run`].
    fn profile(&self, text: &str, bindings: &Bound, stop: &Stop) -> Result<String, Failure> {
        self.report(&profiled(text), bindings, stop)
    }

    /// The results of a script as text, a line each. For those that have a text as their only result.
    ///
    /// # Errors
    /// As [`Target::run`].
    fn report(&self, text: &str, bindings: &Bound, stop: &Stop) -> Result<String, Failure> {
        let mut report = String::new();
        self.run(text, bindings, stop, &mut |value| {
            report.push_str(&value.to_string());
            report.push('\n');
            Ok(())
        })?;
        Ok(report)
    }

    /// The names that the graph has, for completion. Cheap enough to be asked before every line.
    ///
    /// # Errors
    /// When the graph cannot be reached.
    fn vocabulary(&self) -> Result<Vocabulary, Failure>;

    /// The sizes of the graph, for people.
    ///
    /// # Errors
    /// When the graph cannot be reached, or does not tell.
    fn sizes(&self) -> Result<String, Failure>;

    /// What is asked, for a title and a prompt. Asks nobody.
    fn describe(&self) -> Description;
}

/// The script that gives the profile of another one's last statement.
pub(crate) fn profiled(text: &str) -> String {
    gremlin::asked_about(text, "profile")
}

/// What a script that has been run comes to, besides its results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Results that were given to `each`.
    pub rows: u64,
    /// What whoever asked should know.
    pub warnings: Vec<String>,
}

/// The names that a graph has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Vertex labels.
    pub vertex_labels: Vec<String>,
    /// Edge labels.
    pub edge_labels: Vec<String>,
    /// Property keys.
    pub keys: Vec<String>,
}

/// What is asked, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Where the graph is: `the graph in data/mine`, `ws://localhost:8182/gremlin`.
    pub place: String,
    /// Whether `g.tx().begin()` has begun a transaction that is still to be ended.
    pub in_transaction: bool,
}
