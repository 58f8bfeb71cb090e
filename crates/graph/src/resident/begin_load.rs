//! From a miss to the right to load.

use std::sync::Arc;

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
            return Ok(is_stored().then(|| Load { _loading: loading, _turn: None, _away: away }));
        };
        if request.is_over() {
            return Err(GraphError::Interrupted);
        }
        request.ask(1);
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
                return Ok(is_stored().then(|| Load { _loading: loading, _turn: Some(turn), _away: away }));
            }
        }
    }
}
