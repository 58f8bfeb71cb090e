//! Work on long texts that the query's watch can end in the middle.
//!
//! A text may have 16 MiB, and a pass over it takes 10 to 200 ms. So texts are passed in pieces of some kilobytes, and the watch
//! (`values::watch`) is told of each.

use values::watch;

/// Bytes of a piece, roughly.
const PIECE: usize = 16 << 10;

/// Bytes that are passed in a tick of the query's watch.
const BYTES_PER_TICK: usize = 64;

/// The pieces of a text, in order; each but the last has [`PIECE`] bytes, or a few less.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        watch::ticks(piece.len() / BYTES_PER_TICK);
        Some(piece)
    })
}

/// Places of a pattern in a text that do not overlap, from the left. The pattern is not empty.
///
/// It is looked for in windows. One that begins in a window may end in what follows it:
///
/// ```text
/// window │ overlap                 the pattern's bytes but one
///        └ next window, or behind the last place if that is further
/// ```
pub(super) fn places<'t>(text: &'t str, pattern: &'t str) -> impl Iterator<Item = usize> + 't {
    // Each window costs a look at the pattern.
    let window = PIECE.max(pattern.len().saturating_mul(4));
    let mut next = 0;
    std::iter::from_fn(move || {
        if next >= text.len() {
            return None;
        }
        let (from, to) = (next, text.floor_char_boundary(next.saturating_add(window)));
        let seen = text.ceil_char_boundary(to.saturating_add(pattern.len() - 1));
        watch::ticks((seen - from) / BYTES_PER_TICK);
        next = to;
        Some((from, to, seen))
    })
    .scan(0, move |free, (from, to, seen)| {
        let begin = from.max(*free);
        let found = text.get(begin..seen).unwrap_or_default().match_indices(pattern);
        let found: Vec<usize> = found.map(|(at, _)| begin + at).take_while(|at| *at < to).collect();
        if let Some(last) = found.last() {
            *free = last + pattern.len();
        }
        Some(found)
    })
    .flatten()
}

/// The first place of a pattern, which is short and not empty.
pub(super) fn first(text: &str, pattern: &str) -> Option<usize> {
    let mut from = 0;
    while from < text.len() {
        let to = text.floor_char_boundary(from.saturating_add(PIECE));
        let seen = text.ceil_char_boundary(to.saturating_add(pattern.len() - 1));
        if let Some(at) = text[from..seen].find(pattern) {
            return Some(from + at);
        }
        watch::ticks((to - from) / BYTES_PER_TICK);
        from = to;
    }
    None
}

/// Whether a pattern is in a text.
pub(super) fn contains(text: &str, pattern: &str) -> bool {
    if text.len() <= PIECE {
        return text.contains(pattern);
    }
    pattern.is_empty() || places(text, pattern).next().is_some()
}

/// The number of UTF-16 units of a text: its length as Java has it.
pub(super) fn units(text: &str) -> usize {
    pieces(text).map(units_of_piece).sum()
}

fn units_of_piece(piece: &str) -> usize {
    if piece.is_ascii() { piece.len() } else { piece.encode_utf16().count() }
}

/// The UTF-16 units `from..to` of a text, or as many of them as there are. Half of a character becomes U+FFFD.
pub(super) fn cut(text: &str, from: usize, to: usize) -> String {
    let (mut cut, mut before) = (String::new(), 0);
    for piece in pieces(text) {
        let len = units_of_piece(piece);
        let (from, to) = (from.saturating_sub(before).min(len), to.saturating_sub(before).min(len));
        if from == 0 && to == len {
            cut.push_str(piece);
        } else if from < to {
            let units: Vec<u16> = piece.encode_utf16().skip(from).take(to - from).collect();
            cut.push_str(&String::from_utf16_lossy(&units));
        } else if to == 0 && before > 0 {
            break;
        }
        before += len;
    }
    cut
}

/// A text in lower case.
pub(super) fn lower(text: &str) -> String {
    // How a sigma is written depends on the letters beside it, so such a text is not cut into pieces.
    if contains(text, "Σ") { text.to_lowercase() } else { pieces(text).map(str::to_lowercase).collect() }
}

/// A text in upper case.
pub(super) fn upper(text: &str) -> String {
    pieces(text).map(str::to_uppercase).collect()
}

/// A text backwards.
pub(super) fn reversed(text: &str) -> String {
    let mut reversed = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (before, piece) = rest.split_at(rest.ceil_char_boundary(rest.len().saturating_sub(PIECE)));
        watch::ticks(piece.len() / BYTES_PER_TICK);
        reversed.extend(piece.chars().rev());
        rest = before;
    }
    reversed
}

/// A text without the white space at its beginning.
pub(super) fn without_leading_space(text: &str) -> &str {
    behind_leading(text, is_space)
}

fn behind_leading(text: &str, is_space: fn(char) -> bool) -> &str {
    let mut at = 0;
    for piece in pieces(text) {
        let rest = piece.trim_start_matches(is_space);
        at += piece.len() - rest.len();
        if !rest.is_empty() {
            break;
        }
    }
    &text[at..]
}

/// Whether Java's `Character.isWhitespace` says so: separators of information are, and what breaks no line is not.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, '\u{1c}'..='\u{1f}')
        || c.is_whitespace() && !matches!(c, '\u{85}' | '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// A text without the white space at its end.
pub(super) fn without_trailing_space(text: &str) -> &str {
    before_trailing(text, is_space)
}

/// A text as Java's `String.trim` has it: without spaces and control characters at its ends.
pub(super) fn trimmed(text: &str) -> &str {
    let is_space = |c: char| c <= ' ';
    before_trailing(behind_leading(text, is_space), is_space)
}

fn before_trailing(text: &str, is_space: fn(char) -> bool) -> &str {
    let mut rest = text;
    loop {
        let (_, piece) = rest.split_at(rest.ceil_char_boundary(rest.len().saturating_sub(PIECE)));
        watch::ticks(piece.len() / BYTES_PER_TICK);
        let end = rest.len() - piece.len() + piece.trim_end_matches(is_space).len();
        let went_on = end < rest.len() && end + piece.len() == rest.len();
        rest = &rest[..end];
        if !went_on {
            return rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Texts around the size of a piece, of characters of one to four bytes.
    fn texts() -> Vec<String> {
        let units = ["a", "aab", "ä", "a€", "😀b", "  ", " \u{2003}x", "aΣ b", "ßa"];
        let mut texts = vec![String::new(), "Σ".into(), "abc".into()];
        for unit in units {
            for bytes in [PIECE - 3, PIECE, PIECE + 1, 3 * PIECE + 7] {
                texts.push(unit.repeat(bytes / unit.len() + 1));
            }
        }
        texts
    }

    #[test]
    fn in_pieces_texts_become_what_they_become_as_a_whole() {
        for text in texts() {
            assert_eq!(pieces(&text).collect::<String>(), text);
            assert_eq!(units(&text), text.encode_utf16().count());
            assert_eq!(lower(&text), text.to_lowercase());
            assert_eq!(upper(&text), text.to_uppercase());
            assert_eq!(reversed(&text), text.chars().rev().collect::<String>());
            assert_eq!(without_leading_space(&text), text.trim_start());
            assert_eq!(without_trailing_space(&text), text.trim_end());
            let padded = format!("{}x{}", " ".repeat(PIECE + 5), "\u{2003}".repeat(PIECE));
            assert_eq!(without_trailing_space(without_leading_space(&padded)), "x");
        }
    }

    #[test]
    fn patterns_are_found_where_they_are_in_the_whole() {
        let across = format!("{}needle{}", "x".repeat(PIECE - 3), "y".repeat(9));
        for text in texts().iter().chain([&across]) {
            for pattern in ["a", "aa", "ba", "€a", "😀", "needle", "b😀b", "aΣ b"] {
                let expected: Vec<usize> = text.match_indices(pattern).map(|(at, _)| at).collect();
                assert_eq!(places(text, pattern).collect::<Vec<_>>(), expected, "{pattern}");
                assert_eq!(contains(text, pattern), !expected.is_empty());
                assert_eq!(first(text, pattern), expected.first().copied(), "{pattern}");
            }
        }
        let long = "ab".repeat(3 * PIECE);
        assert_eq!(places(&long, &"ab".repeat(PIECE)).collect::<Vec<_>>(), [0, 2 * PIECE, 4 * PIECE]);
    }

    #[test]
    fn cuts_count_utf_16_units() {
        for text in texts() {
            let units: Vec<u16> = text.encode_utf16().collect();
            for (from, to) in [(0, 3), (1, PIECE), (PIECE - 1, PIECE + 2), (0, usize::MAX), (5, 5)] {
                let (low, high) = (from.min(units.len()), to.min(units.len()));
                assert_eq!(cut(&text, from, to), String::from_utf16_lossy(&units[low..high.max(low)]));
            }
        }
    }

    #[test]
    fn a_watch_ends_each_of_them_in_the_middle() {
        struct Once(AtomicUsize);
        impl watch::Watch for Once {
            fn must_end(&self) -> bool {
                self.0.fetch_add(1, Ordering::Relaxed) > 0
            }
        }
        let ended = |work: &dyn Fn(&str)| {
            let text = " ".repeat(1 << 20);
            watch::watched(Arc::new(Once(AtomicUsize::new(0))), || work(&text)).is_err()
        };
        assert!(ended(&|text| drop(lower(text))));
        assert!(ended(&|text| drop(upper(text))));
        assert!(ended(&|text| drop(reversed(text))));
        assert!(ended(&|text| assert_eq!(units(text), 1)));
        assert!(ended(&|text| drop(cut(text, text.len() - 2, text.len()))));
        assert!(ended(&|text| assert!(contains(text, "x"))));
        assert!(ended(&|text| assert_eq!(first(text, "x"), Some(0))));
        assert!(ended(&|text| assert_eq!(without_leading_space(text), "x")));
        assert!(ended(&|text| assert_eq!(without_trailing_space(text), "x")));
    }
}
