//! Benchmarks of Mangrove beside the limit.
//!
//! Each prints a table and leaves its figures as JSON under `target/bench/`. `make bench DATA=DIR` runs them all.

mod algorithms;
mod bounds;
mod cache;
mod cancel;
mod client;
mod cold;
mod commits;
mod csr;
mod fairness;
mod graph_under_test;
mod hub;
mod hub_scans;
mod ic;
mod import;
mod instructions;
mod limit;
mod limit_clients;
mod measure;
mod memory;
mod merges;
mod parameters;
mod point;
mod pools;
mod queries;
mod recovery;
mod report;
mod schema;
mod scopes;
mod secondary;
mod served;
mod server_process;
mod sets;
mod step_queries;
mod tenants;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::report::Report;

/// Benchmarks of Mangrove beside the limit.
#[derive(Parser)]
struct Arguments {
    /// Folder that the figures go to
    #[arg(long, global = true, default_value = "target/bench")]
    out: PathBuf,
    #[command(subcommand)]
    bench: Bench,
}

/// What is measured, and on what.
#[derive(Subcommand)]
enum Bench {
    /// Walks beside the same walks over CSR arrays
    Limit {
        graph: PathBuf,
        /// Only this query, such as "2-hop filtered"
        #[arg(long)]
        only: Option<String>,
    },
    /// Graph algorithms beside the same by hand over CSR arrays, on one executor and on two
    Algorithms {
        graph: PathBuf,
        /// Only those with this in their name
        #[arg(long)]
        only: Option<String>,
    },
    /// Point reads, embedded and over WebSocket
    Point { graph: PathBuf },
    /// Ending an endless query
    Cancel { graph: PathBuf },
    /// Point reads of one connection beside heavy queries of others, over WebSocket to a server process
    Fairness {
        graph: PathBuf,
        /// The mangrove program
        #[arg(long, default_value = "target/release/mangrove")]
        program: PathBuf,
        /// Only this kind: expansion, sort, dedup, group, write
        #[arg(long)]
        only: Option<String>,
        /// Only so many heavy queries: 0, 2, 20, 200
        #[arg(long)]
        heavy: Option<usize>,
        /// Seconds for which point reads are sent beside each number of each kind
        #[arg(long, default_value_t = 8)]
        seconds: u64,
    },
    /// Tenants with weights and bounds, over WebSocket to a server process
    Tenants {
        graph: PathBuf,
        /// The mangrove program
        #[arg(long, default_value = "target/release/mangrove")]
        program: PathBuf,
        /// Seconds for which each is measured
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
    /// Adding edges to one vertex, and reading a few of very many
    Hub {
        /// How many edges it gets
        #[arg(long, default_value_t = 10_000_000)]
        edges: u64,
    },
    /// Ten thousand merges in one request
    Merges,
    /// Filters of hubs by an unsorted property, while secondary edge-trees are built
    Secondary {
        /// How many edges each hub has
        #[arg(long, default_value_t = 100_000)]
        edges: u64,
    },
    /// A graph larger than its cache: answers, memory, and point reads beside a scan
    Cache {
        graph: PathBuf,
        ldbc: PathBuf,
        /// Megabytes of cache
        #[arg(long, default_value_t = 200)]
        megabytes: u64,
    },
    /// What a process takes while it writes, recovers, imports and builds, beside the budget and the stated slack
    Bounds {
        graph: PathBuf,
        ldbc: PathBuf,
        /// Megabytes of cache
        #[arg(long, default_value_t = 200)]
        megabytes: u64,
        /// Only this workload
        #[arg(long)]
        only: Option<bounds::Workload>,
    },
    /// One workload of `bounds`, in a process of its own
    #[command(hide = true)]
    Bound { workload: bounds::Workload, folder: PathBuf, ldbc: PathBuf, megabytes: u64 },
    /// Short queries beside scans on a cache that is too small: without pools for loads, with static and with dynamic ones
    Pools {
        graph: PathBuf,
        /// Megabytes of cache (for SF1)
        #[arg(long, default_value_t = 16)]
        megabytes: u64,
        /// Microseconds that each read of the store takes longer than it does
        #[arg(long, default_value_t = 1_000)]
        latency: u64,
        /// Seconds that each of the three is measured for
        #[arg(long, default_value_t = 20)]
        seconds: u64,
    },
    /// A query of two steps over a graph of which nothing is in memory
    Cold {
        graph: PathBuf,
        /// Microseconds that each read of the store takes longer than it does
        #[arg(long, default_value_t = 1_000)]
        latency: u64,
    },
    /// CQ1-6 with scopes and without
    Scopes { graph: PathBuf, ldbc: PathBuf },
    /// Walks, IC and CQ beside ../shared/limit
    Ic {
        graph: PathBuf,
        ldbc: PathBuf,
        /// Folder of the limit program
        #[arg(long, default_value = "../shared/limit")]
        limit: PathBuf,
        /// Only this query
        #[arg(long)]
        only: Option<String>,
    },
    /// Import of LDBC networks, and how long an edge takes in each beside the first
    Import {
        #[arg(required = true)]
        ldbc: Vec<PathBuf>,
        /// How often to import all of them, in turn
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
        /// Rest so many seconds before each import, so that a virtual machine has given its free memory back to its host
        #[arg(long, value_name = "SECONDS", default_value_t = 0)]
        rest: u64,
        /// The mangrove program
        #[arg(long, default_value = "target/release/mangrove")]
        program: PathBuf,
    },
    /// Instructions that requests take, counted by valgrind
    Instructions {
        graph: PathBuf,
        ldbc: PathBuf,
        /// Only requests whose name has this in it
        #[arg(long)]
        only: Option<String>,
        /// An instructions.json to compare with
        #[arg(long)]
        before: Option<PathBuf>,
    },
    /// What `instructions` counts, in a process of its own
    #[command(hide = true)]
    Counted {
        graph: PathBuf,
        ldbc: PathBuf,
        #[arg(long)]
        only: Option<String>,
    },
    /// Durable commits of single edges, into a copy of the graph
    Commits {
        graph: PathBuf,
        /// Most commits to measure the write amplification over; 0 measures none. It ends earlier once the log was full,
        /// flushed and trimmed, after about five million
        #[arg(long, default_value_t = 0)]
        edges: u64,
    },
    /// Opening a graph whose log is full, as after a crash
    Recovery { graph: PathBuf },
    /// Declaring another type while there are values
    Schema {
        /// How many vertices there are, and edges
        #[arg(long, default_value_t = 1_000_000)]
        people: u32,
    },
    /// Memory and disk, by kind of section
    Memory { graph: PathBuf, files: PathBuf },
    /// A query set: walks, ic, is, cq, or one query
    Set {
        name: String,
        graph: PathBuf,
        ldbc: PathBuf,
        /// Over WebSocket instead of embedded
        #[arg(long)]
        wire: bool,
    },
}

/// As in the `mangrove` command.
#[global_allocator]
static ALLOCATOR: mangrove::Mimalloc = mangrove::Mimalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    mangrove::give_memory_back_soon();
    let Arguments { out, bench } = Arguments::parse();
    let report = Report::new(out)?;
    match bench {
        Bench::Limit { graph, only } => limit::bench(&graph, only.as_deref(), &report),
        Bench::Algorithms { graph, only } => algorithms::bench(&graph, only.as_deref(), &report),
        Bench::Point { graph } => point::bench(&graph, &report),
        Bench::Cancel { graph } => cancel::bench(&graph, &report),
        Bench::Cache { graph, ldbc, megabytes } => cache::bench(&graph, &ldbc, megabytes, &report),
        Bench::Bounds { graph, ldbc, megabytes, only } => {
            bounds::bench(&graph, &ldbc, megabytes, only, &report)
        }
        Bench::Bound { workload, folder, ldbc, megabytes } => {
            bounds::run_here(workload, &folder, &ldbc, megabytes)
        }
        Bench::Fairness { graph, program, only, heavy, seconds } => {
            fairness::bench(&program, &graph, &fairness::Settings { only, heavy, seconds }, &report)
        }
        Bench::Tenants { graph, program, seconds } => {
            tenants::bench(&program, &graph, Duration::from_secs(seconds), &report)
        }
        Bench::Hub { edges } => hub::bench(edges, &report),
        Bench::Merges => merges::bench(&report),
        Bench::Secondary { edges } => secondary::bench(edges, &report),
        Bench::Pools { graph, megabytes, latency, seconds } => {
            pools::bench(&graph, megabytes, latency, seconds, &report)
        }
        Bench::Cold { graph, latency } => cold::bench(&graph, latency, &report),
        Bench::Scopes { graph, ldbc } => scopes::bench(&graph, &ldbc, &report),
        Bench::Ic { graph, ldbc, limit, only } => ic::bench(&graph, &ldbc, &limit, only.as_deref(), &report),
        Bench::Import { ldbc, rounds, rest, program } => {
            import::bench(&program, &ldbc, rounds, Duration::from_secs(rest), &report)
        }
        Bench::Instructions { graph, ldbc, only, before } => {
            instructions::bench(&graph, &ldbc, only.as_deref(), before.as_deref(), &report)
        }
        Bench::Counted { graph, ldbc, only } => instructions::inside(&graph, &ldbc, only.as_deref()),
        Bench::Commits { graph, edges } => commits::bench(&graph, edges, &report),
        Bench::Recovery { graph } => recovery::bench(&graph, &report),
        Bench::Schema { people } => schema::bench(people, &report),
        Bench::Memory { graph, files } => memory::bench(&graph, &files, &report),
        Bench::Set { name, graph, ldbc, wire } => sets::bench(&name, &graph, &ldbc, wire, &report),
    }
}
