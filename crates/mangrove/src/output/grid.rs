//! Draws cells in columns, and cuts them to the width of a terminal.
//!
//! ```text
//!   ┌────┬────────┐
//!   │ id ┆ name   │     a column is as wide as its widest cell; where all together are too wide, the widest give way first,
//!   ╞════╪════════╡     down to LEAST, and then the last columns are left out
//!   │ 1  ┆ marko  │
//!   └────┴────────┘
//! ```

use std::collections::BTreeSet;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Longest text in a cell, in columns of a terminal.
const CELL: usize = 200;

/// Columns of a terminal that a column of the table keeps, if its text has as many.
const LEAST: usize = 8;

/// What a column takes besides its text: a border and two blanks.
const FRAME: usize = 3;

/// What was left out of what was drawn.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Cut {
    columns: BTreeSet<String>,
    characters: usize,
}

impl Cut {
    /// What was left out, if anything was.
    pub(super) fn in_words(&self) -> Option<String> {
        let names = || self.columns.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let columns = match self.columns.len() {
            0 => None,
            1 => Some(format!("the column {}", names())),
            n => Some(format!("{n} columns ({})", names())),
        };
        let characters = match self.characters {
            0 => None,
            1 => Some("1 character".into()),
            n => Some(format!("{n} characters")),
        };
        let all: Vec<_> = columns.into_iter().chain(characters).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }
}

/// See the module.
pub(super) struct Grid {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// A header, and rows that have a cell for each of its cells.
    pub(super) fn new(header: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        let tidy = |cells: Vec<String>| cells.into_iter().map(tidy).collect::<Vec<_>>();
        Self { header: tidy(header), rows: rows.into_iter().map(tidy).collect() }
    }

    /// The table, no wider than `width`, and adds to `cut` what that left out.
    pub(super) fn draw(&self, width: Option<usize>, cut: &mut Cut) -> String {
        let widths = fit(&self.natural(), width);
        cut.columns.extend(self.header.iter().skip(widths.len()).cloned());
        let mut text = rule(&widths, ["┌", "─", "┬", "┐"]);
        line(&self.header, &widths, cut, &mut text);
        text.push_str(&rule(&widths, ["╞", "═", "╪", "╡"]));
        self.rows.iter().for_each(|row| line(row, &widths, cut, &mut text));
        text.push_str(&rule(&widths, ["└", "─", "┴", "┘"]));
        text
    }

    /// How wide each column would be.
    fn natural(&self) -> Vec<usize> {
        let of = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].width());
            cells.chain([self.header[column].width()]).max().unwrap_or(0).min(CELL)
        };
        (0..self.header.len()).map(of).collect()
    }
}

/// Control characters would break the table, or the terminal.
fn tidy(text: String) -> String {
    if text.contains(char::is_control) { text.replace(char::is_control, " ") } else { text }
}

/// Widths of as many of the columns as there is room for, the first one at least.
fn fit(natural: &[usize], width: Option<usize>) -> Vec<usize> {
    let Some(width) = width else { return natural.to_vec() };
    let needed = |widths: &[usize], most: usize| {
        widths.iter().map(|width| width.min(&most) + FRAME).sum::<usize>() + 1
    };
    let fitting = (1..=natural.len()).rev().find(|n| needed(&natural[..*n], LEAST) <= width).unwrap_or(1);
    let shown = &natural[..fitting];
    let most = (LEAST..=CELL).rev().find(|most| needed(shown, *most) <= width).unwrap_or(LEAST);
    let mut room = width.saturating_sub(needed(shown, most));
    let widened = shown.iter().map(|natural| {
        let one_more = usize::from(*natural > most && room > 0);
        room -= one_more;
        natural.min(&most) + one_more
    });
    widened.collect()
}

fn rule(widths: &[usize], [left, dash, joint, right]: [&str; 4]) -> String {
    let dashes: Vec<_> = widths.iter().map(|width| dash.repeat(width + 2)).collect();
    format!("{left}{}{right}\n", dashes.join(joint))
}

fn line(cells: &[String], widths: &[usize], cut: &mut Cut, text: &mut String) {
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        text.push_str(if at == 0 { "│ " } else { " ┆ " });
        fill(cell, *width, cut, text);
    }
    text.push_str(" │\n");
}

/// A cell in so many columns of a terminal: blanks behind it, or an ellipsis instead of what is too much.
fn fill(cell: &str, width: usize, cut: &mut Cut, text: &mut String) {
    let own = cell.width();
    if own <= width {
        text.push_str(cell);
        text.extend(std::iter::repeat_n(' ', width - own));
        return;
    }
    let mut left = width.saturating_sub(1);
    let mut shown = 0;
    for c in cell.chars() {
        let Some(rest) = left.checked_sub(c.width().unwrap_or(0)) else { break };
        left = rest;
        shown += 1;
        text.push(c);
    }
    text.push('…');
    text.extend(std::iter::repeat_n(' ', left));
    cut.characters += cell.chars().count() - shown;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(cells: &[&[&str]], width: Option<usize>) -> (String, Cut) {
        let own = |row: &&[&str]| row.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (header, rows) = cells.split_first().unwrap();
        let mut cut = Cut::default();
        let text = Grid::new(own(header), rows.iter().map(own).collect()).draw(width, &mut cut);
        (text, cut)
    }

    #[test]
    fn a_table_is_as_wide_as_its_cells() {
        let (text, cut) = draw(&[&["id", "name"], &["1", "marko"], &["2", "日本"]], Some(80));
        let expected = "\
┌────┬───────┐
│ id ┆ name  │
╞════╪═══════╡
│ 1  ┆ marko │
│ 2  ┆ 日本  │
└────┴───────┘
";
        assert_eq!(text, expected);
        assert_eq!(cut.in_words(), None);
    }

    #[test]
    fn the_widest_columns_give_way_first() {
        let (text, cut) = draw(&[&["id", "text"], &["1", &"x".repeat(30)]], Some(24));
        assert!(text.contains("│ 1  ┆ xxxxxxxxxxxxxx… │"), "{text}");
        assert!(text.lines().all(|line| line.width() == 24), "{text}");
        assert_eq!(cut.in_words().unwrap(), "16 characters");
    }

    #[test]
    fn columns_without_room_are_left_out_and_named() {
        let row: Vec<String> = (0..6).map(|n| format!("column {n} is long")).collect();
        let row: Vec<&str> = row.iter().map(String::as_str).collect();
        let (text, cut) = draw(&[&["a", "b", "c", "d", "e", "f"], &row], Some(50));
        assert!(text.contains("│ a") && !text.contains(" e "), "{text}");
        assert!(text.lines().all(|line| line.width() == 50), "{text}");
        assert_eq!(cut.in_words().unwrap(), "2 columns (e, f) and 31 characters");
    }

    #[test]
    fn one_column_stays_however_narrow_the_terminal_is() {
        let (text, cut) = draw(&[&["result"], &["0123456789"]], Some(5));
        assert!(text.contains("│ 0123456… │"), "{text}");
        assert_eq!(cut.characters, 3);
    }

    #[test]
    fn long_text_is_cut_and_control_characters_become_blanks() {
        let (text, cut) = draw(&[&["result"], &[&"x".repeat(CELL + 1)], &["a\x1b[31m\nb"]], None);
        assert!(text.contains(&format!("{}…", "x".repeat(CELL - 1))), "{text}");
        assert!(text.contains("a [31m b "), "{text}");
        assert_eq!(cut.in_words().unwrap(), "2 characters");
    }

    #[test]
    fn wide_characters_that_do_not_fit_leave_a_blank() {
        let mut text = String::new();
        fill("日本語", 4, &mut Cut::default(), &mut text);
        assert_eq!(text, "日… ");
    }
}
