//! What tenants have of a server: connections, and queries that run or wait.
//!
//! ```text
//!   submit ──▶ is there room? ── yes ──▶ runs ──▶ finished ──▶ the next one that waits
//!                 │ no                                             ▲
//!                 └──▶ line of the tenant ─────────────────────────┘
//!                        └─ after tenant.max_wait: busy
//! ```
//!
//! Each tenant has a line of its own, so nobody waits for the queries of others. Shares of the processor are the engine's to keep, and
//! memory, too.
//!
//! It must never know what a query says, nor over which protocol it came.

mod desk;

use std::{collections::HashMap, sync::Arc, time::Duration};

use access::Tenants;
use parking_lot::Mutex;

pub(crate) use desk::{Desk, Hold, Place, Slot, Waits};

/// Tenants that are kept, before those are sought who are not there any more.
const KEPT: usize = 1_000;

/// The tenants of a server, as far as they are there.
#[derive(Debug)]
pub(crate) struct Desks {
    tenants: Arc<Tenants>,
    by_number: Mutex<HashMap<u32, Arc<Desk>>>,
    max_wait: Duration,
}

impl Desks {
    pub(crate) fn new(tenants: Arc<Tenants>, max_wait: Duration) -> Self {
        Self { tenants, by_number: Mutex::default(), max_wait }
    }

    /// That of a user.
    pub(crate) fn of(&self, user: &Arc<str>) -> Arc<Desk> {
        let tenant = self.tenants.of(user);
        let mut desks = self.by_number.lock();
        if let Some(desk) = desks.get(&tenant.number) {
            return desk.clone();
        }
        if desks.len() >= KEPT {
            // Of those who are not there.
            desks.retain(|_, desk| Arc::strong_count(desk) > 1);
        }
        let desk = Arc::new(Desk::new(tenant, self.max_wait));
        desks.insert(desk.tenant().number, desk.clone());
        desk
    }

    /// Begins what waits and need not any more: what tenants may have was changed.
    pub(crate) fn look_again(&self) {
        self.all().iter().for_each(|desk| desk.look_again());
    }

    /// Those that have been there.
    pub(crate) fn all(&self) -> Vec<Arc<Desk>> {
        let mut all: Vec<_> = self.by_number.lock().values().cloned().collect();
        all.sort_by(|a, b| a.tenant().name.cmp(&b.tenant().name));
        all
    }
}
