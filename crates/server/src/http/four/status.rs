//! What went wrong, in the words of TinkerPop 4: an HTTP status code, a message, and the name of an exception.
//!
//! Codes and names are those of its specification; where that has no word for something (a conflict, what is not supported), HTTP's
//! own codes have.

use wire::{EncodeError, four::Status};

use crate::{ErrorKind, QueryError, StatusCode as ThreeCode, request::Refusal, told::fitting};

/// What a query was a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum In {
    /// Nothing: it was a transaction of its own.
    Itself,
    /// It began a transaction.
    Begin,
    /// A transaction that was open.
    Transaction,
}

fn status(code: u16, exception: &str, message: impl AsRef<str>) -> Status {
    Status { code, message: (&*fitting(message.as_ref())).into(), exception: exception.into() }
}

const TRANSACTION: &str = "TransactionException";

/// A request that makes no sense.
pub(super) fn invalid(message: String) -> Status {
    status(400, "InvalidRequestException", message)
}

/// A request that was refused before it ran.
pub(super) fn refused(refusal: &Refusal) -> Status {
    match refusal.code {
        ThreeCode::Unauthorized => status(401, "AuthenticationException", refusal.message.as_str()),
        ThreeCode::Forbidden => status(403, "AuthorizationException", refusal.message.as_str()),
        ThreeCode::TooManyRequests => status(429, "TooManyRequestsException", refusal.message.as_str()),
        ThreeCode::InvalidArguments | ThreeCode::MalformedRequest => invalid(refusal.message.clone()),
        _ => status(500, "ServerErrorException", refusal.message.as_str()),
    }
}

/// A transaction that there is no place for.
pub(super) fn no_place(refusal: &Refusal) -> Status {
    status(503, TRANSACTION, refusal.message.as_str())
}

/// Requests that wait for others of their transactions have too many bytes.
pub(super) fn no_room() -> Status {
    let message = "the requests that wait for others of their transactions take more memory than server.max_receiving_bytes leaves; \
                   wait for their answers first";
    status(429, "TooManyRequestsException", message)
}

/// A misuse of transactions.
pub(super) fn transaction_error(message: String) -> Status {
    status(400, TRANSACTION, message)
}

/// A request for another source than that of its transaction.
pub(super) fn other_source(source: &str) -> Status {
    transaction_error(format!(
        "Transaction traversal source alias mismatch: the transaction is bound to '{source}', and the request names another"
    ))
}

/// There is no transaction of that id.
pub(super) fn unknown_transaction(id: &str) -> Status {
    let id: String = id.chars().take(80).collect();
    let message = format!(
        "Transaction not found: {id}. The transaction may have timed out, already been committed/rolled back, or was never started. \
         Call g.tx().begin() to start a new transaction."
    );
    status(404, TRANSACTION, message)
}

/// The time of a request was over before its turn came.
pub(super) fn waited_too_long(id: &str) -> Status {
    let message = format!(
        "the request waited for others of the transaction {id} as long as it had time; it has not run, and the transaction is still open"
    );
    status(500, "ServerTimeoutExceededException", message)
}

/// A result that cannot be expressed in the format.
pub(super) fn unencodable(error: &EncodeError) -> Status {
    status(500, "ServerSerializationException", format!("Error during serialization: {error}"))
}

/// A query that failed.
pub(super) fn failed(error: &QueryError, within: In) -> Status {
    let (code, exception) = match (error.kind, within) {
        (ErrorKind::Syntax, _) => (400, "MalformedQueryException"),
        (ErrorKind::Unsupported, _) => (501, "ServerErrorException"),
        (ErrorKind::Forbidden, _) => (403, "AuthorizationException"),
        (ErrorKind::FailStep, _) => (500, "ServerFailStepException"),
        (ErrorKind::Conflict, _) => (409, TRANSACTION),
        (ErrorKind::Transaction, _) => (404, TRANSACTION),
        // Nobody knows how much of it has been done, so it ends the transaction.
        (ErrorKind::Timeout, In::Transaction) => (504, TRANSACTION),
        (ErrorKind::Timeout, _) => (500, "ServerTimeoutExceededException"),
        (ErrorKind::Busy, In::Begin) => (503, TRANSACTION),
        (ErrorKind::TooFast, _) => (429, "TooManyRequestsException"),
        (ErrorKind::Busy, _) => (503, "TooManyRequestsException"),
        (ErrorKind::Cancelled, _) => (503, "ServerErrorException"),
        (ErrorKind::Evaluation | ErrorKind::ReadOnly | ErrorKind::Limit | ErrorKind::Internal, _) => {
            (500, "ServerErrorException")
        }
    };
    status(code, exception, error.message.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_has_a_fitting_code_and_a_name() {
        let told = |kind, within| {
            let status = failed(&QueryError::new(kind, "no"), within);
            (status.code, status.exception.to_string())
        };
        assert_eq!(told(ErrorKind::Syntax, In::Itself), (400, "MalformedQueryException".into()));
        assert_eq!(told(ErrorKind::Timeout, In::Itself), (500, "ServerTimeoutExceededException".into()));
        assert_eq!(told(ErrorKind::Timeout, In::Transaction), (504, "TransactionException".into()));
        assert_eq!(told(ErrorKind::Conflict, In::Transaction), (409, "TransactionException".into()));
        assert_eq!(told(ErrorKind::Busy, In::Begin), (503, "TransactionException".into()));
        assert_eq!(told(ErrorKind::FailStep, In::Itself), (500, "ServerFailStepException".into()));
    }
}
