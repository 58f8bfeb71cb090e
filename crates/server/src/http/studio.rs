//! The studio over HTTP: its files, and logging in on it.
//!
//! | path | what |
//! |---|---|
//! | `GET /` | the page |
//! | `GET /studio/…` | what belongs to it, by names that have what is in the file |
//! | `GET /studio/session` | who is logged in, and what he may see |
//! | `POST /studio/login`, `/studio/logout` | gives and takes [the cookie](super::cookie) |

use std::{sync::Arc, time::Duration};

use access::{Credentials, Role};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::Incoming,
    header::{
        ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue,
        SET_COOKIE, VARY,
    },
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    Reply, answer, body,
    cookie::{self, Cookie, OF_THE_PAGE, SESSION},
    login, media, question,
};
use crate::{
    connections::Guest,
    studio::{self, File, INDEX, LIFETIME},
};

/// What the page may load, run and ask: files of its own origin, and nothing that is written into it. Pictures are drawn on a
/// canvas, and files to keep are made in the page, which no directive is about.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types mangrove";

/// Most bytes of a login: nobody has a name and a password that together have more, written as JSON.
const LONGEST_LOGIN: usize = 16 << 10;

/// What is served at `/` where the page is missing.
const MISSING: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Mangrove</title>\
     <h1>Mangrove</h1><p>The server runs, and is reached at <code>/gremlin</code>.</p>\
     <p>This binary was built without the studio, the page that would be here: it needs Node 20 or newer when it is built. \
     <code>make build</code> builds both; <code>make studio</code> and then <code>cargo build --release</code> do so one after \
     the other. <code>server.studio = false</code> turns this page off.</p></html>";

/// Whether a request is for the studio and not for anything else that is at its path.
pub(super) fn is_for<B>(request: &Request<B>) -> bool {
    let path = request.uri().path();
    let is_page = path == INDEX && matches!(*request.method(), Method::GET | Method::HEAD);
    // `GET /?gremlin=…` is a query, as it always was.
    is_page && !asks_something(request.uri().query().unwrap_or_default()) || path.starts_with("/studio/")
}

/// Whether a query string is a request, or cannot be read, which its answer will say. Anything else may have come with a link.
fn asks_something(query: &str) -> bool {
    question::parameters(query).map_or(true, |all| all.iter().any(|(name, _)| name == "gremlin"))
}

/// Answers at one of these paths.
pub(super) async fn respond(request: Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    match (request.method(), request.uri().path()) {
        (&Method::GET, SESSION) => session(&request, guest).await,
        (&Method::POST, "/studio/login") => log_in(request, guest).await,
        (&Method::POST, "/studio/logout") => log_out(&request, guest),
        (_, SESSION) => only("GET"),
        (_, "/studio/login" | "/studio/logout") => only("POST"),
        (&Method::GET | &Method::HEAD, path) => file(path, request.headers()),
        _ => only("GET, HEAD"),
    }
}

fn only(methods: &'static str) -> Reply {
    let mut reply = answer::error(StatusCode::METHOD_NOT_ALLOWED, None, &format!("use {methods}"), None);
    reply.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    reply
}

/// A file of the page.
fn file(path: &str, headers: &HeaderMap) -> Reply {
    match studio::find(path) {
        Some(file) => of_file(file, headers),
        None if path == INDEX && !studio::is_built() => {
            let mut reply = Reply::new(body::whole(MISSING));
            guard(&mut reply, "text/html; charset=utf-8", "no-cache");
            reply
        }
        None => {
            answer::error(StatusCode::NOT_FOUND, None, &format!("the studio has nothing at {path}"), None)
        }
    }
}

fn of_file(file: &'static File, headers: &HeaderMap) -> Reply {
    let (bytes, encoding) = file.bytes(|name| media::takes(headers, name));
    let mut reply = Reply::new(body::whole(bytes));
    // A file with another content has another name, but for the page itself.
    let kept = if file.path == INDEX { "no-cache" } else { "public, max-age=31536000, immutable" };
    guard(&mut reply, file.mime(), kept);
    let headers = reply.headers_mut();
    headers.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    reply
}

/// Says what a browser may do with a file.
fn guard(reply: &mut Reply, mime: &'static str, kept: &'static str) {
    let headers = reply.headers_mut();
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(mime));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(kept));
}

/// Who may ask here at all; a reply to those who may not.
fn admit<B>(request: &Request<B>, guest: &Guest) -> Result<(), Box<Reply>> {
    let refuse = |status, message: &str| Box::new(answer::error(status, None, message, None));
    let admitted = guest.host.door.admit(request, false);
    admitted.map_err(|refused| refuse(refused.status(), &refused.to_string()))?;
    if cookie::is_of_the_page(request) {
        return Ok(());
    }
    let message = format!("this is for the studio alone, whose requests have the header {OF_THE_PAGE}");
    Err(refuse(StatusCode::FORBIDDEN, &message))
}

async fn session(request: &Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    if let Err(reply) = admit(request, guest) {
        return *reply;
    }
    if !guest.presence.begin_alone() {
        return answer::gave_way();
    }
    // That nobody is logged in is an answer here, and no failure.
    let is_stranger = login::of(request, guest).await.is_err();
    let is_admin = guest.rights("").is_some_and(|rights| rights.allow_everywhere(Role::Admin));
    let sources = if is_stranger { Vec::new() } else { guest.host.sources_for(guest) };
    told(&json!({
        "stranger": is_stranger,
        "user": guest.client().user.as_deref(),
        "admin": is_admin,
        "sources": sources,
        "version": concat!("mangrove ", env!("CARGO_PKG_VERSION")),
    }))
}

fn told(body: &Json) -> Reply {
    let mut reply = answer::json(StatusCode::OK, body.to_string());
    reply.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

async fn log_in(request: Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    if let Err(reply) = admit(&request, guest) {
        return *reply;
    }
    let cookie = Cookie::of(&request, guest);
    let bytes = match answer::read_small(request.into_body(), LONGEST_LOGIN, &guest.host).await {
        Ok(bytes) => bytes,
        Err(reply) => return *reply,
    };
    if !guest.presence.begin_alone() {
        return answer::gave_way();
    }
    let Some(credentials) = credentials(&bytes) else {
        let message = "expected JSON with the texts `user` and `password`";
        return answer::error(StatusCode::BAD_REQUEST, None, message, None);
    };
    match login::prove(credentials, guest).await {
        Ok(identity) => {
            let secret = guest.host.logins.open(identity);
            done(cookie.set_to(&secret, LIFETIME))
        }
        Err(reply) => *reply,
    }
}

/// What a login says. Nothing else that it may have is kept, since a stranger sends it.
#[derive(Deserialize)]
struct Login {
    user: String,
    password: String,
}

/// A name and a password, or a token in its place.
fn credentials(bytes: &[u8]) -> Option<Credentials> {
    let Login { user, password } = serde_json::from_slice(bytes).ok()?;
    Some(match user.as_str() {
        "" => Credentials::Token(password),
        _ => Credentials::Password { user, password },
    })
}

fn log_out(request: &Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    if let Err(reply) = admit(request, guest) {
        return *reply;
    }
    // A page that was left open must not log out who came after.
    if let Err(reply) = cookie::whom(request, guest) {
        return *reply;
    }
    cookie::close(request, guest);
    done(Cookie::of(request, guest).set_to("", Duration::ZERO))
}

/// Says that something is done, and sets the cookie.
fn done(cookie: Option<HeaderValue>) -> Reply {
    let mut reply = told(&json!({ "status": "ok" }));
    if let Some(cookie) = cookie {
        reply.headers_mut().insert(SET_COOKIE, cookie);
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: Method, target: &str, headers: &[(&str, &str)]) -> Request<()> {
        let request = Request::builder().method(method).uri(target);
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).body(()).unwrap()
    }

    #[test]
    fn queries_at_the_root_are_queries_still() {
        assert!(is_for(&request(Method::GET, "/", &[])) && is_for(&request(Method::HEAD, "/", &[])));
        assert!(is_for(&request(Method::GET, "/studio/a.js", &[])));
        assert!(is_for(&request(Method::GET, "/?utm=1", &[])));
        for query in ["gremlin=g.V()", "x=1&%67remlin=g.V()", "gremlin=", "gremlin=%4"] {
            assert!(!is_for(&request(Method::GET, &format!("/?{query}"), &[])), "{query}");
        }
        assert!(!is_for(&request(Method::POST, "/", &[])));
    }

    #[test]
    fn who_has_no_name_shows_a_token() {
        let read = |json: &str| credentials(json.as_bytes()).map(|one| one.user().map(str::to_owned));
        assert_eq!(read(r#"{"user": "ada", "password": "x"}"#), Some(Some("ada".into())));
        assert_eq!(read(r#"{"user": "", "password": "mgv_1"}"#), Some(None));
        assert_eq!(read(r#"{"user": "ada"}"#), None);
        assert_eq!(read("user=ada"), None);
        let more = r#"{"user": "ada", "remember": [{"": 0}], "password": "x"}"#;
        assert_eq!(read(more), Some(Some("ada".into())));
    }
}
