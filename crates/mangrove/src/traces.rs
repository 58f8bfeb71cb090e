//! Traces on their way to a collector of OpenTelemetry.
//!
//! Spans that are over wait in a queue of a few thousand, of which a thread of its own sends batches; what the queue has no room for is
//! left out, so that no request waits for a collector.

use mangrove::config::TracesConfig;
use server::Tracer;

use crate::failure::Failure;

#[cfg(feature = "otlp")]
pub use exporting::Traces;

/// Starts telling the collector that the configuration names, if it names one.
///
/// # Errors
/// If that cannot be.
#[cfg(feature = "otlp")]
pub fn start(config: &TracesConfig) -> Result<Option<(Tracer, Traces)>, Failure> {
    config.url().map(|url| exporting::start(config, url)).transpose()
}

/// There is none in this build.
#[cfg(not(feature = "otlp"))]
pub enum Traces {}

/// The same of a build that cannot.
///
/// # Errors
/// If the configuration names a collector.
#[cfg(not(feature = "otlp"))]
pub fn start(config: &TracesConfig) -> Result<Option<(Tracer, Traces)>, Failure> {
    match config.url() {
        None => Ok(None),
        Some(_) => Err(Failure::Usage(
            "traces.endpoint is set, and this build cannot send traces; take one with the feature `otlp`"
                .into(),
        )),
    }
}

#[cfg(feature = "otlp")]
mod exporting {
    use std::{
        sync::Arc,
        time::{Duration, Instant},
    };

    use opentelemetry::trace::TracerProvider;
    use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
    use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
    use opentelemetry_sdk::{
        Resource,
        propagation::TraceContextPropagator,
        trace::{Sampler, SdkTracerProvider},
    };
    use parking_lot::Mutex;
    use rustls::crypto::ring;
    use server::Tracer;
    use ureq::tls::{Certificate, RootCerts, TlsConfig};

    use crate::failure::Failure;
    use mangrove::config::TracesConfig;

    /// How long a batch may take on its way.
    const PATIENCE: Duration = Duration::from_secs(10);

    /// How long the end of the process waits for the last ones.
    const LAST: Duration = Duration::from_secs(3);

    /// How often it is said that a collector cannot be told.
    const COMPLAINTS: Duration = Duration::from_secs(60);

    /// Tells a collector, until this is dropped: what waits is sent then.
    pub struct Traces(SdkTracerProvider);

    impl Drop for Traces {
        fn drop(&mut self) {
            if let Err(error) = self.0.shutdown_with_timeout(LAST) {
                tracing::warn!(%error, "the last traces were not sent");
            }
        }
    }

    pub(super) fn start(config: &TracesConfig, url: String) -> Result<(Tracer, Traces), Failure> {
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Post::new())
            .with_endpoint(&url)
            .build()
            .map_err(|error| Failure::Usage(format!("traces.endpoint: {error}")))?;
        let resource = Resource::builder();
        let resource = match std::env::var_os("OTEL_SERVICE_NAME") {
            Some(_) => resource,
            None => resource.with_service_name("mangrove"),
        };
        let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(config.ratio))))
            .with_resource(resource.with_attribute(version).build())
            .build();
        tracing::info!(collector = %url, ratio = config.ratio, "requests are traced");
        let tracer = Tracer::new(provider.tracer("mangrove"), TraceContextPropagator::new(), config.texts);
        Ok((tracer, Traces(provider)))
    }

    /// Posts batches, on the thread that asks for it.
    #[derive(Debug)]
    struct Post {
        agent: ureq::Agent,
        complained: Mutex<Option<Instant>>,
    }

    impl Post {
        fn new() -> Self {
            let trusted = rustls_native_certs::load_native_certs().certs;
            let trusted = trusted.iter().map(|der| Certificate::from_der(der).to_owned());
            let tls = TlsConfig::builder()
                .root_certs(RootCerts::Specific(Arc::new(trusted.collect())))
                .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
                .build();
            let config = ureq::Agent::config_builder()
                .tls_config(tls)
                .timeout_global(Some(PATIENCE))
                .http_status_as_error(false)
                .max_redirects(0)
                .build();
            Self { agent: config.into(), complained: Mutex::new(None) }
        }

        fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
            let (head, body) = request.into_parts();
            let mut response = self.agent.run(Request::from_parts(head, body.to_vec()))?;
            let body = Bytes::from(response.body_mut().read_to_vec()?);
            let status = response.status();
            if !status.is_success() {
                self.complain(&status);
            }
            let mut answer = Response::new(body);
            (*answer.status_mut(), *answer.headers_mut()) = (status, std::mem::take(response.headers_mut()));
            Ok(answer)
        }

        fn complain(&self, what: &dyn std::fmt::Display) {
            let mut complained = self.complained.lock();
            if complained.is_none_or(|at| at.elapsed() >= COMPLAINTS) {
                *complained = Some(Instant::now());
                tracing::warn!(error = %what, "the collector of traces does not take them; they are lost");
            }
        }
    }

    #[async_trait::async_trait]
    impl HttpClient for Post {
        async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
            self.send(request).inspect_err(|error| self.complain(error))
        }
    }
}
