//! Elements and properties removed.

use values::{Value, excerpt, watch};

use super::{Change, TICKS};
use crate::batch::Batch;
use crate::error::QueryError;
use crate::operators::element::{find_edge, find_vertex};
use crate::operators::view::View;

impl Change<'_> {
    /// Removes what each traverser is at. What is gone already stays gone.
    pub(super) fn drop_all(&self, batch: &Batch) -> Result<(), QueryError> {
        (0..batch.len).try_for_each(|row| {
            watch::ticks(TICKS);
            self.drop_one(&batch.current.get(row).unwrap_or_default())
        })
    }

    fn drop_one(&self, object: &Value) -> Result<(), QueryError> {
        match object {
            Value::VertexRef(v) => self.transaction.drop_vertex(*v)?,
            Value::EdgeRef(e) => self.transaction.drop_edge(*e)?,
            Value::VertexProperty(p) => {
                if let Some(place) = self.place_of(p)? {
                    self.transaction.drop_vertex_property(place)?;
                }
            }
            Value::Property(p) => match &p.owner {
                Some(Value::EdgeRef(e)) => self.transaction.drop_edge_property(*e, &p.key)?,
                Some(Value::VertexProperty(owner)) => {
                    if let Some(place) = self.place_of(owner)? {
                        self.transaction.drop_meta_property(place, &p.key)?;
                    }
                }
                _ => {
                    let key = excerpt(&p.key);
                    return Err(self.error(format!("the property {key} does not come from this graph")));
                }
            },
            Value::Vertex(_) | Value::Edge(_) => self.drop_detached(object)?,
            other => {
                let message = format!("The incoming object is not removable: {}", self.excerpt_of(other));
                return Err(self.error(message));
            }
        }
        Ok(())
    }

    fn drop_detached(&self, object: &Value) -> Result<(), QueryError> {
        let view = View::of(self.cx);
        let graph = view.graph();
        if let Some(v) = find_vertex(object, &graph).filter(|_| matches!(object, Value::Vertex(_))) {
            self.transaction.drop_vertex(v)?;
        } else if let Some(e) = find_edge(object, &graph) {
            self.transaction.drop_edge(e)?;
        }
        Ok(())
    }
}
