//! Frames that no driver would send: the server refuses them or hangs up, and goes on serving others.
//!
//! `MANGROVE_FUZZ_SECONDS` sets how long it runs (two seconds by default), `MANGROVE_FUZZ_SEED` where it begins.

mod support;

use std::time::{Duration, Instant};

use fastrand::Rng;
use futures_util::{SinkExt, StreamExt};
use server::ServerOptions;
use support::{Client, Serving};
use tokio::{io::AsyncWriteExt, net::TcpStream, time::timeout};
use tokio_tungstenite::tungstenite::Message;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A valid request in GraphBinary: `eval` of `g.count(1)`.
fn valid_binary() -> Vec<u8> {
    let request = wire::RequestMessage {
        id: values::Uuid::from_u128(7),
        op: "eval".into(),
        processor: "".into(),
        args: wire::Args(vec![("gremlin".into(), values::Value::str("g.count(1)").into())]),
    };
    let mut frame = Vec::new();
    wire::Format::GraphBinary.encode_frame(&request, &mut frame).unwrap();
    frame
}

fn valid_json() -> String {
    r#"{"requestId":"00000000-0000-0000-0000-000000000007","op":"eval","processor":"","args":{"gremlin":"g.count(1)"}}"#
        .to_owned()
}

/// A few bytes changed, cut, repeated or put in.
fn mutated(rng: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..rng.usize(1..6) {
        let at = rng.usize(0..=bytes.len());
        match rng.u8(0..5) {
            0 if at < bytes.len() => bytes[at] = rng.u8(..),
            1 => bytes.truncate(at),
            2 => bytes.insert(at, rng.u8(..)),
            3 => {
                let tail = bytes[at..].to_vec();
                bytes.extend(tail);
            }
            _ => bytes.extend((0..rng.usize(0..64)).map(|_| rng.u8(..))),
        }
    }
    bytes
}

fn message(rng: &mut Rng) -> Message {
    match rng.u8(0..6) {
        0 => Message::binary((0..rng.usize(0..200)).map(|_| rng.u8(..)).collect::<Vec<_>>()),
        1 | 2 => Message::binary(mutated(rng, valid_binary())),
        3 | 4 => {
            let bytes = mutated(rng, valid_json().into_bytes());
            Message::text(String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => Message::Ping(vec![rng.u8(..); rng.usize(0..120)].into()),
    }
}

/// Bytes that are no WebSocket and perhaps no HTTP either.
async fn raw(serving: &Serving, rng: &mut Rng) {
    let mut stream = TcpStream::connect(serving.address).await.unwrap();
    let request =
        b"POST http://[::1%25a]:1/gremlin HTTP/1.1\r\nhost: localhost:1\r\norigin: http://[::1]:1\r\n\
        sec-fetch-site: none\r\ncontent-length: 5\r\n\r\nabcde"
            .to_vec();
    let of_four =
        b"POST /gremlin HTTP/1.1\r\nhost: localhost\r\naccept: application/vnd.graphbinary-v4.0\r\n\
        accept-encoding: deflate\r\nte: trailers\r\nx-transaction-id: 7\r\ncontent-length: 66\r\n\r\n\
        {\"gremlin\":\"g.count(9)\",\"parameters\":\"[\\\"x\\\":1]\",\"batchSize\":2}     "
            .to_vec();
    let request = if rng.bool() { request } else { of_four };
    // The server may hang up in the middle of it.
    let _ = stream.write_all(&mutated(rng, request)).await;
}

#[tokio::test]
async fn whatever_a_client_sends_others_are_served() {
    let seed = setting("MANGROVE_FUZZ_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("MANGROVE_FUZZ_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let seconds = setting("MANGROVE_FUZZ_SECONDS").unwrap_or(2);
    let options = ServerOptions { max_request_bytes: 4_096, ..ServerOptions::default() };
    let serving = Serving::start(options).await;
    let mut honest = serving.connect().await;
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(seconds) {
        let mut client = Client::connect(serving.address).await;
        for _ in 0..rng.usize(1..20) {
            if client.socket.send(message(&mut rng)).await.is_err() {
                break;
            }
            if rng.bool() {
                // An answer may come or not; what counts is that nobody waits for ever.
                let _ = timeout(Duration::from_millis(1), client.socket.next()).await;
            }
        }
        drop(client);
        raw(&serving, &mut rng).await;
        honest.eval("g.count(3)").await;
        let response = honest.response().await;
        assert_eq!((response.code(), response.data().len()), (200, 3));
    }
}
