//! A request's reply: its head, and its chunks.

use std::{convert::Infallible, sync::Arc};

use futures_util::stream::unfold;
use hyper::{
    HeaderMap, Response, StatusCode,
    body::{Bytes, Frame},
    header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, TE, TRAILER},
};
use uuid::Uuid;
use wire::four::{Format, Status};

use super::{
    TRANSACTION_ID,
    answer::{Answer, Piece},
    deflate::Deflate,
};
use crate::{
    connections::Guest,
    http::{Reply, answer::counted, body, media},
    outgoing::Room,
    turn::Turn,
};

/// What of a request its reply depends on.
pub(super) struct Exchange {
    id: Uuid,
    pub(super) guest: Arc<Guest>,
    pub(super) format: Format,
    mime: String,
    takes_deflate: bool,
    takes_trailers: bool,
    /// The transaction that it is a part of, for the head.
    pub(super) transaction: Option<String>,
}

/// Names of the trailers.
const CODE: HeaderName = HeaderName::from_static("code");
const EXCEPTION: HeaderName = HeaderName::from_static("exception");

const REQUEST_ID: HeaderName = HeaderName::from_static("gremlin-requestid");

/// Bytes of a whole answer below which it is not worth while to compress it.
const WORTH_DEFLATING: usize = 1024;

/// Chunks that are still to be made.
enum Rest {
    First { exchange: Exchange, answer: Option<Box<Answer>>, piece: Piece, deflate: Option<Deflate> },
    More { exchange: Exchange, answer: Box<Answer>, deflate: Option<Deflate>, turn: Turn },
    Trailers { exchange: Exchange, status: Status },
    Nothing,
}

impl Exchange {
    pub(super) fn new(format: Format, mime: String, headers: &HeaderMap, guest: Arc<Guest>) -> Self {
        let lists = headers.get_all(TE).iter().filter_map(|value| value.to_str().ok());
        let takes_trailers =
            lists.flat_map(|list| list.split(',')).any(|entry| entry.trim().eq_ignore_ascii_case("trailers"));
        Self {
            id: Uuid::new_v4(),
            guest,
            format,
            mime,
            takes_deflate: media::takes(headers, "deflate"),
            takes_trailers,
            transaction: None,
        }
    }

    /// What the request is called.
    pub(super) fn id(&self) -> Uuid {
        self.id
    }

    /// The reply that an answer is.
    pub(super) async fn reply(self, mut answer: Answer) -> Reply {
        let piece = answer.next(self.format, &self.guest).await;
        self.guest.answer_by(answer.deadline(), &piece.room);
        if piece.end.is_some() {
            answer.let_go();
        }
        self.chunked(Some(Box::new(answer)), piece)
    }

    /// The reply to a request that did not run.
    pub(super) fn failure(self, status: &Status) -> Reply {
        let mut bytes = Vec::with_capacity(256);
        self.format.begin(false, &mut bytes);
        self.format.end(status, &mut bytes);
        self.chunked(None, Piece { bytes, held: None, room: Room::default(), end: Some(status.clone()) })
    }

    fn chunked(self, answer: Option<Box<Answer>>, piece: Piece) -> Reply {
        let code = piece.end.as_ref().map_or(200, |status| status.code);
        let is_worth_it = piece.end.is_none() || piece.bytes.len() >= WORTH_DEFLATING;
        let deflate = (self.takes_deflate && is_worth_it).then(Deflate::new);
        let head = self.head(code, deflate.is_some());
        let chunks = unfold(Rest::First { exchange: self, answer, piece, deflate }, Rest::next);
        head.map(|()| body::chunked(chunks))
    }

    fn head(&self, code: u16, is_deflated: bool) -> Response<()> {
        let mut reply = Response::new(());
        *reply.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = reply.headers_mut();
        let mut insert = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        insert(CONTENT_TYPE, &self.mime);
        insert(REQUEST_ID, &self.id.to_string());
        if let Some(transaction) = &self.transaction {
            insert(HeaderName::from_static(TRANSACTION_ID), transaction);
        }
        if is_deflated {
            insert(CONTENT_ENCODING, "deflate");
        }
        if self.takes_trailers {
            insert(TRAILER, "code, exception");
        }
        if matches!(code, 429 | 503) {
            insert(RETRY_AFTER, "1");
        }
        reply
    }
}

/// A chunk, or the trailers.
type Chunk = Result<Frame<Bytes>, Infallible>;

impl Rest {
    /// The next chunk, and what is left after it.
    async fn next(self) -> Option<(Chunk, Self)> {
        let is_first = matches!(self, Self::First { .. });
        let (exchange, mut answer, piece, mut deflate, turn) = match self {
            Self::First { exchange, answer, piece, deflate } => {
                (exchange, answer, piece, deflate, Turn::begin())
            }
            Self::More { exchange, mut answer, deflate, mut turn } => {
                turn.pass().await;
                let piece = answer.next(exchange.format, &exchange.guest).await;
                exchange.guest.answer_by(answer.deadline(), &piece.room);
                (exchange, Some(answer), piece, deflate, turn)
            }
            Self::Trailers { exchange, status } => {
                exchange.guest.presence.answered();
                return Some((Ok(Frame::trailers(trailers(&status))), Self::Nothing));
            }
            Self::Nothing => return None,
        };
        let Piece { bytes, held, room, end } = piece;
        let (bytes, end) =
            packed((bytes, end), &mut deflate, answer.as_deref_mut(), (exchange.format, is_first));
        let chunk = Ok(Frame::data(counted(bytes, held.into_iter().collect(), room)));
        let rest = match (end, answer) {
            (None, Some(answer)) => Self::More { exchange, answer, deflate, turn },
            (status, _) => Self::Trailers { exchange, status: status.unwrap_or_else(Status::ok) },
        };
        Some((chunk, rest))
    }
}

/// A piece as it is sent, with how the request went, if it is the last. One that is not compressed in time gives way to a last one.
fn packed(
    (bytes, end): (Vec<u8>, Option<Status>),
    deflate: &mut Option<Deflate>,
    answer: Option<&mut Answer>,
    (format, is_first): (Format, bool),
) -> (Vec<u8>, Option<Status>) {
    let Some(packing) = deflate else { return (bytes, end) };
    // How it failed is told whenever that is.
    let has_failed = end.as_ref().is_some_and(|status| status.code != Status::ok().code);
    let deadline = answer.as_ref().filter(|_| !has_failed).and_then(|answer| answer.deadline());
    if let Some(packed) = packing.piece(&bytes, end.is_some(), deadline) {
        return (packed, end);
    }
    let (Some(answer), Some(deflate)) = (answer, deflate.take()) else { return (Vec::new(), end) };
    let late = answer.missed(format, is_first);
    (deflate.end_instead(&late.bytes), late.end)
}

/// The status once more, without its message.
fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    trailers.insert(CODE, HeaderValue::from(status.code));
    if let Ok(exception) = HeaderValue::from_str(&status.exception)
        && !exception.is_empty()
    {
        trailers.insert(EXCEPTION, exception);
    }
    trailers
}
