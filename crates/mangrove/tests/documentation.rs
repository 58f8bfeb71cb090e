//! What the pages of `docs/` and the README say of each other, of formats and of Gremlin is so.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mangrove::{Database, formats::ImportOptions, generate::modern};

fn root() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..").canonicalize().unwrap()
}

/// The pages by their paths, the README among them.
fn pages() -> BTreeMap<PathBuf, String> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|found| found == "md"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    pages.chain([root().join("README.md")]).map(read).collect()
}

/// A page without what stands between fences.
fn prose(page: &str) -> String {
    let mut fenced = false;
    let lines = page.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a heading is called in an address, as GitHub and mdBook have it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

/// Where the links of a page lead to, those to other sites left out.
fn links(page: &str) -> Vec<String> {
    let text = prose(page);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).filter(|target| !target.contains("://")).collect()
}

#[test]
fn every_link_leads_to_a_page_and_a_heading_that_are_there() {
    let pages = pages();
    for (path, page) in &pages {
        for link in links(page) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: there is no {link}", path.display());
            let target = target.canonicalize().unwrap();
            if !heading.is_empty() {
                let found = anchors(pages.get(&target).unwrap_or_else(|| panic!("{link} is no page")));
                assert!(found.iter().any(|found| found == heading), "{}: {link}: {found:?}", path.display());
            }
            // The site consists of these pages alone.
            let outside = !target.starts_with(root().join("docs"));
            assert!(!outside || path.ends_with("README.md"), "{}: {link} is no page", path.display());
        }
    }
}

#[test]
fn every_page_is_in_the_table_of_contents_once() {
    let pages = pages();
    let contents = links(&pages[&root().join("docs/SUMMARY.md")]);
    let names = pages.keys().filter(|path| !path.ends_with("README.md") && !path.ends_with("SUMMARY.md"));
    let names: Vec<_> = names.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    for name in &names {
        assert_eq!(contents.iter().filter(|entry| *entry == name).count(), 1, "{name} in docs/SUMMARY.md");
    }
    assert_eq!(contents.len(), names.len());
}

#[test]
fn the_table_of_formats_says_what_the_code_says() {
    let page = fs::read_to_string(root().join("docs/storage-versions.md")).unwrap();
    let constant = |file: &str| {
        let source = fs::read_to_string(root().join("crates").join(file)).unwrap();
        let line = source.lines().find(|line| line.starts_with("const FORMAT: ")).unwrap().to_owned();
        line.split("= ").nth(1).unwrap().trim_end_matches(';').to_owned()
    };
    let graph = constant("graph/src/durable/checkpoint.rs");
    assert!(page.contains(&format!("| graph | {graph} | 1 to {graph} |")), "the graph is of format {graph}");
    assert!(page.contains(&format!("\n| {graph} | ")), "format {graph} is not described");
    let store = constant("store/src/embedded/durable_mark.rs");
    assert!(
        page.contains(&format!("| store beneath it | {store} | {store} |")),
        "the store is of format {store}"
    );
    let backup = constant("graph/src/care/backup/file.rs");
    assert!(
        page.contains(&format!("| file of a backup | {backup} | {backup} |")),
        "a backup is of format {backup}"
    );
}

#[test]
fn the_gremlin_that_stands_beside_cypher_runs() {
    let page = fs::read_to_string(root().join("docs/coming-from.md")).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("modern.json");
    modern(&file).unwrap();
    let db = Database::in_memory().unwrap();
    db.import(&file, None, &ImportOptions::default(), &|_| {}).unwrap();
    let (_, table) = page.split_once("| Cypher | Gremlin |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let mut ran = Vec::new();
    for row in rows {
        let gremlin = row.split("` | `").nth(1).unwrap_or_else(|| row.split(" | `").nth(1).unwrap());
        let gremlin = gremlin.split('`').next().unwrap();
        let results = db.query(gremlin).unwrap_or_else(|error| panic!("{gremlin}: {error}"));
        let results =
            results.map(|value| value.unwrap_or_else(|error| panic!("{gremlin}: {error}")).to_string());
        ran.push((gremlin.to_owned(), results.collect::<Vec<_>>()));
    }
    assert!(ran.len() > 8, "{ran:?}");
    let nothing: Vec<_> =
        ran.iter().filter(|(_, results)| results.is_empty()).map(|(gremlin, _)| gremlin).collect();
    assert_eq!(nothing.len(), 1, "all but the one that drops have results: {nothing:?}");
    assert_eq!(ran[1].1.len(), 2, "marko knows two");
    assert!(ran.iter().any(|(_, results)| results == &["vadas"]), "one person has created nothing: {ran:?}");
}
