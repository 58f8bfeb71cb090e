//! What a text of XML is, by its first element.
//!
//! ```text
//! <?xml version="1.0"?>  <!-- a comment, of whatever length -->  <!DOCTYPE …>  <g:graphml xmlns:g="…">
//!                                                                               └─────┴ graphml
//! ```

/// The name of the first element, in small letters and without a prefix; nothing if what there is of the text ends before it, or is no
/// XML. What comes before it may say anything.
pub(super) fn first_element(text: &str) -> Option<String> {
    let mut rest = text.trim_start();
    loop {
        let inside = rest.strip_prefix('<')?;
        let end = match inside {
            comment if comment.starts_with("!--") => "-->",
            instruction if instruction.starts_with('?') => "?>",
            doctype if doctype.starts_with('!') => return after_doctype(doctype),
            element => {
                let name = element.split([' ', '\t', '\r', '\n', '>', '/']).next()?;
                let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
                return Some(local.to_lowercase()).filter(|name| !name.is_empty());
            }
        };
        // `<!-->` is no comment as a whole.
        let from = if end == "-->" { 3 } else { 1 };
        rest = inside.get(from..)?.split_once(end)?.1.trim_start();
    }
}

/// The element that a declaration says the document has; it may hold declarations of its own, which say nothing of that.
fn after_doctype(declaration: &str) -> Option<String> {
    let words = declaration.get(..8).filter(|word| word.eq_ignore_ascii_case("!doctype"))?;
    let name = declaration[words.len()..].trim_start();
    let name = name.split([' ', '\t', '\r', '\n', '>', '[']).next()?;
    Some(name.to_lowercase()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_told_behind_whatever_comes_before_it() {
        let long = format!(
            "<?xml version='1.0' ?>\n<!-- {} <gexf> -->\n<!-- x --><graphml\n  xmlns='y'>",
            "*".repeat(9_000)
        );
        for (text, element) in [
            (&*long, Some("graphml")),
            ("<graphml>", Some("graphml")),
            ("<g:GraphML xmlns:g='x'>", Some("graphml")),
            ("<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"x\"><html>", Some("html")),
            ("<!doctype html>", Some("html")),
            ("<!DOCTYPE graphml [<!ENTITY a '<gexf>'>]><graphml/>", Some("graphml")),
            ("<!-- <graphml> --><a/>", Some("a")),
            ("<!-- <graphml> ", None),
            ("<!--><graphml>", None),
            ("<?xml", None),
            ("<!ELEMENT a>", None),
            ("<", None),
            ("< graphml>", None),
            ("graphml", None),
            ("", None),
        ] {
            assert_eq!(first_element(text).as_deref(), element, "{text:.60}");
        }
    }
}
