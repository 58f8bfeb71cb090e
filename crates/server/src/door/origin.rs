//! Origins (RFC 6454): who a page belongs to.

use std::{fmt, str::FromStr};

use super::{authority::Authority, host_name::HostName};

/// Scheme, host and port of a page. Two pages with the same three belong together; all others are foreign.
///
/// ```
/// use server::Origin;
///
/// assert_eq!("HTTP://localhost:80".parse(), "http://localhost".parse::<Origin>());
/// assert!("http://localhost/".parse::<Origin>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// In lower case.
    scheme: String,
    host: HostName,
    /// `None`: the scheme's own, or none where the scheme has none.
    port: Option<u16>,
}

/// Why a text is no origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "[{text}] is no origin: expected scheme://host or scheme://host:port, such as https://app.example.com, without a path; neither `*` nor `null` can be allowed, since they stand for any page"
)]
pub struct OriginError {
    /// The text.
    text: String,
}

impl Origin {
    /// The origin of what this server itself would serve under that host and port.
    pub(super) fn of_server(authority: &Authority, is_secure: bool) -> Self {
        Self::new(if is_secure { "https" } else { "http" }, authority.clone())
    }

    fn new(scheme: &str, authority: Authority) -> Self {
        let scheme = scheme.to_ascii_lowercase();
        let port = authority.port.filter(|port| Some(*port) != default_port(&scheme));
        Self { scheme, host: authority.host, port }
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

impl FromStr for Origin {
    type Err = OriginError;

    fn from_str(text: &str) -> Result<Self, OriginError> {
        let is_scheme = |scheme: &str| {
            scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        };
        text.split_once("://")
            .filter(|(scheme, _)| is_scheme(scheme))
            .and_then(|(scheme, authority)| Some(Self::new(scheme, authority.parse().ok()?)))
            .ok_or_else(|| OriginError { text: text.into() })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(text: &str) -> Origin {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn scheme_host_and_port_make_an_origin() {
        assert_eq!(origin("http://localhost:80"), origin("HTTP://LOCALHOST"));
        assert_eq!(origin("https://a:443"), origin("https://a"));
        assert_eq!(origin("http://[::1]:8182"), origin("http://[0:0:0:0:0:0:0:1]:8182"));
        for (one, other) in [
            ("http://localhost", "https://localhost"),
            ("http://localhost:8182", "http://localhost:8183"),
            ("http://localhost", "http://127.0.0.1"),
            ("http://localhost", "http://localhost."),
            ("https://a:80", "http://a:80"),
        ] {
            assert_ne!(origin(one), origin(other));
        }
        assert_eq!(origin("chrome-extension://abcdef").to_string(), "chrome-extension://abcdef");
        assert_eq!(origin("http://localhost:3000").to_string(), "http://localhost:3000");
    }

    #[test]
    fn what_is_no_origin_is_refused() {
        for text in [
            "",
            "null",
            "*",
            "localhost",
            "http://",
            "http:///x",
            "http://a/",
            "http://a b",
            "http://u@a",
            "://a",
            "http://a:65536",
            "http://a:+80",
            "http://a, http://b",
            "1http://a",
            "http://*.a",
        ] {
            assert!(text.parse::<Origin>().is_err(), "{text}");
        }
    }
}
