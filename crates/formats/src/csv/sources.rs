//! The CSV files of a directory, and where their headers are; or its Parquet files.
//!
//! ```text
//! people.csv                                      a header, and rows
//! movies-header.csv                               the header of
//! movies-part1.csv, movies-part2.csv.gz           these, which are rows alone
//! ```
//!
//! The second way is that of `neo4j-admin`, which is told of such files together; here their names say so.

use std::path::{Path, PathBuf};

use crate::error::ImportError;
use crate::foreign::refuse_foreign;

/// A CSV file to import, or one of Parquet.
#[derive(Clone, Debug)]
pub struct CsvSource {
    /// The file.
    pub path: PathBuf,
    /// The file that has its header; none if it has one itself.
    pub header: Option<PathBuf>,
    /// The label of its vertices or edges, where the file has neither `:LABEL` nor `:TYPE` nor the option `{label:…}`.
    pub label: Option<String>,
}

impl CsvSource {
    /// A file with a header of its own.
    pub fn new(path: &Path) -> Self {
        Self { path: path.into(), header: None, label: None }
    }

    /// What it is called, without its ending; with others that have the same header, what these are called together.
    pub fn name(&self) -> Option<&str> {
        match &self.header {
            Some(header) => csv_stem(header).and_then(of_header),
            None => csv_stem(&self.path).or_else(|| self.path.file_stem()?.to_str()),
        }
    }

    /// All `.csv`, `.csv.gz` and `.csv.zst` files of a directory, by name. What else is in it may be data that would be missed, so
    /// it is refused; but for hidden files, names in capitals that do not end as data does (`README.txt`, `_SUCCESS`), and Markdown.
    ///
    /// # Errors
    /// If the directory cannot be read, has none, or has something else.
    pub fn in_directory(directory: &Path) -> Result<Vec<Self>, ImportError> {
        let expected = "files named `*.csv` expected";
        let files = data_in(directory, |path| csv_stem(path).is_some(), expected, not_csv)?;
        Ok(with_headers(files))
    }

    /// All `.parquet` files of a directory, by name. What else is in it is refused, as beside CSV files.
    ///
    /// # Errors
    /// As [`CsvSource::in_directory`].
    pub fn parquet_in_directory(directory: &Path) -> Result<Vec<Self>, ImportError> {
        let expected = "files named `*.parquet` expected";
        let files = data_in(directory, is_named_parquet, expected, not_parquet)?;
        Ok(files.iter().map(|path| Self::new(path)).collect())
    }
}

/// The data in a directory, by name: files that are called so. Of others `refused` says what is wrong with them.
fn data_in(
    directory: &Path,
    is_data: impl Fn(&Path) -> bool,
    expected: &'static str,
    refused: impl Fn(&Path) -> ImportError,
) -> Result<Vec<PathBuf>, ImportError> {
    let entries = std::fs::read_dir(directory).map_err(|e| ImportError::io(directory, e))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| ImportError::io(directory, e))?.path();
        if is_about_the_data(&path) {
            continue;
        }
        if !is_data(&path) || path.is_dir() {
            return Err(refused(&path));
        }
        files.push(path);
    }
    files.sort();
    if files.is_empty() {
        return Err(ImportError::NoFiles { path: directory.to_owned(), expected });
    }
    Ok(files)
}

/// The files with their headers. A header that no other file has is a file like others.
fn with_headers(files: Vec<PathBuf>) -> Vec<CsvSource> {
    let mut sources: Vec<_> = files
        .iter()
        .map(|path| CsvSource { header: header_of(path, &files), ..CsvSource::new(path) })
        .collect();
    let headers: Vec<_> = sources.iter().filter_map(|source| source.header.clone()).collect();
    sources.retain(|source| !headers.contains(&source.path));
    sources
}

/// The file among others that has the header of this one by its name: of several the one with the longest.
fn header_of(path: &Path, files: &[PathBuf]) -> Option<PathBuf> {
    let stem = csv_stem(path)?;
    if of_header(stem).is_some() {
        return None;
    }
    let belongs = |name: &str| {
        stem.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', '.']))
    };
    let names = files.iter().filter_map(|file| Some((of_header(csv_stem(file)?)?, file)));
    names.filter(|(name, _)| belongs(name)).max_by_key(|(name, _)| name.len()).map(|(_, file)| file.clone())
}

/// What the files are called whose header a file of that name has.
pub(super) fn of_header(stem: &str) -> Option<&str> {
    let name = ["-header", "_header", ".header"].iter().find_map(|ending| stem.strip_suffix(ending))?;
    (!name.is_empty()).then_some(name)
}

/// What a CSV file is called without its ending; none if it is called like another one.
pub fn csv_stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    [".csv", ".csv.gz", ".csv.zst"].iter().find_map(|ending| name.strip_suffix(ending))
}

/// Whether a file is called as one of Parquet is.
pub fn is_named_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "parquet")
}

/// Whether a file beside data is none itself, by its name. One in capitals that ends as data does is data: `ACTED_IN.csv`.
fn is_about_the_data(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut parts = name.split('.');
    let stem = parts.next().unwrap_or_default();
    let in_capitals = !stem.is_empty() && stem.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let of_data = ["csv", "tsv", "parquet"];
    let is_data = parts.any(|part| of_data.iter().any(|ending| part.eq_ignore_ascii_case(ending)));
    name.starts_with('.') || in_capitals && !is_data || name.ends_with(".md")
}

/// The error of something in a directory that is no CSV file.
fn not_csv(path: &Path) -> ImportError {
    if path.is_dir() {
        return ImportError::layout(
            path,
            "it is a directory; CSV files side by side expected, so move it elsewhere",
        );
    }
    match refuse_foreign(path) {
        Err(foreign) => foreign,
        Ok(()) => ImportError::layout(
            path,
            "its name does not end in `.csv`; rename it if it is to be imported, or move it elsewhere",
        ),
    }
}

/// The error of something in a directory that is no Parquet file.
fn not_parquet(path: &Path) -> ImportError {
    let problem = match (path.is_dir(), csv_stem(path)) {
        (true, _) => "it is a directory; Parquet files side by side expected, so move it elsewhere",
        (false, Some(_)) => {
            "it is beside Parquet files, and files of one format expected; move it elsewhere, or write a mapping, which may name both"
        }
        (false, None) => {
            "its name does not end in `.parquet`; rename it if it is to be imported, or move it elsewhere"
        }
    };
    ImportError::layout(path, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_capitals_are_data_if_they_end_so() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str| std::fs::write(dir.path().join(name), "").unwrap();
        let beside = ["README.md", "LICENSE.txt", "_SUCCESS", "notes.md", ".hidden.csv"];
        let data = ["ACTED_IN.csv", "PERSON.csv.gz", "_X.csv.zst", "knows.csv"];
        beside.into_iter().chain(data).for_each(put);
        let read = CsvSource::in_directory(dir.path()).unwrap();
        let read: Vec<_> = read.iter().map(|source| source.path.file_name().unwrap()).collect();
        assert_eq!(read, data);
        for name in ["KNOWS.parquet", "PEOPLE.CSV", "PEOPLE.csv.bz2"] {
            put(name);
            let refused = CsvSource::in_directory(dir.path()).unwrap_err().to_string();
            assert!(refused.contains(name), "{refused}");
            std::fs::remove_file(dir.path().join(name)).unwrap();
        }
    }

    #[test]
    fn headers_are_told_by_their_names() {
        let files = [
            "acts.csv",
            "acts-in_header.csv",
            "acts-in_0.csv.gz",
            "lone-header.csv",
            "movies-header.csv",
            "movies.csv",
            "movies-part1.csv",
            "moviestars.csv",
        ];
        let sources = with_headers(files.iter().map(PathBuf::from).collect());
        let found: Vec<_> = sources
            .iter()
            .map(|source| {
                let header = source.header.as_ref().map(|header| header.to_str().unwrap());
                (source.path.to_str().unwrap(), header, source.name().unwrap())
            })
            .collect();
        let expected = [
            ("acts.csv", None, "acts"),
            ("acts-in_0.csv.gz", Some("acts-in_header.csv"), "acts-in"),
            ("lone-header.csv", None, "lone-header"),
            ("movies.csv", Some("movies-header.csv"), "movies"),
            ("movies-part1.csv", Some("movies-header.csv"), "movies"),
            ("moviestars.csv", None, "moviestars"),
        ];
        assert_eq!(found, expected);
    }
}
