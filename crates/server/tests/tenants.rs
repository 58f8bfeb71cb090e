//! Tenants: what they have, what waits, and what is refused.

mod support;

use std::{
    collections::BTreeMap,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use access::{Gate, Grants, Role, TenantBounds, TenantSettings, Tenants};
use data_encoding::BASE64;
use serde_json::json;
use server::{Security, ServerOptions};
use support::{
    Client, Serving, eventually,
    http::{exchange, post_with},
};

/// A server with the users ada and grace, who are one tenant with these bounds, and bob, who has none.
async fn serving(bounds: TenantBounds, max_wait: Duration) -> Serving {
    let gate = Gate::of_nobody();
    for name in ["ada", "grace", "bob"] {
        gate.add_user(name, Some("a password"), Grants::everywhere(Role::Admin)).unwrap();
    }
    let settings = TenantSettings { users: vec!["ada".into(), "grace".into()], bounds };
    let named = BTreeMap::from([("analysts".to_owned(), settings)]);
    let tenants = Arc::new(Tenants::new(&named, TenantBounds::default()));
    let max_receiving_bytes = 4 << 20;
    let options = ServerOptions {
        max_wait,
        max_receiving_bytes,
        max_request_bytes: 1 << 20,
        ..ServerOptions::default()
    };
    Serving::start_secured(options, Security { gate, tenants, ..Security::default() }).await
}

async fn client(serving: &Serving, user: &str) -> Client {
    let mut client = serving.connect().await;
    client.eval("g.count(0)").await;
    assert_eq!(client.response().await.code(), 407);
    let sasl = BASE64.encode(format!("\0{user}\0a password").as_bytes());
    client.send("authentication", "", json!({ "sasl": sasl })).await;
    let answer = client.response().await;
    assert_eq!(answer.code(), 204, "{}", answer.message());
    client
}

/// The status of a request, its headers, and what is said.
async fn post(serving: &Serving, user: &str, script: &str) -> (u16, String, String) {
    let credentials = BASE64.encode(format!("{user}:a password").as_bytes());
    let headers = format!("content-type: application/json\r\nauthorization: Basic {credentials}\r\n");
    let (status, head, body) =
        exchange(serving, post_with(&format!(r#"{{"gremlin":"{script}"}}"#), &headers)).await;
    (status, head, String::from_utf8(body).unwrap())
}

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn what_is_more_than_may_run_waits_until_one_has_ended() {
    let serving = serving(TenantBounds { max_queries: 2, ..TenantBounds::default() }, LONG).await;
    let (mut ada, mut grace) = (client(&serving, "ada").await, client(&serving, "grace").await);
    ada.eval("g.hang()").await;
    grace.eval("g.hang()").await;
    let running = || serving.fake.running.load(Ordering::SeqCst);
    eventually("two run", || running() == 2).await;
    let mut third = client_that_waits(&serving).await;
    let mut bob = client(&serving, "bob").await;
    bob.eval("g.count(1)").await;
    assert_eq!(bob.response().await.code(), 200, "others do not wait for them");
    // It is over a moment after it has been answered.
    eventually("nobody else runs", || running() == 2).await;
    drop(ada);
    assert_eq!(third.response().await.code(), 200, "one has ended");
    eventually("the other one runs", || running() == 1).await;
    drop(grace);
    serving.stop().await;
}

/// A client of ada's that has logged in before and whose request waits.
async fn client_that_waits(serving: &Serving) -> Client {
    let mut client = serving.connect().await;
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 407);
    let sasl = BASE64.encode(b"\0ada\0a password");
    client.send("authentication", "", json!({ "sasl": sasl })).await;
    let early = tokio::time::timeout(Duration::from_millis(300), client.response()).await;
    assert!(early.is_err(), "{early:?}");
    client
}

#[tokio::test]
async fn what_has_waited_for_too_long_is_refused_as_busy() {
    let wait = Duration::from_millis(200);
    let serving = serving(TenantBounds { max_queries: 1, ..TenantBounds::default() }, wait).await;
    let mut ada = client(&serving, "ada").await;
    ada.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    let begun = Instant::now();
    let (status, head, told) = post(&serving, "grace", "g.count(1)").await;
    assert!(begun.elapsed() >= wait);
    assert!(status == 503 && head.contains("retry-after: 1"), "{status} {head}");
    assert!(told.contains("analysts") && told.contains("max_queries"), "{told}");
    ada.eval("g.count(1)").await;
    let answer = ada.response().await;
    assert_eq!(answer.code(), 596, "{}", answer.message());
    // Who waits and leaves is no longer in the line.
    drop(ada);
    eventually("it was cancelled", || serving.fake.running.load(Ordering::SeqCst) == 0).await;
    assert_eq!(post(&serving, "grace", "g.count(1)").await.0, 200);
    serving.stop().await;
}

#[tokio::test]
async fn what_waits_takes_no_more_memory_than_all_that_is_received() {
    let serving = serving(TenantBounds { max_queries: 1, ..TenantBounds::default() }, LONG).await;
    let (mut ada, mut grace) = (client(&serving, "ada").await, client(&serving, "grace").await);
    ada.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    // It takes far more in memory than on the wire.
    let large = json!({ "gremlin": "g.count(1)", "bindings": { "x": vec![1; 20_000] } });
    for _ in 0..8 {
        grace.send("eval", "", large.clone()).await;
    }
    let refused = grace.response().await;
    assert_eq!(refused.code(), 596, "{}", refused.message());
    assert!(refused.message().contains("server.max_receiving_bytes"), "{}", refused.message());
    // What is small waits all the same, and what waits goes on.
    let small = post(&serving, "ada", "g.count(1)");
    let (_, small) = tokio::join!(async { drop(ada) }, small);
    assert_eq!(small.0, 200, "{}", small.2);
    // What has begun counts here no more.
    eventually("all are over", || serving.fake.running.load(Ordering::SeqCst) == 0).await;
    let mut grace = client(&serving, "grace").await;
    assert_eq!(grace.ask("eval", "", large).await.code(), 200);
    serving.stop().await;
}

#[tokio::test]
async fn a_request_that_waits_has_no_more_time_than_it_has() {
    let serving = serving(TenantBounds { max_queries: 1, ..TenantBounds::default() }, LONG).await;
    let mut ada = client(&serving, "ada").await;
    ada.eval("g.hang()").await;
    let begun = Instant::now();
    ada.send("eval", "", json!({ "gremlin": "g.count(1)", "evaluationTimeout": 200 })).await;
    assert_eq!(ada.response().await.code(), 596);
    assert!(begun.elapsed() < LONG / 2);
    drop(ada);
    serving.stop().await;
}

#[tokio::test]
async fn a_session_waits_as_any_other_and_ends_with_its_connection() {
    let serving = serving(TenantBounds { max_queries: 1, ..TenantBounds::default() }, LONG).await;
    let mut ada = client(&serving, "ada").await;
    ada.send("eval", "session", json!({ "gremlin": "g.hang()", "session": "s" })).await;
    eventually("it runs", || serving.fake.running.load(Ordering::SeqCst) == 1).await;
    let mut grace = client_that_waits(&serving).await;
    drop(ada);
    assert_eq!(grace.response().await.code(), 200);
    eventually("the session is gone", || serving.fake.sessions.load(Ordering::SeqCst) == 0).await;
    serving.stop().await;
}

#[tokio::test]
async fn who_sends_more_in_a_second_than_may_begin_waits_or_is_told_to_send_fewer() {
    let bounds = TenantBounds { max_rate: 20, ..TenantBounds::default() };
    let serving = serving(bounds, Duration::from_millis(400)).await;
    let mut ada = client(&serving, "ada").await;
    let begun = Instant::now();
    for _ in 0..60 {
        ada.eval("g.count(1)").await;
    }
    let mut codes = BTreeMap::new();
    for _ in 0..60 {
        *codes.entry(ada.response().await.code()).or_insert(0) += 1;
    }
    // A second's worth at once, and what came in its turn within the wait.
    let answered = codes.get(&200).copied().unwrap_or(0);
    let most = 21 + (begun.elapsed().as_secs_f64() * 20.0).ceil() as i32;
    assert!((20..=most).contains(&answered) && answered < 60, "{codes:?}");
    assert_eq!(answered + codes[&596], 60, "{codes:?}");
    let (mut refused, mut told) = (0, String::new());
    for _ in 0..40 {
        let (status, _, body) = post(&serving, "grace", "g.count(1)").await;
        if status == 429 {
            (refused, told) = (refused + 1, body);
        }
    }
    // One after the other come as fast as they are answered: each waits for its turn.
    assert!(refused == 0 || told.contains("max_rate"), "{told}");
    let all: Vec<_> = (0..60).map(|_| post(&serving, "grace", "g.count(1)")).collect();
    let all = futures_util::future::join_all(all).await;
    let refused: Vec<_> = all.iter().filter(|(status, ..)| *status == 429).collect();
    assert!(!refused.is_empty() && refused[0].2.contains("max_rate") && refused[0].1.contains("retry-after"));
    assert_eq!(post(&serving, "bob", "g.count(1)").await.0, 200);
    serving.stop().await;
}

#[tokio::test]
async fn a_tenant_has_so_many_connections() {
    let serving = serving(TenantBounds { max_connections: 2, ..TenantBounds::default() }, LONG).await;
    let (ada, _grace) = (client(&serving, "ada").await, client(&serving, "grace").await);
    let (status, _, told) = post(&serving, "ada", "g.count(1)").await;
    assert!(status == 503 && told.contains("max_connections"), "{told}");
    let _bob = client(&serving, "bob").await;
    drop(ada);
    for _ in 0..500 {
        if post(&serving, "ada", "g.count(1)").await.0 == 200 {
            return serving.stop().await;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("its place was not freed");
}
