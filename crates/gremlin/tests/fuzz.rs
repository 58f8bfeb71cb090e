//! Damaged Gremlin never makes the parser panic, take long, or disagree with its own printing.
//!
//! `MANGROVE_FUZZ_SECONDS` sets how long each test runs (two seconds by default), `MANGROVE_FUZZ_SEED` where it begins.

mod feature_file;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

use feature_file::scenarios;
use gremlin::{Bindings, ParseError, ParseErrorKind, ParseLimits, parameterize, parse, validate};

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|e| panic!("{name}={text}: {e}")))
}

/// Runs `round` with seeds one after another until the time is over; says the seed of a round that panics.
fn rounds(mut round: impl FnMut(&mut Random)) {
    let seconds = setting("MANGROVE_FUZZ_SECONDS").unwrap_or(2);
    let mut seed = setting("MANGROVE_FUZZ_SEED").unwrap_or_else(|| {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
    });
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        let outcome = catch_unwind(AssertUnwindSafe(|| round(&mut Random(seed))));
        if let Err(panic) = outcome {
            eprintln!("run again with MANGROVE_FUZZ_SEED={seed}");
            resume_unwind(panic);
        }
        seed = seed.wrapping_add(1);
    }
}

const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    "..",
    ":",
    ";",
    "'",
    "\"",
    "\\",
    "\\u",
    "\\uD83D",
    "//",
    "\n",
    "g",
    "g.V()",
    "__",
    "__.",
    "new ",
    "not(",
    "P.not(",
    "within(",
    ".and(",
    ".or(",
    ".negate()",
    "T.id",
    "Order.",
    "1",
    "-",
    "+",
    "0x",
    "1e9",
    "1e999999999m",
    "9999999999999999999",
    "1..2000000000",
    "_",
    "0777l",
    "null",
    "true",
    "é",
    "\u{1F600}",
    "single(",
    "datetime('2023-01-01')",
    "UUID('",
    "a",
    "[a:",
    "[(",
    "withStrategies(",
    ".toList()",
    ".explain()",
    ".tx()",
    "Infinity",
];

fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(chars.len() + 1);
        let end = (at + random.below(12)).min(chars.len());
        match random.below(6) {
            0 => drop(chars.drain(at..end)),
            1 => drop(chars.splice(at..at, random.pick(PIECES).chars())),
            2 => drop(chars.splice(at..end, random.pick(PIECES).chars())),
            3 => {
                let copy: Vec<char> = chars[at..end].to_vec();
                chars.splice(at..at, copy);
            }
            4 => {
                let source: Vec<char> = other.chars().collect();
                let from = random.below(source.len() + 1);
                let to = (from + random.below(40)).min(source.len());
                chars.splice(at..end, source[from..to].iter().copied());
            }
            _ => {
                let piece = random.pick(PIECES).repeat(1 + random.below(300));
                chars.splice(at..at, piece.chars());
            }
        }
    }
    chars.into_iter().collect()
}

/// What must hold of any text; what parses must print to something that parses to the same print.
fn check(text: &str, bindings: &Bindings) {
    let started = Instant::now();
    let parsed = parse(text, bindings);
    let took = started.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?} for {} bytes: {text:.200}", text.len());
    match parsed {
        Err(error) => assert!(error.to_string().len() < 4_000, "{error}"),
        Ok(query) => {
            let printed = query.to_string();
            match parse(&printed, bindings) {
                Ok(again) => assert_eq!(again.to_string(), printed, "from {text}"),
                Err(error) => assert!(too_long(&error), "{error}\n{text}\nprints as\n{printed}"),
            }
            if let Ok((mut traversal, _)) = query.into_traversal() {
                validate(&traversal, &ParseLimits::default())
                    .unwrap_or_else(|error| panic!("{error}: {text}"));
                assert_eq!(parameterize(&mut traversal.clone()), parameterize(&mut traversal));
            }
        }
    }
}

/// Canonical text is longer than what it came from, so it may exceed a limit that this did not.
fn too_long(error: &ParseError) -> bool {
    matches!(error.kind, ParseErrorKind::TooLong { .. })
}

#[test]
fn damaged_traversals_are_refused_or_understood() {
    let texts: Vec<(String, Bindings)> = scenarios()
        .into_iter()
        .flat_map(|s| s.traversals.into_iter().map(move |t| (t, s.bindings.clone())))
        .collect();
    rounds(|random| {
        let (text, bindings) = random.pick(&texts);
        let other = &random.pick(&texts).0;
        check(&mutate(text, other, random), bindings);
    });
}

#[test]
fn strings_of_pieces_are_refused_or_understood() {
    rounds(|random| {
        let count = random.below(60);
        let text: String = (0..count).map(|_| *random.pick(PIECES)).collect();
        check(&format!("g.inject({text}"), &Bindings::new());
        check(&text, &Bindings::new());
    });
}
