//! Whether a traversal is complete, or goes on in the next line.

/// Whether `text` can be run as it stands: brackets and quotes are closed, and it does not end where something must
/// follow. More closing than opening brackets count as complete, so that the parser can complain.
pub fn is_complete(text: &str) -> bool {
    let mut depth = 0i32;
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '\'' | '"' => quote = Some(c),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            },
        }
    }
    let ends_open = text.trim_end().ends_with(['.', ',', '\\']);
    quote.is_none() && depth <= 0 && !ends_open
}

#[cfg(test)]
mod tests {
    use super::is_complete;

    #[test]
    fn open_brackets_quotes_and_trailing_dots_go_on() {
        for text in ["g.V(", "g.V().", "g.V().has('a", "g.inject([1,", "g.V(1,"] {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn balanced_text_and_surplus_brackets_are_complete() {
        for text in ["g.V()", "g.V())", "g.V().has('(')", r"g.inject('a\'(')", ""] {
            assert!(is_complete(text), "{text}");
        }
    }
}
