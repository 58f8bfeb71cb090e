//! Bounds on connections: who gets in when there are too many, and who goes.

mod support;

use std::{
    net::SocketAddr,
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use rustix::process::{Resource, getrlimit, setrlimit};
use server::ServerOptions;
use support::{
    Client, Serving, eventually,
    http::{exchange, exchange_on, get, post, post_with},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::timeout,
};
use tokio_tungstenite::{
    client_async,
    tungstenite::{Message, protocol::frame::coding::CloseCode},
};

const COUNT: &str = r#"{"gremlin":"g.count(1)"}"#;
const HANG: &str = r#"{"gremlin":"g.hang()"}"#;

fn bounds(max_connections: usize, max_connections_per_address: usize) -> ServerOptions {
    ServerOptions { max_connections, max_connections_per_address, ..ServerOptions::default() }
}

/// A connection from another address of this machine, `127.0.0.N`.
async fn stream_from(n: u8, serving: &Serving) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, n], 0))).unwrap();
    socket.connect(serving.address).await.unwrap()
}

async fn client_from(n: u8, serving: &Serving) -> Client {
    let url = format!("ws://{}/gremlin", serving.address);
    let (socket, _) = client_async(url, stream_from(n, serving).await).await.unwrap();
    Client::over(socket)
}

/// Waits until a client is told that it has to go.
async fn is_sent_away(client: &mut Client) {
    let end = timeout(Duration::from_secs(5), client.socket.next()).await.expect("it is told");
    assert!(
        matches!(&end, Some(Ok(Message::Close(Some(frame)))) if frame.code == CloseCode::Again),
        "{end:?}"
    );
}

async fn stays(client: &mut Client) {
    client.eval("g.count(1)").await;
    assert_eq!(client.response().await.code(), 200);
}

#[tokio::test]
async fn at_the_bound_the_connection_that_has_been_idle_for_longest_gives_way() {
    let serving = Serving::start(bounds(3, 3)).await;
    let (mut one, mut two, mut busy) =
        (serving.connect().await, serving.connect().await, serving.connect().await);
    busy.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(SeqCst) == 1).await;
    stays(&mut two).await;
    stays(&mut one).await;
    let mut newcomer = serving.connect().await;
    is_sent_away(&mut two).await;
    stays(&mut newcomer).await;
    stays(&mut one).await;
    assert_eq!(serving.fake.cancelled.load(SeqCst), 0);
}

#[tokio::test]
async fn it_gives_way_that_is_of_the_address_with_most_connections() {
    let serving = Serving::start(bounds(3, 3)).await;
    let mut lonely = client_from(2, &serving).await;
    let (mut one, mut two) = (serving.connect().await, serving.connect().await);
    let mut newcomer = client_from(3, &serving).await;
    is_sent_away(&mut one).await;
    stays(&mut lonely).await;
    stays(&mut two).await;
    stays(&mut newcomer).await;
}

#[tokio::test]
async fn an_address_at_its_own_bound_takes_nothing_from_others() {
    let serving = Serving::start(bounds(10, 2)).await;
    let mut other = client_from(2, &serving).await;
    let (mut one, mut two) = (serving.connect().await, serving.connect().await);
    let mut three = serving.connect().await;
    is_sent_away(&mut one).await;
    two.eval("g.hang()").await;
    three.eval("g.hang()").await;
    eventually("both run", || serving.fake.running.load(SeqCst) == 2).await;
    let (status, body) = post(&serving, COUNT).await;
    assert_eq!(status, 503);
    assert!(body["message"].as_str().unwrap().contains("server.max_connections_per_address"), "{body}");
    stays(&mut other).await;
    assert_eq!(serving.fake.cancelled.load(SeqCst), 0);
}

#[tokio::test]
async fn where_all_connections_have_requests_newcomers_are_refused_and_nobody_goes() {
    let serving = Serving::start(bounds(2, 2)).await;
    let mut first = client_from(2, &serving).await;
    first.eval("g.hang()").await;
    let second = stream_from(3, &serving).await;
    let waiting = tokio::spawn(async move { exchange_on(second, &post_with(HANG, "")).await });
    eventually("both run", || serving.fake.running.load(SeqCst) == 2).await;
    let (status, body) = post(&serving, COUNT).await;
    assert_eq!(status, 503);
    assert!(body["message"].as_str().unwrap().contains("server.max_connections"), "{body}");
    let handshake =
        "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: x";
    let request = format!("GET /gremlin HTTP/1.1\r\nhost: localhost\r\n{handshake}\r\n\r\n");
    assert_eq!(exchange(&serving, &request).await.0, 503);
    assert_eq!(serving.fake.cancelled.load(SeqCst), 0);
    waiting.abort();
}

#[tokio::test]
async fn health_and_metrics_are_answered_at_the_bound_and_nobody_gives_way_for_them() {
    let serving = Serving::start(bounds(2, 2)).await;
    let (mut idle, mut busy) = (serving.connect().await, serving.connect().await);
    busy.eval("g.hang()").await;
    eventually("it runs", || serving.fake.running.load(SeqCst) == 1).await;
    for _ in 0..20 {
        let (status, body) = get(&serving, "/health").await;
        assert_eq!((status, &body["connections"]), (200, &2.into()));
        // Kept alive it would stay for ever.
        let (status, head, page) =
            exchange(&serving, "GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        assert_eq!(status, 200);
        assert!(head.contains("connection: close"), "{head}");
        assert!(String::from_utf8(page).unwrap().contains("mangrove_connections{} 2.0"));
    }
    stays(&mut idle).await;
}

/// Shells give a process 1,024 files and sockets; both ends of all connections are in this one.
fn allow_many_sockets() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}

#[tokio::test]
async fn a_thousand_silent_connections_keep_nobody_out() {
    let serving = Serving::start(ServerOptions::default()).await;
    allow_many_sockets();
    let mut silent = Vec::new();
    for n in 0..1_400_u32 {
        // From a few addresses, so that the bound on all of them is reached.
        silent.push(stream_from(2 + (n % 4) as u8, &serving).await);
    }
    assert_eq!(get(&serving, "/health").await.0, 200);
    assert_eq!(post(&serving, COUNT).await.0, 200);
    let mut client = client_from(9, &serving).await;
    stays(&mut client).await;
    assert!(get(&serving, "/health").await.1["connections"].as_u64().unwrap() <= 1_024);
}

#[tokio::test]
async fn an_address_that_waits_in_great_numbers_displaces_only_itself() {
    let serving = Serving::start(bounds(1, 1)).await;
    let mut busy = serving.connect().await;
    busy.eval("g.hang()").await;
    let mut patient = stream_from(9, &serving).await;
    allow_many_sockets();
    let mut silent = Vec::new();
    for n in 0..600_u32 {
        silent.push(stream_from(2 + (n % 5) as u8, &serving).await);
    }
    patient.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    timeout(Duration::from_secs(5), patient.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(get(&serving, "/health").await.0, 200);
}

#[tokio::test]
async fn whose_request_takes_long_to_come_has_no_claim_to_stay() {
    let serving = Serving::start(bounds(1, 1)).await;
    let mut slow = TcpStream::connect(serving.address).await.unwrap();
    slow.write_all(b"POST /gremlin HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{")
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(post(&serving, COUNT).await.0, 200);
    let mut rest = Vec::new();
    let end = timeout(Duration::from_secs(5), slow.read_to_end(&mut rest)).await.expect("it ends");
    assert!(end.is_err() || rest.is_empty());
}

#[tokio::test]
async fn an_answer_that_is_still_on_its_way_keeps_its_connection() {
    let options = ServerOptions { max_http_results: usize::MAX, ..bounds(1, 1) };
    let serving = Serving::start(options).await;
    let mut slow = TcpStream::connect(serving.address).await.unwrap();
    slow.write_all(post_with(r#"{"gremlin":"g.bulk(1000000)"}"#, "").as_bytes()).await.unwrap();
    let mut head = [0; 12];
    slow.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    assert_eq!(post(&serving, COUNT).await.0, 503);
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).await.unwrap();
    assert!(rest.ends_with(b"}"), "the whole answer came");
    assert_eq!(post(&serving, COUNT).await.0, 200);
}

#[tokio::test]
async fn clients_that_come_and_go_leave_no_place_taken() {
    let serving = Serving::start(bounds(4, 4)).await;
    for _ in 0..200 {
        drop(serving.connect().await);
        assert_eq!(post(&serving, COUNT).await.0, 200);
    }
    let began = Instant::now();
    while get(&serving, "/health").await.1["connections"] != 1 {
        assert!(began.elapsed() < Duration::from_secs(5), "places are still taken");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// What is sent of a large message counts for all connections together, so it must come to an end.
#[tokio::test]
async fn a_large_message_that_does_not_come_to_an_end_ends_its_connection() {
    let options = ServerOptions { read_timeout: Duration::from_millis(500), ..bounds(8, 8) };
    let serving = Serving::start(options).await;
    let mut slow = TcpStream::connect(serving.address).await.unwrap();
    let handshake = "GET /gremlin HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
                     sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    slow.write_all(handshake.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    slow.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 101");
    // A masked binary frame of 1 MiB, of which a piece comes at once and then a byte now and then.
    let frame = [&[0x82, 0xff][..], &(1_u64 << 20).to_be_bytes(), &[0; 4], &[0; 100_000]].concat();
    slow.write_all(&frame).await.unwrap();
    let (mut reading, mut writing) = slow.into_split();
    let trickle = tokio::spawn(async move {
        while writing.write_all(&[0]).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let mut rest = Vec::new();
    let end = timeout(Duration::from_secs(10), reading.read_to_end(&mut rest)).await.expect("it ends");
    assert!(end.is_err() || String::from_utf8_lossy(&rest).contains("server.read_timeout"));
    trickle.abort();
    // Many large ones in turn are none that does not end.
    let mut client = client_from(1, &serving).await;
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(1_200) {
        client.eval(&format!("g.count(1{}", ")".repeat(200_000))).await;
        client.response().await;
    }
}
