//! How often gatekeepers announce their clocks (the τ of Weaver, section 3.5).

use std::time::Duration;

/// Adapts the period τ between announcements to the load. Announcing too rarely leaves transactions concurrent, so
/// that the oracle is asked; announcing too often costs messages. Neither is worth much, so τ follows the ratio of
/// both: it halves while the oracle is asked more often than announcements are sent, and doubles while it is not
/// asked at all. An idle gatekeeper does not announce.
#[derive(Clone, Debug)]
pub struct AnnouncementPace {
    period: Duration,
    shortest: Duration,
    longest: Duration,
    stamped: u64,
    asked: u64,
}

impl AnnouncementPace {
    /// A pace that begins with the longest period. `shortest` is raised to a microsecond, `longest` to `shortest`.
    pub fn new(shortest: Duration, longest: Duration) -> Self {
        let shortest = shortest.max(Duration::from_micros(1));
        let longest = longest.max(shortest);
        Self { period: longest, shortest, longest, stamped: 0, asked: 0 }
    }

    /// A transaction was stamped.
    pub fn stamped(&mut self) {
        self.stamped += 1;
    }

    /// The oracle had to be asked about a stamp of this gatekeeper.
    pub fn asked_oracle(&mut self) {
        self.asked += 1;
    }

    /// The period is over: whether to announce now, and how long the next period is. `announcements` is what one
    /// announcement costs in messages, which is the number of the other gatekeepers.
    pub fn period_over(&mut self, announcements: u64) -> (bool, Duration) {
        let due = self.stamped > 0;
        if self.asked > announcements {
            self.period = (self.period / 2).max(self.shortest);
        } else if self.asked == 0 {
            self.period = (self.period * 2).min(self.longest);
        }
        (self.stamped, self.asked) = (0, 0);
        (due, self.period)
    }

    /// The period in force.
    pub fn period(&self) -> Duration {
        self.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORTEST: Duration = Duration::from_micros(10);
    const LONGEST: Duration = Duration::from_millis(10);

    #[test]
    fn an_idle_gatekeeper_does_not_announce() {
        let mut pace = AnnouncementPace::new(SHORTEST, LONGEST);
        assert_eq!(pace.period_over(2), (false, LONGEST));
        pace.stamped();
        assert_eq!(pace.period_over(2), (true, LONGEST));
    }

    #[test]
    fn a_busy_oracle_shortens_the_period_down_to_its_bound_and_a_quiet_one_lengthens_it_again() {
        let mut pace = AnnouncementPace::new(SHORTEST, LONGEST);
        for _ in 0..20 {
            (0..5).for_each(|_| pace.asked_oracle());
            pace.period_over(2);
        }
        assert_eq!(pace.period(), SHORTEST);
        pace.asked_oracle();
        pace.period_over(2);
        assert_eq!(pace.period(), SHORTEST, "a few questions are cheaper than more messages");
        for _ in 0..20 {
            pace.period_over(2);
        }
        assert_eq!(pace.period(), LONGEST);
    }
}
