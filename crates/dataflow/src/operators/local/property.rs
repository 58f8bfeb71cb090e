//! Functions of properties.

use planner::physical::op::PropertyFunction;
use values::{Value, Vertex};

use super::Around;
use crate::error::QueryError;

/// The functions of the family.
pub(super) fn apply(
    function: PropertyFunction,
    object: &Value,
    around: Around<'_>,
) -> Result<Value, QueryError> {
    match function {
        PropertyFunction::Element => element(object, around),
    }
}

/// `element()`: what a property belongs to: a vertex, an edge, or, of a meta-property, a vertex property. A property that came
/// with the request may know no more of its vertex than its id.
fn element(object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    let element = match object {
        Value::VertexProperty(property) => property.owner.map(Value::VertexRef).or_else(|| {
            let (id, label) = property.vertex.as_ref()?;
            Some(Value::from(Vertex::reference(id.clone(), label.clone())))
        }),
        Value::Property(property) => property.owner.clone(),
        other => {
            return Err(around.error(format!("element() needs a property, found {}", other.type_name())));
        }
    };
    element.ok_or_else(|| around.error("it is not known which element the property belongs to"))
}
