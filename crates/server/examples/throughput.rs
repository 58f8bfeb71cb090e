//! What the server itself costs: requests a second over WebSocket with 16 connections on a database that answers at
//! once, client included.
//!
//! `cargo run --release -p server --example throughput [seconds]`

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{SinkExt, StreamExt};
use server::{Database, Graphs, Query, ResultBatch, ResultSink, Running, Server, ServerOptions, Summary};
use tokio::net::TcpStream;
use tokio_tungstenite::{client_async, tungstenite::Message};
use values::Value;

const CONNECTIONS: usize = 16;

/// Answers every query with one string before `submit` returns.
struct AtOnce;

struct Over;

impl Running for Over {
    fn resume(&self) {}
    fn cancel(&self) {}
}

impl Database for AtOnce {
    fn submit(&self, _: Query, sink: Arc<dyn ResultSink>) -> Box<dyn Running> {
        sink.push(ResultBatch::of(vec![(Value::str("marko"), 1)]));
        sink.finish(Ok(Summary::default()));
        Box::new(Over)
    }
}

fn request() -> Vec<u8> {
    let message = wire::RequestMessage {
        id: values::Uuid::from_u128(1),
        op: "eval".into(),
        processor: "".into(),
        args: wire::Args(vec![(
            "gremlin".into(),
            Value::str("g.V().has('Person','id',933).values('firstName')").into(),
        )]),
    };
    let mut frame = Vec::new();
    wire::Format::GraphBinary.encode_frame(&message, &mut frame).expect("the request has a form");
    frame
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(5);
    let graphs = Graphs::single(Arc::new(AtOnce));
    let server = Server::bind(([127, 0, 0, 1], 0).into(), graphs, ServerOptions::default()).await?;
    let address = server.local_addr()?;
    tokio::spawn(server.run(std::future::pending()));
    let answered = Arc::new(AtomicU64::new(0));
    for _ in 0..CONNECTIONS {
        let answered = answered.clone();
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let handshake = client_async(format!("ws://{address}/gremlin"), stream).await;
            let (mut socket, _) = handshake.expect("the server accepts");
            let request: bytes::Bytes = request().into();
            loop {
                socket.send(Message::Binary(request.clone())).await.expect("the server reads");
                socket.next().await.expect("the server answers").expect("a frame");
                answered.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let started = Instant::now();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let rate = answered.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64();
    println!("{rate:.0} requests a second, {CONNECTIONS} connections");
    Ok(())
}
