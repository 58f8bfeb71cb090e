//! Which host a request was sent to (RFC 9112, section 3.2).

use std::str::FromStr;

use hyper::{Request, header::HOST};

use super::{Refused, host_name::HostName};

/// A host and perhaps a port, as in a `Host` header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Authority {
    pub(super) host: HostName,
    pub(super) port: Option<u16>,
}

impl FromStr for Authority {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        // The colons of an IPv6 address stand before its bracket.
        let port_at = text.rfind(']').map_or_else(|| text.find(':'), |end| Some(end + 1));
        let (host, port) = text.split_at(port_at.unwrap_or(text.len()));
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            Some("") => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(digits.parse().map_err(drop)?)
            }
            _ => return Err(()),
        };
        Ok(Self { host: host.parse().map_err(drop)?, port })
    }
}

impl Authority {
    /// The host of a request: of its target where that is a whole URL, as proxies send it, otherwise of its one `Host`
    /// header.
    pub(super) fn of<B>(request: &Request<B>) -> Result<Self, Refused> {
        let mut headers = request.headers().get_all(HOST).iter();
        let header = headers.next();
        if headers.next().is_some() {
            return Err(Refused::Malformed("there is more than one Host header".into()));
        }
        let text = match (request.uri().authority(), header) {
            (Some(authority), _) => authority.as_str(),
            (None, Some(header)) => header.to_str().unwrap_or("not ASCII"),
            (None, None) => "",
        };
        if text.is_empty() {
            return Err(Refused::Malformed("the Host header is missing".into()));
        }
        text.parse().map_err(|()| {
            Refused::Malformed(format!("the Host header [{text}] is no host with or without a port"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(target: &str, hosts: &[&str]) -> Option<(String, Option<u16>)> {
        let request = hosts.iter().fold(Request::get(target), |request, host| request.header(HOST, *host));
        let authority = Authority::of(&request.body(()).unwrap()).ok()?;
        Some((authority.host.to_string(), authority.port))
    }

    #[test]
    fn a_host_may_have_a_port() {
        for (text, host, port) in [
            ("localhost", "localhost", None),
            ("localhost:", "localhost", None),
            ("LOCALHOST:8182", "localhost", Some(8182)),
            ("[::1]", "[::1]", None),
            ("[::1]:8182", "[::1]", Some(8182)),
        ] {
            assert_eq!(of("/gremlin", &[text]), Some((host.into(), port)), "{text}");
        }
    }

    #[test]
    fn exactly_one_host_that_makes_sense_must_be_there() {
        assert_eq!(of("/", &[]), None);
        assert_eq!(of("/", &["localhost", "localhost"]), None);
        for text in
            ["", "a:b", "a:+80", "a:-1", "a:65536", "a:80:80", "::1", "[::1]80", "u@a", "a, b", "http://a"]
        {
            assert_eq!(of("/", &[text]), None, "{text}");
        }
    }

    #[test]
    fn a_target_that_is_a_whole_url_counts_instead_of_the_header() {
        assert_eq!(of("http://evil.test:1/gremlin", &["localhost"]), Some(("evil.test".into(), Some(1))));
        assert_eq!(of("http://localhost/gremlin", &[]), Some(("localhost".into(), None)));
        assert_eq!(of("http://localhost/gremlin", &["a", "b"]), None);
        assert_eq!(of("http://user@localhost/gremlin", &["localhost"]), None);
    }
}
