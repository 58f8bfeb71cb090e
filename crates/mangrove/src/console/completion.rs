//! What can be typed next.

use gremlin::StepName;

use crate::target::Vocabulary;

/// The part of the line that a completion replaces, and what could stand there.
#[derive(Debug, PartialEq, Eq)]
pub struct Completion {
    /// Byte at which the replaced part starts.
    pub start: usize,
    /// Candidates in alphabetical order.
    pub candidates: Vec<String>,
}

/// Completes `line` up to its end: a command after a colon, a step that help is wanted with, a name inside quotes (labels and keys, by the step whose
/// argument it is), a step after a dot or in a nested traversal.
pub fn complete(line: &str, vocabulary: &Vocabulary) -> Completion {
    if let Some(command) = line.trim_start().strip_prefix(':')
        && !command.contains(' ')
    {
        let commands = super::command::NAMES.iter().map(|name| format!(":{name}"));
        return matching(line, line.len() - command.len() - 1, commands);
    }
    if let Some(step) = line.trim_start().strip_prefix(":help ") {
        let names = StepName::ALL.iter().map(|step| step.as_str().to_owned());
        return matching(line, line.len() - step.len(), names);
    }
    if let Some(quote) = open_quote(line) {
        return matching(line, quote + 1, names(step_before(&line[..quote]), vocabulary));
    }
    let start = line.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    let steps: Box<dyn Iterator<Item = String>> = match line[..start].trim_end().chars().last() {
        Some('.' | '(' | ',') => Box::new(StepName::ALL.iter().map(|step| format!("{}(", step.as_str()))),
        _ => Box::new(["g.".to_owned()].into_iter()),
    };
    matching(line, start, steps)
}

fn matching(line: &str, start: usize, all: impl Iterator<Item = String>) -> Completion {
    let mut candidates: Vec<_> = all.filter(|name| name.starts_with(&line[start..])).collect();
    candidates.sort();
    candidates.dedup();
    Completion { start, candidates }
}

/// The byte of the quote that is still open at the end, if one is.
fn open_quote(line: &str) -> Option<usize> {
    let mut open: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match open {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some((_, quote)) if c == quote => open = None,
            None if matches!(c, '\'' | '"') => open = Some((at, c)),
            _ => {}
        }
    }
    open.map(|(at, _)| at)
}

/// The step whose argument list is still open at the end, and how many commas precede in it.
fn step_before(line: &str) -> (&str, usize) {
    let (mut depth, mut commas) = (0usize, 0);
    for (at, c) in line.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth > 0 => depth -= 1,
            ',' if depth == 0 => commas += 1,
            '(' => {
                let name = &line[..at];
                let start = name.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1);
                return (&name[start..], commas);
            }
            _ => {}
        }
    }
    ("", commas)
}

/// The names that an argument of `step` can be.
fn names((step, argument): (&str, usize), vocabulary: &Vocabulary) -> std::vec::IntoIter<String> {
    let Vocabulary { vertex_labels, edge_labels, keys } = vocabulary;
    let both = || [vertex_labels.as_slice(), edge_labels].concat();
    let names = match step {
        "out" | "in" | "both" | "outE" | "inE" | "bothE" | "toE" | "addE" => edge_labels.clone(),
        "addV" => vertex_labels.clone(),
        "hasLabel" => both(),
        // `has(label, key, value)` has a label first and a key second, `has(key, value)` a key first.
        "has" if argument == 0 => [both().as_slice(), keys].concat(),
        "has" if argument > 1 => Vec::new(),
        _ => keys.clone(),
    };
    names.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(line: &str) -> Vec<String> {
        let own = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let vocabulary = Vocabulary {
            vertex_labels: own(&["Person", "Place"]),
            edge_labels: own(&["knows", "likes"]),
            keys: own(&["name", "nick"]),
        };
        complete(line, &vocabulary).candidates
    }

    #[test]
    fn steps_follow_a_dot_or_open_a_nested_traversal() {
        assert_eq!(candidates("g.V().hasL"), ["hasLabel("]);
        assert_eq!(candidates("g.V().where(outE"), ["outE("]);
        assert!(candidates("g.V().repeat(").len() > 100);
    }

    #[test]
    fn inside_quotes_stand_the_names_that_fit_the_step() {
        assert_eq!(candidates("g.V().hasLabel('P"), ["Person", "Place"]);
        assert_eq!(candidates("g.V().out('"), ["knows", "likes"]);
        assert_eq!(candidates("g.V().has('Person','n"), ["name", "nick"]);
        assert_eq!(candidates("g.V().order().by(values(\"ni"), ["nick"]);
        assert_eq!(candidates("g.V().has('Person','name','"), Vec::<String>::new());
    }

    #[test]
    fn a_quote_in_quotes_or_behind_a_backslash_does_not_count() {
        assert_eq!(open_quote("'a\"b'"), None);
        assert_eq!(open_quote(r"'a\'b"), Some(0));
    }

    #[test]
    fn commands_follow_a_colon() {
        assert_eq!(candidates(":expl"), [":explain"]);
        assert_eq!(candidates(":help hasL"), ["hasLabel"]);
    }

    #[test]
    fn a_completion_says_what_it_replaces() {
        let completion = complete("g.V().hasL", &Vocabulary::default());
        assert_eq!(completion.start, 6);
    }
}
