//! What every engine demands of the input of a bulk ingestion.

use crate::contract::Ingested;
use crate::{Bytes, Keyspace, Pair, StoreError, StoreLimits};

/// Checks that pairs arrive in strictly ascending key order and within bounds, and counts them.
pub(crate) struct Ascending<'a> {
    keyspace: &'a Keyspace,
    limits: StoreLimits,
    previous: Option<Bytes>,
    ingested: Ingested,
}

impl<'a> Ascending<'a> {
    pub(crate) fn new(keyspace: &'a Keyspace, limits: StoreLimits) -> Self {
        Self { keyspace, limits, previous: None, ingested: Ingested::default() }
    }

    /// Accepts the next pair, or tells what is wrong with it.
    pub(crate) fn accept(&mut self, pair: Pair) -> Result<Pair, StoreError> {
        let (key, value) = pair;
        let name = || self.keyspace.name().to_owned();
        self.limits.check_pair(name, &key, Some(&value))?;
        match self.previous.replace(key.clone()) {
            Some(previous) if key <= previous => {
                Err(StoreError::NotSorted { keyspace: name(), previous, key })
            }
            _ => {
                self.ingested.pairs += 1;
                self.ingested.bytes += (key.len() + value.len()) as u64;
                Ok((key, value))
            }
        }
    }

    /// What was accepted so far.
    pub(crate) fn ingested(&self) -> Ingested {
        self.ingested
    }
}
