//! Vertex properties on their way through a query: an object with the value that the property had when it was read. It is an element
//! all the same, so its own properties are those that it has now.

use std::borrow::Cow;
use std::sync::Arc;

use graph::{KeyId, Reader};
use values::{Property, Value, VertexProperty, VertexRef};

/// The meta-properties of an entry.
pub(crate) fn meta_properties(meta: Vec<(KeyId, Value)>, reader: &Reader<'_>) -> Vec<Property> {
    let catalog = reader.snapshot().catalog();
    let property = |(key, value)| Property { key: catalog.key_name(key).clone(), value, owner: None };
    meta.into_iter().map(property).collect()
}

/// A vertex property with the meta-properties that it has now, for a reader of whatever the query has written. If it writes nothing,
/// that is what it came with.
pub(crate) fn as_it_is_now<'p>(
    property: &'p Arc<VertexProperty>,
    reader: &Reader<'_>,
) -> Cow<'p, Arc<VertexProperty>> {
    if reader.sees_own() { read_again(property, reader) } else { Cow::Borrowed(property) }
}

/// Whether another value has come to the place of a vertex property that was read from the graph.
pub(crate) fn is_replaced(property: &VertexProperty, v: VertexRef, key: KeyId, reader: &Reader<'_>) -> bool {
    let entry = || reader.vertex_property(v, key, &property.id);
    property.owner.is_some() && entry().is_some_and(|entry| entry.value != property.value)
}

/// A vertex property with the meta-properties that a reader finds: none if it is gone. One that does not come from the graph has what it
/// came with.
pub(crate) fn read_again<'p>(
    property: &'p Arc<VertexProperty>,
    reader: &Reader<'_>,
) -> Cow<'p, Arc<VertexProperty>> {
    let Some(v) = property.owner else { return Cow::Borrowed(property) };
    let key = reader.snapshot().catalog().key(&property.key);
    let entry = key.and_then(|key| reader.vertex_property(v, key, &property.id));
    // Of one that was replaced another has the place, and the id.
    let entry = entry.filter(|entry| entry.value == property.value);
    let meta = entry.map_or_else(Vec::new, |entry| entry.meta);
    if meta.is_empty() && property.properties.is_empty() {
        return Cow::Borrowed(property);
    }
    let properties = meta_properties(meta, reader);
    Cow::Owned(Arc::new(VertexProperty { properties, ..(**property).clone() }))
}
