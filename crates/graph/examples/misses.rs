//! Instructions and cache misses per edge of reads of a graph of LDBC's, beside loops over plain arrays that do the same.
//!
//! `cargo run --release -p graph --example misses -- GRAPH_DIRECTORY` runs itself under `valgrind` (tool callgrind, with a
//! simulated cache), which counts only what happens inside of [`measured`]: no clock, no hardware counters, and the same
//! numbers on every machine. Everything is read once before it counts, so nothing is loaded from disk. The simulation knows
//! nothing of fetching ahead: what it counts for going along an array, a processor has fetched in time.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use graph::{Dir, EdgeLabelId, Graph, GraphOptions, KeyId, Place, Reader, ScanCursor, VertexRef};
use store::{FjallOptions, FjallStore, Store};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The data caches that are simulated: bytes, ways, bytes of a line. Those that a core has for itself.
const FIRST_LEVEL: &str = "--D1=32768,8,64";
const SECOND_LEVEL: &str = "--LL=1048576,16,64";

/// 1985-01-01, which about a third of the persons were born before.
const BORN_BEFORE: i64 = 473_385_600_000;
/// 2012-01-01: about half of the likes are from before.
const LIKED_BEFORE: i64 = 1_325_376_000_000;
/// Persons that walks of two hops begin at.
const STARTS: usize = 500;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [directory] => under_valgrind(directory),
        [directory, "inside"] => inside(Path::new(directory)),
        _ => Err("usage: misses GRAPH_DIRECTORY".into()),
    }
}

/// Runs this program again, counted, and prints what each part of it came to.
fn under_valgrind(directory: &str) -> Outcome<()> {
    let file = std::env::temp_dir().join(format!("mangrove-misses-{}", std::process::id()));
    let outcome = Command::new("valgrind")
        .args(["--tool=callgrind", "--cache-sim=yes", "--quiet", FIRST_LEVEL, SECOND_LEVEL])
        .args(["--toggle-collect=*measured*", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(std::env::current_exe()?)
        .args([directory, "inside"])
        .output();
    let output = outcome.map_err(|error| format!("valgrind does not start ({error}): is it installed?"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let counts = counts(&std::fs::read_to_string(&file)?)?;
    std::fs::remove_file(file)?;
    let names = String::from_utf8(output.stdout)?;
    if names.lines().count() != counts.len() {
        return Err(format!("{} counts of what is this:\n{names}", counts.len()).into());
    }
    println!("{:<32}{:>12}{:>14}{:>12}{:>12}", "per edge", "edges", "instructions", "L1 misses", "L2 misses");
    for (line, counts) in names.lines().zip(counts) {
        let (name, edges) = line.split_once('\t').ok_or("the program inside says nothing")?;
        let number: f64 = edges.parse()?;
        let [instructions, first, second] = counts.map(|count| count as f64 / number);
        println!("{name:<32}{edges:>12}{instructions:>14.2}{first:>12.4}{second:>12.4}");
    }
    Ok(())
}

/// Instructions, and data reads that missed the first and the second level, of what [`measured`] has called: each a closure,
/// in the order in which they stand in this file.
///
/// ```text
/// events: Ir Dr Dw …
/// fn=misses::measured
/// calls=1 LINE            of what is called, and then the line of the call and the events inside, without zeros at the end
/// 77 1059646 235476 …
/// ```
fn counts(dump: &str) -> Outcome<Vec<[u64; 3]>> {
    let events =
        dump.lines().find_map(|line| line.strip_prefix("events: ")).ok_or("no events are counted")?;
    let place = |event: &str| events.split_whitespace().position(|other| other == event);
    let [Some(instructions), Some(first), Some(second)] = ["Ir", "D1mr", "DLmr"].map(place) else {
        return Err(format!("the events are others: {events}").into());
    };
    let (mut calls, mut is_inside, mut lines) = (Vec::new(), false, dump.lines());
    while let Some(line) = lines.next() {
        if let Some(function) = line.strip_prefix("fn=") {
            is_inside = function.ends_with("measured");
        } else if let Some(call) = line.strip_prefix("calls=").filter(|_| is_inside) {
            let at: u32 = call.split_whitespace().nth(1).ok_or("a call has no line")?.parse()?;
            let events: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().skip(1).collect();
            let count = |place: usize| events.get(place).map_or(Ok(0), |count| count.parse::<u64>());
            calls.push((at, [count(instructions)?, count(first)?, count(second)?]));
        }
    }
    calls.sort_unstable();
    Ok(calls.into_iter().map(|(_, counts)| counts).collect())
}

/// What counts, and nothing else.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> u64) -> u64 {
    black_box(work())
}

/// Runs something twice, the second time counted; says how many edges it went along.
fn case(name: &str, edges: u64, mut work: impl FnMut() -> u64) {
    let before = work();
    let again = measured(&mut work);
    assert_eq!(before, again, "{name}");
    println!("{name}\t{edges}");
}

/// Both ways to do one thing, which must agree.
fn pair(name: &str, edges: u64, mut ours: impl FnMut() -> u64, mut arrays: impl FnMut() -> u64) {
    assert_eq!(ours(), arrays(), "{name}");
    case(name, edges, ours);
    case(&format!("{name}, arrays"), edges, arrays);
}

/// Lists one after another, with numbers in place of references.
struct Arrays {
    offsets: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Arrays {
    fn of(
        reader: &Reader<'_>,
        from: &[VertexRef],
        label: EdgeLabelId,
        number: impl Fn(VertexRef) -> u32,
    ) -> Self {
        let (mut offsets, mut neighbours) = (vec![0], Vec::new());
        for &v in from {
            neighbours.extend(reader.list(v, label, Dir::Out).neighbours().map(&number));
            offsets.push(neighbours.len());
        }
        Self { offsets, neighbours }
    }

    fn list(&self, n: usize) -> &[u32] {
        &self.neighbours[self.offsets[n]..self.offsets[n + 1]]
    }
}

fn inside(directory: &Path) -> Outcome<()> {
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(directory, FjallOptions::default())?);
    let graph = Graph::open(store, GraphOptions { keeper: false, ..GraphOptions::default() })?;
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let catalog = snapshot.catalog();
    let label = |name: &str| catalog.edge_label(name).ok_or("the graph is not one of LDBC's");
    let key = |name: &str| catalog.key(name).ok_or("the graph is not one of LDBC's");
    let all = |name: &str| -> Outcome<Vec<VertexRef>> {
        let label = catalog.vertex_label(name).ok_or("the graph is not one of LDBC's")?;
        let (mut found, mut cursor) = (Vec::new(), ScanCursor::default());
        while reader.scan_vertices(Some(label), &mut cursor, 4096, &mut found) {}
        Ok(found)
    };
    let persons = all("Person")?;
    walks(&reader, &persons, label("knows")?, key("birthday")?);
    likes(&reader, &persons, label("likes")?, key("creationDate")?);
    tree(&reader, &all("Place")?, label("isLocatedIn")?);
    Ok(())
}

/// Along `knows`: two hops, degrees, a property of the ends.
fn walks(reader: &Reader<'_>, persons: &[VertexRef], knows: EdgeLabelId, birthday: KeyId) {
    // References are dense across the tablets of a label, so the arrays are indexed by them as they are.
    let least = persons.iter().map(|v| v.0).min().unwrap_or(0);
    let most = persons.iter().map(|v| v.0).max().unwrap_or(0);
    let number = |v: VertexRef| v.0 - least;
    let mut by_number = vec![None; (most - least) as usize + 1];
    persons.iter().for_each(|&v| by_number[number(v) as usize] = Some(v));
    let slots: Vec<VertexRef> = by_number.iter().map(|v| v.unwrap_or(persons[0])).collect();
    let arrays = Arrays::of(reader, &slots, knows, number);
    let column: Vec<i64> = slots
        .iter()
        .map(|&v| reader.value(v, birthday).and_then(|value| value.as_i64()).unwrap_or(0))
        .collect();
    let starts: Vec<VertexRef> = persons.iter().copied().step_by((persons.len() / STARTS).max(1)).collect();
    let firsts: Vec<usize> = starts.iter().map(|&v| number(v) as usize).collect();
    let ends = |n: usize| arrays.list(n).iter().map(|&b| arrays.list(b as usize).len() as u64).sum::<u64>();
    let second: u64 = firsts.iter().map(|&n| ends(n)).sum();
    let first: u64 = firsts.iter().map(|&n| arrays.list(n).len() as u64).sum();

    let mut lists = reader.lists(knows, Dir::Out);
    lists.expect_many_near(persons[0]);
    let (mut seen, mut own_seen) = (vec![0u32; slots.len()], vec![0u32; slots.len()]);
    let (mut round, mut own_round) = (0, 0);
    let two_hops = || {
        let mut count = 0;
        for &start in &starts {
            own_round += 1;
            for &a in lists.packed(start).map_or(&[][..], |ends| ends.list) {
                for &b in lists.packed(a).map_or(&[][..], |ends| ends.list) {
                    let last = std::mem::replace(&mut own_seen[number(b) as usize], own_round);
                    count += u64::from(last != own_round);
                }
            }
        }
        count
    };
    let two_hops_of_arrays = || {
        let mut count = 0;
        for &start in &firsts {
            round += 1;
            for &a in arrays.list(start) {
                for &b in arrays.list(a as usize) {
                    count += u64::from(std::mem::replace(&mut seen[b as usize], round) != round);
                }
            }
        }
        count
    };
    pair("2 hops, distinct", first + second, two_hops, two_hops_of_arrays);

    let mut degrees = reader.degrees(knows, Dir::Out);
    degrees.expect_many_near(persons[0]);
    let ends_of = |start: VertexRef| {
        reader.lists(knows, Dir::Out).packed(start).map_or(Vec::new(), |ends| ends.list.to_vec())
    };
    let batches: Vec<Vec<VertexRef>> = starts.iter().map(|&start| ends_of(start)).collect();
    pair(
        "degrees of ends",
        first,
        || batches.iter().map(|batch| degrees.sum(batch)).sum(),
        || firsts.iter().map(|&n| ends(n)).sum(),
    );

    let mut property = reader.property_column(birthday);
    property.expect_many_near(persons[0]);
    pair(
        "property of ends",
        first,
        || {
            let born_before = |v: &&VertexRef| property.long(**v).is_some_and(|born| born < BORN_BEFORE);
            batches.iter().map(|batch| batch.iter().filter(born_before).count() as u64).sum()
        },
        || {
            let born_before = |b: &&u32| column[**b as usize] < BORN_BEFORE;
            firsts.iter().map(|&n| arrays.list(n).iter().filter(born_before).count() as u64).sum()
        },
    );
}

/// Along `likes`: whole lists, and a property of the edges.
fn likes(reader: &Reader<'_>, persons: &[VertexRef], likes: EdgeLabelId, date: KeyId) {
    let persons: Vec<VertexRef> =
        persons.iter().copied().filter(|&v| !reader.list(v, likes, Dir::Out).has_tree()).collect();
    let arrays = Arrays::of(reader, &persons, likes, |v| v.0);
    let edges = arrays.neighbours.len() as u64;
    let sum = |list: &[u32]| list.iter().map(|&v| u64::from(v)).sum::<u64>();
    let mut lists = reader.lists(likes, Dir::Out);
    lists.expect_many_near(persons[0]);
    let of_list = |list: &[VertexRef]| list.iter().map(|v| u64::from(v.0)).sum::<u64>();
    pair(
        "packed lists",
        edges,
        || persons.iter().map(|&v| lists.packed(v).map_or(0, |ends| of_list(ends.list))).sum(),
        || (0..persons.len()).map(|n| sum(arrays.list(n))).sum(),
    );
    let dates: Vec<i64> = persons
        .iter()
        .flat_map(|&v| {
            let run = reader.run(v, likes, Dir::Out, &mut Place::default());
            (0..run.neighbours().len())
                .map(|i| run.value(i, date).and_then(|value| value.as_i64()).unwrap_or(0))
                .collect::<Vec<_>>()
        })
        .collect();
    let liked_before = |longs: &[i64]| longs.iter().filter(|&&long| long < LIKED_BEFORE).count() as u64;
    pair(
        "property of edges",
        edges,
        || {
            let run = |&v: &VertexRef| {
                reader.run(v, likes, Dir::Out, &mut Place::default()).longs(date).map_or(0, liked_before)
            };
            persons.iter().map(run).sum()
        },
        || (0..persons.len()).map(|n| liked_before(&dates[arrays.offsets[n]..arrays.offsets[n + 1]])).sum(),
    );
}

/// The longest list: all of an edge-tree, node by node.
fn tree(reader: &Reader<'_>, places: &[VertexRef], located: EdgeLabelId) {
    let length = |v: &VertexRef| reader.list(*v, located, Dir::In).len();
    let Some(&hub) = places.iter().max_by_key(|v| length(v)) else { return };
    let array: Vec<u32> = reader.list(hub, located, Dir::In).neighbours().map(|v| v.0).collect();
    let of_run = |list: &[VertexRef]| list.iter().map(|v| u64::from(v.0)).sum::<u64>();
    pair(
        "an edge-tree",
        array.len() as u64,
        || reader.list(hub, located, Dir::In).runs().map(|run| of_run(run.neighbours())).sum(),
        || array.iter().map(|&v| u64::from(v)).sum(),
    );
}
