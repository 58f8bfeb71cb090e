//! Real time: who had its answer before another was sent comes before it.
//!
//! An edge for every such pair would be too many. All that were answered lead into a chain of relays along time, and the
//! chain leads to each that was sent:
//!
//! ```text
//! answers     T1 ┐     T2 ┐      T3 ┐
//!                ▼        ▼         ▼
//! relays         ● ─────▶ ● ──────▶ ●
//!                │        │         └▶ T6
//! sent           └▶ T4    └▶ T5
//! ```

use super::dependencies::Why;
use super::findings::Findings;

/// Adds the dependencies of real time.
pub(crate) fn order(findings: &mut Findings<'_>) {
    let history = findings.history;
    let count = history.transactions.len();
    let mut answered: Vec<usize> = (0..count).filter(|number| findings.has_committed(*number)).collect();
    answered.sort_by_key(|number| history.transactions[*number].completed);
    let mut relays: Vec<(u64, usize)> = Vec::with_capacity(answered.len());
    for number in answered {
        let relay = findings.dependencies.relay();
        findings.dependencies.add(number, relay, Why::RealTime, None);
        if let Some((_, last)) = relays.last() {
            findings.dependencies.add(*last, relay, Why::Onward, None);
        }
        relays.push((history.transactions[number].completed, relay));
    }
    for (number, transaction) in history.transactions.iter().enumerate() {
        let earlier = relays.partition_point(|(completed, _)| *completed < transaction.invoked);
        if earlier > 0 && transaction.may_have_happened() {
            findings.dependencies.add(relays[earlier - 1].1, number, Why::Onward, None);
        }
    }
}
