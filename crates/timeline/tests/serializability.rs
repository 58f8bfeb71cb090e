//! Random schedules of transactions, checked by running what committed once more, serially, in stamp order.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::Index;
use timeline::{
    Conflict, Footprint, Sequencer, Shown, SnapshotRegistry, Stamp, Unit, UnitKind, ValidationError,
    Validator,
};

const UNITS: u64 = 6;

#[derive(Clone, Debug)]
enum Step {
    Begin,
    Read(Index, u64),
    /// Sets a unit to a value that follows from everything read so far.
    Replace(Index, u64),
    /// Adds a number that follows from everything read so far, without reading the unit.
    Add(Index, u64),
    ReadAll(Index),
    Commit(Index),
    /// The log record of some commit is written, or its writes are applied: in any order.
    Durable(Index),
    Applied(Index),
    Fail(Index),
    Prune,
}

fn step() -> impl Strategy<Value = Step> {
    let which = any::<Index>;
    prop_oneof![
        4 => Just(Step::Begin),
        5 => (which(), 0..UNITS).prop_map(|(which, unit)| Step::Read(which, unit)),
        3 => (which(), 0..UNITS).prop_map(|(which, unit)| Step::Replace(which, unit)),
        3 => (which(), 0..UNITS).prop_map(|(which, unit)| Step::Add(which, unit)),
        1 => which().prop_map(Step::ReadAll),
        4 => which().prop_map(Step::Commit),
        6 => which().prop_map(Step::Durable),
        6 => which().prop_map(Step::Applied),
        1 => which().prop_map(Step::Fail),
        1 => Just(Step::Prune),
    ]
}

/// The data: every version of every unit's value, by the stamp of its commit.
type Versions = BTreeMap<u64, BTreeMap<Stamp, u64>>;

fn value_at(versions: &Versions, unit: u64, at: Stamp) -> u64 {
    let of_unit = versions.get(&unit);
    of_unit.and_then(|versions| versions.range(..=at).next_back()).map_or(0, |(_, value)| *value)
}

fn unit(number: u64) -> Unit {
    Unit::new(UnitKind::Adjacency, 7, number)
}

/// What a transaction does, in the order in which it does it.
#[derive(Clone, Debug)]
enum Act {
    Read(u64),
    Replace(u64),
    Add(u64),
}

#[derive(Debug)]
struct Running {
    snapshot: Stamp,
    registration: timeline::Registration,
    footprint: Footprint,
    acts: Vec<Act>,
    seen: Vec<u64>,
}

#[derive(Debug)]
struct Committed {
    stamp: Stamp,
    acts: Vec<Act>,
    seen: Vec<u64>,
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Assigned,
    Durable,
    Applied,
    Failed,
}

/// What a transaction writes follows from what it saw before, so a wrong read shows in the data for ever.
fn digest(seen: &[u64]) -> u64 {
    seen.iter().fold(1, |digest: u64, value| digest.wrapping_mul(31).wrapping_add(*value) % 1_000_003)
}

struct Database {
    validator: Validator,
    sequencer: Sequencer,
    registry: SnapshotRegistry,
    versions: Versions,
    running: Vec<Running>,
    committed: Vec<Committed>,
    /// Which stamps wrote which unit, and whether by replacing: never forgotten.
    written: Vec<(Stamp, Footprint)>,
}

impl Database {
    fn new(capacity: usize) -> Self {
        let sequencer = Sequencer::recover(Stamp::from_bits(77));
        Self {
            validator: Validator::new(sequencer.visible(), capacity),
            sequencer,
            registry: SnapshotRegistry::new(),
            versions: Versions::new(),
            running: Vec::new(),
            committed: Vec::new(),
            written: Vec::new(),
        }
    }

    fn run(&mut self, step: Step) {
        match step {
            Step::Begin => self.begin(),
            Step::Prune => self.validator.prune(self.watermark()),
            Step::Durable(which) => self.settle(&which, Phase::Assigned, Phase::Durable),
            Step::Applied(which) => self.settle(&which, Phase::Durable, Phase::Applied),
            Step::Fail(which) => self.settle(&which, Phase::Assigned, Phase::Failed),
            _ if self.running.is_empty() => {}
            Step::Read(which, number) => self.act(&which, Act::Read(number)),
            Step::Replace(which, number) => self.act(&which, Act::Replace(number)),
            Step::Add(which, number) => self.act(&which, Act::Add(number)),
            Step::ReadAll(which) => self.read_all(&which),
            Step::Commit(which) => self.commit(&which),
        }
    }

    fn watermark(&self) -> Stamp {
        self.registry.oldest().unwrap_or(self.sequencer.visible())
    }

    fn begin(&mut self) {
        let snapshot = self.sequencer.visible();
        let registration = self.registry.register(snapshot);
        let (footprint, acts, seen) = Default::default();
        self.running.push(Running { snapshot, registration, footprint, acts, seen });
    }

    fn act(&mut self, which: &Index, act: Act) {
        let at = which.index(self.running.len());
        let running = &mut self.running[at];
        match act {
            // A read of a unit that the transaction wrote itself is not interesting here.
            Act::Read(number)
                if running
                    .acts
                    .iter()
                    .any(|act| !matches!(act, Act::Read(_)) && number_of(act) == number) =>
            {
                return;
            }
            Act::Read(number) => {
                running.footprint.reads(unit(number));
                running.seen.push(value_at(&self.versions, number, running.snapshot));
            }
            Act::Replace(number) => running.footprint.replaces(unit(number)).unwrap(),
            Act::Add(number) => running.footprint.adds(unit(number)).unwrap(),
        }
        running.acts.push(act);
    }

    fn read_all(&mut self, which: &Index) {
        let at = which.index(self.running.len());
        let running = &mut self.running[at];
        if running.footprint.is_read_only() {
            running.footprint.reads_all();
            for number in 0..UNITS {
                running.seen.push(value_at(&self.versions, number, running.snapshot));
                running.acts.push(Act::Read(number));
            }
        }
    }

    fn commit(&mut self, which: &Index) {
        let at = which.index(self.running.len());
        let Running { snapshot, registration, footprint, acts, seen } = self.running.remove(at);
        self.registry.deregister(registration);
        match self.validator.check(snapshot, &footprint) {
            Ok(_) if footprint.is_read_only() => {}
            Ok(_) => {
                let stamp = self.sequencer.assign().unwrap();
                self.validator.record(stamp, &footprint);
                self.written.push((stamp, footprint));
                self.committed.push(Committed { stamp, acts, seen, phase: Phase::Assigned });
            }
            Err(ValidationError::Conflict(conflict)) => self.check_conflict(&conflict, &footprint),
            Err(ValidationError::SnapshotTooOld { horizon, .. }) => assert!(snapshot < horizon),
        }
    }

    /// A refusal is justified: the commit it names is later, and wrote what the transaction depends on.
    fn check_conflict(&self, conflict: &Conflict, refused: &Footprint) {
        assert!(conflict.by > conflict.snapshot);
        let by = self.written.iter().find(|(stamp, _)| *stamp == conflict.by);
        let (_, other) = by.expect("a conflict names a commit");
        let Some(contested) = conflict.unit else { return assert!(refused.has_read_everything()) };
        let replaced = other.replaced_units().any(|unit| unit == contested);
        let written = replaced || other.added_units().any(|unit| unit == contested);
        let only_added = !refused.read_units().chain(refused.replaced_units()).any(|unit| unit == contested);
        assert!(if only_added { replaced } else { written }, "{conflict}");
    }

    fn settle(&mut self, which: &Index, from: Phase, to: Phase) {
        let candidates: Vec<usize> =
            (0..self.committed.len()).filter(|&at| self.committed[at].phase == from).collect();
        if candidates.is_empty() {
            return;
        }
        let at = *which.get(&candidates);
        self.committed[at].phase = to;
        let stamp = self.committed[at].stamp;
        match to {
            Phase::Durable => self.sequencer.durable(stamp),
            Phase::Failed => drop(self.sequencer.abandoned(stamp)),
            Phase::Applied => drop(self.sequencer.applied(stamp)),
            Phase::Assigned => unreachable!("nothing goes back"),
        }
        self.make_data();
    }

    /// The data as the graph would have it: every visible commit's writes, in stamp order. A replacement is the
    /// digest of what the transaction saw; an addition adds that to whatever is there.
    fn make_data(&mut self) {
        let visible = self.sequencer.visible();
        let mut versions = Versions::new();
        let mut applied: Vec<&Committed> =
            self.committed.iter().filter(|commit| commit.phase == Phase::Applied).collect();
        applied.sort_by_key(|commit| commit.stamp);
        for commit in applied.into_iter().filter(|commit| commit.stamp <= visible) {
            write(&mut versions, commit.stamp, &commit.acts, &commit.seen);
        }
        self.versions = versions;
    }

    /// Every transaction that became visible, run again alone in stamp order, sees exactly what it saw.
    fn check_serializable(&self) {
        let mut serial = Versions::new();
        let mut applied: Vec<&Committed> =
            self.committed.iter().filter(|commit| commit.phase == Phase::Applied).collect();
        applied.sort_by_key(|commit| commit.stamp);
        for commit in applied {
            let reads = commit.acts.iter().filter_map(|act| match act {
                Act::Read(number) => Some(value_at(&serial, *number, commit.stamp)),
                Act::Replace(_) | Act::Add(_) => None,
            });
            assert_eq!(reads.collect::<Vec<u64>>(), commit.seen, "{commit:?}");
            write(&mut serial, commit.stamp, &commit.acts, &commit.seen);
        }
    }
}

fn number_of(act: &Act) -> u64 {
    match act {
        Act::Read(number) | Act::Replace(number) | Act::Add(number) => *number,
    }
}

fn write(versions: &mut Versions, stamp: Stamp, acts: &[Act], seen: &[u64]) {
    let mut reads = 0;
    for act in acts {
        let number = number_of(act);
        let before = value_at(versions, number, stamp);
        let value = match act {
            Act::Read(_) => {
                reads += 1;
                continue;
            }
            Act::Replace(_) => digest(&seen[..reads]),
            Act::Add(_) => before.wrapping_add(digest(&seen[..reads])),
        };
        versions.entry(number).or_default().insert(stamp, value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn what_commits_is_serializable_in_stamp_order(
        capacity in prop_oneof![Just(1_000), 1..8_usize],
        steps in prop::collection::vec(step(), 1..150),
    ) {
        let mut database = Database::new(capacity);
        for step in steps {
            database.run(step);
            prop_assert!(database.validator.remembered() <= capacity);
        }
        database.check_serializable();
    }
}

fn footprint(reads: &[u64], replaces: &[u64], adds: &[u64]) -> Footprint {
    let mut footprint = Footprint::new();
    reads.iter().for_each(|&number| footprint.reads(unit(number)));
    replaces.iter().for_each(|&number| footprint.replaces(unit(number)).unwrap());
    adds.iter().for_each(|&number| footprint.adds(unit(number)).unwrap());
    footprint
}

/// A validator after one commit at stamp 1 with the given footprint.
fn after(first: &Footprint) -> Validator {
    let mut validator = Validator::new(Stamp::ZERO, 100);
    validator.record(Stamp::from_bits(1), first);
    validator
}

#[test]
fn two_blind_insertions_into_one_list_do_not_conflict() {
    let insertion = footprint(&[], &[], &[1]);
    assert_eq!(after(&insertion).check(Stamp::ZERO, &insertion), Ok(Shown::Unchanged));
}

#[test]
fn inserting_into_a_list_that_was_dropped_conflicts_and_so_does_dropping_one_inserted_into() {
    let (insertion, removal) = (footprint(&[], &[], &[1]), footprint(&[], &[1], &[]));
    assert!(after(&removal).check(Stamp::ZERO, &insertion).is_err());
    assert!(after(&insertion).check(Stamp::ZERO, &removal).is_err());
}

#[test]
fn a_reader_of_a_list_conflicts_with_an_insertion_into_it() {
    let insertion = footprint(&[], &[], &[1]);
    let reader = footprint(&[1], &[2], &[]);
    let conflict = after(&insertion).check(Stamp::ZERO, &reader).unwrap_err();
    assert!(
        matches!(conflict, ValidationError::Conflict(Conflict { unit: Some(contested), .. }) if contested == unit(1))
    );
    assert!(conflict.to_string().contains("Adjacency"), "{conflict}");
}

#[test]
fn an_insertion_after_a_replacement_does_not_hide_it() {
    let (insertion, removal) = (footprint(&[], &[], &[1]), footprint(&[], &[1], &[]));
    let mut validator = after(&removal);
    validator.record(Stamp::from_bits(2), &insertion);
    assert!(validator.check(Stamp::ZERO, &insertion).is_err());
    assert_eq!(validator.check(Stamp::from_bits(1), &insertion), Ok(Shown::Unchanged));
}

#[test]
fn readers_never_conflict() {
    let reader = footprint(&[1], &[], &[]);
    assert_eq!(after(&footprint(&[], &[1], &[])).check(Stamp::ZERO, &reader), Ok(Shown::Unchanged));
}

#[test]
fn a_transaction_that_read_everything_conflicts_with_any_later_commit() {
    let mut everything = footprint(&[], &[5], &[]);
    everything.reads_all();
    let validator = after(&footprint(&[], &[], &[1]));
    assert!(validator.check(Stamp::ZERO, &everything).is_err());
    assert_eq!(validator.check(Stamp::from_bits(1), &everything), Ok(Shown::Unchanged));
}

#[test]
fn what_is_no_longer_remembered_refuses_and_never_accepts() {
    let mut validator = Validator::new(Stamp::ZERO, 2);
    for stamp in 1..=3 {
        validator.record(Stamp::from_bits(stamp), &footprint(&[], &[stamp], &[]));
    }
    let late = footprint(&[], &[9], &[]);
    let refused = validator.check(Stamp::ZERO, &late);
    assert!(matches!(refused, Err(ValidationError::SnapshotTooOld { .. })));
    assert_eq!(validator.check(Stamp::from_bits(1), &late), Ok(Shown::Unchanged));
    validator.prune(Stamp::from_bits(3));
    assert_eq!(validator.remembered(), 0);
    assert!(matches!(
        validator.check(Stamp::from_bits(2), &late),
        Err(ValidationError::SnapshotTooOld { .. })
    ));
    assert_eq!(validator.check(Stamp::from_bits(3), &late), Ok(Shown::Unchanged));
}
