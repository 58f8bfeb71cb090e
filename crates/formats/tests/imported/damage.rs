//! Damaged files: what import must survive.
//!
//! `MANGROVE_FUZZ_SECONDS` sets how long each test runs (two seconds by default), `MANGROVE_FUZZ_SEED` repeats a run.

use std::time::{Duration, Instant, UNIX_EPOCH};

/// xorshift64.
pub struct Random(u64);

impl Random {
    /// A number in `0..n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    /// Changes, inserts, removes or repeats something, up to four times. `pieces` are what the format cares about.
    pub fn damage(&mut self, bytes: &mut Vec<u8>, pieces: &[&[u8]]) {
        for _ in 0..1 + self.below(4) {
            let at = self.below(bytes.len() + 1);
            match self.below(5) {
                0 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                1 => {
                    let piece = pieces[self.below(pieces.len())];
                    bytes.splice(at..at, piece.iter().copied());
                }
                2 if at < bytes.len() => drop(bytes.remove(at)),
                3 if self.below(4) == 0 => bytes.truncate(at),
                _ => {
                    let end = (at + self.below(20)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    bytes.splice(at..at, copy);
                }
            }
        }
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Numbers from a seed, which is printed, so a failure can be repeated.
pub fn seeded() -> Random {
    // Time is only where a seed comes from.
    let clock = || UNIX_EPOCH.elapsed().map_or(1, |now| now.as_nanos() as u64);
    let seed = setting("MANGROVE_FUZZ_SEED").unwrap_or_else(clock) | 1;
    println!("MANGROVE_FUZZ_SEED={seed}");
    Random(seed)
}

/// Calls `import` again and again; it says whether the damaged files could be imported. A panic fails the test; so does a
/// run in which nearly all or nearly none could, because it tests too little.
pub fn fuzz(mut import: impl FnMut(&mut Random) -> bool) {
    let seconds = setting("MANGROVE_FUZZ_SECONDS").unwrap_or(2);
    let (mut random, begun, mut outcomes) = (seeded(), Instant::now(), [0u64; 2]);
    while begun.elapsed() < Duration::from_secs(seconds) || outcomes.iter().sum::<u64>() < 100 {
        outcomes[usize::from(import(&mut random))] += 1;
    }
    println!("{} imports, {} refusals", outcomes[1], outcomes[0]);
    assert!(outcomes.iter().all(|&count| count >= 5), "{outcomes:?} tests too little");
}
