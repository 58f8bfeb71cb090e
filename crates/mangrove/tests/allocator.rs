//! The allocator gives back what is freed, also where something of the same size and thread lives on: see
//! `.cargo/config.toml`.

#![cfg(target_os = "linux")]

use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MIB: usize = 1 << 20;
const THREADS: usize = 8;
/// Sizes that the allocator tells apart: four between a power of two and the next.
const SIZES: [usize; 8] = [150, 180, 210, 250, 300, 360, 420, 500];
/// Blocks of each size that a thread has at once; 4 MiB of them or more.
const BLOCKS: usize = 28;

/// Bytes of this process that are in memory.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

/// Takes blocks of each size, and keeps one of each.
fn one_of_each() -> Vec<Vec<u8>> {
    let one = |kib: usize| {
        let mut blocks: Vec<Vec<u8>> = (0..BLOCKS).map(|_| vec![1; kib << 10]).collect();
        blocks.swap_remove(BLOCKS / 2)
    };
    SIZES.into_iter().map(one).collect()
}

#[test]
fn a_block_that_lives_keeps_no_others_of_its_size_in_memory() {
    let before = resident();
    // The threads live on: those that end leave their pages to others.
    let (kept, inbox) = std::sync::mpsc::channel();
    let ends = std::sync::Barrier::new(THREADS + 1);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            let (kept, ends) = (kept.clone(), &ends);
            scope.spawn(move || {
                kept.send(one_of_each()).unwrap();
                ends.wait();
            });
        }
        let blocks: Vec<_> = inbox.iter().take(THREADS).flatten().collect();
        let live: usize = blocks.iter().map(Vec::len).sum();
        // What was freed is given back after a second, by who frees something then.
        for _ in 0..30 {
            std::thread::sleep(Duration::from_millis(100));
            drop(std::hint::black_box(vec![1u8; MIB]));
        }
        let taken = resident().saturating_sub(before);
        ends.wait();
        assert!(taken < 2 * live + 16 * MIB, "{} MiB for {} MiB", taken / MIB, live / MIB);
    });
}
