//! `mangrove.analyze`, `mangrove.secondary` and `mangrove.statistics`

use graph::{Dir, Graph, IndexDescription, Statistics};
use values::{Map, Value};

use crate::{Error, asker::Asker, database::Inner};

/// Counts everything; what is known then.
pub(super) fn analyze(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let statistics = inner.graph.analyze(&mut |_| {})?;
    Ok(rows(&inner.graph, &statistics))
}

/// What is known about degrees and values.
pub(super) fn show(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    Ok(rows(&inner.graph, &inner.graph.current_statistics()))
}

/// The secondary edge-trees, a map for each.
pub(super) fn secondary(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    Ok(inner.graph.secondary_trees().iter().map(|tree| tree.to_value()).collect())
}

/// A map for each vertex label, edge label and direction that have edges, and one for each index that was looked through.
fn rows(graph: &Graph, statistics: &Statistics) -> Vec<Value> {
    let snapshot = graph.snapshot();
    let catalog = snapshot.catalog();
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut rows = Vec::new();
    for (vertex, edge, dir, histogram) in statistics.degrees() {
        let mut row = Map::new();
        row.insert("vertices", catalog.vertex_label_name(vertex).as_str());
        row.insert("edges", catalog.edge_label_name(edge).as_str());
        row.insert("direction", if dir == Dir::Out { "OUT" } else { "IN" });
        row.insert("count", whole(histogram.edges()));
        row.insert("having", whole(histogram.vertices()));
        row.insert("average", histogram.average());
        let degrees = histogram.buckets().map(|(least, count)| (whole(least).into(), whole(count).into()));
        row.insert("degrees", Value::from(degrees.collect::<Map>()));
        row.insert("exact", statistics.degrees_are_exact());
        rows.push(row.into());
    }
    for index in catalog.indexes() {
        let Some(values) = statistics.values(index) else { continue };
        let described = IndexDescription::of(&index.definition, catalog).to_value();
        let mut row = described.as_map().cloned().unwrap_or_default();
        row.insert("count", whole(values.entries()));
        let distinct =
            (1..=index.definition.keys.len()).map(|keys| Value::from(whole(values.distinct(keys))));
        row.insert("distinct", Value::list(distinct.collect::<Vec<_>>()));
        row.insert("exact", values.is_exact());
        rows.push(row.into());
    }
    rows
}
