//! From HTTP to WebSocket (RFC 6455, section 4.2).

use std::sync::Arc;

use hyper::{
    HeaderMap, Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{
        CONNECTION, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION,
        UPGRADE,
    },
    upgrade::{OnUpgrade, Upgraded},
};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::{Reply, answer, body};
use crate::{connections::Guest, websocket::Connection};

/// Where the handler of a handshake leaves the promise of the raw connection for the connection's own task.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<Mutex<Option<OnUpgrade>>>);

impl Slot {
    pub(super) fn take(&self) -> Option<OnUpgrade> {
        self.0.lock().take()
    }
}

/// Whether a request asks to become a WebSocket, where one can: elsewhere it is answered as one that does not ask.
pub(super) fn is_handshake<B>(request: &Request<B>) -> bool {
    *request.method() == Method::GET && request.uri().path() == "/gremlin" && asks(request)
}

/// Whether a request says that it would become a WebSocket, wherever it asks.
pub(super) fn asks<B>(request: &Request<B>) -> bool {
    lists(request.headers(), UPGRADE, "websocket") && lists(request.headers(), CONNECTION, "upgrade")
}

/// Whether a header with a comma-separated list has `token` among its entries.
fn lists(headers: &HeaderMap, name: HeaderName, token: &str) -> bool {
    let mut entries = headers.get_all(name).iter().filter_map(|v| v.to_str().ok()).flat_map(|v| v.split(','));
    entries.any(|entry| entry.trim().eq_ignore_ascii_case(token))
}

/// Accepts or refuses a handshake.
pub(super) fn accept(request: &mut Request<Incoming>, slot: &Slot) -> Reply {
    if request.headers().get(SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
        let mut reply = answer::error(
            StatusCode::UPGRADE_REQUIRED,
            None,
            "this server speaks WebSocket version 13",
            None,
        );
        reply.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return reply;
    }
    let Some(key) = request.headers().get(SEC_WEBSOCKET_KEY) else {
        return answer::error(StatusCode::BAD_REQUEST, None, "the Sec-WebSocket-Key header is missing", None);
    };
    let accept = derive_accept_key(key.as_bytes());
    *slot.0.lock() = Some(hyper::upgrade::on(request));
    let mut reply = Response::new(body::whole(Bytes::new()));
    *reply.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = reply.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    if let Ok(accept) = HeaderValue::from_str(&accept) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    reply
}

/// Serves the WebSocket that a handshake led to.
pub(super) async fn serve(handshake: OnUpgrade, guest: Arc<Guest>, stopping: watch::Receiver<bool>) {
    match handshake.await {
        Ok(upgraded) => Connection::new(TokioIo::<Upgraded>::new(upgraded), guest).await.run(stopping).await,
        Err(error) => tracing::debug!(peer = %guest.peer, %error, "the client left during the handshake"),
    }
}
