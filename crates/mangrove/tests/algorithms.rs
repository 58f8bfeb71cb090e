//! Graph algorithms beside naive ones, which send messages as TinkerPop's vertex programs do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use dataflow::{Engine, EngineOptions, Sharing};
use graph::TreeBounds;
use mangrove::{Database, DatabaseOptions, values::Value};

/// Names of vertices: ids whose order as texts is not that of their numbers.
const VERTICES: i64 = 130;

fn open(executors: usize) -> Database {
    // They help each other as soon as they can.
    let eager = EngineOptions { executors, sharing: Sharing::EAGER, ..EngineOptions::default() };
    let engine = Some(Arc::new(Engine::start(&eager).unwrap()));
    let mut options = DatabaseOptions { engine, executors, ..DatabaseOptions::default() };
    // The longest lists are trees.
    options.graph.tree = TreeBounds { min: 5, max: 12, fan_out: 4 };
    Database::in_memory_with(options).unwrap()
}

/// An edge: its source, target, label and weight.
type Edge = (i64, i64, &'static str, i64);

/// Every third edge is at vertex 7; vertices above 120 have none; some edges are there twice, some lead back to where they begin.
fn edges() -> Vec<Edge> {
    let mut state = 7_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % below) as i64
    };
    let mut edges = Vec::new();
    for n in 0..260 {
        let label = ["knows", "likes"][n % 2];
        let (from, to) = (next(40) * 3, next(40) * 3 + (n % 2) as i64);
        let (from, to) = match n % 6 {
            0 => (7, to),
            3 => (from, 7),
            _ => (from, to),
        };
        edges.push((from, to, label, next(4)));
    }
    edges.extend([(3, 3, "knows", 1), (7, 7, "likes", 0), (3, 6, "knows", 2), (3, 6, "knows", 2)]);
    edges
}

fn database(executors: usize) -> Database {
    let db = open(executors);
    let transaction = db.graph().begin();
    let vertices: Vec<_> = (0..VERTICES)
        .map(|id| {
            let label = if id % 5 == 0 { "thing" } else { "person" };
            transaction.add_vertex(Some(Value::Long(id)), label).unwrap()
        })
        .collect();
    for (from, to, label, weight) in edges() {
        let edge = transaction.add_edge(None, label, vertices[from as usize], vertices[to as usize]).unwrap();
        transaction.set_edge_property(edge, "w", Value::Long(weight)).unwrap();
    }
    // One that was dropped is nobody.
    let gone = transaction.add_vertex(Some(Value::Long(999)), "person").unwrap();
    transaction.drop_vertex(gone).unwrap();
    transaction.commit().unwrap();
    db
}

fn ask(db: &Database, text: &str) -> Vec<Value> {
    db.query(text).and_then(|results| results.collect()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Pairs of an id and a value, from `project('i', 'v')`.
fn pairs(db: &Database, text: &str) -> BTreeMap<i64, Value> {
    let pair = |map: Value| {
        let Value::Map(map) = map else { panic!("{text}: {map}") };
        (map.get(&Value::from("i")).unwrap().as_i64().unwrap(), map.get(&Value::from("v")).unwrap().clone())
    };
    ask(db, text).into_iter().map(pair).collect()
}

/// Where the messages of a vertex go: along these edges, out, in or both.
fn neighbours(ways: &str, keep: impl Fn(&Edge) -> bool) -> HashMap<i64, Vec<i64>> {
    let mut lists: HashMap<i64, Vec<i64>> = HashMap::new();
    for edge in edges().iter().filter(|edge| keep(edge)) {
        if ways != "in" {
            lists.entry(edge.0).or_default().push(edge.1);
        }
        if ways != "out" {
            lists.entry(edge.1).or_default().push(edge.0);
        }
    }
    lists
}

fn naive_page_rank(
    lists: &HashMap<i64, Vec<i64>>,
    all: &[i64],
    alpha: f64,
    times: usize,
    priors: Option<&dyn Fn(i64) -> f64>,
) -> BTreeMap<i64, f64> {
    let degree = |v: &i64| lists.get(v).map_or(0, Vec::len);
    let mut energy = if priors.is_some() { 0.0 } else { 1.0 };
    let mut ranks: BTreeMap<i64, f64> = all.iter().map(|v| (*v, 0.0)).collect();
    let mut inbox: HashMap<i64, f64> =
        all.iter().map(|v| (*v, priors.map_or(0.0, |prior| prior(*v)))).collect();
    for _ in 0..=times {
        let (mut next, mut next_energy, mut change) = (HashMap::new(), 0.0, 0.0);
        for v in all {
            let rank = inbox.get(v).copied().unwrap_or(0.0) + energy / all.len() as f64;
            change += (rank - ranks[v]).abs();
            ranks.insert(*v, rank);
            next_energy += (1.0 - alpha) * rank;
            if degree(v) == 0 {
                next_energy += alpha * rank;
            }
            for to in lists.get(v).into_iter().flatten() {
                *next.entry(*to).or_insert(0.0) += alpha * rank / degree(v) as f64;
            }
        }
        (inbox, energy) = (next, next_energy);
        if change < 0.000_01 {
            break;
        }
    }
    ranks
}

fn assert_ranks(db: &Database, text: &str, expected: &BTreeMap<i64, f64>) {
    let ranks = pairs(db, text);
    assert_eq!(ranks.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{text}");
    for (v, rank) in &ranks {
        let (rank, expected) = (rank.as_f64().unwrap(), expected[v]);
        assert!((rank - expected).abs() < 1e-9, "{text}: {rank} of {v}, and not {expected}");
    }
}

const RANK: &str = "gremlin.pageRankVertexProgram.pageRank";

fn all() -> Vec<i64> {
    (0..VERTICES).collect()
}

#[test]
fn page_rank_is_that_of_the_messages() {
    for executors in [1, 4] {
        let db = database(executors);
        let project = format!("project('i', 'v').by(id).by('{RANK}')");
        let lists = neighbours("out", |_| true);
        let plain = naive_page_rank(&lists, &all(), 0.85, 20, None);
        assert_ranks(&db, &format!("g.V().pageRank().{project}"), &plain);
        assert_ranks(&db, &format!("g.withComputer().V().pageRank().{project}"), &plain);
        assert_ranks(
            &db,
            "g.V().pageRank().with(PageRank.propertyName, 'w').project('i','v').by(id).by('w')",
            &plain,
        );
        // It may be asked for anywhere behind.
        assert_ranks(
            &db,
            &format!("g.V().has('x').fold().pageRank().V().{project}"),
            &naive_page_rank(&lists, &all(), 0.85, 20, Some(&|_| 0.0)),
        );
        let knows = neighbours("both", |edge| edge.2 == "knows");
        let text = format!(
            "g.V().pageRank(0.5).with(PageRank.edges, bothE('knows')).with(PageRank.times, 3).{project}"
        );
        assert_ranks(&db, &text, &naive_page_rank(&knows, &all(), 0.5, 3, None));
        let heavy = neighbours("in", |edge| edge.3 > 1);
        let text = format!("g.V().pageRank().with(PageRank.edges, inE().has('w', gt(1))).{project}");
        assert_ranks(&db, &text, &naive_page_rank(&heavy, &all(), 0.85, 20, None));
        // Traversers that are there already are what ranks begin with.
        let arrivals = neighbours("in", |edge| edge.2 == "likes");
        let prior = |v: i64| arrivals.get(&v).map_or(0.0, |from| from.len() as f64);
        let ranks = naive_page_rank(&lists, &all(), 0.85, 2, Some(&prior));
        let text = format!("g.V().out('likes').pageRank().with(PageRank.times, 2).V().{project}");
        assert_ranks(&db, &text, &ranks);
    }
}

#[test]
fn what_was_computed_is_a_property_like_any_other_and_nobody_elses() {
    let db = database(2);
    let count = |text: &str| ask(&db, text)[0].as_i64().unwrap();
    assert_eq!(count(&format!("g.V().pageRank().has('{RANK}').count()")), VERTICES);
    assert_eq!(count(&format!("g.V().pageRank().properties().key().is('{RANK}').count()")), VERTICES);
    assert_eq!(
        count(&format!("g.V().pageRank().valueMap().select(keys).unfold().is('{RANK}').count()")),
        VERTICES
    );
    assert_eq!(count(&format!("g.V().pageRank().out().values('{RANK}').count()")), edges().len() as i64);
    assert_eq!(count(&format!("g.V().pageRank().outE().values('{RANK}').count()")), 0);
    let sum = &ask(&db, &format!("g.V().pageRank().values('{RANK}').sum()"))[0];
    assert!((sum.as_f64().unwrap() - 1.0).abs() < 1e-9, "{sum}");
    let order = |text: String| ask(&db, &text).iter().map(|id| id.as_i64().unwrap()).collect::<Vec<_>>();
    let first = order(format!("g.V().pageRank().order().by('{RANK}', desc).limit(3).id()"));
    let grouped = order(format!(
        "g.V().pageRank().group().by('{RANK}').by(id().fold()).order(local).by(keys, desc).select(values).unfold().unfold().limit(3)"
    ));
    assert_eq!((first.len(), first[0]), (3, grouped[0]));
    // Elements show it when they leave.
    let Value::Vertex(shown) = &ask(&db, "g.V(7L).pageRank().with(PageRank.propertyName, 'rank')")[0] else {
        panic!()
    };
    assert!(shown.properties.iter().any(|property| &*property.key == "rank"));
    assert_eq!(count(&format!("g.V().has('{RANK}').count()")), 0);
    assert_eq!(count("g.V().properties().count()"), 0);
    // It lies over what is stored under its name, and can be written.
    ask(&db, "g.V().pageRank().with(PageRank.propertyName, 'r').property('rank', values('r')).iterate()");
    let stored = &ask(&db, "g.V().values('rank').sum()")[0];
    assert!((stored.as_f64().unwrap() - 1.0).abs() < 1e-9, "{stored}");
    assert_eq!(count("g.V().has('r').count()"), 0);
    let over = "g.V().connectedComponent().with(ConnectedComponent.propertyName, 'rank').values('rank').is(typeOf(GType.STRING)).count()";
    assert_eq!(count(over), VERTICES);
    let both = "g.V().connectedComponent().pageRank().where(properties().count().is(3)).count()";
    assert_eq!(count(both), VERTICES);
}

fn naive_peer_pressure(
    lists: &HashMap<i64, Vec<i64>>,
    times: usize,
    votes: &dyn Fn(i64) -> f64,
) -> BTreeMap<i64, i64> {
    let mut clusters: BTreeMap<i64, i64> = all().into_iter().map(|v| (v, v)).collect();
    for _ in 0..times {
        let mut inbox: HashMap<i64, Vec<(i64, f64)>> = HashMap::new();
        for (v, to) in lists.iter().flat_map(|(v, all)| all.iter().map(move |to| (v, to))) {
            inbox.entry(*to).or_default().push((clusters[v], votes(*v)));
        }
        let mut next = clusters.clone();
        for v in all() {
            let mut sums: BTreeMap<i64, f64> = BTreeMap::from([(clusters[&v], votes(v))]);
            for (cluster, votes) in inbox.get(&v).into_iter().flatten() {
                *sums.entry(*cluster).or_insert(0.0) += votes;
            }
            let most = sums.values().copied().fold(0.0, f64::max);
            let winners = sums.iter().filter(|(_, sum)| **sum == most && most > 0.0);
            let winner = winners.map(|(cluster, _)| *cluster).min_by_key(|cluster| cluster.to_string());
            next.insert(v, winner.unwrap_or(v));
        }
        if next == clusters {
            break;
        }
        clusters = next;
    }
    clusters
}

#[test]
fn peer_pressure_is_that_of_the_votes() {
    for executors in [1, 4] {
        let db = database(executors);
        let project = "project('i', 'v').by(id).by('gremlin.peerPressureVertexProgram.cluster')";
        let clusters = |text: &str| -> BTreeMap<i64, i64> {
            pairs(&db, text).into_iter().map(|(v, cluster)| (v, cluster.as_i64().unwrap())).collect()
        };
        let lists = neighbours("out", |_| true);
        assert_eq!(
            clusters(&format!("g.V().peerPressure().{project}")),
            naive_peer_pressure(&lists, 30, &|_| 1.0)
        );
        for times in [0, 1, 2, 5] {
            let text = format!("g.V().peerPressure().with(PeerPressure.times, {times}).{project}");
            assert_eq!(clusters(&text), naive_peer_pressure(&lists, times, &|_| 1.0), "{text}");
        }
        let knows = neighbours("both", |edge| edge.2 == "knows");
        let text = format!("g.V().peerPressure().with(PeerPressure.edges, bothE('knows')).{project}");
        assert_eq!(clusters(&text), naive_peer_pressure(&knows, 30, &|_| 1.0));
        let arrivals = neighbours("in", |edge| edge.2 == "likes");
        let votes = |v: i64| arrivals.get(&v).map_or(0.0, |from| from.len() as f64);
        let text = format!("g.V().out('likes').peerPressure().V().{project}");
        assert_eq!(clusters(&text), naive_peer_pressure(&lists, 30, &votes));
    }
}

/// The least id, as a text, of all from which a vertex is reached.
fn naive_components(lists: &HashMap<i64, Vec<i64>>, all: &[i64]) -> BTreeMap<i64, String> {
    let mut least: BTreeMap<i64, String> = all.iter().map(|v| (*v, v.to_string())).collect();
    loop {
        let mut has_changed = false;
        for (v, to) in lists.iter().flat_map(|(v, all)| all.iter().map(move |to| (v, to))) {
            let Some(from) = least.get(v).cloned() else { continue };
            if let Some(known) = least.get_mut(to).filter(|known| from < **known) {
                *known = from;
                has_changed = true;
            }
        }
        if !has_changed {
            return least;
        }
    }
}

#[test]
fn components_are_what_is_connected() {
    for executors in [1, 4] {
        let db = database(executors);
        let project = "project('i', 'v').by(id).by('gremlin.connectedComponentVertexProgram.component')";
        let components = |text: &str| -> BTreeMap<i64, String> {
            pairs(&db, text).into_iter().map(|(v, name)| (v, name.as_str().unwrap().to_owned())).collect()
        };
        let whole = naive_components(&neighbours("both", |_| true), &all());
        assert_eq!(components(&format!("g.V().connectedComponent().{project}")), whole);
        for (edges, ways, keep) in [
            ("bothE('likes')", "both", (|edge| edge.2 == "likes") as fn(&Edge) -> bool),
            ("outE('knows')", "out", |edge| edge.2 == "knows"),
            ("inE()", "in", |_| true),
            ("bothE().has('w', 3)", "both", |edge| edge.3 == 3),
        ] {
            let text =
                format!("g.V().connectedComponent().with(ConnectedComponent.edges, {edges}).{project}");
            assert_eq!(components(&text), naive_components(&neighbours(ways, keep), &all()), "{text}");
        }
    }
}

/// From hardly connected to nearly whole, with vertices whose last edge alone leads to where most are, from either end.
#[test]
fn components_are_found_whether_or_not_most_are_in_one() {
    let project = "project('i', 'v').by(id).by('gremlin.connectedComponentVertexProgram.component')";
    let mut state = 1_u64;
    let mut next = |below: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64 % below
    };
    for edges in [20, 60, 90, 120, 150, 200, 300] {
        let db = open(4);
        let transaction = db.graph().begin();
        let add = |id: i64| transaction.add_vertex(Some(Value::Long(id)), "thing").unwrap();
        let vertices: Vec<_> = (0..VERTICES).map(add).collect();
        let mut lists: HashMap<i64, Vec<i64>> = HashMap::new();
        let mut link = |from: i64, to: i64, label: &str| {
            transaction.add_edge(None, label, vertices[from as usize], vertices[to as usize]).unwrap();
            lists.entry(from).or_default().push(to);
            lists.entry(to).or_default().push(from);
        };
        // Pairs that know each other twice, and only then somebody else.
        for pair in 0..15 {
            let (one, other) = (100 + 2 * pair, 101 + 2 * pair);
            link(one, other, "a");
            link(one, other, "b");
            match pair % 3 {
                0 => link(other, pair, "c"),
                1 => link(pair, one, "c"),
                _ => {}
            }
        }
        for _ in 0..edges {
            link(next(100), next(100), ["a", "b", "c"][next(3) as usize]);
        }
        transaction.commit().unwrap();
        let found: BTreeMap<i64, String> = pairs(&db, &format!("g.V().connectedComponent().{project}"))
            .into_iter()
            .map(|(v, name)| (v, name.as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(found, naive_components(&lists, &all()), "{edges} edges");
    }
}

#[test]
fn strategies_hide_from_algorithms_what_they_hide() {
    let db = database(2);
    let is_person = |v: i64| v % 5 != 0;
    let persons: Vec<i64> = all().into_iter().filter(|v| is_person(*v)).collect();
    let keep = |edge: &Edge| edge.2 == "knows" && is_person(edge.0) && is_person(edge.1);
    let project = format!("project('i', 'v').by(id).by('{RANK}')");
    let ranks = naive_page_rank(&neighbours("out", keep), &persons, 0.85, 20, None);
    for source in [
        "withStrategies(SubgraphStrategy(vertices: hasLabel('person'), edges: hasLabel('knows')))",
        "withStrategies(VertexProgramStrategy(vertices: hasLabel('person'), edges: bothE('knows')))",
        "withStrategies(VertexProgramStrategy(workers: 4, vertices: hasLabel('person'), edges: bothE().hasLabel('knows')))",
    ] {
        assert_ranks(&db, &format!("g.{source}.V().pageRank().{project}"), &ranks);
    }
    let component = "gremlin.connectedComponentVertexProgram.component";
    let text = format!(
        "g.withStrategies(SubgraphStrategy(vertices: hasLabel('person'), edges: hasLabel('knows'))).V().connectedComponent()\
         .project('i', 'v').by(id).by('{component}')"
    );
    let expected = naive_components(&neighbours("both", keep), &persons);
    let names = pairs(&db, &text);
    assert_eq!(names.len(), persons.len());
    assert!(names.iter().all(|(v, name)| name.as_str() == Some(&expected[v])), "{names:?}");
    let error = |text: &str| db.query(text).map(|_| ()).unwrap_err().to_string();
    let refused = error("g.withStrategies(VertexProgramStrategy(result: 'ORIGINAL')).V().pageRank()");
    assert!(refused.contains("ResultGraph.ORIGINAL"), "{refused}");
    let refused = error("g.withStrategies(VertexProgramStrategy(edges: outE().limit(1))).V().pageRank()");
    assert!(refused.contains("bothE()"), "{refused}");
}

/// All shortest paths from one vertex: by length, each extended as long as that is no longer than what is known.
fn naive_paths(from: i64, next: &dyn Fn(i64) -> Vec<(i64, i64)>, max: i64) -> BTreeSet<Vec<i64>> {
    let mut known: BTreeMap<i64, (i64, BTreeSet<Vec<i64>>)> =
        BTreeMap::from([(from, (0, BTreeSet::from([vec![from]])))]);
    let mut open = vec![(0, vec![from])];
    while let Some((length, path)) = open.pop() {
        for (to, weight) in next(*path.last().unwrap()) {
            let length = length + weight;
            if path.contains(&to) || length > max {
                continue;
            }
            let longer: Vec<i64> = path.iter().copied().chain([to]).collect();
            let (shortest, paths) = known.entry(to).or_insert((length, BTreeSet::new()));
            if length < *shortest {
                (*shortest, *paths) = (length, BTreeSet::new());
            }
            if length == *shortest && paths.insert(longer.clone()) {
                open.push((length, longer));
            }
        }
    }
    known.into_values().flat_map(|(_, paths)| paths).collect()
}

fn ids(path: &Value) -> Vec<i64> {
    let Value::Path(path) = path else { panic!("{path}") };
    let id = |object: &Value| match object {
        Value::Vertex(v) => v.id.as_i64().unwrap(),
        other => panic!("{other}"),
    };
    path.objects.iter().map(id).collect()
}

#[test]
fn shortest_paths_are_all_there_are() {
    for executors in [1, 4] {
        let db = database(executors);
        let sources = [3, 7, 60, 121];
        let text = "g.V(3L, 7L, 60L, 121L).shortestPath()";
        for (with, ways, weighted, keep, max) in [
            ("", "both", false, (|_| true) as fn(&Edge) -> bool, i64::MAX),
            (".with(ShortestPath.edges, Direction.OUT)", "out", false, |_| true, i64::MAX),
            (".with(ShortestPath.edges, inE('knows'))", "in", false, |edge| edge.2 == "knows", i64::MAX),
            (
                ".with(ShortestPath.edges, bothE().has('w', neq(2)))",
                "both",
                false,
                |edge| edge.3 != 2,
                i64::MAX,
            ),
            (".with(ShortestPath.maxDistance, 2)", "both", false, |_| true, 2),
            (
                ".with(ShortestPath.distance, 'w').with(ShortestPath.edges, outE())",
                "out",
                true,
                |_| true,
                i64::MAX,
            ),
            (
                ".with(ShortestPath.distance, values('w').math('_ * 1')).with(ShortestPath.edges, outE('likes'))",
                "out",
                true,
                |edge| edge.2 == "likes",
                i64::MAX,
            ),
            (
                ".with(ShortestPath.distance, 'w').with(ShortestPath.edges, outE()).with(ShortestPath.maxDistance, 3)",
                "out",
                true,
                |_| true,
                3,
            ),
        ] {
            let text = format!("{text}{with}");
            let mut lists: HashMap<i64, BTreeSet<(i64, i64)>> = HashMap::new();
            for edge in edges().iter().filter(|edge| keep(edge)) {
                let weight = if weighted { edge.3 } else { 1 };
                if ways != "in" {
                    lists.entry(edge.0).or_default().insert((edge.1, weight));
                }
                if ways != "out" {
                    lists.entry(edge.1).or_default().insert((edge.0, weight));
                }
            }
            let next = |v: i64| lists.get(&v).into_iter().flatten().copied().collect();
            let expected: BTreeSet<Vec<i64>> =
                sources.iter().flat_map(|v| naive_paths(*v, &next, max)).collect();
            let found: Vec<Vec<i64>> = ask(&db, &text).iter().map(ids).collect();
            assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), expected, "{text}");
            assert_eq!(found.len(), expected.len(), "{text}: one of them more than once");
            // To some of the vertices only.
            let aimed = format!("{text}.with(ShortestPath.target, hasLabel('thing'))");
            let to_things = expected
                .iter()
                .filter(|path| path.last().unwrap() % 5 == 0)
                .cloned()
                .collect::<BTreeSet<_>>();
            let found: Vec<Vec<i64>> = ask(&db, &aimed).iter().map(ids).collect();
            assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), to_things, "{aimed}");
            assert_eq!(found.len(), to_things.len(), "{aimed}: one of them more than once");
            // To one, which is looked for from both ends.
            for target in [3, 5, 7, 11, 60, 64, 90, 121] {
                let aimed = format!("{text}.with(ShortestPath.target, hasId({target}L))");
                let to_it: BTreeSet<_> =
                    expected.iter().filter(|path| path.last() == Some(&target)).cloned().collect();
                let found: Vec<Vec<i64>> = ask(&db, &aimed).iter().map(ids).collect();
                assert_eq!(found.iter().cloned().collect::<BTreeSet<_>>(), to_it, "{aimed}");
                assert_eq!(found.len(), to_it.len(), "{aimed}: one of them more than once");
            }
        }
    }
}

#[test]
fn edges_of_paths_tell_them_apart() {
    let db = database(1);
    // Two edges lead from 3 to 6, and perhaps others from 6 to 3.
    let between =
        edges().iter().filter(|edge| (edge.0, edge.1) == (3, 6) || (edge.0, edge.1) == (6, 3)).count();
    let text = "g.V(3L).shortestPath().with(ShortestPath.target, hasId(6L))";
    assert_eq!(ask(&db, text).len(), 1);
    let paths = ask(&db, &format!("{text}.with(ShortestPath.includeEdges)"));
    assert_eq!(paths.len(), between);
    assert!(paths.iter().all(|path| matches!(path, Value::Path(path) if path.objects.len() == 3)));
}

#[test]
fn every_traveller_takes_every_path() {
    let db = database(2);
    let count = |text: &str| ask(&db, text)[0].as_i64().unwrap();
    let from_seven = count("g.V(7L).shortestPath().count()");
    assert_eq!(count("g.V(7L, 7L, 7L).shortestPath().count()"), 3 * from_seven);
    assert_eq!(count("g.V(7L).as('a').shortestPath().where(select('a').hasId(7L)).count()"), from_seven);
    assert_eq!(count("g.V(7L).shortestPath().path().count(local).dedup()"), 2);
    assert_eq!(count("g.V(7L).shortestPath().with(ShortestPath.target, has('nothing')).count()"), 0);
    assert_eq!(count("g.V().limit(0).shortestPath().count()"), 0);
}

#[test]
fn what_makes_no_sense_is_an_error_that_says_so() {
    let db = database(1);
    let error = |text: &str| match db.query(text) {
        Err(error) => error.to_string(),
        Ok(mut results) => {
            results.find_map(Result::err).unwrap_or_else(|| panic!("{text} has an answer")).to_string()
        }
    };
    for (text, expected) in [
        ("g.V().local(pageRank())", "can not be a step of a child traversal"),
        ("g.V().pageRank(2)", "a number from 0 to 1"),
        ("g.V().pageRank().with(PageRank.times, -1)", "PageRank.times requires an Integer"),
        ("g.V().pageRank().with(PageRank.edges, 'knows')", "its edges must be given as a Traversal"),
        ("g.V().pageRank().with(PageRank.edges, out())", "from a vertex to edges"),
        ("g.V().pageRank().with(PageRank.edges, __.constant(1))", "must find edges"),
        ("g.V().pageRank().with(PageRank.edges, outE().choose(has('w', 0), constant(2)))", "must find edges"),
        ("g.V().pageRank().with(PageRank.edges, outE().drop())", "must not write"),
        ("g.V().shortestPath().with(ShortestPath.target, property('q', 1))", "must not write"),
        ("g.withStrategies(SubgraphStrategy(vertices: drop())).V()", "does not write"),
        ("g.V().pageRank().with('x', 1)", "'x' is no option of pageRank()"),
        ("g.V().pageRank().with(PageRank.propertyName, '~id')", "~id"),
        ("g.V().shortestPath().with(ShortestPath.distance, 5)", "a Traversal or a property name"),
        ("g.V().shortestPath().with(ShortestPath.distance, constant('far'))", "must be a number"),
        ("g.V().shortestPath().with(ShortestPath.distance, constant(-1))", "must not be negative"),
        ("g.E().shortestPath()", "paths begin at vertices"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn in_a_transaction_too_what_was_computed_lies_over_what_is_stored() {
    let db = database(2);
    ask(&db, "g.V().hasId(0L, 3L, 7L).property('c', 'stored').iterate()");
    let computed = |text: &str| {
        let names = ask(&db, text);
        assert!(
            !names.is_empty() && names.iter().all(|name| name.as_str() != Some("stored")),
            "{text}: {names:?}"
        );
        names.len()
    };
    let step = "connectedComponent().with(ConnectedComponent.propertyName, 'c')";
    assert_eq!(computed(&format!("g.V().{step}.values('c')")), VERTICES as usize);
    assert_eq!(computed(&format!("g.V().{step}.property('seen', 1).values('c')")), VERTICES as usize);
    assert_eq!(
        computed(&format!("g.V().{step}.property('seen', 1).properties('c').value()")),
        VERTICES as usize
    );
    // An index has what is stored.
    db.create_index("person", "c").unwrap();
    let seven =
        format!("g.V().hasId(7L).{step}.as('a').values('c').as('c').V().has('person', 'c', '0').count()");
    let named = format!("g.V().{step}.has('person', 'c', '0').count()");
    assert_eq!(ask(&db, &seven), ask(&db, &named));
    assert_eq!(
        ask(&db, &format!("g.V().hasId(7L).{step}.V().has('person', 'c', 'stored').count()"))[0].as_i64(),
        Some(0)
    );
}

/// Lengths that a search reads from lists walked anew, from one that is kept, and that a child traversal computes.
#[test]
fn a_transaction_conflicts_with_who_changes_a_length_that_it_read() {
    for with in [
        ".with(ShortestPath.distance, 'w')",
        ".with(ShortestPath.distance, 'w').with(ShortestPath.edges, outE().has('other', 1))",
        ".with(ShortestPath.distance, values('w'))",
    ] {
        let db = open(1);
        let edge = ".addE('l').from('a').to('b').property('w', 1).property('other', 1)";
        ask(&db, &format!("g.addV('p').as('a').addV('p').as('b'){edge}"));
        let transaction = db.transaction();
        let count = |text: &str| transaction.query(text).unwrap().map(Result::unwrap).count();
        assert_eq!(count(&format!("g.V().not(inE()).shortestPath(){with}")), 2, "{with}");
        ask(&db, "g.E().property('w', 5)");
        // A vertex of its own: only what it has read can conflict.
        count("g.addV('q')");
        assert!(transaction.commit().is_err(), "{with}");
    }
}

#[test]
fn edges_too_short_to_be_seen_lead_round_no_circles() {
    let db = open(1);
    let setup = "g.addV('p').as('a').addV('p').as('b').addV('p').as('c').addV('p').as('d').addE('l').from('a').to('b').property('w', 1e17d)\
        .addE('l').from('b').to('c').property('w', 1.0d).addE('l').from('c').to('d').property('w', 1.0d).addE('l').from('d').to('b').property('w', 1.0d)";
    ask(&db, setup);
    let text = "g.V().not(inE()).shortestPath().with(ShortestPath.distance, 'w').with(ShortestPath.edges, outE('l')).count()";
    assert_eq!(ask(&db, text)[0].as_i64(), Some(4));
    let text = "g.V().not(inE()).shortestPath().with(ShortestPath.distance, constant(Infinity)).count()";
    assert_eq!(ask(&db, text)[0].as_i64(), Some(1));
}

#[test]
fn a_graph_of_nothing_has_no_ranks() {
    let db = Database::in_memory().unwrap();
    for step in ["pageRank()", "peerPressure()", "connectedComponent()", "shortestPath()"] {
        assert!(ask(&db, &format!("g.V().{step}")).is_empty(), "{step}");
    }
}

#[test]
fn paths_are_found_however_long() {
    const LENGTH: i64 = 700;
    let db = open(2);
    let transaction = db.graph().begin();
    let chain: Vec<_> =
        (0..=LENGTH).map(|id| transaction.add_vertex(Some(Value::Long(id)), "link").unwrap()).collect();
    for ends in chain.windows(2) {
        transaction.add_edge(None, "next", ends[0], ends[1]).unwrap();
        transaction.add_edge(None, "next", ends[0], ends[1]).unwrap();
    }
    transaction.commit().unwrap();
    let with = "with(ShortestPath.edges, Direction.OUT)";
    for target in ["hasId(700)", "hasId(300, 700)"] {
        let paths = ask(
            &db,
            &format!("g.V(0).shortestPath().{with}.with(ShortestPath.target, {target}).count(local)"),
        );
        let expected = if target.contains("300") { vec![301, 701] } else { vec![701] };
        assert_eq!(paths, expected.into_iter().map(Value::Long).collect::<Vec<_>>(), "{target}");
    }
    let all = ask(&db, &format!("g.V(0).shortestPath().{with}.count(local).sum()"));
    assert_eq!(all, [Value::Long((1..=LENGTH + 1).sum())]);
    let back = "g.V(700).shortestPath().with(ShortestPath.edges, Direction.OUT).count()";
    assert_eq!(ask(&db, back), [Value::Long(1)], "the way back there is none");
}

/// A hub is met, of whose edges hardly any is on a path: the paths are found from the other side.
#[test]
fn paths_through_a_hub_are_all_found_from_either_side() {
    let db = open(2);
    let transaction = db.graph().begin();
    let add = |id: i64| transaction.add_vertex(Some(Value::Long(id)), "thing").unwrap();
    let link = |from, to| transaction.add_edge(None, "to", from, to).unwrap();
    let (source, target, hub) = (add(0), add(1), add(2));
    for id in 10..13 {
        let way = add(id);
        link(source, way);
        link(way, hub);
    }
    // One of the ways is there twice, and is one path all the same.
    link(hub, target);
    link(hub, target);
    for id in 100..500 {
        let leaf = add(id);
        link(hub, leaf);
        link(leaf, hub);
    }
    transaction.commit().unwrap();
    let paths = |text: &str| {
        let paths = ask(&db, text);
        paths.iter().map(ids).collect::<BTreeSet<_>>()
    };
    for (from, to, expected) in [
        (0, 1, [[0, 10, 2, 1], [0, 11, 2, 1], [0, 12, 2, 1]]),
        (1, 0, [[1, 2, 10, 0], [1, 2, 11, 0], [1, 2, 12, 0]]),
    ] {
        let both = format!("g.V({from}).shortestPath().with(ShortestPath.target, hasId({to}))");
        assert_eq!(paths(&both), expected.iter().map(|path| path.to_vec()).collect(), "{both}");
        let out = format!("{both}.with(ShortestPath.edges, Direction.OUT)");
        assert_eq!(paths(&out).len(), if from == 0 { 3 } else { 0 }, "{out}");
    }
}
