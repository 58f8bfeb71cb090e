//! Gremlin Server's response status codes.

use crate::{ErrorKind, QueryError};

/// The codes of TinkerPop's `ResponseStatusCode` that this server sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum StatusCode {
    /// The last message of a response with results.
    Success = 200,
    /// The only message of a response without results.
    NoContent = 204,
    /// Results, with more messages to come.
    PartialContent = 206,
    /// Nobody knows who asks, although somebody has to.
    Unauthorized = 401,
    /// It is known who asks, and that may not be done by that user.
    Forbidden = 403,
    /// The client is to say who it is (SASL).
    Authenticate = 407,
    /// Too many requests are in flight.
    TooManyRequests = 429,
    /// The message could not be read, or its `op` is unknown.
    MalformedRequest = 498,
    /// The message could be read, but its arguments are incomplete or contradict each other.
    InvalidArguments = 499,
    /// The query failed while it ran.
    ServerError = 500,
    /// The `fail()` step was reached.
    FailStep = 595,
    /// The request may succeed if it is sent again.
    Temporary = 596,
    /// The script could not be evaluated.
    Evaluation = 597,
    /// The evaluation timeout passed.
    Timeout = 598,
    /// A bytecode or a result could not be translated.
    Serialization = 599,
}

/// What the exception is called of a result that cannot be expressed in the client's format.
pub(crate) const UNENCODABLE: &str = "mangrove.SerializationError";

impl StatusCode {
    /// The number on the wire.
    pub fn code(self) -> u16 {
        self as u16
    }

    /// The code for `error`. Gremlin Server answers a failing script with 597 and failing bytecode with 500.
    pub fn of(error: &QueryError, is_script: bool) -> Self {
        match error.kind {
            ErrorKind::Timeout => Self::Timeout,
            ErrorKind::Conflict | ErrorKind::Busy | ErrorKind::TooFast => Self::Temporary,
            ErrorKind::FailStep => Self::FailStep,
            ErrorKind::Forbidden => Self::Forbidden,
            ErrorKind::Internal | ErrorKind::Cancelled | ErrorKind::Transaction => Self::ServerError,
            ErrorKind::Syntax
            | ErrorKind::Unsupported
            | ErrorKind::Evaluation
            | ErrorKind::ReadOnly
            | ErrorKind::Limit => {
                if is_script {
                    Self::Evaluation
                } else {
                    Self::ServerError
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_script_and_failing_bytecode_are_told_apart_as_gremlin_server_does() {
        let error = QueryError::new(ErrorKind::Evaluation, "no");
        assert_eq!(StatusCode::of(&error, true).code(), 597);
        assert_eq!(StatusCode::of(&error, false).code(), 500);
    }

    #[test]
    fn what_a_client_should_retry_has_the_temporary_code() {
        let error = QueryError::new(ErrorKind::Conflict, "again");
        assert_eq!(StatusCode::of(&error, true), StatusCode::Temporary);
        assert_eq!(StatusCode::of(&error, false), StatusCode::Temporary);
    }
}
