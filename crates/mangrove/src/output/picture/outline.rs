//! A plan or a profile as a picture: a box for each operator in the order in which traversers pass, those of a subquery inside of the box
//! of what opens it; of a profile a bar for the time.

use std::fmt::Write;

use values::{Metrics, StepMetrics, Value};

use super::dot::quoted;
use super::short;
use super::svg::{escaped, head};

/// See the module.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Outline {
    boxes: Vec<Operator>,
}

#[derive(Debug, Default, PartialEq)]
struct Operator {
    name: String,
    /// What is known of it, in words.
    figures: String,
    /// Its part of the whole time, between 0 and 1.
    share: Option<f64>,
    inside: Vec<Operator>,
}

/// Under this heading `explain()` has the operators.
const HEADING: &str = "== physical plan";
/// Between an operator and the step that it is there for.
const STEP: &str = " ← ";

impl Outline {
    /// That of what `explain()` says; none if it says nothing of operators.
    pub(crate) fn of_plan(text: &str) -> Option<Self> {
        let (_, operators) = text.split_once(HEADING)?;
        // The first line is the rest of the heading, the second one of slots.
        let lines: Vec<&str> = operators.lines().skip(2).filter(|line| !line.trim().is_empty()).collect();
        let boxes = nested(&lines);
        (!boxes.is_empty()).then_some(Self { boxes })
    }

    /// That of a profile.
    pub(crate) fn of_profile(metrics: &Metrics) -> Self {
        let total = metrics.nanos.max(1) as f64;
        Self { boxes: metrics.steps.iter().map(|step| measured(step, total)).collect() }
    }

    /// That of a value that is a profile.
    pub(crate) fn of_value(value: &Value) -> Option<Self> {
        match value {
            Value::Map(map) if map.kind() == values::MapKind::Metrics => {
                Some(Self::of_profile(&Metrics::of(map)))
            }
            Value::String(text) => Self::of_plan(text),
            _ => None,
        }
    }

    /// As text for Graphviz.
    pub(crate) fn to_dot(&self) -> String {
        let mut text = String::from("digraph {\n  node [shape=box, style=rounded];\n");
        let mut count = 0;
        dot(&self.boxes, None, &mut count, &mut text);
        text.push_str("}\n");
        text
    }

    /// As SVG.
    pub(crate) fn to_svg(&self) -> String {
        let mut body = String::new();
        let mut y = EDGE;
        let depth = self.boxes.iter().map(Operator::depth).max().unwrap_or(0);
        let width = WIDTH + 2.0 * INSET * depth as f64;
        for operator in &self.boxes {
            y = draw(operator, EDGE, y, width, &mut body) + GAP;
        }
        let mut out = String::new();
        head(&mut out, width + 2.0 * EDGE, y - GAP + EDGE, "operators of a query");
        out.push_str(&body);
        out.push_str("</svg>\n");
        out
    }
}

impl Operator {
    fn depth(&self) -> usize {
        self.inside.iter().map(|inside| inside.depth() + 1).max().unwrap_or(0)
    }
}

fn measured(step: &StepMetrics, total: f64) -> Operator {
    let count = |key: &str| step.counts.iter().find(|(known, _)| known.as_str() == key).map(|(_, n)| *n);
    let mut figures = format!("{:.3} ms", step.nanos as f64 / 1e6);
    if let Some(elements) = count(StepMetrics::ELEMENTS) {
        let _ = write!(figures, " · {elements} out");
    }
    for (key, value) in step.annotations.iter().filter(|(key, _)| key.as_str() != StepMetrics::SHARE) {
        let _ = write!(figures, " · {key} {value}");
    }
    Operator {
        name: step.name.to_string(),
        figures,
        share: Some((step.nanos as f64 / total).clamp(0.0, 1.0)),
        inside: step.nested.iter().map(|step| measured(step, total)).collect(),
    }
}

/// The operators that lines are; those further in are inside of the one before.
fn nested(lines: &[&str]) -> Vec<Operator> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(own) = lines.first().map(|line| indent(line)) else { return Vec::new() };
    let mut operators = Vec::new();
    let mut rest = lines;
    while let Some((first, below)) = rest.split_first() {
        let inside = below.iter().take_while(|line| indent(line) > own).count();
        let (what, step) = first.trim().split_once(STEP).unwrap_or((first.trim(), ""));
        let (name, expected) = what.trim_end().rsplit_once("  ~").unwrap_or((what.trim_end(), ""));
        let mut figures: Vec<String> = Vec::new();
        if !expected.is_empty() {
            figures.push(format!("{} expected", expected.trim()));
        }
        if !step.is_empty() {
            figures.push(step.trim().to_owned());
        }
        operators.push(Operator {
            name: name.to_owned(),
            figures: figures.join(" · "),
            share: None,
            inside: nested(&below[..inside]),
        });
        rest = &below[inside..];
    }
    operators
}

fn dot(boxes: &[Operator], above: Option<usize>, count: &mut usize, text: &mut String) {
    let mut before = above;
    let mut is_first = true;
    for operator in boxes {
        let own = *count;
        *count += 1;
        let label = format!("{}\n{}", short(&operator.name, LETTERS), short(&operator.figures, LETTERS));
        let _ = writeln!(text, "  n{own} [label={}];", quoted(&label));
        if let Some(before) = before {
            let style = if is_first && above.is_some() { " [style=dashed]" } else { "" };
            let _ = writeln!(text, "  n{before} -> n{own}{style};");
        }
        (before, is_first) = (Some(own), false);
        dot(&operator.inside, Some(own), count, text);
    }
}

/// Pixels around everything, between boxes, and from a box to what is inside of it.
const EDGE: f64 = 16.0;
const GAP: f64 = 8.0;
const INSET: f64 = 14.0;
/// Of a box with nothing inside.
const HEIGHT: f64 = 44.0;
/// Of the innermost boxes.
const WIDTH: f64 = 620.0;
/// Letters that fit into these.
const LETTERS: usize = 96;

/// Draws a box with its upper left corner there; where it ends.
fn draw(operator: &Operator, x: f64, y: f64, width: f64, out: &mut String) -> f64 {
    let mut inside = String::new();
    let mut end = y + HEIGHT;
    for operator in &operator.inside {
        end = draw(operator, x + INSET, end, width - 2.0 * INSET, &mut inside) + GAP;
    }
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect class=\"box\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{:.0}\" rx=\"6\"/>\
         <text x=\"{:.0}\" y=\"{:.0}\">{}</text><text class=\"figure\" x=\"{:.0}\" y=\"{:.0}\">{}</text></g>",
        escaped(&format!("{}\n{}", operator.name, operator.figures)),
        end - y,
        x + 10.0,
        y + 17.0,
        escaped(&short(&operator.name, LETTERS)),
        x + 10.0,
        y + 34.0,
        escaped(&short(&operator.figures, LETTERS)),
    );
    if let Some(share) = operator.share {
        let _ = writeln!(
            out,
            "<rect class=\"bar\" x=\"{x:.0}\" y=\"{:.0}\" width=\"{:.1}\" height=\"3\"/>",
            y + HEIGHT - 4.0,
            width * share
        );
    }
    out.push_str(&inside);
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "== logical plan\nseq V()\n== physical plan\nslots 2, parameters 0\nScanVertices(a)  ~1    ← V(label a)\n\
                        UnionScope [per stream]  ~1.6    ← union\n  branch:\n    Expand(out )  ~1.2    ← out()\n  branch:\n    \
                        Expand(in )  ~1.2    ← in(\"<&>\")\nRange limit(3)  ~1.6    ← limit(3)\n";

    #[test]
    fn a_plan_is_read_from_its_words() {
        let outline = Outline::of_plan(PLAN).unwrap();
        let names: Vec<&str> = outline.boxes.iter().map(|operator| operator.name.as_str()).collect();
        assert_eq!(names, ["ScanVertices(a)", "UnionScope [per stream]", "Range limit(3)"]);
        assert_eq!(outline.boxes[0].figures, "1 expected · V(label a)");
        let union = &outline.boxes[1];
        assert_eq!((union.inside.len(), union.inside[1].inside[0].name.as_str()), (2, "Expand(in )"));
        assert_eq!(Outline::of_plan("no plan"), None);
    }

    #[test]
    fn pictures_of_it_are_well_formed_and_have_a_box_for_each() {
        let outline = Outline::of_plan(PLAN).unwrap();
        let svg = outline.to_svg();
        assert_eq!(svg.matches("class=\"box\"").count(), 7);
        let mut reader = quick_xml::Reader::from_str(&svg);
        while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
        let dot = outline.to_dot();
        assert_eq!((dot.matches("[label=").count(), dot.matches("style=dashed").count()), (7, 3), "{dot}");
    }

    #[test]
    fn a_profile_has_bars() {
        let inner = StepMetrics { name: "out()".into(), nanos: 500_000, ..StepMetrics::default() };
        let outer = StepMetrics {
            name: "where()".into(),
            nanos: 1_000_000,
            counts: vec![(StepMetrics::ELEMENTS.into(), 3)],
            annotations: vec![("read".into(), Value::Long(9))],
            nested: vec![inner],
            ..StepMetrics::default()
        };
        let value = Value::from(Metrics { nanos: 2_000_000, steps: vec![outer] });
        let svg = Outline::of_value(&value).unwrap().to_svg();
        assert!(svg.contains("1.000 ms · 3 out · read 9"), "{svg}");
        assert_eq!(svg.matches("class=\"bar\"").count(), 2);
        assert!(svg.contains("width=\"324.0\" height=\"3\""), "half of the width: {svg}");
    }
}
