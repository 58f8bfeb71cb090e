//! From a miss to the right to load.

use std::sync::Arc;
use std::time::Instant;

use super::memory::Memory;
use crate::cache::{Away, Loading, Request, Turn, Waiter};
use crate::error::{GraphError, Result};
use crate::sections::SectionKey;

/// The right to load a section: nobody else loads it meanwhile. Dropped in this order: others may have the section, the next
/// one its turn, and the thread goes back to its work.
pub(crate) struct Load<'a> {
    _loading: Loading<'a>,
    _turn: Option<Turn>,
    _away: Away,
    _timing: Option<Timing>,
}

/// Tells a request how long one of its loads has taken, when it is over in one way or another.
struct Timing(Arc<Request>, Instant);

impl Drop for Timing {
    fn drop(&mut self) {
        self.0.has_loaded(self.1);
    }
}

impl Memory {
    /// Waits until it is this thread's turn to load a section. `None` if `is_stored` says that it need not be loaded any
    /// more: somebody else has.
    pub(crate) fn begin_load(
        &self,
        key: SectionKey,
        request: Option<&Arc<Request>>,
        is_stored: impl Fn() -> bool,
    ) -> Result<Option<Load<'_>>> {
        // A reader keeps what is evicted while it reads, so the more of them wait for loads, the more memory is taken on top
        // of the budget.
        let away = Away::begin(request, !self.cache.is_short());
        let tell_if_long = || {
            if self.pools.expects_long() {
                away.expect_long();
            }
        };
        let Some(request) = request else {
            tell_if_long();
            let loading = self.cache.loads.begin(key);
            return Ok(is_stored().then(|| Load {
                _loading: loading,
                _turn: None,
                _away: away,
                _timing: None,
            }));
        };
        if request.is_over() {
            return Err(GraphError::Interrupted);
        }
        request.ask(1);
        let timing = Timing(Arc::clone(request), Instant::now());
        loop {
            let waiter = Arc::new(Waiter::default());
            if self.cache.loads.join(key, &waiter) {
                tell_if_long();
                if !request.wait(&waiter) {
                    return Err(GraphError::Interrupted);
                }
            }
            if !is_stored() {
                return Ok(None);
            }
            let turn = self.pools.take_turn(request, &away)?;
            if !is_stored() {
                return Ok(None);
            }
            if let Some(loading) = self.cache.loads.try_begin(key) {
                tell_if_long();
                let load =
                    || Load { _loading: loading, _turn: Some(turn), _away: away, _timing: Some(timing) };
                return Ok(is_stored().then(load));
            }
        }
    }
}
