//! Reading elements, properties and paths.

use values::{Edge, Path, Property, Str, Value, Vertex, VertexProperty};

use super::reader::{Read, Reader};
use crate::error::Problem;

impl Reader<'_> {
    /// `{id}{label}{properties}`
    pub(super) fn vertex(&mut self) -> Read<Vertex> {
        let (id, label) = (self.value()?, self.label()?);
        Ok(Vertex { id, label, properties: self.vertex_properties()? })
    }

    /// `{id}{label}{inVId}{inVLabel}{outVId}{outVLabel}{parent}{properties}`
    pub(super) fn edge(&mut self) -> Read<Edge> {
        let (id, label) = (self.value()?, self.label()?);
        let in_v = Vertex::reference(self.value()?, self.label()?);
        let out_v = Vertex::reference(self.value()?, self.label()?);
        self.any()?;
        Ok(Edge { id, label, out_v, in_v, properties: self.properties()? })
    }

    /// `{id}{label}{value}{parent}{properties}`. The parent is null in all that TinkerPop writes, and in what is written
    /// here; another one is passed over, as those of edges and properties are.
    pub(super) fn vertex_property(&mut self) -> Read<VertexProperty> {
        let (id, key, value) = (self.value()?, self.label()?, self.value()?);
        self.any()?;
        Ok(VertexProperty { id, key, value, properties: self.properties()?, vertex: None, owner: None })
    }

    /// `{key}{value}{parent}`
    pub(super) fn property(&mut self) -> Read<Property> {
        let (key, value) = (self.text()?.into(), self.value()?);
        self.any()?;
        Ok(Property { key, value, owner: None })
    }

    /// `{labels}{objects}`: a list of sets of strings and a list of as many values.
    pub(super) fn path(&mut self) -> Read<Path> {
        let at = self.at();
        let labels = self.path_labels()?;
        let objects = match self.value()? {
            Value::List(objects) => objects.to_vec(),
            other => return Err(Problem::expected("the list of a path's objects", other.type_name()).at(at)),
        };
        if labels.len() != objects.len() {
            let found = format!("{} and {}", labels.len(), objects.len());
            return Err(Problem::expected("as many labels as objects in a path", found).at(at));
        }
        Ok(Path { labels, objects })
    }

    fn path_labels(&mut self) -> Read<Vec<Vec<Str>>> {
        let at = self.at();
        let value = self.value()?;
        crate::graph_parts::path_labels(&value).map_err(|problem| problem.at(at))
    }

    /// A list of vertex properties, or null for none.
    fn vertex_properties(&mut self) -> Read<Vec<VertexProperty>> {
        let at = self.at();
        let value = self.value()?;
        crate::graph_parts::vertex_properties(value).map_err(|problem| problem.at(at))
    }

    /// A list of properties, or null for none.
    pub(super) fn properties(&mut self) -> Read<Vec<Property>> {
        let at = self.at();
        let value = self.value()?;
        crate::graph_parts::properties(value).map_err(|problem| problem.at(at))
    }
}
