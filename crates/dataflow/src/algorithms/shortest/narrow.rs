//! What lies on the shortest paths between vertices that are as far away from an end as each other, and that end: a level at a time.
//!
//! ```text
//! levels from the end    0 │ 1 │ 2 │ 3
//!                        ▪ ◀─ ▪ ◀─ ▪ ◀─ ▪▪▪ open        along the edges of what is open,
//!                        ▪    ▫ ─▶ ▪ ─▶ ▪               or along those of all of the level before, by which it was reached
//! ```
//!
//! What is open may be a hub, of whose edges hardly any leads back to the end; those that the search went along to get there are
//! counted. So each level takes the way that has fewer edges, and never more than the search took.

use graph::VertexRef;

use super::edges::Edges;
use super::meet::Side;
use super::reached::Reached;
use super::{On, Room};

/// See the module.
pub(super) struct Narrow {
    end: End,
    /// How far what is open is away from the end.
    level: u32,
    /// On a path, and so far away.
    open: Vec<VertexRef>,
    /// On a path, and one nearer.
    found: Vec<VertexRef>,
    way: Way,
    /// How many have been gone on from, of this level.
    next: usize,
}

/// Which end it goes to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Source,
    Target,
}

/// How the next level is found.
#[derive(Clone, Copy)]
enum Way {
    /// That is not known yet: so many edges has what is open, as far as it has been asked.
    Undecided(usize),
    /// From what is open.
    AlongOpen,
    /// From all of the next level.
    AlongAll,
}

impl Narrow {
    /// From vertices that lie on shortest paths, so far away from the end.
    pub(super) fn new(end: End, open: Vec<VertexRef>, level: u32) -> Self {
        Self { end, level, open, found: Vec::new(), way: Way::Undecided(0), next: 0 }
    }

    /// The end that it goes to.
    pub(super) fn end(&self) -> End {
        self.end
    }

    /// Bytes of what is open and found.
    pub(super) fn bytes(&self) -> usize {
        (self.open.capacity() + self.found.capacity()) * size_of::<VertexRef>()
    }

    /// Goes on for the quota; whether it is done. `back`: the edges against their direction; `side`: the search from the end.
    pub(super) fn go_on(&mut self, on: On<'_>, back: &Edges, side: &Side, room: &mut Room) -> bool {
        let back = On { edges: back, ..on };
        let (to_end, from_end) = match self.end {
            End::Source => (back, on),
            End::Target => (on, back),
        };
        while self.level > 0 && !self.open.is_empty() {
            let is_done = match self.way {
                Way::Undecided(edges) => {
                    if !self.decide(edges, to_end, side) {
                        return false;
                    }
                    self.next = 0;
                    continue;
                }
                Way::AlongOpen => self.along_open(to_end, room),
                Way::AlongAll => self.along_all(from_end, side, room),
            };
            if !is_done {
                return false;
            }
            self.open.clear();
            std::mem::swap(&mut self.open, &mut self.found);
            (self.level, self.way, self.next) = (self.level - 1, Way::Undecided(0), 0);
        }
        true
    }

    /// Takes the way with fewer edges; whether it is known. `edges`: those of what has been asked.
    fn decide(&mut self, mut edges: usize, to_end: On<'_>, side: &Side) -> bool {
        let most = side.edges_from(self.level - 1);
        while let Some(&v) = self.open.get(self.next) {
            edges += to_end.edges.count(v, to_end);
            if edges > most {
                self.way = Way::AlongAll;
                return true;
            }
            self.next += 1;
            if to_end.is_over(self.next) {
                self.way = Way::Undecided(edges);
                return false;
            }
        }
        self.way = Way::AlongOpen;
        true
    }

    fn along_open(&mut self, on: On<'_>, room: &mut Room) -> bool {
        while let Some(&v) = self.open.get(self.next) {
            on.edges.for_each_end(v, on, |ends| {
                for &end in ends {
                    let place = on.place(end);
                    // The level of what was not reached is beyond all others.
                    if self.levels(room).level(place).checked_add(1) == Some(self.level) {
                        self.find(end, v, on, room);
                    }
                }
            });
            self.next += 1;
            if on.is_over(self.next) {
                return false;
            }
        }
        true
    }

    fn along_all(&mut self, on: On<'_>, side: &Side, room: &mut Room) -> bool {
        let all = side.of_level(self.level - 1);
        while let Some(&v) = self.levels(room).vertices[all.clone()].get(self.next) {
            on.edges.for_each_end(v, on, |ends| {
                for &end in ends {
                    let place = on.place(end);
                    if self.levels(room).level(place) == self.level && room.is_marked(place) {
                        self.find(v, end, on, room);
                    }
                }
            });
            self.next += 1;
            if on.is_over(self.next) {
                return false;
            }
        }
        true
    }

    /// A vertex that is one nearer to the end than another one that lies on a path.
    fn find(&mut self, v: VertexRef, open: VertexRef, on: On<'_>, room: &mut Room) {
        if on.wanted.keeps_ways() {
            match self.end {
                End::Source => room.ways.add(v, open),
                End::Target => room.ways.add(open, v),
            }
        }
        let place = on.place(v);
        if room.mark(place) {
            self.found.push(v);
            if self.end == End::Target {
                let level = room.from_source.level(on.place(open));
                room.from_source.reach(v, place, level + 1);
            }
        }
    }

    fn levels<'r>(&self, room: &'r Room) -> &'r Reached {
        match self.end {
            End::Source => &room.from_source,
            End::Target => &room.from_target,
        }
    }
}
