//! What messages and pages call a setting is one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mangrove::config::Config;
use toml::{Table, Value};

/// Names that look like settings and are files of Linux.
const OTHERS: &[&str] = &["memory.max", "memory.limit_in_bytes"];
/// The last part of what looks like a setting and is a file.
const OF_FILES: &[&str] = &["rs", "md", "toml", "csv", "yaml", "json", "sock", "crt", "key", "pem"];
/// What settings have been called in messages though they never were called so.
const SECTIONS_THAT_ARE_NONE: &[&str] = &["query", "queries", "store", "memory", "cache", "import", "limits"];

fn settings() -> BTreeSet<String> {
    fn flatten(prefix: &str, table: &Table, out: &mut BTreeSet<String>) {
        for (name, value) in table {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match value {
                Value::Table(table) => flatten(&key, table, out),
                _ => drop(out.insert(key)),
            }
        }
    }
    let mut out = BTreeSet::new();
    flatten("", &Table::try_from(Config::default()).unwrap(), &mut out);
    out
}

fn workspace() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..")
}

fn files_below(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

/// The string literals of a source, those of its tests left out.
fn literals(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let (mut literals, mut rest) = (Vec::new(), source);
    while let Some(at) = rest.find(['"', '/', '\'']) {
        let (before, from) = rest.split_at(at);
        if from.starts_with("//") {
            rest = from.split_once('\n').map_or("", |(_, next)| next);
        } else if from.starts_with("'\"'") || from.starts_with("'\\\"'") {
            rest = &from[from[1..].find('\'').map_or(1, |end| end + 2)..];
        } else if let Some(inside) = from.strip_prefix('"') {
            let is_raw = before.ends_with("r#");
            let end = if is_raw { inside.find("\"#") } else { end_of_literal(inside) };
            let end = end.unwrap_or(inside.len());
            literals.push(inside[..end].to_owned());
            rest = inside.get(end + 1..).unwrap_or_default();
        } else {
            rest = &from[1..];
        }
    }
    literals
}

fn end_of_literal(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends.then_some(at)
    })
}

/// The words of a text that look like settings: `section.name`, in small letters.
fn names(text: &str, sections: &BTreeSet<&str>) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
    let words = text.split(|c: char| !is_name(c)).map(|word| word.trim_matches('.'));
    let looks_like_one = |word: &&str| {
        word.split_once('.').is_some_and(|(section, name)| {
            let is_section = sections.contains(section) || SECTIONS_THAT_ARE_NONE.contains(&section);
            is_section && !name.is_empty() && !OTHERS.contains(word) && !OF_FILES.contains(&name)
        })
    };
    words.filter(looks_like_one).map(str::to_owned).collect()
}

#[test]
fn every_setting_that_a_message_or_a_page_names_exists() {
    let settings = settings();
    let sections: BTreeSet<&str> =
        settings.iter().filter_map(|setting| setting.split_once('.')).map(|(section, _)| section).collect();
    assert!(sections.contains("engine") && settings.contains("engine.memory_per_query"));
    let (mut sources, mut pages) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(workspace().join("crates")).unwrap() {
        files_below(&entry.unwrap().path().join("src"), "rs", &mut sources);
    }
    files_below(&workspace().join("docs"), "md", &mut pages);
    let mut named = Vec::new();
    for path in &sources {
        let source = std::fs::read_to_string(path).unwrap();
        let words = literals(&source).iter().flat_map(|text| names(text, &sections)).collect::<Vec<_>>();
        named.extend(words.into_iter().map(|word| (path, word)));
    }
    for path in &pages {
        let text = std::fs::read_to_string(path).unwrap();
        // Within backticks only: sentences may end without a space behind them.
        let words = text.split('`').skip(1).step_by(2).flat_map(|code| names(code, &sections));
        named.extend(words.map(|word| (path, word)));
    }
    assert!(named.len() > 10, "{named:?}");
    for (path, name) in named {
        assert!(settings.contains(&name), "{}: there is no setting `{name}`", path.display());
    }
}

#[test]
fn every_setting_has_a_row_on_the_page_of_settings() {
    let page = std::fs::read_to_string(workspace().join("docs/configuration.md")).unwrap();
    for setting in settings() {
        assert!(
            page.contains(&format!("\n| `{setting}` | ")),
            "docs/configuration.md has no row for `{setting}`"
        );
    }
}

#[test]
fn literals_are_told_from_comments_and_characters() {
    let source = "// \"no\"\nlet a = \"one \\\" `query.memory`\"; let b = '\"'; let c = r#\"t\"wo\"#; /// \"no\"\n\"three\"";
    assert_eq!(literals(source), ["one \\\" `query.memory`", "t\"wo", "three"]);
    let sections = ["engine"].into();
    assert_eq!(names("raise `query.memory`, or engine.cache.", &sections), ["query.memory", "engine.cache"]);
    assert!(names("g.V() and a.b, store.rs?", &sections).is_empty());
}
