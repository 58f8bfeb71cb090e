//! Declaring another type while there are values: how long it takes, how long a commit waits for it at most, and what reading
//! costs before, at first afterwards, and then.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use graph::{
    BulkColumn, BulkValues, Cardinality, EdgeKeyDescription, Graph, GraphOptions, ScanCursor, Value,
    ValueType, VertexKeyDescription,
};
use serde_json::json;
use store::{FjallOptions, FjallStore, Store};

use crate::measure::{millis, time};
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Loads so many people and as many edges, each with an int, declares them as longs, and writes `schema.json`.
///
/// # Errors
/// If the graph cannot be made, opened or changed.
pub fn bench(people: u32, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-schema-{}", std::process::id()));
    let outcome = measure(people, &folder, report);
    std::fs::remove_dir_all(&folder)?;
    outcome.map_err(|error| -> Box<dyn std::error::Error> { error })
}

fn open(folder: &Path) -> Outcome<Graph> {
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(folder, FjallOptions::default())?);
    Ok(Graph::open(store, GraphOptions::default())?)
}

fn measure(people: u32, folder: &Path, report: &Report) -> Outcome<()> {
    let mut rows = Vec::new();
    for (case, warm) in [("in memory", true), ("on disk", false)] {
        let folder = folder.join(case.replace(' ', "-"));
        std::fs::create_dir_all(&folder)?;
        load(people, &folder)?;
        let graph = open(&folder)?;
        if warm {
            read(&graph)?;
        }
        let before = (0..if warm { 3 } else { 0 }).map(|_| time(|| read(&graph)).0).min();
        let (took, longest) = change(&graph)?;
        let (first, sum) = time(|| read(&graph));
        if sum? != 2 * (0..i64::from(people)).sum::<i64>() {
            return Err("values were lost".into());
        }
        let after = (0..3).map(|_| time(|| read(&graph)).0).min();
        let shown = |took: Option<Duration>| took.map(|took| rounded(millis(took)));
        rows.push(json!({
            "values": case, "change_ms": rounded(millis(took)), "longest_commit_ms": rounded(millis(longest)),
            "read_before_ms": shown(before), "first_read_ms": rounded(millis(first)), "read_after_ms": shown(after),
        }));
    }
    report.rows("schema", &rows)?;
    Ok(())
}

/// Vertices and edges with a number each.
fn load(people: u32, folder: &Path) -> Outcome<()> {
    let graph = open(folder)?;
    declare(&graph, ValueType::Int)?;
    let mut load = graph.bulk_load()?;
    let numbers = || BulkValues::Int((0..people as i32).map(Some).collect());
    let column = |key: &str| vec![BulkColumn { key: key.into(), values: numbers() }];
    let vertices = load.vertices("person", None, column("age"))?;
    let mut next = vertices.clone();
    next.rotate_left(1);
    load.edges("knows", &vertices, &next, None, column("since"))?;
    load.finish(&|_| {})?;
    Ok(())
}

fn declare(graph: &Graph, value_type: ValueType) -> Outcome<()> {
    let value_type = Some(value_type);
    graph.change_schema(|schema| {
        let key = VertexKeyDescription {
            value_type,
            cardinality: Cardinality::Single,
            ..VertexKeyDescription::default()
        };
        schema.vertices.entry("person".into()).or_default().keys.insert("age".into(), key);
        let key = EdgeKeyDescription { value_type, required: false };
        schema.edges.entry("knows".into()).or_default().keys.insert("since".into(), key);
        Ok(())
    })?;
    Ok(())
}

/// Declares the numbers as longs while another thread commits; how long that took, and the longest of the commits.
fn change(graph: &Graph) -> Outcome<(Duration, Duration)> {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let commits = scope.spawn(|| -> Outcome<Duration> {
            let mut longest = Duration::ZERO;
            while !stop.load(Ordering::Relaxed) {
                let transaction = graph.begin();
                transaction.add_vertex(None, "other")?;
                let begun = Instant::now();
                // One that is refused since the schema has changed has waited as well.
                let refused = transaction.commit().err().filter(|error| !error.is_retryable());
                longest = longest.max(begun.elapsed());
                refused.map_or(Ok(()), Err)?;
            }
            Ok(longest)
        });
        std::thread::sleep(Duration::from_millis(100));
        let (took, changed) = time(|| declare(graph, ValueType::Long));
        stop.store(true, Ordering::Relaxed);
        let longest = commits.join().map_err(|_| "the thread that commits panicked")??;
        changed?;
        Ok((took, longest))
    })
}

/// Reads every number; their sum.
fn read(graph: &Graph) -> Outcome<i64> {
    let snapshot = graph.snapshot();
    let catalog = snapshot.catalog();
    let key = |name| catalog.key(name).ok_or("the key has no id");
    let (age, since) = (key("age")?, key("since")?);
    let (person, knows) = (catalog.vertex_label("person"), catalog.edge_label("knows").ok_or("no edges")?);
    let (mut cursor, mut sum, mut more) = (ScanCursor::default(), 0, true);
    let mut vertices = Vec::new();
    while more {
        let reader = snapshot.reader();
        vertices.clear();
        more = reader.scan_vertices(person, &mut cursor, 1_024, &mut vertices);
        for &v in &vertices {
            sum += reader.value_ref(v, age).and_then(|age| age.as_i64()).unwrap_or(0);
            for run in reader.list(v, knows, graph::Dir::Out).runs() {
                let values = (0..run.neighbours().len()).map(|i| run.value(i, since));
                sum += values.map(|value| value.as_ref().and_then(Value::as_i64).unwrap_or(0)).sum::<i64>();
            }
        }
    }
    snapshot.check()?;
    Ok(sum)
}
