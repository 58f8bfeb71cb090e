//! Who may ask the query endpoints: programs, and the pages that the owner allows; no page from elsewhere.
//!
//! ```text
//!              of this server?                   of this server, or allowed?
//! request ──▶ Host ──────────▶ Origin, Sec-Fetch-Site ──────────────────────▶ query
//!               │ no: 403                │ no: 403
//! ```
//!
//! A browser sends a page's requests to any host, and says in `Origin` or `Sec-Fetch-Site` where the page is from.
//! Programs send neither header, so nothing but `Host` is asked of them.
//!
//! `Host` guards against DNS rebinding: a name of the attacker's that first leads to his server and then to this one.
//! To the browser, page and server are then of one origin, and the name in `Host` is all that tells. An address cannot be
//! rebound, and neither can names that only this machine or its owner gives.
//!
//! It must never know what is asked: who asks is all that counts here.

mod authority;
mod cors;
mod host_name;
pub(crate) mod login;
mod network;
mod origin;

use hyper::{
    HeaderMap, Method, Request, StatusCode,
    header::{AUTHORIZATION, HeaderValue, ORIGIN},
};

use authority::Authority;
use cors::Admitted;

pub use host_name::{HostName, HostNameError};
pub use network::{Network, NetworkError};
pub use origin::{Origin, OriginError};

pub(crate) use cors::{METHODS, vary};
pub(crate) use network::origin_of_request;

/// Where the page that sends a request is from, in a browser's words (W3C, Fetch Metadata).
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// What the server knows about names and origins.
#[derive(Debug)]
pub(crate) struct Door {
    /// The names that it may be reached by, beside addresses.
    names: Vec<HostName>,
    /// Pages that may ask, beside its own.
    origins: Vec<Origin>,
    /// Whether it is reached by TLS.
    is_secure: bool,
}

/// Why a request does not come in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// There is not one host in it.
    #[error("{0}")]
    Malformed(String),
    /// It was sent to a host that is not this server.
    #[error(
        "[{0}] is no name of this server, and a page from elsewhere may have been led here by it; use an IP address, localhost \
         or the machine's own name, or add this one to server.allowed_hosts"
    )]
    Host(HostName),
    /// The page that sent it is from elsewhere.
    #[error(
        "pages of [{0}] may not ask this server; if they are to, add their origin to server.allowed_origins"
    )]
    Origin(String),
    /// The page that sent it is from elsewhere, and does not say from where.
    #[error(
        "a page from elsewhere sent this (Sec-Fetch-Site: {0}); pages of the origins in server.allowed_origins may ask \
         this server, in requests that carry an Origin header"
    )]
    Site(String),
}

impl Refused {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Host(_) | Self::Origin(_) | Self::Site(_) => StatusCode::FORBIDDEN,
        }
    }
}

impl Door {
    /// A door of a machine with that name.
    pub(crate) fn new(
        own_name: Option<HostName>,
        hosts: &[HostName],
        origins: &[Origin],
        is_secure: bool,
    ) -> Self {
        let localhost = HostName::Name("localhost".into());
        let names = std::iter::once(localhost).chain(own_name).chain(hosts.iter().cloned()).collect();
        Self { names, origins: origins.to_vec(), is_secure }
    }

    /// Whether the server is reached by TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// The port that a request was sent to, if it says one.
    pub(crate) fn port_of<B>(request: &Request<B>) -> Option<u16> {
        Authority::of(request).ok()?.port
    }

    /// Lets a request in, or says why not. `upgrades`: whether it asks to become a WebSocket.
    pub(crate) fn admit<B>(&self, request: &Request<B>, upgrades: bool) -> Result<Admitted, Refused> {
        let authority = Authority::of(request)?;
        let origin = origin_of(request.headers())?;
        let is_known = self.names.iter().any(|name| name.is_same_host(&authority.host))
            || matches!(authority.host, HostName::Address(_));
        if !is_known && !may_use_any_host(request, upgrades) {
            return Err(Refused::Host(authority.host));
        }
        match origin {
            None => check_site(request.headers(), is_known).map(|()| Admitted::nameless()),
            Some(header) => self.admit_page(header, &authority, is_known, request.headers()),
        }
    }

    /// Lets a page in that is allowed, or that is this server's own.
    fn admit_page(
        &self,
        header: &HeaderValue,
        authority: &Authority,
        is_known: bool,
        headers: &HeaderMap,
    ) -> Result<Admitted, Refused> {
        let text = String::from_utf8_lossy(header.as_bytes());
        let foreign = || Refused::Origin(text.clone().into_owned());
        let origin: Origin = text.parse().map_err(|_| foreign())?;
        if self.origins.contains(&origin) {
            return Ok(Admitted::page(header.clone()));
        }
        // Under a name that anyone may have given, a page of the same name is anyone's.
        if !is_known || origin != Origin::of_server(authority, self.is_secure) {
            return Err(foreign());
        }
        check_site(headers, is_known).map(|()| Admitted::nameless())
    }
}

/// Whether a request is heard whatever host it was sent to.
///
/// One with credentials is, since a page that was led here has none. But nobody has checked them yet, and a page can make
/// them up; so only where a browser would have added the page's origin, which tells. It adds none to a plain GET.
fn may_use_any_host<B>(request: &Request<B>, upgrades: bool) -> bool {
    let headers = request.headers();
    let has_credentials = headers.get(AUTHORIZATION).is_some_and(|value| !value.is_empty());
    let shows_origin = upgrades || headers.contains_key(ORIGIN) || !request.method().is_safe();
    // A preflight comes without the credentials of the request that it announces, and all it learns is what is allowed.
    *request.method() == Method::OPTIONS || has_credentials && shows_origin
}

fn origin_of(headers: &HeaderMap) -> Result<Option<&HeaderValue>, Refused> {
    let mut all = headers.get_all(ORIGIN).iter();
    match (all.next(), all.next()) {
        (origin, None) => Ok(origin),
        _ => Err(Refused::Malformed("there is more than one Origin header".into())),
    }
}

/// Refuses what a browser says a page from elsewhere has sent. It says so of images, scripts and links, too, which come
/// without an origin.
fn check_site(headers: &HeaderMap, is_known: bool) -> Result<(), Refused> {
    for site in headers.get_all(SEC_FETCH_SITE) {
        let is_own = site == "none" || site == "same-origin" && is_known;
        if !is_own {
            return Err(Refused::Site(String::from_utf8_lossy(site.as_bytes()).into_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door() -> Door {
        let own = "box".parse().ok();
        let (hosts, origins) =
            (["db.example.com".parse().unwrap()], ["https://app.example.com".parse().unwrap()]);
        Door::new(own, &hosts, &origins, false)
    }

    /// What the door says to a request with these headers: a status, or the origin that is named in the answer.
    fn said(method: Method, headers: &[(&str, &str)]) -> Result<Option<String>, u16> {
        let request = Request::builder().method(method).uri("/gremlin");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let request = request.body(()).unwrap();
        let upgrades = request.headers().contains_key("upgrade");
        match door().admit(&request, upgrades) {
            Ok(admitted) => Ok(admitted.origin().map(str::to_owned)),
            Err(refused) => Err(refused.status().as_u16()),
        }
    }

    fn post(headers: &[(&str, &str)]) -> Result<Option<String>, u16> {
        said(Method::POST, headers)
    }

    const FOREIGN: Result<Option<String>, u16> = Err(403);
    const OWN: Result<Option<String>, u16> = Ok(None);

    #[test]
    fn programs_reach_it_by_addresses_and_by_its_own_names() {
        for host in [
            "127.0.0.1:8182",
            "192.0.2.1",
            "[2001:db8::1]:1",
            "localhost",
            "LOCALHOST.:8182",
            "Box",
            "db.example.com.",
        ] {
            assert_eq!(post(&[("host", host)]), OWN, "{host}");
        }
        for host in [
            "evil.test",
            "localhost.evil.test",
            "evil.localhost",
            "sub.db.example.com",
            "127.0.0.1.evil.test",
        ] {
            assert_eq!(post(&[("host", host)]), FOREIGN, "{host}");
        }
    }

    #[test]
    fn a_page_must_be_of_the_same_scheme_host_and_port_or_allowed() {
        let from = |origin: &str| post(&[("host", "localhost:8182"), ("origin", origin)]);
        assert_eq!(from("http://localhost:8182"), OWN);
        assert_eq!(from("HTTP://LOCALHOST:8182"), OWN);
        assert_eq!(from("https://app.example.com"), Ok(Some("https://app.example.com".into())));
        for origin in [
            "http://localhost:9999",
            "http://127.0.0.1:8182",
            "https://localhost:8182",
            "http://localhost",
            "http://localhost.:8182",
            "null",
            "",
            "file://",
            "http://app.example.com",
            "https://app.example.com:8443",
            "https://app.example.com.evil.test",
            "http://localhost:8182, http://evil.test",
            "http://u@localhost:8182",
        ] {
            assert_eq!(from(origin), FOREIGN, "{origin}");
        }
        assert_eq!(post(&[("host", "localhost"), ("origin", "http://localhost:80")]), OWN);
        assert_eq!(
            post(&[("host", "a"), ("origin", "http://a")]),
            FOREIGN,
            "a page that was led here by its name"
        );
    }

    #[test]
    fn a_driver_that_names_what_it_connects_to_is_let_in() {
        // What Netty's client, which is in Java's driver, makes of ws://LOCALHOST, ws://[0:0::1]:80 and so on.
        for (host, origin) in [
            ("LOCALHOST", "http://localhost"),
            ("localhost:8182", "http://localhost:8182"),
            ("[0:0::1]", "http://[0:0::1]"),
            ("[::1]:8182", "http://[::1]:8182"),
            ("192.0.2.1:8182", "http://192.0.2.1:8182"),
        ] {
            let headers = [("host", host), ("origin", origin), ("upgrade", "websocket")];
            assert_eq!(said(Method::GET, &headers), OWN, "{host} {origin}");
        }
    }

    #[test]
    fn what_a_browser_says_came_from_another_site_is_refused_unless_it_names_an_allowed_origin() {
        let site = |site: &str| said(Method::GET, &[("host", "localhost"), ("sec-fetch-site", site)]);
        assert_eq!((site("none"), site("same-origin")), (OWN, OWN));
        for other in ["cross-site", "same-site", "", "None", "none, none", "anything"] {
            assert_eq!(site(other), FOREIGN, "{other}");
        }
        let both = |origin: &str| {
            post(&[("host", "localhost"), ("origin", origin), ("sec-fetch-site", "cross-site")])
        };
        assert_eq!(both("https://app.example.com"), Ok(Some("https://app.example.com".into())));
        assert_eq!(both("http://localhost"), FOREIGN, "redirected through another site");
        let twice = [("host", "localhost"), ("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
        assert_eq!(post(&twice), FOREIGN);
    }

    #[test]
    fn credentials_excuse_the_host_and_nothing_else() {
        let evil = ("host", "evil.test");
        let credentials = ("authorization", "Basic eDp5");
        assert_eq!(post(&[evil, credentials]), OWN);
        assert_eq!(said(Method::GET, &[evil, credentials, ("upgrade", "websocket")]), OWN);
        assert_eq!(post(&[evil, ("authorization", "")]), FOREIGN);
        for origin in ["http://evil.test", "http://other.test", "null"] {
            assert_eq!(post(&[evil, credentials, ("origin", origin)]), FOREIGN, "{origin}");
            let upgrade = [evil, credentials, ("upgrade", "websocket"), ("origin", origin)];
            assert_eq!(said(Method::GET, &upgrade), FOREIGN, "{origin}");
        }
        assert_eq!(post(&[evil, credentials, ("sec-fetch-site", "cross-site")]), FOREIGN);
        assert_eq!(post(&[evil, credentials, ("sec-fetch-site", "same-origin")]), FOREIGN);
        let allowed = ("origin", "https://app.example.com");
        assert!(said(Method::GET, &[evil, credentials, allowed]).is_ok());
    }

    #[test]
    fn a_page_that_was_led_here_cannot_read_by_making_up_credentials() {
        let headers = [("host", "evil.test"), ("authorization", "Basic eDp5")];
        assert_eq!(said(Method::GET, &headers), FOREIGN, "a page's GET shows no origin");
    }

    #[test]
    fn a_preflight_is_judged_by_its_origin() {
        let preflight = |origin: &str| said(Method::OPTIONS, &[("host", "evil.test"), ("origin", origin)]);
        assert_eq!(preflight("https://app.example.com"), Ok(Some("https://app.example.com".into())));
        assert_eq!(preflight("http://evil.test"), FOREIGN);
    }

    #[test]
    fn two_origins_are_none() {
        let twice = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")];
        assert_eq!(post(&twice), Err(400));
        assert_eq!(post(&[]), Err(400), "no host");
    }
}
