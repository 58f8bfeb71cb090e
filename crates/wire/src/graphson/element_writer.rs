//! Writing elements, properties and paths.

use values::{Edge, Path, Property, Str, Value, Vertex, VertexProperty};

use super::Version;
use super::writer::{Fields, Writer, Written};

impl<'a> Writer<'a> {
    /// An element, a property or a path.
    pub(super) fn element(&mut self, value: &Value) -> Written {
        match value {
            Value::Vertex(v) => self.vertex(v),
            Value::Edge(e) => self.edge(e),
            Value::VertexProperty(p) => self.vertex_property(p, true),
            Value::Property(p) => self.property(p),
            Value::Path(p) => self.path(p),
            other => self.value(other),
        }
    }

    /// Versions 1 and 3 say what an untyped element is, and write its properties more briefly than version 2.
    fn is_brief(&self) -> bool {
        !self.dialect.typed && self.dialect.version != Version::V2
    }

    pub(super) fn vertex(&mut self, v: &Vertex) -> Written {
        let brief = self.is_brief();
        let says_none = self.dialect.version == Version::V1;
        let properties = self.properties.of(&v.properties).unwrap_or_default();
        self.typed("g:Vertex", |w| {
            w.object(|o| {
                o.field("id", |w| w.value(&v.id))?;
                o.label(&v.label)?;
                if brief {
                    o.text("type", "vertex")?;
                }
                if properties.is_empty() && !says_none {
                    return Ok(());
                }
                o.field("properties", |w| w.object(|o| vertex_properties(properties, brief, o)))
            })
        })
    }

    pub(super) fn edge(&mut self, e: &Edge) -> Written {
        let brief = self.is_brief();
        let properties = self.properties.of(&e.properties).unwrap_or_default();
        self.typed("g:Edge", |w| {
            w.object(|o| {
                o.field("id", |w| w.value(&e.id))?;
                o.label(&e.label)?;
                if brief {
                    o.text("type", "edge")?;
                }
                o.ends(e)?;
                if properties.is_empty() {
                    return Ok(());
                }
                o.field("properties", |w| {
                    w.object(|o| properties.iter().try_for_each(|p| o.field(&p.key, |w| w.edge_property(p))))
                })
            })
        })
    }

    /// A property under its key: in version 4 an array of one.
    fn edge_property(&mut self, p: &Property) -> Written {
        let brief = self.is_brief();
        let write = |w: &mut Self, p: &Property| if brief { w.value(&p.value) } else { w.property(p) };
        if self.dialect.version == Version::V4 { self.array([p], write) } else { write(self, p) }
    }

    fn vertex_property(&mut self, p: &VertexProperty, with_label: bool) -> Written {
        let properties = self.properties.of(&p.properties).unwrap_or_default();
        self.typed("g:VertexProperty", |w| {
            w.object(|o| {
                o.field("id", |w| w.value(&p.id))?;
                o.field("value", |w| w.value(&p.value))?;
                if with_label {
                    o.label(&p.key)?;
                }
                if properties.is_empty() {
                    return Ok(());
                }
                o.field("properties", |w| {
                    w.object(|o| properties.iter().try_for_each(|p| o.field(&p.key, |w| w.value(&p.value))))
                })
            })
        })
    }

    fn property(&mut self, p: &Property) -> Written {
        self.typed("g:Property", |w| {
            w.object(|o| {
                o.text("key", &p.key)?;
                o.field("value", |w| w.value(&p.value))
            })
        })
    }

    fn path(&mut self, p: &Path) -> Written {
        self.typed("g:Path", |w| {
            w.object(|o| {
                o.field("labels", |w| w.collection("g:List", &p.labels, Self::labels))?;
                o.field("objects", |w| w.collection("g:List", &p.objects, Self::value))
            })
        })
    }

    fn labels(&mut self, labels: &Vec<Str>) -> Written {
        self.collection("g:Set", labels, |w, label| {
            w.string(label);
            Ok(())
        })
    }
}

impl Fields<'_, '_> {
    /// The label of an element: a string, or in version 4 an array of those that there are.
    fn label(&mut self, label: &str) -> Written {
        if self.version() != Version::V4 {
            return self.text("label", label);
        }
        let labels = (!label.is_empty()).then_some(label);
        self.field("label", |w| {
            w.array(labels, |w, label| {
                w.string(label);
                Ok(())
            })
        })
    }

    /// Where an edge leads to and comes from.
    fn ends(&mut self, e: &Edge) -> Written {
        if self.version() == Version::V4 {
            let mut end = |name: &str, v: &Vertex| {
                self.field(name, |w| {
                    w.object(|o| {
                        o.field("id", |w| w.value(&v.id))?;
                        o.label(&v.label)
                    })
                })
            };
            end("inV", &e.in_v)?;
            return end("outV", &e.out_v);
        }
        self.text("inVLabel", &e.in_v.label)?;
        self.text("outVLabel", &e.out_v.label)?;
        self.field("inV", |w| w.value(&e.in_v.id))?;
        self.field("outV", |w| w.value(&e.out_v.id))
    }
}

/// Vertex properties by key, each key once, in the order of their first ones.
fn vertex_properties(properties: &[VertexProperty], brief: bool, o: &mut Fields<'_, '_>) -> Written {
    for (i, first) in properties.iter().enumerate() {
        let is_kin = |p: &&VertexProperty| p.key == first.key;
        if properties[..i].iter().any(|p| is_kin(&p)) {
            continue;
        }
        let kin = properties[i..].iter().filter(is_kin);
        o.field(&first.key, |w| w.array(kin, |w, p| w.nested(|w| w.vertex_property(p, !brief))))?;
    }
    Ok(())
}
