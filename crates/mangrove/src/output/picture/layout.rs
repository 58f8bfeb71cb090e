//! Where vertices are drawn: forces push all of them apart and pull those together that have an edge between them, less and less, until
//! they stay (Fruchterman and Reingold, "Graph drawing by force-directed placement", 1991). The same graph looks the same each time.

use indexmap::IndexMap;

/// A place in the picture, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// How far apart two vertices with an edge between them should be.
const LENGTH: f64 = 110.0;
/// Pairs that are looked at in all: some tenths of a second.
const WORK: usize = 120_000_000;
/// Most and least rounds.
const ROUNDS: (usize, usize) = (400, 50);
/// How strongly everything is drawn to the middle.
const GRAVITY: f64 = 0.06;
/// How wide the parts of a picture are side by side, of the side of a square that they would fill.
const SHELF: f64 = 1.2;

/// The places of so many vertices with these edges, the least of either coordinate being 0. What hangs together is laid out by itself, and
/// these parts stand side by side.
pub(super) fn place(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Place> {
    let edges: Vec<(usize, usize)> = edges.filter(|(from, to)| from != to).collect();
    let mut parts = parts(count, &edges);
    parts.iter_mut().for_each(|part| part.lay_out());
    shelve(&mut parts);
    let mut places = vec![Place::default(); count];
    for part in &parts {
        for (number, at) in part.vertices.iter().zip(&part.places) {
            places[*number] = *at;
        }
    }
    to_origin(&mut places);
    places
}

/// Vertices that hang together.
#[derive(Default)]
struct Part {
    vertices: Vec<usize>,
    /// By their numbers in here.
    edges: Vec<(usize, usize)>,
    places: Vec<Place>,
}

/// What hangs together, the largest first.
fn parts(count: usize, edges: &[(usize, usize)]) -> Vec<Part> {
    let mut leads: Vec<usize> = (0..count).collect();
    fn root(leads: &mut [usize], mut of: usize) -> usize {
        while leads[of] != of {
            leads[of] = leads[leads[of]];
            of = leads[of];
        }
        of
    }
    for &(from, to) in edges {
        let (from, to) = (root(&mut leads, from), root(&mut leads, to));
        leads[from.max(to)] = from.min(to);
    }
    let mut found: IndexMap<usize, Part> = IndexMap::new();
    let mut numbers = Vec::with_capacity(count);
    for vertex in 0..count {
        let part = found.entry(root(&mut leads, vertex)).or_default();
        numbers.push(part.vertices.len());
        part.vertices.push(vertex);
    }
    for &(from, to) in edges {
        let part = found.entry(root(&mut leads, from)).or_default();
        part.edges.push((numbers[from], numbers[to]));
    }
    let mut parts: Vec<Part> = found.into_values().collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.vertices.len()));
    parts
}

impl Part {
    fn lay_out(&mut self) {
        let count = self.vertices.len();
        self.places = (0..count).map(at_first).collect();
        let rounds = (WORK / (count * count).max(1)).clamp(ROUNDS.1, ROUNDS.0);
        let start = LENGTH * (count as f64).sqrt() / 2.0;
        for round in 0..if count > 1 { rounds } else { 0 } {
            let heat = start * (1.0 - round as f64 / rounds as f64) + 1.0;
            cool(&mut self.places, &self.edges, heat);
        }
        to_origin(&mut self.places);
    }

    /// How much room it takes, with what is to be free around it.
    fn size(&self) -> Place {
        let most = |of: fn(&Place) -> f64| self.places.iter().map(of).fold(0.0, f64::max);
        Place { x: most(|at| at.x) + LENGTH, y: most(|at| at.y) + LENGTH }
    }
}

/// Puts parts side by side, line by line, so that all of them together are about as high as they are wide.
fn shelve(parts: &mut [Part]) {
    let area: f64 = parts.iter().map(|part| part.size().x * part.size().y).sum();
    let widest = parts.iter().map(|part| part.size().x).fold(0.0, f64::max);
    let width = widest.max(area.sqrt() * SHELF);
    let (mut at, mut high) = (Place::default(), 0.0_f64);
    for part in parts {
        let size = part.size();
        if at.x > 0.0 && at.x + size.x > width {
            at = Place { x: 0.0, y: at.y + high };
            high = 0.0;
        }
        part.places.iter_mut().for_each(|place| {
            place.x += at.x;
            place.y += at.y;
        });
        at.x += size.x;
        high = high.max(size.y);
    }
}

/// A spiral: the golden angle never puts two in one direction.
fn at_first(number: usize) -> Place {
    let angle = number as f64 * 2.399_963;
    let radius = LENGTH * 0.6 * (number as f64).sqrt();
    Place { x: radius * angle.cos(), y: radius * angle.sin() }
}

/// Moves all of them once, each by at most the heat.
fn cool(places: &mut [Place], edges: &[(usize, usize)], heat: f64) {
    let mut moves: Vec<Place> =
        places.iter().map(|at| Place { x: -at.x * GRAVITY, y: -at.y * GRAVITY }).collect();
    for one in 0..places.len() {
        for other in 0..one {
            let (x, y, distance) = between(places[one], places[other], one, other);
            let push = LENGTH * LENGTH / (distance * distance);
            add(&mut moves, one, other, x * push, y * push);
        }
    }
    for &(one, other) in edges {
        let (x, y, distance) = between(places[one], places[other], one, other);
        let pull = -distance / LENGTH;
        add(&mut moves, one, other, x * pull, y * pull);
    }
    for (at, by) in places.iter_mut().zip(moves) {
        let far = by.x.hypot(by.y).max(f64::MIN_POSITIVE);
        let share = far.min(heat) / far;
        at.x += by.x * share;
        at.y += by.y * share;
    }
}

/// The way from the other to the one and how far that is. Two at one place are taken for a little apart.
fn between(a: Place, b: Place, one: usize, other: usize) -> (f64, f64, f64) {
    let (x, y) = (a.x - b.x, a.y - b.y);
    let distance = x.hypot(y);
    if distance > 0.01 { (x, y, distance) } else { (0.01 * (1 + one - other) as f64, 0.01, 0.01) }
}

fn add(moves: &mut [Place], one: usize, other: usize, x: f64, y: f64) {
    moves[one].x += x;
    moves[one].y += y;
    moves[other].x -= x;
    moves[other].y -= y;
}

fn to_origin(places: &mut [Place]) {
    let least = |of: fn(&Place) -> f64| places.iter().map(of).fold(f64::INFINITY, f64::min);
    let (left, top) = (least(|at| at.x), least(|at| at.y));
    for at in places {
        at.x -= left;
        at.y -= top;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(places: &[Place], one: usize, other: usize) -> f64 {
        (places[one].x - places[other].x).hypot(places[one].y - places[other].y)
    }

    #[test]
    fn nothing_lies_on_something_else_and_neighbours_are_near() {
        // Two rings of ten, and three that are alone.
        let edges = (0..10).flat_map(|n| [(n, (n + 1) % 10), (10 + n, 10 + (n + 1) % 10)]);
        let places = place(23, edges);
        for one in 0..23 {
            for other in 0..one {
                assert!(distance(&places, one, other) > LENGTH / 4.0, "{one} and {other}");
            }
        }
        let near: f64 = (0..10).map(|n| distance(&places, n, (n + 1) % 10)).sum::<f64>() / 10.0;
        let far: f64 = (0..10).map(|n| distance(&places, n, 10 + n)).sum::<f64>() / 10.0;
        assert!(near < far && near < 2.0 * LENGTH, "{near} {far}");
        assert!(places.iter().all(|at| at.x >= 0.0 && at.y >= 0.0 && at.x.is_finite() && at.y.is_finite()));
    }

    #[test]
    fn what_does_not_hang_together_is_near_all_the_same() {
        let extent = |places: &[Place]| {
            let most = |of: fn(&Place) -> f64| places.iter().map(of).fold(0.0, f64::max);
            (most(|at| at.x), most(|at| at.y))
        };
        let (width, height) = extent(&place(6, std::iter::empty()));
        assert!(width <= 3.0 * LENGTH && height <= 3.0 * LENGTH, "{width} {height}");
        let (width, height) = extent(&place(1_500, std::iter::empty()));
        assert!(width < 50.0 * LENGTH && height < 50.0 * LENGTH, "{width} {height}");
        // Chains of ten.
        let (width, height) = extent(&place(500, (0..500).filter(|n| n % 10 < 9).map(|n| (n, n + 1))));
        assert!(width < 60.0 * LENGTH && height < 60.0 * LENGTH, "{width} {height}");
    }

    #[test]
    fn the_same_graph_looks_the_same_and_none_is_nothing() {
        let edges = || (0..40).map(|n| (n, n * 7 % 40));
        assert_eq!(place(40, edges()), place(40, edges()));
        assert!(place(0, std::iter::empty()).is_empty());
        assert_eq!(place(1, std::iter::once((0, 0))), [Place::default()]);
    }

    #[test]
    fn the_most_that_a_picture_holds_is_laid_out_in_time() {
        let began = std::time::Instant::now();
        let places = place(super::super::MOST_NODES, (0..6_000).map(|n| (n % 1_500, n * 31 % 1_500)));
        assert!(places.iter().all(|at| at.x.is_finite()));
        assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    }
}
