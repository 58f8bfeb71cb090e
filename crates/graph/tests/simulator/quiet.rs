//! Comparisons that fail without a word: the model asserts, and the simulator decides what a failed assertion means.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// While a comparison runs on this thread: what its assertion said, and whether it was one of the model.
    static SAID: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// A comparison that did not hold.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    pub text: String,
    /// It was an assertion of the tests, not a panic of the graph.
    pub of_the_model: bool,
}

/// Lets [`quietly`] see panics before they are printed.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |info| {
            let kept = SAID.with_borrow_mut(|said| {
                let Some(failure) = said else { return false };
                failure.text = info.to_string();
                failure.of_the_model = info.location().is_some_and(|at| at.file().contains("tests/"));
                true
            });
            if !kept {
                print(info);
            }
        }));
    });
}

/// Runs a comparison; what it said if it panicked.
pub fn quietly<T>(compare: impl FnOnce() -> T) -> Result<T, Failure> {
    SAID.set(Some(Failure::default()));
    let outcome = catch_unwind(AssertUnwindSafe(compare));
    let said = SAID.take();
    outcome.map_err(|_| said.unwrap_or_default())
}
