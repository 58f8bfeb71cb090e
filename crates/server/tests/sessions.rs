//! Sessions over WebSocket: lines, bounds, ends.

mod support;

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use serde_json::json;
use server::ServerOptions;
use support::{Client, Serving, eventually, http};

async fn send(client: &mut Client, session: &str, script: &str) -> String {
    client.send("eval", "session", json!({ "gremlin": script, "session": session })).await
}

async fn close(client: &mut Client, session: &str) -> String {
    client.send("close", "session", json!({ "session": session })).await
}

fn open(serving: &Serving) -> usize {
    serving.fake.sessions.load(Ordering::SeqCst)
}

#[tokio::test]
async fn requests_of_a_session_run_one_after_the_other_and_sessions_beside_each_other() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut client = serving.connect().await;
    let mut expected = Vec::new();
    for millis in [60, 30, 10, 1] {
        expected.push(send(&mut client, "one", &format!("g.slow({millis})")).await);
    }
    let other = send(&mut client, "other", "g.slow(5)").await;
    let (mut ids, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        let response = client.response().await;
        answers.push((response.code(), response.data()));
        ids.push(response.id().to_owned());
    }
    assert_eq!(ids[0], other, "it waits for nobody");
    assert_eq!(ids[1..], expected, "in the order in which they came");
    assert!(answers.iter().all(|(code, _)| *code == 200));
    assert_eq!(answers[2].1, [json!(30)]);
    assert_eq!(serving.fake.overlaps.load(Ordering::SeqCst), 0);
    assert_eq!(open(&serving), 2, "they stay");
}

#[tokio::test]
async fn close_waits_for_its_turn_and_ends_the_session() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut client = serving.connect().await;
    let first = send(&mut client, "s", "g.slow(50)").await;
    let second = close(&mut client, "s").await;
    let third = close(&mut client, "s").await;
    let fourth = send(&mut client, "s", "g.slow(1)").await;
    for (id, code) in [(first, 200), (second, 204), (third, 204), (fourth, 200)] {
        let response = client.response().await;
        assert_eq!((response.id(), response.code()), (&*id, code));
    }
    assert_eq!(open(&serving), 1, "what came behind is a session that begins");
    close(&mut client, "s").await;
    assert_eq!(client.response().await.code(), 204);
    assert_eq!(open(&serving), 0);
    assert!(metrics(&serving).await.contains("mangrove_sessions{} 0.0"));
}

async fn metrics(serving: &Serving) -> String {
    let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    String::from_utf8(http::exchange(serving, request).await.2).unwrap()
}

#[tokio::test]
async fn a_connection_that_ends_ends_its_sessions_and_what_they_run() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut client = serving.connect().await;
    send(&mut client, "s", "g.hang()").await;
    send(&mut client, "s", "g.slow(1)").await;
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    drop(client);
    eventually("nothing runs", || serving.fake.running.load(Ordering::SeqCst) == 0).await;
    eventually("there is no session", || open(&serving) == 0).await;
}

#[tokio::test]
async fn a_session_of_another_connection_is_another_one() {
    let serving = Serving::start(ServerOptions::default()).await;
    let (mut one, mut other) = (serving.connect().await, serving.connect().await);
    for client in [&mut one, &mut other] {
        send(client, "s", "g.slow(1)").await;
        assert_eq!(client.response().await.code(), 200);
    }
    assert_eq!(open(&serving), 2);
    close(&mut one, "s").await;
    assert_eq!((one.response().await.code(), open(&serving)), (204, 1));
}

#[tokio::test]
async fn sessions_are_bounded_for_a_connection_an_address_and_in_all() {
    for (options, named) in [
        (
            ServerOptions { max_sessions_per_connection: 2, ..ServerOptions::default() },
            "server.max_sessions_per_connection",
        ),
        (
            ServerOptions { max_sessions_per_address: 2, ..ServerOptions::default() },
            "server.max_sessions_per_address",
        ),
        (ServerOptions { max_sessions: 2, ..ServerOptions::default() }, "server.max_sessions allows"),
    ] {
        let serving = Serving::start(options).await;
        let mut client = serving.connect().await;
        for session in ["a", "b"] {
            send(&mut client, session, "g.slow(1)").await;
            assert_eq!(client.response().await.code(), 200);
        }
        send(&mut client, "c", "g.slow(1)").await;
        let response = client.response().await;
        assert_eq!(response.code(), 429);
        assert!(response.message().contains(named), "{}", response.message());
        close(&mut client, "a").await;
        client.response().await;
        send(&mut client, "c", "g.slow(1)").await;
        assert_eq!(client.response().await.code(), 200, "there is a place again");
    }
}

#[tokio::test]
async fn requests_that_wait_are_bounded_in_number_and_bytes() {
    let options = ServerOptions {
        max_requests_per_connection: 100,
        max_request_bytes: 1 << 20,
        max_receiving_bytes: 4 << 20,
        ..ServerOptions::default()
    };
    let serving = Serving::start(options).await;
    let mut client = serving.connect().await;
    send(&mut client, "s", "g.hang()").await;
    let large = json!({ "gremlin": "g.count(1)", "session": "s", "bindings": { "x": "x".repeat(900_000) } });
    let mut refused = None;
    for _ in 0..8 {
        let id = client.send("eval", "session", large.clone()).await;
        let asked = send(&mut client, "probe", "g.slow(1)").await;
        let response = client.response().await;
        if response.id() == id {
            refused = Some(response);
            break;
        }
        assert_eq!(response.id(), asked);
    }
    let refused = refused.expect("there is a bound");
    assert_eq!(refused.code(), 429);
    assert!(refused.message().contains("server.max_receiving_bytes"), "{}", refused.message());
    client.response().await;
    drop(client);
    eventually("nothing is left of it", || open(&serving) == 0).await;
    // What waited counts no more.
    let mut client = serving.connect().await;
    assert_eq!(client.ask("eval", "session", large).await.code(), 200);
}

#[tokio::test]
async fn over_http_there_are_no_sessions() {
    let serving = Serving::start(ServerOptions::default()).await;
    let request = json!({
        "requestId": "00000000-0000-0000-0000-000000000001",
        "op": "eval",
        "processor": "session",
        "args": { "gremlin": "g.count(1)", "session": "s" },
    });
    let headers = "content-type: application/vnd.gremlin-v3.0+json\r\n";
    let (status, _, body) = http::exchange(&serving, http::post_with(&request.to_string(), headers)).await;
    let body = String::from_utf8(body).unwrap();
    assert_eq!(status, 400, "{body}");
    assert!(body.contains("WebSocket"), "{body}");
}

#[tokio::test]
async fn a_session_does_not_go_on_in_silence_with_another_graph_of_the_same_name() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut client = serving.connect().await;
    send(&mut client, "s", "g.tx().begin()").await;
    assert_eq!(client.response().await.code(), 204);
    // It was dropped, and somebody made another one.
    let another = serving.graphs.get("other").unwrap();
    serving.graphs.insert("g", another);
    send(&mut client, "s", "g.slow(1)").await;
    let told = client.response().await;
    assert_eq!(told.code(), 500);
    assert!(told.message().contains("was dropped"), "{}", told.message());
    send(&mut client, "s", "g.slow(1)").await;
    assert_eq!(client.response().await.code(), 200, "told once, it begins with the new one");
    assert_eq!(serving.other.sessions.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn who_waits_in_the_line_of_a_session_is_told_when_his_time_is_over() {
    let serving = Serving::start(ServerOptions::default()).await;
    let mut client = serving.connect().await;
    send(&mut client, "s", "g.hang()").await;
    let late = client
        .send("eval", "session", json!({ "gremlin": "g.count(1)", "session": "s", "evaluationTimeout": 200 }))
        .await;
    let began = Instant::now();
    let answer = client.response().await;
    assert_eq!((answer.id(), answer.code()), (late.as_str(), 598), "{}", answer.message());
    assert!(began.elapsed() < Duration::from_secs(3));
    // The others go on, and what it held is free again.
    send(&mut client, "t", "g.count(1)").await;
    assert_eq!(client.response().await.code(), 200);
    serving.stop().await;
}
