//! Where a server is, and who asks it.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use parking_lot::Mutex;
use server::Origin;

use super::{Client, client::Credentials, place::Found};
use crate::{failure::Failure, secret};

/// The options of commands that can ask a server.
#[derive(Args, Clone, Debug, Default)]
pub struct Far {
    /// Ask the server at this address, such as wss://db.example.com:8182/gremlin, instead of opening a directory
    #[arg(long, global = true, value_name = "URL", env = "MANGROVE_URL")]
    url: Option<String>,
    /// The name to log in with; the password is in MANGROVE_PASSWORD or MANGROVE_PASSWORD_FILE, or is typed
    #[arg(long, short = 'u', global = true, value_name = "NAME", env = "MANGROVE_USER")]
    user: Option<String>,
    /// File with a token to log in with, or MANGROVE_TOKEN
    #[arg(long, global = true, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// PEM file of the authorities that the server's certificate may be signed by (default: those of the system)
    #[arg(long, global = true, value_name = "FILE", env = "MANGROVE_CA")]
    ca: Option<PathBuf>,
    /// The traversal source of the graph to ask
    #[arg(long, global = true, value_name = "NAME")]
    traversal_source: Option<String>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Over the network.
    Net {
        /// Whether with TLS.
        secure: bool,
        /// Its name or address, without brackets.
        host: String,
        /// The port.
        port: u16,
        /// The path.
        path: String,
    },
    /// By a socket on this machine.
    Socket(PathBuf),
}

/// The variable that a token to log in with may be in.
const TOKEN: &str = "MANGROVE_TOKEN";

/// The port of a Gremlin server.
const PORT: u16 = 8182;

impl Far {
    /// Whether a server is asked, and no directory opened.
    pub fn is_asked(&self) -> bool {
        self.url.is_some()
    }

    /// Whether the password that a server may want is in `MANGROVE_PASSWORD`: then that is nobody else's.
    pub fn logs_in_by_password(&self) -> bool {
        let has_token = secret::is_given(self.token_file.as_deref(), TOKEN);
        self.is_asked() && self.user.is_some() && !has_token
    }

    /// The way to the server that is named; `None` if none is.
    ///
    /// # Errors
    /// If that is no address.
    pub fn link(&self) -> Result<Option<Link>, Failure> {
        let Some(url) = &self.url else { return Ok(None) };
        let address = Address::parse(url).map_err(Failure::Usage)?;
        let source = self.traversal_source.clone().unwrap_or_else(|| "g".into());
        Ok(Some(Link { address, ca: self.ca.clone(), credentials: self.credentials(), source }))
    }

    /// The way to the server that has a directory open.
    pub fn link_to(&self, found: Found) -> Link {
        let source = self.traversal_source.clone().unwrap_or(found.source);
        let nobody: Credentials = Arc::new(|| Ok(None));
        Link { address: Address::Socket(found.socket), ca: None, credentials: nobody, source }
    }

    /// Asks for name and password, or token, once the server wants them; once, for all connections.
    fn credentials(&self) -> Credentials {
        let far = self.clone();
        let known = Mutex::new(None);
        Arc::new(move || {
            let mut known = known.lock();
            if known.is_none() {
                *known = far.ask_for_credentials()?;
            }
            Ok(known.clone())
        })
    }

    fn ask_for_credentials(&self) -> Result<Option<(String, String)>, Failure> {
        if let Some(token) = secret::given(self.token_file.clone(), TOKEN)? {
            return Ok(Some((String::new(), token)));
        }
        let Some(user) = &self.user else { return Ok(None) };
        let password = secret::given_or_asked(secret::PASSWORD, &format!("Password of {user}: "))?;
        Ok(Some((user.clone(), password)))
    }
}

/// The way to a server, to be gone as often as a connection is needed.
#[derive(Clone)]
pub struct Link {
    address: Address,
    ca: Option<PathBuf>,
    credentials: Credentials,
    source: String,
}

impl Link {
    /// Connects.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub fn connect(&self) -> Result<Client, Failure> {
        Client::connect(&self.address, self.ca.as_deref(), self.credentials.clone(), self.source.clone())
    }
}

impl Address {
    /// Reads an address: a URL, or what can be left out of one.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(url: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!(
                "--url {url}: {what}; expected something like wss://db.example.com:8182/gremlin or ws://localhost:8182"
            )
        };
        let (scheme, rest) = url.split_once("://").unwrap_or(("ws", url));
        let secure = match scheme {
            "ws" | "http" => false,
            "wss" | "https" => true,
            _ => return Err(wrong(&format!("there is no scheme {scheme}"))),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(wrong("names and passwords are no part of it; use --user"));
        }
        let path = if path.is_empty() || path == "/" { "/gremlin" } else { path };
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(|| wrong("a bracket is not closed"))?;
                (host, rest.strip_prefix(':'))
            }
            None => match authority.rsplit_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let port =
            port.map_or(Ok(PORT), |port| port.parse().map_err(|_| wrong(&format!("{port} is no port"))))?;
        if host.is_empty() {
            return Err(wrong("there is no host in it"));
        }
        // As the server reads it from `Host`.
        format!("http://{}", Self::bracketed(host))
            .parse::<Origin>()
            .map_err(|_| wrong(&format!("{host} is no host")))?;
        Ok(Self::Net { secure, host: host.into(), port, path: path.into() })
    }

    /// A host as it stands in a URL.
    pub(super) fn bracketed(host: &str) -> String {
        if host.contains(':') { format!("[{host}]") } else { host.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net(url: &str) -> (bool, String, u16, String) {
        match Address::parse(url) {
            Ok(Address::Net { secure, host, port, path }) => (secure, host, port, path),
            other => panic!("{url}: {other:?}"),
        }
    }

    #[test]
    fn what_is_left_out_of_a_url_is_the_usual() {
        let gremlin = || "/gremlin".to_owned();
        assert_eq!(net("wss://db.example.com:1/x"), (true, "db.example.com".into(), 1, "/x".into()));
        assert_eq!(net("localhost"), (false, "localhost".into(), 8182, gremlin()));
        assert_eq!(net("https://[::1]:443/"), (true, "::1".into(), 443, gremlin()));
        assert_eq!(net("10.0.0.1:9"), (false, "10.0.0.1".into(), 9, gremlin()));
        for url in ["ftp://x", "ws://", "ws://x:y", "ws://ada:secret@x", "ws://[::1", "ws://a b"] {
            assert!(Address::parse(url).unwrap_err().contains("expected something like"), "{url}");
        }
    }
}
