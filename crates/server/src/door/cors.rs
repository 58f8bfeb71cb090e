//! What a browser must be told so that an allowed page can read an answer (Fetch standard, CORS protocol).

use hyper::{
    Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ALLOW, HeaderValue, ORIGIN, VARY,
    },
};

/// What the query endpoints can do.
pub(crate) const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, OPTIONS");

/// Headers that an allowed page may set beyond those that any page may.
const HEADERS: HeaderValue =
    HeaderValue::from_static("Accept, Authorization, Content-Type, X-Transaction-Id");

/// Headers of an answer that an allowed page may read beyond those that any page may.
const EXPOSED: HeaderValue = HeaderValue::from_static("Gremlin-RequestId, X-Transaction-Id");

/// Seconds for which a browser may remember what it was told.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// A request that was let in.
#[derive(Debug)]
pub(crate) struct Admitted {
    /// The page's origin as it was sent, where it is one of those that are allowed.
    origin: Option<HeaderValue>,
}

impl Admitted {
    /// By a program, or a page of this server's own.
    pub(super) fn nameless() -> Self {
        Self { origin: None }
    }

    /// By a page from an allowed origin.
    pub(super) fn page(origin: HeaderValue) -> Self {
        Self { origin: Some(origin) }
    }

    /// The allowed origin.
    #[cfg(test)]
    pub(super) fn origin(&self) -> Option<&str> {
        self.origin.as_ref().and_then(|origin| origin.to_str().ok())
    }

    /// Lets the page read a reply.
    pub(crate) fn open<B>(&self, reply: &mut Response<B>) {
        if let Some(origin) = &self.origin {
            reply.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            reply.headers_mut().insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }

    /// The answer to OPTIONS: what can be asked, and what the page may ask.
    pub(crate) fn options<B: Default>(&self) -> Response<B> {
        let mut reply = Response::new(B::default());
        *reply.status_mut() = StatusCode::NO_CONTENT;
        let headers = reply.headers_mut();
        headers.insert(ALLOW, METHODS);
        if self.origin.is_some() {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
            headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        }
        reply
    }
}

/// Says that the reply depends on who asks, so that no cache gives it to another page.
pub(crate) fn vary<B>(reply: &mut Response<B>) {
    reply.headers_mut().insert(VARY, HeaderValue::from_name(ORIGIN));
}
