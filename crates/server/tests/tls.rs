//! TLS: with a certificate, with certificates of clients, and with others after a while.

mod support;

use std::{fs, path::Path, sync::Arc};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject},
};
use server::{Security, ServerOptions, Tls, TlsFiles};
use support::{Serving, http::post_with};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// An authority, which everybody knows the certificate of.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A certificate for a name and its key, as PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec![name.into()]).unwrap().signed_by(&key, &self.0).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    /// A client who trusts it and shows a certificate, or none.
    fn client(&self, shown: Option<&(String, String)>) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.0.pem().as_bytes()).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match shown {
            None => builder.with_no_client_auth(),
            Some((certificate, key)) => {
                let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                builder.with_client_auth_cert(vec![certificate], key).unwrap()
            }
        };
        TlsConnector::from(Arc::new(config))
    }
}

fn write(directory: &Path, (certificate, key): &(String, String)) -> TlsFiles {
    let files = TlsFiles {
        certificate: directory.join("certificate.pem"),
        key: directory.join("key.pem"),
        client_authorities: None,
    };
    fs::write(&files.certificate, certificate).unwrap();
    fs::write(&files.key, key).unwrap();
    files
}

async fn serving(tls: &Arc<Tls>) -> Serving {
    let security = Security { tls: Some(tls.clone()), ..Security::default() };
    Serving::start_secured(ServerOptions::default(), security).await
}

async fn connect(serving: &Serving, connector: &TlsConnector) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(serving.address).await?;
    connector.connect(ServerName::try_from("localhost").unwrap(), stream).await
}

/// The status of a request, or what went wrong.
async fn ask(serving: &Serving, connector: &TlsConnector) -> std::io::Result<u16> {
    let mut stream = connect(serving, connector).await?;
    let request = post_with(r#"{"gremlin":"g.count(1)"}"#, "content-type: application/json\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    Ok(answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0))
}

#[tokio::test]
async fn http_and_websockets_go_over_tls_and_nothing_goes_without() {
    let (directory, authority) = (tempfile::tempdir().unwrap(), Authority::new());
    let tls = Arc::new(Tls::load(write(directory.path(), &authority.issue("localhost"))).unwrap());
    let serving = serving(&tls).await;
    let client = authority.client(None);
    assert_eq!(ask(&serving, &client).await.unwrap(), 200);
    let stream = connect(&serving, &client).await.unwrap();
    let (socket, _) = tokio_tungstenite::client_async("wss://localhost/gremlin", stream).await.unwrap();
    drop(socket);
    let mut plain = TcpStream::connect(serving.address).await.unwrap();
    plain.write_all(post_with(r#"{"gremlin":"g.count(1)"}"#, "").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"), "{}", String::from_utf8_lossy(&answer));
    assert!(ask(&serving, &Authority::new().client(None)).await.is_err(), "signed by somebody else");
    serving.stop().await;
}

#[tokio::test]
async fn pages_of_its_own_are_of_https() {
    let (directory, authority) = (tempfile::tempdir().unwrap(), Authority::new());
    let tls = Arc::new(Tls::load(write(directory.path(), &authority.issue("localhost"))).unwrap());
    let serving = serving(&tls).await;
    let status = async |origin: &str| {
        let mut stream = connect(&serving, &authority.client(None)).await.unwrap();
        let headers = format!("content-type: application/json\r\norigin: {origin}\r\n");
        stream.write_all(post_with(r#"{"gremlin":"g.count(1)"}"#, &headers).as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap().to_owned()
    };
    assert_eq!(
        (status("https://localhost").await.as_str(), status("http://localhost").await.as_str()),
        ("200", "403")
    );
    serving.stop().await;
}

#[tokio::test]
async fn clients_without_a_certificate_are_refused_where_they_need_one() {
    let (directory, authority, others) = (tempfile::tempdir().unwrap(), Authority::new(), Authority::new());
    let authorities = directory.path().join("authorities.pem");
    fs::write(&authorities, others.0.pem()).unwrap();
    let files = write(directory.path(), &authority.issue("localhost"));
    let tls = Arc::new(Tls::load(TlsFiles { client_authorities: Some(authorities), ..files }).unwrap());
    let serving = serving(&tls).await;
    assert!(!matches!(ask(&serving, &authority.client(None)).await, Ok(200)));
    let wrong = authority.issue("ada");
    assert!(!matches!(ask(&serving, &authority.client(Some(&wrong))).await, Ok(200)));
    let right = others.issue("ada");
    assert_eq!(ask(&serving, &authority.client(Some(&right))).await.unwrap(), 200);
    serving.stop().await;
}

#[tokio::test]
async fn files_are_read_again_and_those_that_are_none_change_nothing() {
    let (directory, authority, others) = (tempfile::tempdir().unwrap(), Authority::new(), Authority::new());
    let files = write(directory.path(), &authority.issue("localhost"));
    let tls = Arc::new(Tls::load(files.clone()).unwrap());
    let serving = serving(&tls).await;
    let before = connect(&serving, &authority.client(None)).await.unwrap();
    write(directory.path(), &others.issue("localhost"));
    tls.reload().unwrap();
    assert_eq!(ask(&serving, &others.client(None)).await.unwrap(), 200);
    assert!(ask(&serving, &authority.client(None)).await.is_err());
    drop(before);
    fs::write(&files.key, "no key").unwrap();
    let error = tls.reload().unwrap_err().to_string();
    assert!(error.contains("key.pem") && error.contains("expected a private key as PEM"), "{error}");
    write(directory.path(), &(others.issue("localhost").0, others.issue("localhost").1));
    let error = tls.reload().unwrap_err().to_string();
    assert!(error.contains("certificate.pem") && error.contains("does not fit its key"), "{error}");
    assert_eq!(ask(&serving, &others.client(None)).await.unwrap(), 200, "those of before stay");
    serving.stop().await;
}

#[tokio::test]
async fn who_connects_and_says_nothing_keeps_nobody_from_stopping_the_server() {
    let (directory, authority) = (tempfile::tempdir().unwrap(), Authority::new());
    let tls = Arc::new(Tls::load(write(directory.path(), &authority.issue("localhost"))).unwrap());
    let serving = serving(&tls).await;
    let _silent = TcpStream::connect(serving.address).await.unwrap();
    assert_eq!(ask(&serving, &authority.client(None)).await.unwrap(), 200);
    serving.stop().await;
}
