//! What becomes of a request, part by part, as spans of OpenTelemetry.
//!
//! ```text
//! the request ───────────────────────────────────────────────────────────┐
//!   wait ──┐  for its tenant to have room                                │
//!          plan ──┐                                                      │
//!                 run ─────────────────────────┐  once per attempt       │
//!                   scope ──────────────┐      │  one below the other    │
//!                   loads ──────┐       │      │  from the store         │
//!                                              commit ──┐                │
//!                                                       send ────────────┤  its results
//! ```
//!
//! Spans are told when they are over: what is not known to be over leaves nothing behind. Where there is no tracer, or it takes no
//! sample of a request, none of this costs anything. It must never know where spans go.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Instant, SystemTime},
};

use hyper::HeaderMap;
use opentelemetry::{
    Context, KeyValue,
    global::{BoxedTracer, ObjectSafeTracer},
    propagation::{Extractor, TextMapPropagator},
    trace::{Span as _, SpanBuilder, SpanKind, Status, TraceContextExt, Tracer as _},
};

/// Parts of one request that are told, at most.
const MOST: u32 = 256;

/// Who is told what becomes of requests. Cheap to clone.
#[derive(Clone)]
pub struct Tracer(Arc<Told>);

struct Told {
    tracer: BoxedTracer,
    propagator: Box<dyn TextMapPropagator + Send + Sync>,
    shows_texts: bool,
}

/// The trace of one request. Cheap to clone; clones are the same.
#[derive(Clone)]
pub struct Trace {
    tracer: Tracer,
    /// With the span that parts go below.
    context: Context,
    /// One moment by both clocks.
    moment: (Instant, SystemTime),
    /// Parts that were told.
    told: Arc<AtomicU32>,
}

/// A part of a request that is over.
#[derive(Clone, Debug)]
pub struct Part {
    /// What was done.
    pub name: Cow<'static, str>,
    /// When it began.
    pub begun: Instant,
    /// When it was over.
    pub ended: Instant,
    /// What there is to say of it.
    pub attributes: Vec<KeyValue>,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

impl std::fmt::Debug for Tracer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tracer")
    }
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Trace").field(&self.context.span().span_context().trace_id()).finish()
    }
}

impl Tracer {
    /// One that gives spans to `tracer`. `propagator` reads from a request's headers what it is a part of; `shows_texts`: the texts
    /// of queries are told, too.
    pub fn new(
        tracer: impl ObjectSafeTracer + Send + Sync + 'static,
        propagator: impl TextMapPropagator + Send + Sync + 'static,
        shows_texts: bool,
    ) -> Self {
        let tracer = BoxedTracer::new(Box::new(tracer));
        Self(Arc::new(Told { tracer, propagator: Box::new(propagator), shows_texts }))
    }

    /// What a request with these headers is a part of.
    pub(crate) fn parent(&self, headers: &HeaderMap) -> Context {
        struct Headers<'a>(&'a HeaderMap);
        impl Extractor for Headers<'_> {
            fn get(&self, key: &str) -> Option<&str> {
                self.0.get(key).and_then(|value| value.to_str().ok())
            }
            fn keys(&self) -> Vec<&str> {
                self.0.keys().map(hyper::header::HeaderName::as_str).collect()
            }
        }
        self.0.propagator.extract_with_context(&Context::new(), &Headers(headers))
    }

    /// A request that was made at `asked` on the graph reached as `source`; `None` if nobody wants to know of it.
    pub(crate) fn begin(&self, parent: Option<&Context>, asked: Instant, source: &str) -> Option<Trace> {
        let moment = (Instant::now(), SystemTime::now());
        let root = Context::new();
        let parent = parent.unwrap_or(&root);
        let builder = SpanBuilder::from_name(format!("gremlin {source}"))
            .with_kind(SpanKind::Server)
            .with_start_time(at(moment, asked));
        let span = self.0.tracer.build_with_context(builder, parent);
        let is_sampled = span.span_context().is_sampled();
        let context = parent.with_span(span);
        is_sampled.then(|| Trace { tracer: self.clone(), context, moment, told: Arc::default() })
    }
}

impl Trace {
    /// Tells of a part; what parts it had itself go below what is returned.
    pub fn add(&self, part: Part) -> Self {
        if self.told.fetch_add(1, Ordering::Relaxed) >= MOST {
            return self.clone();
        }
        let Part { name, begun, ended, attributes, error } = part;
        let builder =
            SpanBuilder::from_name(name).with_start_time(at(self.moment, begun)).with_attributes(attributes);
        let mut span = self.tracer.0.tracer.build_with_context(builder, &self.context);
        if let Some(error) = error {
            span.set_status(Status::error(error));
        }
        span.end_with_timestamp(at(self.moment, ended));
        Self { context: self.context.with_span(span), ..self.clone() }
    }

    /// Whether the texts of queries may be told.
    pub fn shows_texts(&self) -> bool {
        self.tracer.0.shows_texts
    }

    /// The request is over.
    pub(crate) fn end(&self, mut attributes: Vec<KeyValue>, error: Option<String>) {
        let span = self.context.span();
        let left_out = self.told.load(Ordering::Relaxed).saturating_sub(MOST);
        if left_out > 0 {
            attributes.push(KeyValue::new("mangrove.parts_left_out", i64::from(left_out)));
        }
        span.set_attributes(attributes);
        if let Some(error) = error {
            span.set_status(Status::error(error));
        }
        span.end();
    }
}

impl Part {
    /// One that was no failure.
    pub fn new(name: impl Into<Cow<'static, str>>, begun: Instant, ended: Instant) -> Self {
        Self { name: name.into(), begun, ended, attributes: Vec::new(), error: None }
    }

    /// With something to say of it.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<opentelemetry::Value>) -> Self {
        self.attributes.push(KeyValue::new(key, value));
        self
    }
}

/// An instant by the clock on the wall.
fn at((instant, time): (Instant, SystemTime), asked: Instant) -> SystemTime {
    match asked.checked_duration_since(instant) {
        Some(later) => time + later,
        None => time - instant.duration_since(asked),
    }
}
