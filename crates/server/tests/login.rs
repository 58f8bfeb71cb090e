//! Who somebody is, over each protocol; and what follows from it.

mod support;

use std::{net::IpAddr, sync::Arc, time::Duration};

use access::{Gate, Grants, Rights, Role};
use data_encoding::BASE64;
use serde_json::{Value as Json, json};
use server::{Security, ServerOptions};
use support::{
    Client, Serving,
    http::{exchange, post_with},
};
use tokio::net::TcpStream;
use tokio_tungstenite::{client_async, tungstenite::client::IntoClientRequest};

const JSON: &str = "content-type: application/json\r\n";
const COUNT: &str = r#"{"gremlin":"g.count(1)"}"#;

/// A server with an admin, with ada, who may read g, and with grace, who may write other.
async fn serving_with(options: ServerOptions) -> (Serving, Gate) {
    let gate = Gate::of_nobody();
    gate.add_user("root", Some("the root of it"), Grants::everywhere(Role::Admin)).unwrap();
    for (name, password, graph, role) in
        [("ada", "countess1815", "g", Role::Read), ("grace", "amazing grace", "other", Role::Write)]
    {
        let mut grants = Grants::default();
        grants.set(graph, Some(role));
        gate.add_user(name, Some(password), grants).unwrap();
    }
    let security = Security { gate: gate.clone(), ..Security::default() };
    (Serving::start_secured(options, security).await, gate)
}

async fn serving() -> (Serving, Gate) {
    serving_with(ServerOptions::default()).await
}

fn basic(user: &str, password: &str) -> String {
    format!("authorization: Basic {}\r\n", BASE64.encode(format!("{user}:{password}").as_bytes()))
}

fn plain(user: &str, password: &str) -> Json {
    json!({ "sasl": BASE64.encode(format!("\0{user}\0{password}").as_bytes()), "saslMechanism": "PLAIN" })
}

async fn post(serving: &Serving, body: &str, headers: &str) -> (u16, String) {
    let (status, head, _) = exchange(serving, post_with(body, &format!("{JSON}{headers}"))).await;
    (status, head)
}

/// Logs in on a connection and gives the answer to the request that waited.
async fn log_in(client: &mut Client, user: &str, password: &str) -> (u64, String) {
    let id = client.eval("g.count(1)").await;
    let asked = client.response().await;
    assert_eq!((asked.code(), asked.id()), (407, id.as_str()));
    client.send("authentication", "traversal", plain(user, password)).await;
    let answer = client.response().await;
    assert_eq!(answer.id(), id, "it is the request that is answered");
    (answer.code(), answer.message().to_owned())
}

#[tokio::test]
async fn over_http_basic_and_bearer_tell_who_asks_and_nobody_else_comes_in() {
    let (serving, gate) = serving().await;
    let (status, head) = post(&serving, COUNT, "").await;
    assert_eq!(status, 401);
    assert!(head.contains("www-authenticate: basic realm="), "{head}");
    assert_eq!(post(&serving, COUNT, &basic("ada", "countess1815")).await.0, 200);
    let last = serving.fake.last.lock().clone().unwrap();
    assert_eq!((last.client.user.as_deref(), last.rights.here), (Some("ada"), Some(Role::Read)));
    let token = gate.registry().add_token("root", "ci", Some(Role::Write), None).unwrap();
    let bearer = |token: &str| format!("authorization: Bearer {token}\r\n");
    assert_eq!(post(&serving, COUNT, &bearer(&token)).await.0, 200);
    let last = serving.fake.last.lock().clone().unwrap();
    let both = Some(Role::Write);
    assert_eq!(
        (last.client.user.as_deref(), last.rights),
        (Some("root"), Rights { here: both, everywhere: both })
    );
    for headers in [
        basic("ada", "countess1816"),
        basic("nobody", "countess1815"),
        bearer("mgv_0"),
        "authorization: Basic !\r\n".into(),
        "authorization: Negotiate x\r\n".into(),
        format!("{}{}", basic("ada", "countess1815"), basic("ada", "countess1815")),
    ] {
        assert_eq!(post(&serving, COUNT, &headers).await.0, 401, "{headers}");
    }
    gate.registry().remove("ada").unwrap();
    assert_eq!(post(&serving, COUNT, &basic("ada", "countess1815")).await.0, 401, "remembered, and removed");
    serving.stop().await;
}

#[tokio::test]
async fn a_graph_without_a_role_is_not_asked() {
    let (serving, _) = serving().await;
    for body in [
        r#"{"gremlin":"other.count(1)"}"#,
        r#"{"gremlin":"g.count(1)","aliases":{"g":"other"}}"#,
        r#"{"gremlin":"g.count(1)","g":"other"}"#,
    ] {
        assert_eq!(post(&serving, body, &basic("ada", "countess1815")).await.0, 403, "{body}");
    }
    assert!(serving.other.last.lock().is_none() && serving.fake.last.lock().is_none());
    assert_eq!(post(&serving, COUNT, &basic("grace", "amazing grace")).await.0, 403);
    let body = r#"{"gremlin":"nowhere.count(1)"}"#;
    let (_, _, told) =
        exchange(&serving, post_with(body, &format!("{JSON}{}", basic("ada", "countess1815")))).await;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains("there are roles on: g\"") && !told.contains("other"), "{told}");
    serving.stop().await;
}

#[tokio::test]
async fn what_is_behind_other_paths_is_for_those_who_may_see_it() {
    let (serving, _) = serving().await;
    let get = async |path: &str, headers: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}connection: close\r\n\r\n");
        let (status, _, body) = exchange(&serving, request).await;
        (status, String::from_utf8(body).unwrap())
    };
    assert_eq!(get("/health", "").await, (200, r#"{"status":"ok"}"#.into()));
    let (status, seen) = get("/health", &basic("ada", "countess1815")).await;
    assert!(status == 200 && seen.contains(r#""sources":["g"]"#), "{seen}");
    assert_eq!(get("/health", &basic("ada", "wrong one")).await.0, 401);
    assert_eq!(get("/metrics", "").await.0, 401);
    let (status, seen) = get("/metrics", &basic("ada", "countess1815")).await;
    assert!(status == 200 && seen.contains(r#"graph="g""#) && !seen.contains(r#"graph="other""#), "{seen}");
    assert_eq!(get("/gremlin?gremlin=g.count(1)", "").await.0, 401);
    assert_eq!(get("/?gremlin=g.count(1)", "").await.0, 401);
    assert_eq!(get("/gremlin?gremlin=g.count(1)", &basic("ada", "countess1815")).await.0, 200);
    serving.stop().await;
}

#[tokio::test]
async fn a_websocket_asks_by_sasl_and_answers_what_waited() {
    let (serving, _) = serving().await;
    let mut client = serving.connect().await;
    assert_eq!(log_in(&mut client, "ada", "countess1815").await.0, 200);
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200, "once is enough");
    let refused = client.ask("eval", "", json!({ "gremlin": "other.count(1)" })).await;
    assert_eq!(refused.code(), 403, "{}", refused.message());
    let session = json!({ "gremlin": "g.count(1)", "session": "s" });
    assert_eq!(client.ask("eval", "session", session).await.code(), 200);
    let session = json!({ "gremlin": "other.count(1)", "session": "s" });
    assert_eq!(client.ask("eval", "session", session).await.code(), 403);
    serving.stop().await;
}

#[tokio::test]
async fn what_comes_while_the_client_says_who_it_is_is_answered_in_its_order() {
    let (serving, _) = serving().await;
    let mut client = serving.connect().await;
    let ids =
        [client.eval("g.count(1)").await, client.eval("g.count(2)").await, client.eval("g.count(3)").await];
    assert_eq!(client.response().await.code(), 407);
    client.send("authentication", "", plain("ada", "countess1815")).await;
    let mut answered = Vec::new();
    for _ in 0..3 {
        let answer = client.response().await;
        assert_eq!(answer.code(), 200);
        answered.push(answer.id().to_owned());
    }
    answered.sort();
    assert_eq!(answered, ids);
    serving.stop().await;
}

#[tokio::test]
async fn what_is_long_is_not_read_before_it_is_known_who_sends_it() {
    let (serving, _) = serving().await;
    let mut client = serving.connect().await;
    // It would take more than any query may hold, which nobody has looked at yet.
    let lists = json!({ "gremlin": "g.count(1)", "bindings": { "x": vec![json!([[]]); 20_000] } });
    let many = client.send("eval", "", lists).await;
    let asked = client.response().await;
    assert_eq!((asked.code(), asked.id()), (407, many.as_str()), "{}", asked.message());
    let long = json!({ "gremlin": "g.count(1)", "bindings": { "x": "x".repeat(100_000) } });
    let long = client.send("eval", "", long).await;
    client.send("authentication", "", plain("ada", "countess1815")).await;
    let refused = client.response().await;
    assert_eq!((refused.code(), refused.id()), (500, many.as_str()));
    assert!(refused.message().contains("engine.memory_per_query"), "{}", refused.message());
    let answer = client.response().await;
    assert_eq!((answer.code(), answer.id()), (200, long.as_str()), "{}", answer.message());
    serving.stop().await;
}

#[tokio::test]
async fn a_wrong_password_is_refused_for_what_waited_and_can_be_tried_again() {
    let (serving, _) = serving().await;
    let mut client = serving.connect().await;
    let (code, message) = log_in(&mut client, "ada", "countess1816").await;
    assert_eq!((code, message.as_str()), (401, "Username and/or password are incorrect"));
    assert!(serving.fake.last.lock().is_none());
    assert_eq!(log_in(&mut client, "ada", "countess1815").await.0, 200);
    serving.stop().await;
}

#[tokio::test]
async fn a_login_that_cannot_be_read_is_refused_in_the_words_of_gremlin_server() {
    let (serving, _) = serving().await;
    for (args, code) in [
        (json!({}), 401),
        (json!({ "sasl": 7 }), 498),
        (json!({ "sasl": "%" }), 498),
        (json!({ "sasl": BASE64.encode(b"ada") }), 401),
    ] {
        let mut client = serving.connect().await;
        let id = client.eval("g.count(1)").await;
        assert_eq!(client.response().await.code(), 407);
        client.send("authentication", "", args).await;
        let answer = client.response().await;
        assert_eq!((answer.code(), answer.id()), (code, id.as_str()));
    }
    // One that comes first is a message like any other.
    let mut client = serving.connect().await;
    assert_eq!(client.ask("authentication", "", plain("ada", "countess1815")).await.code(), 407);
    assert_eq!(client.ask("authentication", "", plain("ada", "countess1815")).await.code(), 204);
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200);
    serving.stop().await;
}

#[tokio::test]
async fn the_handshake_may_say_who_it_is() {
    let (serving, _) = serving().await;
    let connect = async |value: String| {
        let mut request = format!("ws://{}/gremlin", serving.address).into_client_request().unwrap();
        request.headers_mut().insert("authorization", value.parse().unwrap());
        let stream = TcpStream::connect(serving.address).await.unwrap();
        client_async(request, stream).await.map(|(socket, _)| Client::over(socket))
    };
    let mut client = connect(format!("Basic {}", BASE64.encode(b"ada:countess1815"))).await.unwrap();
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200);
    assert!(connect(format!("Basic {}", BASE64.encode(b"ada:countess1816"))).await.is_err());
    serving.stop().await;
}

#[tokio::test]
async fn who_is_no_user_any_more_is_asked_again_on_a_connection_that_is_open() {
    let (serving, gate) = serving().await;
    let mut client = serving.connect().await;
    assert_eq!(log_in(&mut client, "ada", "countess1815").await.0, 200);
    gate.set_password("ada", Some("another one")).unwrap();
    assert_eq!(log_in(&mut client, "ada", "countess1815").await.0, 401);
    assert_eq!(log_in(&mut client, "ada", "another one").await.0, 200);
    gate.registry().grant("ada", "g", None).unwrap();
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 403);
    gate.registry().remove("ada").unwrap();
    assert_eq!(log_in(&mut client, "ada", "another one").await.0, 401);
    serving.stop().await;
}

#[tokio::test]
async fn sessions_are_of_who_began_them() {
    let (serving, gate) = serving().await;
    gate.registry().grant("grace", "g", Some(Role::Read)).unwrap();
    let mut client = serving.connect().await;
    assert_eq!(log_in(&mut client, "ada", "countess1815").await.0, 200);
    let session = json!({ "gremlin": "g.count(1)", "session": "s" });
    assert_eq!(client.ask("eval", "session", session.clone()).await.code(), 200);
    let sessions = || serving.fake.sessions.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(sessions(), 1);
    gate.registry().remove("ada").unwrap();
    assert_eq!(log_in(&mut client, "grace", "amazing grace").await.0, 200);
    assert_eq!(sessions(), 0, "it went with ada");
    serving.stop().await;
}

#[tokio::test]
async fn a_transaction_of_four_is_of_who_began_it() {
    let (serving, gate) = serving().await;
    gate.registry().grant("grace", "g", Some(Role::Write)).unwrap();
    let headers = |user: &str, password: &str| {
        format!("accept: application/vnd.gremlin-v4.0+json\r\n{}", basic(user, password))
    };
    let begin = r#"{"gremlin":"g.tx().begin()","g":"g"}"#;
    let (status, head) = post(&serving, begin, &headers("grace", "amazing grace")).await;
    assert_eq!(status, 200, "{head}");
    let id = head.lines().find_map(|line| line.strip_prefix("x-transaction-id: ")).unwrap();
    let go_on = format!(r#"{{"gremlin":"g.count(1)","g":"g","transactionId":"{id}"}}"#);
    assert_eq!(post(&serving, &go_on, &headers("root", "the root of it")).await.0, 404);
    assert_eq!(post(&serving, &go_on, &headers("ada", "countess1815")).await.0, 404);
    assert_eq!(post(&serving, &go_on, "accept: application/vnd.gremlin-v4.0+json\r\n").await.0, 401);
    assert_eq!(post(&serving, &go_on, &headers("grace", "amazing grace")).await.0, 200);
    serving.stop().await;
}

#[tokio::test]
async fn a_connection_that_says_nothing_about_itself_is_closed() {
    let options = ServerOptions { read_timeout: Duration::from_millis(200), ..ServerOptions::default() };
    let (serving, _) = serving_with(options).await;
    let mut client = serving.connect().await;
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 407);
    let next =
        tokio::time::timeout(Duration::from_secs(10), futures_util::StreamExt::next(&mut client.socket))
            .await;
    assert!(matches!(next, Ok(Some(Ok(message))) if message.is_close()));
    serving.stop().await;
}

#[tokio::test]
async fn a_proxy_that_is_trusted_says_where_a_request_is_from() {
    let options =
        ServerOptions { trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()], ..ServerOptions::default() };
    let (serving, _) = serving_with(options).await;
    let headers = format!("x-forwarded-for: 203.0.113.9, 192.0.2.7\r\n{}", basic("ada", "countess1815"));
    assert_eq!(post(&serving, COUNT, &headers).await.0, 200);
    let last = serving.fake.last.lock().clone().unwrap();
    assert_eq!(last.client.address, IpAddr::from([192, 0, 2, 7]));
    for _ in 0..5 {
        let headers = format!("x-forwarded-for: 192.0.2.8\r\n{}", basic("ada", "guess guess"));
        assert_eq!(post(&serving, COUNT, &headers).await.0, 401);
    }
    let headers = format!("x-forwarded-for: 192.0.2.8\r\n{}", basic("ada", "guess again"));
    assert_eq!(post(&serving, COUNT, &headers).await.0, 429, "who guesses waits");
    let headers = format!("x-forwarded-for: 192.0.2.9\r\n{}", basic("ada", "guess again"));
    assert_eq!(post(&serving, COUNT, &headers).await.0, 401, "and another one does not");
    serving.stop().await;
}

#[tokio::test]
async fn ten_thousand_guesses_are_refused_while_others_work() {
    let (serving, _) = serving().await;
    let serving = Arc::new(serving);
    let address = serving.address;
    let guesses = (0..100).map(|guesser| {
        tokio::spawn(async move {
            let mut refused = 0;
            for number in 0..100 {
                let user = if number % 2 == 0 { "root".to_owned() } else { format!("nobody{guesser}") };
                let headers = format!("{JSON}{}", basic(&user, &format!("guess {guesser} {number}")));
                let stream = TcpStream::connect(address).await.unwrap();
                let (status, ..) = support::http::exchange_on(stream, &post_with(COUNT, &headers)).await;
                refused += usize::from(matches!(status, 401 | 429 | 503));
            }
            refused
        })
    });
    let guesses: Vec<_> = guesses.collect();
    for _ in 0..20 {
        let begun = std::time::Instant::now();
        assert_eq!(post(&serving, COUNT, &basic("ada", "countess1815")).await.0, 200);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut refused = 0;
    for guess in guesses {
        refused += guess.await.unwrap();
    }
    assert_eq!(refused, 10_000);
}
