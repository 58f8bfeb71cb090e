//! Guessing what a misspelt name was meant to be.

/// Longer names are not guessed at: nobody misspells them by a letter or two, and the guess costs time.
const LONGEST: usize = 32;

/// The candidate most like `name`, if one is near enough to be what was meant.
///
/// Likeness is the number of letters to insert, remove, replace or swap with their neighbour (optimal string
/// alignment); a difference in case alone, or a trailing underscore as the Python driver writes it, counts as nothing.
/// Near enough is a third of the name's length, and at least one.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if name.len() > LONGEST {
        return None;
    }
    let folded = name.trim_end_matches('_').replace('_', "").to_lowercase();
    let bound = (folded.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(&folded, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= bound)
        .min_by_key(|&(distance, candidate)| (distance, candidate.len()))
        .map(|(_, candidate)| candidate.to_owned())
}

/// Optimal string alignment distance, three rows at a time.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: [&str; 6] = ["out", "outE", "order", "values", "valueMap", "in"];

    #[test]
    fn a_slip_of_a_letter_is_guessed() {
        assert_eq!(nearest("oute", STEPS).as_deref(), Some("outE"));
        assert_eq!(nearest("vlaues", STEPS).as_deref(), Some("values"));
        assert_eq!(nearest("horder", STEPS).as_deref(), Some("order"));
    }

    #[test]
    fn the_spelling_of_the_python_driver_is_guessed() {
        assert_eq!(nearest("in_", STEPS).as_deref(), Some("in"));
        assert_eq!(nearest("value_map", STEPS).as_deref(), Some("valueMap"));
    }

    #[test]
    fn what_is_like_nothing_is_not_guessed() {
        assert_eq!(nearest("frobnicate", STEPS), None);
        assert_eq!(nearest(&"x".repeat(10_000), STEPS), None);
    }
}
