//! The reference's process: TinkerGraph behind Gremlin's own script engine.
//!
//! It runs what Gremlin Server runs, without the socket: the same engine for text, the same strategies, a graph with the ids
//! of the server's configuration. One line of JSON goes in, one comes out.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::answer::{Answer, Outcome, State};
use super::canon::Canon;
use super::graph::{GraphSpec, Known};

/// How the reference is to run a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The order of elements: 0 is TinkerGraph's own, anything else a seed of one.
    pub order: u64,
    /// Whether it may optimise.
    pub optimised: bool,
    /// Where it merges equal traversers.
    pub merging: Merging,
    /// Whether a `limit()` that has enough asks for no more; the reference's asks for one traverser more.
    pub exact: bool,
    /// Whether it runs without the faults that `trials/java/Mended.java` names.
    pub mended: bool,
    /// How branches take their traversers.
    pub branches: Branches,
}

/// Reads a line of it. A value that a loop has put into itself again and again is deeper than is usual.
fn parsed(line: &str) -> Result<Json, String> {
    let mut text = serde_json::Deserializer::from_str(line);
    text.disable_recursion_limit();
    Json::deserialize(&mut text).map_err(|error| format!("{error}: {line}"))
}

/// Where the reference merges equal traversers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// In front of nearly every step, as it does.
    Everywhere,
    /// In `barrier()`, where the traversal asks for it, and nowhere else: as Mangrove does where it shows.
    WhereAsked,
    /// Nowhere.
    Nowhere,
}

/// How `union`, `branch` and `choose` take their traversers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branches {
    /// One by one, but all at once where something inside gathers.
    AsTheyAre,
    /// One by one.
    OneByOne,
    /// All at once.
    AtOnce,
}

impl Branches {
    fn name(self) -> &'static str {
        match self {
            Self::AsTheyAre => "",
            Self::OneByOne => "ONE_BY_ONE",
            Self::AtOnce => "AT_ONCE",
        }
    }
}

impl Merging {
    fn name(self) -> &'static str {
        match self {
            Self::Everywhere => "EVERYWHERE",
            Self::WhereAsked => "WHERE_ASKED",
            Self::Nowhere => "NOWHERE",
        }
    }
}

impl Form {
    /// As it comes, in the order of a seed.
    pub const fn plain(order: u64) -> Self {
        Self {
            order,
            optimised: true,
            merging: Merging::Everywhere,
            exact: false,
            mended: false,
            branches: Branches::AsTheyAre,
        }
    }

    /// Without what only makes it quicker.
    pub const fn unoptimised(order: u64) -> Self {
        Self { optimised: false, ..Self::plain(order) }
    }
}

/// Where the reference's classes are.
#[derive(Clone, Debug)]
pub struct Jars {
    /// The folder with the jars of Gremlin Server.
    pub jars: PathBuf,
    /// The folder with the compiled process.
    pub classes: PathBuf,
}

/// A running process; it is started again when it has ended.
pub struct Reference {
    jars: Jars,
    process: Option<Process>,
    /// Milliseconds that a traversal may take.
    pub millis: u64,
}

struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Reference {
    /// A process that starts with the first question.
    pub fn new(jars: Jars) -> Self {
        Self { jars, process: None, millis: 2_000 }
    }

    /// What the reference answers in each of the forms.
    ///
    /// # Errors
    /// If there is no Java, or it answers something that is not understood.
    pub fn ask(
        &mut self,
        graph: &GraphSpec,
        text: &str,
        forms: &[Form],
        dump: bool,
    ) -> Result<Vec<Answer>, String> {
        self.ask_of(graph, &graph.known(), text, forms, dump)
    }

    /// The same of one over another graph than the one whose ids mean something.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn ask_of(
        &mut self,
        graph: &GraphSpec,
        known: &Known,
        text: &str,
        forms: &[Form],
        dump: bool,
    ) -> Result<Vec<Answer>, String> {
        let json = |form: &Form| json!({"order": form.order, "optimised": form.optimised, "merging": form.merging.name(), "exact": form.exact, "mended": form.mended, "branches": form.branches.name()});
        let forms: Vec<Json> = forms.iter().map(json).collect();
        let count = forms.len();
        let request = json!({
            "graph": graph.json(), "text": text, "forms": forms, "dump": dump, "millis": self.millis,
        });
        let Some(line) = self.exchange(&request.to_string())? else {
            // It did not even end when it was interrupted.
            return Ok(vec![Answer { outcome: Outcome::Late, state: None }; count]);
        };
        let reply = parsed(&line)?;
        let answers = reply["forms"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|json| answer(json, known))
            .collect::<Result<Vec<_>, _>>()?;
        if answers.len() == count { Ok(answers) } else { Err(format!("{count} answers expected: {line}")) }
    }

    /// The largest bulk that enters each step of a traversal, its children not counted, where traversers are merged only where
    /// it says so. Fewer numbers than steps, or none, if the reference took some together.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn bulks(&mut self, graph: &GraphSpec, text: &str) -> Result<Vec<u64>, String> {
        let request =
            json!({"graph": graph.json(), "forms": [], "dump": false, "millis": self.millis, "bulks": text});
        let Some(line) = self.exchange(&request.to_string())? else { return Ok(Vec::new()) };
        let reply = parsed(&line)?;
        Ok(reply["bulks"].as_array().into_iter().flatten().map(|bulk| bulk.as_u64().unwrap_or(0)).collect())
    }

    /// One line for one line; `None` if the process ended over it.
    fn exchange(&mut self, line: &str) -> Result<Option<String>, String> {
        if self.process.is_none() {
            self.process = Some(start(&self.jars)?);
        }
        let Some(process) = &mut self.process else { return Ok(None) };
        let mut reply = String::new();
        let sent = writeln!(process.input, "{line}").and_then(|()| process.input.flush());
        let read = sent.and_then(|()| process.output.read_line(&mut reply));
        match read {
            Ok(length) if length > 0 => Ok(Some(reply)),
            _ => {
                self.process = None;
                Ok(None)
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(jars: &Jars) -> Result<Process, String> {
    // Ours first: one of the classes takes the place of TinkerPop's.
    let path = format!("{}:{}/*", jars.classes.display(), jars.jars.display());
    let mut child = Command::new("java")
        .args(["-Xmx3g", "-Xshare:auto", "-XX:+UseSerialGC"])
        // As Gremlin Server's own script has it: Gryo looks into such numbers.
        .args(["--add-opens", "java.base/java.util.concurrent.atomic=ALL-UNNAMED", "-cp", &path])
        .arg("org.apache.tinkerpop.gremlin.tinkergraph.structure.Reference")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start java: {error}"))?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(input), Some(output)) => Ok(Process { child, input, output: BufReader::new(output) }),
        _ => Err("java has no pipes".into()),
    }
}

/// Compiles the process, of all the sources in a folder, unless it was since they have changed.
///
/// # Errors
/// If there is no `javac`, or it refuses.
pub fn compile(sources: &Path, jars: &Jars) -> Result<(), String> {
    std::fs::create_dir_all(&jars.classes).map_err(|error| error.to_string())?;
    let files = std::fs::read_dir(sources).map_err(|error| error.to_string())?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "java")).collect();
    let compiled = jars.classes.join("compiled");
    let changed = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
    let is_new = |path: &PathBuf| changed(path).is_none_or(|then| Some(then) > changed(&compiled));
    if !files.iter().any(is_new) {
        return Ok(());
    }
    let output = Command::new("javac")
        .arg("-cp")
        .arg(format!("{}/*", jars.jars.display()))
        .arg("-d")
        .arg(&jars.classes)
        .args(files)
        .output()
        .map_err(|error| format!("cannot start javac: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    std::fs::write(compiled, "").map_err(|error| error.to_string())
}

fn answer(json: &Json, known: &Known) -> Result<Answer, String> {
    let outcome = if let Some(results) = json["results"].as_array() {
        Outcome::Results(
            results.iter().map(|result| Canon::from_json(result, known)).collect::<Result<_, _>>()?,
        )
    } else if let Some(error) = json["error"].as_str() {
        Outcome::Error(error.to_owned())
    } else {
        Outcome::Late
    };
    let state = match &json["graph"] {
        Json::Null => None,
        graph => Some(State::from_json(graph, known)?),
    };
    Ok(Answer { outcome, state })
}
