//! Trials of Mangrove as its users meet it: a server of its own process, clients over the wire, and something that knows
//! what is right.
//!
//! | module | what tells right from wrong |
//! |---|---|
//! | [`histories`] | a checker of histories: what concurrent clients saw is explained by some serial order, or it is not |
//!
//! Each leaves its figures as JSON under `target/bench/`. `make help` lists the targets.

pub mod histories;
