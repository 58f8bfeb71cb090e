//! What is said of a traversal's results, taken off its text.

/// What may stand behind a traversal, and says what is done with its results.
const TERMINALS: [&str; 7] = ["toList", "toSet", "toBulkSet", "iterate", "next", "tryNext", "hasNext"];

/// A text without what its last statement says of its results, and without a semicolon: another method may be put behind it.
pub(super) fn without_terminal(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    let Some((before, name)) = text.strip_suffix("()").and_then(|call| call.rsplit_once('.')) else {
        return text;
    };
    if TERMINALS.contains(&name.trim()) { before.trim_end() } else { text }
}

#[cfg(test)]
mod tests {
    use super::without_terminal;

    #[test]
    fn what_is_no_step_is_taken_off_and_nothing_else() {
        for text in ["g.V().out()", "g.V().out().toList()", "g.V().out() ;\n", "g.V().out()\n  .iterate();"] {
            assert_eq!(without_terminal(text), "g.V().out()", "{text:?}");
        }
        assert_eq!(without_terminal("x = 1; g.V(x).next()"), "x = 1; g.V(x)");
        assert_eq!(without_terminal("g.V().next(3)"), "g.V().next(3)");
    }
}
