//! Changes of declared types, in the model: every value becomes one of the new type at once.

use std::collections::BTreeMap;

use graph::{
    Cardinality, EdgeKeyDescription, EdgeRef, Graph, GraphError, Value, ValueType, VertexKeyDescription,
    VertexRef,
};
use values::{Str, number};

use super::steps::{EDGES, LABELS};
use super::{Naive, Random};

/// The key under which there are only numbers.
pub const RANK: &str = "rank";

/// The types that it is declared as; none of them refuses what [`rank`] gives.
const TYPES: [ValueType; 4] = [ValueType::Long, ValueType::BigInt, ValueType::Double, ValueType::BigDecimal];

/// A small number, so that every type has it.
pub fn rank(random: &mut Random) -> Value {
    let n = random.below(5);
    match random.below(3) {
        0 => Value::Short(n as i16),
        1 => Value::Int(n as i32),
        _ => Value::Long(n as i64),
    }
}

/// Whether a stored number can be read as one of a type: nothing becomes narrower, and no double a decimal.
fn becomes(value: &Value, to: ValueType) -> bool {
    match value {
        Value::Double(_) => to == ValueType::Double,
        Value::BigDecimal(_) => to == ValueType::BigDecimal,
        Value::BigInteger(_) => to != ValueType::Long,
        _ => true,
    }
}

fn as_type(value: &Value, to: ValueType) -> Value {
    number::cast(value, to.number_type().unwrap()).unwrap()
}

/// A meta-property of a rank whose type is declared.
pub fn meta(of: &str, value: Value) -> Value {
    if of == RANK { as_type(&value, ValueType::Long) } else { value }
}

/// A declaration to be: of which label, and as what.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub label: &'static str,
    pub value_type: Option<ValueType>,
}

impl Declaration {
    /// Of a label of vertices or edges, as any type, or as none any more.
    pub fn draw(random: &mut Random) -> Self {
        let labels: Vec<&str> = LABELS.into_iter().chain(EDGES).collect();
        let value_type = TYPES.get(random.below(TYPES.len() + 1)).copied();
        Self { label: labels[random.below(labels.len())], value_type }
    }

    /// Changes the schema of a graph.
    pub fn declare(&self, graph: &Graph) -> Result<u64, GraphError> {
        graph.change_schema(|schema| {
            let Self { label, value_type } = self.clone();
            if EDGES.contains(&label) {
                let keys = &mut schema.edges.entry(label.into()).or_default().keys;
                keys.remove(RANK);
                let key = EdgeKeyDescription { value_type, required: false };
                keys.extend(value_type.map(|_| (RANK.to_string(), key)));
            } else {
                let keys = &mut schema.vertices.entry(label.into()).or_default().keys;
                keys.remove(RANK);
                let key = VertexKeyDescription {
                    value_type,
                    cardinality: Cardinality::List,
                    meta: [("since".to_string(), Some(ValueType::Long))].into(),
                    ..VertexKeyDescription::default()
                };
                keys.extend(value_type.map(|_| (RANK.to_string(), key)));
            }
            Ok(())
        })
    }
}

impl Naive {
    /// The values under [`RANK`] of a label.
    fn ranks(&mut self, label: &str) -> Vec<&mut Value> {
        let vertices = self.vertices.values_mut().filter(|vertex| vertex.label == label);
        let vertices = vertices.filter_map(|vertex| vertex.properties.get_mut(RANK)).flatten();
        let edges = self.edges.iter_mut().filter(|edge| edge.label == label);
        let edges = edges.filter_map(|edge| edge.properties.get_mut(RANK));
        vertices.map(|property| &mut property.value).chain(edges).collect()
    }

    /// Whether the values that there are allow a declaration.
    pub fn admits(&mut self, declaration: &Declaration) -> bool {
        let Some(to) = declaration.value_type else { return true };
        self.ranks(declaration.label).iter().all(|value| becomes(value, to))
    }

    /// Every value becomes one of the declared type.
    pub fn retype(&mut self, declaration: &Declaration) {
        let Some(to) = declaration.value_type else {
            self.types.remove(declaration.label);
            return;
        };
        self.types.insert(declaration.label.into(), to);
        // At an older snapshot there may be values that were gone when this was declared.
        for value in self.ranks(declaration.label).into_iter().filter(|value| becomes(value, to)) {
            *value = as_type(value, to);
        }
        for vertex in self.vertices.values_mut().filter(|vertex| vertex.label == declaration.label) {
            for property in vertex.properties.get_mut(RANK).into_iter().flatten() {
                property.meta.values_mut().for_each(|value| *value = meta(RANK, value.clone()));
            }
        }
    }

    /// A property as it is stored.
    pub fn typed_property(
        &self,
        v: VertexRef,
        key: &str,
        value: Value,
        entries: &[(Str, Value)],
    ) -> (Value, BTreeMap<String, Value>) {
        let declared = self.types.get(&self.vertices[&v.0].label).filter(|_| key == RANK);
        let typed = |value: &Value| if declared.is_some() { meta(key, value.clone()) } else { value.clone() };
        let entries = entries.iter().map(|(name, value)| (name.to_string(), typed(value))).collect();
        (declared.map_or(value.clone(), |to| as_type(&value, *to)), entries)
    }

    pub fn set_edge_property(&mut self, e: EdgeRef, key: &str, value: Value) {
        let label = self.edge_mut(e).label.clone();
        let declared = self.types.get(&label).filter(|_| key == RANK).copied();
        let value = declared.map_or(value.clone(), |to| as_type(&value, to));
        self.edge_mut(e).properties.insert(key.into(), value);
    }
}
