//! What the requests of a session have in common: variables, and a transaction that stays open between them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use graph::Transaction;
use gremlin::{Argument, Bindings};
use parking_lot::Mutex;
use server::Client;
use values::Str;

use super::{
    account::{Account, Place},
    kept::too_large,
};
use crate::{Error, database::Inner};

/// See the module.
pub(crate) struct Ground {
    inner: Arc<Inner>,
    account: Arc<dyn Account>,
    /// Whether it lasts: its transactions stay open between requests, and have a place of their own.
    lasts: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Shared with who reads a statement; whoever sets one copies them then.
    variables: Arc<Bindings>,
    /// Bytes of these, each with its name.
    bytes: usize,
    phase: Phase,
    /// Whether a request is under way.
    busy: bool,
}

/// How far a transaction is.
#[derive(Default)]
enum Phase {
    /// There is none. The next statement that reads or writes begins one.
    #[default]
    None,
    /// It is open.
    Open(Open),
    /// It was rolled back for this reason, and its client may think that it is open: whatever would go on with it is refused until
    /// the client has ended it, too. Otherwise requests that belong together would be committed without those before.
    Over(String),
}

/// An open transaction.
pub(super) struct Open {
    pub(super) transaction: Arc<Transaction>,
    pub(super) place: Option<Place>,
    began: Instant,
    /// When a request has last begun or ended.
    touched: Instant,
}

/// Bytes that a variable counts beside its value and its name.
const VARIABLE_BYTES: usize = 128;

impl Ground {
    /// That of a session.
    pub(crate) fn of_session(inner: &Arc<Inner>, client: Client) -> Arc<Self> {
        Arc::new(Self::new(inner, client, true))
    }

    /// That of a script of its own.
    ///
    /// # Errors
    /// If its variables are too large.
    pub(crate) fn of_script(
        inner: &Arc<Inner>,
        client: Client,
        variables: Bindings,
    ) -> Result<Arc<Self>, Error> {
        let ground = Self::new(inner, client, false);
        variables.into_iter().try_for_each(|(name, value)| ground.set(name, value))?;
        Ok(Arc::new(ground))
    }

    fn new(inner: &Arc<Inner>, client: Client, lasts: bool) -> Self {
        let account = inner.accounts.of(&client);
        Self { inner: Arc::clone(inner), account, lasts, state: Mutex::default() }
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// The variables with their values.
    pub(crate) fn variables(&self) -> Arc<Bindings> {
        Arc::clone(&self.state.lock().variables)
    }

    /// Sets a variable.
    ///
    /// # Errors
    /// If there are too many, or it is too large.
    pub(crate) fn set(&self, name: Str, value: impl Into<Argument>) -> Result<(), Error> {
        let value = value.into();
        let sessions = &self.inner.options.sessions;
        let size = |value: &Argument| {
            let bytes = value.bytes().saturating_add((name.len() + VARIABLE_BYTES) as u64);
            usize::try_from(bytes).unwrap_or(usize::MAX)
        };
        let bytes = size(&value);
        let mut state = self.state.lock();
        let before = state.variables.get(&name).map(size);
        if before.is_none() && state.variables.len() >= sessions.max_variables {
            let (name, most) = (values::excerpt(&name), sessions.max_variables);
            return Err(Error::SessionLimit(format!(
                "{name} would be one variable more than the {most} that sessions.max_variables allows"
            )));
        }
        let before = before.unwrap_or(0);
        if bytes <= before {
            self.account.give_back_of_variables(before - bytes);
        } else if !self.account.take_for_variables(bytes - before) {
            return Err(too_large(&name, self.most_variable_bytes()));
        }
        state.bytes = state.bytes + bytes - before;
        Arc::make_mut(&mut state.variables).insert(name, value);
        Ok(())
    }

    /// Makes the variables those of before.
    pub(super) fn reset(&self, variables: &Bindings) -> Result<(), Error> {
        let mut state = self.state.lock();
        self.account.give_back_of_variables(std::mem::take(&mut state.bytes));
        state.variables = Arc::default();
        drop(state);
        variables.iter().try_for_each(|(name, value)| self.set(name.clone(), value.clone()))
    }

    /// Bytes that one variable may have.
    pub(super) fn most_variable_bytes(&self) -> u64 {
        let sessions = &self.inner.options.sessions;
        sessions.max_variable_bytes.min(sessions.max_bytes_per_address)
    }

    /// A request begins. One that is a transaction of its own ends the one that is open.
    pub(crate) fn begin_request(&self, manages: bool) {
        if manages {
            self.roll_back();
        }
        let mut state = self.state.lock();
        state.busy = true;
        if let Phase::Open(open) = &mut state.phase {
            open.touched = Instant::now();
        }
    }

    /// It is over.
    pub(crate) fn end_request(&self) {
        let mut state = self.state.lock();
        state.busy = false;
        if let Phase::Open(open) = &mut state.phase {
            open.touched = Instant::now();
        }
    }

    /// The open transaction, begun if there is none, and how long it may still be open.
    ///
    /// # Errors
    /// If it was rolled back, or there are too many.
    pub(super) fn transaction(
        self: &Arc<Self>,
        begin: impl FnOnce() -> Transaction,
    ) -> Result<(Arc<Transaction>, Option<Duration>), Error> {
        let mut state = self.state.lock();
        if let Phase::Over(why) = &state.phase {
            return Err(over(why));
        }
        if !matches!(state.phase, Phase::Open(_)) {
            let place = self.lasts.then(|| self.account.open()).transpose()?;
            let (transaction, now) = (Arc::new(begin()), Instant::now());
            state.phase = Phase::Open(Open { transaction, place, began: now, touched: now });
            if self.lasts {
                self.inner.expiry.add(&self.inner, self);
            }
        }
        let Phase::Open(open) = &state.phase else { return Err(over("it could not be begun")) };
        let left =
            self.lasts.then(|| self.inner.options.sessions.lifetime.saturating_sub(open.began.elapsed()));
        Ok((open.transaction.clone(), left))
    }

    /// Begins a transaction on the latest committed state, on this account.
    pub(super) fn begin(&self) -> Transaction {
        self.inner.graph.begin_within(self.inner.snapshot(), self.account.clone())
    }

    /// Takes the open transaction out, to commit it.
    ///
    /// # Errors
    /// If it was rolled back; its client knows then.
    pub(super) fn take(&self) -> Result<Option<Open>, Error> {
        let mut state = self.state.lock();
        match std::mem::take(&mut state.phase) {
            Phase::None => Ok(None),
            Phase::Open(open) => Ok(Some(open)),
            Phase::Over(why) => Err(Error::TransactionOver(format!(
                "there is nothing to commit: {why}; begin again and send all of its requests once more"
            ))),
        }
    }

    /// Forgets what the transaction wrote, if there is one.
    pub(super) fn roll_back(&self) {
        let phase = std::mem::take(&mut self.state.lock().phase);
        self.forget(phase);
    }

    /// Rolls back the transaction, if one is open, without that its client has asked.
    pub(super) fn give_up(&self, why: impl FnOnce() -> String) {
        let mut state = self.state.lock();
        if matches!(state.phase, Phase::Open(_)) {
            let phase = std::mem::replace(&mut state.phase, Phase::Over(why()));
            drop(state);
            self.forget(phase);
        }
    }

    /// Gives up a transaction that is open or without a request for too long; whether one is open after that.
    pub(super) fn expire(&self, now: Instant) -> bool {
        let sessions = &self.inner.options.sessions;
        let why = {
            let state = self.state.lock();
            let Phase::Open(open) = &state.phase else { return false };
            // A request that is under way has no more time than the transaction.
            if state.busy {
                return true;
            }
            if now.saturating_duration_since(open.began) >= sessions.lifetime {
                lifetime_over(sessions.lifetime)
            } else if now.saturating_duration_since(open.touched) >= sessions.idle {
                format!(
                    "it was open without a request for {} ms, as long as sessions.idle_timeout allows",
                    sessions.idle.as_millis()
                )
            } else {
                return true;
            }
        };
        self.give_up(|| why);
        false
    }

    /// Whether there is no transaction, nor one that was rolled back without its client's knowing.
    pub(super) fn has_no_transaction(&self) -> bool {
        matches!(self.state.lock().phase, Phase::None)
    }

    /// Since when a transaction is open.
    pub(super) fn open_since(&self) -> Option<Instant> {
        match &self.state.lock().phase {
            Phase::Open(open) => Some(open.began),
            Phase::None | Phase::Over(_) => None,
        }
    }

    /// What a transaction held may be much, and to free it takes its time.
    fn forget(&self, phase: Phase) {
        if let Phase::Open(Open { transaction, .. }) = phase
            && transaction.has_writes()
        {
            self.inner.engine.aside(move || drop(transaction));
        }
    }
}

/// Why a request of a transaction is refused that is over.
fn over(why: &str) -> Error {
    Error::TransactionOver(format!(
        "the transaction of this session was rolled back: {why}; end it with rollback(), begin again and send all of its requests \
         once more"
    ))
}

/// Why a transaction was rolled back that was open for too long.
pub(super) fn lifetime_over(lifetime: Duration) -> String {
    format!("it was open for {} ms, as long as sessions.lifetime allows", lifetime.as_millis())
}

impl Drop for Ground {
    fn drop(&mut self) {
        let State { bytes, phase, .. } = std::mem::take(self.state.get_mut());
        self.account.give_back_of_variables(bytes);
        self.forget(phase);
    }
}
