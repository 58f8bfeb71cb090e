//! LDBC's substitution parameters.

use std::io;
use std::path::Path;

use values::{Str, Value};

/// The bindings of one run of a query.
pub type Bindings = Vec<(Str, Value)>;

/// The first rows of a query's parameter file, as bindings named after the file's columns. Numbers become longs.
///
/// Queries that are not LDBC's own start from persons and use the file of query 1, as `../shared/limit` does.
///
/// # Errors
/// If the file cannot be read.
pub fn rows(ldbc: &Path, query: &str, most: usize) -> io::Result<Vec<Bindings>> {
    let number = query.strip_prefix("IC").unwrap_or("1");
    let file = ldbc.join(format!("substitution_parameters/interactive_{number}_param.txt"));
    let text = std::fs::read_to_string(&file)
        .map_err(|e| io::Error::new(e.kind(), format!("cannot read {}: {e}", file.display())))?;
    let mut lines = text.lines();
    let names: Vec<Str> = lines.next().unwrap_or_default().split('|').map(Str::from).collect();
    let row = |line: &str| complete(names.iter().cloned().zip(line.split('|').map(value)).collect());
    Ok(lines.filter(|line| !line.is_empty()).take(most).map(row).collect())
}

/// Adds what the files lack: the end of a period, and the parameters of Banyan's queries (20 results, 5 steps, the
/// class filter 'Country'), as in `../shared/limit`.
fn complete(mut bindings: Bindings) -> Bindings {
    let long = |name: &str| bindings.iter().find(|(n, _)| n == name).and_then(|(_, v)| v.as_i64());
    if let (Some(start), Some(days)) = (long("startDate"), long("durationDays")) {
        bindings.push(("endDate".into(), Value::Long(start + days * 86_400_000)));
    }
    bindings.push(("classSubstring".into(), Value::str("Country")));
    bindings.push(("steps".into(), Value::Int(5)));
    bindings.push(("n".into(), Value::Int(20)));
    bindings
}

fn value(field: &str) -> Value {
    field.parse::<i64>().map_or_else(|_| Value::str(field), Value::Long)
}
