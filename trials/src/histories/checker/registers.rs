//! Registers: whoever reads a register and writes it says which version its own follows.
//!
//! ```text
//! none ─▶ 7 (T1) ─▶ 12 (T3) ─▶ 15 (T4)        each read the one before
//!                └▶ 13 (T5)                     T3 and T5 read the same version: an update is lost
//! ```
//!
//! A write without a read of its own has no place that it tells. If the clock puts it behind all others before it, and
//! one of these was the last, it follows that. Beside this, whoever saw a version comes before all writes that were sent
//! after that version's writer had its answer: a chain of relays along time leads to them, one chain for a register.

use std::collections::HashMap;

use super::super::history::{Element, Operation};
use super::anomaly::AnomalyKind;
use super::dependencies::Why;
use super::findings::Findings;
use super::objects::{Access, ObjectHistory};
use super::unseen::{Source, refused_or_garbage};

/// What one transaction did to a register, by what others can tell of it.
struct Touch {
    transaction: usize,
    /// What it read before it wrote, if it did.
    read: Option<Option<Element>>,
    /// What it wrote last.
    written: Option<Element>,
}

/// Finds the order of a register's versions, what follows from it, and what contradicts it.
pub(crate) fn check(object: &ObjectHistory<'_>, findings: &mut Findings<'_>) {
    let writers = writers(object);
    let mut touches: Vec<Touch> = object.accesses.iter().filter_map(touch).collect();
    for touch in &mut touches {
        forget_unsound(object, touch, &writers, findings);
    }
    let is_blind = touches.iter().any(|touch| touch.written.is_some() && touch.read.is_none());
    let by_clock = if is_blind { by_clock(&touches, findings) } else { HashMap::new() };
    let mut followers: HashMap<Option<Element>, Vec<usize>> = HashMap::new();
    for Touch { transaction, read, written } in &touches {
        let replaced = read.or_else(|| by_clock.get(transaction).copied());
        if let (Some(replaced), Some(_)) = (replaced, written) {
            followers.entry(replaced).or_default().push(*transaction);
        }
    }
    for touch in &touches {
        depend(object, touch, &writers, &followers, findings);
    }
    if is_blind {
        order_blind(object, &touches, &writers, findings);
    }
}

/// What each writer replaced, where the clock tells: it was sent when all earlier writers had their answers, of which the
/// last was sent when all those before it had theirs.
fn by_clock(touches: &[Touch], findings: &Findings<'_>) -> HashMap<usize, Option<Element>> {
    let mut replaced = HashMap::new();
    // Until when earlier writers were on their way, and what the last of them wrote if it was alone.
    let mut busy_until = 0;
    let mut last = Some(None);
    for Touch { transaction, written, .. } in touches.iter().filter(|touch| touch.written.is_some()) {
        let writer = findings.transaction(*transaction);
        let is_alone = busy_until < writer.invoked;
        if let Some(last) = last.filter(|_| is_alone) {
            replaced.insert(*transaction, last);
        }
        let until = if findings.has_committed(*transaction) { writer.completed } else { u64::MAX };
        busy_until = busy_until.max(until);
        last = is_alone.then_some(*written);
    }
    replaced
}

/// Who wrote each value, the last of its transaction or one between.
fn writers(object: &ObjectHistory<'_>) -> HashMap<Element, (Source, bool)> {
    let mut writers = HashMap::new();
    for access in &object.accesses {
        let source = Source { transaction: access.transaction, outcome: access.outcome };
        let mut last = None;
        for operation in &access.operations {
            if let Operation::Write { value, .. } = operation {
                writers.insert(*value, (source, false));
                last = Some(*value);
            }
        }
        if let Some(last) = last {
            writers.insert(last, (source, true));
        }
    }
    writers
}

/// Of a transaction without an answer only what it meant to write is known.
fn touch(access: &Access<'_>) -> Option<Touch> {
    let mut touch = Touch { transaction: access.transaction, read: None, written: None };
    let mut touched = false;
    for operation in &access.operations {
        match operation {
            Operation::ReadRegister { value, .. } => {
                if touch.written.is_none() {
                    touch.read.get_or_insert(*value);
                }
                touched = true;
            }
            Operation::Write { value, .. } => {
                touch.written = Some(*value);
                touched = true;
            }
            _ => {}
        }
    }
    let happened = access.outcome != super::super::history::Outcome::Refused;
    (touched && happened).then_some(touch)
}

/// Reports what nobody may have read, and forgets it.
fn forget_unsound(
    object: &ObjectHistory<'_>,
    touch: &mut Touch,
    writers: &HashMap<Element, (Source, bool)>,
    findings: &mut Findings<'_>,
) {
    let Some(Some(value)) = touch.read else { return };
    let source = writers.get(&value);
    if refused_or_garbage(object, touch.transaction, value, source.map(|(source, _)| source), findings) {
        touch.read = None;
    } else if let Some((source, false)) = source
        && source.transaction != touch.transaction
    {
        let (reader, writer) = (touch.transaction, source.transaction);
        let about = format!("T{reader} read {value}, which T{writer} itself overwrote");
        findings.report(AnomalyKind::G1b, object.name, [reader, writer], about);
    }
}

/// What a read comes after and before, and what a write comes after.
fn depend(
    object: &ObjectHistory<'_>,
    touch: &Touch,
    writers: &HashMap<Element, (Source, bool)>,
    followers: &HashMap<Option<Element>, Vec<usize>>,
    findings: &mut Findings<'_>,
) {
    let Some(read) = touch.read else { return };
    if let Some((source, _)) = read.and_then(|value| writers.get(&value)) {
        findings.dependencies.add(source.transaction, touch.transaction, Why::WriteRead, object.number);
        if touch.written.is_some() {
            findings.dependencies.add(source.transaction, touch.transaction, Why::WriteWrite, object.number);
        }
    }
    for follower in followers.get(&read).into_iter().flatten() {
        findings.dependencies.add(touch.transaction, *follower, Why::ReadWrite, object.number);
    }
}

/// Orders reads before the writes that were sent after the version that they saw was there.
fn order_blind(
    object: &ObjectHistory<'_>,
    touches: &[Touch],
    writers: &HashMap<Element, (Source, bool)>,
    findings: &mut Findings<'_>,
) {
    // In the order in which they were sent, as all accesses are.
    let sent: Vec<usize> =
        touches.iter().filter(|touch| touch.written.is_some()).map(|touch| touch.transaction).collect();
    let relays: Vec<usize> = sent.iter().map(|_| findings.dependencies.relay()).collect();
    for (place, (writer, relay)) in sent.iter().zip(&relays).enumerate() {
        findings.dependencies.add(*relay, *writer, Why::Onward, object.number);
        if let Some(next) = relays.get(place + 1) {
            findings.dependencies.add(*relay, *next, Why::Onward, object.number);
        }
    }
    // Whoever writes as well is somewhere in the chain itself.
    for touch in touches.iter().filter(|touch| touch.written.is_none()) {
        let first_after = match touch.read {
            None => continue,
            Some(None) => 0,
            Some(Some(value)) => {
                let writer = writers[&value].0.transaction;
                if !findings.has_committed(writer) {
                    continue;
                }
                sent.partition_point(|other| !findings.is_before(writer, *other))
            }
        };
        if let Some(relay) = relays.get(first_after) {
            findings.dependencies.add(touch.transaction, *relay, Why::ReadWrite, object.number);
        }
    }
}
