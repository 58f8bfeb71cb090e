//! Who knows whom: a rule that either end can evaluate alone.
//!
//! Two people who stand `d` apart in one of the three rows (by place, by interest, by chance) know each other with
//! probability `min(1, c · wᵢ · wⱼ / (d + s))`, where `w` are Pareto-distributed weights. The random number compared with
//! it belongs to the *pair*, so both ends come to the same answer, and the friends of anybody can be computed without
//! storing a single edge. The weights give degrees a heavy tail (Chung, Lu 2002); `1/d` gives communities.

use super::calendar::{END, STEP};
use super::person::Population;
use super::random::{Draw, Random, fraction, number};

/// A row of people along which friendships form.
struct Row {
    /// How far people look to either side.
    reach: u64,
    /// The factor `c` of the rule.
    factor: f64,
}

/// By place, by interest, by chance. The factors give about 9 + 9 + 2 friends on average.
const ROWS: [Row; 3] =
    [Row { reach: 160, factor: 0.2 }, Row { reach: 160, factor: 0.2 }, Row { reach: 24, factor: 0.07 }];
/// The `s` of the rule: even neighbours are not certain to know each other.
const SOFTNESS: f64 = 4.0;

/// One end of a friendship as the other sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Friend {
    pub(super) index: u64,
    pub(super) since: i64,
}

/// The friends of a person, by index, each once. At most a few hundred.
pub(super) fn friends(people: &Population, index: u64) -> Vec<Friend> {
    let weight = people.weight(index);
    let mut found = Vec::new();
    for (number_of_row, row) in ROWS.iter().enumerate() {
        let here = position(people, number_of_row, index);
        let last = people.size - 1;
        for place in here.saturating_sub(row.reach)..=here.saturating_add(row.reach).min(last) {
            if place == here {
                continue;
            }
            let other = item(people, number_of_row, place);
            let distance = place.abs_diff(here) as f64;
            let probability = row.factor * weight * people.weight(other) / (distance + SOFTNESS);
            if fraction(pair_number(people, Draw::Friendship, index, other, number_of_row as u64))
                <= probability
            {
                found.push(other);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().filter_map(|other| since(people, index, other)).collect()
}

/// When two people became friends: after both had joined, more often early than late. None if there was no time for it.
fn since(people: &Population, a: u64, b: u64) -> Option<Friend> {
    let earliest = people.created(a).max(people.created(b)) + STEP;
    let key = pair_number(people, Draw::FriendshipDate, a, b, 0);
    let since = Random::new(key, Draw::FriendshipDate, 0).early(earliest, END);
    (earliest < END).then_some(Friend { index: b, since })
}

/// The random number that belongs to an unordered pair.
fn pair_number(people: &Population, draw: Draw, a: u64, b: u64, row: u64) -> u64 {
    number(people.seed ^ row, draw, a.min(b), a.max(b))
}

fn position(people: &Population, row: usize, index: u64) -> u64 {
    match row {
        0 => index,
        1 => people.by_interest.position(index),
        _ => people.by_chance.position(index),
    }
}

fn item(people: &Population, row: usize, position: u64) -> u64 {
    match row {
        0 => position,
        1 => people.by_interest.item(position),
        _ => people.by_chance.item(position),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dictionary::Dictionary;
    use super::*;

    #[test]
    fn friendship_is_mutual_and_dated_alike_by_both() {
        let dictionary = Dictionary::load();
        let people = Population::new(4, 400, &dictionary);
        for a in 0..400 {
            for friend in friends(&people, a) {
                let back = friends(&people, friend.index).into_iter().find(|f| f.index == a);
                assert_eq!(back.map(|f| f.since), Some(friend.since), "{a} and {}", friend.index);
                assert!(friend.since > people.created(a) && friend.since > people.created(friend.index));
                assert!(friend.since < END && friend.index != a);
            }
        }
    }

    #[test]
    fn nobody_has_friends_where_nobody_else_is() {
        let dictionary = Dictionary::load();
        assert!(friends(&Population::new(4, 1, &dictionary), 0).is_empty());
    }

    #[test]
    fn degrees_have_a_heavy_tail() {
        let dictionary = Dictionary::load();
        let people = Population::new(8, 4000, &dictionary);
        let mut degrees: Vec<usize> = (0..4000).map(|i| friends(&people, i).len()).collect();
        degrees.sort_unstable();
        let mean = degrees.iter().sum::<usize>() as f64 / 4000.0;
        let (median, high, most) = (degrees[2000] as f64, degrees[3960] as f64, degrees[3999] as f64);
        println!("mean {mean}, median {median}, 99th percentile {high}, most {most}");
        assert!((12.0..40.0).contains(&mean), "mean {mean}");
        // A Poisson distribution of this mean would have mean ≈ median and nobody beyond twice the mean.
        assert!(mean > 1.25 * median, "mean {mean}, median {median}");
        assert!(high > 4.0 * mean, "99th percentile {high}, mean {mean}");
        assert!(most > 8.0 * mean, "most {most}, mean {mean}");
    }

    #[test]
    fn friends_of_friends_are_often_friends() {
        let dictionary = Dictionary::load();
        let people = Population::new(8, 4000, &dictionary);
        let (mut closed, mut open) = (0u64, 0u64);
        for i in (0..4000).step_by(97) {
            let circle: Vec<u64> = friends(&people, i).into_iter().map(|f| f.index).take(40).collect();
            for &a in &circle {
                let theirs = friends(&people, a);
                for &b in circle.iter().filter(|&&b| b > a) {
                    if theirs.iter().any(|f| f.index == b) { closed += 1 } else { open += 1 }
                }
            }
        }
        let clustering = closed as f64 / (closed + open) as f64;
        assert!(clustering > 0.05, "{clustering}; a random graph of this density would have 0.005");
    }
}
