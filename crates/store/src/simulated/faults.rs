//! Which faults happen, and when.

/// How often a simulated disk fails, on average.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SimulatedFaults {
    /// Calls that change something, from one fault to the next: an error before or after the change, a failed sync,
    /// a full disk, a power cut before or after the change. 0 for none.
    pub writes_between: u32,
    /// Calls that read, from one fault to the next: an error, a flipped bit, a value that is cut short. 0 for none.
    pub reads_between: u32,
    /// Most writes in a row that a full disk refuses before there is room again.
    pub full_for: u32,
}

impl SimulatedFaults {
    /// A disk that never fails.
    pub const NONE: Self = Self { writes_between: 0, reads_between: 0, full_for: 0 };
}

/// What happened to a disk so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FaultCounts {
    /// Calls that change something.
    pub writes: u64,
    /// Calls that read.
    pub reads: u64,
    /// Calls that changed nothing and failed.
    pub refused: u64,
    /// Calls that changed something and failed all the same.
    pub unacknowledged: u64,
    /// Syncs that failed, and nobody knows how much reached the disk.
    pub failed_syncs: u64,
    /// Writes that a full disk refused.
    pub full: u64,
    /// Power cuts.
    pub power_cuts: u64,
    /// Reads that failed.
    pub failed_reads: u64,
    /// Reads that returned damaged bytes.
    pub damaged_reads: u64,
}

/// What goes wrong with a call that changes something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WriteFault {
    /// Nothing is changed.
    Refused,
    /// It is changed, as far as anybody can tell later.
    Unacknowledged,
    /// It is written, but not synced, and neither is what was buffered before.
    FailedSync,
    /// There is no room, and there will be none for some calls to come.
    Full,
    /// The power goes before anything is changed.
    CutBefore,
    /// The power goes after the change and before the answer.
    CutAfter,
}

/// What goes wrong with a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadFault {
    /// It fails.
    Error,
    /// A bit is not the one that was written.
    Flipped,
    /// The end is missing.
    Cut,
}

/// A generator of pseudo-random numbers (splitmix64).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of the choices.
    pub(super) fn choose<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Counts calls down to the next fault.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    between: u32,
    left: u32,
}

impl Schedule {
    pub(super) fn new(between: u32, random: &mut Random) -> Self {
        let mut schedule = Self { between, left: 0 };
        schedule.draw(random);
        schedule
    }

    fn draw(&mut self, random: &mut Random) {
        self.left = if self.between == 0 { u32::MAX } else { random.below(2 * self.between as usize) as u32 };
    }

    /// Whether the fault comes now.
    pub(super) fn due(&mut self, random: &mut Random) -> bool {
        if self.between == 0 {
            return false;
        }
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                false
            }
            None => {
                self.draw(random);
                true
            }
        }
    }
}
