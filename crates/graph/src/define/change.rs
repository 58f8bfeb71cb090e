//! Changes the schema while transactions go on.
//!
//! ```text
//!            commit: pending            check what exists           commit: the next version
//!  ──────────────┼────────────────────────────┼───────────────────────────┼──────────────▶
//!   old rules    │   old rules and those to be, for who began after it    │  new rules, new types
//! ```
//!
//! Every transaction that writes has read the schema ([`units::schema`]), and publishing the pending one replaces that
//! unit. So whoever began before and had not committed by then is refused and runs again, and what is committed from
//! then on obeys both. What was committed before is looked at in the meantime. A crash, or an element that breaks the
//! new rules, leaves the old version as it was: a pending schema is never stored. The next version is in force from the moment
//! when its own commit is applied (`apply/adopt.rs`).

use std::sync::Arc;

use timeline::{Footprint, Stamp};

use super::check::check_existing;
use super::definer::Definer;
use crate::error::Result;
use crate::model::{Catalog, NewNames, Schema, SchemaDescription, units};
use crate::read::Snapshot;

/// Takes the pending schema back, whatever happens.
struct Pending<'a>(&'a Definer);

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.0.set_pending(None);
    }
}

impl Definer {
    /// Lets `edit` change a description of the schema, and makes the result the next version; its number. Indexes in
    /// the description are left alone.
    pub(crate) fn change_schema(
        &self,
        edit: impl FnOnce(&mut SchemaDescription) -> Result<()>,
    ) -> Result<u64> {
        self.refuse_if_failed()?;
        let _defining = self.hold_definitions();
        let old = self.catalog().schema().clone();
        let mut description = SchemaDescription::of(&self.catalog());
        edit(&mut description)?;
        let names = NewNames::new(&self.names);
        let new = description.to_schema(old.version, |space, name| Ok(names.intern(space, name)?.0))?;
        if new == old {
            return Ok(old.version);
        }
        let new = Schema { version: old.version + 1, ..new };
        if names.has_unused() {
            // Refused, if it is to be, before any name is given out for it.
            let snapshot = Snapshot::latest(self);
            check_existing(&snapshot, &snapshot.catalog().with_new(Some(&names)), &old, &new)?;
            drop(snapshot);
            self.commit_names(&names)?;
        }
        {
            let _pending = Pending(self);
            self.set_pending(Some(Arc::new(new.clone())));
            self.commit_definitions()?;
            let snapshot = Snapshot::latest(self);
            check_existing(&snapshot, snapshot.catalog(), &old, &new)?;
            let catalog = self.catalog().with_changed(|declared| {
                declared.define(|definitions| {
                    definitions.retypes.learn(&old, &new);
                    definitions.learn_sort_keys(&old, &new);
                    definitions.schema = new;
                });
            });
            self.commit_definitions_of(&catalog)?;
        }
        Ok(old.version + 1)
    }

    /// Whether the schema could be changed to `description` now; nothing is changed.
    pub(crate) fn check_schema(&self, description: &SchemaDescription) -> Result<()> {
        let snapshot = Snapshot::latest(self);
        let old = snapshot.catalog().schema().clone();
        let names = NewNames::new(&self.names);
        let new = description.to_schema(old.version, |space, name| Ok(names.intern(space, name)?.0))?;
        for index in &description.indexes {
            index.check("indexes")?;
        }
        check_existing(&snapshot, &snapshot.catalog().with_new(Some(&names)), &old, &new)
    }

    fn set_pending(&self, pending: Option<Arc<Schema>>) {
        self.declare(|declared| declared.set_pending(pending));
    }

    /// Takes what was published to the log, and refuses the transactions that began before it and have not committed.
    pub(crate) fn commit_definitions(&self) -> Result<Stamp> {
        self.commit_definitions_of(&self.catalog())
    }

    /// The same of a catalog that is not published yet; it is when it is in the log.
    fn commit_definitions_of(&self, catalog: &Catalog) -> Result<Stamp> {
        let base = self.timeline.snapshot();
        let mut footprint = Footprint::new();
        // One unit always fits.
        let _ = footprint.replaces(units::schema());
        self.commit_with(catalog, base.stamp(), &footprint)
    }

    /// Takes what was published to the log; transactions go on as if nothing had happened.
    pub(crate) fn log_definitions(&self) -> Result<Stamp> {
        let base = self.timeline.snapshot();
        self.commit_with(&self.catalog(), base.stamp(), &Footprint::new())
    }
}

#[cfg(test)]
mod tests {
    use store::MemoryStore;

    use super::*;
    use crate::error::GraphError;
    use crate::graph::Graph;
    use crate::model::{Cardinality, GraphOptions, VertexKeyDescription};

    #[test]
    fn while_a_key_becomes_single_no_vertex_gets_a_second_value() {
        let graph = Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default()).unwrap();
        let declare = |schema: &mut SchemaDescription, cardinality| {
            let key = VertexKeyDescription { cardinality, ..VertexKeyDescription::default() };
            schema.vertices.entry("person".into()).or_default().keys.insert("email".into(), key);
            Ok(())
        };
        graph.change_schema(|schema| declare(schema, Cardinality::List)).unwrap();
        let transaction = graph.begin();
        let v = transaction.add_vertex(None, "person").unwrap();
        transaction.set_vertex_property(v, None, "email", "a".into(), &[]).unwrap();
        transaction.commit().unwrap();
        let definer = graph.definer();
        let mut description = SchemaDescription::of(&definer.catalog());
        declare(&mut description, Cardinality::Single).unwrap();
        let _pending = Pending(definer);
        let known = |space, name: &str| Ok(definer.catalog().id(space, name).unwrap());
        let pending = description.to_schema(2, known).unwrap();
        definer.set_pending(Some(Arc::new(pending)));
        let transaction = graph.begin();
        for cardinality in [None, Some(Cardinality::List)] {
            let refused = transaction.set_vertex_property(v, cardinality, "email", "b".into(), &[]);
            assert!(matches!(refused, Err(GraphError::Conflict(_))), "{cardinality:?}: {refused:?}");
        }
        transaction.set_vertex_property(v, Cardinality::Single, "email", "b".into(), &[]).unwrap();
        transaction.commit().unwrap();
    }
}
