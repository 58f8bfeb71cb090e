//! The studio over HTTP: its files, and logging in on it.
//!
//! | path | what |
//! |---|---|
//! | `GET /` | the page |
//! | `GET /studio/…` | what belongs to it, by names that have what is in the file |
//! | `GET /studio/session` | who is logged in, and what he may see |
//! | `POST /studio/login`, `/studio/logout` | gives and takes the cookie |
//!
//! The cookie is for the page alone. No script can read it (`HttpOnly`), no request that begins elsewhere carries it
//! (`SameSite=Strict`), and it counts only in requests that a page from elsewhere cannot make, even one that is allowed to ask or
//! is on another port of the same host: they have a header which needs a preflight, and no preflight allows that header.
//!
//! A browser has one cookie for all its tabs, so the header says which user the page shows: what one tab asks is never done as
//! whoever has logged in in another.

use std::{sync::Arc, time::Duration};

use access::{Credentials, Identity, Role};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::Incoming,
    header::{
        ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, COOKIE, HeaderName,
        HeaderValue, ORIGIN, SET_COOKIE, VARY,
    },
};
use serde_json::{Value as Json, json};

use super::{Reply, answer, body, login, media, question, upgrade};
use crate::{
    connections::Guest,
    door::Door,
    studio::{self, File, INDEX, LIFETIME},
};

/// How the name of the cookie begins. The port stands behind it: cookies are those of a host, whatever its ports serve, and one
/// that a page by TLS has set cannot even be replaced by one without.
const COOKIE_NAME: &str = "mangrove-studio-";

/// What the page's requests have and those of no other page can: the user that it shows, percent-encoded, or nothing.
const OF_THE_PAGE: &str = "x-mangrove-studio";

/// The ports of requests that say none.
const PORT: u16 = 80;
const PORT_OF_TLS: u16 = 443;

/// What the page is told when it is of another user than who is logged in.
const OTHER_USER: &str = "mangrove.OtherUserError";

/// Where the page asks who is logged in.
const SESSION: &str = "/studio/session";

/// Where a request was made, in a browser's words.
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// What the page may load, run and ask: files of its own origin, and nothing that is written into it. Pictures are drawn on a
/// canvas, and files to keep are made in the page, which no directive is about.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types mangrove";

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

/// Whether a request is one of the page's own. See the head of this file.
pub(super) fn is_of_the_page<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    headers.contains_key(OF_THE_PAGE) && sites.all(|site| site == "same-origin")
}

/// Whom the cookie of a request stands for, if it is one of the page's own; a reply to a page that shows another user.
pub(super) fn whom<B>(request: &Request<B>, guest: &Guest) -> Result<Option<Identity>, Box<Reply>> {
    let mut found: Vec<_> = logged_in(request, guest).into_iter().map(|(_, identity)| identity).collect();
    let shown = found.iter().position(|identity| shows(request.headers(), identity));
    match (shown.map(|at| found.swap_remove(at)), found.pop()) {
        (Some(identity), _) => Ok(Some(identity)),
        // The last one has the shortest path: it is this page's own, if another page has set one as well.
        (None, Some(identity)) if asks_who_it_is(request) => Ok(Some(identity)),
        (None, Some(_)) => Err(another()),
        (None, None) => Ok(None),
    }
}

/// Whom the cookies of one of the page's own requests stand for, with their secrets. Any page of the same host may have set further
/// ones of that name, so that all are looked at.
fn logged_in<'r, B>(request: &'r Request<B>, guest: &Guest) -> Vec<(&'r str, Identity)> {
    // The page opens no WebSocket, and a browser cannot send its header with one.
    let is_own = is_of_the_page(request) && !upgrade::is_handshake(request);
    if !is_own || guest.host.door.admit(request, false).is_err() {
        return Vec::new();
    }
    // He may have been removed, or have another password.
    let is_good = |identity: &Identity| guest.host.gate.rights(identity, "").is_some();
    let known = |secret| guest.host.logins.find(secret).filter(is_good).map(|identity| (secret, identity));
    secrets(request).filter_map(known).collect()
}

/// Whether a page does not know yet whom it will show.
fn asks_who_it_is<B>(request: &Request<B>) -> bool {
    request.uri().path() == SESSION
}

fn shows(headers: &HeaderMap, identity: &Identity) -> bool {
    let shown = headers.get(OF_THE_PAGE).and_then(|value| value.to_str().ok());
    shown.and_then(|name| question::percent_decoded(name).ok()).as_deref() == Some(&**identity.user())
}

/// For a page that shows one user where another is logged in by now.
fn another() -> Box<Reply> {
    let message =
        "another user has logged in in this browser, and this page is of the one before: log in again";
    Box::new(answer::error(StatusCode::UNAUTHORIZED, None, message, Some(OTHER_USER)))
}

/// What the cookies of that name have in a request, in the order in which they came.
fn secrets<B>(request: &Request<B>) -> impl Iterator<Item = &str> {
    let port = Door::port_of(request);
    let cookies = request.headers().get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(name, _)| is_named(name, port)).map(|(_, value)| value)
}

/// Whether a cookie is that of a port. Where a request says none, a proxy may have taken it by TLS or not.
fn is_named(name: &str, port: Option<u16>) -> bool {
    let of = name.strip_prefix(COOKIE_NAME).and_then(|port| port.parse().ok());
    of.is_some_and(|of: u16| port.map_or(of == PORT || of == PORT_OF_TLS, |port| port == of))
}

/// Who may ask here at all; a reply to those who may not.
fn admit<B>(request: &Request<B>, guest: &Guest) -> Result<(), Box<Reply>> {
    let refuse = |status, message: &str| Box::new(answer::error(status, None, message, None));
    let admitted = guest.host.door.admit(request, false);
    admitted.map_err(|refused| refuse(refused.status(), &refused.to_string()))?;
    if is_of_the_page(request) {
        return Ok(());
    }
    let message = format!("this is for the studio alone, whose requests have the header {OF_THE_PAGE}");
    Err(refuse(StatusCode::FORBIDDEN, &message))
}

async fn session(request: &Request<Incoming>, guest: &Arc<Guest>) -> Reply {
    if let Err(reply) = admit(request, guest) {
        return *reply;
    }
    if !guest.presence.begin() {
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
    let cookie = CookieName::of(&request, guest);
    let bytes = match answer::read_body(request.into_body(), &guest.host).await {
        Ok(bytes) => bytes,
        Err(reply) => return *reply,
    };
    if !guest.presence.begin() {
        return answer::gave_way();
    }
    let Some(credentials) = credentials(&bytes) else {
        let message = "expected JSON with the texts `user` and `password`";
        return answer::error(StatusCode::BAD_REQUEST, None, message, None);
    };
    match login::prove(credentials, guest).await {
        Ok(identity) => {
            let secret = guest.host.logins.open(identity);
            cookie.with(&secret, LIFETIME)
        }
        Err(reply) => *reply,
    }
}

/// Whether a proxy before this server has taken the page's request by TLS: its browser says so.
fn came_by_https(headers: &HeaderMap) -> bool {
    headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

/// A name and a password, or a token in its place.
fn credentials(bytes: &[u8]) -> Option<Credentials> {
    let fields: Json = serde_json::from_slice(bytes).ok()?;
    let text = |name: &str| fields.get(name).and_then(Json::as_str).map(str::to_owned);
    let (user, password) = (text("user")?, text("password")?);
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
    if let Err(reply) = whom(request, guest) {
        return *reply;
    }
    for (secret, identity) in logged_in(request, guest) {
        if shows(request.headers(), &identity) {
            guest.host.logins.close(secret);
        }
    }
    CookieName::of(request, guest).with("", Duration::ZERO)
}

/// The cookie that a request may get.
struct CookieName {
    port: u16,
    is_secure: bool,
}

impl CookieName {
    fn of<B>(request: &Request<B>, guest: &Guest) -> Self {
        let is_secure = guest.host.door.is_secure() || came_by_https(request.headers());
        let port = Door::port_of(request).unwrap_or(if is_secure { PORT_OF_TLS } else { PORT });
        Self { port, is_secure }
    }

    /// A reply that sets it, for so long.
    fn with(&self, secret: &str, lifetime: Duration) -> Reply {
        let Self { port, is_secure } = self;
        let secure = if *is_secure { "; Secure" } else { "" };
        let seconds = lifetime.as_secs();
        let cookie = format!(
            "{COOKIE_NAME}{port}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
        );
        let mut reply = told(&json!({ "status": "ok" }));
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            reply.headers_mut().insert(SET_COOKIE, cookie);
        }
        reply
    }
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
    fn a_request_is_the_pages_own_by_a_header_that_no_other_page_can_set() {
        let own = |headers: &[(&str, &str)]| is_of_the_page(&request(Method::GET, "/metrics", headers));
        assert!(own(&[(OF_THE_PAGE, "1"), (SEC_FETCH_SITE, "same-origin")]));
        assert!(own(&[(OF_THE_PAGE, "1")]), "browsers say less to a server without TLS");
        for site in ["same-site", "cross-site", "none"] {
            assert!(!own(&[(OF_THE_PAGE, "1"), (SEC_FETCH_SITE, site)]), "{site}");
        }
        assert!(!own(&[(SEC_FETCH_SITE, "same-origin")]));
    }

    #[test]
    fn all_secrets_for_the_port_are_found_among_other_cookies() {
        let found = |host: &str, cookie: &str| {
            let request = request(Method::GET, "/", &[("host", host), ("cookie", cookie)]);
            secrets(&request).map(str::to_owned).collect::<Vec<_>>()
        };
        let cookies =
            "mangrove-studio-7=zz; a=b; mangrove-studio-7=12; mangrove-studio-8=13; mangrove-studio=14";
        assert_eq!(found("db:7", cookies), ["zz", "12"]);
        assert_eq!(found("[::1]:8", cookies), ["13"]);
        assert_eq!(found("db", cookies), [""; 0]);
        assert_eq!(found("db", "mangrove-studio-80=1; mangrove-studio-443=2"), ["1", "2"]);
    }

    #[test]
    fn who_has_no_name_shows_a_token() {
        let read = |json: &str| credentials(json.as_bytes()).map(|one| one.user().map(str::to_owned));
        assert_eq!(read(r#"{"user": "ada", "password": "x"}"#), Some(Some("ada".into())));
        assert_eq!(read(r#"{"user": "", "password": "mgv_1"}"#), Some(None));
        assert_eq!(read(r#"{"user": "ada"}"#), None);
        assert_eq!(read("user=ada"), None);
    }
}
