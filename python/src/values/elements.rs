//! Elements, paths and subgraphs: parts of results that stay the engine's until somebody looks into them.

use std::sync::Arc;

use mangrove::values::{self, Map, Str, Value};
use pyo3::{
    IntoPyObjectExt,
    basic::CompareOp,
    exceptions::PyKeyError,
    prelude::*,
    types::{PyIterator, PyList, PySet, PyTuple},
};

use super::to_python::{hashable, to_python};
use crate::errors;

/// A vertex: `id`, `label` and `properties`; `vertex["name"]` is the first value of one. Vertices with the same id are equal.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Vertex(pub(crate) Arc<values::Vertex>);

/// An edge from `outV` to `inV`, with `id`, `label` and `properties`; `edge["since"]` is the value of one.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Edge(pub(crate) Arc<values::Edge>);

/// A property of a vertex: `id`, `key`, `value` and properties of its own.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct VertexProperty(Arc<values::VertexProperty>);

/// A property of an edge or of a vertex's property: `key` and `value`.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Property(Arc<values::Property>);

/// What a traverser has passed: `objects`, and of each the `labels` that steps gave it. `path[0]` is the first object,
/// `path["a"]` the one with that label, or a list if there are several.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Path(Arc<values::Weighed<values::Path>>);

/// What `subgraph()` gathers: `vertices` and `edges`.
#[pyclass(frozen, module = "mangrove")]
pub(crate) struct Graph {
    vertices: Vec<Arc<values::Vertex>>,
    edges: Vec<Arc<values::Edge>>,
}

/// An element or path as Python has it.
///
/// # Errors
/// For anything else.
pub(super) fn element<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Vertex(v) => Vertex(v.clone()).into_bound_py_any(py),
        Value::Edge(e) => Edge(e.clone()).into_bound_py_any(py),
        Value::VertexProperty(p) => VertexProperty(p.clone()).into_bound_py_any(py),
        Value::Property(p) => Property(p.clone()).into_bound_py_any(py),
        Value::Path(p) => Path(p.clone()).into_bound_py_any(py),
        Value::Null => Ok(py.None().into_bound(py)),
        other => Err(errors::conversion(format!("a {} cannot be said in Python", other.type_name()))),
    }
}

/// The element that a value of Python's is.
pub(super) fn of_element(given: &Bound<'_, PyAny>) -> Option<Value> {
    if let Ok(vertex) = given.cast::<Vertex>() {
        return Some(Value::Vertex(vertex.get().0.clone()));
    }
    if let Ok(edge) = given.cast::<Edge>() {
        return Some(Value::Edge(edge.get().0.clone()));
    }
    if let Ok(property) = given.cast::<VertexProperty>() {
        return Some(Value::VertexProperty(property.get().0.clone()));
    }
    if let Ok(property) = given.cast::<Property>() {
        return Some(Value::Property(property.get().0.clone()));
    }
    if let Ok(path) = given.cast::<Path>() {
        return Some(Value::Path(path.get().0.clone()));
    }
    given.cast::<Graph>().ok().map(|graph| graph.get().value())
}

/// A subgraph.
pub(super) fn graph<'py>(py: Python<'py>, map: &Map) -> PyResult<Bound<'py, PyAny>> {
    let vertices = map.elements(Map::VERTICES).filter_map(|element| match element {
        Value::Vertex(vertex) => Some(vertex.clone()),
        _ => None,
    });
    let edges = map.elements(Map::EDGES).filter_map(|element| match element {
        Value::Edge(edge) => Some(edge.clone()),
        _ => None,
    });
    Graph { vertices: vertices.collect(), edges: edges.collect() }.into_bound_py_any(py)
}

/// Whether two elements are the same, where something else may be on the right.
fn compared(py: Python<'_>, op: CompareOp, same: Option<bool>) -> PyResult<Py<PyAny>> {
    match (op, same) {
        (CompareOp::Eq, Some(same)) => same.into_py_any(py),
        (CompareOp::Ne, Some(same)) => (!same).into_py_any(py),
        _ => Ok(py.NotImplemented()),
    }
}

fn hash_of(py: Python<'_>, id: &Value) -> PyResult<isize> {
    hashable(py, id)?.hash()
}

/// A value in the text of an element: strings are cut.
fn told(value: &Value) -> String {
    const LONGEST: usize = 20;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

fn properties<'py>(py: Python<'py>, of: &[values::Property]) -> PyResult<Bound<'py, PyList>> {
    let made = of.iter().map(|property| Property(Arc::new(property.clone())).into_bound_py_any(py));
    PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl Vertex {
    /// The id.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.id)
    }

    /// The label.
    #[getter]
    fn label(&self) -> &str {
        &self.0.label
    }

    /// All properties: `VertexProperty` objects, of which several may have the same key.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let made =
            self.0.properties.iter().map(|p| VertexProperty(Arc::new(p.clone())).into_bound_py_any(py));
        PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)
    }

    /// The keys of its properties, each once.
    fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for property in &self.0.properties {
            if !keys.contains(&property.key.as_str()) {
                keys.push(&property.key);
            }
        }
        keys
    }

    /// All values of a property.
    fn values<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.0.properties.iter().filter(|p| p.key == key).map(|p| to_python(py, &p.value)).collect()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.0.properties.iter().find(|p| p.key == key) {
            Some(property) => to_python(py, &property.value),
            None => Err(PyKeyError::new_err(key.to_owned())),
        }
    }

    fn __contains__(&self, key: &str) -> bool {
        self.0.properties.iter().any(|p| p.key == key)
    }

    /// The first value of a property, or something else if it has none.
    #[pyo3(signature = (key, default=None, /))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.properties.iter().find(|p| p.key == key) {
            Some(property) => to_python(py, &property.value).map(Some),
            None => Ok(default),
        }
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        compared(py, op, other.cast::<Self>().ok().map(|other| self.0.id == other.get().0.id))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        hash_of(py, &self.0.id)
    }

    fn __repr__(&self) -> String {
        format!("v[{}]", self.0.id)
    }
}

#[pymethods]
impl Edge {
    /// The id.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.id)
    }

    /// The label.
    #[getter]
    fn label(&self) -> &str {
        &self.0.label
    }

    /// The vertex that it comes from, by id and label.
    #[getter(outV)]
    fn out_v(&self) -> Vertex {
        Vertex(Arc::new(self.0.out_v.clone()))
    }

    /// The vertex that it leads to, by id and label.
    #[getter(inV)]
    fn in_v(&self) -> Vertex {
        Vertex(Arc::new(self.0.in_v.clone()))
    }

    /// All properties.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        properties(py, &self.0.properties)
    }

    /// The keys of its properties.
    fn keys(&self) -> Vec<&str> {
        self.0.properties.iter().map(|p| p.key.as_str()).collect()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.0.properties.iter().find(|p| p.key == key) {
            Some(property) => to_python(py, &property.value),
            None => Err(PyKeyError::new_err(key.to_owned())),
        }
    }

    fn __contains__(&self, key: &str) -> bool {
        self.0.properties.iter().any(|p| p.key == key)
    }

    /// The value of a property, or something else if it has none.
    #[pyo3(signature = (key, default=None, /))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.properties.iter().find(|p| p.key == key) {
            Some(property) => to_python(py, &property.value).map(Some),
            None => Ok(default),
        }
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        compared(py, op, other.cast::<Self>().ok().map(|other| self.0.id == other.get().0.id))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        hash_of(py, &self.0.id)
    }

    fn __repr__(&self) -> String {
        let values::Edge { id, label, out_v, in_v, .. } = &*self.0;
        format!("e[{id}][{}-{label}->{}]", out_v.id, in_v.id)
    }
}

#[pymethods]
impl VertexProperty {
    /// The id.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.id)
    }

    /// The key.
    #[getter]
    fn key(&self) -> &str {
        &self.0.key
    }

    /// The key, as gremlinpython calls it, too.
    #[getter]
    fn label(&self) -> &str {
        &self.0.key
    }

    /// The value.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.value)
    }

    /// Its own properties.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        properties(py, &self.0.properties)
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        compared(py, op, other.cast::<Self>().ok().map(|other| self.0.id == other.get().0.id))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        hash_of(py, &self.0.id)
    }

    fn __repr__(&self) -> String {
        format!("vp[{}->{}]", self.0.key, told(&self.0.value))
    }
}

#[pymethods]
impl Property {
    /// The key.
    #[getter]
    fn key(&self) -> &str {
        &self.0.key
    }

    /// The value.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.value)
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let same = |other: &Self| (&self.0.key, &self.0.value) == (&other.0.key, &other.0.value);
        compared(py, op, other.cast::<Self>().ok().map(|other| same(other.get())))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.key(), hashable(py, &self.0.value)?).into_pyobject(py)?.hash()
    }

    fn __repr__(&self) -> String {
        format!("p[{}->{}]", self.0.key, told(&self.0.value))
    }
}

#[pymethods]
impl Path {
    /// The objects, in the order in which they were passed.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let objects = self.0.objects.iter().map(|object| to_python(py, object));
        PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
    }

    /// Of each object the set of labels that steps gave it.
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let labels = self.0.labels.iter().map(|labels| PySet::new(py, labels.iter().map(Str::as_str)));
        PyList::new(py, labels.collect::<PyResult<Vec<_>>>()?)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.objects(py)?.try_iter()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(label) = key.extract::<String>() else { return self.objects(py)?.as_any().get_item(key) };
        let objects = self.0.objects.iter().zip(&self.0.labels);
        let labelled: Vec<_> =
            objects.filter(|(_, labels)| labels.contains(&Str::from(label.as_str()))).collect();
        match &labelled[..] {
            [] => Err(PyKeyError::new_err(label)),
            [(object, _)] => to_python(py, object),
            several => {
                let objects = several.iter().map(|(object, _)| to_python(py, object));
                Ok(PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)?.into_any())
            }
        }
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let same = |other: &Self| **self.0 == **other.0;
        compared(py, op, other.cast::<Self>().ok().map(|other| same(other.get())))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let objects = self.0.objects.iter().map(|object| hashable(py, object));
        PyTuple::new(py, objects.collect::<PyResult<Vec<_>>>()?)?.hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("path{}", self.objects(py)?.repr()?))
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(slf.py().import("mangrove._pictures")?.call_method1("of_path", (slf,))?.unbind())
    }
}

impl Graph {
    fn value(&self) -> Value {
        let vertices = self.vertices.iter().cloned().map(Value::Vertex);
        Map::graph(vertices, self.edges.iter().cloned().map(Value::Edge)).into()
    }
}

#[pymethods]
impl Graph {
    /// The vertices.
    #[getter]
    fn vertices(&self) -> Vec<Vertex> {
        self.vertices.iter().map(|vertex| Vertex(vertex.clone())).collect()
    }

    /// The edges.
    #[getter]
    fn edges(&self) -> Vec<Edge> {
        self.edges.iter().map(|edge| Edge(edge.clone())).collect()
    }

    /// As a `networkx.MultiDiGraph`.
    fn to_networkx(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(slf.py().import("mangrove._networkx")?.call_method1("of_graph", (slf,))?.unbind())
    }

    fn __repr__(&self) -> String {
        format!("graph[vertices:{} edges:{}]", self.vertices.len(), self.edges.len())
    }

    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(slf.py().import("mangrove._pictures")?.call_method1("of_graph", (slf,))?.unbind())
    }
}
