//! What patterns mean, held against a table of what `java.util.regex` answered.
//!
//! `tests/cases.tsv` was made by `tests/Cases.java` on Java 17; the test needs no Java. A larger table:
//!
//! ```text
//! java crates/dataflow/src/java_regex/tests/Cases.java 7 1000000 > cases.tsv
//! MANGROVE_REGEX_CASES=cases.tsv cargo test --release -p dataflow java_regex
//! ```

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use values::watch::{Ended, Watch, watched};

use super::*;

/// A line of the table.
struct Case {
    pattern: String,
    text: String,
    /// None where Java takes no such pattern.
    found: Option<bool>,
}

fn cases() -> Vec<Case> {
    let other = std::env::var("MANGROVE_REGEX_CASES").ok().map(|path| std::fs::read_to_string(path).unwrap());
    let table = other.as_deref().unwrap_or(include_str!("tests/cases.tsv"));
    let case = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [pattern, text, found] = columns[..] else { panic!("{line:?} is no case") };
        Case { pattern: unescaped(pattern), text: unescaped(text), found: found.parse().ok() }
    };
    table.lines().map(case).collect()
}

/// `\\` is a backslash, `\{a}` a line feed.
fn unescaped(column: &str) -> String {
    let (mut text, mut rest) = (String::new(), column);
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        rest = match after.strip_prefix('{').and_then(|code| code.split_once('}')) {
            Some((code, after)) => {
                text.push(u32::from_str_radix(code, 16).ok().and_then(char::from_u32).unwrap());
                after
            }
            None => {
                text.push('\\');
                &after[1..]
            }
        };
    }
    text + rest
}

fn find(pattern: &str, text: &str) -> bool {
    JavaRegex::new(pattern).unwrap().find(text)
}

#[test]
fn a_pattern_means_what_it_means_to_java_or_is_refused() {
    let (mut plain, mut simulated, mut unsupported, mut malformed) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for Case { pattern, text, found } in cases() {
        let regex = match (JavaRegex::new(&pattern), found) {
            (Ok(regex), Some(_)) => regex,
            (Err(PatternError::Unsupported { .. }), _) => {
                unsupported += 1;
                continue;
            }
            (Err(_), None) => {
                malformed += 1;
                continue;
            }
            (result, _) => {
                wrong.push(format!("{pattern:?}: {found:?} to Java, {:?} here", result.err()));
                continue;
            }
        };
        if Some(Simulation::new(&text).find(&regex.program)) != found {
            wrong.push(format!("simulated: {pattern:?} in {text:?}: {found:?} to Java"));
        }
        simulated += 1;
        if let Some(regex) = regex.plain.as_ref().filter(|regex| regex.suits(&text)) {
            if Some(regex.find(&text)) != found {
                wrong.push(format!("plain: {pattern:?} in {text:?}: {found:?} to Java"));
            }
            plain += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases, among them\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    eprintln!(
        "{simulated} simulated, {plain} of them plain; {unsupported} unsupported, {malformed} malformed"
    );
    assert!(plain * 2 > simulated && unsupported < simulated, "{plain} {simulated} {unsupported}");
    assert!(malformed > 0);
}

#[test]
fn what_an_automaton_cannot_do_is_refused_by_name() {
    for (pattern, what) in [
        (r"(a)\1", "a back-reference"),
        (r"(?<n>a)\k<n>", "a back-reference"),
        ("(?<=a)b", "look-behind"),
        ("(?<!a)b", "look-behind"),
        ("(?>a)b", "an atomic group"),
        ("a++", "a possessive quantifier"),
        ("a{2}+", "a possessive quantifier"),
        ("a{2}{3}", "two quantifiers in a row"),
        ("(?u)a", "the flag `u`"),
        ("(?ix)a", "the flag `x`"),
        ("(?U:a)", "the flag `U`"),
        (r"\X", "a grapheme cluster"),
        (r"\b{g}", "grapheme clusters"),
        (r"a\B", r"`\B`"),
        (r"(?!a(\b|b))", r"`\b` in a negative look-ahead"),
        (r"\N{SPACE}", "a character by its name"),
        (r"\ud835", "a surrogate pair"),
        (r"\p{InGreek}", "a block of Unicode"),
        (r"\p{block=Greek}", "a block of Unicode"),
        (r"\p{javaLetter}", r"`\p{java…}`"),
        (r"\p{IsHex_Digit}", "a property of characters that is not known"),
        (r"(?i)\p{Lu}", "with the flag `i`"),
        ("[a-z&&[^bc]d]", "`&&` with other than one part"),
        ("[&&a]", "`&&` with other than one part"),
        ("[a&&]", "`&&` with other than one part"),
    ] {
        let message = JavaRegex::new(pattern).unwrap_err().to_string();
        assert!(message.contains(what) && message.contains("not supported"), "{pattern}: {message}");
    }
    for (pattern, what) in [
        ("(a", "unclosed group near index 2"),
        ("a)", "unmatched closing `)`"),
        ("[a", "unclosed character class"),
        ("*a", "dangling quantifier near index 0"),
        ("a{2,1}", "illegal repetition range"),
        (r"\y", "illegal escape sequence"),
        (r"a\", "a backslash at the end"),
    ] {
        let message = JavaRegex::new(pattern).unwrap_err().to_string();
        assert!(message.contains(what), "{pattern}: {message}");
    }
}

#[test]
fn a_pattern_that_would_take_too_much_is_refused() {
    let nested = "(".repeat(200) + &")".repeat(200);
    for pattern in ["(a{1000}){1000}", "((((){999}){999}){999}){999}", "[a-z]{70000}", nested.as_str()] {
        let error = JavaRegex::new(pattern).unwrap_err();
        assert!(matches!(error, PatternError::TooLarge { .. }), "{pattern}: {error}");
    }
    assert!(find("^.{1000}$", &"x".repeat(1000)));
}

/// Ends what it watches at the last of so many looks.
struct Looks(AtomicUsize);

impl Watch for Looks {
    fn must_end(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

#[test]
fn a_search_ends_when_it_is_asked_to() {
    let regex = JavaRegex::new("(?=.*x)(?:a?){200}a{200}").unwrap();
    let text = "a".repeat(20_000);
    let started = std::time::Instant::now();
    assert_eq!(watched(Arc::new(Looks(AtomicUsize::new(10))), || regex.find(&text)), Err(Ended));
    assert!(started.elapsed().as_millis() < 1_000, "{:?}", started.elapsed());
}

#[test]
fn patterns_that_explode_in_java_do_not() {
    let text = "a".repeat(5_000);
    for pattern in ["^(a+)+$b", "(a|aa)+$b", "(.*a){12}b", "(a*)*b", "^(?=(a+)+$).*b", "^((a+)*)*$x"] {
        assert!(!find(pattern, &text), "{pattern}");
    }
}

#[test]
fn a_long_text_is_searched_as_a_short_one_is() {
    let text = "a\u{e9}".repeat(AT_ONCE / 8) + "needle";
    for (pattern, found) in
        [("needle$", true), ("ne+dle", true), ("^needle", false), (r"\bneedle", false), (r"needle\b", true)]
    {
        let regex = JavaRegex::new(pattern).unwrap();
        assert!(regex.work(&text) > AT_ONCE);
        assert_eq!(regex.find(&text), found, "{pattern}");
    }
}

#[test]
fn a_pattern_of_many_ranges_is_refused_soon() {
    let began = std::time::Instant::now();
    for pattern in ["(\\p{L}{1000}){60}", "(\\p{L}{1000}){1000}", "(a{1000}){1000}"] {
        assert!(matches!(JavaRegex::new(pattern), Err(PatternError::TooLarge { .. })), "{pattern}");
    }
    assert!(JavaRegex::new("\\p{L}{100}").is_ok_and(|regex| regex.find(&"é".repeat(100))));
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
}

/// What looks ahead from each character of a text goes through the text as often.
#[test]
fn a_search_that_looks_ahead_is_known_to_take_long() {
    let text = "a".repeat(2048);
    let may_outlast = |pattern: &str, text: &str| JavaRegex::new(pattern).unwrap().may_outlast(text);
    assert!(!may_outlast("(a+)+c", &text));
    assert!(may_outlast("(?=(a+)+c)a", &text));
    assert!(may_outlast("(?=a(?!(a+)+c))a", &text[..64]), "two within each other");
    assert!(!may_outlast("(?=(a+)+c)a", &text[..64]));
}
