//! A text that asks something about its last traversal instead of running it.

/// What may stand behind a traversal, and says what is done with its results.
const TERMINALS: [&str; 7] = ["toList", "toSet", "toBulkSet", "iterate", "next", "tryNext", "hasNext"];

/// A text whose last statement ends with `method()`, whatever it said of its results before: `explain`, `profile`. On a line of its own,
/// for the text may end with a comment.
pub fn asked_about(text: &str, method: &str) -> String {
    format!("{}\n.{method}()", without_terminal(text))
}

/// A text without what its last statement says of its results, and without a semicolon: another method may be put behind it.
fn without_terminal(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    let Some((before, name)) = text.strip_suffix("()").and_then(|call| call.rsplit_once('.')) else {
        return text;
    };
    if TERMINALS.contains(&name.trim()) { before.trim_end() } else { text }
}

#[cfg(test)]
mod tests {
    use super::{asked_about, without_terminal};
    use crate::{Action, Bindings, ParseOptions, Statements, Terminal};

    #[test]
    fn a_comment_at_the_end_hides_nothing() {
        let read = |text: &str| {
            let mut statements = Statements::new(asked_about(text, "explain"));
            statements.next(&Bindings::new(), &ParseOptions::default())
        };
        for text in ["g.addV('x') // just looking", "g.addV('x').iterate()  "] {
            let read = read(text).unwrap().unwrap();
            assert!(matches!(read.action, Action::Traverse(_, Terminal::Explain)), "{text}");
        }
        assert!(read("g.addV('x').iterate(); // c").is_err());
        assert_eq!(asked_about("g.V().toList();", "profile"), "g.V()\n.profile()");
    }

    #[test]
    fn what_is_no_step_is_taken_off_and_nothing_else() {
        for text in ["g.V().out()", "g.V().out().toList()", "g.V().out() ;\n", "g.V().out()\n  .iterate();"] {
            assert_eq!(without_terminal(text), "g.V().out()", "{text:?}");
        }
        assert_eq!(without_terminal("x = 1; g.V(x).next()"), "x = 1; g.V(x)");
        assert_eq!(without_terminal("g.V().next(3)"), "g.V().next(3)");
    }
}
