//! Making a stream of one kind into one that a step can take.

use super::{Generator, Kind, Made, Needs};
use crate::differential::ast::Step;

impl Generator<'_> {
    /// Steps after which the stream is what is needed.
    pub(super) fn adapt(&mut self, kind: &Kind, needs: Needs) -> Made {
        if needs.take(kind) {
            return (Vec::new(), kind.clone());
        }
        match needs {
            Needs::Vertex => self.reach_vertex(kind),
            Needs::Edge => self.then(kind, Needs::Vertex, |this, _| {
                let name = this.pick(&["outE", "inE", "bothE"]);
                (vec![Step::new(name)], Kind::Edge)
            }),
            Needs::Element => {
                let needs = if self.once_in(3) { Needs::Edge } else { Needs::Vertex };
                self.adapt(kind, needs)
            }
            Needs::Owner | Needs::Atom => self.adapt(kind, Needs::Vertex),
            Needs::Property => self.then(kind, Needs::Element, |_, kind| {
                let made = if *kind == Kind::Edge { Kind::Property } else { Kind::VertexProperty };
                (vec![Step::new("properties")], made)
            }),
            Needs::VertexProperty => self.then(kind, Needs::Vertex, |this, kind| {
                let mut step = Step::new("properties");
                if this.once_in(3) {
                    step = step.name_arg(this.key(kind).0);
                }
                (vec![step], Kind::VertexProperty)
            }),
            Needs::Number => self.reach_number(kind),
            Needs::Text => self.reach_text(kind),
            Needs::Date => self.reach_date(kind),
            Needs::Comparable => {
                let needs = self.pick(&[Needs::Number, Needs::Text]);
                self.adapt(kind, needs)
            }
            Needs::Many => match kind {
                Kind::Path => (vec![Step::new("unfold"), Step::new("fold")], Kind::many(Kind::Mixed)),
                _ if self.once_in(3) => self.list_per_traverser(kind),
                _ => (vec![Step::new("fold")], Kind::many(kind.clone())),
            },
            Needs::Texts => self.then(kind, Needs::Text, |this, kind| this.list_per_traverser(kind)),
            Needs::Container => {
                let needs = self.pick(&[Needs::Many, Needs::Map]);
                self.adapt(kind, needs)
            }
            Needs::Map => self.reach_map(kind),
            Needs::Path => (vec![Step::new("path")], Kind::Path),
            Needs::Any => (Vec::new(), kind.clone()),
        }
    }

    /// Adapts, and goes on from there.
    fn then(&mut self, kind: &Kind, needs: Needs, next: impl FnOnce(&mut Self, &Kind) -> Made) -> Made {
        let (mut steps, kind) = self.adapt(kind, needs);
        let (more, kind) = next(self, &kind);
        steps.extend(more);
        (steps, kind)
    }

    fn reach_vertex(&mut self, kind: &Kind) -> Made {
        match kind {
            Kind::Edge => {
                let name = self.pick(&["inV", "outV", "bothV"]);
                (vec![Step::new(name)], Kind::Vertex)
            }
            Kind::Many(of) if **of == Kind::Vertex => (vec![Step::new("unfold")], Kind::Vertex),
            _ => {
                let step = Step::new("V").arg(self.vertex_id().to_string()).arg(self.vertex_id().to_string());
                (vec![step], Kind::Vertex)
            }
        }
    }

    fn reach_number(&mut self, kind: &Kind) -> Made {
        let step = match kind {
            Kind::Vertex => {
                let key = self.pick(&["age", "n"]);
                Step::new("values").name_arg(key)
            }
            Kind::Edge => Step::new("values").name_arg("weight"),
            Kind::Text => Step::new("length"),
            Kind::Many(of) if **of == Kind::Number && self.rng.bool() => Step::new("unfold"),
            Kind::Many(_) | Kind::Map(_) | Kind::Path => Step::new("count").arg("local"),
            Kind::Bool | Kind::Mixed | Kind::VertexProperty | Kind::Property => Step::new("count"),
            _ => Step::new("constant").arg(self.number()),
        };
        (vec![step], Kind::Number)
    }

    fn reach_text(&mut self, kind: &Kind) -> Made {
        let step = match kind {
            Kind::Vertex => match self.rng.u8(..4) {
                0 => Step::new("label"),
                1 => Step::new("values").name_arg("tag"),
                _ => Step::new("values").name_arg("name"),
            },
            Kind::Edge => Step::new("label"),
            Kind::VertexProperty | Kind::Property => Step::new("key"),
            Kind::Number | Kind::Bool if self.rng.bool() => Step::new("asString"),
            Kind::Many(of) if **of == Kind::Text => Step::new("unfold"),
            _ => Step::new("constant").arg(self.text()),
        };
        (vec![step], Kind::Text)
    }

    fn reach_date(&mut self, kind: &Kind) -> Made {
        let step = match kind {
            Kind::Vertex => Step::new("values").name_arg("born"),
            _ => Step::new("constant").arg(self.literal(&Kind::Date)),
        };
        (vec![step], Kind::Date)
    }

    /// A list of its own for each traverser.
    fn list_per_traverser(&mut self, kind: &Kind) -> Made {
        match kind {
            Kind::Vertex if self.rng.bool() => {
                let inner = vec![Step::new("both").arg("'knows'"), Step::new("values").name_arg("name")];
                let folded = [inner, vec![Step::new("order"), Step::new("fold")]].concat();
                let parent = self.pick(&["local", "map"]);
                (vec![Step::new(parent).child(folded)], Kind::many(Kind::Text))
            }
            Kind::Vertex => {
                let folded = vec![Step::new("values").name_arg("tag"), Step::new("order"), Step::new("fold")];
                let parent = self.pick(&["local", "map"]);
                (vec![Step::new(parent).child(folded)], Kind::many(Kind::Text))
            }
            Kind::Text => (vec![Step::new("split").name_arg(" ")], Kind::many(Kind::Text)),
            _ => {
                let parent = self.pick(&["local", "map"]);
                (vec![Step::new(parent).child(Step::new("fold"))], Kind::many(kind.clone()))
            }
        }
    }

    fn reach_map(&mut self, kind: &Kind) -> Made {
        match kind {
            Kind::Vertex | Kind::Edge => match self.rng.u8(..4) {
                0 => (vec![Step::new("groupCount")], Kind::Map(Vec::new())),
                1 => (vec![Step::new("valueMap")], Kind::Map(vec![("name".into(), Kind::many(Kind::Text))])),
                _ => self.projected(kind),
            },
            Kind::Many(_) | Kind::Path => {
                (vec![Step::new("unfold"), Step::new("groupCount")], Kind::Map(Vec::new()))
            }
            _ if self.rng.bool() => (vec![Step::new("groupCount")], Kind::Map(Vec::new())),
            _ => self.projected(kind),
        }
    }

    fn projected(&mut self, kind: &Kind) -> Made {
        let mut step = Step::new("project").name_arg("p").name_arg("q");
        let second =
            if matches!(kind, Kind::Vertex) { Step::new("by").name_arg("name") } else { Step::new("by") };
        let made = if matches!(kind, Kind::Vertex) { Kind::Text } else { kind.clone() };
        step = step.with(Step::new("by")).with(second);
        (vec![step], Kind::Map(vec![("p".into(), kind.clone()), ("q".into(), made)]))
    }
}
