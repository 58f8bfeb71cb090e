//! What tools for Amazon Neptune ask beside `/gremlin`, in its words: graph-explorer and graph-notebook do.
//!
//! | path | what |
//! |---|---|
//! | `/gremlin/status` | the queries that are under way; one of them; with POST, `cancelQuery` |
//! | `/gremlin/explain`, `/gremlin/profile` | how a query would be run, and how it was |
//! | `/pg/statistics/summary` | labels and keys, with counts |
//! | `/status` | what the server is |

use std::{sync::Arc, time::Instant};

use access::Role;
use hyper::{
    Method, Request, StatusCode,
    body::{Bytes, Incoming},
    header::{ALLOW, CONTENT_TYPE, HeaderValue},
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
    ErrorKind, GraphSummary, QueryError, QueryInfo, QueryPhase, UnderWay,
    arguments::Arguments,
    connections::Guest,
    late::{encode_in_time, late, too_large},
    outgoing::Room,
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

/// What a request says: names, and what each stands for.
type Parameters = Vec<(String, String)>;

/// Bytes of a form that asks for nothing but what is known already.
const LONGEST_FORM: usize = 64 << 10;

/// The parameters of a query string, and of a form in the body.
fn parameters(query: &str, body: &[u8]) -> Result<Parameters, Box<Reply>> {
    let body = str::from_utf8(body).map_err(|_| invalid("the body is not UTF-8"))?;
    let read = |text: &str| question::parameters(text).map_err(|error| invalid(&error));
    let mut all = read(query)?;
    all.append(&mut read(body)?);
    Ok(all)
}

/// The same of a request.
async fn given(request: Request<Incoming>, guest: &Guest) -> Result<Parameters, Box<Reply>> {
    let (parts, body) = request.into_parts();
    let body = answer::read_small(body, LONGEST_FORM, &guest.host).await?;
    parameters(parts.uri.query().unwrap_or_default(), &body)
}

/// The first of a name.
fn find<'a>(parameters: &'a Parameters, name: &str) -> Option<&'a str> {
    parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
}

fn is_on(parameters: &Parameters, name: &str) -> bool {
    find(parameters, name).is_some_and(|value| !value.eq_ignore_ascii_case("false"))
}

/// Does what takes milliseconds where thousands of queries are under way, on a thread that no connection needs.
async fn on_a_thread(guest: &Guest, work: impl FnOnce() -> Answered + Send + 'static) -> Answered {
    if !guest.presence.begin_alone() {
        return Err(Box::new(answer::gave_way()));
    }
    let failed = || refused(StatusCode::INTERNAL_SERVER_ERROR, "InternalFailureException", "it failed");
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(failed()))
}

/// Lists queries, shows one, or stops one.
async fn status(request: Request<Incoming>, guest: &Arc<Guest>) -> Answered {
    let is_safe = *request.method() == Method::GET;
    let parameters = given(request, guest).await?;
    let asking = guest.clone();
    if is_on(&parameters, "cancelQuery") {
        if is_safe {
            return Err(only_by_post());
        }
        return on_a_thread(guest, move || stop(&parameters, &asking)).await;
    }
    let turn = guest.host.listings.clone().acquire_owned().await;
    let work = move || {
        // Held here, since the client may leave meanwhile.
        let _turn = turn;
        list(&parameters, &asking)
    };
    on_a_thread(guest, work).await
}

/// Browsers send GET for every image and link, so it changes nothing.
fn only_by_post() -> Box<Reply> {
    let message =
        "GET stops no query; send cancelQuery and queryId with POST, as a form or in the query string";
    let mut reply = refused(StatusCode::METHOD_NOT_ALLOWED, "BadRequestException", message);
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    reply
}

fn not_under_way(id: &str) -> Box<Reply> {
    invalid(&format!("there is no query {id} under way"))
}

fn stop(parameters: &Parameters, guest: &Guest) -> Answered {
    let id = find(parameters, "queryId").ok_or_else(|| invalid("cancelQuery needs a queryId"))?;
    let client = guest.client();
    let by = client.user.as_deref().map_or_else(|| format!("a client at {}", client.address), str::to_owned);
    let may_see = seen_by(guest);
    let stopped = guest.host.queries.stop(&by, |query| query.id == *id && may_see(query));
    if stopped.is_empty() {
        return Err(not_under_way(id));
    }
    Ok(ok(&json!({ "status": "200 OK", "payload": true })))
}

fn list(parameters: &Parameters, guest: &Guest) -> Answered {
    let seen = guest.host.queries.those(seen_by(guest));
    if let Some(id) = find(parameters, "queryId") {
        let query = seen.iter().find(|query| query.id == *id).ok_or_else(|| not_under_way(id))?;
        return Ok(ok(&described(&query.info(), usize::MAX)));
    }
    let is_waiting = |query: &UnderWay| query.phase == QueryPhase::Waiting;
    let running = seen.iter().filter(|query| !is_waiting(query)).count();
    let with_waiting = is_on(parameters, "includeWaiting");
    let listed = seen.iter().filter(|query| with_waiting || !is_waiting(query)).take(MOST_LISTED);
    let listed: Vec<_> = listed.collect();
    let most = (LISTED_BYTES / listed.len().max(1)).max(64);
    let queries: Vec<_> = listed.iter().map(|query| described(&query.info(), most)).collect();
    guest.answer_by(Some(Instant::now()), &Room::default());
    Ok(ok(&json!({
        "acceptedQueryCount": seen.len(),
        "runningQueryCount": running,
        "queries": queries,
    })))
}

/// Which queries somebody may see and stop: his own, or as an admin of all graphs any.
fn seen_by(guest: &Guest) -> impl Fn(&UnderWay) -> bool + use<> {
    let is_admin = guest.rights("").is_some_and(|rights| rights.allow_everywhere(Role::Admin));
    let user = guest.client().user;
    move |query: &UnderWay| is_admin || user == query.user
}

/// Queries that are listed at most: nothing counts what an answer of this kind holds.
const MOST_LISTED: usize = 1_000;

/// What their texts, and the words for their operators, may have together, before they are cut.
const LISTED_BYTES: usize = 256 << 10;

/// What is said of a query, with so many bytes of its text, and of the words for its operators.
fn described(query: &QueryInfo, most: usize) -> Json {
    let mut left = most;
    let operators = query.operators.iter().take_while(|words| {
        let fits = words.len() <= left;
        left = left.saturating_sub(words.len());
        fits
    });
    let operators: Vec<_> = operators.collect();
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
        "operators": operators,
    })
}

/// Whether what is to be explained comes as JSON. Tools send that, with or without saying so; `curl -d` calls it a form.
fn is_json(bytes: &Bytes) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
}

/// About how many bytes of memory its fields take when they are read. The parameters of a form are few, and each is there some times
/// until it is a value.
fn memory_of(bytes: &Bytes) -> usize {
    if is_json(bytes) { HttpFields::memory_of(bytes) } else { 3 * bytes.len() }
}

/// The fields of a request to explain something.
fn fields_of(parts: &Parts, bytes: &Bytes) -> Result<Vec<(Str, WireValue)>, Box<Reply>> {
    if is_json(bytes) {
        let message = HttpFields::decode(bytes).and_then(|fields| fields.into_three(uuid::Uuid::new_v4()));
        return Ok(message.map_err(|error| invalid(&error.to_string()))?.args.0);
    }
    let given = parameters(parts.uri.query().unwrap_or_default(), bytes)?;
    let field = |(key, value): (String, String)| {
        let value = question::parameter(&key, value);
        (Str::from(key), value)
    };
    Ok(given.into_iter().map(field).collect())
}

/// How a query would be run, or how it was, as text.
async fn plan(request: Request<Incoming>, what: &str, guest: &Arc<Guest>) -> Answered {
    let read_only = request.method() == Method::GET;
    let (parts, body) = request.into_parts();
    let bytes = answer::read_body(body, &guest.host).await?;
    guest.receipt.complete();
    let asked = Instant::now();
    let told = |error: QueryError| refused(answer::status_of(&error), code_of(error.kind), &error.message);
    let weight = guest.host.room_to_read(bytes.len(), asked, || memory_of(&bytes)).await.map_err(told)?;
    let fields = guest.host.read(bytes.len(), asked, || fields_of(&parts, &bytes)).map_err(told)??;
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
    operation.came(asked, weight);
    (operation.query.read_only, operation.query.is_safe) = (read_only, read_only);
    operation.form = Form::Script;
    let permit = guest.host.admit(guest).map_err(refusal)?;
    let id = uuid::Uuid::new_v4().to_string().into();
    let Collected { page, running, held, .. } = collect(operation, id, guest).await.map_err(told)?;
    drop(permit);
    let room = guest.room_in_time(page.bytes(), running.deadline()).await.map_err(told)?;
    let unencodable = |error: wire::EncodeError| {
        if error == wire::EncodeError::TooLarge {
            return told(too_large());
        }
        refused(StatusCode::INTERNAL_SERVER_ERROR, "InternalFailureException", &error.to_string())
    };
    let encode = || page.text();
    let text =
        encode_in_time(&*running, page.bytes(), encode).ok_or_else(|| told(late()))?.map_err(unencodable)?;
    let room = guest.written(room, text.len());
    guest.answer_by(running.deadline(), &room);
    let mut reply = Reply::new(body::whole(answer::counted(text, held, room)));
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
    let mode = find(&parameters, "mode").unwrap_or("basic").to_lowercase();
    if !matches!(mode.as_str(), "basic" | "detailed") {
        return Err(invalid(&format!("there is no mode [{mode}]; there are basic and detailed")));
    }
    let source = find(&parameters, "g").unwrap_or("g");
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
