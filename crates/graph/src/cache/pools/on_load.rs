//! What a thread does about its other work while a read of its waits for a load.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::request::Request;

/// Told by reads of its thread that they load, and have loaded. None of the calls may read the graph.
pub trait OnLoad {
    /// The thread is about to load something, on behalf of a request if there is one. Its other work is not to go on
    /// meanwhile unless `others_may_go_on`: where memory is short, whoever reads meanwhile keeps more of it.
    fn begin(&self, request: Option<&Arc<Request>>, others_may_go_on: bool);

    /// The load will take long, since it waits for its turn or loads take long at the moment. Whether the thread may be
    /// kept: `false` if it has other work that nobody can take over.
    fn expect_long(&self) -> bool;

    /// The load has ended, in one way or another.
    fn end(&self);
}

thread_local! {
    static ON_LOAD: RefCell<Option<Rc<dyn OnLoad>>> = const { RefCell::new(None) };
}

/// Sets who is told of the loads of this thread from now on.
pub fn on_load(told: Option<Rc<dyn OnLoad>>) {
    ON_LOAD.set(told);
}

/// Lives while this thread loads.
pub(crate) struct Away(Option<Rc<dyn OnLoad>>);

impl Away {
    pub(crate) fn begin(request: Option<&Arc<Request>>, others_may_go_on: bool) -> Self {
        let told = ON_LOAD.with_borrow(Clone::clone);
        if let Some(told) = &told {
            told.begin(request, others_may_go_on);
        }
        Self(told)
    }

    /// See [`OnLoad::expect_long`]. A thread that is nobody's may always be kept.
    pub(crate) fn expect_long(&self) -> bool {
        self.0.as_ref().is_none_or(|told| told.expect_long())
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        if let Some(told) = &self.0 {
            told.end();
        }
    }
}
