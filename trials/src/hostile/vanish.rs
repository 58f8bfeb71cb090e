//! Clients that vanish while their queries run: a second later nothing of these may be left.
//!
//! The server says how many requests it answers at the moment, not how many queries still run; so the processor time that the
//! process takes is looked at, too. A query that nobody waits for any more, and that goes on, takes a whole processor.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::connection::{Connection, get};
use super::query::{Form, Hostile, http, message};
use super::server::Attacked;
use crate::Problem;

/// So long after the clients have vanished their queries must be gone.
const GRACE: Duration = Duration::from_secs(1);
/// The time that processor time is counted for.
const WINDOW: Duration = Duration::from_millis(100);
/// What a server takes that does nothing, in that time.
const IDLE: Duration = Duration::from_millis(30);
/// The queries would go on for so long, in milliseconds.
const TIMEOUT: i64 = 30_000;

/// How a client vanishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It closes its connection.
    Close,
    /// Its machine resets it.
    Reset,
    /// It says good-bye, and does not wait for an answer.
    Goodbye,
    /// It begins another message, and closes the connection in the middle of it.
    HalfFrame,
    /// It has asked by HTTP, and closes the connection.
    Http,
    /// It reads nothing of its answer for a while, so that all buffers fill, and closes the connection.
    Deaf,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Close, Self::Reset, Self::Goodbye, Self::HalfFrame, Self::Http, Self::Deaf];

    /// Asks and vanishes.
    ///
    /// # Errors
    /// If there is no server.
    pub async fn vanish(self, address: SocketAddr, query: &Hostile, rng: &mut Rng) -> Result<(), Problem> {
        let before = if self == Self::Deaf { 500..800 } else { 20..300 };
        let before = Duration::from_millis(rng.u64(before));
        if self == Self::Http {
            let mut stream = TcpStream::connect(address).await?;
            stream.write_all(&http(query, Some(TIMEOUT)).unwrap_or_default()).await?;
            sleep(before).await;
            return Ok(());
        }
        let mut connection = Connection::open(address).await?;
        connection.send(message(query, Form::Binary, Some(TIMEOUT))?).await?;
        sleep(before).await;
        match self {
            Self::Close | Self::Http | Self::Deaf => {}
            Self::Reset => connection.stream().set_zero_linger()?,
            Self::Goodbye => connection.say_goodbye().await,
            // The head of a masked binary message of 1,000 bytes, its mask, and a few of the bytes.
            Self::HalfFrame => {
                connection.stream().write_all(&[0x82, 0xfe, 3, 232, 1, 2, 3, 4, 9, 9, 9]).await?;
            }
        }
        Ok(())
    }
}

/// Waits until nothing runs, for as long as that may take; how long it took, if it did not take longer.
pub(crate) async fn calm(server: &Attacked) -> Result<Duration, String> {
    let began = Instant::now();
    let mut last = String::from("it was busy");
    while began.elapsed() < GRACE + WINDOW {
        let (so_far, busy) = (began.elapsed(), server.busy());
        match requests(server.address()).await {
            Ok(0) => {
                sleep(WINDOW).await;
                let busy = server.busy().saturating_sub(busy);
                if busy <= IDLE {
                    return Ok(so_far);
                }
                last =
                    format!("no request is in flight, but the process took {} ms in 100", busy.as_millis());
            }
            Ok(requests) => {
                last = format!("{requests} requests are in flight");
                sleep(Duration::from_millis(20)).await;
            }
            Err(error) => last = error.to_string(),
        }
    }
    Err(last)
}

/// How many requests are in flight, by the server's own account.
async fn requests(address: SocketAddr) -> Result<u64, Problem> {
    let health = get(address, "/health", GRACE).await?;
    let health: serde_json::Value = serde_json::from_str(&health)?;
    health["requests"].as_u64().ok_or_else(|| "/health does not say how many requests there are".into())
}
