//! Damaged and hostile messages: an error, never a panic, and never more memory than the input warrants.
//!
//! Runs two seconds per format; `MANGROVE_FUZZ_SECONDS` makes it longer, `MANGROVE_FUZZ_SEED` repeats a run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use wire::graphson::{self, Dialect};
use wire::{Format, MAX_DEPTH, Problem, Properties, decode_frame, decode_http, graphbinary};

/// Counts what each thread has allocated and what it had at most.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that is ending has no counters any more.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches only thread-local cells,
// which allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most bytes that decoding may use for each byte of input, and for any input at all.
///
/// The dearest input is JSON such as `[0,0,0…`: two bytes become a node of a tree and a string of digits, and then
/// a value, in vectors that double as they grow.
const BYTES_PER_BYTE: usize = 256;
const BYTES_AT_LEAST: usize = 64 * 1024;

fn peak_of<T>(run: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let result = run();
    (result, (PEAK.with(Cell::get) - before).max(0) as usize)
}

fn assert_thrifty<T>(input: &[u8], run: impl FnOnce() -> T) -> T {
    let (result, peak) = peak_of(run);
    let allowed = BYTES_AT_LEAST + BYTES_PER_BYTE * input.len();
    assert!(peak <= allowed, "{} bytes of input took {peak} bytes of memory: {input:02x?}", input.len());
    result
}

/// A small generator of numbers that looks random and is the same on every machine (xorshift*).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn corpus(folders: &[&str]) -> Vec<Vec<u8>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap());
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()))
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Damages a message in one to four places: flips, inserts, cuts, splices, or writes a hostile length.
fn damage(message: &[u8], other: &[u8], interesting: &[&[u8]], random: &mut Random) -> Vec<u8> {
    let mut bytes = message.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => {
                let from = random.below(other.len());
                let piece = &other[from..(from + 1 + random.below(40)).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
            4 => {
                let piece = interesting[random.below(interesting.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
            5 => {
                let end = (at + random.below(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let piece = interesting[random.below(interesting.len())].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn seed() -> u64 {
    match std::env::var("MANGROVE_FUZZ_SEED") {
        Ok(seed) => seed.parse().expect("MANGROVE_FUZZ_SEED is a number"),
        // Time is only where a seed comes from; it is printed, so a failure can be repeated.
        Err(_) => std::time::UNIX_EPOCH.elapsed().map_or(1, |now| now.as_nanos() as u64 | 1),
    }
}

fn fuzz(corpus: &[Vec<u8>], interesting: &[&[u8]], decode: impl Fn(&[u8])) {
    let seconds = std::env::var("MANGROVE_FUZZ_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2);
    let seed = seed();
    println!("MANGROVE_FUZZ_SEED={seed}");
    let (mut random, start, mut tries) = (Random(seed), Instant::now(), 0u64);
    while start.elapsed() < Duration::from_secs(seconds) {
        let (message, other) = (random.below(corpus.len()), random.below(corpus.len()));
        let bytes = damage(&corpus[message], &corpus[other], interesting, &mut random);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| decode(&bytes)));
        assert!(outcome.is_ok(), "MANGROVE_FUZZ_SEED={seed}, try {tries}: {bytes:02x?}");
        tries += 1;
    }
    println!("{tries} tries");
    assert!(tries > 100, "only {tries} tries in {seconds} s");
}

const GOLDEN: [&str; 2] = ["tests/golden/requests", "tests/golden/responses"];

#[test]
fn damaged_graphbinary_is_an_error() {
    let mut messages = corpus(&["../../../shared/tinkerpop/vectors/graphbinary-v1"]);
    messages
        .extend(corpus(&GOLDEN).into_iter().filter(|m| m.first() == Some(&0x81) || m.first() == Some(&32)));
    let lengths: [&[u8]; 9] = [
        b"\x7f\xff\xff\xff",
        b"\xff\xff\xff\xff",
        b"\x80\x00\x00\x00",
        b"\x00\x00\x00\x00",
        b"\x09\x00\x00\x00\x00\x01",
        b"\x15\x00\x00\x00\x00\x01",
        b"\x2b\x00\x00\x00\x00\x01",
        b"\xfe\x01",
        b"\x22\x00\x7f\xff\xff\xff\x00\x00\x00\x01\x09",
    ];
    fuzz(&messages, &lengths, |bytes| {
        if let Ok(value) = assert_thrifty(bytes, || graphbinary::decode(bytes)) {
            let mut out = Vec::new();
            graphbinary::encode(&value, &mut out).expect("what was decoded can be encoded");
            let again = graphbinary::decode(&out).expect("and decoded again");
            assert_eq!(format!("{again:?}"), format!("{value:?}"));
        }
        let _ = assert_thrifty(bytes, || graphbinary::decode_response(bytes));
        let _ = assert_thrifty(bytes, || decode_frame(bytes));
    });
}

#[test]
fn damaged_graphson_is_an_error() {
    let mut messages = corpus(&["../../../shared/tinkerpop/vectors/graphson"]);
    messages
        .extend(corpus(&GOLDEN).into_iter().filter(|m| m.first() == Some(&b'{') || m.first() == Some(&33)));
    let pieces: [&[u8]; 12] = [
        b"[[[[[[[[",
        b"{\"@type\":\"g:List\",\"@value\":[",
        b"{\"@type\":\"g:Map\",\"@value\":[1]}",
        b"{\"@type\":\"gx:BigDecimal\",\"@value\":1e999999999}",
        b"{\"@type\":\"gx:Instant\",\"@value\":\"+999999999-12-31T23:59:60Z\"}",
        b"{\"@type\":\"g:T\"}",
        b"null",
        b"-1e400",
        b"99999999999999999999",
        b"\"\\ud800\"",
        b"\"@type\":",
        b"]}",
    ];
    fuzz(&messages, &pieces, |bytes| {
        if let Ok(value) = assert_thrifty(bytes, || graphson::decode(bytes)) {
            let mut out = Vec::new();
            // JSON may nest deeper than values: what is decoded at its limit may be too deep for its typed form.
            if graphson::encode(&value, Dialect::V3, &mut out).is_ok() {
                let again = graphson::decode(&out).map_or_else(|e| e.to_string(), |v| format!("{v:?}"));
                assert!(again == format!("{value:?}") || again.contains("recursion limit"), "{again}");
            }
        }
        let _ = assert_thrifty(bytes, || graphson::decode_response(bytes));
        let _ = assert_thrifty(bytes, || decode_http(bytes, values::Uuid::nil()));
        let _ = assert_thrifty(bytes, || decode_frame(bytes));
    });
}

/// Values and messages of TinkerPop 4.
fn corpus_of_four() -> Vec<Vec<u8>> {
    let hex = |text: &str| -> Vec<u8> {
        (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
    };
    let lines = include_str!("golden/four/graphbinary.txt").lines().filter(|line| !line.starts_with('#'));
    let mut corpus: Vec<_> = lines.map(|line| hex(line.split_once(' ').unwrap().1)).collect();
    let messages: Vec<_> = corpus
        .iter()
        .map(|value| [b"\x84\x00", &value[..], b"\xfd\0\0\0\0\0\xc8\x01\x01"].concat())
        .collect();
    corpus.extend(messages);
    corpus.push(b"\x84\0\0\0\x01\x03\0\0\0\0\x01g\x03\0\0\0\0\x01g\0\0\0\x05g.V()".to_vec());
    corpus
}

#[test]
fn damaged_graphbinary_4_is_an_error() {
    let lengths: [&[u8]; 6] = [
        b"\x7f\xff\xff\xff",
        b"\xff\xff\xff\xff",
        b"\x09\x02\x00\x00\x00\x01",
        b"\x0a\x02\x00\x00\x00\x01",
        b"\x2b\x00\x00\x00\x00\x01",
        b"\xfd\x00\x00",
    ];
    fuzz(&corpus_of_four(), &lengths, |bytes| {
        if let Ok(value) = assert_thrifty(bytes, || graphbinary::four::decode(bytes)) {
            let mut out = Vec::new();
            graphbinary::four::encode(&value, Properties::Given, &mut out)
                .expect("what was decoded can be encoded");
            let again = graphbinary::four::decode(&out).expect("and decoded again");
            assert_eq!(format!("{again:?}"), format!("{value:?}"));
        }
        let _ = assert_thrifty(bytes, || graphbinary::four::decode_response(bytes));
        let _ = assert_thrifty(bytes, || graphbinary::four::decode_request(bytes));
    });
}

#[test]
fn every_prefix_of_a_message_is_an_error() {
    for message in corpus(&["../../../shared/tinkerpop/vectors/graphbinary-v1"]) {
        for end in 0..message.len() {
            assert!(graphbinary::decode(&message[..end]).is_err());
        }
    }
    for frame in corpus(&["tests/golden/requests"]) {
        for end in 0..frame.len() {
            assert!(decode_frame(&frame[..end]).is_err());
        }
    }
    for message in corpus_of_four().into_iter().filter(|message| message[0] == 0x84) {
        for end in 0..message.len() {
            assert!(graphbinary::four::decode_request(&message[..end]).is_err());
            assert!(graphbinary::four::decode_response(&message[..end]).is_err());
        }
    }
}

#[test]
fn a_length_beyond_the_message_costs_nothing() {
    for code in [0x03u8, 0x09, 0x0a, 0x0b, 0x15, 0x1e, 0x23, 0x25, 0x2a, 0x2b, 0x10] {
        let bytes = [code, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0];
        let (result, peak) = peak_of(|| graphbinary::decode(&bytes));
        let error = result.unwrap_err();
        assert!(
            matches!(error.problem, Problem::Length(_) | Problem::Truncated { .. }),
            "{code:02x}: {error}"
        );
        assert!(peak < 1024, "{code:02x}: {peak}");
    }
}

fn nested(levels: usize, open: &[u8], leaf: &[u8]) -> Vec<u8> {
    let mut bytes = open.repeat(levels);
    bytes.extend_from_slice(leaf);
    bytes
}

#[test]
fn nesting_is_bounded_and_its_bound_fits_the_stack() {
    let list: &[u8] = &[0x09, 0, 0, 0, 0, 1];
    assert!(graphbinary::decode(&nested(MAX_DEPTH - 1, list, &[0x27, 0, 1])).is_ok());
    let error = graphbinary::decode(&nested(MAX_DEPTH, list, &[0x27, 0, 1])).unwrap_err();
    assert_eq!(error.problem, Problem::TooDeep);
    for levels in [10_000, 1_000_000] {
        // A list of one, a map of one, a traverser, a binding, a tree of one whose key is such a tree.
        let openings: [&[u8]; 5] = [
            list,
            &[0x0a, 0, 0, 0, 0, 1],
            &[0x21, 0, 0, 0, 0, 0, 0, 0, 0, 1],
            &[0x14, 0, 0, 0, 0, 0],
            &[0x2b, 0, 0, 0, 0, 1],
        ];
        for open in openings {
            let error = graphbinary::decode(&nested(levels, open, &[0xfe, 1].repeat(8))).unwrap_err();
            assert_eq!(error.problem, Problem::TooDeep);
        }
        // A tree whose only child is such a tree, down and down.
        let mut tree = vec![0x2b, 0];
        tree.extend(nested(levels, &[0, 0, 0, 1, 0xfe, 1], &[0, 0, 0, 0]));
        assert_eq!(graphbinary::decode(&tree).unwrap_err().problem, Problem::TooDeep);
        assert!(graphson::decode(&nested(levels, b"[", b"")).is_err());
        assert!(graphson::decode(&nested(levels, b"{\"@type\":\"g:List\",\"@value\":[", b"")).is_err());
    }
}

#[test]
fn errors_name_the_place() {
    let error = graphbinary::decode(&[0x09, 0, 0, 0, 0, 2, 0x27, 0, 1, 0x27, 0, 7]).unwrap_err();
    assert_eq!(error.to_string(), "expected a boolean, 0 or 1, found 7, at byte 11");
    let json = br#"{"requestId": "41d2e28a-20a4-4ab0-b379-d810dede3786", "op": "bytecode", "args":
        {"gremlin": {"@type": "g:Bytecode", "@value": {"step": [["V"], ["has", {"@type": "g:Int32", "@value": "x"}]]}}}}"#;
    let error = Format::from_mime("application/json").unwrap().decode_request(json).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected an integer, found a string, at $.args.gremlin['@value'].step[1][1]['@value']"
    );
    let json = br#"{"@type": "g:Bytecode", "@value": {"step": [["fly"]]}}"#;
    assert_eq!(
        graphson::decode(json).unwrap_err().to_string(),
        "there is no step called `fly`, at $['@value']"
    );
    let error = decode_frame(b"\x05x/yyy").unwrap_err();
    assert_eq!(error.to_string(), "unknown mime type `x/yyy`, at byte 1");
    let error = decode_http(br#"{"query": 1}"#, values::Uuid::nil()).unwrap_err();
    assert_eq!(error.to_string(), "expected a script called `gremlin`, found none, at $");
    let error = graphson::decode(b"{\"a\": tru}").unwrap_err();
    assert_eq!(error.to_string(), "not JSON: expected ident at line 1 column 10, at $");
}

#[test]
fn http_requests_are_read_with_their_bindings() {
    let body = br#"{"gremlin": "g.V(x)", "bindings": {"x": 1}, "aliases": {"g": "social"}}"#;
    let id = values::Uuid::from_u128(7);
    let request = decode_http(body, id).unwrap();
    assert_eq!((request.id, request.op.as_str()), (id, "eval"));
    assert_eq!(request.args.text("gremlin"), Some("g.V(x)"));
    assert_eq!(request.args.map("bindings").unwrap().get(&"x".into()), Some(&1.into()));
    let body = br#"{"gremlin": "g", "requestId": "41d2e28a-20a4-4ab0-b379-d810dede3786"}"#;
    assert_eq!(decode_http(body, id).unwrap().id.to_string(), "41d2e28a-20a4-4ab0-b379-d810dede3786");
}

/// Found by fuzzing: what was decoded, encoded and decoded again was not the same.
#[test]
fn what_cannot_be_written_is_not_read() {
    let with_parent = b"\x12\x00\x01\x00\0\0\0\x01\0\0\0\x01a\x01\x00\0\0\0\x07\
        \x11\x00\x01\x00\0\0\0\x02\0\0\0\x01p\xfe\x01\xfe\x01";
    let value = graphbinary::decode(with_parent).unwrap();
    let mut out = Vec::new();
    graphbinary::encode(&value, &mut out).unwrap();
    assert_eq!(format!("{:?}", graphbinary::decode(&out).unwrap()), format!("{value:?}"));

    let year_1047161479 = b"\x28\0\0\0\0\x0acontaining\0\0\0\x01\x83\0\0uffle\0\0\x03ark";
    let error = graphbinary::decode(year_1047161479).unwrap_err();
    assert_eq!(error.to_string(), "year out of range: 1047161479, at byte 22");

    let twice = br#"{"@type":"g:Path","@value":{"labels":[["a","a"]],"objects":["x"]}}"#;
    let value = graphson::decode(twice).unwrap();
    let mut out = Vec::new();
    graphson::encode(&value, Dialect::V3, &mut out).unwrap();
    assert_eq!(format!("{:?}", graphson::decode(&out).unwrap()), format!("{value:?}"));
}
