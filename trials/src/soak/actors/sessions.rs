//! Sessions: several writes as one transaction, which is committed, rolled back, closed without a commit, or left.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use tokio::time::sleep;
use uuid::Uuid;

use super::super::field::{Field, Line};
use super::super::ledger::{Fate, Ledger};
use super::super::slots::{Way, Write};
use super::super::tally::Ending;
use super::writers::{fate_of, look};
use crate::histories::client::{Answer, Request};

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Commit,
    Rollback,
    /// The session is closed, or forgotten, without a word about its transaction.
    Close,
    /// The connection breaks.
    Leave,
}

impl End {
    /// Half of them commit.
    pub fn draw(rng: &mut Rng) -> Self {
        [Self::Commit, Self::Commit, Self::Commit, Self::Rollback, Self::Close, Self::Leave][rng.usize(..6)]
    }
}

/// Writes to a few slots, no two of them the same.
pub(crate) fn draw_some(field: &Field, ledger: &Ledger, keys: &[i64], rng: &mut Rng) -> Vec<Write> {
    let mut keys = keys.to_vec();
    rng.shuffle(&mut keys);
    let write = |key: &i64| Way::draw(ledger.known(*key), rng).write(*key, field.version());
    keys.iter().take(4).map(write).collect()
}

/// Notes the same fate of all writes of a transaction.
pub(crate) fn note_all(ledger: &mut Ledger, writes: &[Write], fate: Fate) {
    writes.iter().for_each(|write| ledger.note(write.key, write.content, fate));
}

/// Opens, uses and ends sessions until it is over.
pub(crate) async fn act(field: Arc<Field>, mut ledger: Ledger, mut rng: Rng) -> Ledger {
    let keys = ledger.keys();
    let mut line = Line::new(&field, "sessions", &[Ending::Busy]);
    while !field.is_over() {
        let writes = draw_some(&field, &ledger, &keys, &mut rng);
        let fate = transact(&mut line, &writes, End::draw(&mut rng)).await;
        note_all(&mut ledger, &writes, fate);
        look(&mut line, &ledger, keys[rng.usize(..keys.len())]).await;
        sleep(Duration::from_millis(30)).await;
    }
    ledger
}

async fn transact(line: &mut Line<'_>, writes: &[Write], end: End) -> Fate {
    let session = Uuid::new_v4().to_string();
    for write in writes {
        match line.ask_in(&session, &write.request).await {
            Answer::Results(_) => {}
            // Nothing was to be committed yet, so a connection that broke has committed nothing.
            Answer::Silence => return Fate::Refused,
            Answer::Error(..) => {
                close(line, &session).await;
                return Fate::Refused;
            }
        }
    }
    let fate = match end {
        End::Commit => fate_of(&line.ask_in(&session, &Request::of("g.tx().commit()")).await),
        End::Rollback => {
            line.ask_in(&session, &Request::of("g.tx().rollback()")).await;
            Fate::Refused
        }
        End::Close => Fate::Refused,
        End::Leave => {
            line.hang_up();
            return Fate::Refused;
        }
    };
    close(line, &session).await;
    fate
}

async fn close(line: &mut Line<'_>, session: &str) {
    if let Some(client) = line.client().await
        && let Answer::Error(code, message) = client.close(session).await
    {
        line.field.tally.wrong(format!("sessions: close: {code} {message}"));
    }
}
