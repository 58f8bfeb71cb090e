//! Figures: a table for people, JSON under `target/bench/` for later comparison.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

/// Where the figures go.
#[derive(Clone, Debug)]
pub struct Report {
    folder: PathBuf,
}

impl Report {
    /// Figures go to this folder, which is created.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn new(folder: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// The folder of the figures.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Prints rows as a table and writes them to `NAME.json`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn rows(&self, name: &str, rows: &[Json]) -> io::Result<()> {
        print_table(name, rows);
        self.write(name, &Json::Array(rows.to_vec()))
    }

    /// Prints one set of figures and writes it to `NAME.json`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn figures(&self, name: &str, figures: &Json) -> io::Result<()> {
        print_table(name, std::slice::from_ref(figures));
        self.write(name, figures)
    }

    fn write(&self, name: &str, json: &Json) -> io::Result<()> {
        std::fs::write(self.folder.join(format!("{name}.json")), format!("{json:#}\n"))
    }
}

fn print_table(name: &str, rows: &[Json]) {
    println!("\n{name}");
    let Some(Json::Object(first)) = rows.first() else { return };
    let width = |name: &String| {
        let cells = rows.iter().map(|row| cell(&row[name.as_str()]).len());
        cells.chain([name.len(), CELL_WIDTH]).max().unwrap_or(CELL_WIDTH)
    };
    let columns: Vec<(&String, usize)> = first.keys().map(|name| (name, width(name))).collect();
    let line = |cell: &dyn Fn(&str) -> String| {
        println!("{}", columns.iter().map(|(c, width)| format!("  {:>width$}", cell(c))).collect::<String>());
    };
    line(&|column| column.to_owned());
    for row in rows {
        line(&|column| cell(&row[column]));
    }
}

/// Least width of a column.
const CELL_WIDTH: usize = 14;

fn cell(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Number(n) => match n.as_f64() {
            Some(x) if x.fract() != 0.0 => format!("{x:.4}"),
            _ => n.to_string(),
        },
        Json::Null => "-".to_owned(),
        other => other.to_string(),
    }
}

/// A figure rounded to what is worth keeping.
pub fn rounded(x: f64) -> Json {
    json!((x * 10_000.0).round() / 10_000.0)
}
