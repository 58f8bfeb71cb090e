//! The studio: what is served at `/`, who can log in on it, and that its cookie is good for nobody else.

mod support;

use access::{Gate, Grants, Role};
use serde_json::Value as Json;
use server::{Security, ServerOptions};
use support::{Serving, http::exchange};

/// What the requests of a page have that shows nobody, and of one that shows ada.
const OWN: &str = "x-mangrove-studio: \r\nsec-fetch-site: same-origin\r\n";
const ADAS: &str = "x-mangrove-studio: ada\r\nsec-fetch-site: same-origin\r\n";
const COUNT: &str = r#"{"gremlin":"g.count(1)"}"#;

/// A server with ada, who may read g.
async fn serving() -> (Serving, Gate) {
    let gate = Gate::of_nobody();
    gate.add_user("root", Some("the root of it"), Grants::everywhere(Role::Admin)).unwrap();
    let mut grants = Grants::default();
    grants.set("g", Some(Role::Read));
    gate.add_user("ada", Some("countess1815"), grants).unwrap();
    let security = Security { gate: gate.clone(), ..Security::default() };
    (Serving::start_secured(ServerOptions::default(), security).await, gate)
}

async fn ask(serving: &Serving, line: &str, headers: &str, body: &str) -> (u16, String, String) {
    let length = body.len();
    let request = format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    );
    let (status, head, body) = exchange(serving, request).await;
    (status, head, String::from_utf8_lossy(&body).into_owned())
}

/// Logs in, and gives the header with the cookie.
async fn log_in(serving: &Serving, user: &str, password: &str) -> Result<String, u16> {
    let body = serde_json::json!({ "user": user, "password": password }).to_string();
    let (status, head, _) = ask(serving, "POST /studio/login", OWN, &body).await;
    if status != 200 {
        return Err(status);
    }
    let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    for word in ["httponly", "samesite=strict", "path=/", "max-age=43200"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    Ok(format!("cookie: {}\r\n", cookie.split(';').next().unwrap()))
}

async fn session(serving: &Serving, headers: &str) -> Json {
    let (status, _, body) = ask(serving, "GET /studio/session", &format!("{OWN}{headers}"), "").await;
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

#[tokio::test]
async fn the_page_is_at_the_root_with_a_strict_policy_and_queries_are_answered_there_still() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (status, head, body) = ask(&serving, "GET /", "", "").await;
    assert_eq!(status, 200);
    assert!(head.contains("content-type: text/html") && body.contains("Mangrove"), "{head}");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self';",
        "frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-cache",
    ] {
        assert!(head.contains(header), "{header}: {head}");
    }
    assert!(!head.contains("unsafe"), "{head}");
    assert_eq!(ask(&serving, "GET /?gremlin=g.count(1)", "", "").await.0, 200);
    assert_eq!(ask(&serving, "POST /", "content-type: application/json\r\n", COUNT).await.0, 200);
    assert_eq!(ask(&serving, "GET /studio/nothing.js", "", "").await.0, 404);
    assert_eq!(ask(&serving, "PUT /studio/nothing.js", "", "").await.0, 405);
    serving.stop().await;
}

#[tokio::test]
async fn without_the_studio_nothing_of_it_is_there() {
    let serving = Serving::start(ServerOptions { studio: false, ..ServerOptions::default() }).await;
    assert_eq!(ask(&serving, "GET /", "", "").await.0, 400, "a query without a script, as ever");
    for path in ["/studio/session", "/studio/a.js"] {
        assert_eq!(ask(&serving, &format!("GET {path}"), OWN, "").await.0, 404, "{path}");
    }
    assert_eq!(ask(&serving, "POST /studio/login", OWN, "{}").await.0, 404);
    serving.stop().await;
}

#[tokio::test]
async fn where_there_are_no_users_nobody_is_a_stranger() {
    let serving = Serving::start(ServerOptions::default()).await;
    let told = session(&serving, "").await;
    assert_eq!((&told["stranger"], &told["user"]), (&Json::Bool(false), &Json::Null));
    assert!(told["sources"].as_array().unwrap().contains(&"g".into()), "{told}");
    serving.stop().await;
}

#[tokio::test]
async fn who_logs_in_gets_a_cookie_that_no_script_can_read_and_may_ask_by_it() {
    let (serving, _) = serving().await;
    assert_eq!(session(&serving, "").await["stranger"], true);
    let (status, head, _) = ask(&serving, "POST /gremlin", OWN, COUNT).await;
    assert_eq!(status, 401);
    assert!(!head.contains("www-authenticate"), "a browser would ask by itself: {head}");
    assert_eq!(log_in(&serving, "ada", "wrong").await, Err(401));
    assert_eq!(log_in(&serving, "nobody", "countess1815").await, Err(401));
    let cookie = log_in(&serving, "ada", "countess1815").await.unwrap();
    let told = session(&serving, &cookie).await;
    assert_eq!((&told["user"], &told["admin"]), (&"ada".into(), &Json::Bool(false)));
    assert_eq!(told["sources"], serde_json::json!(["g"]));
    assert_eq!(ask(&serving, "POST /gremlin", &format!("{ADAS}{cookie}"), COUNT).await.0, 200);
    let last = serving.fake.last.lock().clone().unwrap();
    assert_eq!((last.client.user.as_deref(), last.rights.here), (Some("ada"), Some(Role::Read)));
    for line in ["GET /metrics", "GET /gremlin/status"] {
        assert_eq!(ask(&serving, line, &format!("{ADAS}{cookie}"), "").await.0, 200, "{line}");
    }
    assert!(serving.other.last.lock().is_none());
    serving.stop().await;
}

#[tokio::test]
async fn a_stranger_sends_no_more_than_a_login_may_have() {
    let (serving, _) = serving().await;
    let body = format!(r#"{{"user":"ada","password":"{}"}}"#, "x".repeat(16 << 10));
    let (status, _, told) = ask(&serving, "POST /studio/login", OWN, &body).await;
    assert!(status == 413 && told.contains("16384"), "{status} {told}");
    assert!(log_in(&serving, "ada", "countess1815").await.is_ok());
    serving.stop().await;
}

#[tokio::test]
async fn a_token_in_place_of_a_password_needs_no_name() {
    let (serving, gate) = serving().await;
    let token = gate.registry().add_token("root", "studio", Some(Role::Read), None).unwrap();
    let cookie = log_in(&serving, "", &token).await.unwrap();
    assert_eq!(session(&serving, &cookie).await["user"], "root");
    serving.stop().await;
}

#[tokio::test]
async fn the_cookie_is_good_in_no_request_that_another_page_can_make() {
    let (serving, _) = serving().await;
    let cookie = log_in(&serving, "ada", "countess1815").await.unwrap();
    let json = "content-type: application/json\r\n";
    for (headers, expected) in [
        // What any page can send: no header of the studio's.
        (json.to_owned(), 401),
        (format!("{json}sec-fetch-site: same-origin\r\n"), 401),
        (format!("{json}origin: http://localhost\r\n"), 401),
        // With it, but from elsewhere.
        (format!("{json}x-mangrove-studio: ada\r\nsec-fetch-site: same-site\r\n"), 403),
        (format!("{json}x-mangrove-studio: ada\r\nsec-fetch-site: cross-site\r\n"), 403),
        (format!("{json}x-mangrove-studio: ada\r\norigin: http://localhost:3000\r\n"), 403),
        (format!("{json}x-mangrove-studio: ada\r\nsec-fetch-site: none\r\n"), 401),
    ] {
        let (status, _, body) = ask(&serving, "POST /gremlin", &format!("{headers}{cookie}"), COUNT).await;
        assert_eq!(status, expected, "{headers}{body}");
    }
    for headers in
        ["", "sec-fetch-site: cross-site\r\nx-mangrove-studio: ada\r\n", "sec-fetch-site: same-origin\r\n"]
    {
        assert_eq!(
            ask(&serving, "GET /metrics", &format!("{headers}{cookie}"), "").await.0,
            401,
            "{headers}"
        );
        assert_eq!(ask(&serving, "GET /studio/session", &format!("{headers}{cookie}"), "").await.0, 403);
        assert_eq!(ask(&serving, "POST /studio/logout", &format!("{headers}{cookie}"), "").await.0, 403);
    }
    // A handshake is let in, and asked who it is on the WebSocket, as without a cookie.
    let handshake =
        format!("{ADAS}upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n");
    for line in ["POST /gremlin", "GET /metrics"] {
        assert_eq!(ask(&serving, line, &format!("{handshake}{cookie}"), COUNT).await.0, 401, "{line}");
    }
    assert!(serving.fake.last.lock().is_none());
    serving.stop().await;
}

#[tokio::test]
async fn no_preflight_lets_another_page_send_what_the_studio_sends() {
    let origin = "https://app.example.com";
    let options =
        ServerOptions { allowed_origins: vec![origin.parse().unwrap()], ..ServerOptions::default() };
    let serving = Serving::start(options).await;
    let headers = format!(
        "origin: {origin}\r\naccess-control-request-method: POST\r\naccess-control-request-headers: x-mangrove-studio\r\n"
    );
    let (_, head, _) = ask(&serving, "OPTIONS /gremlin", &headers, "").await;
    assert!(head.contains("access-control-allow-headers") && !head.contains("x-mangrove-studio"), "{head}");
    let (_, head, _) = ask(&serving, "OPTIONS /studio/login", &headers, "").await;
    assert!(!head.contains("access-control-allow"), "{head}");
    serving.stop().await;
}

#[tokio::test]
async fn who_logs_out_is_removed_or_gets_another_password_is_a_stranger_again() {
    let (serving, gate) = serving().await;
    let first = log_in(&serving, "ada", "countess1815").await.unwrap();
    let second = log_in(&serving, "ada", "countess1815").await.unwrap();
    let (status, head, _) = ask(&serving, "POST /studio/logout", &format!("{ADAS}{first}"), "").await;
    assert!(status == 200 && head.contains("max-age=0"), "{head}");
    assert_eq!(session(&serving, &first).await["stranger"], true);
    assert_eq!(session(&serving, &second).await["user"], "ada");
    gate.set_password("ada", Some("another one of hers")).unwrap();
    assert_eq!(session(&serving, &second).await["stranger"], true);
    let third = log_in(&serving, "ada", "another one of hers").await.unwrap();
    gate.registry().remove("ada").unwrap();
    assert_eq!(session(&serving, &third).await["stranger"], true);
    serving.stop().await;
}

#[tokio::test]
async fn a_page_that_shows_one_user_asks_nothing_as_another() {
    let (serving, gate) = serving().await;
    gate.add_user("grace o'höpper+", Some("nanoseconds"), Grants::everywhere(Role::Write)).unwrap();
    let cookie = log_in(&serving, "grace o'höpper+", "nanoseconds").await.unwrap();
    let own = "x-mangrove-studio: grace%20o'h%C3%B6pper%2B\r\nsec-fetch-site: same-origin\r\n";
    assert_eq!(ask(&serving, "POST /gremlin", &format!("{own}{cookie}"), COUNT).await.0, 200);
    serving.fake.last.lock().take();
    for shown in [ADAS, OWN, "x-mangrove-studio: %ff\r\n", "x-mangrove-studio: %4\r\n"] {
        for line in [
            "POST /gremlin",
            "GET /metrics",
            "GET /gremlin/status",
            "POST /gremlin/explain",
            "POST /studio/logout",
        ] {
            let (status, head, body) = ask(&serving, line, &format!("{shown}{cookie}"), COUNT).await;
            assert!(
                status == 401 && body.contains("mangrove.OtherUserError"),
                "{shown}{line} {status} {body}"
            );
            assert!(!head.contains("www-authenticate") && !head.contains("set-cookie"), "{head}");
        }
        // It may ask who is logged in now.
        let (_, _, body) = ask(&serving, "GET /studio/session", &format!("{shown}{cookie}"), "").await;
        assert!(body.contains("grace o'höpper+"), "{body}");
    }
    assert!(serving.fake.last.lock().is_none());
    serving.stop().await;
}

#[tokio::test]
async fn a_cookie_is_named_for_the_port_and_none_of_another_page_stands_in_its_way() {
    let (serving, _) = serving().await;
    let cookie = log_in(&serving, "ada", "countess1815").await.unwrap();
    let pair = cookie.trim().strip_prefix("cookie: ").unwrap();
    assert!(pair.starts_with("mangrove-studio-80="), "{pair}");
    let secret = pair.split_once('=').unwrap().1;
    for (cookies, status) in [
        (format!("mangrove-studio-80=zz; {pair}"), 200),
        (format!("{pair}; mangrove-studio-80=zz"), 200),
        (format!("mangrove-studio-443=zz; mangrove-studio-8182=zz; {pair}"), 200),
        (format!("mangrove-studio-8182={secret}"), 401),
        (format!("mangrove-studio={secret}"), 401),
    ] {
        let headers = format!("{ADAS}cookie: {cookies}\r\n");
        assert_eq!(ask(&serving, "POST /gremlin", &headers, COUNT).await.0, status, "{cookies}");
    }
    // Of two users, the page says which one it means.
    let of_root = log_in(&serving, "root", "the root of it").await.unwrap();
    let both = format!("{}; {}", of_root.trim(), pair);
    assert_eq!(ask(&serving, "POST /gremlin", &format!("{ADAS}{both}\r\n"), COUNT).await.0, 200);
    assert_eq!(serving.fake.last.lock().clone().unwrap().client.user.as_deref(), Some("ada"));
    serving.stop().await;
}

#[tokio::test]
async fn credentials_in_a_header_decide_whatever_the_cookie_says() {
    let (serving, _) = serving().await;
    let cookie = log_in(&serving, "root", "the root of it").await.unwrap();
    let own = "x-mangrove-studio: root\r\nsec-fetch-site: same-origin\r\n";
    let basic =
        |pair: &str| format!("authorization: Basic {}\r\n", data_encoding::BASE64.encode(pair.as_bytes()));
    for (pair, status) in [("ada:wrong", 401), ("ada:countess1815", 200)] {
        let headers = format!("{own}{cookie}{}", basic(pair));
        assert_eq!(ask(&serving, "POST /gremlin", &headers, COUNT).await.0, status, "{pair}");
    }
    assert_eq!(serving.fake.last.lock().clone().unwrap().client.user.as_deref(), Some("ada"));
    serving.stop().await;
}

#[tokio::test]
async fn guessing_is_slowed_down_as_elsewhere() {
    let (serving, _) = serving().await;
    let mut last = Ok(String::new());
    for _ in 0..8 {
        last = log_in(&serving, "ada", "guess").await;
    }
    assert_eq!(last, Err(429));
    serving.stop().await;
}
