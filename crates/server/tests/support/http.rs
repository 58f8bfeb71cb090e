//! A client that speaks HTTP as it is written.

use std::time::Duration;

use serde_json::Value as Json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::Serving;

/// Sends one request and reads the whole response: status, headers in lower case, body.
pub async fn exchange(serving: &Serving, request: impl AsRef<str>) -> (u16, String, Vec<u8>) {
    let stream = TcpStream::connect(serving.address).await.unwrap();
    exchange_on(stream, request.as_ref()).await
}

/// The same on a connection that is there.
pub async fn exchange_on(mut stream: TcpStream, request: &str) -> (u16, String, Vec<u8>) {
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    timeout(Duration::from_secs(10), stream.read_to_end(&mut response)).await.expect("an answer").unwrap();
    let split = response.windows(4).position(|w| w == b"\r\n\r\n").expect("headers end");
    let head = String::from_utf8(response[..split].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_lowercase(), response[split + 4..].to_vec())
}

pub async fn get(serving: &Serving, path: &str) -> (u16, Json) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let (status, _, body) = exchange(serving, request).await;
    (status, serde_json::from_slice(&body).unwrap())
}

pub fn post_with(body: &str, headers: &str) -> String {
    post_to("localhost", body, headers)
}

/// A request to the query endpoint, sent to a host.
pub fn post_to(host: &str, body: &str, headers: &str) -> String {
    format!(
        "POST /gremlin HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub async fn post(serving: &Serving, body: &str) -> (u16, Json) {
    let (status, _, body) = exchange(serving, post_with(body, "content-type: application/json\r\n")).await;
    (status, serde_json::from_slice(&body).unwrap())
}
