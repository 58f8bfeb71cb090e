//! Steps along the graph, and to what elements have.

use super::{Generator, Kind, Made, Needs, Production};
use crate::differential::ast::{Arg, Step};

/// Steps from elements and properties.
pub static PRODUCTIONS: &[Production] = &[
    Production::new("out", 4, Needs::Vertex, |this, _| this.along("out", Kind::Vertex)),
    Production::new("in", 4, Needs::Vertex, |this, _| this.along("in", Kind::Vertex)),
    Production::new("both", 6, Needs::Vertex, |this, _| this.along("both", Kind::Vertex)),
    Production::new("outE", 3, Needs::Vertex, |this, _| this.along("outE", Kind::Edge)),
    Production::new("inE", 3, Needs::Vertex, |this, _| this.along("inE", Kind::Edge)),
    Production::new("bothE", 3, Needs::Vertex, |this, _| this.along("bothE", Kind::Edge)),
    Production::new("to", 1, Needs::Vertex, |this, _| this.directed("to", Kind::Vertex)),
    Production::new("toE", 1, Needs::Vertex, |this, _| this.directed("toE", Kind::Edge)),
    Production::new("toV", 1, Needs::Edge, |this, _| {
        let direction = this.pick(&["OUT", "IN", "BOTH"]);
        (vec![Step::new("toV").arg(direction)], Kind::Vertex)
    }),
    Production::new("outV", 3, Needs::Edge, |_, _| (vec![Step::new("outV")], Kind::Vertex)),
    Production::new("inV", 3, Needs::Edge, |_, _| (vec![Step::new("inV")], Kind::Vertex)),
    Production::new("bothV", 3, Needs::Edge, |_, _| (vec![Step::new("bothV")], Kind::Vertex)),
    Production::new("otherV", 3, Needs::Vertex, |this, _| {
        let edges = this.pick(&["outE", "inE", "bothE", "bothE"]);
        (vec![Step::new(edges), Step::new("otherV")], Kind::Vertex)
    }),
    Production::new("subgraph", 1, Needs::Edge, |_, kind| {
        // What it gathers nobody asks for: a graph is told otherwise.
        (vec![Step::new("subgraph").name_arg("sg")], kind.clone())
    }),
    Production::new("id", 1, Needs::Element, |_, _| (vec![Step::new("id")], Kind::Number)),
    Production::new("label", 2, Needs::Owner, |_, _| (vec![Step::new("label")], Kind::Text)),
    Production::new("values", 6, Needs::Owner, values),
    Production::new("properties", 3, Needs::Owner, properties),
    Production::new("valueMap", 3, Needs::Owner, value_map),
    Production::new("valueMap(by)", 2, Needs::Owner, |this, kind| {
        let mut step = Step::new("valueMap");
        for _ in 0..this.rng.usize(..3) {
            step = step.name_arg(this.key(kind).0);
        }
        let of = if *kind == Kind::Vertex { Kind::many(Kind::Mixed) } else { Kind::Mixed };
        let (child, _) = this.child(&of);
        (vec![step.with(Step::new("by").child(child))], Kind::Map(Vec::new()))
    }),
    Production::new("propertyMap", 1, Needs::Owner, property_map),
    Production::new("elementMap", 1, Needs::Element, element_map),
    Production::new("key", 3, Needs::Property, |_, _| (vec![Step::new("key")], Kind::Text)),
    Production::new("value", 3, Needs::Property, |_, _| (vec![Step::new("value")], Kind::Mixed)),
    Production::new("element", 3, Needs::Property, |_, kind| {
        let made = if *kind == Kind::VertexProperty { Kind::Vertex } else { Kind::Mixed };
        (vec![Step::new("element")], made)
    }),
    Production::new("hasKey", 2, Needs::Property, |this, kind| {
        let key = this.pick(&["name", "age", "tag", "weight", "n"]);
        (vec![Step::new("hasKey").name_arg(key)], kind.clone())
    }),
    Production::new("hasValue", 2, Needs::Property, |this, kind| {
        let mut step = Step::new("hasValue");
        for _ in 0..this.rng.usize(1..3) {
            step = step.arg(this.literal(&Kind::Mixed));
        }
        (vec![step], kind.clone())
    }),
];

fn values(this: &mut Generator<'_>, kind: &Kind) -> Made {
    if this.once_in(8) {
        return (vec![Step::new("values")], Kind::Mixed);
    }
    let (key, made) = this.key(kind);
    if this.once_in(6) {
        let (other, more) = this.key(kind);
        return (vec![Step::new("values").name_arg(key).name_arg(other)], made.or(more));
    }
    (vec![Step::new("values").name_arg(key)], made)
}

fn properties(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let made = if *kind == Kind::Vertex { Kind::VertexProperty } else { Kind::Property };
    let mut step = Step::new("properties");
    for _ in 0..this.rng.usize(..3) {
        step = step.name_arg(this.key(kind).0);
    }
    (vec![step], made)
}

fn value_map(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("valueMap");
    // The ids of vertex properties are for each to choose.
    let has_tokens = *kind != Kind::VertexProperty;
    if has_tokens && this.once_in(5) {
        step = step.arg("true");
    }
    let mut keys = Vec::new();
    for _ in 0..this.rng.usize(..3) {
        let (key, made) = this.key(kind);
        step = step.name_arg(key);
        keys.push((key.to_owned(), if *kind == Kind::Vertex { Kind::many(made) } else { made }));
    }
    match this.rng.u8(..8) {
        0 => step = step.with(Step::new("by").child(Step::new("unfold"))),
        1 if has_tokens => step = step.with(Step::new("with").arg("WithOptions.tokens")),
        2 => step = step.with(Step::new("by").child(vec![Step::new("count").arg("local")])),
        _ => {}
    }
    (vec![step], Kind::Map(keys))
}

fn property_map(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("propertyMap");
    if this.rng.bool() {
        step = step.name_arg(this.key(kind).0);
    }
    (vec![step], Kind::Map(Vec::new()))
}

fn element_map(this: &mut Generator<'_>, kind: &Kind) -> Made {
    let mut step = Step::new("elementMap");
    let mut keys = Vec::new();
    for _ in 0..this.rng.usize(..3) {
        let (key, made) = this.key(kind);
        step = step.name_arg(key);
        keys.push((key.to_owned(), made));
    }
    (vec![step], Kind::Map(keys))
}

impl Generator<'_> {
    fn along(&mut self, name: &'static str, made: Kind) -> Made {
        let mut step = Step::new(name);
        if self.once_in(3) {
            step = step.name_arg(self.edge_label());
            let other = Arg::Text(format!("'{}'", self.edge_label()));
            if self.rng.bool() && step.args[0] != other {
                step.args.push(other);
            }
        }
        (vec![step], made)
    }

    fn directed(&mut self, name: &'static str, made: Kind) -> Made {
        let direction = self.pick(&["OUT", "IN", "BOTH"]);
        let mut step = Step::new(name).arg(direction);
        if self.once_in(3) {
            step = step.name_arg(self.edge_label());
        }
        (vec![step], made)
    }
}
