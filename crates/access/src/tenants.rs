//! Tenants: users, or groups of them, that share a server.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use parking_lot::RwLock;

/// What a tenant may have. 0 stands for no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TenantBounds {
    /// How much larger its share of the processor is than that of one whose weight is 1.
    pub weight: u16,
    /// Queries that run at a time; further ones wait.
    pub max_queries: usize,
    /// Bytes that its queries may hold together.
    pub max_memory: u64,
    /// Connections on which somebody of it has logged in.
    pub max_connections: usize,
    /// Transactions that are open between requests.
    pub max_transactions: usize,
    /// Requests that may begin in a second; further ones wait.
    pub max_rate: u32,
}

impl Default for TenantBounds {
    fn default() -> Self {
        Self {
            weight: 1,
            max_queries: 0,
            max_memory: 0,
            max_connections: 0,
            max_transactions: 0,
            max_rate: 0,
        }
    }
}

/// A tenant. It stays the same one when it may have something else from now on, so that what it has is still counted.
#[derive(Debug)]
pub struct Tenant {
    /// No other has it, as long as the server runs.
    pub number: u32,
    /// Its name; a user who is none of a named one is a tenant of his name.
    pub name: Arc<str>,
    bounds: RwLock<TenantBounds>,
}

impl Tenant {
    /// A tenant that may have this.
    pub fn new(number: u32, name: &str, bounds: TenantBounds) -> Self {
        Self { number, name: name.into(), bounds: RwLock::new(bounds) }
    }

    /// What it may have at the moment.
    pub fn bounds(&self) -> TenantBounds {
        *self.bounds.read()
    }
}

impl PartialEq for Tenant {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Tenant {}

/// Tenants by their users.
pub struct Tenants(RwLock<Table>);

struct Table {
    named: BTreeMap<String, Arc<Tenant>>,
    by_user: HashMap<String, Arc<Tenant>>,
    /// What users have who are none of a named one's.
    others: TenantBounds,
    alone: HashMap<Arc<str>, Arc<Tenant>>,
    next: u32,
}

/// A tenant as it is configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantSettings {
    /// Its users, by their names.
    pub users: Vec<String>,
    /// What it may have.
    pub bounds: TenantBounds,
}

impl Tenants {
    /// These tenants; every other user is one by himself, with the bounds of `others`.
    pub fn new(named: &BTreeMap<String, TenantSettings>, others: TenantBounds) -> Self {
        let tenants = Self(RwLock::new(Table {
            named: BTreeMap::new(),
            by_user: HashMap::new(),
            others,
            alone: HashMap::new(),
            next: 0,
        }));
        tenants.set(named, others);
        tenants
    }

    /// Makes them others. One of the same name stays the same tenant, with what it has.
    pub fn set(&self, named: &BTreeMap<String, TenantSettings>, others: TenantBounds) {
        let mut table = self.0.write();
        let before = std::mem::take(&mut table.named);
        table.by_user.clear();
        table.others = others;
        table.alone.values().for_each(|tenant| *tenant.bounds.write() = others);
        for (name, settings) in named {
            let tenant = before.get(name).cloned().unwrap_or_else(|| table.make(name, settings.bounds));
            *tenant.bounds.write() = settings.bounds;
            for user in &settings.users {
                table.by_user.insert(user.clone(), tenant.clone());
            }
            table.named.insert(name.clone(), tenant);
        }
    }

    /// That of a user.
    pub fn of(&self, user: &Arc<str>) -> Arc<Tenant> {
        {
            let table = self.0.read();
            if let Some(tenant) = table.by_user.get(&**user).or_else(|| table.alone.get(user)) {
                return tenant.clone();
            }
        }
        let mut table = self.0.write();
        let bounds = table.others;
        let tenant = table.make(user, bounds);
        table.alone.entry(user.clone()).or_insert(tenant).clone()
    }
}

impl Table {
    fn make(&mut self, name: &str, bounds: TenantBounds) -> Arc<Tenant> {
        self.next += 1;
        Arc::new(Tenant::new(self.next, name, bounds))
    }
}

impl Default for Tenants {
    fn default() -> Self {
        Self::new(&BTreeMap::new(), TenantBounds::default())
    }
}

impl fmt::Debug for Tenants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tenants").field(&self.0.read().named).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(name: &str) -> Arc<str> {
        name.into()
    }

    #[test]
    fn users_are_of_the_tenant_that_names_them_or_one_by_themselves() {
        let analysts = TenantSettings {
            users: vec!["ada".into(), "grace".into()],
            bounds: TenantBounds { weight: 3, ..TenantBounds::default() },
        };
        let named = BTreeMap::from([("analysts".to_owned(), analysts)]);
        let others = TenantBounds { max_queries: 4, ..TenantBounds::default() };
        let tenants = Tenants::new(&named, others);
        let (ada, grace, bob) =
            (tenants.of(&user("ada")), tenants.of(&user("grace")), tenants.of(&user("bob")));
        assert_eq!((ada.number, &*ada.name, ada.bounds().weight), (grace.number, "analysts", 3));
        assert_eq!((&*bob.name, bob.bounds().max_queries), ("bob", 4));
        assert_eq!(tenants.of(&user("bob")).number, bob.number);
        assert_ne!(tenants.of(&user("analysts")).number, ada.number, "a user of that name is another one");
        tenants.set(&named, TenantBounds::default());
        assert_eq!(tenants.of(&user("ada")).number, ada.number, "it is as it was");
        assert_eq!(tenants.of(&user("bob")).number, bob.number, "he is the same");
        assert_eq!(bob.bounds().max_queries, 0);
        tenants.set(&BTreeMap::new(), TenantBounds::default());
        assert_eq!(tenants.of(&user("ada")).bounds().weight, 1);
    }
}
