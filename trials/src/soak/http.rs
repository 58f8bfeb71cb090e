//! Requests over HTTP, each on a connection of its own.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::tally::Ending;
use crate::Problem;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// That of the answer; where this has one behind its results, that.
    pub code: u16,
    head: String,
    /// What follows the head.
    pub body: String,
}

impl Reply {
    /// Reads an answer that ends with its connection.
    fn read(answer: &[u8]) -> Result<Self, Problem> {
        let answer = String::from_utf8_lossy(answer);
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("an answer without an end of its head")?;
        let code: u16 = head.get(9..12).ok_or("an answer without a code")?.parse()?;
        // What fails after its first results is told behind them.
        let within = serde_json::from_str::<Json>(body).ok().and_then(|body| body["status"]["code"].as_u64());
        let code = within.and_then(|code| u16::try_from(code).ok()).filter(|_| code == 200).unwrap_or(code);
        Ok(Self { code, head: head.to_owned(), body: body.to_owned() })
    }

    /// A header, by its name in small letters.
    pub fn header(&self, name: &str) -> Option<String> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.to_lowercase() == name).then(|| value.trim().to_owned())
        })
    }

    /// How the request has ended.
    pub fn ending(&self) -> Ending {
        Ending::of_code(self.code, &self.body)
    }
}

/// Sends a request to `/gremlin`.
///
/// # Errors
/// If there is no server, or no whole answer.
pub(crate) async fn post(address: SocketAddr, body: &Json) -> Result<Reply, Problem> {
    let body = body.to_string();
    let length = body.len();
    // By HTTP 1.0 an answer is in one piece.
    let request = format!(
        "POST /gremlin HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    exchange(address, &request).await
}

/// Asks for a path.
///
/// # Errors
/// As [`post`], or if the answer is no 200.
pub(crate) async fn get(address: SocketAddr, path: &str) -> Result<Reply, Problem> {
    let reply = exchange(address, &format!("GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n")).await?;
    if reply.code != 200 {
        return Err(format!("{path}: {} {}", reply.code, reply.body).into());
    }
    Ok(reply)
}

async fn exchange(address: SocketAddr, request: &str) -> Result<Reply, Problem> {
    let answer = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok::<_, std::io::Error>(answer)
    };
    Reply::read(&timeout(PATIENCE, answer).await??)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_behind_the_results_counts_and_headers_have_any_case() {
        let reply = |text: &str| Reply::read(text.as_bytes()).unwrap();
        let late =
            reply("HTTP/1.0 200 OK\r\nX-Transaction-Id: 7\r\n\r\n{\"result\":{},\"status\":{\"code\":500}}");
        assert_eq!((late.code, late.header("x-transaction-id")), (500, Some("7".to_owned())));
        assert_eq!(reply("HTTP/1.0 409 Conflict\r\n\r\n{\"status\":{\"code\":200}}").ending(), Ending::Busy);
        assert!(Reply::read(b"HTTP/1.0 200").is_err());
    }
}
