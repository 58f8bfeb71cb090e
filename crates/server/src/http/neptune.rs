//! What tools for Amazon Neptune ask beside `/gremlin`, in its words: graph-explorer and graph-notebook do.
//!
//! | path | what |
//! |---|---|
//! | `/gremlin/status` | the queries that are under way; one of them; `cancelQuery` |
//! | `/gremlin/explain`, `/gremlin/profile` | how a query would be run, and how it was |
//! | `/pg/statistics/summary` | labels and keys, with counts |
//! | `/status` | what the server is |

use std::{sync::Arc, time::Instant};

use access::Role;
use hyper::{
    Method, Request, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
    http::request::Parts,
};
use serde_json::{Value as Json, json};
use values::{Str, Value};
use wire::{Args, HttpFields, WireValue};

use super::{
    Reply, answer, body,
    collector::{Collected, collect},
    question,
};
use crate::{
    ErrorKind, GraphSummary, QueryError, QueryInfo, QueryPhase,
    arguments::Arguments,
    aside::{Work, aside},
    connections::Guest,
    late::{encode_in_time, late},
    request::{Form, Operation},
};

/// Whether something is answered at a path.
pub(super) fn is_path(path: &str) -> bool {
    matches!(
        path,
        "/gremlin/status"
            | "/gremlin/explain"
            | "/gremlin/profile"
            | "/pg/statistics/summary"
            | "/propertygraph/statistics/summary"
            | "/status"
    )
}

/// Answers at one of these paths.
pub(super) async fn respond(request: Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    let path = request.uri().path().to_owned();
    let answered = match path.as_str() {
        "/gremlin/status" => status(request, guest).await,
        "/gremlin/explain" => plan(request, "explain", guest).await,
        "/gremlin/profile" => plan(request, "profile", guest).await,
        "/status" => Ok(instance(guest)),
        _ => summary(request, guest).await,
    };
    answered.unwrap_or_else(|reply| *reply)
}

type Answered = Result<Reply, Box<Reply>>;

fn refused(status: StatusCode, code: &str, message: &str) -> Box<Reply> {
    let body = json!({ "code": code, "detailedMessage": message, "message": message });
    Box::new(answer::json(status, body.to_string()))
}

fn invalid(message: &str) -> Box<Reply> {
    refused(StatusCode::BAD_REQUEST, "InvalidParameterException", message)
}

/// The parameters of a query string, and of a form in the body.
fn parameters(query: &str, body: &[u8]) -> Result<Vec<(String, String)>, Box<Reply>> {
    let body = str::from_utf8(body).map_err(|_| invalid("the body is not UTF-8"))?;
    let read = |text: &str| question::parameters(text).map_err(|error| invalid(&error));
    Ok([read(query)?, read(body)?].concat())
}

/// The same of a request.
async fn given(request: Request<Incoming>, guest: &Guest) -> Result<Vec<(String, String)>, Box<Reply>> {
    let (parts, body) = request.into_parts();
    let body = answer::read_body(body, &guest.host).await?;
    parameters(parts.uri.query().unwrap_or_default(), &body)
}

/// Lists queries, shows one, or stops one.
async fn status(request: Request<Incoming>, guest: &Arc<Guest>) -> Answered {
    let parameters = given(request, guest).await?;
    let find = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let is_on = |name: &str| find(name).is_some_and(|value| !value.eq_ignore_ascii_case("false"));
    let (id, host) = (find("queryId"), &guest.host);
    if is_on("cancelQuery") {
        let id = id.ok_or_else(|| invalid("cancelQuery needs a queryId"))?;
        let client = guest.client();
        let by =
            client.user.as_deref().map_or_else(|| format!("a client at {}", client.address), str::to_owned);
        let stopped = host.queries.stop(&by, |query| may_see(guest, query) && query.id == *id);
        if stopped.is_empty() {
            return Err(invalid(&format!("there is no query {id} under way")));
        }
        return Ok(ok(&json!({ "status": "200 OK", "payload": true })));
    }
    let all = host.queries.all();
    let seen: Vec<_> = all.iter().filter(|query| may_see(guest, query)).collect();
    if let Some(id) = id {
        let query = seen.iter().find(|query| query.id == *id);
        let query = query.ok_or_else(|| invalid(&format!("there is no query {id} under way")))?;
        return Ok(ok(&described(query, usize::MAX)));
    }
    let is_waiting = |query: &QueryInfo| query.phase == QueryPhase::Waiting;
    let running = seen.iter().filter(|query| !is_waiting(query)).count();
    let with_waiting = is_on("includeWaiting");
    let mut listed: Vec<_> = seen.iter().filter(|query| with_waiting || !is_waiting(query)).collect();
    listed.truncate(MOST_LISTED);
    let most = (LISTED_BYTES / listed.len().max(1)).max(64);
    let described = |query: &&&QueryInfo| described(query, most);
    guest.answer_by(Some(Instant::now()));
    Ok(ok(&json!({
        "acceptedQueryCount": seen.len(),
        "runningQueryCount": running,
        "queries": listed.iter().map(described).collect::<Vec<_>>(),
    })))
}

/// Whether somebody may see and stop a query: his own, or as an admin of all graphs any.
fn may_see(guest: &Guest, query: &QueryInfo) -> bool {
    let is_admin = guest.rights("").is_some_and(|rights| rights.allow_everywhere(Role::Admin));
    is_admin || guest.client().user == query.user
}

/// Queries that are listed at most: nothing counts what an answer of this kind holds.
const MOST_LISTED: usize = 1_000;

/// What their texts may have together, before they are cut.
const LISTED_BYTES: usize = 256 << 10;

/// What is said of a query, with so many bytes of its text.
fn described(query: &QueryInfo, most: usize) -> Json {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    json!({
        "queryId": query.id.as_str(),
        "queryString": &query.text[..query.text.floor_char_boundary(most)],
        "queryEvalStats": {
            "waited": millis(query.waited),
            "elapsed": millis(query.ran),
            "cancelled": query.is_stopped,
        },
        "graph": query.source.as_str(),
        "user": query.user.as_deref(),
        "client": query.address.to_string(),
        "state": query.phase.name(),
        "age": millis(query.age),
        "rows": query.rows,
        "memory": query.memory,
        "peakMemory": query.peak_memory,
        "operators": query.operators,
    })
}

/// The fields of a request to explain something.
fn fields_of(parts: &Parts, bytes: &Bytes) -> Result<Vec<(Str, WireValue)>, Box<Reply>> {
    if bytes.trim_ascii_start().starts_with(b"{") {
        let message = HttpFields::decode(bytes).and_then(|fields| fields.into_three(uuid::Uuid::new_v4()));
        return Ok(message.map_err(|error| invalid(&error.to_string()))?.args.0);
    }
    let given = parameters(parts.uri.query().unwrap_or_default(), bytes)?;
    Ok(given.into_iter().map(|(key, value)| (Str::from(key), WireValue::Value(value.into()))).collect())
}

/// How a query would be run, or how it was, as text.
async fn plan(request: Request<Incoming>, what: &str, guest: &Arc<Guest>) -> Answered {
    let read_only = request.method() == Method::GET;
    let (parts, body) = request.into_parts();
    let bytes = answer::read_body(body, &guest.host).await?;
    guest.receipt.complete();
    let asked = Instant::now();
    let told = |error: QueryError| refused(answer::status_of(&error), code_of(error.kind), &error.message);
    let memory = guest.host.weigh(bytes.len(), || HttpFields::memory_of(&bytes)).map_err(told)?;
    // Tools send JSON, with or without saying so; `curl -d` calls it a form.
    let read = || fields_of(&parts, &bytes);
    let fields = aside(Work::Request(bytes.len()), guest.host.options.usual_deadline(asked), read)?;
    if !guest.presence.begin_alone() {
        return Err(Box::new(answer::gave_way()));
    }
    let fields = fields.into_iter().map(|(key, value)| match (&*key, value) {
        ("gremlin", WireValue::Value(Value::String(text))) => {
            (key, WireValue::Value(gremlin::asked_about(&text, what).into()))
        }
        (_, value) => (key, value),
    });
    let mut arguments = Arguments::new(Args(fields.collect()));
    let refusal = |refusal: crate::request::Refusal| {
        let status = match refusal.code {
            crate::StatusCode::Forbidden => StatusCode::FORBIDDEN,
            crate::StatusCode::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::BAD_REQUEST,
        };
        refused(status, "MalformedQueryException", &refusal.message)
    };
    let mut operation = Operation::eval(&mut arguments, guest).map_err(refusal)?;
    operation.came(asked, memory);
    (operation.query.read_only, operation.query.is_safe) = (read_only, read_only);
    operation.form = Form::Script;
    let permit = guest.host.admit(guest).map_err(refusal)?;
    let id = uuid::Uuid::new_v4().to_string().into();
    let Collected { page, running, held, .. } = collect(operation, id, guest).await.map_err(told)?;
    drop(permit);
    let unencodable = |error: wire::EncodeError| {
        refused(StatusCode::INTERNAL_SERVER_ERROR, "InternalFailureException", &error.to_string())
    };
    let encode = || Ok(page.text());
    let text =
        encode_in_time(&*running, page.bytes(), encode).ok_or_else(|| told(late()))?.map_err(unencodable)?;
    guest.answer_by(running.deadline());
    let mut reply = Reply::new(body::whole(answer::counted(text, held)));
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=UTF-8"));
    Ok(reply)
}

/// What Neptune calls an error.
fn code_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Syntax | ErrorKind::Unsupported => "MalformedQueryException",
        ErrorKind::Evaluation | ErrorKind::FailStep => "BadRequestException",
        ErrorKind::Conflict | ErrorKind::Transaction => "ConcurrentModificationException",
        ErrorKind::Timeout => "TimeLimitExceededException",
        ErrorKind::ReadOnly => "ReadOnlyViolationException",
        ErrorKind::Forbidden => "AccessDeniedException",
        ErrorKind::TooFast | ErrorKind::Busy => "TooManyRequestsException",
        ErrorKind::Limit => "MemoryLimitExceededException",
        ErrorKind::Cancelled => "CancelledByUserException",
        ErrorKind::Internal => "InternalFailureException",
    }
}

/// Labels and keys of a graph, with counts.
async fn summary(request: Request<Incoming>, guest: &Arc<Guest>) -> Answered {
    let parameters = given(request, guest).await?;
    let find = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let mode = find("mode").unwrap_or("basic").to_lowercase();
    if !matches!(mode.as_str(), "basic" | "detailed") {
        return Err(invalid(&format!("there is no mode [{mode}]; there are basic and detailed")));
    }
    let source = find("g").unwrap_or("g");
    let may_read = guest.rights(source).is_some_and(|rights| rights.allow(Role::Read));
    let Some(database) = guest.host.graphs.get(source).filter(|_| may_read) else {
        let message =
            format!("there is no role on [{source}]; there are roles on: {}", guest.host.source_names(guest));
        return Err(refused(StatusCode::FORBIDDEN, "AccessDeniedException", &message));
    };
    if !guest.presence.begin_alone() {
        return Err(Box::new(answer::gave_way()));
    }
    // It reads a few sections for each label, so one is made at a time.
    let deadline = guest.host.options.usual_deadline(Instant::now());
    let turn = guest.host.summaries.clone().acquire_owned().await;
    // It is dropped with this future, when the client leaves.
    let wanted = Arc::new(());
    let is_wanted = Arc::downgrade(&wanted);
    let gather = move || {
        let _turn = turn;
        database.summary(&|| match is_wanted.strong_count() {
            0 => None,
            _ => left_until(deadline),
        })
    };
    let summary = tokio::task::spawn_blocking(gather).await;
    drop(wanted);
    let summary = summary
        .map_err(|_| refused(StatusCode::INTERNAL_SERVER_ERROR, "InternalFailureException", "it failed"))?
        .map_err(|error| refused(answer::status_of(&error), code_of(error.kind), &error.message))?;
    Ok(ok(&summarized(&summary, mode == "detailed")))
}

/// Milliseconds until a deadline, of a day if there is none; `None` once it has passed.
fn left_until(deadline: Option<Instant>) -> Option<u64> {
    const DAY: u64 = 86_400_000;
    let Some(deadline) = deadline else { return Some(DAY) };
    let left = deadline.checked_duration_since(Instant::now())?;
    Some(u64::try_from(left.as_millis()).unwrap_or(DAY).clamp(1, DAY))
}

fn summarized(summary: &GraphSummary, is_detailed: bool) -> Json {
    let GraphSummary { nodes, edges, .. } = summary;
    let count = |kinds: &[crate::KindSummary]| kinds.iter().map(|kind| kind.count).sum::<u64>();
    let labels =
        |kinds: &[crate::KindSummary]| kinds.iter().map(|kind| kind.label.to_string()).collect::<Vec<_>>();
    let keys = |kinds: &[crate::KindSummary]| {
        let mut all = std::collections::BTreeMap::<&str, u64>::new();
        kinds
            .iter()
            .flat_map(|kind| &kind.keys)
            .for_each(|(key, count)| *all.entry(key).or_default() += count);
        all.into_iter().map(|(key, count)| json!({ key: count })).collect::<Vec<_>>()
    };
    let values = |kinds: &[crate::KindSummary]| {
        kinds.iter().flat_map(|kind| &kind.keys).map(|(_, count)| count).sum::<u64>()
    };
    let (node_keys, edge_keys) = (keys(nodes), keys(edges));
    let mut graph = json!({
        "numNodes": count(nodes), "numEdges": count(edges),
        "numNodeLabels": nodes.len(), "numEdgeLabels": edges.len(),
        "nodeLabels": labels(nodes), "edgeLabels": labels(edges),
        "numNodeProperties": node_keys.len(), "numEdgeProperties": edge_keys.len(),
        "nodeProperties": node_keys, "edgeProperties": edge_keys,
        "totalNodePropertyValues": values(nodes), "totalEdgePropertyValues": values(edges),
    });
    if is_detailed {
        let names =
            |kind: &crate::KindSummary| kind.keys.iter().map(|(key, _)| key.to_string()).collect::<Vec<_>>();
        graph["nodeStructures"] = nodes
            .iter()
            .map(|kind| {
                let edges: Vec<_> = kind.edges.iter().map(|label| label.to_string()).collect();
                json!({ "count": kind.count, "nodeProperties": names(kind), "distinctOutgoingEdgeLabels": edges })
            })
            .collect();
        graph["edgeStructures"] =
            edges.iter().map(|kind| json!({ "count": kind.count, "edgeProperties": names(kind) })).collect();
    }
    json!({ "status": "200 OK", "payload": { "version": "v1", "graphSummary": graph } })
}

/// What the server is.
fn instance(guest: &Guest) -> Reply {
    ok(&json!({
        "status": "healthy",
        "role": "writer",
        "dbEngineVersion": concat!("mangrove-", env!("CARGO_PKG_VERSION")),
        "gremlin": { "version": "tinkerpop-3.8.1" },
        "sources": guest.host.sources_for(guest),
    }))
}

fn ok(body: &Json) -> Reply {
    answer::json(StatusCode::OK, body.to_string())
}
