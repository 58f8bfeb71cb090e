//! The studio's cookie: whom it stands for, and in which requests it counts.
//!
//! The cookie is for the page alone. No script can read it (`HttpOnly`), no request that begins elsewhere carries it
//! (`SameSite=Strict`), and it counts only in requests that a page from elsewhere cannot make, even one that is allowed to ask or
//! is on another port of the same host: they have a header which needs a preflight, and no preflight allows that header.
//!
//! A browser has one cookie for all its tabs, so the header says which user the page shows: what one tab asks is never done as
//! whoever has logged in in another.

use std::time::Duration;

use access::Identity;
use hyper::{
    HeaderMap, Request, StatusCode,
    header::{COOKIE, HeaderValue, ORIGIN},
};

use super::{Reply, answer, question, upgrade};
use crate::{connections::Guest, door::Door};

/// How the name of the cookie begins. The port stands behind it: cookies are those of a host, whatever its ports serve, and one
/// that a page by TLS has set cannot even be replaced by one without.
const NAME: &str = "mangrove-studio-";

/// What the page's requests have and those of no other page can: the user that it shows, percent-encoded, or nothing.
pub(super) const OF_THE_PAGE: &str = "x-mangrove-studio";

/// The ports of requests that say none.
const PORT: u16 = 80;
const PORT_OF_TLS: u16 = 443;

/// What the page is told when it is of another user than who is logged in.
const OTHER_USER: &str = "mangrove.OtherUserError";

/// Where the page asks who is logged in.
pub(super) const SESSION: &str = "/studio/session";

/// Where a request was made, in a browser's words.
const SEC_FETCH_SITE: &str = "sec-fetch-site";

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
    let is_own = is_of_the_page(request) && !upgrade::asks(request);
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
    let of = name.strip_prefix(NAME).and_then(|port| port.parse().ok());
    of.is_some_and(|of: u16| port.map_or(of == PORT || of == PORT_OF_TLS, |port| port == of))
}

/// Whether a proxy before this server has taken the page's request by TLS: its browser says so.
fn came_by_https(headers: &HeaderMap) -> bool {
    headers.get(ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

/// The cookie that a request may get.
pub(super) struct Cookie {
    port: u16,
    is_secure: bool,
}

impl Cookie {
    /// The one for the port that a request was sent to.
    pub(super) fn of<B>(request: &Request<B>, guest: &Guest) -> Self {
        let is_secure = guest.host.door.is_secure() || came_by_https(request.headers());
        let port = Door::port_of(request).unwrap_or(if is_secure { PORT_OF_TLS } else { PORT });
        Self { port, is_secure }
    }

    /// The header that sets it, for so long.
    pub(super) fn set_to(&self, secret: &str, lifetime: Duration) -> Option<HeaderValue> {
        let Self { port, is_secure } = self;
        let secure = if *is_secure { "; Secure" } else { "" };
        let seconds = lifetime.as_secs();
        let cookie =
            format!("{NAME}{port}={secret}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        HeaderValue::from_str(&cookie).ok()
    }
}

/// Ends the logins of a page that logs out.
pub(super) fn close<B>(request: &Request<B>, guest: &Guest) {
    for (secret, identity) in logged_in(request, guest) {
        if shows(request.headers(), &identity) {
            guest.host.logins.close(secret);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(target: &str, headers: &[(&str, &str)]) -> Request<()> {
        let request = Request::builder().uri(target);
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).body(()).unwrap()
    }

    #[test]
    fn a_request_is_the_pages_own_by_a_header_that_no_other_page_can_set() {
        let own = |headers: &[(&str, &str)]| is_of_the_page(&request("/metrics", headers));
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
            let request = request("/", &[("host", host), ("cookie", cookie)]);
            secrets(&request).map(str::to_owned).collect::<Vec<_>>()
        };
        let cookies =
            "mangrove-studio-7=zz; a=b; mangrove-studio-7=12; mangrove-studio-8=13; mangrove-studio=14";
        assert_eq!(found("db:7", cookies), ["zz", "12"]);
        assert_eq!(found("[::1]:8", cookies), ["13"]);
        assert_eq!(found("db", cookies), [""; 0]);
        assert_eq!(found("db", "mangrove-studio-80=1; mangrove-studio-443=2"), ["1", "2"]);
    }
}
