//! Elements by their names, found through the door itself.

use std::collections::HashMap;

use gremlin::Bindings;
use values::{Str, Value};

use super::door::{Door, EMPTY};
use super::notation::Find;

/// What was found, by graph and by what was looked for. The empty graph is looked at anew each time.
#[derive(Debug, Default)]
pub(crate) struct Elements(HashMap<(String, String), Option<Value>>);

/// The elements of one graph.
pub(crate) struct ElementsOf<'a> {
    pub(crate) graph: &'a str,
    pub(crate) door: &'a mut dyn Door,
    pub(crate) known: &'a mut Elements,
}

impl ElementsOf<'_> {
    fn first(&mut self, text: &str, names: &[(&str, Value)]) -> Result<Option<Value>, String> {
        let key = (self.graph.to_owned(), format!("{text} {names:?}"));
        if let Some(element) = self.known.0.get(&key) {
            return Ok(element.clone());
        }
        let bindings: Bindings =
            names.iter().map(|(name, value)| (Str::from(*name), value.clone().into())).collect();
        let found = self.door.ask(self.graph, text, &bindings);
        let found = found.map_err(|failure| format!("{text}: {}", failure.message()))?.into_iter().next();
        if self.graph != EMPTY {
            self.known.0.insert(key, found.clone());
        }
        Ok(found)
    }
}

impl Find for ElementsOf<'_> {
    fn vertex(&mut self, name: &str) -> Result<Option<Value>, String> {
        self.first("g.V().has('name', wanted)", &[("wanted", name.into())])
    }

    fn edge(&mut self, from: &str, label: &str, to: &str) -> Result<Value, String> {
        let text = "g.V().has('name', from_).outE(label_).where(__.inV().has('name', to_))";
        let names = [("from_", from.into()), ("label_", label.into()), ("to_", to.into())];
        self.first(text, &names)?.ok_or_else(|| format!("there is no edge {from}-{label}->{to}"))
    }

    fn property(&mut self, of: &str, key: &str, value: Value) -> Result<Value, String> {
        let text = "g.V().has('name', of_).properties(key_).hasValue(value_)";
        let names = [("of_", of.into()), ("key_", key.into()), ("value_", value)];
        self.first(text, &names)?.ok_or_else(|| format!("there is no property {of}-{key}"))
    }
}
