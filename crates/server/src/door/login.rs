//! Who somebody is: credentials in a header, or in a SASL message.

use std::time::Duration;

use access::{Credentials, Denied, Gate, Identity};
use data_encoding::{BASE64, BASE64URL, Encoding};
use hyper::{HeaderMap, header::AUTHORIZATION};
use tokio::{
    sync::oneshot,
    time::{Instant, sleep_until},
};

use crate::{Client, audit};

/// Who is denied is told so after this time and not before, so that it does not tell whether there is such a user.
const DENIED_AFTER: Duration = Duration::from_millis(250);

/// Why credentials cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error(
        "the Authorization header is neither `Basic` with base64 of user:password nor `Bearer` with a token"
    )]
    Header,
    #[error("Incorrect type for : sasl - base64 encoded String is expected")]
    NotBase64,
    #[error(
        "the sasl argument is no PLAIN message: expected an empty text, the user and the password, with a NUL before each"
    )]
    NotPlain,
}

/// The credentials in the headers of a request, if there are any.
pub(crate) fn in_headers(headers: &HeaderMap) -> Result<Option<Credentials>, Unreadable> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = all.next() else { return Ok(None) };
    let value = value.to_str().map_err(|_| Unreadable::Header)?;
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    let rest = rest.trim();
    let credentials = if scheme.eq_ignore_ascii_case("basic") {
        basic(rest)
    } else if scheme.eq_ignore_ascii_case("bearer") && !rest.is_empty() {
        Some(Credentials::Token(rest.into()))
    } else {
        None
    };
    match credentials {
        Some(credentials) if all.next().is_none() => Ok(Some(credentials)),
        _ => Err(Unreadable::Header),
    }
}

/// RFC 7617. A password may have colons, a name has none.
fn basic(text: &str) -> Option<Credentials> {
    let text = String::from_utf8(decoded(text)?).ok()?;
    let (user, password) = text.split_once(':')?;
    Some(Credentials::Password { user: user.into(), password: password.into() })
}

/// A message of SASL PLAIN (RFC 4616): whom to act as, which is not looked at, then user and password, which may be a token.
pub(crate) fn in_sasl(text: &str) -> Result<Credentials, Unreadable> {
    let bytes = decoded(text).ok_or(Unreadable::NotBase64)?;
    let text = String::from_utf8(bytes).map_err(|_| Unreadable::NotPlain)?;
    let mut parts = text.splitn(3, '\0').skip(1);
    match (parts.next(), parts.next()) {
        (Some(user), Some(password)) => {
            Ok(Credentials::Password { user: user.into(), password: password.into() })
        }
        _ => Err(Unreadable::NotPlain),
    }
}

/// Clients write both alphabets, and some leave the padding out.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let is_url = text.contains(['-', '_']);
    let encoding: &Encoding = if is_url { &BASE64URL } else { &BASE64 };
    let padding = text.len().wrapping_neg() % 4;
    encoding.decode(format!("{text}{}", "=".repeat(padding)).as_bytes()).ok()
}

/// Finds out who a client is; the answer comes from another task, or never if that is not waited for.
pub(crate) fn verify(
    gate: &Gate,
    client: Client,
    credentials: Credentials,
) -> oneshot::Receiver<Result<Identity, Denied>> {
    let (send, told) = oneshot::channel();
    let asked = Instant::now();
    let gate = gate.clone();
    tokio::spawn(async move {
        let who = looked_at(&gate, &client, credentials).await;
        if who.is_err() {
            sleep_until(asked + DENIED_AFTER).await;
        }
        let _ = send.send(who);
    });
    told
}

async fn looked_at(gate: &Gate, client: &Client, credentials: Credentials) -> Result<Identity, Denied> {
    let (send, told) = oneshot::channel();
    let user = credentials.user().map(str::to_owned);
    gate.verify(credentials, client.address, Box::new(move |who| _ = send.send(who)));
    let who = told.await.unwrap_or(Err(Denied::Busy));
    match &who {
        Ok(identity) => audit::login(client, identity),
        Err(denied) => audit::denied(client, user.as_deref(), denied),
    }
    who
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(value: &str) -> Result<Option<Credentials>, Unreadable> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, value.parse().unwrap());
        in_headers(&headers)
    }

    fn parts(credentials: Credentials) -> (String, String) {
        match credentials {
            Credentials::Password { user, password } => (user, password),
            Credentials::Token(token) => (String::new(), token),
        }
    }

    #[test]
    fn headers_carry_a_password_or_a_token() {
        let read = |value: &str| parts(header(value).unwrap().unwrap());
        assert_eq!(read("Basic YWRhOmNvdW50OmVzcw=="), ("ada".into(), "count:ess".into()));
        assert_eq!(read("basic YWRhOmNvdW50OmVzcw"), ("ada".into(), "count:ess".into()));
        assert_eq!(read("Bearer mgv_12"), (String::new(), "mgv_12".into()));
        for value in ["", "Basic", "Basic YWRh", "Basic !", "Bearer ", "Digest x", "mgv_12"] {
            assert!(header(value).is_err(), "{value}");
        }
        assert!(in_headers(&HeaderMap::new()).unwrap().is_none());
    }

    #[test]
    fn two_headers_are_none() {
        let mut headers = HeaderMap::new();
        headers.append(AUTHORIZATION, "Bearer a".parse().unwrap());
        headers.append(AUTHORIZATION, "Bearer b".parse().unwrap());
        assert!(in_headers(&headers).is_err());
    }

    #[test]
    fn sasl_plain_is_read_as_drivers_send_it() {
        let read = |text: &str| in_sasl(&BASE64.encode(text.as_bytes())).map(parts);
        assert_eq!(read("\0ada\0secret"), Ok(("ada".into(), "secret".into())));
        assert_eq!(read("else\0ada\0sec\0ret"), Ok(("ada".into(), "sec\0ret".into())));
        assert_eq!(read("ada"), Err(Unreadable::NotPlain));
        assert_eq!(in_sasl("%").map(parts), Err(Unreadable::NotBase64));
    }
}
