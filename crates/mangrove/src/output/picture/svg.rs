//! A picture as SVG that needs nothing else: circles with captions, arrows with labels, and what colours mean. It is dark where whoever
//! looks at it wants that.

use std::collections::HashMap;
use std::fmt::Write;

use super::layout::Place;
use super::{Arc, Node, Picture, short};

/// Around everything.
const MARGIN: f64 = 70.0;
/// Of a circle.
const RADIUS: f64 = 20.0;
/// By how much a loop is larger than the one before at the same vertex.
const LOOP: f64 = 10.0;
/// Letters of a caption, and of a label.
const LETTERS: usize = 18;
/// Colours that are told apart by most people, on light and on dark (after Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0f7b6c", "#e69f00", "#56b4e9", "#cc79a7", "#7a5195", "#d55e00", "#5b8c2a", "#8a8f98"];
/// Labels whose colour is said.
const TOLD: usize = 16;
/// Height of a line that says so.
const LINE: f64 = 20.0;

/// What everything looks like.
pub(super) const STYLE: &str = "<style>\
svg{background:#fff;font:12px system-ui,sans-serif}\
text{fill:#1c2430}\
.arc{fill:none;stroke:#8a94a3;stroke-width:1.4}\
.step{stroke-dasharray:4 3}\
.name{font-size:10px;fill:#5b6573;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px}\
.node{stroke:#fff;stroke-width:2}\
.end{fill-opacity:.45}\
.caption{text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px}\
.box{fill:#f2f5f7;stroke:#c9d1da}\
.bar{fill:#0f7b6c;fill-opacity:.75}\
.figure{fill:#5b6573;font-size:11px}\
@media(prefers-color-scheme:dark){svg{background:#14181d}text{fill:#e6e9ee}.arc{stroke:#6b7684}\
.name,.caption{stroke:#14181d}.name,.figure{fill:#a6b0bd}.node{stroke:#14181d}.box{fill:#1d232b;stroke:#39424d}}\
</style>";

/// The picture with its vertices at these places.
pub(super) fn of(picture: &Picture, places: &[Place]) -> String {
    let most = |of: fn(&Place) -> f64| places.iter().map(of).fold(0.0, f64::max);
    let told = picture.labels.len().min(TOLD);
    let margin = MARGIN + LOOP * most_loops(picture) as f64;
    let (width, height) = (most(|at| at.x) + 2.0 * margin, most(|at| at.y) + 2.0 * margin);
    let others = picture.labels.len() - told;
    let whole = height + LINE * (told + usize::from(others > 0)) as f64;
    let mut out = String::new();
    let said = format!("{} vertices, {} edges", picture.nodes.len(), picture.arcs.len());
    head(&mut out, width.max(240.0), whole, &said);
    out.push_str(
        "<defs><marker id=\"tip\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\" fill=\"#8a94a3\"/></marker></defs>\n",
    );
    let mut between = HashMap::new();
    for arc in &picture.arcs {
        let pair = (arc.from.min(arc.to), arc.from.max(arc.to));
        let number = between.entry(pair).and_modify(|n| *n += 1).or_insert(0);
        let [from, to] = [arc.from, arc.to].map(|end| within(places[end], margin));
        draw_arc(&mut out, arc, from, to, *number);
    }
    for ((id, node), at) in picture.nodes.iter().zip(places) {
        draw_node(&mut out, &id.to_string(), node, &picture.labels[node.label], within(*at, margin));
    }
    for (number, label) in picture.labels.iter().take(TOLD).enumerate() {
        let y = height + LINE * number as f64;
        let colour = COLOURS[number % COLOURS.len()];
        let _ = writeln!(
            out,
            "<rect x=\"16\" y=\"{:.0}\" width=\"12\" height=\"12\" rx=\"3\" fill=\"{colour}\"/>\
             <text x=\"34\" y=\"{:.0}\">{}</text>",
            y - 10.0,
            y,
            escaped(&short(label, 60)),
        );
    }
    if others > 0 {
        let y = height + LINE * told as f64;
        let _ = writeln!(out, "<text x=\"34\" y=\"{y:.0}\">and {others} other labels</text>");
    }
    out.push_str("</svg>\n");
    out
}

fn within(at: Place, margin: f64) -> Place {
    Place { x: at.x + margin, y: at.y + margin }
}

/// How many loops the vertex has that has most of them.
fn most_loops(picture: &Picture) -> usize {
    let mut loops = HashMap::new();
    for arc in picture.arcs.iter().filter(|arc| arc.from == arc.to) {
        *loops.entry(arc.from).or_insert(0) += 1;
    }
    loops.into_values().max().unwrap_or(0)
}

/// What every picture begins with.
pub(super) fn head(out: &mut String, width: f64, height: f64, said: &str) {
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">\n{STYLE}",
        escaped(said),
    );
}

fn draw_node(out: &mut String, id: &str, node: &Node, label: &str, at: Place) {
    let Place { x, y } = at;
    let class = if node.is_end { "node end" } else { "node" };
    let colour = COLOURS[node.label % COLOURS.len()];
    let title: Vec<String> =
        std::iter::once(format!("{label} {id}")).chain(node.details.iter().cloned()).collect();
    let _ = writeln!(
        out,
        "<g><title>{}</title><circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"{colour}\"/>\
         <text class=\"caption\" x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>",
        escaped(&title.join("\n")),
        y + RADIUS + 13.0,
        escaped(&short(&node.caption, LETTERS)),
    );
}

/// The first edge between two vertices is straight; others bend, each more than the one before.
fn draw_arc(out: &mut String, arc: &Arc, from: Place, to: Place, number: usize) {
    let [(x1, y1), (x2, y2)] = [from, to].map(|at| (at.x, at.y));
    let class = if arc.id.is_some() { "arc" } else { "arc step" };
    let title: Vec<String> =
        arc.id.iter().map(|id| format!("{} {id}", arc.label)).chain(arc.details.iter().cloned()).collect();
    let title = escaped(&title.join("\n"));
    let (way, label_at) = if arc.from == arc.to {
        let reach = RADIUS + 16.0 + LOOP * number as f64;
        let way = format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            x1 - 10.0,
            y1 - RADIUS + 3.0,
            x1 - reach,
            y1 - reach - RADIUS,
            x1 + reach,
            y1 - reach - RADIUS,
            x1 + 10.0,
            y1 - RADIUS + 3.0
        );
        (way, (x1, y1 - reach - 4.0))
    } else {
        let (dx, dy) = (x2 - x1, y2 - y1);
        let distance = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / distance, dy / distance);
        // To the left and to the right in turn; the way back bends as the way there does.
        let side = if arc.from < arc.to { 1.0 } else { -1.0 };
        let bend =
            side * 18.0 * number.div_ceil(2) as f64 * if number.is_multiple_of(2) { -1.0 } else { 1.0 };
        let (mx, my) = ((x1 + x2) / 2.0 - uy * bend * 2.0, (y1 + y2) / 2.0 + ux * bend * 2.0);
        let way = format!(
            "M{:.1} {:.1}Q{mx:.1} {my:.1} {:.1} {:.1}",
            x1 + ux * RADIUS,
            y1 + uy * RADIUS,
            x2 - ux * (RADIUS + 2.0),
            y2 - uy * (RADIUS + 2.0)
        );
        (way, ((x1 + x2) / 2.0 - uy * bend, (y1 + y2) / 2.0 + ux * bend - 3.0))
    };
    let _ = writeln!(
        out,
        "<g><title>{title}</title><path class=\"{class}\" d=\"{way}\" marker-end=\"url(#tip)\"/>\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        label_at.0,
        label_at.1,
        escaped(&short(&arc.label, LETTERS)),
    );
}

/// Text between tags and in attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            // XML 1.0 has no words for these.
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::tests::{edge, vertex};
    use super::*;

    #[test]
    fn it_is_well_formed_whatever_values_say() {
        let (a, b) = (vertex(1, "<person>", "\"a\" & <b>\u{1}"), vertex(2, "town", &"ü".repeat(40)));
        let mut picture = Picture::default();
        picture.add(&a.clone().into());
        picture.add(&b.clone().into());
        for n in 0..5 {
            picture.add(&edge(n, "lives & <in>", &a, &b).into());
        }
        picture.add(&edge(9, "self", &a, &a).into());
        picture.add(&edge(10, "back", &b, &a).into());
        let text = picture.to_svg();
        let mut reader = quick_xml::Reader::from_str(&text);
        let (mut depth, mut titles, mut paths) = (0, 0, 0);
        loop {
            match reader.read_event().unwrap() {
                quick_xml::events::Event::Start(tag) => {
                    depth += 1;
                    titles += usize::from(tag.name().as_ref() == "title");
                }
                quick_xml::events::Event::End(_) => depth -= 1,
                quick_xml::events::Event::Empty(tag) => {
                    paths += usize::from(tag.name().as_ref() == "path");
                }
                quick_xml::events::Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!((depth, titles), (0, 9));
        // Seven edges, and the tip of an arrow.
        assert_eq!(paths, 8);
        assert!(text.contains("&lt;person&gt; 1\nname: &quot;a&quot; &amp; &lt;b&gt; "), "{text}");
        assert!(!text.contains("NaN") && !text.contains('\u{1}'));
    }
}
