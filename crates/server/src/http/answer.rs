//! Answers to single HTTP requests.

use std::{sync::Arc, time::Instant};

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::{
    Method, Request, StatusCode,
    body::{Body, Bytes, Incoming},
    header::{ACCEPT, ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER},
};
use tokio::time::timeout;
use uuid::Uuid;
use wire::{EncodeError, RequestMessage};

use super::{
    Reply, body,
    collector::{Collected, collect},
    four,
    media::{self, Written},
    question::{self, Question},
};
use crate::{
    ErrorKind, Held, QueryError,
    connections::Guest,
    host::Host,
    late::{encode_in_time, late, too_large},
    outgoing::Room,
    paging,
    reply::{self, Status},
    request::{Action, Form, Operation, Refusal},
    status::{StatusCode as GremlinCode, UNENCODABLE},
    told::fitting,
};

/// An answer whose bytes count until the client has taken them.
struct Counted {
    encoded: Vec<u8>,
    /// What counts the results that it was made of.
    _held: Vec<Held>,
    /// What counts these bytes.
    _room: Room,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.encoded
    }
}

/// Bytes of an answer that has room, and was made of results which somebody counts.
pub(super) fn counted(encoded: Vec<u8>, held: Vec<Held>, room: Room) -> Bytes {
    Bytes::from_owner(Counted { encoded, _held: held, _room: room })
}

/// A reply instead of an answer.
struct Refused(Box<Reply>);

impl Refused {
    fn new(status: StatusCode, id: Option<Uuid>, message: &str, kind: Option<&str>) -> Self {
        Self(Box::new(error(status, id, message, kind)))
    }
}

/// Answers a Gremlin request.
pub(super) async fn gremlin(request: Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    match attempt(request, guest).await {
        Ok(reply) => reply,
        Err(Refused(reply)) => *reply,
    }
}

async fn attempt(request: Request<Incoming>, guest: &Arc<Guest>) -> Result<Reply, Refused> {
    let host = &guest.host;
    let (parts, body) = request.into_parts();
    let header = |name| parts.headers.get(name).and_then(|value| value.to_str().ok());
    let body = whole(body, host, host.options.max_request_bytes).await?;
    guest.receipt.complete();
    let asked = Instant::now();
    // Not before: who takes long to ask has no claim to stay.
    if !guest.presence.begin_alone() {
        return Err(Refused(Box::new(gave_way())));
    }
    let bad = |message: String| Refused::new(StatusCode::BAD_REQUEST, None, &message, None);
    let told =
        |error: QueryError| Refused::new(status_of(&error), None, &error.message, Some(error.kind.name()));
    let weight =
        host.room_to_read(body.len(), asked, || question::memory_of(&parts, &body)).await.map_err(told)?;
    let message = match host.read(body.len(), asked, || question::read(&parts, &body)).map_err(told)? {
        Ok(Question::Three(message)) => message,
        Ok(Question::Four(request)) => {
            drop(body);
            return Ok(four::answer(request, weight, &parts.headers, asked, guest).await);
        }
        Err(message) => return Err(bad(message)),
    };
    let accept = header(ACCEPT);
    let id = message.id;
    let called = question::called(&parts, &message);
    let (form, mime) = media::accepted(accept).ok_or_else(|| {
        let message = format!("no serializer for requested Accept header: {}", accept.unwrap_or_default());
        Refused::new(StatusCode::BAD_REQUEST, Some(id), &message, None)
    })?;
    let mut operation = select(message, guest).map_err(|refusal| refused(id, &refusal))?;
    operation.came(asked, weight);
    if let Some(format) = wire::Format::from_mime(header(CONTENT_TYPE).unwrap_or_default()) {
        operation.came_in(format, &body);
    }
    operation.query.read_only = parts.method == Method::GET;
    operation.query.is_safe = operation.query.read_only;
    if form == Written::Text {
        operation.form = Form::Script;
    }
    let permit = host.admit(guest).map_err(|refusal| refused(id, &refusal))?;
    let properties = operation.properties;
    let Collected { page, summary, running, held } =
        collect(operation, called, guest).await.map_err(|error| failed(id, &error))?;
    drop(permit);
    let room =
        guest.room_in_time(page.bytes(), running.deadline()).await.map_err(|error| failed(id, &error))?;
    let mut status = Status::new(GremlinCode::Success);
    status.summarize(&format!("/{}", guest.peer), summary.warnings);
    let properties = paging::properties(&*running, properties);
    let encode = || match form {
        Written::As(format) => reply::results(format, id, status, &page, properties),
        Written::Text => page.text(),
    };
    let encoded = encode_in_time(&*running, page.bytes(), encode)
        .ok_or_else(|| failed(id, &late()))?
        .map_err(|error| {
            if error == EncodeError::TooLarge {
                return failed(id, &too_large());
            }
            let message = format!("Could not serialize the result with {mime} - {error}");
            Refused::new(StatusCode::INTERNAL_SERVER_ERROR, Some(id), &message, Some(UNENCODABLE))
        })?;
    let room = guest.written(room, encoded.len());
    guest.answer_by(running.deadline(), &room);
    let mut reply = Reply::new(body::whole(counted(encoded, held, room)));
    if let Ok(mime) = HeaderValue::from_str(&mime) {
        reply.headers_mut().insert(CONTENT_TYPE, mime);
    }
    Ok(reply)
}

/// Reads a body within its bounds; a reply instead of an answer if it is beyond them.
pub(super) async fn read_body(body: Incoming, host: &Host) -> Result<Bytes, Box<Reply>> {
    whole(body, host, host.options.max_request_bytes).await.map_err(|Refused(reply)| reply)
}

/// The same of a body that has no reason to be longer than so many bytes: nobody weighs what it comes to when it is read.
pub(super) async fn read_small(body: Incoming, most: usize, host: &Host) -> Result<Bytes, Box<Reply>> {
    let most = most.min(host.options.max_request_bytes);
    whole(body, host, most).await.map_err(|Refused(reply)| reply)
}

async fn whole(body: Incoming, host: &Host, bound: usize) -> Result<Bytes, Refused> {
    match timeout(host.options.read_timeout, gathered(Limited::new(body, bound))).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = if bound == host.options.max_request_bytes {
                format!("the request is larger than server.max_request_bytes ({bound})")
            } else {
                format!("the request is larger than any of its kind need be ({bound} bytes)")
            };
            Err(Refused::new(StatusCode::PAYLOAD_TOO_LARGE, None, &message, None))
        }
        Ok(Err(error)) => Err(Refused::new(StatusCode::BAD_REQUEST, None, &error.to_string(), None)),
        Err(_) => {
            Err(Refused::new(StatusCode::REQUEST_TIMEOUT, None, "the body did not arrive in time", None))
        }
    }
}

/// Most bytes for which there is room before they come, whatever length the client says.
const ROOM: u64 = 64 << 10;

/// The bytes of a body, in one piece as they come: a client may send them in chunks of one byte, and each of these would take many
/// times that if it were kept.
async fn gathered<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Result<Bytes, B::Error> {
    let mut bytes = Vec::with_capacity(body.size_hint().lower().min(ROOM) as usize);
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    bytes.shrink_to_fit();
    Ok(bytes.into())
}

/// HTTP has scripts and bytecode, and no other operation.
fn select(message: RequestMessage, guest: &Guest) -> Result<Operation, Refusal> {
    match Action::select(message, guest)? {
        Action::Run(operation) => Ok(*operation),
        Action::InSession(_) => Err(Refusal::arguments(
            "sessions need a WebSocket; over HTTP, send the request without a session, as one transaction of its own",
        )),
    }
}

fn refused(id: Uuid, refusal: &Refusal) -> Refused {
    let status = match refusal.code {
        GremlinCode::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        GremlinCode::Unauthorized => StatusCode::UNAUTHORIZED,
        GremlinCode::Forbidden => StatusCode::FORBIDDEN,
        // The last one is for a script of an unknown source, or in another language.
        GremlinCode::InvalidArguments | GremlinCode::MalformedRequest | GremlinCode::Evaluation => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Refused::new(status, Some(id), &refusal.message, None)
}

fn failed(id: Uuid, error: &QueryError) -> Refused {
    if error.kind == ErrorKind::ReadOnly {
        return only_by_post(id, error);
    }
    let status = status_of(error);
    let mut refused = Refused::new(status, Some(id), &error.message, Some(error.kind.name()));
    if matches!(error.kind, ErrorKind::Busy | ErrorKind::TooFast) {
        refused.0.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    refused
}

/// The status of a query that failed.
pub(super) fn status_of(error: &QueryError) -> StatusCode {
    match error.kind {
        ErrorKind::ReadOnly => StatusCode::METHOD_NOT_ALLOWED,
        ErrorKind::Syntax => StatusCode::BAD_REQUEST,
        ErrorKind::Unsupported => StatusCode::NOT_IMPLEMENTED,
        ErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        ErrorKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::TooFast => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// What would write came with GET, which browsers send for every image and link, and proxies more than once.
fn only_by_post(id: Uuid, error: &QueryError) -> Refused {
    let message = format!("GET never writes, use POST: {}", error.message);
    let mut refused =
        Refused::new(StatusCode::METHOD_NOT_ALLOWED, Some(id), &message, Some(error.kind.name()));
    refused.0.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    refused
}

/// For a request that comes on a connection which has to go.
pub(super) fn gave_way() -> Reply {
    let message = "this connection was idle and gave way to another one; connect again";
    error(StatusCode::SERVICE_UNAVAILABLE, None, message, None)
}

/// An error as Gremlin Server words it.
pub(super) fn error(status: StatusCode, id: Option<Uuid>, message: &str, kind: Option<&str>) -> Reply {
    let mut body = serde_json::Map::new();
    body.insert("message".into(), fitting(message).into());
    if let Some(kind) = kind {
        body.insert("Exception-Class".into(), kind.into());
        body.insert("exceptions".into(), vec![kind].into());
    }
    if let Some(id) = id {
        body.insert("requestId".into(), id.to_string().into());
    }
    json(status, serde_json::Value::Object(body).to_string())
}

/// A reply with a JSON body.
pub(super) fn json(status: StatusCode, body: String) -> Reply {
    let mut reply = Reply::new(body::whole(body));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

/// A reply with metrics.
pub(super) fn metrics(page: String) -> Reply {
    let mut reply = Reply::new(body::whole(page));
    let format = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(format));
    reply
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;
    use http_body_util::StreamBody;
    use hyper::body::Frame;

    use super::*;

    #[tokio::test]
    async fn chunks_of_one_byte_are_kept_as_their_bytes() {
        // Each of them is a part of something large, which is gone as soon as nobody has a part of it.
        let large = Bytes::from(vec![7; 1 << 20]);
        let chunks: Vec<_> =
            (0..1_000).map(|at| Ok::<_, Infallible>(Frame::data(large.slice(at..=at)))).collect();
        let bytes = gathered(StreamBody::new(stream::iter(chunks))).await.unwrap();
        assert_eq!(bytes, vec![7; 1_000]);
        assert!(large.is_unique(), "nothing of it is kept");
    }

    #[tokio::test]
    async fn a_body_beyond_its_bound_is_not_gathered() {
        let chunks = || (0..20).map(|_| Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"x"))));
        let body = |most| Limited::new(StreamBody::new(stream::iter(chunks())), most);
        assert!(gathered(body(19)).await.unwrap_err().is::<LengthLimitError>());
        assert_eq!(gathered(body(20)).await.unwrap().len(), 20);
    }
}
