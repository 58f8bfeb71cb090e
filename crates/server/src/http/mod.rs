//! HTTP: the handshake of WebSockets, `/gremlin` for single requests, `/health`, `/metrics`.

mod answer;
mod collector;
mod media;
mod question;
mod upgrade;

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use http_body_util::Full;
use hyper::{
    Method, Request, Response, StatusCode, body::Bytes, body::Incoming, server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpStream, sync::watch};

use crate::{host::Host, metrics};

type Reply = Response<Full<Bytes>>;

/// Speaks HTTP with one client until it goes away, the server stops, or the connection becomes a WebSocket.
pub(crate) async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    host: Arc<Host>,
    mut stopping: watch::Receiver<bool>,
) {
    let read_timeout = host.options.read_timeout;
    let upgraded = upgrade::Slot::default();
    let service = service_fn(|request| {
        let (host, upgraded) = (host.clone(), upgraded.clone());
        async move { Ok::<_, Infallible>(route(request, peer, &host, &upgraded).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(read_timeout)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::pin!(connection);
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = stopped(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%peer, %error, "HTTP connection ended");
    }
    if let Some(handshake) = upgraded.take() {
        upgrade::serve(handshake, peer, host, stopping).await;
    }
}

/// Resolves when the server is to stop.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the server is gone altogether.
    let _ = stopping.wait_for(|stop| *stop).await;
}

async fn route(
    mut request: Request<Incoming>,
    peer: SocketAddr,
    host: &Arc<Host>,
    upgraded: &upgrade::Slot,
) -> Reply {
    let wants_websocket = upgrade::is_handshake(&request);
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/gremlin") if wants_websocket => upgrade::accept(&mut request, upgraded),
        (&Method::GET | &Method::POST, "/gremlin" | "/") => answer::gremlin(request, peer, host).await,
        (_, "/gremlin") => {
            let mut reply = answer::error(StatusCode::METHOD_NOT_ALLOWED, None, "use GET or POST", None);
            reply
                .headers_mut()
                .insert(hyper::header::ALLOW, hyper::header::HeaderValue::from_static("GET, POST"));
            reply
        }
        (&Method::GET, "/health") => health(host),
        (&Method::GET, "/metrics") => measured(host).await,
        (_, path) => {
            let message = format!("nothing at {path}; the endpoints are /gremlin, /health and /metrics");
            answer::error(StatusCode::NOT_FOUND, None, &message, None)
        }
    }
}

/// What there is to measure. Graphs may take a while to answer, so they are asked on a thread that may wait.
async fn measured(host: &Arc<Host>) -> Reply {
    let host = Arc::clone(host);
    match tokio::task::spawn_blocking(move || metrics::page(&host)).await {
        Ok(Ok(page)) => answer::metrics(page),
        failed => {
            tracing::error!(?failed, "the metrics could not be gathered");
            let message = "the metrics could not be gathered; the server's log says why";
            answer::error(StatusCode::INTERNAL_SERVER_ERROR, None, message, None)
        }
    }
}

/// Says that the server is up, what it hosts, and how busy it is.
fn health(host: &Host) -> Reply {
    let body = serde_json::json!({
        "status": "ok",
        "sources": host.graphs.sources().collect::<Vec<_>>(),
        "connections": host.connections.taken(),
        "requests": host.requests.taken(),
    });
    answer::json(StatusCode::OK, body.to_string())
}
