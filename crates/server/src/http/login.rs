//! Who sends an HTTP request: what its headers say.

use std::sync::Arc;

use access::{Credentials, Denied, Identity};
use hyper::{
    Request, StatusCode,
    header::{AUTHORIZATION, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE},
};

use super::{Reply, answer, cookie};
use crate::{audit, connections::Guest, door::login};

/// What browsers and tools are told to ask their users for.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Basic realm=\"mangrove\", charset=\"UTF-8\"");

/// Whether a request says who sends it.
pub(super) fn is_tried<B>(request: &Request<B>) -> bool {
    request.headers().contains_key(AUTHORIZATION)
}

/// Finds out who sends a request; a reply instead of an answer, if somebody has to be known and is not.
pub(super) async fn of<B>(request: &Request<B>, guest: &Arc<Guest>) -> Result<(), Box<Reply>> {
    if guest.is_known() {
        // Whoever shows credentials where none are needed means another server, or the time before there were users.
        return Ok(());
    }
    // Credentials that somebody shows decide alone: wrong ones are refused, whatever cookie comes with them.
    if !is_tried(request)
        && let Some(identity) = cookie::whom(request, guest)?
    {
        return is_now(identity, guest);
    }
    let credentials = match login::in_headers(request.headers()) {
        Ok(Some(credentials)) => credentials,
        Ok(None) => {
            let message = "this server has users: say who you are, with Basic or Bearer authentication";
            return Err(unauthorized(message));
        }
        Err(unreadable) => return Err(unauthorized(&unreadable.to_string())),
    };
    is_now(prove(credentials, guest).await?, guest)
}

/// Looks at credentials; a reply instead of who it is, if they are not right.
pub(super) async fn prove(credentials: Credentials, guest: &Arc<Guest>) -> Result<Identity, Box<Reply>> {
    let found = login::verify(&guest.host.gate, guest.client(), credentials).await;
    found.unwrap_or(Err(Denied::Busy)).map_err(|denied| refused(&denied))
}

fn is_now(identity: Identity, guest: &Guest) -> Result<(), Box<Reply>> {
    guest.is_now(identity).map_err(|refusal| busy(StatusCode::SERVICE_UNAVAILABLE, &refusal.message, 1))
}

fn refused(denied: &Denied) -> Box<Reply> {
    let message = denied.to_string();
    let (status, wait) = match denied {
        Denied::Wrong | Denied::Token => return unauthorized(&message),
        Denied::TooMany(wait) => (StatusCode::TOO_MANY_REQUESTS, wait.as_secs().max(1)),
        Denied::Busy => (StatusCode::SERVICE_UNAVAILABLE, 1),
    };
    busy(status, &message, wait)
}

fn busy(status: StatusCode, message: &str, wait: u64) -> Box<Reply> {
    let mut reply = answer::error(status, None, message, Some(audit::EXCEPTION));
    reply.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait));
    Box::new(reply)
}

fn unauthorized(message: &str) -> Box<Reply> {
    let mut reply = answer::error(StatusCode::UNAUTHORIZED, None, message, Some(audit::EXCEPTION));
    reply.headers_mut().insert(WWW_AUTHENTICATE, CHALLENGE);
    Box::new(reply)
}
