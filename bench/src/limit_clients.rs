//! What a second executor gains: of one client's queries, and of those of two clients at the same time.
//!
//! ```text
//! one     client ──▶ one executor                queries a second
//! helped  client ──▶ two executors               the same, where they may share a query
//! two     client ──▶ ┬ two executors             both clients' queries a second
//!         client ──▶ ┘
//! csr     the loop on one thread, and on two: what a second core of this machine is worth at the moment
//! ```

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
    let query = |text: &str| {
        rate(&ids, |start| {
            run(database, text, &vec![("p".into(), Value::Long(start))])?;
            Ok(())
        })
    };
    let by_hand = || {
        let mut csr = csr.clone();
        rate(starts, |start| {
            std::hint::black_box(by_hand(&mut csr, start));
            Ok(())
        })
    };
    let [mut one, mut helped, mut two, mut csr_one, mut csr_two] = [const { Vec::new() }; 5];
    for _ in 0..ROUNDS {
        one.push(query(&alone)?);
        helped.push(query(text)?);
        two.push(twice(|| query(text))?);
        csr_one.push(by_hand()?);
        csr_two.push(twice(by_hand)?);
    }
    let (one, helped, two) = (median(one), median(helped), median(two));
    Ok(json!({
        "name": name, "one_per_s": rounded(one), "helped_per_s": rounded(helped), "two_clients_per_s": rounded(two),
        "helped": rounded(helped / one), "two_clients": rounded(two / one),
        "csr_two_threads": rounded(median(csr_two) / median(csr_one)),
    }))
}

/// The rates of two threads at the same time, together.
fn twice(rate: impl Fn() -> Outcome<f64> + Sync) -> Outcome<f64> {
    std::thread::scope(|scope| {
        let other = scope.spawn(&rate);
        let this = rate();
        let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok(this? + other?)
    })
}

/// How often a second something is done, by one thread and after once to warm up, for each start in turn.
fn rate<S: Copy>(starts: &[S], mut once: impl FnMut(S) -> Outcome<()>) -> Outcome<f64> {
    once(starts[0])?;
    let (began, mut done) = (Instant::now(), 0u32);
    for start in starts.iter().cycle() {
        once(*start)?;
        done += 1;
        if began.elapsed() >= TIME {
            break;
        }
    }
    Ok(f64::from(done) / began.elapsed().as_secs_f64())
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
