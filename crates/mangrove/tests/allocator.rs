//! The allocator gives back what is freed, also where something of the same size and thread lives on, or lets other threads
//! have it: see `.cargo/config.toml` and `give_memory_back_soon`.

#![cfg(target_os = "linux")]

use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mangrove::Mimalloc = mangrove::Mimalloc;

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

/// What is taken is the process's, so one test at a time.
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[test]
fn a_block_that_lives_keeps_no_others_of_its_size_in_memory() {
    let _alone = ALONE.lock();
    assert_eq!(mangrove::give_memory_back_soon(), [""; 0], "options that have other numbers or defaults");
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

#[test]
fn what_some_threads_have_freed_others_can_take() {
    // Of 40 KiB, a page holds a dozen.
    const SIZE: usize = 40 << 10;
    const PAGES: usize = 16;
    const PER_PAGE: usize = 12;
    let _alone = ALONE.lock();
    mangrove::give_memory_back_soon();
    let before = resident();
    let take = |count: usize| (0..count).map(|_| vec![1u8; SIZE]).collect::<Vec<_>>();
    let (freed, ends) = (std::sync::Barrier::new(THREADS + 1), std::sync::Barrier::new(THREADS + 1));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let blocks = take(PAGES * PER_PAGE);
                // One of each page lives.
                let kept: Vec<_> = blocks.into_iter().step_by(PER_PAGE).collect();
                freed.wait();
                ends.wait();
                drop(kept);
            });
        }
        freed.wait();
        let once = THREADS * PAGES * PER_PAGE * SIZE;
        let again = take(THREADS * PAGES * (PER_PAGE - 1));
        let taken = resident().saturating_sub(before);
        ends.wait();
        drop(again);
        assert!(
            taken < once + once / 4,
            "{} MiB, though never more than {} were used",
            taken / MIB,
            once / MIB
        );
    });
}
