//! The end of transactions that are open for too long: they keep what they may still read in memory.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use super::Ground;
use crate::database::Inner;

/// The grounds with an open transaction, looked at again and again while there are any.
#[derive(Default)]
pub(crate) struct Expiry(Mutex<Watched>);

#[derive(Default)]
struct Watched {
    grounds: Vec<Weak<Ground>>,
    /// Whether somebody is going to look.
    looks: bool,
}

/// How often is looked at most, and at least.
const OFTEN: Duration = Duration::from_millis(10);
const SELDOM: Duration = Duration::from_secs(1);

impl Expiry {
    /// Watches a ground until it has no open transaction, or is gone.
    pub(super) fn add(&self, inner: &Arc<Inner>, ground: &Arc<Ground>) {
        let mut watched = self.0.lock();
        watched.grounds.push(Arc::downgrade(ground));
        // Each look leaves those out that are gone; between two of them many may come and go.
        if watched.grounds.len() == watched.grounds.capacity() {
            watched.grounds.retain(|ground| ground.strong_count() > 0);
        }
        let looks = std::mem::replace(&mut watched.looks, true);
        drop(watched);
        if !looks {
            later(inner);
        }
    }

    /// Rolls back the transaction that has been open for longest: what it may still read takes all the memory that there is for
    /// changes.
    pub(crate) fn make_room(&self) {
        let grounds: Vec<_> = self.0.lock().grounds.iter().filter_map(Weak::upgrade).collect();
        let oldest = grounds.into_iter().filter_map(|ground| Some((ground.open_since()?, ground)));
        if let Some((_, ground)) = oldest.min_by_key(|(since, _)| *since) {
            ground.give_up(|| {
                "what it could still read took all the memory that there is for what others change (engine.cache)".into()
            });
        }
    }

    /// Grounds that are watched.
    pub(crate) fn watched(&self) -> usize {
        self.0.lock().grounds.iter().filter(|ground| ground.strong_count() > 0).count()
    }

    /// Ends what is open for too long; whether to look again.
    fn look(&self) -> bool {
        let now = Instant::now();
        self.look_by(|ground| ground.expire(now))
    }

    /// The same, where this ends what is open for too long on a ground; it says whether something still is.
    fn look_by(&self, expire: impl Fn(&Ground) -> bool) -> bool {
        let grounds = std::mem::take(&mut self.0.lock().grounds);
        let is_open = |ground: &Weak<Ground>| {
            let look = || ground.upgrade().is_some_and(|ground| expire(&ground));
            // Nobody would look at the others any more.
            catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| {
                tracing::error!("to look at an open transaction panicked");
                true
            })
        };
        let mut open: Vec<_> = grounds.into_iter().filter(is_open).collect();
        // One that has begun several transactions since was watched several times.
        open.sort_unstable_by_key(Weak::as_ptr);
        open.dedup_by(|one, other| one.ptr_eq(other));
        let mut watched = self.0.lock();
        watched.grounds.append(&mut open);
        watched.looks = !watched.grounds.is_empty();
        watched.looks
    }
}

/// Looks after a while.
fn later(inner: &Arc<Inner>) {
    let sessions = &inner.options.sessions;
    let wait = (sessions.idle.min(sessions.lifetime) / 8).clamp(OFTEN, SELDOM);
    let weak = Arc::downgrade(inner);
    inner.retries.after(
        wait,
        Box::new(move || {
            if let Some(inner) = weak.upgrade()
                && inner.expiry.look()
            {
                later(&inner);
            }
        }),
    );
}

#[cfg(test)]
mod tests {
    use std::{cell::Cell, panic::resume_unwind};

    use server::Client;

    use super::*;
    use crate::Database;

    #[test]
    fn a_panic_at_one_ground_ends_no_watch() {
        let db = Database::in_memory().unwrap();
        let grounds = [1, 2, 3].map(|connection| {
            let client = Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection };
            Ground::of_session(&db.inner, client)
        });
        let expiry = Expiry::default();
        expiry.0.lock().grounds = grounds.iter().map(Arc::downgrade).collect();
        let looked = Cell::new(0);
        let goes_on = expiry.look_by(|ground| {
            looked.set(looked.get() + 1);
            if std::ptr::eq(ground, &*grounds[0]) {
                resume_unwind(Box::new("a fault"));
            }
            std::ptr::eq(ground, &*grounds[1])
        });
        assert!(goes_on);
        assert_eq!((looked.get(), expiry.watched()), (3, 2));
    }
}
