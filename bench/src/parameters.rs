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

/// Adds what the files lack: the end of a period, the days of a birthday, and the parameters of Banyan's queries (20 results,
/// 5 steps, the class filter 'Country'), as in `../shared/limit`.
fn complete(mut bindings: Bindings) -> Bindings {
    let long = |name: &str| bindings.iter().find(|(n, _)| n == name).and_then(|(_, v)| v.as_i64());
    let end = long("startDate").zip(long("durationDays")).map(|(start, days)| start + days * 86_400_000);
    let month =
        long("month").and_then(|month| usize::try_from(month).ok()).filter(|month| (1..=12).contains(month));
    bindings.extend(end.map(|end| ("endDate".into(), Value::Long(end))));
    for (name, day) in month.into_iter().flat_map(birthdays_around) {
        bindings.push((name.into(), Value::Long(day)));
    }
    bindings.push(("classSubstring".into(), Value::str("Country")));
    bindings.push(("steps".into(), Value::Int(5)));
    bindings.push(("n".into(), Value::Int(20)));
    bindings
}

/// From the 21st of a month (1 to 12) to the 21st of the next one, as `ic10.gremlin` explains.
fn birthdays_around(month: usize) -> [(&'static str, i64); 3] {
    /// Days from March 1st to the first of each month.
    const FIRST_OF_MONTH: [i64; 12] = [306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];
    let day = |month: usize, day: i64| FIRST_OF_MONTH[month % 12] + day - 1;
    let (first, end) = (day(month - 1, 21), day(month, 22));
    let (end, wrap) = if first < end { (end, 0) } else { (366, end) };
    [("firstDay", first), ("endDay", end), ("wrapDay", wrap)]
}

fn value(field: &str) -> Value {
    field.parse::<i64>().map_or_else(|_| Value::str(field), Value::Long)
}
