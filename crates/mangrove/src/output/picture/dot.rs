//! A picture as text for Graphviz: `mangrove query --format dot … | dot -Tsvg`.

use std::fmt::Write;

use super::{Picture, short};

/// Letters of a caption.
const LETTERS: usize = 40;

/// The text.
pub(super) fn of(picture: &Picture) -> String {
    let mut text = String::from("digraph {\n  node [shape=box, style=rounded];\n");
    for (number, (id, node)) in picture.nodes.iter().enumerate() {
        let label = &picture.labels[node.label];
        let caption = format!("{}\n{}", short(&node.caption, LETTERS), short(label, LETTERS));
        let tip = std::iter::once(id.to_string()).chain(node.details.iter().cloned());
        let tip = tip.collect::<Vec<_>>().join("\n");
        let _ = writeln!(text, "  n{number} [label={}, tooltip={}];", quoted(&caption), quoted(&tip));
    }
    for arc in &picture.arcs {
        let _ = write!(text, "  n{} -> n{}", arc.from, arc.to);
        let _ = match arc.id {
            Some(_) => writeln!(text, " [label={}];", quoted(&short(&arc.label, LETTERS))),
            None => writeln!(text, " [style=dashed];"),
        };
    }
    text.push_str("}\n");
    text
}

/// A string of Graphviz. Backslashes and what looks like an entity mean something else in it: `\N` is the name of the node.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("&#92;"),
            '&' => quoted.push_str("&amp;"),
            '\n' => quoted.push_str("\\n"),
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::super::tests::{edge, vertex};
    use super::*;

    #[test]
    fn a_vertex_and_an_edge_have_a_line_each_and_no_value_breaks_one() {
        let (a, b) = (vertex(1, "per\"son", "a\\da\n\"];"), vertex(2, "person", "bob"));
        let mut picture = Picture::default();
        [a.clone().into(), b.clone().into(), edge(7, "knows", &a, &b).into()]
            .iter()
            .for_each(|value| picture.add(value));
        let expected = "digraph {\n  node [shape=box, style=rounded];\n  \
                        n0 [label=\"a&#92;da \\\"];\\nper\\\"son\", tooltip=\"1\\nname: a&#92;da\\n\\\"];\"];\n  \
                        n1 [label=\"bob\\nperson\", tooltip=\"2\\nname: bob\"];\n  n0 -> n1 [label=\"knows\"];\n}\n";
        assert_eq!(picture.to_dot(), expected);
    }
}
