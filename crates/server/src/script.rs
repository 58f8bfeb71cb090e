//! What the server itself must know about a script: the name of the traversal source that it starts with.

/// The name before the first dot of a script, if it starts with a name: `gmodern` in `gmodern.V()`.
///
/// Blanks and comments in front are skipped. This does not judge the script; that is the parser's part.
pub(crate) fn source_of(script: &str) -> Option<&str> {
    let mut rest = skip_blanks(script);
    while let Some(assigned) = assigned(rest) {
        rest = assigned;
    }
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
    let name = &rest[..end];
    let starts_as_a_name = name.chars().next().is_some_and(|c| !c.is_numeric());
    (starts_as_a_name && skip_blanks(&rest[end..]).starts_with('.')).then_some(name)
}

/// What is assigned to a variable: `g.V()` of `x = g.V()` and `def x = g.V()`.
fn assigned(statement: &str) -> Option<&str> {
    let name = |text: &'_ str| text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
    let mut rest = statement;
    if let Some(behind) = rest.strip_prefix("def")
        && behind.starts_with(char::is_whitespace)
    {
        rest = skip_blanks(behind);
    }
    let end = name(rest).filter(|end| *end > 0)?;
    let value = skip_blanks(&rest[end..]).strip_prefix('=')?;
    (!value.starts_with('=')).then(|| skip_blanks(value))
}

fn skip_blanks(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        text = match text.get(..2) {
            Some("//") => text.split_once('\n').map_or("", |(_, rest)| rest),
            Some("/*") => text.split_once("*/").map_or("", |(_, rest)| rest),
            _ => return text,
        };
    }
}

/// Whether a variable of that name would hide one of Gremlin's own words.
pub(crate) fn is_reserved(name: &str) -> bool {
    const TOKENS: [&str; 8] = ["id", "key", "label", "value", "ID", "KEY", "LABEL", "VALUE"];
    TOKENS.contains(&name)
        || gremlin::Column::from_name(name).is_some()
        || gremlin::Order::from_name(name).is_some()
        || gremlin::Operator::from_name(name).is_some()
        || gremlin::Scope::from_name(name).is_some()
        || gremlin::Pop::from_name(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_is_the_first_word_before_a_dot() {
        assert_eq!(source_of("g.V()"), Some("g"));
        assert_eq!(source_of("x = gmodern.V().next()"), Some("gmodern"));
        assert_eq!(source_of("def x = y= g.V()"), Some("g"));
        assert_eq!(source_of(" \n gmodern\n  .V()"), Some("gmodern"));
        assert_eq!(source_of("// all of them\n/* really */ g . V()"), Some("g"));
    }

    #[test]
    fn a_script_that_starts_otherwise_names_no_source() {
        for script in ["", "x = 1", "x == g.V()", "1+1", "1.0", "V()", "'g'.x", "/* open", "// only", "g"] {
            assert_eq!(source_of(script), None, "{script}");
        }
    }

    #[test]
    fn gremlins_own_words_are_no_variables() {
        assert!(["id", "LABEL", "asc", "local", "values", "sum", "first"].into_iter().all(is_reserved));
        assert!(!["x", "ids", "name"].into_iter().any(is_reserved));
    }
}
