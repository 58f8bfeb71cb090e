//! What a round is like: drawn from its seed, so that all of it but the clock is the same again.

use fastrand::Rng;
use serde_json::{Value as Json, json};

use crate::process::Settings;

/// Of so many rounds one has its server killed.
const ROUNDS_PER_KILL: u64 = 10;

/// The conditions of one round.
#[derive(Clone, Debug)]
pub(crate) struct Conditions {
    /// What everything random in the round comes from.
    pub seed: u64,
    /// Clients that send at the same time.
    pub clients: usize,
    /// Bytes of cache. The smallest is less than the graph of a round.
    cache: u64,
    executors: usize,
    /// How often the server itself tries again what lost against others. Where it is 0, clients hear of every conflict.
    pub retries: u32,
    /// Edges that a node of an edge-tree holds: a hub has a tree when it has more.
    pub nodes: Option<u32>,
    /// Whether somebody creates and drops indexes, and changes the schema, all the time.
    pub builds: bool,
    /// How often the server is killed and started again.
    pub kills: usize,
}

impl Conditions {
    /// Those of round `round`, from 0.
    pub fn of(seed: u64, round: u64, clients: usize) -> Self {
        let seed = seed.wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut rng = Rng::with_seed(seed);
        let mut one_of = |choices: &[u64]| choices[rng.usize(..choices.len())];
        Self {
            seed,
            clients,
            cache: one_of(&[200_000, 1_000_000, 64_000_000]),
            executors: one_of(&[1, 2, 4]) as usize,
            retries: one_of(&[0, 8]) as u32,
            nodes: Some(one_of(&[0, 16, 16, 48]) as u32).filter(|nodes| *nodes > 0),
            builds: one_of(&[0, 1]) == 1,
            kills: if round % ROUNDS_PER_KILL == ROUNDS_PER_KILL - 1 {
                one_of(&[1, 2, 3]) as usize
            } else {
                0
            },
        }
    }

    /// The server's settings.
    pub fn settings(&self) -> Settings {
        vec![
            ("engine.cache", self.cache.to_string()),
            ("engine.executors", self.executors.to_string()),
            ("engine.write_retries", self.retries.to_string()),
            ("log.level", "warn".to_owned()),
        ]
    }

    /// For people and for figures.
    pub fn to_json(&self) -> Json {
        json!({
            "seed": self.seed, "clients": self.clients, "cache": self.cache, "executors": self.executors,
            "retries": self.retries, "nodes": self.nodes, "builds": self.builds, "kills": self.kills,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::workloads::of_round;
    use super::*;

    #[test]
    fn a_tenth_of_the_rounds_is_killed_amid_every_workload() {
        let killed: Vec<u64> = (0..1_000).filter(|round| Conditions::of(1, *round, 8).kills > 0).collect();
        assert_eq!(killed.len(), 100);
        let names = |round: u64| of_round(round, 3, &[]).into_iter().map(|workload| workload.name());
        let amid: BTreeSet<&str> = killed.into_iter().take(11).flat_map(names).collect();
        let all: BTreeSet<&str> = (0..11).flat_map(names).collect();
        assert!(all.len() > 8 && amid == all, "{amid:?} of {all:?}");
    }

    #[test]
    fn every_condition_comes_up() {
        let rounds: Vec<Conditions> = (0..100).map(|round| Conditions::of(7, round, 8)).collect();
        for retries in [0, 8] {
            assert!(rounds.iter().filter(|round| round.retries == retries).count() > 25);
        }
        assert!(rounds.iter().filter(|round| round.builds).count() > 25);
        assert!(rounds.iter().filter(|round| round.cache == 200_000).count() > 15);
        assert!(rounds.iter().filter(|round| round.nodes.is_some()).count() > 50);
    }
}
