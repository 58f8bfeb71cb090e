//! One suite of statements about [`store::Store`], run against every implementation.
//!
//! Each statement is a function over an open store; [`conformance!`] turns the list into one test per statement and
//! implementation. A new engine adds one line at the end.

mod batches;
mod bounds;
mod concurrency;
mod ingestion;
mod keyspaces;
mod model;
mod reading;
mod transactions;

use store::{
    FjallOptions, FjallStore, Keyspace, KeyspaceShape, MemoryStore, Pair, Scan, SimulatedDisk,
    SimulatedFaults, Store, StoreLimits,
};

/// Small bounds, so that the suite reaches them quickly.
fn limits() -> StoreLimits {
    StoreLimits {
        transaction_bytes: 256 << 10,
        value_bytes: 128 << 10,
        remembered_writes: 512,
        group_bytes: 64 << 10,
    }
}

fn with_memory(statement: impl FnOnce(&dyn Store)) {
    statement(&MemoryStore::with_limits(limits()));
}

fn with_fjall(statement: impl FnOnce(&dyn Store)) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let options = FjallOptions { limits: limits(), ..FjallOptions::default() };
    statement(&FjallStore::open(directory.path(), options).expect("an empty directory opens"));
}

fn with_simulated(statement: impl FnOnce(&dyn Store)) {
    statement(&SimulatedDisk::new(1, SimulatedFaults::NONE).mount(limits()));
}

fn keyspace(store: &dyn Store) -> Keyspace {
    store.keyspace("things", KeyspaceShape::Small).unwrap()
}

fn put(store: &dyn Store, keyspace: &Keyspace, key: &str, value: &str) {
    let mut batch = store::WriteBatch::new();
    batch.put(keyspace, key, value);
    store.write_batch(batch, store::Durability::Buffered).unwrap();
}

fn text(pair: Pair) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&pair.0), text(&pair.1))
}

fn pairs(scan: Scan) -> Vec<(String, String)> {
    scan.map(|pair| text(pair.unwrap())).collect()
}

fn keys(scan: Scan) -> Vec<String> {
    pairs(scan).into_iter().map(|(key, _)| key).collect()
}

macro_rules! conformance {
    ($implementation:ident, $with:ident) => {
        conformance!(@ $implementation, $with;
            keyspaces: a_keyspace_is_the_same_whoever_opens_it;
            keyspaces: keyspaces_do_not_share_keys;
            keyspaces: names_are_listed_in_order;
            keyspaces: names_that_cannot_be_are_refused;
            keyspaces: a_handle_of_another_store_is_refused;
            reading: a_snapshot_keeps_what_it_saw;
            reading: a_snapshot_sees_all_keyspaces_at_one_moment;
            reading: many_keys_are_read_in_the_order_asked;
            reading: an_empty_value_is_a_value;
            reading: scans_run_both_ways_within_their_bounds;
            reading: a_prefix_scan_stops_at_the_next_prefix;
            reading: a_scan_is_not_disturbed_by_writes;
            reading: an_empty_range_scans_as_nothing;
            reading: scans_longer_than_a_batch_miss_nothing;
            batches: a_batch_is_visible_as_a_whole;
            batches: the_last_write_of_a_key_counts;
            batches: a_batch_with_one_bad_write_writes_nothing;
            batches: an_empty_batch_is_fine;
            transactions: a_transaction_reads_its_own_writes;
            transactions: scans_of_a_transaction_merge_its_writes;
            transactions: nothing_is_visible_before_commit_or_after_a_drop;
            transactions: the_second_writer_of_a_key_conflicts;
            transactions: a_conflict_leaves_nothing_behind_and_a_retry_succeeds;
            transactions: a_locked_key_that_changed_conflicts;
            transactions: a_locked_key_that_appeared_conflicts;
            transactions: without_a_lock_reads_are_not_validated;
            transactions: batches_conflict_with_open_transactions;
            transactions: other_keys_and_other_keyspaces_do_not_conflict;
            transactions: a_transaction_without_writes_always_commits;
            transactions: a_transaction_too_old_to_judge_is_refused;
            bounds: a_transaction_over_its_bound_refuses_the_write_and_stays_usable;
            bounds: keys_have_one_to_65535_bytes;
            bounds: values_over_the_bound_are_refused;
            bounds: a_batch_over_the_bound_is_refused;
            bounds: the_size_of_a_keyspace_is_roughly_known;
            bounds: a_closed_store_refuses_everything;
            ingestion: ingested_pairs_are_there;
            ingestion: ingestion_replaces_and_earlier_snapshots_do_not_see_it;
            ingestion: unsorted_input_is_refused_with_the_keys;
            ingestion: an_error_of_the_producer_is_passed_on;
            ingestion: nothing_can_be_ingested;
            ingestion: writes_go_on_after_an_ingestion;
            concurrency: no_increment_is_lost;
            concurrency: a_sum_that_every_transaction_keeps_is_kept_in_every_snapshot;
            concurrency: locks_prevent_write_skew;
            concurrency: acknowledged_writes_are_visible_to_the_next_snapshot;
            model: a_store_behaves_like_a_sorted_map;
        );
    };
    (@ $implementation:ident, $with:ident; $($topic:ident: $statement:ident;)*) => {
        mod $implementation {
            $(#[test]
            fn $statement() {
                super::$with(super::$topic::$statement);
            })*
        }
    };
}

conformance!(memory, with_memory);
conformance!(fjall, with_fjall);
conformance!(simulated, with_simulated);
