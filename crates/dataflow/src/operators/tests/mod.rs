//! Tests of single operators, on TinkerPop's "modern" graph and on random batches.

mod barriers;
mod expansions;
mod filters;
mod functions;
mod growth;
mod large_lists;
mod laws;
mod loops;
mod properties;
mod sources;
mod streams;
mod turns;
mod world;
mod writes;
