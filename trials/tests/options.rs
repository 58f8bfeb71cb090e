//! The short form of `make options`: random traversals give one answer under all options.

use trials::differential::{OptionArguments, run_options};

/// Traversals in `make test`: about a minute's worth without optimisation.
const CASES: u64 = 300;

#[test]
fn random_traversals_have_one_answer_under_all_options() {
    let seed = std::env::var("MANGROVE_TRIAL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(7);
    let arguments = OptionArguments { cases: CASES, seed, first: 0, writes: 20, most: 3 };
    assert!(
        run_options(&arguments).unwrap(),
        "see above for what deviates; MANGROVE_TRIAL_SEED={seed} makes it again"
    );
}
