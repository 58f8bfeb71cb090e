//! The transactions of TinkerPop 4: sessions that belong to no connection, and are found by an id that the server gives.
//!
//! ```text
//! begin ──▶ id, session        request with the id ──▶ its turn ──▶ over: is the session's transaction still open?
//!                                                                     │ no: the id is forgotten
//! ```
//!
//! One is over with its commit or rollback, with an error that ends it, or when it has been idle or open for too long. Of that the
//! session knows; the id of one whose client never comes back is forgotten by [`Transactions::sweep`].

use std::{collections::HashMap, sync::Arc, time::Instant};

use parking_lot::Mutex;
use tokio::{
    sync::{Mutex as Line, OwnedMutexGuard},
    time::timeout_at,
};
use uuid::Uuid;
use values::Str;

use super::SessionPlace;
use crate::{Database, Session};

/// All of them, by id.
#[derive(Clone, Default)]
pub(crate) struct Transactions(Arc<Mutex<HashMap<Uuid, Arc<Transaction>>>>);

/// One of them.
pub(crate) struct Transaction {
    id: Uuid,
    /// Who has begun it: it is nobody else's.
    pub(crate) user: Option<Arc<str>>,
    /// The traversal source that it was begun with. Its requests may name no other.
    pub(crate) source: Str,
    pub(crate) database: Arc<dyn Database>,
    pub(crate) session: Arc<dyn Session>,
    /// Held by the request that runs. Others wait, in the order in which they came.
    line: Arc<Line<()>>,
    _place: SessionPlace,
}

/// The turn of a request. When it ends, the id is forgotten if the transaction is over.
pub(crate) struct Turn {
    transactions: Transactions,
    transaction: Arc<Transaction>,
    _held: OwnedMutexGuard<()>,
}

/// Why a request has no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoTurn {
    /// There is no transaction of that id.
    Unknown,
    /// Those before it took as long as it had time.
    Late,
}

impl std::fmt::Debug for Transactions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Transactions").field(&self.0.lock().len()).finish()
    }
}

impl Transactions {
    /// Makes an id for a session, and gives the turn of its first request, which begins its transaction.
    pub(crate) fn begin(
        &self,
        user: Option<Arc<str>>,
        source: Str,
        database: Arc<dyn Database>,
        session: Arc<dyn Session>,
        place: SessionPlace,
    ) -> Turn {
        let id = Uuid::new_v4();
        let line = Arc::new(Line::new(()));
        // Nobody else knows of it.
        let held = line.clone().try_lock_owned().expect("a line that was made just now is free");
        let transaction = Arc::new(Transaction { id, user, source, database, session, line, _place: place });
        self.0.lock().insert(id, transaction.clone());
        Turn { transactions: self.clone(), transaction, _held: held }
    }

    /// The transaction of that id, as clients write it.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Transaction>> {
        let id = Uuid::try_parse(id).ok()?;
        self.0.lock().get(&id).cloned()
    }

    /// Waits for the turn of a request, until its time is over.
    pub(crate) async fn enter(
        &self,
        transaction: Arc<Transaction>,
        until: Option<Instant>,
    ) -> Result<Turn, NoTurn> {
        let turn = transaction.line.clone().lock_owned();
        let held = match until {
            Some(until) => timeout_at(until.into(), turn).await.map_err(|_| NoTurn::Late)?,
            None => turn.await,
        };
        // The one before may have ended it.
        let is_known = self.0.lock().contains_key(&transaction.id);
        if !is_known {
            return Err(NoTurn::Unknown);
        }
        Ok(Turn { transactions: self.clone(), transaction, _held: held })
    }

    /// Forgets those that have ended by themselves.
    pub(crate) fn sweep(&self) {
        let all: Vec<_> = self.0.lock().values().cloned().collect();
        for transaction in all {
            // Of one whose request runs, that request's end looks.
            if let Ok(_held) = transaction.line.clone().try_lock_owned()
                && !transaction.session.is_open()
            {
                self.forget(&transaction.id);
            }
        }
    }

    fn forget(&self, id: &Uuid) {
        let forgotten = self.0.lock().remove(id);
        // Without the lock, since a session may have much to forget.
        drop(forgotten);
    }
}

impl Turn {
    /// The id that clients send.
    pub(crate) fn id(&self) -> String {
        self.transaction.id.to_string()
    }

    /// Whose turn it is.
    pub(crate) fn transaction(&self) -> &Transaction {
        &self.transaction
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.transaction.session.is_open() {
            self.transactions.forget(&self.transaction.id);
        }
    }
}
