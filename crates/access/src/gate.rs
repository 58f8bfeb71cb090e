//! Who comes in: credentials are looked at, and somebody is known then, or is told why not.
//!
//! ```text
//!   token ─────▶ SHA-256 ─▶ known?
//!   password ──▶ verified a minute ago? ─ no ─▶ too many wrong ones? ─ no ─▶ the same one under way? ─ no ─▶ argon2id, in turn
//! ```

use std::{
    collections::HashMap,
    fmt,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use store::MemoryStore;

use crate::{
    AccessError, Denied, Grants, Identity, Registry, Rights,
    guesses::Guesses,
    hasher::Hasher,
    password::{Bench, LONGEST, PasswordHash},
    registry::{LONGEST_NAME, check_password},
    remembered::{Mark, Remembered},
    token::is_token,
};

/// What somebody proves himself by.
#[derive(Clone)]
pub enum Credentials {
    /// A name and a password.
    Password {
        /// The name.
        user: String,
        /// The password.
        password: String,
    },
    /// A token.
    Token(String),
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Password { user, .. } => {
                f.debug_struct("Password").field("user", user).finish_non_exhaustive()
            }
            Self::Token(_) => f.write_str("Token"),
        }
    }
}

impl Credentials {
    /// The name that is in them.
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::Password { user, .. } => Some(user),
            Self::Token(_) => None,
        }
    }
}

/// Told who somebody is.
pub type Told = Box<dyn FnOnce(Result<Identity, Denied>) + Send>;

/// The users of a server and how they come in. Cheap to clone.
#[derive(Clone)]
pub struct Gate(Arc<Inner>);

struct Inner {
    registry: Registry,
    hasher: Hasher,
    state: Mutex<State>,
    /// Whether everybody has to prove who he is although there is nobody yet.
    is_required: AtomicBool,
}

struct State {
    remembered: Remembered,
    guesses: Guesses,
    /// Credentials that are being looked at, and who wants to know.
    under_way: HashMap<(Mark, IpAddr), Vec<Told>>,
}

impl Gate {
    /// A gate for these users. It is open as long as there are none.
    pub fn new(registry: Registry) -> Self {
        let state =
            State { remembered: Remembered::new(), guesses: Guesses::default(), under_way: HashMap::new() };
        Self(Arc::new(Inner {
            registry,
            hasher: Hasher::new(),
            state: Mutex::new(state),
            is_required: AtomicBool::new(false),
        }))
    }

    /// Closes it, although there are no users yet.
    pub fn close(&self) {
        self.0.is_required.store(true, Ordering::Release);
    }

    /// A gate without users, which is open, and where none are kept.
    pub fn of_nobody() -> Self {
        let nobody = Registry::open(Arc::new(MemoryStore::new())).expect("an empty store has no users");
        Self::new(nobody)
    }

    /// Whether everybody has to prove who he is.
    pub fn is_closed(&self) -> bool {
        self.0.is_required.load(Ordering::Acquire) || self.0.registry.has_users()
    }

    /// The users.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// What somebody may do with a graph, by the name of its traversal source; `None` if what he proved himself by does not hold
    /// any more.
    pub fn rights(&self, identity: &Identity, graph: &str) -> Option<Rights> {
        self.0.registry.rights(identity, graph)
    }

    /// Adds a user. Waits for the hash of the password.
    ///
    /// # Errors
    /// As [`AccessError`] says.
    pub fn add_user(&self, name: &str, password: Option<&str>, grants: Grants) -> Result<(), AccessError> {
        if self.registry().has(name) {
            // Before the hash is waited for.
            return Err(AccessError::Taken(name.into()));
        }
        self.registry().add(name, self.hash(password)?, grants)
    }

    /// Gives a user another password, or none. Waits for its hash.
    ///
    /// # Errors
    /// As [`AccessError`] says.
    pub fn set_password(&self, name: &str, password: Option<&str>) -> Result<(), AccessError> {
        self.registry().set_password(name, self.hash(password)?)
    }

    fn hash(&self, password: Option<&str>) -> Result<Option<PasswordHash>, AccessError> {
        let Some(password) = password else { return Ok(None) };
        check_password(password)?;
        let (send, hash) = mpsc::channel();
        let password = password.to_owned();
        let job = move |bench: &mut Bench| _ = send.send(bench.hash(&password));
        if !self.0.hasher.add(None, Box::new(job)) {
            return Err(AccessError::Busy);
        }
        hash.recv().map(Some).map_err(|_| AccessError::Busy)
    }

    /// Finds out who somebody at an address is. `told` is called with it, at once or from another thread.
    pub fn verify(&self, credentials: Credentials, from: IpAddr, told: Told) {
        match credentials {
            Credentials::Token(text) => told(self.registry().owner(&text).ok_or(Denied::Token)),
            // Clients that know names and passwords only can show a token, too.
            Credentials::Password { user, password } if is_token(&password) => {
                let owner = self
                    .registry()
                    .owner(&password)
                    .filter(|owner| user.is_empty() || **owner.user() == *user);
                told(owner.ok_or(Denied::Token));
            }
            // Nobody has such a password, and hashing it would take longer; nor such a name, which would be remembered for a while.
            Credentials::Password { user, password }
                if password.len() > LONGEST || user.len() > LONGEST_NAME =>
            {
                told(Err(Denied::Wrong));
            }
            Credentials::Password { user, password } => self.verify_password(&user, password, from, told),
        }
    }

    fn verify_password(&self, user: &str, password: String, from: IpAddr, told: Told) {
        let now = Instant::now();
        let kept = self.registry().password(user);
        let name = kept.as_ref().map_or_else(|| user.into(), |(name, ..)| name.clone());
        let mut state = self.0.state.lock();
        let mark = state.remembered.mark(user, &password, from);
        if let Some(identity) = state.remembered.find(&mark, now) {
            if self.registry().rights(&identity, "").is_some() {
                drop(state);
                return told(Ok(identity));
            }
            state.remembered.forget(&mark);
        }
        if let Some(others) = state.under_way.get_mut(&(mark, from)) {
            return others.push(told);
        }
        if let Err(wait) = state.guesses.begin(&name, from, kept.is_some(), now) {
            drop(state);
            return told(Err(Denied::TooMany(wait)));
        }
        state.under_way.insert((mark, from), vec![told]);
        drop(state);
        let gate = self.clone();
        let stamp = kept.as_ref().map(|(_, _, stamp)| *stamp);
        let (user, of_job) = (name.clone(), gate.clone());
        let job = move |bench: &mut Bench| {
            let is_right = bench.verify(&password, kept.as_ref().map(|(_, hash, _)| hash));
            let identity = stamp.filter(|_| is_right).map(|stamp| Identity::of_password(user.clone(), stamp));
            of_job.end((mark, from), &user, identity);
        };
        if !self.0.hasher.add(Some(from), Box::new(job)) {
            gate.give_up((mark, from), &name);
        }
    }

    /// A hash was computed.
    fn end(&self, place: (Mark, IpAddr), user: &Arc<str>, identity: Option<Identity>) {
        let (mark, from) = place;
        let now = Instant::now();
        let mut state = self.0.state.lock();
        let others = state.under_way.remove(&place).unwrap_or_default();
        state.guesses.end(user, from, identity.is_some(), now);
        let denied = match state.guesses.is_used_up(from, now) {
            // As a name that nobody has would be answered.
            true => Denied::TooMany(Duration::from_secs(1)),
            false => Denied::Wrong,
        };
        if let Some(identity) = &identity {
            state.remembered.add(mark, identity.clone(), now);
        }
        drop(state);
        let told = identity.ok_or(denied);
        others.into_iter().for_each(|other| other(told.clone()));
    }

    /// A hash could not be computed.
    fn give_up(&self, place: (Mark, IpAddr), user: &Arc<str>) {
        let mut state = self.0.state.lock();
        let others = state.under_way.remove(&place).unwrap_or_default();
        state.guesses.forgo(user, place.1, Instant::now());
        drop(state);
        others.into_iter().for_each(|other| other(Err(Denied::Busy)));
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { registry, is_required, .. } = &*self.0;
        f.debug_struct("Gate")
            .field("registry", registry)
            .field("is_required", is_required)
            .finish_non_exhaustive()
    }
}
