//! From a request message to something that can be run, or to the reason why not.
//!
//! The checks and their messages are those of Gremlin Server's `StandardOpProcessor` (scripts),
//! `TraversalOpProcessor` (bytecode) and `SessionOpProcessor`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use access::{Rights, Role};
use gremlin::Argument;
use hyper::body::Bytes;
use values::{Map, Str, Value};
use wire::{Extended, Format, Properties, RequestMessage, Transaction, WireValue};

use crate::{
    Database, End, Input, Materialize, Query,
    arguments::Arguments,
    aside::{Work, aside},
    audit,
    connections::Guest,
    host::Host,
    queries::{Asking, Said},
    reading::Weight,
    script::{is_reserved, source_of},
    sessions::{InSession, Todo},
    status::StatusCode,
};

/// What a valid request asks for.
#[derive(Debug)]
pub(crate) enum Action {
    /// Run a query.
    Run(Box<Operation>),
    /// Do something in a session.
    InSession(InSession),
}

/// A query, and how its results are to be delivered.
pub(crate) struct Operation {
    pub(crate) database: Arc<dyn Database>,
    pub(crate) query: Query,
    /// The traversal source that it names.
    pub(crate) source: Str,
    /// What it said.
    pub(crate) said: Said,
    pub(crate) form: Form,
    pub(crate) batch_size: usize,
    pub(crate) properties: Properties,
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operation").field("query", &self.query).finish_non_exhaustive()
    }
}

/// The notation of a request; decides the form of its results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text: results are plain values.
    #[default]
    Script,
    /// Bytecode: results are traversers with a bulk.
    Bytecode,
}

/// Why a request is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: StatusCode,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(code: StatusCode, message: String) -> Self {
        Self { code, message }
    }

    pub(crate) fn too_many(message: String) -> Self {
        Self::new(StatusCode::TooManyRequests, message)
    }

    pub(crate) fn arguments(message: impl Into<String>) -> Self {
        Self::new(StatusCode::InvalidArguments, message.into())
    }
}

impl Action {
    /// What `message` asks this server to do.
    pub(crate) fn select(message: RequestMessage, guest: &Guest) -> Result<Self, Refusal> {
        let RequestMessage { op, processor, args, .. } = message;
        let mut args = Arguments::new(args);
        match (&*processor, &*op) {
            ("session", op @ ("close" | "eval" | "bytecode")) => {
                let session = session_id(&mut args, op)?;
                let manages = args.boolean("manageTransaction")?.unwrap_or(false);
                let operation = match op {
                    "close" => return Ok(Self::InSession(InSession { session, todo: Todo::Close })),
                    "eval" => Operation::eval(&mut args, guest)?,
                    _ => Operation::bytecode(&mut args, guest)?,
                };
                let todo = Todo::Run { operation: Box::new(operation), manages };
                Ok(Self::InSession(InSession { session, todo }))
            }
            ("" | "standard", "eval") => Operation::eval(&mut args, guest).map(Self::run),
            ("" | "traversal", "bytecode") => Operation::bytecode(&mut args, guest).map(Self::run),
            ("" | "standard" | "session" | "traversal", op) => Err(Refusal::new(
                StatusCode::MalformedRequest,
                format!("Message with op code [{op}] is not recognized."),
            )),
            (processor, _) => Err(Refusal::arguments(format!("Invalid OpProcessor requested [{processor}]"))),
        }
    }

    fn run(operation: Operation) -> Self {
        Self::Run(Box::new(operation))
    }
}

impl Operation {
    /// A script.
    pub(crate) fn eval(args: &mut Arguments, guest: &Guest) -> Result<Self, Refusal> {
        let host = &*guest.host;
        let script = match args.require("gremlin", "eval")? {
            WireValue::Value(Value::String(script)) => script,
            _ => {
                return Err(Refusal::arguments(
                    "the [gremlin] argument of an [eval] request must be a string",
                ));
            }
        };
        check_language(args)?;
        let bindings = bindings(args, host)?;
        let aliases = aliases(args)?.unwrap_or_default();
        check_aliases(&aliases, guest)?;
        let source = source_of(&script).unwrap_or("g");
        let name = aliases.get(&Value::str(source)).and_then(Value::as_str).unwrap_or(source);
        rights(name, guest)?;
        let Some(database) = host.graphs.get(name) else {
            return Err(Refusal::new(
                StatusCode::Evaluation,
                format!(
                    "No traversal source named [{name}] on this server; it has: {}",
                    host.source_names(guest)
                ),
            ));
        };
        let source = Str::from(source);
        let name = Str::from(name);
        Self::new(database, name, Input::Text { script, source, bindings }, Form::Script, args, guest)
    }

    /// Bytecode.
    fn bytecode(args: &mut Arguments, guest: &Guest) -> Result<Self, Refusal> {
        let host = &*guest.host;
        let input = match args.require("gremlin", "bytecode")? {
            WireValue::Extended(extended) => match *extended {
                Extended::Transaction(Transaction::Commit) => Some(Input::End(End::Commit)),
                Extended::Transaction(Transaction::Rollback) => Some(Input::End(End::Rollback)),
                _ => None,
            },
            other => match other.into_argument() {
                Ok(Argument::Traversal(traversal)) => Some(Input::Bytecode(traversal)),
                _ => None,
            },
        };
        let Some(input) = input else {
            return Err(Refusal::arguments(
                "A message with [bytecode] op code requires a [gremlin] argument that is of type Bytecode.",
            ));
        };
        let aliases = aliases(args)?.ok_or_else(|| {
            Refusal::arguments("A message with [bytecode] op code requires a [aliases] argument.")
        })?;
        let name = match (aliases.len(), aliases.get(&Value::str("g"))) {
            (1, Some(Value::String(name))) => name,
            _ => {
                return Err(Refusal::arguments(
                    "A message with [bytecode] op code requires the [aliases] argument to be a Map containing one \
                     alias assignment named 'g'.",
                ));
            }
        };
        rights(name, guest)?;
        let Some(database) = host.graphs.get(name) else {
            // With what TinkerPop says over WebSocket and over HTTP in it.
            return Err(Refusal::arguments(format!(
                "Could not rebind [g] to [{name}]. The traversal source [{name}] for alias [g] is not configured on the \
                 server. It has: {}",
                host.source_names(guest)
            )));
        };
        let name = name.clone();
        Self::new(database, name, input, Form::Bytecode, args, guest)
    }

    /// When its message came, and what that takes in memory beside its script.
    pub(crate) fn came(&mut self, asked: Instant, weight: Weight) {
        self.query.asked = asked;
        self.query.memory += weight.bytes;
        self.query.reserved.extend(weight.reserved);
    }

    /// The message that its bytecode came in.
    pub(crate) fn came_in(&mut self, format: Format, bytes: &Bytes) {
        if matches!(self.query.input, Input::Bytecode(_)) {
            self.said = Said::message(format, bytes);
        }
    }

    /// What is known of its query, which its client calls so.
    pub(crate) fn asking(&self, id: Str, guest: &Guest) -> Asking {
        let (source, said) = (self.source.clone(), self.said.clone());
        let (desk, intake, parent) = (guest.desk(), guest.host.desk_intake.clone(), guest.parent());
        Asking { id, source, said, desk, intake, parent }
    }

    /// When its time is over, as far as that is known before it is read.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let limit = self.query.timeout.into_iter().chain(self.query.max_timeout).min();
        limit.and_then(|limit| self.query.asked.checked_add(limit))
    }

    fn new(
        database: Arc<dyn Database>,
        source: Str,
        input: Input,
        form: Form,
        args: &mut Arguments,
        guest: &Guest,
    ) -> Result<Self, Refusal> {
        let host = &*guest.host;
        let rights = rights(&source, guest)?;
        let timeout = match args.integer("evaluationTimeout")?.or(args.integer("scriptEvaluationTimeout")?) {
            None => host.options.evaluation_timeout,
            // Gremlin Server's way to say "for ever".
            Some(0) => None,
            Some(millis) => Some(Duration::from_millis(u64::try_from(millis).map_err(|_| {
                Refusal::arguments(format!("[evaluationTimeout] must not be negative, but is {millis}"))
            })?)),
        };
        let batch_size = match args.integer("batchSize")? {
            None => host.options.batch_size,
            Some(n) => match usize::try_from(n) {
                Ok(n) if n > 0 => n.min(host.options.max_batch_size),
                _ => return Err(Refusal::arguments(format!("[batchSize] must be at least 1, but is {n}"))),
            },
        };
        let materialize = match args.string("materializeProperties")?.as_deref() {
            None => guest.materialize(),
            Some("tokens") => Materialize::Tokens,
            Some(_) => Materialize::All,
        };
        let properties = materialize.properties();
        let max_timeout = host.options.max_evaluation_timeout;
        let memory = match &input {
            Input::Text { script, bindings, .. } => {
                let deadline = host.options.usual_deadline(Instant::now());
                aside(Work::Request(script.len()), deadline, || gremlin::memory_with(script, bindings))
            }
            Input::Bytecode(_) | Input::End(_) => 0,
        };
        let query = Query {
            client: guest.client(),
            asked: Instant::now(),
            input,
            memory,
            reserved: Vec::new(),
            timeout,
            max_timeout,
            rights,
            read_only: false,
            is_safe: false,
            materialize,
            key: args.text_or_uuid("requestKey")?,
            trace: None,
            unwanted: Arc::default(),
        };
        let said = match &query.input {
            Input::Text { bindings, .. } if Said::names_secret(bindings) => Said::secret(),
            Input::Text { script, .. } => Said::Text(script.clone()),
            Input::End(end) => Said::Words(format!("{end:?}").to_lowercase()),
            // Whoever has the message knows better.
            Input::Bytecode(_) => Said::Words("bytecode".into()),
        };
        Ok(Self { source, said, properties, database, query, form, batch_size })
    }
}

/// What whoever asks may do with a graph: at least read it.
fn rights(source: &str, guest: &Guest) -> Result<Rights, Refusal> {
    let Some(rights) = guest.rights(source) else {
        // Who has asked was known a moment ago.
        return Err(Refusal::new(
            StatusCode::Unauthorized,
            "log in again: the credentials do not hold any more".into(),
        ));
    };
    if rights.allow(Role::Read) {
        return Ok(rights);
    }
    let client = guest.client();
    let message = format!(
        "Failed to authorize: {} has no role on [{source}]; there are roles on: {}",
        client.user.as_deref().unwrap_or("this client"),
        guest.host.source_names(guest)
    );
    audit::forbidden(&client, "any", &message);
    Err(Refusal::new(StatusCode::Forbidden, message))
}

/// The id of the session that a request is of.
fn session_id(args: &mut Arguments, op: &str) -> Result<Str, Refusal> {
    /// Bytes of an id.
    const LONGEST: usize = 256;
    match args.require("session", op)? {
        WireValue::Value(Value::String(id)) if id.len() <= LONGEST => Ok(id),
        WireValue::Value(Value::Uuid(id)) => Ok(id.to_string().into()),
        _ => Err(Refusal::arguments(format!(
            "the [session] argument must be a string of at most {LONGEST} bytes, or a UUID"
        ))),
    }
}

/// Clients of Gremlin Server name the engine for their scripts; all of them mean Gremlin.
fn check_language(args: &mut Arguments) -> Result<(), Refusal> {
    match args.string("language")?.as_deref() {
        None | Some("" | "gremlin-lang" | "gremlin-groovy") => Ok(()),
        Some(other) => Err(Refusal::new(
            StatusCode::Evaluation,
            format!("{other} is not an available script language; this server runs gremlin-lang"),
        )),
    }
}

/// Aliases of a request: for each, it is looked up who may use what it stands for.
const MOST_ALIASES: usize = 256;

fn aliases(args: &mut Arguments) -> Result<Option<Map>, Refusal> {
    let count = args.count_of("aliases");
    if count > MOST_ALIASES {
        return Err(Refusal::arguments(format!(
            "[aliases] has {count} entries, which is more than the {MOST_ALIASES} that it may have"
        )));
    }
    args.map("aliases")
}

fn check_aliases(aliases: &Map, guest: &Guest) -> Result<(), Refusal> {
    let host = &*guest.host;
    for (alias, target) in aliases.iter() {
        let (Value::String(alias), Value::String(target)) = (alias, target) else {
            return Err(Refusal::arguments("[aliases] must map strings to strings"));
        };
        // Whoever has no role there is not told whether there is something.
        rights(target, guest)?;
        if host.graphs.get(target).is_none() {
            return Err(Refusal::arguments(format!(
                "Could not alias [{alias}] to [{target}] as [{target}] not in the Graph or TraversalSource global \
                 bindings. This server has: {}",
                host.source_names(guest)
            )));
        }
    }
    Ok(())
}

/// Bindings that are no variables but instructions to a script engine of the JVM.
const MOST_INSTRUCTIONS: usize = 64;

/// The script's variables.
fn bindings(args: &mut Arguments, host: &Host) -> Result<Vec<(Str, Argument)>, Refusal> {
    // Before each of millions is looked at. What scripts of the JVM's engines have beside variables does not count among them.
    let count = args.count_of("bindings");
    if count > host.options.max_bindings.saturating_add(MOST_INSTRUCTIONS) {
        return Err(too_many_bindings(count, host));
    }
    let entries = args.entries("bindings")?;
    let mut bindings = Vec::with_capacity(entries.len().min(host.options.max_bindings));
    for (key, bound) in entries {
        let Argument::Value(Value::String(name)) = key else {
            return Err(Refusal::arguments(
                "The [eval] message is using one or more invalid binding keys - they must be of type String and \
                 cannot be null",
            ));
        };
        // Instructions to a script engine of the JVM, no variables.
        if name.starts_with("#jsr223") {
            continue;
        }
        if args.reserves_names() && is_reserved(&name) {
            return Err(Refusal::arguments(format!(
                "The [eval] message supplies one or more invalid parameters key of [{name}] - these are reserved \
                 names."
            )));
        }
        bindings.push((name, bound));
    }
    if bindings.len() > host.options.max_bindings {
        return Err(too_many_bindings(bindings.len(), host));
    }
    Ok(bindings)
}

fn too_many_bindings(count: usize, host: &Host) -> Refusal {
    Refusal::arguments(format!(
        "The [eval] message contains {count} bindings which is more than is allowed by the server ({}, \
         server.max_bindings)",
        host.options.max_bindings
    ))
}
