//! What can be wrong with bytes from a client, or with a value on its way to one.

use std::fmt::{self, Display, Formatter};

/// Why something could not be decoded, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}, at {place}")]
pub struct DecodeError {
    /// Where the problem is.
    pub place: Place,
    /// What the problem is.
    pub problem: Problem,
}

/// A place in encoded data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Bytes from the start of the message.
    Offset(usize),
    /// A path into a JSON document, such as `$.args.gremlin['@value'].step[2]`.
    Path(String),
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(at) => write!(f, "byte {at}"),
            Self::Path(path) => f.write_str(path),
        }
    }
}

/// What is wrong with encoded data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The data ends early.
    #[error("{needed} more bytes are needed and {left} are left")]
    Truncated {
        /// Bytes that the next item needs.
        needed: usize,
        /// Bytes that are left.
        left: usize,
    },
    /// A count that is negative or that the rest of the data cannot hold.
    #[error("a length of {0} does not fit what is left of the message")]
    Length(i64),
    /// More nesting than [`crate::MAX_DEPTH`].
    #[error("values are nested more than {} deep", crate::MAX_DEPTH)]
    TooDeep,
    /// A type code that GraphBinary does not define or that this server does not know.
    #[error("unknown type code 0x{0:02x}")]
    UnknownTypeCode(u8),
    /// A type name that GraphSON does not define or that this server does not know.
    #[error("unknown type `{0}`")]
    UnknownType(String),
    /// A flag other than 0 (a value follows) and 1 (null).
    #[error("unknown value flag 0x{0:02x}")]
    ValueFlag(u8),
    /// Text that is not UTF-8, or a character that is none.
    #[error("text is not UTF-8")]
    Utf8,
    /// A name that is not in its vocabulary.
    #[error("there is no {what} called `{name}`")]
    UnknownName {
        /// The vocabulary, such as `step`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Something else than what belongs here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What belongs here.
        expected: &'static str,
        /// What is here.
        found: String,
    },
    /// A number, date or text that is out of the range of its type.
    #[error("{0}")]
    Invalid(String),
    /// A message whose first byte is not that of its version.
    #[error("unknown message version 0x{found:02x}: expected 0x{expected:02x}")]
    Version {
        /// The first byte.
        found: u8,
        /// What it should be.
        expected: u8,
    },
    /// A mime type that this server does not speak.
    #[error("unknown mime type `{0}`")]
    Mime(String),
    /// Bytes after the end of the message.
    #[error("{0} bytes follow the end")]
    Trailing(usize),
}

impl Problem {
    pub(crate) fn at(self, offset: usize) -> DecodeError {
        DecodeError { place: Place::Offset(offset), problem: self }
    }

    pub(crate) fn expected(expected: &'static str, found: impl Into<String>) -> Self {
        Self::Expected { expected, found: excerpt(&found.into()) }
    }

    pub(crate) fn unknown(what: &'static str, name: &str) -> Self {
        Self::UnknownName { what, name: excerpt(name) }
    }
}

/// At most 80 characters of what a client sent, so that an error stays readable.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Why a value cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// More nesting than [`crate::MAX_DEPTH`].
    #[error("values are nested more than {} deep", crate::MAX_DEPTH)]
    TooDeep,
    /// Results of one message that are longer than [`crate::MAX_RESULTS`], written out.
    #[error("the results of one message are more than {} bytes, written out", crate::MAX_RESULTS)]
    TooLarge,
    /// A text, collection or number that is longer than 2³¹ − 1.
    #[error("{0} items are more than a length field can hold")]
    TooLong(usize),
    /// A handle of an element, which means nothing outside the server.
    #[error("a {0} inside the graph cannot leave it; it has to be detached first")]
    Attached(&'static str),
    /// A host name where an address is needed.
    #[error("the host name `{0}` is not an address")]
    HostName(String),
    /// A decimal whose scale does not fit 32 bits.
    #[error("a decimal scale of {0} does not fit 32 bits")]
    Scale(i64),
    /// Something that the format has no form for.
    #[error("{format} has no form for {what}")]
    Unsupported {
        /// The format.
        format: &'static str,
        /// What it cannot express.
        what: &'static str,
    },
}
