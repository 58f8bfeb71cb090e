//! What a command can fail with.

use mangrove::{Error, config::ConfigError, generate::GenerateError};

/// Why a command failed, for the user.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The configuration has a mistake.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The database refused or failed.
    #[error(transparent)]
    Database(#[from] Error),
    /// What was asked could not be answered.
    #[error(transparent)]
    Query(#[from] server::QueryError),
    /// The user pressed Ctrl-C.
    #[error("interrupted")]
    Interrupted,
    /// The generator refused or failed.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The terminal failed.
    #[error("the terminal failed: {0}")]
    Terminal(#[from] rustyline::error::ReadlineError),
    /// The server could not start.
    #[error("cannot serve on {address}: {reason}")]
    Bind {
        /// The address.
        address: std::net::SocketAddr,
        /// What the operating system says, and what to do.
        reason: String,
    },
    /// Others could reach the server, and there is nothing to keep them out.
    #[error(
        "will not listen on {address}: there are no users, so whoever reaches that address could read and write every graph. Give \
         the first admin a password (--admin-password-file FILE, MANGROVE_ADMIN_PASSWORD, or `mangrove user add`), listen on \
         127.0.0.1, or add --insecure (server.insecure = true) where a firewall or a proxy decides who gets there"
    )]
    Exposed {
        /// The address.
        address: std::net::SocketAddr,
    },
    /// A server that was to be asked cannot be, or not any more.
    #[error("{server}: {reason}")]
    Far {
        /// What it is called.
        server: String,
        /// What is wrong.
        reason: String,
    },
    /// What a server says is wrong with what it was asked.
    #[error("{0}")]
    Refused(String),
    /// A secret cannot be read.
    #[error("{0}")]
    Secret(String),
    /// Users could not be read or changed.
    #[error(transparent)]
    Access(#[from] access::AccessError),
    /// The files of TLS are none.
    #[error("TLS: {0}")]
    Tls(#[from] server::TlsError),
    /// There is less memory than it was told to use.
    #[error(transparent)]
    Memory(#[from] mangrove::TooMuch),
    /// A check found something.
    #[error(
        "{path} is damaged (findings: {count}); restore it from a backup or import the data again",
        path = path.display()
    )]
    Damaged {
        /// The directory of the graph.
        path: std::path::PathBuf,
        /// How many findings there are.
        count: usize,
    },
    /// Output or input failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl Failure {
    /// Whether the reader of a pipe left (`mangrove query … | head`): no failure at all.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
