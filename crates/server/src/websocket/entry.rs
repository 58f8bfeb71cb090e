//! How the client of a WebSocket says who it is, as Gremlin Server asks for it (SASL PLAIN).
//!
//! ```text
//!   request ──▶ 407 ──▶ authentication ──▶ verified ──▶ the request, and those that came meanwhile, in their order
//!                                             └─ not ──▶ 401 for each of them; the next request is asked again
//! ```
//!
//! What is long is not read before it is known who sends it.
//!
//! Whoever has said it in the handshake already, or need not, passes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use access::{Denied, Identity};
use hyper::body::Bytes;
use tokio::sync::oneshot;
use uuid::Uuid;
use values::{Str, Value};
use wire::{Format, RequestMessage, WireValue};

use super::frame::FrameKind;
use crate::{
    connections::Guest,
    door::login::{Unreadable, in_sasl, verify},
    intake::Receipt,
    reading::Weight,
    request::Refusal,
    status::StatusCode,
};

/// The operation of a message that says who the client is.
const AUTHENTICATION: &str = "authentication";

/// Requests that wait for it.
const MOST: usize = 1_024;

/// Bytes of a message that is read although it is not known who sends it: a login has fewer, and what it comes to is little.
const LONGEST: usize = 16 << 10;

/// What the answer to a request needs of it.
pub(super) type ReplyTo = (FrameKind, Format, Uuid);

/// A message, and what else is known of it.
pub(super) struct Come {
    pub(super) answer: ReplyTo,
    pub(super) message: RequestMessage,
    pub(super) asked: Instant,
    /// As it came.
    pub(super) payload: Bytes,
    /// What it takes in memory.
    pub(super) weight: Weight,
}

/// A message of which only the id was looked at.
pub(super) struct Unread {
    pub(super) answer: ReplyTo,
    pub(super) asked: Instant,
    pub(super) payload: Bytes,
}

/// What waits until it is known who asks.
pub(super) enum Waits {
    Read(Come),
    /// It takes many times its bytes, perhaps, and a stranger sends it.
    Unread(Unread),
}

impl Waits {
    fn answer(&self) -> ReplyTo {
        match self {
            Self::Read(come) => come.answer,
            Self::Unread(unread) => unread.answer,
        }
    }
}

/// What is done with a message.
pub(super) enum Admitted {
    /// It is known who asks: it is a request.
    Request(Come),
    /// It waits, and the client is asked who it is.
    Challenge(ReplyTo),
    /// It waits.
    Later,
    /// These are refused.
    Refused(Vec<ReplyTo>, Refusal),
}

/// What came of a login.
pub(super) enum Verdict {
    /// These are requests now, and whether it is another user than before.
    Known { come: Vec<Waits>, is_another: bool },
    /// These are refused.
    Denied(Vec<ReplyTo>, Refusal),
}

/// See the module.
pub(super) struct Entry {
    waiting: Vec<Waits>,
    /// What these take.
    receipt: Receipt,
    verdict: Option<oneshot::Receiver<Result<Identity, Denied>>>,
    /// Since when it is not known who asks.
    unknown_since: Option<Instant>,
    /// Whether the client was asked who it is.
    is_asked: bool,
    /// Who it was.
    user: Option<Arc<str>>,
}

impl Entry {
    pub(super) fn new(guest: &Guest) -> Self {
        Self {
            waiting: Vec::new(),
            receipt: Receipt::new(guest.host.intake.clone()),
            verdict: None,
            unknown_since: (!guest.is_known()).then(Instant::now),
            is_asked: false,
            user: guest.client().user,
        }
    }

    /// When the client has taken too long to say who it is.
    pub(super) fn deadline(&self, limit: Duration) -> Option<Instant> {
        self.unknown_since.and_then(|since| since.checked_add(limit))
    }

    /// Says what is done with a message.
    pub(super) fn come(&mut self, come: Come, guest: &Arc<Guest>) -> Admitted {
        if self.is_open(guest) {
            self.unknown_since = None;
            return Admitted::Request(come);
        }
        self.unknown_since.get_or_insert_with(Instant::now);
        if *come.message.op == *AUTHENTICATION {
            return self.log_in(come, guest);
        }
        let memory = come.weight.bytes;
        self.wait(Waits::Read(come), memory)
    }

    /// Whether what comes is done at once.
    fn is_open(&self, guest: &Guest) -> bool {
        self.verdict.is_none() && self.waiting.is_empty() && guest.is_known()
    }

    /// Whether a message of so many bytes is not read yet.
    pub(super) fn defers(&self, length: usize, guest: &Guest) -> bool {
        length > LONGEST && !self.is_open(guest)
    }

    /// Says what is done with one that is not.
    pub(super) fn defer(&mut self, unread: Unread) -> Admitted {
        self.unknown_since.get_or_insert_with(Instant::now);
        let bytes = unread.payload.len();
        self.wait(Waits::Unread(unread), bytes)
    }

    fn wait(&mut self, waits: Waits, memory: usize) -> Admitted {
        let (answer, share) = (waits.answer(), self.receipt.share(memory));
        if self.waiting.len() >= MOST || !self.receipt.takes(share) {
            let refusal = Refusal::too_many("too many requests wait for the client to say who it is".into());
            return Admitted::Refused(vec![answer], refusal);
        }
        self.waiting.push(waits);
        if std::mem::replace(&mut self.is_asked, true) {
            Admitted::Later
        } else {
            Admitted::Challenge(answer)
        }
    }

    fn log_in(&mut self, come: Come, guest: &Arc<Guest>) -> Admitted {
        if !std::mem::replace(&mut self.is_asked, true) {
            // Whatever comes first is answered so by Gremlin Server.
            return Admitted::Challenge(come.answer);
        }
        if self.verdict.is_some() {
            let refusal = Refusal::arguments("the client has said who it is, and that is being looked at");
            return Admitted::Refused(vec![come.answer], refusal);
        }
        let credentials = match come.message.args.get("sasl") {
            Some(WireValue::Value(Value::String(text))) => in_sasl(text),
            Some(_) => Err(Unreadable::NotBase64),
            None => Err(Unreadable::NotPlain),
        };
        // Where it is the request which waits that is answered, as with Gremlin Server, the login itself is not.
        if self.waiting.is_empty() {
            self.waiting.push(Waits::Read(Come { payload: Bytes::new(), weight: Weight::default(), ..come }));
        }
        match credentials {
            Ok(credentials) => {
                self.verdict = Some(verify(&guest.host.gate, guest.client(), credentials));
                Admitted::Later
            }
            Err(unreadable) => {
                let code = match unreadable {
                    Unreadable::NotBase64 => StatusCode::MalformedRequest,
                    Unreadable::NotPlain | Unreadable::Header => StatusCode::Unauthorized,
                };
                Admitted::Refused(self.give_up(), Refusal::new(code, unreadable.to_string()))
            }
        }
    }

    /// Resolves when it is known what came of a login; never if none is being looked at.
    pub(super) async fn told(&mut self) -> Result<Identity, Denied> {
        match &mut self.verdict {
            Some(verdict) => verdict.await.unwrap_or(Err(Denied::Busy)),
            None => std::future::pending().await,
        }
    }

    /// Goes on after a login.
    pub(super) fn end(&mut self, who: Result<Identity, Denied>, guest: &Guest) -> Verdict {
        self.verdict = None;
        match who {
            Ok(identity) => {
                let user = Some(identity.user().clone());
                if let Err(refusal) = guest.is_now(identity) {
                    return Verdict::Denied(self.give_up(), refusal);
                }
                let is_another = self.user.is_some() && self.user != user;
                self.user = user;
                self.unknown_since = None;
                self.is_asked = false;
                self.receipt.complete();
                Verdict::Known { come: std::mem::take(&mut self.waiting), is_another }
            }
            Err(denied) => {
                let code = match denied {
                    Denied::Wrong | Denied::Token => StatusCode::Unauthorized,
                    Denied::TooMany(_) => StatusCode::TooManyRequests,
                    Denied::Busy => StatusCode::Temporary,
                };
                Verdict::Denied(self.give_up(), Refusal::new(code, denied.to_string()))
            }
        }
    }

    /// Ends what waits; the next request is asked again.
    fn give_up(&mut self) -> Vec<ReplyTo> {
        self.is_asked = false;
        self.receipt.complete();
        std::mem::take(&mut self.waiting).iter().map(Waits::answer).collect()
    }
}

/// Whether a message says who the client is, and nothing else.
pub(super) fn is_login(op: &Str) -> bool {
    **op == *AUTHENTICATION
}
