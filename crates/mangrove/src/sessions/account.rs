//! On whose account transactions are open: how many, and how much they hold.

use std::{
    collections::HashMap,
    fmt::Debug,
    net::IpAddr,
    sync::{
        Arc, Weak,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use access::Tenant;
use parking_lot::Mutex;
use server::Client;

use super::SessionOptions;
use crate::Error;

/// Finds the account of a client.
pub trait Accounts: Debug + Send + Sync {
    /// On whose account the sessions of a client are.
    fn of(&self, client: &Client) -> Arc<dyn Account>;
}

/// What somebody may have and hold. It is told of all that is taken, so that it knows what there is.
pub trait Account: graph::Allowance {
    /// Takes a place for a transaction that stays open between requests.
    ///
    /// # Errors
    /// If there are too many.
    fn open(&self) -> Result<Place, Error>;

    /// Takes bytes for a variable; false, and nothing taken, if that is too much.
    fn take_for_variables(&self, bytes: usize) -> bool;

    /// Gives bytes of variables back.
    fn give_back_of_variables(&self, bytes: usize);
}

/// A place for an open transaction; dropping it frees it.
pub struct Place(Vec<Taken>);

/// A part of a count.
struct Taken(Arc<AtomicUsize>);

impl Taken {
    fn of(count: &Arc<AtomicUsize>, most: usize) -> Option<Self> {
        let room = |taken: usize| (taken < most).then_some(taken + 1);
        count.fetch_update(Relaxed, Relaxed, room).ok().map(|_| Self(count.clone()))
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

impl Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Place").field(&self.0.len()).finish()
    }
}

/// An account for each tenant, and where there are none, for each address: of IPv6, for each network of 64 bits.
#[derive(Clone)]
pub struct HolderAccounts(Arc<All>);

impl Debug for HolderAccounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HolderAccounts").field("open", &self.open()).finish_non_exhaustive()
    }
}

struct All {
    options: SessionOptions,
    open: Arc<AtomicUsize>,
    variable_bytes: AtomicUsize,
    by_holder: Mutex<HashMap<Key, Weak<HolderAccount>>>,
}

/// Who has an account: a tenant by its number, or an address of nobody knows whom.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Tenant(u32),
    Address(IpAddr),
}

impl Key {
    fn of(client: &Client) -> Self {
        match &client.tenant {
            Some(tenant) => Self::Tenant(tenant.number),
            None => Self::Address(client.address),
        }
    }
}

struct HolderAccount {
    all: Arc<All>,
    key: Key,
    tenant: Option<Arc<Tenant>>,
    open: Arc<AtomicUsize>,
    bytes: AtomicUsize,
}

impl HolderAccounts {
    /// Accounts that nobody has yet.
    pub fn new(options: SessionOptions) -> Self {
        Self(Arc::new(All {
            options,
            open: Arc::default(),
            variable_bytes: AtomicUsize::new(0),
            by_holder: Mutex::default(),
        }))
    }

    /// Transactions that are open between requests.
    pub fn open(&self) -> usize {
        self.0.open.load(Relaxed)
    }

    /// Users and addresses that have sessions.
    pub fn holders(&self) -> usize {
        self.0.by_holder.lock().len()
    }
}

impl Accounts for HolderAccounts {
    fn of(&self, client: &Client) -> Arc<dyn Account> {
        let key = Key::of(client);
        let mut by_holder = self.0.by_holder.lock();
        if let Some(account) = by_holder.get(&key).and_then(Weak::upgrade) {
            return account;
        }
        let account = Arc::new(HolderAccount {
            all: self.0.clone(),
            key,
            tenant: client.tenant.clone(),
            open: Arc::default(),
            bytes: AtomicUsize::new(0),
        });
        by_holder.insert(key, Arc::downgrade(&account));
        account
    }
}

impl Drop for HolderAccount {
    fn drop(&mut self) {
        let mut by_holder = self.all.by_holder.lock();
        // Another one may have taken its place.
        if by_holder.get(&self.key).is_some_and(|account| account.strong_count() == 0) {
            by_holder.remove(&self.key);
        }
    }
}

impl HolderAccount {
    fn take_bytes(&self, bytes: usize, must: bool) -> bool {
        let most = usize::try_from(self.all.options.max_bytes_per_address).unwrap_or(usize::MAX);
        let room = |all: usize| {
            let all = all.saturating_add(bytes);
            (must || all <= most).then_some(all)
        };
        self.bytes.fetch_update(Relaxed, Relaxed, room).is_ok()
    }
}

impl graph::Allowance for HolderAccount {
    fn take(&self, bytes: usize, must: bool) -> bool {
        self.take_bytes(bytes, must)
    }

    fn give_back(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Relaxed);
    }
}

impl Account for HolderAccount {
    fn open(&self) -> Result<Place, Error> {
        let SessionOptions { max_transactions, max_transactions_per_address, .. } = self.all.options;
        let of_tenant = self.tenant.as_ref().map(|tenant| tenant.bounds().max_transactions);
        let most = of_tenant.filter(|most| *most > 0).unwrap_or(max_transactions_per_address);
        let own = Taken::of(&self.open, most).ok_or_else(|| {
            Error::TooManyTransactions(format!(
                "this tenant or address has {most} transactions open, as many as sessions.max_transactions_per_address, or the \
                 tenant's max_transactions, allows; commit or roll back one of them first"
            ))
        })?;
        let all = Taken::of(&self.all.open, max_transactions).ok_or_else(|| {
            Error::TooManyTransactions(format!(
                "this server has {max_transactions} transactions open, as many as sessions.max_transactions allows; try again \
                 later"
            ))
        })?;
        Ok(Place(vec![own, all]))
    }

    fn take_for_variables(&self, bytes: usize) -> bool {
        let most = usize::try_from(self.all.options.max_variable_bytes).unwrap_or(usize::MAX);
        let room = |all: usize| all.checked_add(bytes).filter(|all| *all <= most);
        if self.all.variable_bytes.fetch_update(Relaxed, Relaxed, room).is_err() {
            return false;
        }
        let taken = self.take_bytes(bytes, false);
        if !taken {
            self.all.variable_bytes.fetch_sub(bytes, Relaxed);
        }
        taken
    }

    fn give_back_of_variables(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Relaxed);
        self.all.variable_bytes.fetch_sub(bytes, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use access::TenantBounds;

    use super::*;

    fn client(last: u8) -> Client {
        Client { user: None, tenant: None, address: [10, 0, 0, last].into(), connection: 1 }
    }

    fn accounts() -> HolderAccounts {
        HolderAccounts::new(SessionOptions {
            max_transactions: 3,
            max_transactions_per_address: 2,
            max_bytes_per_address: 1_000,
            max_variable_bytes: 1_500,
            ..SessionOptions::default()
        })
    }

    #[test]
    fn an_address_and_all_together_have_so_many_transactions_and_places_are_freed() {
        let accounts = accounts();
        let (one, other) = (accounts.of(&client(1)), accounts.of(&client(2)));
        let (first, _second) = (one.open().unwrap(), accounts.of(&client(1)).open().unwrap());
        assert!(one.open().unwrap_err().to_string().contains("per_address"));
        let _third = other.open().unwrap();
        assert!(other.open().unwrap_err().to_string().contains("sessions.max_transactions allows"));
        drop(first);
        assert!(other.open().is_ok());
        assert_eq!(accounts.open(), 2);
    }

    #[test]
    fn a_tenant_has_one_account_wherever_it_asks_from() {
        let accounts = accounts();
        let bounds = TenantBounds { max_transactions: 1, ..TenantBounds::default() };
        let tenant = Arc::new(Tenant::new(1, "ada", bounds));
        let ada = |last| accounts.of(&Client { tenant: Some(tenant.clone()), ..client(last) });
        let here = ada(1);
        let _one = here.open().unwrap();
        assert!(ada(2).open().is_err() && accounts.of(&client(3)).open().is_ok());
    }

    #[test]
    fn bytes_are_of_the_address_and_those_of_variables_of_all() {
        let accounts = accounts();
        let (one, other) = (accounts.of(&client(1)), accounts.of(&client(2)));
        assert!(one.take(900, false) && !one.take(200, false) && one.take(200, true));
        one.give_back(1_100);
        assert!(one.take_for_variables(1_000) && !one.take(1, false));
        assert!(!other.take_for_variables(600) && other.take_for_variables(500));
        one.give_back_of_variables(1_000);
        assert!(other.take_for_variables(500) && !other.take_for_variables(1));
    }

    #[test]
    fn nothing_is_left_of_an_address_without_sessions() {
        let accounts = accounts();
        let (account, again) = (accounts.of(&client(1)), accounts.of(&client(1)));
        drop(account);
        assert_eq!(accounts.holders(), 1);
        drop(again);
        assert_eq!(accounts.holders(), 0);
    }
}
