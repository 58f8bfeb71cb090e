//! TLS: certificates from files, which may be read again while connections are open.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use parking_lot::RwLock;
use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
};
use tokio_rustls::TlsAcceptor;

/// Where the parts are, as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, with those that it is signed by behind it.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// The authorities of which clients must have a certificate; without, they need none.
    pub client_authorities: Option<PathBuf>,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}", path = path.display())]
pub struct TlsError {
    path: PathBuf,
    reason: String,
}

/// TLS 1.2 and 1.3, with ring. What is read again counts for connections that come from then on.
pub struct Tls {
    files: TlsFiles,
    config: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// If one cannot be read, or they do not fit together.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let config = RwLock::new(config(&files)?);
        Ok(Self { files, config })
    }

    /// Reads the files again. What was read before stays if they are none.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn reload(&self) -> Result<(), TlsError> {
        let new = config(&self.files)?;
        *self.config.write() = new;
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.read().clone())
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}

fn config(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let failed = |path: &Path, reason: String| TlsError { path: path.into(), reason };
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&files.certificate, error.to_string()))?;
    let builder = match &files.client_authorities {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)? {
                roots.add(authority).map_err(|error| failed(path, error.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| failed(path, error.to_string()))?)
        }
    };
    let key = read(&files.key)?;
    let key = PrivateKeyDer::from_pem_slice(&key)
        .map_err(|error| failed(&files.key, format!("expected a private key as PEM: {error}")))?;
    let mut config = builder
        .with_single_cert(certificates(&files.certificate)?, key)
        .map_err(|error| failed(&files.certificate, format!("it does not fit its key: {error}")))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(path)?;
    let failed = |reason: String| TlsError { path: path.into(), reason };
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let all = all.map_err(|error| failed(format!("expected certificates as PEM: {error}")))?;
    if all.is_empty() {
        return Err(failed("expected certificates as PEM, and there is none".into()));
    }
    Ok(all)
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|error: io::Error| TlsError { path: path.into(), reason: error.to_string() })
}
