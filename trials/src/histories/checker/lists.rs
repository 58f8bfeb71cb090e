//! Lists: whoever reads one sees every append before it, in order. So the longest read is the order of the appends, and all
//! others are beginnings of it.
//!
//! ```text
//! places       0    1    2    3    4        unread
//! writers      T1   T4   T4   T2   T9       T7 T8         who appended what lies there
//!                             ▲    ▲
//!                         saw │    │ anti-dependency
//! a read of four elements ────┴────┘
//! ```
//!
//! Where only lengths are read, an append behind one says its place: two transactions at one place have both read the same
//! version.

use std::collections::{HashMap, HashSet};

use super::super::history::{Element, Operation};
use super::anomaly::AnomalyKind;
use super::dependencies::Why;
use super::findings::Findings;
use super::objects::{Access, ObjectHistory};
use super::unseen::{Source, refused_or_garbage};

/// A read of a list, without what its own transaction had appended.
struct Read<'h> {
    transaction: usize,
    /// How many elements of others it saw.
    seen: usize,
    /// All elements, its own among them; none if it read only the length.
    elements: Option<&'h [Element]>,
}

/// What lies where.
#[derive(Default)]
struct Places {
    /// The transactions that appended what is at each place: one, unless two read the same version.
    writers: Vec<Vec<usize>>,
    /// Where each element is.
    of: HashMap<Element, usize>,
}

impl Places {
    fn put(&mut self, element: Element, place: usize, writer: usize) {
        if self.writers.len() <= place {
            self.writers.resize_with(place + 1, Vec::new);
        }
        self.writers[place].push(writer);
        self.of.insert(element, place);
    }

    /// The nearest place from `place` on of which the writers are known.
    fn from(&self, place: usize) -> Option<&Vec<usize>> {
        self.writers.get(place..)?.iter().find(|writers| !writers.is_empty())
    }

    /// The nearest place before `place` of which the writers are known.
    fn before(&self, place: usize) -> Option<&Vec<usize>> {
        self.writers[..place.min(self.writers.len())].iter().rev().find(|writers| !writers.is_empty())
    }
}

/// Finds the order of a list's elements, what follows from it, and what contradicts it.
pub(crate) fn check(object: &ObjectHistory<'_>, findings: &mut Findings<'_>) {
    let writers = writers(object);
    let mut reads = reads(object);
    if writers.is_empty() && reads.is_empty() {
        return;
    }
    reads.retain(|read| is_sound(object, read, &writers, findings));
    let longest = reads.iter().filter_map(|read| read.elements).max_by_key(|elements| elements.len());
    let longest = longest.unwrap_or_default();
    reads.retain(|read| is_beginning(object, read, longest, findings));
    let mut places = Places::default();
    for (place, element) in longest.iter().enumerate() {
        places.put(*element, place, writers[element].transaction);
    }
    claim(object, &mut places);
    for pair in placed_in_turn(&places) {
        findings.dependencies.add(pair.0, pair.1, Why::WriteWrite, object.number);
    }
    for read in &reads {
        depend(object, read, &places, findings);
    }
    let unread = unread(object, &reads, &places, findings);
    order_unread(object, &unread, &reads, longest.len(), &places, findings);
}

/// Who appended each element.
fn writers(object: &ObjectHistory<'_>) -> HashMap<Element, Source> {
    let mut writers = HashMap::new();
    for access in &object.accesses {
        for element in access.operations.iter().filter_map(|operation| appended(operation)) {
            writers.insert(element, Source { transaction: access.transaction, outcome: access.outcome });
        }
    }
    writers
}

fn appended(operation: &Operation) -> Option<Element> {
    match operation {
        Operation::Append { element, .. } => Some(*element),
        _ => None,
    }
}

fn reads<'h>(object: &ObjectHistory<'h>) -> Vec<Read<'h>> {
    let mut reads = Vec::new();
    for Access { transaction, operations, .. } in object.committed() {
        let mut own = 0;
        for operation in operations {
            let (length, elements) = match operation {
                Operation::Append { .. } => {
                    own += 1;
                    continue;
                }
                Operation::ReadList { elements, .. } => (elements.len(), Some(elements.as_slice())),
                Operation::ReadLength { length, .. } => (*length, None),
                _ => continue,
            };
            reads.push(Read { transaction: *transaction, seen: length.saturating_sub(own), elements });
        }
    }
    reads
}

/// Whether a read saw only what transactions appended that may have happened, and nothing twice.
fn is_sound(
    object: &ObjectHistory<'_>,
    read: &Read<'_>,
    writers: &HashMap<Element, Source>,
    findings: &mut Findings<'_>,
) -> bool {
    if read.elements.is_none() && read.seen > writers.len() {
        let about = format!("T{} counted {} elements of {}", read.transaction, read.seen, writers.len());
        findings.report(AnomalyKind::Garbage, object.name, [read.transaction], about);
        return false;
    }
    let mut distinct = HashSet::new();
    for element in read.elements.unwrap_or_default() {
        if refused_or_garbage(object, read.transaction, *element, writers.get(element), findings) {
            return false;
        }
        if !distinct.insert(element) {
            let about = format!("T{} read {element} twice", read.transaction);
            findings.report(AnomalyKind::Duplicate, object.name, [read.transaction], about);
            return false;
        }
    }
    true
}

fn is_beginning(
    object: &ObjectHistory<'_>,
    read: &Read<'_>,
    longest: &[Element],
    findings: &mut Findings<'_>,
) -> bool {
    let Some(elements) = read.elements else { return true };
    let differs = elements.iter().zip(longest).position(|(one, other)| one != other);
    if let Some(place) = differs {
        let about = format!(
            "T{} read {} where the longest read has {}, at place {place}",
            read.transaction, elements[place], longest[place]
        );
        findings.report(AnomalyKind::Order, object.name, [read.transaction], about);
    }
    differs.is_none()
}

/// Puts the elements that no read shows where their own transactions say: behind the length that they read.
fn claim(object: &ObjectHistory<'_>, places: &mut Places) {
    for Access { transaction, operations, .. } in object.committed() {
        let (mut own, mut length) = (0, None);
        for operation in operations {
            match operation {
                Operation::ReadList { elements, .. } => {
                    length = Some(elements.len() - own.min(elements.len()))
                }
                Operation::ReadLength { length: read, .. } => length = Some(read - own.min(*read)),
                Operation::Append { element, .. } => {
                    if let Some(length) = length.filter(|_| !places.of.contains_key(element)) {
                        places.put(*element, length + own, *transaction);
                    }
                    own += 1;
                }
                _ => {}
            }
        }
    }
}

/// Who appended what lies at one place, and who what lies at the next.
fn placed_in_turn(places: &Places) -> Vec<(usize, usize)> {
    let known: Vec<&Vec<usize>> = places.writers.iter().filter(|writers| !writers.is_empty()).collect();
    let pairs = known
        .windows(2)
        .flat_map(|pair| pair[0].iter().flat_map(|earlier| pair[1].iter().map(|later| (*earlier, *later))));
    pairs.collect()
}

/// What a read comes after, and what before.
fn depend(object: &ObjectHistory<'_>, read: &Read<'_>, places: &Places, findings: &mut Findings<'_>) {
    let seen = places.before(read.seen).map_or(&[][..], Vec::as_slice);
    let next = places.from(read.seen).map_or(&[][..], Vec::as_slice);
    for writer in seen {
        findings.dependencies.add(*writer, read.transaction, Why::WriteRead, object.number);
    }
    for writer in next {
        findings.dependencies.add(read.transaction, *writer, Why::ReadWrite, object.number);
    }
    let between = seen.iter().find(|writer| **writer != read.transaction && next.contains(writer));
    if let Some(writer) = between.filter(|_| read.elements.is_some()) {
        let about = format!("T{} read a list that ends amid what T{writer} appended", read.transaction);
        findings.report(AnomalyKind::G1b, object.name, [read.transaction, *writer], about);
    }
}

/// Committed appends that no read shows. Those that some read should show are reported as lost, and the others given.
fn unread(
    object: &ObjectHistory<'_>,
    reads: &[Read<'_>],
    places: &Places,
    findings: &mut Findings<'_>,
) -> Vec<usize> {
    let whole = || reads.iter().filter(|read| read.elements.is_some());
    let last = whole().max_by_key(|read| findings.transaction(read.transaction).invoked);
    let mut unread = Vec::new();
    for Access { transaction, operations, .. } in object.committed() {
        let elements = operations.iter().filter_map(|operation| appended(operation));
        let Some(element) = elements.into_iter().find(|element| !places.of.contains_key(element)) else {
            continue;
        };
        match last.filter(|read| findings.is_before(*transaction, read.transaction)) {
            Some(read) => {
                let about = format!("T{transaction} appended {element}, and T{} lacks it", read.transaction);
                findings.report(AnomalyKind::Lost, object.name, [*transaction, read.transaction], about);
            }
            None => unread.push(*transaction),
        }
    }
    unread
}

/// Unread appends come after what was read, and after all who read that.
fn order_unread(
    object: &ObjectHistory<'_>,
    unread: &[usize],
    reads: &[Read<'_>],
    read_length: usize,
    places: &Places,
    findings: &mut Findings<'_>,
) {
    if unread.is_empty() {
        return;
    }
    // One relay in place of an edge from each of the last readers to each of the unread. A transaction that is on both
    // sides would come before itself.
    let both: HashSet<usize> = unread.iter().copied().collect();
    let relay = findings.dependencies.relay();
    for writer in unread {
        findings.dependencies.add(relay, *writer, Why::Onward, object.number);
    }
    for writer in places.before(read_length).into_iter().flatten().filter(|writer| !both.contains(writer)) {
        findings.dependencies.add(*writer, relay, Why::WriteWrite, object.number);
    }
    let last = reads.iter().filter(|read| read.elements.is_some() && read.seen >= read_length);
    for read in last.filter(|read| !both.contains(&read.transaction)) {
        findings.dependencies.add(read.transaction, relay, Why::ReadWrite, object.number);
    }
}
