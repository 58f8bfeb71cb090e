//! What the queries of each tenant may hold together.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
};

use access::Tenant;
use dataflow::Budget;
use parking_lot::Mutex;

/// The budgets of tenants. Databases of one server share them.
#[derive(Clone, Debug, Default)]
pub struct TenantMemory(Arc<Mutex<Budgets>>);

/// By the tenant's number and its bound, of those whose queries are running.
type Budgets = HashMap<(u32, u64), Weak<Budget>>;

impl TenantMemory {
    /// That of a tenant, of which one query may hold so much. It counts what is held where nothing bounds that, too.
    pub(crate) fn of(&self, tenant: &Tenant, per_query: u64) -> Arc<Budget> {
        let most = match tenant.bounds().max_memory {
            0 => u64::MAX,
            most => most,
        };
        let mut budgets = self.0.lock();
        if let Some(budget) = budgets.get(&(tenant.number, most)).and_then(Weak::upgrade) {
            return budget;
        }
        budgets.retain(|_, budget| budget.strong_count() > 0);
        let budget = Arc::new(Budget::new(most, per_query));
        budgets.insert((tenant.number, most), Arc::downgrade(&budget));
        budget
    }
}

impl server::TenantUse for TenantMemory {
    fn memory(&self, tenant: &Tenant) -> u64 {
        let budgets = self.0.lock();
        // Queries that began before its bound was changed count with the others.
        let own = budgets.iter().filter(|((number, _), _)| *number == tenant.number);
        own.filter_map(|(_, budget)| budget.upgrade()).map(|budget| budget.used()).sum()
    }
}

#[cfg(test)]
mod tests {
    use access::TenantBounds;

    use super::*;

    #[test]
    fn queries_of_a_tenant_share_a_budget_as_long_as_there_are_some() {
        let memory = TenantMemory::default();
        let tenant = |number, max_memory| {
            Tenant::new(number, "t", TenantBounds { max_memory, ..TenantBounds::default() })
        };
        let first = memory.of(&tenant(1, 1_000), 100);
        assert!(Arc::ptr_eq(&first, &memory.of(&tenant(1, 1_000), 100)));
        assert!(!Arc::ptr_eq(&first, &memory.of(&tenant(2, 1_000), 100)));
        assert_eq!((first.limit(), first.per_query()), (1_000, 100));
        assert_eq!(memory.of(&tenant(3, 0), 100).per_query(), 100, "without a bound of its own");
        drop(first);
        memory.of(&tenant(4, 1), 1);
        assert_eq!(memory.0.lock().len(), 1, "those of nobody are forgotten");
    }
}
