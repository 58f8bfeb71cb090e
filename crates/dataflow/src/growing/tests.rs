//! The tables and the vector beside those of the standard library and of `indexmap`.

use std::collections::HashSet;

use indexmap::IndexMap;
use proptest::prelude::*;
use values::Seeded;

use super::table::FULL;
use super::*;

impl Hashed for u64 {
    fn hash(&self) -> u32 {
        hash_of(self, &Seeded::default())
    }
}

/// An entry that shares its hash with many.
#[derive(Debug, PartialEq)]
struct Alike(u64, u32);

impl Hashed for Alike {
    fn hash(&self) -> u32 {
        self.1
    }
}

/// Numbers of which some come again.
fn numbers() -> impl Strategy<Value = Vec<u64>> {
    let few = proptest::collection::vec(0u64..50, 0..100);
    let many = (1usize..40_000, 1u64..200_000, any::<u64>()).prop_map(|(count, kinds, factor)| {
        (0..count as u64).map(|i| ((i * i + 7 * i) % kinds).wrapping_mul(factor | 1)).collect()
    });
    prop_oneof![few, many]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_table_has_what_a_set_has_before_and_after_it_is_cleared(rounds in proptest::collection::vec(numbers(), 1..4)) {
        let mut table = Table::default();
        for numbers in rounds {
            let mut expected = HashSet::new();
            for n in &numbers {
                prop_assert_eq!(table.insert(*n), expected.insert(*n));
            }
            prop_assert!(numbers.iter().all(|n| !table.insert(*n)));
            prop_assert!(table.largest_part() <= FULL);
            prop_assert!(table.bytes() >= expected.len() * size_of::<u64>());
            // The room of a part is kept; beyond that, half of it may be empty.
            prop_assert!(table.bytes() <= expected.len() * 40 + 10 * FULL.next_power_of_two());
            table.clear();
        }
    }

    #[test]
    fn a_map_has_the_order_and_the_values_of_an_index_map(rounds in proptest::collection::vec(numbers(), 1..4)) {
        let mut map: GrowingMap<u64, i32> = GrowingMap::default();
        for numbers in rounds {
            let mut expected = IndexMap::new();
            for n in numbers {
                let before = expected.len();
                let at = expected.entry(n).index();
                *expected.entry(n).or_insert(0) += 1;
                let (number, count, is_new) = map.get_or_insert(n, || 0);
                *count += 1;
                prop_assert_eq!((number, is_new), (at, expected.len() > before));
                prop_assert_eq!(map.key(number), Some(&n));
            }
            prop_assert_eq!(map.len(), expected.len());
            let entries: Vec<_> = std::mem::take(&mut map).into_iter().collect();
            prop_assert_eq!(entries, expected.into_iter().collect::<Vec<_>>());
            map.get_or_insert(7, || 7);
            map.clear();
            prop_assert_eq!((map.len(), map.key(0)), (0, None));
        }
    }

    #[test]
    fn a_chunked_vector_is_a_vector(lengths in proptest::collection::vec(0usize..5_000, 1..4)) {
        let mut chunked = Chunked::default();
        for length in lengths {
            (0..length).for_each(|n| chunked.push(n));
            prop_assert_eq!(chunked.len(), length);
            prop_assert_eq!(chunked.get(length), None);
            prop_assert!((0..length).all(|n| chunked[n] == n && chunked.get(n) == Some(&n)));
            if let Some(last) = chunked.get_mut(length.saturating_sub(1)) {
                *last = 0;
            }
            let room = chunked.bytes() / size_of::<usize>();
            prop_assert!(room >= length && room <= 2 * length + 4_096);
            let mut out = std::mem::take(&mut chunked).into_iter();
            prop_assert_eq!(out.len(), length);
            prop_assert_eq!(out.by_ref().take(length / 2).count(), length / 2);
            prop_assert_eq!(out.len(), length - length / 2);
            chunked.push(1);
            chunked.clear();
        }
    }
}

#[test]
fn a_part_never_has_more_than_its_share_however_many_there_are() {
    let mut table = Table::default();
    let mut bytes = 0;
    for n in 0..1_000_000 {
        assert!(table.insert(n));
        assert!(table.largest_part() <= FULL || n % 1_000 != 0);
        // One entry makes one part divide, and now and then the directory with it.
        let grown = table.bytes() - std::mem::replace(&mut bytes, table.bytes());
        assert!(grown <= 100 << 10, "{grown} bytes for entry {n}");
    }
}

#[test]
fn hashes_that_are_all_alike_make_no_directory_that_is_larger_than_the_entries() {
    for bits in [0, 3] {
        let mut table = Table::default();
        for n in 0..5_000u64 {
            let hash = (n as u32 & ((1 << bits) - 1)) << 7;
            assert!(table.insert(Alike(n, hash)), "{n}");
        }
        assert!(table.bytes() < 1 << 20, "{} bytes", table.bytes());
        for n in 0..5_000u64 {
            let hash = (n as u32 & ((1 << bits) - 1)) << 7;
            assert!(!table.insert(Alike(n, hash)), "{n}");
        }
    }
}
