//! What a script takes in memory when it is read: the values that it has written out are many times as large as their text.

use values::{Str, Value};

use crate::{Argument, ParseLimits};

/// Bytes that a value in a list, or an argument, takes, with what the tables around it have room for.
const ELEMENT: usize = 110;

/// Bytes of a list, a map or a set beside its elements.
const COLLECTION: usize = 300;

/// About how many bytes of memory a script takes when it is read, by what separates and encloses elements, and by its ranges of
/// numbers; in its texts, too, where they mean nothing. More for usual ones.
pub fn memory_of(text: &str) -> usize {
    let bytes = text.bytes().map(|byte| match byte {
        b',' => ELEMENT,
        b'[' | b'{' => COLLECTION + ELEMENT,
        _ => 1,
    });
    bytes.sum::<usize>() + in_ranges(text) * size_of::<Value>()
}

/// The same with its variables: what is around values (predicates, collections of tokens) is copied wherever a variable stands for it.
pub fn memory_with(text: &str, bindings: &[(Str, Argument)]) -> usize {
    let copied = bindings.iter().map(|(name, bound)| match bound.contained() {
        0 => 0,
        contained => contained.saturating_mul(ELEMENT).saturating_mul(occurrences(text, name)),
    });
    copied.fold(memory_of(text), usize::saturating_add)
}

/// How often a name stands in a text as a word.
fn occurrences(text: &str, name: &str) -> usize {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let places = text.match_indices(name).filter(|(at, _)| {
        let behind = text[at + name.len()..].chars().next();
        !text[..*at].chars().next_back().is_some_and(is_of_word) && !behind.is_some_and(is_of_word)
    });
    if name.is_empty() { 0 } else { places.count() }
}

/// About how many values the ranges in a script come to (`1..9`: nine), up to as many as are read.
fn in_ranges(text: &str) -> usize {
    let mut pieces = text.split('.');
    let (Some(mut first), Some(mut between)) = (pieces.next(), pieces.next()) else { return 0 };
    let mut values = 0_usize;
    for last in pieces {
        if between.trim_ascii().is_empty() {
            values = values.saturating_add(in_range(first, last));
        }
        (first, between) = (between, last);
    }
    values.min(ParseLimits::default().values)
}

/// How many values a range comes to, by what stands in front of its dots and behind them; none if these are neither ints nor strings.
fn in_range(front: &str, behind: &str) -> usize {
    let (front, behind) = (front.trim_ascii_end(), behind.trim_ascii_start());
    if front.ends_with(['\'', '"']) {
        return in_string_range(front, behind);
    }
    let begin = front.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let begin = begin - usize::from(front[..begin].ends_with('-'));
    let sign = usize::from(behind.starts_with(['-', '+']));
    let end = sign + behind[sign..].bytes().take_while(u8::is_ascii_digit).count();
    match (front[begin..].parse::<i32>(), behind[..end].parse::<i32>()) {
        (Ok(first), Ok(last)) => first.abs_diff(last) as usize + 1,
        _ => 0,
    }
}

/// The same of strings that differ in their last character: each is one of its own, with all that stands before.
fn in_string_range(front: &str, behind: &str) -> usize {
    let Some(quote) = behind.chars().next().filter(|c| matches!(c, '\'' | '"')) else { return 0 };
    let (last, is_whole) = match behind[1..].split_once(quote) {
        Some((last, _)) => (last, true),
        None => (&behind[1..], false),
    };
    let first = &front[..front.len() - 1];
    let is_escaped = last.contains('\\') || first.chars().rev().take(ESCAPE).any(|c| c == '\\');
    let apart = match (first.chars().next_back(), last.chars().next_back()) {
        // An escape may be any character, and so may what a dot in the string has cut off.
        (None, _) => char::MAX as usize,
        _ if is_escaped || !is_whole => char::MAX as usize,
        (Some(first), Some(last)) => (first as usize).abs_diff(last as usize),
        (Some(_), None) => 0,
    };
    (apart + 1).saturating_mul(STRING + last.len() / size_of::<Value>())
}

/// Most characters of an escape.
const ESCAPE: usize = 6;

/// So many times a value in a list is one that is a string of its own.
const STRING: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_takes_what_its_collections_take_and_not_its_length() {
        assert!(memory_of("g.V().out('knows').values('name')") < 1 << 10);
        let list = format!("g.inject([{}])", vec!["1"; 1_000_000].join(","));
        assert!((100 << 20..130 << 20).contains(&memory_of(&list)), "{}", memory_of(&list));
        let maps = format!("g.inject({})", vec!["[1:[1:1]]"; 100_000].join(","));
        assert!((60 << 20..100 << 20).contains(&memory_of(&maps)), "{}", memory_of(&maps));
        let text = format!("g.inject('{}')", "word ".repeat(1_000_000));
        assert!(memory_of(&text) < 6 << 20);
    }

    #[test]
    fn what_a_variable_stands_for_takes_as_much_wherever_it_stands() {
        let many = Argument::Predicate(crate::Predicate::Within(vec![Value::from(1).into(); 500]));
        let bindings = [("p".into(), many), ("x".into(), Value::from("long").into())];
        let text = "g.V().is(p).property(x).is( p ).as('op')";
        assert_eq!(memory_with(text, &bindings), memory_of(text) + 2 * 500 * ELEMENT);
    }

    #[test]
    fn a_range_takes_what_its_values_take() {
        for (text, values) in [
            ("1..9", 9),
            ("g.inject(-5 . .\n4, 3..1).count()", 13),
            ("+1..-1; 'é1..2'", 5),
            ("1..1000000", 1_000_000),
            ("1..1000000;".repeat(1_000).as_str(), 1_000_000),
            ("1..9999999999; 1..; ..9; 1.5; .. ; é..é; '1'..9; g.V().out()", 0),
            ("'1'..'9'; \"é\" .. \"ê\"; ''..''", STRING * 12),
            ("'a\\u0020'..'a\\ud7fe'", 1_000_000),
            ("'\\ud7fe'..' '", 1_000_000),
            ("'a.\\u0020'..'a.\\ud7fe'", 1_000_000),
            ("'a. '..'a.\u{d7fe}'", 1_000_000),
        ] {
            let commas = text.matches(',').count();
            let expected = text.len() + commas * (ELEMENT - 1) + values * size_of::<Value>();
            assert_eq!(memory_of(text), expected, "{text:.80}");
        }
    }
}
