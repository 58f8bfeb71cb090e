//! What a generated social network promises: the same bytes for the same seed, no dangling reference, no effect before
//! its cause, hubs, and sizes that grow with the number of people.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use mangrove::generate::{GenerateError, MOST_PERSONS, SocialOptions, SocialSummary, social};

fn generate(persons: u64, seed: u64) -> (tempfile::TempDir, SocialSummary) {
    let directory = tempfile::tempdir().unwrap();
    let summary = social(SocialOptions { persons, seed }, directory.path(), &mut |_| {}).unwrap();
    (directory, summary)
}

/// Every generated file, by its path below the directory.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
                found.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    found
}

/// The rows of one table, fields split, without the header.
fn rows(directory: &Path, table: &str) -> Vec<Vec<String>> {
    ["static", "dynamic"]
        .iter()
        .filter_map(|folder| {
            let path = directory.join(format!("social_network/{folder}/{table}_0_0.csv"));
            std::fs::read_to_string(path).ok()
        })
        .flat_map(|text| {
            let row = |line: &str| line.split('|').map(str::to_owned).collect();
            text.lines().skip(1).map(row).collect::<Vec<Vec<String>>>()
        })
        .collect()
}

/// One column of a table by its id.
fn dates(directory: &Path, table: &str, column: usize) -> HashMap<String, i64> {
    rows(directory, table).into_iter().map(|row| (row[0].clone(), row[column].parse().unwrap())).collect()
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let (a, _) = generate(60, 5);
    let (b, _) = generate(60, 5);
    let (c, _) = generate(60, 6);
    assert_eq!(files(a.path()), files(b.path()));
    assert_ne!(files(a.path()), files(c.path()));
}

#[test]
fn the_bytes_of_a_seed_are_the_same_on_every_machine() {
    // FNV-1a over the names and contents of all files. Whoever changes the generator changes everybody's data, and
    // changes this number with it.
    let (directory, _) = generate(40, 1);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for (name, bytes) in files(directory.path()) {
        for byte in name.bytes().chain(bytes) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    assert_eq!(hash, DIGEST_OF_40_PERSONS_WITH_SEED_1, "{hash:#x}");
}
const DIGEST_OF_40_PERSONS_WITH_SEED_1: u64 = 0x1163_70fc_3df6_4246;

#[test]
fn no_row_refers_to_something_that_is_not_there() {
    let (directory, _) = generate(250, 11);
    let mut ids: HashMap<String, HashSet<String>> = HashMap::new();
    for table in ["place", "organisation", "tag", "tagclass", "person", "forum", "post", "comment"] {
        let all = rows(directory.path(), table);
        let set: HashSet<String> = all.iter().map(|row| row[0].clone()).collect();
        assert_eq!(set.len(), all.len(), "ids of {table} are not unique");
        ids.insert(table.to_owned(), set);
    }
    assert!(ids["post"].is_disjoint(&ids["comment"]), "messages share one space of ids");
    let mut relations = 0;
    for (path, bytes) in files(&directory.path().join("social_network")) {
        let name = path.rsplit('/').next().unwrap().trim_end_matches("_0_0.csv").to_owned();
        let [from, _, to] = name.split('_').collect::<Vec<_>>()[..] else { continue };
        relations += 1;
        let mut seen = HashSet::new();
        for line in String::from_utf8(bytes).unwrap().lines().skip(1) {
            let fields: Vec<&str> = line.split('|').collect();
            assert!(ids[from].contains(fields[0]), "{name}: {line}");
            assert!(!ids.contains_key(to) || ids[to].contains(fields[1]), "{name}: {line}");
            assert!(seen.insert((fields[0].to_owned(), fields[1].to_owned())), "{name}: {line} twice");
        }
    }
    assert_eq!(relations, 25);
}

#[test]
fn nothing_happens_before_its_cause() {
    let (directory, _) = generate(250, 12);
    let dir = directory.path();
    let persons = dates(dir, "person", 5);
    let forums = dates(dir, "forum", 2);
    let posts = dates(dir, "post", 2);
    let comments = dates(dir, "comment", 1);
    let end = 1_356_998_400_000;
    for all in [&persons, &forums, &posts, &comments] {
        assert!(all.values().all(|&date| (1_262_304_000_000..end).contains(&date)));
    }
    let after = |table: &str, causes: [&HashMap<String, i64>; 2], effect: &dyn Fn(&[String]) -> i64| {
        let all = rows(dir, table);
        assert!(!all.is_empty(), "{table} is empty");
        for row in all {
            let date = effect(&row);
            assert!(
                causes[0][&row[0]] <= date && causes[1][&row[1]] <= date && date < end,
                "{table}: {row:?}"
            );
        }
    };
    let own = |row: &[String]| row[2].parse().unwrap();
    after("person_knows_person", [&persons, &persons], &own);
    after("forum_hasMember_person", [&forums, &persons], &own);
    after("person_likes_post", [&persons, &posts], &own);
    after("person_likes_comment", [&persons, &comments], &own);
    after("forum_hasModerator_person", [&forums, &persons], &|row| forums[&row[0]]);
    after("forum_containerOf_post", [&forums, &posts], &|row| posts[&row[1]]);
    after("post_hasCreator_person", [&posts, &persons], &|row| posts[&row[0]]);
    after("comment_hasCreator_person", [&comments, &persons], &|row| comments[&row[0]]);
    after("comment_replyOf_post", [&comments, &posts], &|row| comments[&row[0]]);
    after("comment_replyOf_comment", [&comments, &comments], &|row| comments[&row[0]]);
}

#[test]
fn every_message_has_one_place_in_a_tree() {
    let (directory, summary) = generate(150, 13);
    let dir = directory.path();
    let replies = [rows(dir, "comment_replyOf_post"), rows(dir, "comment_replyOf_comment")].concat();
    let repliers: HashSet<&String> = replies.iter().map(|row| &row[0]).collect();
    assert_eq!(repliers.len() as u64, summary.comments, "a comment without a parent, or with two");
    assert_eq!(replies.len() as u64, summary.comments);
    for relation in ["forum_containerOf_post", "post_hasCreator_person", "post_isLocatedIn_place"] {
        assert_eq!(rows(dir, relation).len() as u64, summary.posts, "{relation}");
    }
    // A post is written by the moderator of its forum or by a member who has joined.
    let forum_of: HashMap<String, String> =
        rows(dir, "forum_containerOf_post").into_iter().map(|row| (row[1].clone(), row[0].clone())).collect();
    let moderator: HashMap<String, String> = rows(dir, "forum_hasModerator_person")
        .into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect();
    let joined: HashMap<(String, String), i64> = rows(dir, "forum_hasMember_person")
        .into_iter()
        .map(|row| ((row[0].clone(), row[1].clone()), row[2].parse().unwrap()))
        .collect();
    let written = dates(dir, "post", 2);
    for row in rows(dir, "post_hasCreator_person") {
        let forum = forum_of[&row[0]].clone();
        if moderator[&forum] != row[1] {
            assert!(joined[&(forum, row[1].clone())] < written[&row[0]], "{row:?}");
        }
    }
}

#[test]
fn friendships_have_hubs() {
    let (directory, summary) = generate(1500, 14);
    let mut degrees: HashMap<String, u64> = HashMap::new();
    for row in rows(directory.path(), "person_knows_person") {
        *degrees.entry(row[0].clone()).or_default() += 1;
        *degrees.entry(row[1].clone()).or_default() += 1;
    }
    let mean = 2.0 * summary.friendships as f64 / 1500.0;
    let largest = *degrees.values().max().unwrap() as f64;
    assert!(mean > 8.0 && largest > 6.0 * mean, "mean {mean}, largest {largest}");
}

/// What LDBC's SF1 has, counted in its files: figures measured with a generated network mean something for it, too.
#[test]
fn messages_are_as_many_and_as_long_as_in_the_benchmark() {
    let (directory, summary) = generate(1500, 19);
    let dir = directory.path();
    let count = |table: &str| rows(dir, table).len() as f64;
    let (posts, comments) = (rows(dir, "post"), rows(dir, "comment"));
    let photographs = posts.iter().filter(|post| !post[1].is_empty()).count() as f64;
    let length = |row: &Vec<String>| row.join("|").len() as f64 + 1.0;
    let mean_length = |rows: &[Vec<String>]| rows.iter().map(length).sum::<f64>() / rows.len() as f64;
    let (all_posts, all_comments) = (posts.len() as f64, comments.len() as f64);
    for (what, here, there) in [
        ("photographs per post", photographs / all_posts, 0.79),
        ("comments per post", all_comments / all_posts, 2.04),
        ("comments that answer a post", count("comment_replyOf_post") / all_comments, 0.49),
        ("tags per comment", count("comment_hasTag_tag") / all_comments, 1.30),
        ("tags per post", count("post_hasTag_tag") / all_posts, 0.71),
        ("likes per comment", count("person_likes_comment") / all_comments, 0.70),
        ("likes per post", count("person_likes_post") / all_posts, 0.74),
        ("members per forum", summary.memberships as f64 / summary.forums as f64, 17.8),
        ("bytes per comment", mean_length(&comments), 88.0),
        ("bytes per post", mean_length(&posts), 98.0),
        ("edges per vertex", summary.edges as f64 / summary.vertices as f64, 5.47),
        ("bytes per edge", summary.bytes as f64 / summary.edges as f64, 42.8),
    ] {
        assert!((here / there - 1.0).abs() < 0.2, "{what}: {here:.2} instead of {there}");
    }
}

#[test]
fn sizes_grow_with_the_number_of_people() {
    let small = generate(500, 15).1;
    let large = generate(2000, 15).1;
    let counts =
        |s: &SocialSummary| [s.friendships, s.forums, s.memberships, s.posts, s.comments, s.likes, s.bytes];
    for (i, (a, b)) in counts(&small).iter().zip(counts(&large)).enumerate() {
        let factor = b as f64 / *a as f64;
        assert!((2.8..6.0).contains(&factor), "count {i}: {a} became {b}");
    }
}

#[test]
fn nobody_one_and_two_people_are_networks_too() {
    for persons in 0..3 {
        let (directory, summary) = generate(persons, 16);
        assert_eq!(summary.persons, persons);
        assert_eq!(rows(directory.path(), "person").len() as u64, persons);
        assert!(summary.friendships <= 1);
        assert_eq!(files(directory.path()).len(), 33 + 14);
        let parameters =
            std::fs::read_to_string(directory.path().join("substitution_parameters/interactive_1_param.txt"));
        assert_eq!(parameters.unwrap().lines().count(), if persons == 0 { 1 } else { 16 });
    }
}

#[test]
fn the_summary_counts_what_was_written() {
    let (directory, summary) = generate(80, 17);
    let (mut vertices, mut edges, mut bytes) = (0, 0, 0);
    for (path, content) in files(&directory.path().join("social_network")) {
        let lines = content.iter().filter(|&&b| b == b'\n').count() as u64 - 1;
        bytes += content.len() as u64;
        let name = path.rsplit('/').next().unwrap();
        match name.split('_').collect::<Vec<_>>()[..] {
            [_, "0", "0.csv"] => vertices += lines,
            [_, "email" | "speaks", _, "0", "0.csv"] => {}
            [_, "knows", _, "0", "0.csv"] => edges += 2 * lines,
            _ => edges += lines,
        }
    }
    assert_eq!((summary.vertices, summary.edges, summary.bytes), (vertices, edges, bytes));
}

#[test]
fn an_import_has_what_the_summary_says() {
    let (directory, summary) = generate(100, 18);
    let database = mangrove::Database::open(directory.path().join("graph")).unwrap();
    let options = mangrove::formats::ImportOptions::default();
    let imported = database.import(directory.path(), None, &options, &|_| {}).unwrap();
    assert_eq!((imported.vertices, imported.edges), (summary.vertices, summary.edges));
    assert_eq!(imported.skipped, 0);
}

#[test]
fn progress_ends_at_the_last_person() {
    let directory = tempfile::tempdir().unwrap();
    let mut calls = Vec::new();
    social(SocialOptions { persons: 130, seed: 1 }, directory.path(), &mut |p| calls.push(p.persons_done))
        .unwrap();
    assert!(calls.is_sorted() && calls.len() > 1 && calls.last() == Some(&130), "{calls:?}");
}

#[test]
fn a_directory_that_holds_a_network_is_left_alone() {
    let (directory, _) = generate(1, 1);
    let before = files(directory.path());
    let again = social(SocialOptions { persons: 2, seed: 1 }, directory.path(), &mut |_| {});
    assert!(matches!(again, Err(GenerateError::Exists { .. })), "{again:?}");
    assert_eq!(files(directory.path()), before);
}

#[test]
fn too_many_people_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let options = SocialOptions { persons: MOST_PERSONS + 1, seed: 1 };
    let refused = social(options, directory.path(), &mut |_| {}).unwrap_err();
    assert!(refused.to_string().contains("at most 100000000"), "{refused}");
}
