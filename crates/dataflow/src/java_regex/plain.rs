//! A pattern for the crate `regex`, and the texts for which it means the same there.

use std::fmt::Write;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::ClassUnicode;

use super::syntax::{Node, Place};

/// Most bytes that a compiled pattern may take; a larger one is simulated.
const BYTES: usize = 1 << 20;

/// A pattern as the crate `regex` has it.
#[derive(Debug)]
pub(super) struct Plain {
    regex: Regex,
    uses: Uses,
}

/// What means the same for some texts only.
#[derive(Debug, Default)]
struct Uses {
    /// It takes `$` for the end of the text: so there must be no line terminator.
    last_line_end: bool,
    /// It takes words for those of ASCII: so the text must be in ASCII.
    words: bool,
}

impl Plain {
    /// None for a pattern that cannot be said so.
    pub(super) fn new(node: &Node) -> Option<Self> {
        let (mut pattern, mut uses) = (String::new(), Uses::default());
        write(node, &mut pattern, &mut uses)?;
        let built = RegexBuilder::new(&pattern).size_limit(BYTES).dfa_size_limit(BYTES).build();
        Some(Self { regex: built.ok()?, uses })
    }

    /// Whether it means the same for this text.
    pub(super) fn suits(&self, text: &str) -> bool {
        let ends_line = || text.ends_with(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
        !(self.uses.last_line_end && ends_line()) && (!self.uses.words || text.is_ascii())
    }

    /// Whether a part of the text matches.
    pub(super) fn find(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Writes a pattern; none where it has look-ahead, or a place that the crate does not know.
fn write(node: &Node, out: &mut String, uses: &mut Uses) -> Option<()> {
    match node {
        Node::Set(set) => write_set(set, out),
        Node::Sequence(nodes) => nodes.iter().try_for_each(|node| write(node, out, uses))?,
        Node::Either(nodes) => {
            out.push_str("(?:");
            for (index, node) in nodes.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "|" });
                write(node, out, uses)?;
            }
            out.push(')');
        }
        Node::Repeat { node, least, most } => {
            out.push_str("(?:");
            write(node, out, uses)?;
            let most = most.map(|most| most.to_string()).unwrap_or_default();
            let _ = write!(out, "){{{least},{most}}}");
        }
        Node::At(place) => out.push_str(match place {
            Place::Start => r"\A",
            Place::End => r"\z",
            Place::LastLineEnd { .. } => {
                uses.last_line_end = true;
                r"\z"
            }
            Place::WordBoundary => {
                uses.words = true;
                r"(?-u:\b)"
            }
            Place::LineStart { .. } | Place::LineEnd { .. } => return None,
        }),
        Node::Ahead { .. } => return None,
    }
    Some(())
}

/// Characters by their numbers, so that none is taken for a sign.
fn write_set(set: &ClassUnicode, out: &mut String) {
    if let [range] = set.ranges()
        && range.start() == range.end()
    {
        let _ = write!(out, "\\x{{{:x}}}", u32::from(range.start()));
        return;
    }
    if set.ranges().is_empty() {
        out.push_str(r"[^\x{0}-\x{10ffff}]");
        return;
    }
    out.push('[');
    for range in set.ranges() {
        let _ = write!(out, "\\x{{{:x}}}-\\x{{{:x}}}", u32::from(range.start()), u32::from(range.end()));
    }
    out.push(']');
}
