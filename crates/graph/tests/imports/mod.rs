//! What a source file imports, read from its text: for the tests that hold a house to its rules.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The module that a file is, from the root of its crate.
pub fn module_of(file: &Path) -> Vec<String> {
    let name = file.with_extension("");
    let mut module: Vec<_> = name.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    module.pop_if(|last| last == "mod");
    module
}

/// The code without comments, texts and the tests at its end, which may use the handle as anybody does.
pub fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let lines = lines.map(|line| line.split(" // ").next().unwrap_or_default());
    lines.map(|line| line.split('"').step_by(2).collect::<String>() + "\n").collect()
}

/// The paths that a tree of imports names: of `crate::a::{b, c::{d, e as f}}` there are three.
fn paths_of(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.trim().trim_end_matches("::self").to_owned()];
    };
    let inner = tree[open + 1..].strip_suffix('}').unwrap_or_else(|| panic!("{tree} does not end"));
    let (mut depth, mut begin, mut parts) = (0, 0, Vec::new());
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[begin..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty()).flat_map(paths_of);
    parts.map(|path| format!("{}{path}", &tree[..open])).collect()
}

/// What a path means in a module, from the root of the crate; none if it leads elsewhere.
pub fn resolved(path: &str, module: &[String]) -> Option<Vec<String>> {
    let mut parts = path.split("::").map(str::to_owned).peekable();
    if parts.next_if(|part| part == "crate").is_some() {
        return Some(parts.collect());
    }
    let _ = parts.next_if(|part| part == "self");
    parts.peek().filter(|part| *part == "super")?;
    let mut from = module.to_vec();
    while parts.next_if(|part| part == "super").is_some() {
        from.pop();
    }
    from.extend(parts);
    Some(from)
}

/// All paths within the crate that a file names, and whether they are shown to others.
pub fn imports_of(code: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for statement in code.split(';') {
        let begins = |at: &usize| *at == 0 || statement[..*at].ends_with(['\n', ' ']);
        let begin =
            statement.rfind("use ").filter(begins).filter(|at| !statement[*at..].contains(['=', '(', '<']));
        let (before, tree) = statement.split_at(begin.unwrap_or(statement.len()));
        if let Some(tree) = tree.strip_prefix("use ") {
            let line = before.rsplit('\n').next().unwrap_or_default();
            found.extend(paths_of(tree).into_iter().map(|path| (line.trim().starts_with("pub"), path)));
        }
        let is_part = |letter: char| letter == ':' || letter == '_' || letter.is_alphanumeric();
        let begins_path = |(at, _): &(usize, &str)| !before[..*at].ends_with(is_part);
        let paths = before.match_indices("crate::").chain(before.match_indices("super::"));
        for (at, _) in paths.chain(before.match_indices("self::")).filter(begins_path) {
            let is_path = |letter: &char| *letter == ':' || *letter == '_' || letter.is_alphanumeric();
            let path: String = before[at..].chars().take_while(is_path).collect();
            found.push((false, path.trim_end_matches(':').to_owned()));
        }
    }
    found
}

/// All files in a folder, and in those within.
pub fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}
