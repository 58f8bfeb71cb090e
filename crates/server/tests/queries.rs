//! Seeing and stopping queries, and what tools for Neptune ask.

mod support;

use std::{sync::atomic::Ordering, time::Duration};

use access::{Gate, Grants, Role};
use data_encoding::BASE64;
use serde_json::{Value as Json, json};
use server::{Queries, QueryPhase, Security, ServerOptions};
use support::{
    Client, Serving, eventually,
    http::{exchange, get, post_with},
};

async fn serving() -> (Serving, Queries) {
    let security = Security::default();
    let queries = security.queries.clone();
    (Serving::start_secured(ServerOptions::default(), security).await, queries)
}

/// Sends a form, as graph-notebook does.
async fn form(serving: &Serving, path: &str, form: &str, headers: &str) -> (u16, String) {
    let request = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}content-type: \
         application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    );
    let (status, _, body) = exchange(serving, request).await;
    (status, String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn what_is_under_way_is_listed_until_it_is_over() {
    let (serving, queries) = serving().await;
    let mut client = serving.connect().await;
    let id = client.eval("g.hang()").await;
    eventually("it is listed", || queries.all().len() == 1).await;
    let seen = queries.all().remove(0);
    assert_eq!((seen.id.as_str(), seen.text.as_str(), seen.source.as_str()), (id.as_str(), "g.hang()", "g"));
    assert_eq!((seen.phase, seen.address.to_string().as_str()), (QueryPhase::Running, "127.0.0.1"));
    drop(client);
    eventually("it is gone", || queries.all().is_empty()).await;
    let mut client = serving.connect().await;
    client.eval("g.flood()").await;
    eventually("it has results", || queries.all().first().is_some_and(|query| query.rows > 0)).await;
    drop(client);
    eventually("it is gone", || queries.all().is_empty()).await;
    serving.stop().await;
}

#[tokio::test]
async fn one_that_is_stopped_ends_and_its_client_is_told_by_whom() {
    let (serving, queries) = serving().await;
    let mut client = serving.connect().await;
    let id = client.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    assert!(queries.stop("root", |query| query.id == "another").is_empty());
    assert_eq!(queries.stop("root", |query| query.id == *id.as_str()), [id.as_str()]);
    let answer = client.response().await;
    assert_eq!((answer.id(), answer.code()), (id.as_str(), 500));
    eventually("it ends", || serving.fake.running.load(Ordering::SeqCst) == 0).await;
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200, "the connection stands");
    assert!(queries.stop("root", |_| true).is_empty());
    serving.stop().await;
}

#[tokio::test]
async fn the_status_of_queries_is_told_in_neptunes_form() {
    let (serving, _) = serving().await;
    assert_eq!(
        get(&serving, "/gremlin/status").await,
        (200, json!({ "acceptedQueryCount": 0, "runningQueryCount": 0, "queries": [] }))
    );
    let address = serving.address;
    // As graph-explorer's proxy sends it.
    let body = r#"{"gremlin":"g.hang()","queryId":"an id of its own"}"#;
    let headers = "content-type: application/json\r\naccept: application/vnd.gremlin-v3.0+json\r\n";
    let asked = tokio::spawn(async move {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        support::http::exchange_on(stream, &post_with(body, headers)).await
    });
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    let (_, seen) = get(&serving, "/gremlin/status").await;
    assert_eq!((&seen["acceptedQueryCount"], &seen["runningQueryCount"]), (&json!(1), &json!(1)));
    let query = &seen["queries"][0];
    assert_eq!((&query["queryId"], &query["queryString"]), (&json!("an id of its own"), &json!("g.hang()")));
    assert_eq!(query["queryEvalStats"]["cancelled"], false);
    let (status, one) = get(&serving, "/gremlin/status?queryId=an%20id%20of%20its%20own").await;
    assert_eq!((status, &one["queryString"]), (200, &json!("g.hang()")));
    assert_eq!(get(&serving, "/gremlin/status?queryId=other").await.0, 400);
    let (status, told) = get(&serving, "/gremlin/status?cancelQuery=&queryId=an+id+of+its+own").await;
    assert!(status == 405 && told["message"].as_str().unwrap().contains("POST"), "GET stops nothing: {told}");
    assert_eq!(serving.fake.running.load(Ordering::SeqCst), 1);
    assert_eq!(form(&serving, "/gremlin/status?cancelQuery&queryId=other", "", "").await.0, 400);
    assert_eq!(form(&serving, "/gremlin/status?cancelQuery", "", "").await.0, 400);
    let (status, told) =
        form(&serving, "/gremlin/status?cancelQuery=&queryId=an+id+of+its+own", "", "").await;
    let told: Json = serde_json::from_str(&told).unwrap();
    assert_eq!((status, told), (200, json!({ "status": "200 OK", "payload": true })));
    let (status, _, body) = asked.await.unwrap();
    let body = String::from_utf8(body).unwrap();
    assert!(status == 500 && body.contains("mangrove.CancelledError"), "{status} {body}");
    serving.stop().await;
}

#[tokio::test]
async fn a_form_cancels_as_graph_notebook_does() {
    let (serving, _) = serving().await;
    let mut client = serving.connect().await;
    let id = client.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    let (status, told) = form(&serving, "/gremlin/status", "includeWaiting=True", "").await;
    assert!(status == 200 && told.contains(&id), "{told}");
    assert_eq!(form(&serving, "/gremlin/status", &format!("queryId={id}&cancelQuery=True"), "").await.0, 200);
    assert_eq!(client.response().await.code(), 500);
    serving.stop().await;
}

#[tokio::test]
async fn a_form_that_asks_for_what_is_known_is_short() {
    let (serving, _) = serving().await;
    let long = format!("queryId={}", "x".repeat(64 << 10));
    for path in ["/gremlin/status", "/pg/statistics/summary"] {
        let (status, told) = form(&serving, path, &long, "").await;
        assert!(status == 413 && told.contains("65536"), "{status} {told}");
    }
    // What is to be explained may be as long as any request.
    let long = format!("gremlin=g.warn()&note={}", "x".repeat(100_000));
    assert_eq!(form(&serving, "/gremlin/explain", &long, "").await.0, 200);
    serving.stop().await;
}

#[tokio::test]
async fn everybody_sees_and_stops_his_own_and_an_admin_those_of_all() {
    let gate = Gate::of_nobody();
    gate.add_user("root", Some("a password"), Grants::everywhere(Role::Admin)).unwrap();
    for name in ["ada", "bob"] {
        gate.add_user(name, Some("a password"), Grants::everywhere(Role::Write)).unwrap();
    }
    let serving =
        Serving::start_secured(ServerOptions::default(), Security { gate, ..Security::default() }).await;
    let mut client = client(&serving, "ada").await;
    let id = client.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    let ask = async |user: &str, with: &str| {
        let credentials = BASE64.encode(format!("{user}:a password").as_bytes());
        form(&serving, "/gremlin/status", with, &format!("authorization: Basic {credentials}\r\n")).await
    };
    let cancel = format!("queryId={id}&cancelQuery=true");
    assert_eq!(form(&serving, "/gremlin/status", "", "").await.0, 401);
    // Who would become a WebSocket may say later who he is; but only one comes to /gremlin.
    let handshake = "connection: upgrade\r\nupgrade: websocket\r\n";
    assert_eq!(form(&serving, "/gremlin/status", &cancel, handshake).await.0, 401);
    let get = format!(
        "GET /gremlin/status?{cancel} HTTP/1.1\r\nhost: localhost\r\n{handshake}connection: close\r\n\r\n"
    );
    assert_eq!(exchange(&serving, get).await.0, 401);
    assert_eq!(form(&serving, "/gremlin/explain", "gremlin=g.V()", handshake).await.0, 401);
    assert!(!ask("bob", "").await.1.contains(&id));
    assert_eq!(ask("bob", &cancel).await.0, 400);
    assert!(ask("ada", "").await.1.contains(&id) && ask("root", "").await.1.contains(r#""user":"ada""#));
    assert_eq!(ask("root", &cancel).await.0, 200);
    let answer = client.response().await;
    assert!(answer.code() == 500 && answer.message().contains("cancelled"), "{}", answer.message());
    serving.stop().await;
}

async fn client(serving: &Serving, user: &str) -> Client {
    let mut client = serving.connect().await;
    client.eval("g.count(0)").await;
    assert_eq!(client.response().await.code(), 407);
    let sasl = BASE64.encode(format!("\0{user}\0a password").as_bytes());
    assert_eq!(client.ask("authentication", "", json!({ "sasl": sasl })).await.code(), 204);
    client
}

#[tokio::test]
async fn requests_are_counted_by_graph_notation_and_status() {
    let (serving, _) = serving().await;
    let mut client = serving.connect().await;
    for script in ["g.count(1)", "g.count(2)", "other.count(1)", "g.error(timeout)"] {
        client.eval(script).await;
        client.responses().await;
    }
    // Also of TinkerPop 4, where a script may name another graph than the field `g` would.
    let headers = "content-type: application/json\r\naccept: application/vnd.gremlin-v4.0+json\r\n";
    assert_eq!(exchange(&serving, post_with(r#"{"gremlin":"other.count(1)"}"#, headers)).await.0, 200);
    let seen = async || {
        let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        String::from_utf8(exchange(&serving, request).await.2).unwrap()
    };
    // The handle of the last one is dropped a moment after its answer.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let page = seen().await;
    for line in [
        r#"mangrove_requests_total{graph="g",kind="script",status="200"} 2"#,
        r#"mangrove_requests_total{graph="other",kind="script",status="200"} 2"#,
        r#"mangrove_requests_total{graph="g",kind="script",status="598"} 1"#,
        r#"mangrove_request_seconds_count{graph="g",kind="script"} 3"#,
    ] {
        assert!(page.contains(line), "{line} in {page}");
    }
    serving.stop().await;
}

#[tokio::test]
async fn explain_and_profile_add_the_step_that_asks_for_them() {
    let (serving, _) = serving().await;
    for (path, step) in [("explain", r"g.warn()\n.explain()"), ("profile", r"g.warn()\n.profile()")] {
        let body = r#"{"gremlin":"g.warn();"}"#;
        let request = post_with(body, "").replace("POST /gremlin ", &format!("POST /gremlin/{path} "));
        let (status, head, _) = exchange(&serving, request).await;
        assert!(status == 200 && head.contains("content-type: text/plain"), "{head}");
        let last = serving.fake.last.lock().clone().unwrap();
        assert!(format!("{:?}", last.input).contains(step), "{:?}", last.input);
    }
    let (status, _) = form(&serving, "/gremlin/explain", "nothing=1", "").await;
    assert_eq!(status, 400);
    serving.stop().await;
}

#[tokio::test]
async fn what_the_server_is_and_whether_it_is_ready_is_told() {
    let (serving, _) = serving().await;
    assert_eq!(get(&serving, "/ready").await, (200, json!({ "status": "ready" })));
    let (status, seen) = get(&serving, "/status").await;
    assert_eq!((status, &seen["status"], &seen["role"]), (200, &json!("healthy"), &json!("writer")));
    let (status, seen) = get(&serving, "/pg/statistics/summary?mode=basic").await;
    assert_eq!((status, &seen["payload"]["graphSummary"]["numNodes"]), (200, &json!(0)));
    let bad: (u16, Json) = get(&serving, "/pg/statistics/summary?mode=other").await;
    assert_eq!(bad.0, 400);
    assert_eq!(get(&serving, "/pg/statistics/summary?g=nowhere").await.0, 403);
    serving.stop().await;
}
