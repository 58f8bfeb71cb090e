//! What a second executor gains: of one client's queries, and of those of two clients at the same time.
//!
//! ```text
//! one     client ──▶ one executor                queries a second
//! helped  client ──▶ two executors               the same, where they may share a query
//! two     client ──▶ ┬ two executors             both clients' queries a second
//!         client ──▶ ┘
//! csr     the loop on one thread, and on two: what a second core of this machine is worth at the moment
//! ```

use std::sync::Barrier;
use std::time::{Duration, Instant};

use mangrove::Database;
use serde_json::{Value as Json, json};
use values::Value;

use crate::csr::Csr;
use crate::graph_under_test::run;
use crate::limit::Query;
use crate::report::rounded;

type Outcome<T> = Result<T, mangrove::Error>;

/// Times that the three are measured in turns; the medians of their rates count.
const ROUNDS: usize = 9;
/// Time before a measurement in which threads do what is then measured: they begin on whatever processor the kernel wakes
/// them on, at times both on one, and it takes the kernel some milliseconds to part them.
const SETTLE: Duration = Duration::from_millis(100);
/// Time for one measurement.
const TIME: Duration = Duration::from_millis(60);

/// Rates of a query that starts at each of some persons in turn.
///
/// # Errors
/// If a query fails.
pub fn compare(
    database: &Database,
    csr: &Csr,
    (name, text, by_hand): Query,
    starts: &[u32],
) -> Outcome<Json> {
    let alone = text.replacen("g.", "g.with('mangrove.parallelism', 1).", 1);
    let ids: Vec<i64> = starts.iter().map(|start| csr.ids[*start as usize]).collect();
    let query = |text: &str, ready: &Barrier| {
        rate(&ids, ready, |start| {
            run(database, text, &vec![("p".into(), Value::Long(start))])?;
            Ok(())
        })
    };
    let by_hand = |csr: &mut Csr, ready: &Barrier| {
        rate(starts, ready, |start| {
            std::hint::black_box(by_hand(csr, start));
            Ok(())
        })
    };
    let (alone_ready, mut arrays) = (Barrier::new(1), [csr.clone(), csr.clone()]);
    let [mut one, mut helped, mut two, mut csr_one, mut csr_two] = [const { Vec::new() }; 5];
    for _ in 0..ROUNDS {
        one.push(query(&alone, &alone_ready)?);
        helped.push(query(text, &alone_ready)?);
        two.push(twice(|ready| query(text, ready), |ready| query(text, ready))?);
        let [this, other] = &mut arrays;
        csr_one.push(by_hand(this, &alone_ready)?);
        csr_two.push(twice(|ready| by_hand(this, ready), |ready| by_hand(other, ready))?);
    }
    let (one, helped, two) = (median(one), median(helped), median(two));
    Ok(json!({
        "name": name, "one_per_s": rounded(one), "helped_per_s": rounded(helped), "two_clients_per_s": rounded(two),
        "helped": rounded(helped / one), "two_clients": rounded(two / one),
        "csr_two_threads": rounded(median(csr_two) / median(csr_one)),
    }))
}

/// The rates of two threads at the same time, together.
fn twice(
    this: impl FnOnce(&Barrier) -> Outcome<f64>,
    other: impl FnOnce(&Barrier) -> Outcome<f64> + Send,
) -> Outcome<f64> {
    let ready = Barrier::new(2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| other(&ready));
        let this = this(&ready);
        let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok(this? + other?)
    })
}

/// How often a second something is done, by one thread, for each start in turn: after [`SETTLE`], which begins when others
/// are ready, too.
fn rate<S: Copy>(starts: &[S], ready: &Barrier, mut once: impl FnMut(S) -> Outcome<()>) -> Outcome<f64> {
    let mut turns = starts.iter().copied().cycle();
    let mut for_at_least = |time: Duration| {
        let (began, mut done) = (Instant::now(), 0u32);
        while began.elapsed() < time {
            turns.next().map_or(Ok(()), &mut once)?;
            done += 1;
        }
        Ok(f64::from(done) / began.elapsed().as_secs_f64())
    };
    ready.wait();
    for_at_least(SETTLE)?;
    for_at_least(TIME)
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
