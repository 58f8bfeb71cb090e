//! `coin`, `sample` and `order().by(shuffle)` under `SeedStrategy`: they draw what TinkerPop's steps draw, in the order in which those
//! do. As in a `TraverserSet`, equal traversers are one, at the place of the first.

use indexmap::IndexMap;
use values::watch;

use super::barrier::{Histories, Identity, identity};
use super::row_store::{Place, RowStore};
use crate::java_random::JavaRandom;
use crate::operator::Context;

/// Traversers of one kind that stay, of `bulk`.
pub(super) fn coin(random: &mut JavaRandom, bulk: u64, probability: f64) -> u64 {
    /// From so many on, TinkerPop does not draw.
    const MANY: u64 = 100;
    if bulk >= MANY {
        return (probability * bulk as f64).round() as u64;
    }
    (0..bulk).filter(|_| probability >= random.fraction()).count() as u64
}

/// Rows with weights, equal ones as one.
pub(super) fn merged(
    rows: impl Iterator<Item = (Place, f64)>,
    store: &RowStore,
    cx: &Context<'_>,
) -> Vec<(Place, f64)> {
    let mut distinct: IndexMap<Identity, (Place, f64)> = IndexMap::new();
    for (place, weight) in rows {
        watch::tick();
        let kept = distinct.entry(identity(store.batch(place), place.row as usize, 0, Histories::of(cx)));
        kept.and_modify(|(known, _)| known.bulk = known.bulk.saturating_add(place.bulk))
            .or_insert((place, weight));
    }
    distinct.into_values().collect()
}

/// Some of the rows, as many as wanted, in the order in which they are drawn.
pub(super) fn sample(random: &mut JavaRandom, rows: Vec<(Place, f64)>, wanted: u64) -> Vec<Place> {
    let all = rows.iter().fold(0, |sum: u64, (place, _)| sum.saturating_add(place.bulk));
    if all <= wanted {
        return rows.into_iter().map(|(place, _)| place).collect();
    }
    let total: f64 = rows.iter().map(|(place, weight)| weight * place.bulk as f64).sum();
    // By its row, how many of each are drawn.
    let mut drawn: IndexMap<usize, u64> = IndexMap::new();
    // What weighs nothing is hardly ever drawn: TinkerPop goes on for ever once nothing else is left.
    let mut weighty: u64 = rows.iter().filter(|(_, weight)| *weight > 0.0).map(|(place, _)| place.bulk).sum();
    for _ in 0..wanted {
        let row = loop {
            match draw_one(random, &rows, total, &mut drawn) {
                _ if weighty == 0 => return places_of(&rows, drawn),
                Some(row) => break row,
                None => watch::tick(),
            }
        };
        weighty -= u64::from(rows[row].1 > 0.0);
    }
    places_of(&rows, drawn)
}

fn places_of(rows: &[(Place, f64)], drawn: IndexMap<usize, u64>) -> Vec<Place> {
    drawn.into_iter().map(|(row, bulk)| Place { bulk, ..rows[row].0 }).collect()
}

/// Goes through the rows once: the row that was drawn, if one was.
fn draw_one(
    random: &mut JavaRandom,
    rows: &[(Place, f64)],
    mut total: f64,
    drawn: &mut IndexMap<usize, u64>,
) -> Option<usize> {
    for (row, (place, weight)) in rows.iter().enumerate() {
        let left = place.bulk - drawn.get(&row).copied().unwrap_or(0);
        for _ in 0..left {
            watch::tick();
            if random.fraction() <= weight / total {
                *drawn.entry(row).or_insert(0) += 1;
                return Some(row);
            }
            total -= weight;
        }
    }
    None
}
