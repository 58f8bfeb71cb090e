//! The settings of traces.

use serde::{Deserialize, Serialize};

use super::ConfigError;

/// Who is told what becomes of requests, part by part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TracesConfig {
    /// Where a collector of OpenTelemetry takes OTLP over HTTP, as in `http://localhost:4318`; empty: nobody is told.
    pub endpoint: String,
    /// The share of the requests that are traced, of those that say nothing of it themselves; 1 for all.
    pub ratio: f64,
    /// Whether the texts of queries are told, and the messages of errors.
    pub texts: bool,
}

impl Default for TracesConfig {
    fn default() -> Self {
        Self { endpoint: String::new(), ratio: 1.0, texts: false }
    }
}

impl TracesConfig {
    /// The URL that traces are posted to, if there is one.
    pub fn url(&self) -> Option<String> {
        if self.endpoint.is_empty() {
            return None;
        }
        let base = self.endpoint.trim_end_matches('/');
        let has_path = base.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        Some(if has_path { base.to_owned() } else { format!("{base}/v1/traces") })
    }

    /// Refuses what is no URL, and shares of more than all.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let wrong =
            |origin: &str, reason: String| Err(ConfigError::Invalid { origin: origin.into(), reason });
        let is_url = ["http://", "https://"]
            .iter()
            .any(|scheme| self.endpoint.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
        if !self.endpoint.is_empty() && !is_url {
            return wrong(
                "traces.endpoint",
                format!("`{}` is no URL of a collector, such as http://localhost:4318", self.endpoint),
            );
        }
        let authority =
            self.endpoint.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or(rest));
        if authority.contains('@') {
            let problem =
                "names and passwords are no part of it; they are in a header, by OTEL_EXPORTER_OTLP_HEADERS";
            return wrong("traces.endpoint", problem.into());
        }
        if !(0.0..=1.0).contains(&self.ratio) {
            return wrong("traces.ratio", format!("{} is no share between 0 and 1", self.ratio));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_named_by_its_address_or_by_all_of_its_url() {
        let url =
            |endpoint: &str| TracesConfig { endpoint: endpoint.into(), ..TracesConfig::default() }.url();
        assert_eq!(url(""), None);
        for address in ["http://localhost:4318", "http://localhost:4318/"] {
            assert_eq!(url(address).as_deref(), Some("http://localhost:4318/v1/traces"));
        }
        assert_eq!(
            url("https://otlp.example.com/a/v1/traces").as_deref(),
            Some("https://otlp.example.com/a/v1/traces")
        );
    }

    #[test]
    fn what_is_no_url_and_more_than_all_is_refused() {
        for wrong in ["localhost:4318", "http://", "grpc://localhost:4317"] {
            let config = TracesConfig { endpoint: wrong.into(), ..TracesConfig::default() };
            assert!(config.check().is_err(), "{wrong}");
        }
        for ratio in [-0.1, 1.1, f64::NAN] {
            assert!(TracesConfig { ratio, ..TracesConfig::default() }.check().is_err());
        }
        assert!(TracesConfig::default().check().is_ok());
    }
}
