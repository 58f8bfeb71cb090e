//! Answers that clients do not take, against a fake database.

mod support;

use std::{
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use server::ServerOptions;
use support::{
    Serving, eventually,
    http::{post, post_with},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// There is room for two of the largest answers, and for one of a client's.
fn tight() -> ServerOptions {
    ServerOptions { max_receiving_bytes: 1 << 20, max_request_bytes: 64 << 10, ..ServerOptions::default() }
}

/// Asks for nearly as much as an answer may have, and takes the first few bytes of them.
async fn asks_for_much(serving: &Serving) -> TcpStream {
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    stream.write_all(post_with(r#"{"gremlin":"g.large(435)"}"#, "").as_bytes()).await.unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(first, *b"HTTP/1.1 200");
    stream
}

async fn takes_all(mut stream: TcpStream) {
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(rest.len() > 435 * (300 << 10), "{}", rest.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_for_which_others_leave_no_room_is_refused_and_small_ones_are_not() {
    let serving = Serving::start(tight()).await;
    let untaken = asks_for_much(&serving).await;
    let began = Instant::now();
    let small = async {
        assert_eq!(post(&serving, r#"{"gremlin":"g.count(100)"}"#).await.0, 200);
        assert!(began.elapsed() < Duration::from_secs(2));
    };
    let ask = r#"{"gremlin":"g.large(435)","evaluationTimeout":3000}"#;
    let (large, ()) = tokio::join!(post(&serving, ask), small);
    assert_eq!((large.0, large.1["Exception-Class"].as_str()), (500, Some("mangrove.LimitError")));
    assert!(large.1["message"].as_str().unwrap().contains("no room for the answer"), "{}", large.1);
    assert!(began.elapsed() >= Duration::from_secs(3), "it has waited");
    takes_all(untaken).await;
    takes_all(asks_for_much(&serving).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_on_a_websocket_waits_for_room_while_others_go_on() {
    let serving = Serving::start(tight()).await;
    let untaken = asks_for_much(&serving).await;
    let mut client = serving.connect().await;
    let large = client.eval("g.large(4)").await;
    eventually("it has run", || serving.fake.running.load(SeqCst) == 0).await;
    let small = client.eval("g.count(1)").await;
    let first = client.response().await;
    assert_eq!((first.id(), first.code()), (&*small, 200), "it stands behind nobody");
    let taking = tokio::spawn(takes_all(untaken));
    let waited = client.responses().await;
    assert!(waited.iter().all(|response| response.id() == large));
    assert_eq!(waited.iter().flat_map(|response| response.data()).count(), 4);
    taking.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_away_leaves_room() {
    let serving = Serving::start(tight()).await;
    let untaken = asks_for_much(&serving).await;
    let gone = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        drop(untaken);
    };
    let (large, ()) = tokio::join!(asks_for_much(&serving), gone);
    takes_all(large).await;
}
