//! How large the heavy pool is to be (ByteGraph, section 4.3.1, equation 1): a state machine without clock or threads.
//!
//! ```text
//! T' = (1 + α · ln(P_heavy / P_light)) · T        α = 0.2, P: loads that wait, on average over a period
//! ```
//!
//! The paper leaves open what the logarithm of 0 is, and how a pool of one thread ever grows by a tenth. Here a pressure
//! below [`LEAST_PRESSURE`] counts as that, one step is at most a halving or a doubling, and the size is kept with its
//! fraction.
//!
//! While light requests time out the paper stops adjusting. But the step before may have been too long, and then they would
//! go on timing out: so the pool gives back a part α of what it has, down to the size that it began with. It grows again when no
//! light request has timed out for [`PATIENCE`] periods.

/// How fast the size follows: the paper's α.
const ALPHA: f64 = 0.2;
/// A queue shorter than this, on average, is one that nobody waits in.
const LEAST_PRESSURE: f64 = 1.0 / 16.0;
/// The least and the largest factor of one step.
const STEP: (f64, f64) = (0.5, 2.0);

/// Periods without time-outs of light requests after which the pool grows again.
const PATIENCE: u32 = 8;

/// What was seen in a period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Period {
    /// Loads of light requests that waited, on average.
    pub light: f64,
    /// Loads of heavy requests that waited, and heavy requests that waited for their turn, on average.
    pub heavy: f64,
    /// Light requests that timed out.
    pub light_time_outs: u64,
}

/// The size of the heavy pool, and its bounds.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    size: f64,
    /// The size that it began with.
    first: f64,
    most: f64,
    /// Periods to wait before it may grow.
    wait: u32,
}

impl Controller {
    /// A pool of `size` that may grow to `most`; both at least 1.
    pub(super) fn new(size: usize, most: usize) -> Self {
        let most = most.max(1) as f64;
        let first = (size.max(1) as f64).min(most);
        Self { size: first, first, most, wait: 0 }
    }

    /// Adjusts the size to what was seen.
    pub(super) fn step(&mut self, seen: &Period) {
        let ratio = seen.heavy.max(LEAST_PRESSURE) / seen.light.max(LEAST_PRESSURE);
        let factor = (1.0 + ALPHA * ratio.ln()).clamp(STEP.0, STEP.1);
        let is_late = seen.light_time_outs > 0;
        self.wait = if is_late { PATIENCE } else { self.wait.saturating_sub(1) };
        self.size = match factor > 1.0 {
            true if is_late => (self.size * (1.0 - ALPHA)).max(self.size.min(self.first)),
            true if self.wait > 0 => self.size,
            _ => (self.size * factor).clamp(1.0, self.most),
        };
    }

    /// Loads that the heavy pool does at a time.
    pub(super) fn size(&self) -> usize {
        self.size as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seen(light: f64, heavy: f64) -> Period {
        Period { light, heavy, light_time_outs: 0 }
    }

    fn after(mut controller: Controller, steps: usize, seen: &Period) -> f64 {
        (0..steps).for_each(|_| controller.step(seen));
        controller.size
    }

    #[test]
    fn one_step_is_equation_1() {
        let size = after(Controller::new(10, 100), 1, &seen(2.0, 5.0));
        assert!((size - 10.0 * (1.0 + 0.2 * 2.5f64.ln())).abs() < 1e-9, "{size}");
        let size = after(Controller::new(10, 100), 1, &seen(5.0, 2.0));
        assert!((size - 10.0 * (1.0 + 0.2 * 0.4f64.ln())).abs() < 1e-9, "{size}");
    }

    #[test]
    fn equal_pressures_and_empty_queues_change_nothing() {
        assert_eq!(after(Controller::new(7, 100), 50, &seen(3.0, 3.0)), 7.0);
        assert_eq!(after(Controller::new(7, 100), 50, &seen(0.0, 0.0)), 7.0);
    }

    #[test]
    fn an_empty_queue_on_one_side_moves_the_size_by_a_bounded_step() {
        assert_eq!(after(Controller::new(8, 100), 1, &seen(1e9, 0.0)), 4.0);
        assert_eq!(after(Controller::new(8, 100), 1, &seen(0.0, 1e9)), 16.0);
    }

    #[test]
    fn a_pool_of_one_grows_by_fractions() {
        let mut controller = Controller::new(1, 100);
        let sizes: Vec<usize> = (0..8)
            .map(|_| {
                controller.step(&seen(1.0, 2.0));
                controller.size()
            })
            .collect();
        assert_eq!(sizes, [1, 1, 1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn while_light_requests_time_out_the_pool_gives_back_what_it_has_gained() {
        let late = |light, heavy| Period { light_time_outs: 1, ..seen(light, heavy) };
        let mut controller = Controller::new(8, 100);
        controller.step(&late(1.0, 50.0));
        assert_eq!(controller.size, 8.0);
        let calm = seen(1.0, 50.0);
        assert_eq!(after(controller.clone(), PATIENCE as usize - 1, &calm), 8.0);
        (0..PATIENCE).for_each(|_| controller.step(&calm));
        let grown = controller.size;
        assert!(grown > 12.0, "no more time-outs: it goes on");
        controller.step(&late(1.0, 50.0));
        assert!((controller.size - grown * 0.8).abs() < 1e-9);
        assert_eq!(after(controller.clone(), 50, &late(1.0, 50.0)), 8.0);
        assert_eq!(after(controller, 50, &late(50.0, 1.0)), 1.0, "the pressure says so");
    }

    proptest! {
        #[test]
        fn the_size_stays_within_its_bounds_and_follows_the_pressure(
            start in 0usize..200,
            most in 0usize..200,
            seen in prop::collection::vec((0.0f64..1e6, 0.0f64..1e6, 0u64..2), 0..100),
        ) {
            let mut controller = Controller::new(start, most);
            for (light, heavy, light_time_outs) in seen {
                let before = controller.size;
                controller.step(&Period { light, heavy, light_time_outs });
                prop_assert!((1..=most.max(1)).contains(&controller.size()));
                let (more, less) = (controller.size > before, controller.size < before);
                prop_assert!(!more || heavy > light && light_time_outs == 0);
                prop_assert!(!less || heavy < light || light_time_outs > 0 && controller.size >= start.min(most) as f64);
                prop_assert!(controller.size <= before * 2.0 && controller.size >= before / 2.0);
            }
        }
    }
}
