//! How soon the allocator, mimalloc, gives back what is freed.
//!
//! Its defaults are made for programs whose threads take again what they have freed. Here sections come and go on all threads:
//! one that frees a block takes back the page that it had once filled, and the room in it is of no use to the others. With eight
//! writers of batches and a cache of 200 MB (`bench bounds`) a process kept 870 MB of which it used 350; with what is set here it
//! keeps 570.

use std::ffi::c_long;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use libmimalloc_sys::{_mi_option_last, mi_collect, mi_option_get, mi_option_set_default, mi_option_t};

/// An option of the allocator: its number, what it is at first, and what it becomes.
struct Setting {
    name: &'static str,
    number: mi_option_t,
    at_first: c_long,
    value: c_long,
}

/// For a server. The bindings do not name these, since their numbers are those of one version: of 3.3, see `mi_option_t` in
/// `mimalloc.h`.
const SERVER: [Setting; 2] = [
    purge_delay(UNTIL_PURGED),
    // Whether who frees a block takes back its page, if it had let go of it when it was full. -1: no, so that whoever needs
    // such a block next gets it.
    Setting { name: "page_reclaim_on_free", number: 35, at_first: 0, value: -1 },
];

/// Milliseconds after which whoever frees something gives back what is free, if the thread that does it by then is late.
const UNTIL_PURGED: c_long = 10_000;

/// How long that thread pauses between two looks: while it finds something to give back, and at most.
const PAUSE: Duration = Duration::from_millis(100);
const LONG_PAUSE: Duration = Duration::from_millis(800);

/// A look that took longer has found something.
const FOUND: Duration = Duration::from_micros(100);

/// For an import: it takes large blocks again and again, on few threads, and ends when all is done. With memory that the
/// kernel has to find and clear anew each time, 174 million edges took 36 to 40 s; so they take 36, and 80 MB more of 2,430. An export
/// does the same: SF1 as GraphSON spent 9 s in the kernel, and so spends 4.
const IMPORT: [Setting; 1] = [purge_delay(10_000)];

/// Milliseconds for which memory that is free stays with the process.
const fn purge_delay(milliseconds: c_long) -> Setting {
    Setting { name: "purge_delay", number: 15, at_first: 1_000, value: milliseconds }
}

const _: () =
    assert!(_mi_option_last == 47, "another version of mimalloc: see whether the numbers are the same");

/// Has the allocator give back soon what is freed. To be called early in `main`, before there are other threads, where mimalloc
/// is the global allocator.
///
/// What the environment says (`MIMALLOC_PURGE_DELAY` and so on) stands. Options that are not what they are expected to be are
/// let be, and named in the result: none, unless mimalloc is linked in another version than this was written for.
pub fn give_memory_back_soon() -> Vec<&'static str> {
    static UNKNOWN: OnceLock<Vec<&'static str>> = OnceLock::new();
    let begin = || {
        take_small_pages();
        dataflow::when_a_thread_is_idle(give_back);
        let unknown = set(&SERVER);
        start_to_purge();
        unknown
    };
    UNKNOWN.get_or_init(begin).clone()
}

/// Starts a thread that gives back what is free. To do that for some megabytes takes milliseconds: the kernel has to tell every core
/// of each range, and wait for its answer. mimalloc leaves it to whoever frees or takes something once its time has come: an executor
/// in the middle of a query's turn, behind which others stand.
fn start_to_purge() {
    let thread = std::thread::Builder::new().name("purge".into()).spawn(|| {
        dataflow::scheduling::be_in_the_background();
        let mut pause = PAUSE;
        loop {
            // Nobody says when something is freed: that would cost each who frees.
            std::thread::sleep(pause);
            let began = Instant::now();
            give_back();
            pause = if began.elapsed() > FOUND { PAUSE } else { LONG_PAUSE.min(2 * pause) };
        }
    });
    if let Err(error) = thread {
        tracing::warn!(%error, "memory is given back in the turns of queries");
        set(&[Setting { at_first: UNTIL_PURGED, ..purge_delay(100) }]);
    }
}

/// Gives back what is free, and the free pages of the calling thread, those among them of which others have freed the last block.
fn give_back() {
    // SAFETY: it may be called on any thread at any time, and touches no block that is in use.
    unsafe { mi_collect(true) }
}

/// Has the kernel give pages of 4 KiB only, where it would give 2 MiB. To clear one of these takes some tenths of a millisecond,
/// and milliseconds on a virtual machine whose host has to find it first: that is many turns of a query, for one entry of a
/// table that grows. `bench limit` on SF1 is the same with either.
#[cfg(target_os = "linux")]
fn take_small_pages() {
    let asked = std::env::var_os("MIMALLOC_ALLOW_THP").is_some();
    // Refused by none but kernels that know nothing of large pages.
    let _ = (!asked).then(|| nix::sys::prctl::set_thp_disable(true));
}

#[cfg(not(target_os = "linux"))]
fn take_small_pages() {}

/// Has the allocator keep what is freed for a while, which is right for a process that imports or exports a graph and ends. As
/// [`give_memory_back_soon`] otherwise.
pub fn keep_memory_for_a_while() -> Vec<&'static str> {
    set(&IMPORT)
}

fn set(settings: &[Setting]) -> Vec<&'static str> {
    let mut unknown = Vec::new();
    for &Setting { name, number, at_first, value } in settings {
        if std::env::var_os(format!("MIMALLOC_{}", name.to_uppercase())).is_some() {
            continue;
        }
        // SAFETY: both take numbers only, check that the option is one of the table that the allocator keeps them in, and
        // read or write one word of it that is read anew each time. No other thread runs yet that might read it.
        unsafe {
            if [at_first, value].contains(&mi_option_get(number)) {
                mi_option_set_default(number, value);
            } else {
                unknown.push(name);
            }
        }
    }
    unknown
}
