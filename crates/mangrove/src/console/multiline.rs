//! Whether what was typed is complete, or goes on in the next line.

/// Commands that take a traversal.
const TRAVERSING: [&str; 2] = ["explain", "profile"];

/// Whether `text` can be run as it stands: its brackets and quotes are closed, and it does not end where something must follow. More
/// closing than opening brackets count as complete, so that the parser can complain. What is behind `//` counts for nothing. A command
/// is one line, unless it is about a traversal.
pub fn is_complete(text: &str) -> bool {
    if let Some(command) = text.trim_start().strip_prefix(':')
        && !TRAVERSING.iter().any(|name| command.starts_with(name))
    {
        return true;
    }
    let mut depth = 0i32;
    let mut quote = None;
    let mut last = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => drop(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '/') if chars.peek() == Some(&'/') => {
                while chars.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, _) => {}
        }
        if !c.is_whitespace() {
            last = Some(c);
        }
    }
    let ends_open = matches!(last, Some('.' | ',' | '\\' | '='));
    quote.is_none() && depth <= 0 && !ends_open
}

#[cfg(test)]
mod tests {
    use super::is_complete;

    #[test]
    fn open_brackets_quotes_and_trailing_dots_go_on() {
        for text in
            ["g.V(", "g.V().", "g.V().has('a", "g.inject([1,", "g.V(1,", "x =", "g.V(). // those", "g.V('\\'"]
        {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn balanced_text_and_surplus_brackets_are_complete() {
        for text in ["g.V()", "g.V())", "g.V().has('(')", r"g.inject('a\'(')", "", "g.V() // (", "g.V('//')"]
        {
            assert!(is_complete(text), "{text}");
        }
    }

    #[test]
    fn a_command_is_one_line_unless_it_is_about_a_traversal() {
        assert!(is_complete(":bind x=it's") && is_complete(":explain g.V()"));
        assert!(!is_complete(":explain g.V(") && !is_complete(":profile g.V()."));
    }
}
