//! What a second executor gains: of one client's queries, and of those of two clients at the same time.
//!
//! ```text
//! one     client ──▶ one executor                queries a second
//! helped  client ──▶ two executors               the same, where they share a query
//! two     client ──▶ ┬ two executors             both clients' queries a second
//!         client ──▶ ┘
//! ```

use std::time::{Duration, Instant};

use mangrove::Database;
use serde_json::{Value as Json, json};
use values::Value;

use crate::graph_under_test::run;
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
pub fn compare(database: &Database, name: &str, text: &str, starts: &[i64]) -> Outcome<Json> {
    let alone = text.replacen("g.", "g.with('mangrove.parallelism', 1).", 1);
    let [mut one, mut helped, mut two] = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        one.push(rate(database, &alone, starts)?);
        helped.push(rate(database, text, starts)?);
        let both = std::thread::scope(|scope| {
            let other = scope.spawn(|| rate(database, text, starts));
            let this = rate(database, text, starts);
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok::<f64, mangrove::Error>(this? + other?)
        });
        two.push(both?);
    }
    let (one, helped, two) = (median(one), median(helped), median(two));
    Ok(json!({
        "name": name, "one_per_s": rounded(one), "helped_per_s": rounded(helped), "two_clients_per_s": rounded(two),
        "helped": rounded(helped / one), "two_clients": rounded(two / one),
    }))
}

/// Queries a second of one client, after one to warm up.
fn rate(database: &Database, text: &str, starts: &[i64]) -> Outcome<f64> {
    let query = |start: i64| run(database, text, &vec![("p".into(), Value::Long(start))]);
    query(starts[0])?;
    let (began, mut done) = (Instant::now(), 0u32);
    for start in starts.iter().cycle() {
        query(*start)?;
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
