//! The users of a server: in a store, and in memory.
//!
//! ```text
//!   change ──▶ checked against what is in memory ──▶ store, durable ──▶ memory: what every request asks
//! ```
//!
//! It must never know sockets, nor graphs: a graph is a name here.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use parking_lot::{Mutex, RwLock};
use store::{Durability, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Store};

use crate::{
    AccessError, EVERY_GRAPH, Grants, Rights, Role,
    password::{self, PasswordHash},
    records::{self, KEYSPACE, Record, Token, User, token_key, user_key},
    token::{self, TokenHash, random},
};

/// Users that are kept at most, and tokens: all of them are in memory.
const MOST: usize = 100_000;

/// Bytes of a name.
pub(crate) const LONGEST_NAME: usize = 128;

/// The users of a store, with their roles and tokens. Shared by all who ask.
pub struct Registry {
    store: Arc<dyn Store>,
    /// Made with the first user.
    keyspace: Mutex<Option<Keyspace>>,
    table: RwLock<Table>,
    /// Held by who changes something.
    changing: Mutex<()>,
    has_users: AtomicBool,
}

#[derive(Default)]
struct Table {
    users: BTreeMap<Arc<str>, User>,
    tokens: HashMap<TokenHash, Token>,
}

impl Table {
    /// Who may look after users, and can log in as one who may: by a password, or a token that allows it; without one of these.
    fn admins(&self, without: Option<TokenHash>) -> impl Iterator<Item = &str> {
        let allows = move |hash: &TokenHash, token: &Token, name: &str| {
            let is_admins = token.at_most.is_none_or(|role| role == Role::Admin);
            token.user == name && Some(*hash) != without && is_admins && is_valid(token)
        };
        let admins = self.users.iter().filter(|(_, user)| user.grants.is_admin());
        let comes_in = move |(name, user): &(&Arc<str>, &User)| {
            user.password.is_some() || self.tokens.iter().any(|(hash, token)| allows(hash, token, name))
        };
        admins.filter(comes_in).map(|(name, _)| &**name)
    }
}

/// Somebody who has proved who he is, by what he proved it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    user: Arc<str>,
    proof: Proof,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// By the password that the user had at this stamp.
    Password(u64),
    Token(TokenHash),
}

impl Identity {
    pub(crate) fn of_password(user: Arc<str>, stamp: u64) -> Self {
        Self { user, proof: Proof::Password(stamp) }
    }

    /// His name.
    pub fn user(&self) -> &Arc<str> {
        &self.user
    }

    /// Whether it was a token that he showed.
    pub fn is_by_token(&self) -> bool {
        matches!(self.proof, Proof::Token(_))
    }
}

/// What can be told of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserInfo {
    /// The name.
    pub name: String,
    /// The roles.
    pub grants: Grants,
    /// Whether there is a password, beside tokens.
    pub has_password: bool,
    /// The tokens, in the order of their ids.
    pub tokens: Vec<TokenInfo>,
}

/// What can be told of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    /// What it is called, to revoke it.
    pub id: String,
    /// What its user calls it.
    pub label: String,
    /// The most that it allows, if that is less than its user may do.
    pub at_most: Option<Role>,
    /// When it ends; `None`: never.
    pub expires: Option<SystemTime>,
}

impl Registry {
    /// Reads the users of a store.
    ///
    /// # Errors
    /// If the store fails, or what is there is damaged.
    pub fn open(store: Arc<dyn Store>) -> Result<Self, AccessError> {
        let mut table = Table::default();
        let is_there = store.keyspace_names().iter().any(|name| name == KEYSPACE);
        let keyspace = is_there.then(|| store.keyspace(KEYSPACE, KeyspaceShape::Small)).transpose()?;
        if let Some(keyspace) = &keyspace {
            for pair in store.snapshot()?.scan(keyspace, KeyRange::all(), ScanOrder::Ascending)? {
                let (key, value) = pair?;
                match records::read(&key, &value)? {
                    Record::User(name, user) => _ = table.users.insert(name.into(), user),
                    Record::Token(hash, token) => _ = table.tokens.insert(hash, token),
                }
            }
        }
        let has_users = AtomicBool::new(!table.users.is_empty());
        Ok(Self {
            store,
            keyspace: Mutex::new(keyspace),
            table: RwLock::new(table),
            changing: Mutex::new(()),
            has_users,
        })
    }

    /// Whether there is anybody: then everybody has to prove who he is.
    pub fn has_users(&self) -> bool {
        self.has_users.load(Ordering::Acquire)
    }

    /// Everybody, in the order of names.
    pub fn users(&self) -> Vec<UserInfo> {
        let table = self.table.read();
        let mut all: BTreeMap<&str, UserInfo> = BTreeMap::new();
        for (name, user) in &table.users {
            let (grants, has_password) = (user.grants.clone(), user.password.is_some());
            all.insert(name, UserInfo { name: name.to_string(), grants, has_password, tokens: Vec::new() });
        }
        for (hash, token) in &table.tokens {
            let Some(user) = all.get_mut(token.user.as_str()) else { continue };
            let expires = token.expires.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
            let (label, at_most) = (token.label.clone(), token.at_most);
            user.tokens.push(TokenInfo { id: hash.id(), label, at_most, expires });
        }
        all.into_values()
            .map(|mut user| {
                user.tokens.sort_by(|a, b| a.id.cmp(&b.id));
                user
            })
            .collect()
    }

    /// Whether there is a user of that name.
    pub fn has(&self, name: &str) -> bool {
        self.table.read().users.contains_key(name)
    }

    /// Adds a user, of whom tokens are the only way in if there is no password.
    ///
    /// # Errors
    /// If the name is none, or taken; if it is the first one and no admin of all graphs.
    pub(crate) fn add(
        &self,
        name: &str,
        password: Option<PasswordHash>,
        grants: Grants,
    ) -> Result<(), AccessError> {
        check_name(name)?;
        check_grants(&grants)?;
        let _changing = self.changing.lock();
        {
            let table = self.table.read();
            if table.users.contains_key(name) {
                return Err(AccessError::Taken(name.into()));
            }
            if table.users.is_empty() && !grants.is_admin() {
                return Err(AccessError::FirstAdmin);
            }
            if table.users.len() >= MOST {
                return Err(AccessError::TooMany(MOST, "users"));
            }
        }
        self.put_user(name, User { password, grants, stamp: new_stamp() })
    }

    /// Gives a user another password, or none. Who has logged in by the old one has to do so again.
    ///
    /// # Errors
    /// If there is no such user.
    pub(crate) fn set_password(&self, name: &str, password: Option<PasswordHash>) -> Result<(), AccessError> {
        let _changing = self.changing.lock();
        let user = self.user(name)?;
        if password.is_none() {
            self.check_other_admin(name)?;
        }
        self.put_user(name, User { password, stamp: new_stamp(), ..user })
    }

    /// Gives a user a role on a graph, or takes it away.
    ///
    /// # Errors
    /// If there is no such user, or nobody would be left who may look after users.
    pub fn grant(&self, name: &str, graph: &str, role: Option<Role>) -> Result<(), AccessError> {
        let _changing = self.changing.lock();
        let mut user = self.user(name)?;
        user.grants.set(graph, role);
        check_grants(&user.grants)?;
        if !user.grants.is_admin() {
            self.check_other_admin(name)?;
        }
        self.put_user(name, user)
    }

    /// Takes everybody's role on a graph away, since the graph is gone: another one of that name is not theirs.
    ///
    /// # Errors
    /// If the store fails.
    pub fn forget_graph(&self, graph: &str) -> Result<(), AccessError> {
        let _changing = self.changing.lock();
        let with_role: Vec<_> = {
            let table = self.table.read();
            let users = table.users.iter();
            let with_role = users.filter(|(_, user)| user.grants.iter().any(|(other, _)| other == graph));
            with_role.map(|(name, user)| (name.to_string(), user.clone())).collect()
        };
        for (name, mut user) in with_role {
            user.grants.set(graph, None);
            self.put_user(&name, user)?;
        }
        Ok(())
    }

    /// Removes a user with his tokens.
    ///
    /// # Errors
    /// If there is no such user, or nobody would be left who may look after users.
    pub fn remove(&self, name: &str) -> Result<(), AccessError> {
        let _changing = self.changing.lock();
        self.user(name)?;
        self.check_other_admin(name)?;
        let tokens: Vec<_> = {
            let table = self.table.read();
            let own = table.tokens.iter().filter(|(_, token)| token.user == name);
            own.map(|(hash, _)| *hash).collect()
        };
        let keyspace = self.keyspace()?;
        let mut transaction = self.store.begin()?;
        transaction.delete(&keyspace, user_key(name))?;
        for hash in &tokens {
            transaction.delete(&keyspace, token_key(*hash))?;
        }
        transaction.commit(Durability::Sync)?;
        let mut table = self.table.write();
        table.users.remove(name);
        tokens.iter().for_each(|hash| _ = table.tokens.remove(hash));
        Ok(())
    }

    /// Makes a token of a user; its text, which is kept nowhere. `at_most` bounds what it allows; it ends after `lifetime`.
    ///
    /// # Errors
    /// If there is no such user.
    pub fn add_token(
        &self,
        name: &str,
        label: &str,
        at_most: Option<Role>,
        lifetime: Option<Duration>,
    ) -> Result<String, AccessError> {
        let _changing = self.changing.lock();
        self.user(name)?;
        if self.table.read().tokens.len() >= MOST {
            self.sweep()?;
            if self.table.read().tokens.len() >= MOST {
                return Err(AccessError::TooMany(MOST, "tokens"));
            }
        }
        let text = token::new();
        let hash = TokenHash::of(&text);
        let expires = lifetime.map(|lifetime| now().saturating_add(lifetime.as_secs()));
        let label: String = label.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
        let token = Token { user: name.into(), label, at_most, expires };
        self.put(token_key(hash), records::written(&token))?;
        self.table.write().tokens.insert(hash, token);
        Ok(text)
    }

    /// Ends a token, by its id.
    ///
    /// # Errors
    /// If there is no such token, or nobody would be left who may look after users.
    pub fn revoke_token(&self, id: &str) -> Result<(), AccessError> {
        let _changing = self.changing.lock();
        let found = self.table.read().tokens.keys().find(|hash| hash.id() == id).copied();
        let hash = found.ok_or_else(|| AccessError::NoToken(id.into()))?;
        self.check_other_way(hash)?;
        self.forget_tokens(&[hash])
    }

    /// Whose token a text is.
    pub(crate) fn owner(&self, text: &str) -> Option<Identity> {
        let hash = TokenHash::of(text);
        let table = self.table.read();
        let token = table.tokens.get(&hash).filter(|token| is_valid(token))?;
        let (user, _) = table.users.get_key_value(token.user.as_str())?;
        Some(Identity { user: user.clone(), proof: Proof::Token(hash) })
    }

    /// What is kept of a user's password, and at which stamp.
    pub(crate) fn password(&self, name: &str) -> Option<(Arc<str>, PasswordHash, u64)> {
        let table = self.table.read();
        let (name, user) = table.users.get_key_value(name)?;
        Some((name.clone(), user.password.clone()?, user.stamp))
    }

    /// What somebody may do with a graph; `None` if what he proved himself by does not hold any more.
    pub fn rights(&self, identity: &Identity, graph: &str) -> Option<Rights> {
        let table = self.table.read();
        let user = table.users.get(&identity.user)?;
        let at_most = match identity.proof {
            Proof::Password(stamp) if stamp == user.stamp => None,
            Proof::Password(_) => return None,
            Proof::Token(hash) => {
                let token = table.tokens.get(&hash).filter(|token| is_valid(token))?;
                token.at_most
            }
        };
        Some(user.grants.rights(graph, at_most))
    }

    fn user(&self, name: &str) -> Result<User, AccessError> {
        let user = self.table.read().users.get(name).cloned();
        user.ok_or_else(|| AccessError::NoUser(name.into()))
    }

    /// Refuses to leave nobody who may look after users, and can log in, when a user is gone or may do so no more.
    fn check_other_admin(&self, name: &str) -> Result<(), AccessError> {
        let table = self.table.read();
        let was_one = table.users.get(name).is_some_and(|user| user.grants.is_admin());
        let has_other = table.admins(None).any(|other| other != name);
        if was_one && !has_other { Err(AccessError::LastAdmin(name.into())) } else { Ok(()) }
    }

    /// Refuses the same when a token is gone.
    fn check_other_way(&self, gone: TokenHash) -> Result<(), AccessError> {
        let table = self.table.read();
        let had_one = table.admins(None).next().is_some();
        if !had_one || table.admins(Some(gone)).next().is_some() {
            return Ok(());
        }
        let user = table.tokens.get(&gone).map(|token| token.user.clone());
        Err(AccessError::LastAdmin(user.unwrap_or_default()))
    }

    fn put_user(&self, name: &str, user: User) -> Result<(), AccessError> {
        self.put(user_key(name), records::written(&user))?;
        self.table.write().users.insert(name.into(), user);
        self.has_users.store(true, Ordering::Release);
        Ok(())
    }

    fn put(&self, key: Vec<u8>, value: Vec<u8>) -> Result<(), AccessError> {
        let keyspace = self.keyspace()?;
        let mut transaction = self.store.begin()?;
        transaction.put(&keyspace, key, value)?;
        transaction.commit(Durability::Sync)?;
        Ok(())
    }

    /// Forgets tokens that have expired.
    fn sweep(&self) -> Result<(), AccessError> {
        let expired: Vec<_> = {
            let table = self.table.read();
            table.tokens.iter().filter(|(_, token)| !is_valid(token)).map(|(hash, _)| *hash).collect()
        };
        self.forget_tokens(&expired)
    }

    fn forget_tokens(&self, hashes: &[TokenHash]) -> Result<(), AccessError> {
        let keyspace = self.keyspace()?;
        let mut transaction = self.store.begin()?;
        for hash in hashes {
            transaction.delete(&keyspace, token_key(*hash))?;
        }
        transaction.commit(Durability::Sync)?;
        let mut table = self.table.write();
        hashes.iter().for_each(|hash| _ = table.tokens.remove(hash));
        Ok(())
    }

    fn keyspace(&self) -> Result<Keyspace, AccessError> {
        let mut keyspace = self.keyspace.lock();
        if let Some(keyspace) = &*keyspace {
            return Ok(keyspace.clone());
        }
        let made = self.store.keyspace(KEYSPACE, KeyspaceShape::Small)?;
        *keyspace = Some(made.clone());
        Ok(made)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table.read();
        let (users, tokens) = (table.users.len(), table.tokens.len());
        f.debug_struct("Registry").field("users", &users).field("tokens", &tokens).finish_non_exhaustive()
    }
}

fn check_name(name: &str) -> Result<(), AccessError> {
    let is_one = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.trim() == name
        && !name.chars().any(|c| c == ':' || c.is_control());
    if is_one { Ok(()) } else { Err(AccessError::Name(name.into())) }
}

fn check_grants(grants: &Grants) -> Result<(), AccessError> {
    let is_graph = |name: &str| {
        let is_source = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        name == EVERY_GRAPH || !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_source)
    };
    match grants.iter().find(|(graph, _)| !is_graph(graph)) {
        Some((graph, _)) => Err(AccessError::Graph(graph.into())),
        None => Ok(()),
    }
}

fn is_valid(token: &Token) -> bool {
    token.expires.is_none_or(|expires| now() < expires)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn new_stamp() -> u64 {
    u64::from_le_bytes(random())
}

/// Whether a text can be a password.
///
/// # Errors
/// [`AccessError::Password`].
pub(crate) fn check_password(password: &str) -> Result<(), AccessError> {
    password::check(password)
}
