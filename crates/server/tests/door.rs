//! Who may ask: real WebSocket clients and curl, with the headers that browsers send for pages and those of programs.

mod support;

use std::process::Command;

use serde_json::Value as Json;
use server::ServerOptions;
use support::{
    Client, Serving,
    http::{exchange, post_to, post_with},
};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    client_async,
    tungstenite::{
        self,
        client::IntoClientRequest,
        http::{HeaderName, HeaderValue},
    },
};

const COUNT: &str = r#"{"gremlin":"g.count(1)"}"#;

/// Allows the pages of one origin, and one name.
fn options() -> ServerOptions {
    ServerOptions {
        allowed_origins: vec!["https://app.example.com".parse().unwrap()],
        allowed_hosts: vec!["db.example.com".parse().unwrap()],
        ..ServerOptions::default()
    }
}

/// Opens a WebSocket with these headers (a `host` among them takes the place of the usual one); the status if refused.
async fn open(serving: &Serving, headers: &[(&str, &str)]) -> Result<Client, u16> {
    let mut request = format!("ws://{}/gremlin", serving.address).into_client_request().unwrap();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
    }
    let stream = TcpStream::connect(serving.address).await.unwrap();
    match client_async(request, stream).await {
        Ok((socket, _)) => Ok(Client::over(socket)),
        Err(tungstenite::Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

async fn status(serving: &Serving, request: &str) -> u16 {
    exchange(serving, request).await.0
}

fn nothing_was_asked(serving: &Serving) -> bool {
    serving.fake.last.lock().is_none()
}

/// Runs curl; the status, then what it printed. `URL` stands for the server's.
async fn curl(serving: &Serving, args: &[&str]) -> (u16, String) {
    let url = format!("http://{}", serving.address);
    let args: Vec<_> = args.iter().map(|arg| arg.replace("URL", &url)).collect();
    let run = move || Command::new("curl").args(["-s", "-i", "--max-time", "10"]).args(args).output();
    let output = tokio::task::spawn_blocking(run).await.unwrap().expect("curl is installed");
    let printed = String::from_utf8(output.stdout).unwrap();
    (
        printed.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {printed}")).parse().unwrap(),
        printed.to_lowercase(),
    )
}

#[tokio::test]
async fn a_websocket_opens_for_programs_and_own_and_allowed_pages_and_no_others() {
    let serving = Serving::start(options()).await;
    let own = format!("http://{}", serving.address);
    for headers in [
        vec![],
        vec![("origin", own.as_str())],
        vec![("origin", own.as_str()), ("sec-fetch-site", "same-origin")],
        vec![("origin", "https://app.example.com"), ("sec-fetch-site", "cross-site")],
        vec![("host", "db.example.com:8182")],
        vec![("host", "LocalHost"), ("origin", "http://localhost")],
        vec![("host", "proxy.internal"), ("authorization", "Basic eDp5")],
    ] {
        let mut client =
            open(&serving, &headers).await.unwrap_or_else(|status| panic!("{headers:?}: {status}"));
        client.eval("g.count(1)").await;
        assert_eq!(client.response().await.code(), 200, "{headers:?}");
    }
    serving.fake.last.lock().take();
    let (port, port_of_others) = (serving.address.port(), serving.address.port() ^ 1);
    let [neighbour, localhost, secure] = [
        format!("http://127.0.0.1:{port_of_others}"),
        format!("http://localhost:{port}"),
        format!("https://127.0.0.1:{port}"),
    ];
    let rebound = format!("http://evil.test:{port}");
    for headers in [
        vec![("origin", neighbour.as_str())],
        vec![("origin", localhost.as_str())],
        vec![("origin", secure.as_str())],
        vec![("origin", "null")],
        vec![("origin", "https://app.example.com.evil.test")],
        vec![("origin", own.as_str()), ("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
        vec![("host", "evil.test")],
        vec![("host", &rebound[7..]), ("origin", rebound.as_str())],
        vec![("host", &rebound[7..]), ("origin", rebound.as_str()), ("authorization", "Basic eDp5")],
    ] {
        assert_eq!(open(&serving, &headers).await.err(), Some(403), "{headers:?}");
    }
    assert!(nothing_was_asked(&serving));
}

#[tokio::test]
async fn a_refusal_says_which_setting_would_allow_it() {
    let serving = Serving::start(options()).await;
    for (headers, host, setting) in [
        ("origin: http://localhost:3000\r\n", "localhost", "server.allowed_origins"),
        ("sec-fetch-site: cross-site\r\n", "localhost", "server.allowed_origins"),
        ("", "mangrove.internal", "server.allowed_hosts"),
    ] {
        let (status, head, body) = exchange(&serving, post_to(host, COUNT, headers)).await;
        let body: Json = serde_json::from_slice(&body).unwrap();
        assert_eq!(status, 403);
        assert!(body["message"].as_str().unwrap().contains(setting), "{body}");
        assert!(head.contains("vary: origin") && !head.contains("access-control"), "{head}");
        assert!(!body.to_string().contains("db.example.com"), "names are not told: {body}");
    }
    assert!(nothing_was_asked(&serving));
}

#[tokio::test]
async fn only_an_allowed_origin_is_named_in_an_answer() {
    let serving = Serving::start(options()).await;
    let own = format!("origin: http://{}\r\n", serving.address);
    for (headers, named) in [
        ("", false),
        (own.as_str(), false),
        ("origin: https://app.example.com\r\n", true),
        ("origin: https://other.example.com\r\n", false),
        ("origin: null\r\n", false),
    ] {
        let (_, head, _) = exchange(&serving, post_to(&serving.address.to_string(), COUNT, headers)).await;
        let line = head.lines().find(|line| line.starts_with("access-control-allow-origin:"));
        assert_eq!(line, named.then_some("access-control-allow-origin: https://app.example.com"), "{head}");
        assert!(head.contains("vary: origin"), "{head}");
    }
    // So that the page can read what went wrong.
    let request = post_with("{", "origin: https://app.example.com\r\n");
    let (status, head, _) = exchange(&serving, request).await;
    assert!(status == 400 && head.contains("access-control-allow-origin"), "{head}");
}

#[tokio::test]
async fn a_preflight_is_answered_for_allowed_origins() {
    let serving = Serving::start(options()).await;
    let preflight = |origin: &str| {
        format!(
            "OPTIONS /gremlin HTTP/1.1\r\nhost: localhost\r\norigin: {origin}\r\nconnection: close\r\n\
             access-control-request-method: POST\r\naccess-control-request-headers: content-type\r\n\
             sec-fetch-site: cross-site\r\nsec-fetch-mode: cors\r\n\r\n"
        )
    };
    let (status, head, body) = exchange(&serving, preflight("https://app.example.com")).await;
    assert_eq!((status, body.len()), (204, 0));
    for line in [
        "access-control-allow-origin: https://app.example.com",
        "access-control-allow-methods: get, post",
        "access-control-allow-headers: accept, authorization, content-type",
    ] {
        assert!(head.contains(line), "{head}");
    }
    let (status, head, _) = exchange(&serving, preflight("https://other.example.com")).await;
    assert_eq!(status, 403);
    assert!(!head.contains("access-control"), "{head}");
    let plain = "OPTIONS /gremlin HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let (status, head, _) = exchange(&serving, plain).await;
    assert!(
        status == 204 && head.contains("allow: get, post, options") && !head.contains("access-control"),
        "{head}"
    );
}

#[tokio::test]
async fn the_host_is_that_of_the_one_header_or_of_the_target() {
    let serving = Serving::start(options()).await;
    let request = |target: &str, hosts: &str| {
        format!(
            "POST {target} HTTP/1.1\r\n{hosts}connection: close\r\ncontent-length: {}\r\n\r\n{COUNT}",
            COUNT.len()
        )
    };
    for (target, hosts, expected) in [
        ("/gremlin", "Host: LOCALHOST:1\r\n", 200),
        ("/gremlin", "host: [::1]:8182\r\n", 200),
        ("/gremlin", "host: 192.0.2.7\r\n", 200),
        ("/gremlin", "host: localhost.\r\n", 200),
        ("/gremlin", "", 400),
        ("/gremlin", "host:\r\n", 400),
        ("/gremlin", "host: localhost\r\nhost: localhost\r\n", 400),
        ("/gremlin", "host: user@localhost\r\n", 400),
        ("/gremlin", "host: localhost, evil.test\r\n", 400),
        ("/gremlin", "host: evil.test\r\n", 403),
        ("/", "host: evil.test\r\n", 403),
        ("http://localhost/gremlin", "host: localhost\r\n", 200),
        ("http://evil.test/gremlin", "host: localhost\r\n", 403),
        ("http://user@localhost/gremlin", "host: localhost\r\n", 400),
    ] {
        assert_eq!(status(&serving, &request(target, hosts)).await, expected, "{target} {hosts}");
    }
    let old = format!("POST /gremlin HTTP/1.0\r\ncontent-length: {}\r\n\r\n{COUNT}", COUNT.len());
    assert_eq!(status(&serving, &old).await, 400, "a query needs a host in every version");
}

#[tokio::test]
async fn health_and_metrics_are_answered_under_any_name() {
    let serving = Serving::start(options()).await;
    for path in ["/health", "/metrics"] {
        for headers in ["host: evil.test\r\n", "host: localhost\r\norigin: http://evil.test\r\n"] {
            let request = format!("GET {path} HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
            let (status, head, _) = exchange(&serving, request).await;
            assert_eq!(status, 200);
            assert!(!head.contains("access-control"), "no page can read it: {head}");
        }
        assert_eq!(status(&serving, &format!("GET {path} HTTP/1.0\r\n\r\n")).await, 200);
    }
}

#[tokio::test]
async fn curl_works_whatever_its_content_type() {
    let serving = Serving::start(options()).await;
    for content_type in ["application/json", "text/plain", "application/x-www-form-urlencoded"] {
        let header = format!("content-type: {content_type}");
        assert_eq!(
            curl(&serving, &["URL/gremlin", "-d", COUNT, "-H", &header]).await.0,
            200,
            "{content_type}"
        );
    }
    assert_eq!(curl(&serving, &["URL/gremlin", "-d", COUNT]).await.0, 200);
    assert_eq!(curl(&serving, &["URL/gremlin?gremlin=g.count(1)"]).await.0, 200);
    assert_eq!(
        curl(&serving, &["URL/gremlin", "-d", COUNT, "-u", "x:y", "-H", "host: any.name"]).await.0,
        200
    );
    assert_eq!(curl(&serving, &["URL/health", "-H", "host: any.name"]).await.0, 200);
}

#[tokio::test]
async fn curl_is_refused_what_pages_from_elsewhere_would_send() {
    let serving = Serving::start(options()).await;
    let foreign = format!("origin: http://localhost:{}", serving.address.port() ^ 1);
    let get = "URL/gremlin?gremlin=g.count(1)";
    for args in [
        vec!["URL/gremlin", "-d", COUNT, "-H", foreign.as_str(), "-H", "content-type: text/plain"],
        vec!["URL/gremlin", "-d", COUNT, "-H", foreign.as_str(), "-u", "x:y"],
        vec!["URL/gremlin", "-d", COUNT, "-H", "origin: null"],
        vec![get, "-H", foreign.as_str()],
        vec![get, "-H", "sec-fetch-site: cross-site", "-H", "sec-fetch-mode: no-cors"],
        vec![get, "-H", "sec-fetch-site: same-site", "-H", "sec-fetch-mode: navigate"],
        vec![get, "-H", "host: evil.test"],
        vec!["-X", "OPTIONS", "URL/gremlin", "-H", foreign.as_str()],
    ] {
        let (status, printed) = curl(&serving, &args).await;
        assert_eq!(status, 403, "{args:?}");
        assert!(!printed.contains("access-control"), "{printed}");
    }
    assert!(nothing_was_asked(&serving));
    let allowed = ["URL/gremlin", "-d", COUNT, "-H", "origin: https://app.example.com"];
    let (status, printed) = curl(&serving, &allowed).await;
    assert!(
        status == 200 && printed.contains("access-control-allow-origin: https://app.example.com"),
        "{printed}"
    );
    assert_eq!(curl(&serving, &["URL/gremlin?gremlin=g.write()"]).await.0, 405);
}
