//! HTTP: the handshake of WebSockets, `/gremlin` for single requests, `/health`, `/metrics`, and the studio at `/`.
//!
//! It must never know how a query runs, nor what a WebSocket says once it is one.

mod answer;
mod body;
mod collector;
mod cookie;
mod four;
mod login;
mod media;
mod neptune;
mod question;
mod socket;
mod studio;
mod upgrade;

use std::{convert::Infallible, sync::Arc};

use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{ALLOW, CONNECTION, HeaderValue, USER_AGENT, WWW_AUTHENTICATE},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
};

use crate::{connections::Guest, door, metrics, stopping::stopped};
use body::Body;
use socket::Socket;

type Reply = Response<Body>;

/// Bytes that are read ahead of a connection, and so the most that the head of a request may have.
const READ_AHEAD: usize = 64 * 1024;

/// Speaks HTTP with one client until it goes away or has to, the server stops, or the connection becomes a WebSocket.
pub(crate) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    guest: Arc<Guest>,
    stopping: watch::Receiver<bool>,
) {
    let options = &guest.host.options;
    let socket = Socket::new(stream, &guest, options.write_timeout);
    let upgraded = upgrade::Slot::default();
    let service = service_fn(|request| {
        let (guest, upgraded, stopping) = (guest.clone(), upgraded.clone(), stopping.clone());
        async move { Ok::<_, Infallible>(answer(request, &guest, &upgraded, &stopping).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(options.read_timeout)
        .max_buf_size(READ_AHEAD)
        .serve_connection(TokioIo::new(socket), service)
        .with_upgrades();
    tokio::pin!(connection);
    let mut told = stopping.clone();
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = guest.presence.dismissed() => {
            tracing::debug!(peer = %guest.peer, "an idle HTTP connection gave way to another");
            return;
        }
        () = stopped(&mut told) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(peer = %guest.peer, %error, "HTTP connection ended");
    }
    if let Some(handshake) = upgraded.take() {
        upgrade::serve(handshake, guest, stopping).await;
    }
}

async fn answer(
    request: Request<Incoming>,
    guest: &Arc<Guest>,
    upgraded: &upgrade::Slot,
    stopping: &watch::Receiver<bool>,
) -> Reply {
    let is_of_the_studio = cookie::is_of_the_page(&request);
    let mut reply = route(request, guest, upgraded, stopping).await;
    if is_of_the_studio {
        // It has a form of its own, and a browser that is challenged would put another one in front of it.
        reply.headers_mut().remove(WWW_AUTHENTICATE);
    }
    if guest.is_waiting() {
        // It has no place among the connections, so it does not stay.
        reply.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    // One that comes in chunks says itself when it is complete.
    if body::is_whole(&reply) {
        guest.presence.answered();
    }
    guest.receipt.complete();
    reply
}

async fn route(
    request: Request<Incoming>,
    guest: &Arc<Guest>,
    upgraded: &upgrade::Slot,
    stopping: &watch::Receiver<bool>,
) -> Reply {
    guest.come(request.headers());
    if guest.host.options.studio && studio::is_for(&request) {
        return studio::respond(request, guest).await;
    }
    match (request.method(), request.uri().path()) {
        (_, path) if matches!(path, "/gremlin" | "/") || neptune::is_path(path) => {
            let mut reply = enter(request, guest, upgraded).await;
            door::vary(&mut reply);
            reply
        }
        (&Method::GET, "/health") if !guest.presence.begin_alone() => answer::gave_way(),
        (&Method::GET, "/health") => health(&request, guest).await,
        (&Method::GET, "/ready") => ready(stopping),
        // The studio asks for it with its cookie, which `login` looks at.
        (&Method::GET, "/metrics") => match login::of(&request, guest).await {
            Ok(()) => measured(guest).await,
            Err(reply) => *reply,
        },
        (_, path) => {
            let message = format!(
                "nothing at {path}; the endpoints are /gremlin, /gremlin/status, /gremlin/explain, /gremlin/profile, /pg/statistics/summary, /status, /health, /ready and \
                 /metrics"
            );
            answer::error(StatusCode::NOT_FOUND, None, &message, None)
        }
    }
}

/// Answers at the query endpoints, if the request may come in.
async fn enter(request: Request<Incoming>, guest: &Arc<Guest>, upgraded: &upgrade::Slot) -> Reply {
    match guest.host.door.admit(&request, upgrade::is_handshake(&request)) {
        Ok(admitted) => {
            let mut reply = match *request.method() {
                Method::OPTIONS => admitted.options::<Bytes>().map(body::whole),
                _ => match login::of(&request, guest).await {
                    Ok(()) => query(request, guest, upgraded).await,
                    // It may say who it is once it is a WebSocket.
                    Err(_) if upgrade::is_handshake(&request) && !login::is_tried(&request) => {
                        query(request, guest, upgraded).await
                    }
                    Err(reply) => *reply,
                },
            };
            admitted.open(&mut reply);
            reply
        }
        Err(refused) => {
            tracing::debug!(peer = %guest.peer, %refused, "refused");
            answer::error(refused.status(), None, &refused.to_string(), None)
        }
    }
}

async fn query(mut request: Request<Incoming>, guest: &Arc<Guest>, upgraded: &upgrade::Slot) -> Reply {
    if !matches!(*request.method(), Method::GET | Method::POST) {
        let mut reply = answer::error(StatusCode::METHOD_NOT_ALLOWED, None, "use GET or POST", None);
        reply.headers_mut().insert(ALLOW, door::METHODS);
        return reply;
    }
    if let Err(full) = guest.take_place() {
        tracing::warn!(peer = %guest.peer, %full, "refused");
        return answer::error(StatusCode::SERVICE_UNAVAILABLE, None, &full.to_string(), None);
    }
    if neptune::is_path(request.uri().path()) {
        return neptune::respond(request, guest).await;
    }
    if upgrade::is_handshake(&request) {
        let driver = request.headers().get(USER_AGENT).and_then(|named| named.to_str().ok());
        guest.note_driver(driver.unwrap_or_default());
        guest.is_on_its_own();
        return upgrade::accept(&mut request, upgraded);
    }
    answer::gremlin(request, guest).await
}

/// Says whether new requests should be sent here: not when it is about to stop.
fn ready(stopping: &watch::Receiver<bool>) -> Reply {
    let (status, ready) = match *stopping.borrow() {
        false => (StatusCode::OK, "ready"),
        true => (StatusCode::SERVICE_UNAVAILABLE, "stopping"),
    };
    answer::json(status, serde_json::json!({ "status": ready }).to_string())
}

/// What there is to measure. Graphs may take a while to answer, so they are asked on a thread that may wait, for one
/// client after the other. Who waits for that may have to give way as if it was idle.
async fn measured(guest: &Arc<Guest>) -> Reply {
    let host = guest.host.clone();
    let turn = host.scrapes.clone().acquire_owned().await;
    if !guest.presence.begin_alone() {
        return answer::gave_way();
    }
    let guest = guest.clone();
    let gather = move || {
        // Held here, since the client may leave while the graphs are asked.
        let _turn = turn;
        metrics::page(&host, &guest)
    };
    match tokio::task::spawn_blocking(gather).await {
        Ok(Ok(page)) => answer::metrics(page),
        failed => {
            tracing::error!(?failed, "the metrics could not be gathered");
            let message = "the metrics could not be gathered; the server's log says why";
            answer::error(StatusCode::INTERNAL_SERVER_ERROR, None, message, None)
        }
    }
}

/// Says that the server is up, what it hosts, and how busy it is.
///
/// Whoever is nobody learns only that it is up.
async fn health(request: &Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    let host = &guest.host;
    if !login::is_tried(request) && !guest.is_known() {
        return answer::json(StatusCode::OK, serde_json::json!({ "status": "ok" }).to_string());
    }
    if let Err(reply) = login::of(request, guest).await {
        return *reply;
    }
    let body = serde_json::json!({
        "status": "ok",
        "sources": host.sources_for(guest),
        "connections": host.connections.taken(),
        "requests": host.requests.taken(),
    });
    answer::json(StatusCode::OK, body.to_string())
}
