//! The task that owns one WebSocket.

use std::{
    collections::HashMap,
    future::{Future, pending},
    sync::Arc,
    time::Duration,
};

use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::{Instant, sleep_until, timeout},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message,
        error::CapacityError,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};
use uuid::Uuid;
use values::Str;
use wire::Format;

use crate::{
    Query, ResultSink, Running,
    aside::{Work, aside},
    connections::Guest,
    host::Place,
    intake::Receipt,
    mailbox::{Mailbox, RequestKey},
    outgoing::LOOK,
    paging::Paging,
    queries::submit,
    reply::{self, Status},
    request::{Action, Operation, Refusal},
    sessions::{InSession, Lines, Todo, Waiting},
    status::StatusCode,
    stopping::stopped,
    turn::Turn,
};

use super::{
    entry::{Admitted, Come, Entry, ReplyTo, Unread, Verdict, Waits, is_login},
    frame::{self, Frame, FrameKind},
    response::{InFlight, Next},
};

/// One client. Everything it does happens in one task: reading, encoding, writing. Dropping it (the client went
/// away, the server stops) cancels every query it has in flight.
pub(crate) struct Connection<S> {
    socket: WebSocketStream<S>,
    guest: Arc<Guest>,
    /// The client's address, for logs and for the `host` attribute of responses.
    peer: String,
    mailbox: Arc<Mailbox>,
    entry: Entry,
    requests: HashMap<RequestKey, InFlight>,
    sessions: Lines<ReplyTo>,
    next_key: RequestKey,
    /// Requests whose answers have no room, and when they are looked at again.
    roomless: Vec<RequestKey>,
    look_at: Option<Instant>,
    /// When the client was last heard of or answered.
    active: Instant,
    draining: bool,
}

/// Why a connection's task ends.
enum End {
    /// The socket was closed by the client, or broke.
    Gone,
    /// The server closes it.
    Close(CloseCode, &'static str),
    /// Another connection has its place.
    GaveWay,
}

const GAVE_WAY: &str = "there are too many connections, and this one was idle for longest; connect again";

const NOT_KNOWN: &str = "the client did not say who it is within server.read_timeout";

const TOO_SLOW: &str = "the message was not complete within server.read_timeout";

const NO_TURN: &str = "the request waited for those before it in its session until its evaluation timeout was over; wait for their \
                       answers, or raise `evaluationTimeout`";

const NO_ID: &str = "Message could not be parsed. Check the format of the request. [it has no id, and is not looked at further before \
                     the client has said who it is]";

const NO_ROOM: &str =
    "all requests that are being received are more than server.max_receiving_bytes; connect again";

/// Requests whose last frames are written together, at most: each has its place until these have left.
const ENDED: usize = 64;

/// Bytes read from a socket at once. Each connection holds that much, and all of it is zeroed before each read: the
/// library's default of 128 KiB costs more than the query that a usual frame of some hundred bytes asks for.
const READ_BUFFER: usize = 8 * 1024;

/// Bytes of a client's ping or pong before what it says: two, and the mask.
const CONTROL_HEAD: usize = 6;

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Takes over a socket after the handshake.
    pub(crate) async fn new(socket: S, guest: Arc<Guest>) -> Self {
        let options = &guest.host.options;
        let bound = options.max_request_bytes;
        let config = WebSocketConfig::default()
            .max_message_size(Some(bound))
            .max_frame_size(Some(bound))
            .read_buffer_size(READ_BUFFER);
        let socket = WebSocketStream::from_raw_socket(socket, Role::Server, Some(config)).await;
        let mailbox = Mailbox::new(options.max_waiting_results);
        let waiting = Receipt::new(guest.host.intake.clone());
        let sessions = Lines::new(options.max_sessions_per_connection, waiting);
        Self {
            socket,
            peer: format!("/{}", guest.peer),
            entry: Entry::new(&guest),
            guest,
            mailbox,
            requests: HashMap::new(),
            sessions,
            next_key: 0,
            roomless: Vec::new(),
            look_at: None,
            active: Instant::now(),
            draining: false,
        }
    }

    /// Serves the client until it goes away or the server stops.
    pub(crate) async fn run(mut self, mut shutdown: watch::Receiver<bool>) {
        loop {
            match self.step(&mut shutdown).await {
                Ok(()) => {}
                Err(End::Gone) => break,
                Err(End::Close(code, reason)) => {
                    self.close(code, reason).await;
                    break;
                }
                Err(End::GaveWay) => {
                    // However fast others come, only so many stay to be told why they go.
                    if let Some(_permit) = self.guest.host.farewells.take() {
                        self.close(CloseCode::Again, GAVE_WAY).await;
                    }
                    break;
                }
            }
        }
        tracing::debug!(peer = %self.peer, cancelled = self.requests.len(), "connection closed");
    }

    /// Sends what is ready, then waits for the next thing to happen.
    async fn step(&mut self, shutdown: &mut watch::Receiver<bool>) -> Result<(), End> {
        self.answer().await?;
        if self.requests.is_empty() {
            self.guest.presence.rest();
        }
        if self.draining && self.requests.is_empty() {
            return Err(End::Close(CloseCode::Away, "the server is shutting down"));
        }
        let idle = self.idle_at();
        let late = self.sessions.first_deadline().map(Instant::from_std);
        let read_timeout = self.guest.host.options.read_timeout;
        let unknown = self.entry.deadline(read_timeout).map(Instant::from_std);
        tokio::select! {
            message = self.socket.next() => self.receive(message).await,
            () = self.mailbox.arrived() => Ok(()),
            () = sleep_until_or_never(self.look_at) => {
                self.look_again();
                Ok(())
            }
            who = self.entry.told() => {
                let verdict = self.entry.end(who, &self.guest);
                self.enter(verdict).await
            }
            () = sleep_until_or_never(unknown) => Err(End::Close(CloseCode::Policy, NOT_KNOWN)),
            () = stopped(shutdown), if !self.draining => {
                self.draining = true;
                Ok(())
            }
            () = self.guest.presence.dismissed() => Err(End::GaveWay),
            () = self.guest.receipt.overdue(read_timeout) => Err(End::Close(CloseCode::Policy, TOO_SLOW)),
            () = sleep_until_or_never(late) => {
                let late = self.sessions.late(Instant::now().into_std());
                self.refuse_all(late, &Refusal::new(StatusCode::Timeout, NO_TURN.into())).await
            }
            () = sleep_until_or_never(idle) => Err(End::Close(CloseCode::Normal, "the connection was idle")),
        }
    }

    fn idle_at(&self) -> Option<Instant> {
        let limit = self.guest.host.options.idle_timeout?;
        self.requests.is_empty().then(|| self.active + limit)
    }

    /// Sends a frame for each request that has one, in turn, until none has; listens to the client in between.
    async fn answer(&mut self) -> Result<(), End> {
        let mut wrote = false;
        let mut turn = Turn::begin();
        // What their last frames are made of counts until these have been taken.
        let mut ended = Vec::new();
        while let Some(key) = self.next_ready() {
            let Some(request) = self.requests.get_mut(&key) else { continue };
            let (kind, format) = (request.kind, request.format);
            let mut over = None;
            let (response, room) = match request.next(&self.peer, &self.guest) {
                Next::Wait => continue,
                Next::NoRoom => {
                    self.roomless.push(key);
                    self.look_at.get_or_insert_with(|| Instant::now() + LOOK);
                    continue;
                }
                Next::Frame(response, room) => {
                    self.mailbox.requeue(key);
                    (response, room)
                }
                Next::Last(response, room) => {
                    let mut request = self.requests.remove(&key);
                    if let Some(session) = request.as_mut().and_then(|request| request.session.take()) {
                        // It is over before the next one of its session begins.
                        request = None;
                        over = Some(session);
                    }
                    ended.extend(request);
                    (response, room)
                }
            };
            self.feed_answer(frame::message(kind, format, response)).await?;
            drop(room);
            wrote = true;
            if let Some(session) = over {
                self.go_on(&session).await?;
            }
            if ended.len() >= ENDED {
                self.flush().await?;
                ended.clear();
            }
            // A long answer must not keep the client from sending, cancelling by going away above all.
            if let Some(message) = self.socket.next().now_or_never() {
                self.receive(message).await?;
            }
            turn.pass().await;
        }
        if wrote {
            self.flush().await?;
        }
        Ok(())
    }

    /// The request whose turn it is.
    fn next_ready(&mut self) -> Option<RequestKey> {
        if self.look_at.is_some_and(|at| Instant::now() >= at) {
            self.look_again();
        }
        self.mailbox.next_ready()
    }

    /// Looks at those again that had no room.
    fn look_again(&mut self) {
        self.look_at = None;
        self.roomless.drain(..).for_each(|key| self.mailbox.requeue(key));
    }

    async fn receive(&mut self, message: Option<Result<Message, tungstenite::Error>>) -> Result<(), End> {
        self.active = Instant::now();
        // Not behind a ping, which may come between the frames of a message.
        if matches!(message, Some(Ok(Message::Binary(_) | Message::Text(_)))) {
            self.guest.receipt.complete();
        }
        if let Some(Ok(Message::Ping(said) | Message::Pong(said))) = &message {
            // They are no part of a request, and come for as long as the connection stays.
            self.guest.receipt.left(CONTROL_HEAD + said.len());
        }
        match message {
            Some(Ok(Message::Binary(bytes))) => match frame::binary(bytes) {
                Ok(frame) => self.request(frame).await,
                Err(error) => {
                    let refusal = Refusal::new(StatusCode::MalformedRequest, error.to_string());
                    let id = error.request_id();
                    self.refuse(FrameKind::Binary, Format::GraphBinary, id, &refusal).await
                }
            },
            Some(Ok(Message::Text(text))) => self.request(frame::text(text)).await,
            // The library answers pings and closes by itself, the next time it reads or writes.
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => self.flush().await,
            Some(Ok(Message::Close(_))) => {
                self.flush().await?;
                Err(End::Gone)
            }
            Some(Err(tungstenite::Error::Capacity(CapacityError::MessageTooLong { size, max_size }))) => {
                tracing::warn!(peer = %self.peer, size, max_size, "request larger than server.max_request_bytes");
                Err(End::Close(CloseCode::Size, "the message is larger than server.max_request_bytes"))
            }
            Some(Err(tungstenite::Error::Protocol(error))) => {
                tracing::debug!(peer = %self.peer, %error, "protocol error");
                Err(End::Close(CloseCode::Protocol, "not a valid WebSocket frame"))
            }
            Some(Err(tungstenite::Error::Utf8(_))) => {
                Err(End::Close(CloseCode::Invalid, "text is not UTF-8"))
            }
            Some(Err(_)) if self.guest.receipt.is_refused() => Err(End::Close(CloseCode::Again, NO_ROOM)),
            Some(Err(_)) | None => Err(End::Gone),
        }
    }

    /// Starts what a message asks for, or says why not. One of a stranger that is long waits as it came.
    async fn request(&mut self, frame: Frame) -> Result<(), End> {
        let asked = Instant::now().into_std();
        if !self.entry.defers(frame.payload.len(), &self.guest) {
            return self.read(frame, asked).await;
        }
        let Frame { kind, format, payload } = frame;
        let salvaged = aside(Work::Request(payload.len()), None, || reply::salvage_id(format, &payload));
        let Some(id) = salvaged else {
            let refusal = Refusal::new(StatusCode::MalformedRequest, NO_ID.into());
            return self.refuse(kind, format, None, &refusal).await;
        };
        let admitted = self.entry.defer(Unread { answer: (kind, format, id), asked, payload });
        self.go_on_with(admitted).await
    }

    /// Reads a message and starts what it asks for, or says why not.
    async fn read(&mut self, frame: Frame, asked: std::time::Instant) -> Result<(), End> {
        let Frame { kind, format, payload } = frame;
        let host = &self.guest.host;
        let room = host.room_to_read(payload.len(), asked, || format.memory_of(&payload)).await;
        let read = room.and_then(|weight| {
            let read = || format.decode_request(&payload);
            Ok((weight, self.guest.host.read(payload.len(), asked, read)?))
        });
        let (weight, message) = match read {
            Ok((weight, Ok(message))) => (weight, message),
            Err(error) => {
                let refusal = Refusal::new(StatusCode::of(&error, false), error.message);
                return self.refuse(kind, format, reply::salvage_id(format, &payload), &refusal).await;
            }
            Ok((_, Err(error))) => {
                let refusal = Refusal::new(
                    StatusCode::MalformedRequest,
                    format!("Message could not be parsed. Check the format of the request. [{error}]"),
                );
                return self.refuse(kind, format, reply::salvage_id(format, &payload), &refusal).await;
            }
        };
        let come = Come { answer: (kind, format, message.id), message, asked, payload, weight };
        let admitted = self.entry.come(come, &self.guest);
        self.go_on_with(admitted).await
    }

    /// Does what is to be done with a message.
    async fn go_on_with(&mut self, admitted: Admitted) -> Result<(), End> {
        match admitted {
            Admitted::Request(come) => self.dispatch(come).await,
            Admitted::Later => Ok(()),
            Admitted::Challenge((kind, format, id)) => {
                let response = reply::bare(format, Some(id), Status::new(StatusCode::Authenticate));
                self.send(frame::message(kind, format, response)).await
            }
            Admitted::Refused(answers, refusal) => self.refuse_all(answers, &refusal).await,
        }
    }

    /// Goes on when it is known what came of a login.
    async fn enter(&mut self, verdict: Verdict) -> Result<(), End> {
        match verdict {
            Verdict::Known { come, is_another } => {
                if is_another {
                    // What another user has begun is not for this one.
                    self.sessions.clear();
                }
                for waits in come {
                    match waits {
                        Waits::Read(come) if is_login(&come.message.op) => {
                            let (kind, format, id) = come.answer;
                            let response = reply::bare(format, Some(id), Status::new(StatusCode::NoContent));
                            self.send(frame::message(kind, format, response)).await?;
                        }
                        Waits::Read(come) => self.dispatch(come).await?,
                        Waits::Unread(Unread { answer: (kind, format, _), asked, payload }) => {
                            self.read(Frame { kind, format, payload }, asked).await?;
                        }
                    }
                }
                Ok(())
            }
            Verdict::Denied(answers, refusal) => self.refuse_all(answers, &refusal).await,
        }
    }

    async fn refuse_all(&mut self, answers: Vec<ReplyTo>, refusal: &Refusal) -> Result<(), End> {
        for (kind, format, id) in answers {
            self.refuse(kind, format, Some(id), refusal).await?;
        }
        Ok(())
    }

    /// Does what a request asks for, or says why not.
    async fn dispatch(&mut self, come: Come) -> Result<(), End> {
        let Come { answer, message, asked, payload, weight } = come;
        let memory = weight.bytes;
        let (kind, format, id) = answer;
        let action = Action::select(message, &self.guest).and_then(|action| match action {
            Action::Run(mut operation) => {
                operation.came(asked, weight);
                operation.came_in(format, &payload);
                let todo = Todo::Run { operation, manages: true };
                Ok((None, Waiting { answer, todo, permit: self.admit()?, memory }))
            }
            Action::InSession(InSession { session, mut todo }) => {
                if let Todo::Run { operation, .. } = &mut todo {
                    operation.came(asked, weight);
                    operation.came_in(format, &payload);
                }
                let waiting = Waiting { answer, todo, permit: self.admit()?, memory };
                self.begin_session(&session, &waiting.todo)?;
                Ok((Some(session), waiting))
            }
        });
        match action {
            Ok((session, waiting)) => {
                if !self.guest.presence.begin() {
                    return Err(End::GaveWay);
                }
                let ready = match &session {
                    Some(session) => self.sessions.come(session, waiting),
                    None => Ok(Some(waiting)),
                };
                match ready {
                    Ok(Some(ready)) => self.begin(session, ready).await,
                    Ok(None) => Ok(()),
                    Err(refusal) => self.refuse(kind, format, Some(id), &refusal).await,
                }
            }
            Err(refusal) => self.refuse(kind, format, Some(id), &refusal).await,
        }
    }

    /// Begins a session if a request is the first one of it.
    fn begin_session(&mut self, session: &Str, todo: &Todo) -> Result<(), Refusal> {
        if matches!(todo, Todo::Close) || self.sessions.has(session) {
            return Ok(());
        }
        let guest = &self.guest;
        self.sessions.begin(session.clone(), || guest.host.sessions.take(guest.client().address))
    }

    /// The request of a session is over: begins the next one, if one waits.
    async fn go_on(&mut self, session: &Str) -> Result<(), End> {
        // One that closes the session is over at once.
        while let Some(waiting) = self.sessions.next(session) {
            let closes = matches!(waiting.todo, Todo::Close);
            self.carry_out(Some(session.clone()), waiting).await?;
            if !closes {
                break;
            }
        }
        Ok(())
    }

    /// Does what a request asks for whose turn has come.
    async fn begin(&mut self, session: Option<Str>, waiting: Waiting<ReplyTo>) -> Result<(), End> {
        let closed = session.clone().filter(|_| matches!(waiting.todo, Todo::Close));
        self.carry_out(session, waiting).await?;
        match closed {
            Some(session) => self.go_on(&session).await,
            None => Ok(()),
        }
    }

    async fn carry_out(&mut self, session: Option<Str>, waiting: Waiting<ReplyTo>) -> Result<(), End> {
        let Waiting { answer: (kind, format, id), todo, permit, .. } = waiting;
        match (todo, session) {
            (Todo::Run { operation, manages }, session) => {
                self.start((kind, format, id), session, *operation, manages, permit);
                Ok(())
            }
            (Todo::Close, session) => {
                session.iter().for_each(|session| self.sessions.close(session));
                let response = reply::bare(format, Some(id), Status::new(StatusCode::NoContent));
                self.send(frame::message(kind, format, response)).await
            }
        }
    }

    /// A place for one more request, if the bounds leave one.
    fn admit(&self) -> Result<Place, Refusal> {
        if self.draining {
            return Err(Refusal::new(StatusCode::ServerError, "the server is shutting down".into()));
        }
        let bound = self.guest.host.options.max_requests_per_connection;
        if self.requests.len() + self.sessions.waiting() >= bound {
            return Err(Refusal::too_many(format!(
                "this connection has {bound} requests in flight, as many as server.max_requests_per_connection \
                 allows; wait for one to finish or open another connection"
            )));
        }
        self.guest.host.admit(&self.guest)
    }

    fn start(
        &mut self,
        (kind, format, id): ReplyTo,
        session: Option<Str>,
        operation: Operation,
        manages: bool,
        permit: Place,
    ) {
        let key = self.next_key;
        self.next_key += 1;
        let sink = self.mailbox.open(key);
        let asking = operation.asking(id.to_string().into(), &self.guest);
        let Operation { form, batch_size, properties, database, query, source, .. } = operation;
        let begun = match &session {
            None => Ok(None),
            Some(session) => self.sessions.of_graph(session, self.guest.client(), &source, &database),
        };
        let running: Box<dyn Running> = match begun {
            Ok(begun) => {
                let start = move |query: Query, sink: Arc<dyn ResultSink>| -> Box<dyn Running> {
                    match &begun {
                        None => database.submit(query, sink),
                        Some(session) => session.submit(query, manages, sink),
                    }
                };
                submit(&self.guest.host.queries, asking, query, sink, start)
            }
            Err(error) => {
                sink.finish(Err(error));
                Box::new(NeverBegun)
            }
        };
        let request = InFlight {
            id,
            session,
            kind,
            format,
            form,
            batch_size,
            paging: Paging::new(self.mailbox.clone(), key, form),
            running,
            _permit: permit,
            properties,
            started: false,
            due: None,
        };
        self.requests.insert(key, request);
    }

    async fn refuse(
        &mut self,
        kind: FrameKind,
        format: Format,
        id: Option<Uuid>,
        refusal: &Refusal,
    ) -> Result<(), End> {
        tracing::debug!(peer = %self.peer, code = refusal.code.code(), message = %refusal.message, "refused");
        let status = Status::failure(refusal.code, &refusal.message, "mangrove.RequestError");
        let response = reply::bare(format, id, status);
        self.send(frame::message(kind, format, response)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        self.feed(message).await?;
        self.flush().await
    }

    async fn feed(&mut self, message: Message) -> Result<(), End> {
        self.active = Instant::now();
        let limit = self.guest.host.options.write_timeout;
        bounded(limit, self.socket.feed(message)).await
    }

    /// The same of an answer; a large one has left when it returns.
    async fn feed_answer(&mut self, answer: Message) -> Result<(), End> {
        if !frame::is_large(&answer) {
            return self.feed(answer).await;
        }
        self.active = Instant::now();
        let limit = self.guest.host.options.write_timeout;
        bounded(limit, frame::send_large(&mut self.socket, answer)).await
    }

    async fn flush(&mut self) -> Result<(), End> {
        let limit = self.guest.host.options.write_timeout;
        bounded(limit, self.socket.flush()).await
    }

    async fn close(&mut self, code: CloseCode, reason: &'static str) {
        // The answers are void: nobody will read them. Queries stop, and transactions are rolled back, before the farewell, which
        // may take a while.
        self.requests.clear();
        self.sessions.clear();
        let frame = CloseFrame { code, reason: reason.into() };
        let farewell = async {
            self.socket.close(Some(frame)).await?;
            // Let the client answer, so that the operating system does not discard what it has not read yet.
            while let Some(Ok(_)) = self.socket.next().await {}
            Ok::<_, tungstenite::Error>(())
        };
        let _ = timeout(Duration::from_secs(1), farewell).await;
    }
}

/// A request that was refused before it began.
struct NeverBegun;

impl Running for NeverBegun {
    fn resume(&self) {}
    fn cancel(&self) {}
}

/// A write that the client must accept within `limit`.
async fn bounded(
    limit: Duration,
    write: impl Future<Output = Result<(), tungstenite::Error>>,
) -> Result<(), End> {
    match timeout(limit, write).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(End::Gone),
        Err(_) => {
            tracing::warn!(seconds = limit.as_secs(), "a client accepts no data; disconnecting it");
            Err(End::Gone)
        }
    }
}

async fn sleep_until_or_never(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => pending().await,
    }
}
