//! Sets: whoever reads one learns of every element whether it is there, so of every add and removal on which side of it
//! it is.
//!
//! ```text
//! element 7      absent ─ T1 adds ─▶ present ─ T5 removes ─▶ absent
//!                   ▲                   ▲                       ▲
//!                before T1          after T1, before T5      after T5
//! ```
//!
//! What is absent is absent before or after; where both may be, nothing is said. Elements that were added later than a
//! read, or removed earlier, need no looking at: the clock says the same. So a read costs what is in the set when it is
//! read, and not what ever was.

use std::collections::{HashMap, HashSet};

use super::super::history::{Element, Operation, Outcome};
use super::anomaly::AnomalyKind;
use super::dependencies::Why;
use super::findings::Findings;
use super::objects::{Access, ObjectHistory};
use super::unseen::{Source, refused_or_garbage};

/// The life of an element.
struct Member {
    element: Element,
    adder: Source,
    /// Who removed it, or may have.
    removers: Vec<usize>,
    /// Whether any read shows it.
    was_seen: bool,
    /// Whether it was acknowledged and is not there.
    is_lost: bool,
}

struct SetReads<'h> {
    transaction: usize,
    elements: &'h [Element],
    /// What the transaction itself had added or removed before.
    own: HashSet<Element>,
}

/// Finds who comes before and after whom by what reads of a set show and do not show.
pub(crate) fn check(object: &ObjectHistory<'_>, findings: &mut Findings<'_>) {
    let mut members = members(object);
    let reads = reads(object);
    if members.is_empty() && reads.is_empty() {
        return;
    }
    let places: HashMap<Element, usize> =
        members.iter().enumerate().map(|(place, member)| (member.element, place)).collect();
    note_removers(object, &mut members, &places);
    report_removed_twice(object, &members, findings);
    for read in &reads {
        present(object, read, &mut members, &places, findings);
    }
    order_removals(object, &members, findings);
    let uncertain = uncertain_from(object, findings);
    report_lost(object, &reads, &mut members, uncertain, findings);
    absent(object, &reads, &members, uncertain, findings);
}

/// Every element, in the order in which the transactions that add them were sent.
fn members(object: &ObjectHistory<'_>) -> Vec<Member> {
    let mut members = Vec::new();
    for Access { transaction, outcome, operations } in &object.accesses {
        for operation in operations {
            if let Operation::Add { element, .. } = operation {
                let adder = Source { transaction: *transaction, outcome: *outcome };
                members.push(Member {
                    element: *element,
                    adder,
                    removers: Vec::new(),
                    was_seen: false,
                    is_lost: false,
                });
            }
        }
    }
    members
}

fn reads<'h>(object: &ObjectHistory<'h>) -> Vec<SetReads<'h>> {
    let mut reads = Vec::new();
    for Access { transaction, operations, .. } in object.committed() {
        let mut own = HashSet::new();
        for operation in operations {
            match operation {
                Operation::Add { element, .. } | Operation::Remove { element, .. } => {
                    own.insert(*element);
                }
                Operation::ReadSet { elements, .. } => {
                    reads.push(SetReads { transaction: *transaction, elements, own: own.clone() });
                }
                _ => {}
            }
        }
    }
    reads
}

/// Notes who removes what.
fn note_removers(object: &ObjectHistory<'_>, members: &mut [Member], places: &HashMap<Element, usize>) {
    for Access { transaction, outcome, operations } in &object.accesses {
        if *outcome == Outcome::Refused {
            continue;
        }
        for operation in operations {
            match operation {
                Operation::Remove { element, .. } => {
                    let Some(place) = places.get(element) else { continue };
                    members[*place].removers.push(*transaction);
                    // Whoever has removed it has seen it.
                    members[*place].was_seen |= *outcome == Outcome::Committed;
                }
                Operation::End { .. } => {
                    members.iter_mut().for_each(|member| member.removers.push(*transaction));
                }
                _ => {}
            }
        }
    }
}

/// What is known to have been added was added before it was removed.
fn order_removals(object: &ObjectHistory<'_>, members: &[Member], findings: &mut Findings<'_>) {
    for member in members {
        let adder = member.adder.transaction;
        if findings.has_committed(adder) || member.was_seen {
            for remover in &member.removers {
                findings.dependencies.add(adder, *remover, Why::WriteWrite, object.number);
            }
        }
    }
}

/// Reports every element that two transactions removed: each has seen it, so each comes before the other.
fn report_removed_twice(object: &ObjectHistory<'_>, members: &[Member], findings: &mut Findings<'_>) {
    for member in members {
        let committed = member.removers.iter().copied().filter(|remover| findings.has_committed(*remover));
        let removers: Vec<usize> = committed.collect();
        if removers.len() > 1 {
            let about = format!("{} was removed by each of {removers:?}", member.element);
            findings.report(AnomalyKind::LostUpdate, object.name, removers, about);
        }
    }
}

/// What a read shows was added before and will be removed after.
fn present(
    object: &ObjectHistory<'_>,
    read: &SetReads<'_>,
    members: &mut [Member],
    places: &HashMap<Element, usize>,
    findings: &mut Findings<'_>,
) {
    let mut distinct = HashSet::new();
    for element in read.elements.iter().filter(|element| !read.own.contains(*element)) {
        let member = places.get(element).map(|place| &mut members[*place]);
        let source = member.as_ref().map(|member| member.adder);
        if refused_or_garbage(object, read.transaction, *element, source.as_ref(), findings) {
            continue;
        }
        if !distinct.insert(element) {
            let about = format!("T{} read {element} twice", read.transaction);
            findings.report(AnomalyKind::Duplicate, object.name, [read.transaction], about);
        }
        let Some(member) = member else { continue };
        member.was_seen = true;
        let adder = member.adder.transaction;
        findings.dependencies.add(adder, read.transaction, Why::WriteRead, object.number);
        for remover in &member.removers {
            findings.dependencies.add(read.transaction, *remover, Why::ReadWrite, object.number);
        }
    }
}

/// Reports committed elements that nobody removed, nobody saw, and a later read lacks. Nothing more is said of them.
fn report_lost(
    object: &ObjectHistory<'_>,
    reads: &[SetReads<'_>],
    members: &mut [Member],
    uncertain_from: u64,
    findings: &mut Findings<'_>,
) {
    let certain = reads.iter().map(|read| read.transaction);
    let certain = certain.filter(|reader| findings.transaction(*reader).completed < uncertain_from);
    let Some(last) = certain.max_by_key(|reader| findings.transaction(*reader).invoked) else { return };
    for member in members {
        let adder = member.adder.transaction;
        member.is_lost = !member.was_seen && member.removers.is_empty() && findings.is_before(adder, last);
        if member.is_lost {
            let about = format!("T{adder} added {}, and T{last} lacks it", member.element);
            findings.report(AnomalyKind::Lost, object.name, [adder, last], about);
        }
    }
}

/// From when on something may be absent because a transaction without an answer removed it.
fn uncertain_from(object: &ObjectHistory<'_>, findings: &Findings<'_>) -> u64 {
    let unanswered = object.accesses.iter().filter(|access| access.outcome == Outcome::Unknown);
    let removing = unanswered
        .filter(|access| access.operations.iter().any(|step| matches!(step, Operation::RemoveSome { .. })));
    removing.map(|access| findings.transaction(access.transaction).invoked).min().unwrap_or(u64::MAX)
}

/// What a read does not show is added after it, or was removed before.
fn absent(
    object: &ObjectHistory<'_>,
    reads: &[SetReads<'_>],
    members: &[Member],
    uncertain_from: u64,
    findings: &mut Findings<'_>,
) {
    let mut coming = members.iter().filter(|member| !member.is_lost).peekable();
    // What may be in the set when the next read begins, and a little more.
    let mut present: Vec<&Member> = Vec::new();
    for read in reads {
        let reader = findings.transaction(read.transaction);
        let is_sent = |transaction: usize| findings.transaction(transaction).invoked <= reader.completed;
        while let Some(member) = coming.next_if(|member| is_sent(member.adder.transaction)) {
            if member.adder.outcome != Outcome::Refused {
                present.push(member);
            }
        }
        present.retain(|member| !member.removers.iter().any(|by| findings.is_before(*by, read.transaction)));
        let shown: HashSet<Element> = read.elements.iter().copied().collect();
        let lacking = present.iter().filter(|member| {
            let element = member.element;
            !shown.contains(&element) && !read.own.contains(&element) && is_sent(member.adder.transaction)
        });
        let mut edges = Vec::new();
        for member in lacking {
            let adder = member.adder.transaction;
            let mut removers = member.removers.iter().filter(|remover| is_sent(**remover));
            match (removers.next(), removers.next()) {
                (None, _) if reader.completed < uncertain_from => {
                    edges.push((read.transaction, adder, Why::PredicateReadWrite));
                }
                (Some(remover), None) if findings.is_before(adder, read.transaction) => {
                    edges.push((*remover, read.transaction, Why::WriteRead));
                }
                _ => {}
            }
        }
        for (from, to, why) in edges {
            findings.dependencies.add(from, to, why, object.number);
        }
    }
}
