//! Prints results one after another, in the format that is wished for.

use std::borrow::Cow;
use std::io::{self, Write};

use values::{MapKind, Value};
use wire::{Properties, graphson::Dialect};

use super::{
    Format,
    csv::Records,
    grid::{Cut, Grid},
    layout::{Layout, cells},
    picture::{Outline, Picture},
    say::{complain, tame},
};

/// What is said where there is nothing to draw.
const NO_GRAPH: &str = "there is no vertex, edge, path or subgraph among the results, so there is no picture; --format table shows them";

/// Rows that are laid out together; longer results become several tables, so memory stays bounded and the first rows appear early.
const PAGE: usize = 500;

/// See the module.
pub struct Printer<W: Write> {
    out: W,
    format: Format,
    /// Columns of the terminal that tables are cut to.
    width: Option<usize>,
    /// What whoever reads does to see what was cut.
    remedy: &'static str,
    page: Vec<Value>,
    rows: u64,
    layout: Option<Layout>,
    records: Records,
    cut: Cut,
    picture: Picture,
    /// A plan or a profile among the results.
    outline: Option<Outline>,
}

impl<W: Write> Printer<W> {
    /// A printer to `out`.
    pub fn new(out: W, format: Format) -> Self {
        let (records, cut) = (Records::default(), Cut::default());
        let remedy = "--format plain";
        let (picture, outline) = (Picture::default(), None);
        Self {
            out,
            format,
            width: None,
            remedy,
            page: Vec::new(),
            rows: 0,
            layout: None,
            records,
            cut,
            picture,
            outline,
        }
    }

    /// Cuts tables to so many columns of a terminal. `remedy`: what shows all.
    #[must_use]
    pub fn cut_to(self, width: Option<usize>, remedy: &'static str) -> Self {
        Self { width, remedy, ..self }
    }

    /// Prints a result, or keeps it for the next page.
    ///
    /// # Errors
    /// When `out` takes no more, for instance because the reader of a pipe left.
    pub fn print(&mut self, value: Value) -> io::Result<()> {
        self.rows += 1;
        match self.format {
            Format::Plain if self.width.is_some() => writeln!(self.out, "{}", tame(&value.to_string())),
            Format::Plain => writeln!(self.out, "{value}"),
            Format::Json => {
                let mut line = json(&value)?;
                line.push(b'\n');
                self.out.write_all(&line)
            }
            Format::Dot | Format::Svg => {
                self.picture.add(&value);
                self.outline = self.outline.take().or_else(|| Outline::of_value(&value));
                Ok(())
            }
            Format::Table | Format::Csv => {
                self.page.push(value);
                if self.page.len() == PAGE { self.turn() } else { Ok(()) }
            }
        }
    }

    /// Prints what was kept, and what was cut; says how many results there were.
    ///
    /// # Errors
    /// As [`Self::print`].
    pub fn finish(mut self) -> io::Result<u64> {
        self.turn()?;
        if matches!(self.format, Format::Dot | Format::Svg) {
            self.draw()?;
        }
        if let Some(cut) = self.cut.in_words() {
            writeln!(self.out, "left out to fit: {cut}; {} shows all", self.remedy)?;
        }
        self.out.flush()?;
        Ok(self.rows)
    }

    /// The picture of all results.
    fn draw(&mut self) -> io::Result<()> {
        let is_dot = self.format == Format::Dot;
        let text = match &self.outline {
            _ if !self.picture.is_empty() && is_dot => self.picture.to_dot(),
            _ if !self.picture.is_empty() => self.picture.to_svg(),
            Some(outline) if is_dot => outline.to_dot(),
            Some(outline) => outline.to_svg(),
            None => return Err(io::Error::other(NO_GRAPH)),
        };
        if self.picture.has_left_out() {
            complain(format!(
                "the picture would be too large: {} vertices and edges are left out",
                self.picture.left_out_in_words()
            ));
        }
        self.out.write_all(text.as_bytes())
    }

    fn turn(&mut self) -> io::Result<()> {
        if self.page.is_empty() {
            return Ok(());
        }
        let page = std::mem::take(&mut self.page);
        let before = self.rows - page.len() as u64;
        if self.format == Format::Csv {
            return self.records.write(&page, before, &mut self.out);
        }
        if let ([value], 0) = (page.as_slice(), before)
            && let Some(report) = report_in(value)
        {
            return writeln!(self.out, "{}", on_lines(&report));
        }
        let layout = Layout::of(&page, self.layout);
        self.layout = Some(layout);
        let (header, rows) = cells(layout, &page, before);
        self.out.write_all(Grid::new(header, rows).draw(self.width, &mut self.cut).as_bytes())
    }
}

/// What explain() and profile() make: its lines are laid out already.
fn report_in(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) if text.contains('\n') => Some(Cow::Borrowed(text)),
        Value::Map(map) if map.kind() == MapKind::Metrics => Some(Cow::Owned(value.to_string())),
        _ => None,
    }
}

/// A text of several lines, without what might move the cursor.
fn on_lines(text: &str) -> String {
    text.trim_end().replace(|c: char| c.is_control() && c != '\n', " ")
}

/// A value as GraphSON without types.
///
/// # Errors
/// When it has what JSON has no words for.
pub(super) fn json(value: &Value) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    wire::graphson::encode_value(value, Properties::All, Dialect::UNTYPED, &mut text)
        .map_err(io::Error::other)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use values::Map;

    use super::*;

    fn print(format: Format, values: impl IntoIterator<Item = Value>) -> String {
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, format);
        values.into_iter().try_for_each(|value| printer.print(value)).unwrap();
        printer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn map(entries: &[(&str, i32)]) -> Value {
        let mut map = Map::new();
        entries.iter().for_each(|(key, value)| drop(map.insert(*key, *value)));
        map.into()
    }

    #[test]
    fn pages_of_one_result_are_laid_out_alike() {
        let maps = (0..=PAGE as i32).map(|n| map(&[("a", n), ("b", 1)]));
        let tables = print(Format::Table, maps);
        assert_eq!(tables.matches("a   ┆ b").count(), 2, "{tables}");
        assert!(tables.contains("│ 500 ┆ 1 │"), "{tables}");
    }

    #[test]
    fn a_value_does_not_move_the_cursor_of_a_terminal() {
        let printed = |width: Option<usize>| {
            let mut out = Vec::new();
            let mut printer = Printer::new(&mut out, Format::Plain).cut_to(width, ":format plain");
            printer.print(Value::from("a\u{1b}[2J\tb")).unwrap();
            printer.finish().unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(printed(Some(80)), "a [2J\tb\n");
        assert_eq!(printed(None), "a\u{1b}[2J\tb\n");
    }

    #[test]
    fn what_was_cut_is_told_once() {
        let mut out = Vec::new();
        let mut printer = Printer::new(&mut out, Format::Table).cut_to(Some(20), ":format plain");
        (0..=PAGE).for_each(|_| printer.print(Value::from("x".repeat(20))).unwrap());
        assert_eq!(printer.finish().unwrap(), PAGE as u64 + 1);
        let text = String::from_utf8(out).unwrap();
        // 16 of 20 columns are between the borders, one of which has the mark.
        let note = format!("left out to fit: {} characters; :format plain shows all\n", 5 * (PAGE + 1));
        assert!(text.ends_with(&note), "{}", text.lines().last().unwrap());
        assert!(text.lines().all(|line| line.chars().count() <= 20 || line.starts_with("left")));
    }

    #[test]
    fn a_report_alone_keeps_its_lines() {
        assert_eq!(print(Format::Table, ["== plan\n\x1b[2Jstep\n".into()]), "== plan\n [2Jstep\n");
        let profile = print(Format::Table, [values::Metrics::default().into()]);
        assert!(profile.starts_with("Traversal Metrics\nStep "), "{profile}");
        assert!(print(Format::Table, ["a\nb".into(), 1.into()]).contains("│ a b "));
    }

    #[test]
    fn plain_json_and_csv_have_a_line_for_a_result() {
        let results = || [Value::Int(1), Value::from("a,b")];
        assert_eq!(print(Format::Plain, results()), "1\na,b\n");
        assert_eq!(print(Format::Json, results()), "1\n\"a,b\"\n");
        assert_eq!(print(Format::Csv, results()), "result\n1\n\"a,b\"\n");
        assert_eq!(print(Format::Csv, []), "");
    }
}
