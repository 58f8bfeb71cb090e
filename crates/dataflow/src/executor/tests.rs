//! Pieces that cannot go on, and those that are over.

use std::sync::mpsc::{Sender, channel};
use std::thread::{self, ThreadId};

use super::*;
use crate::error::QueryError;
use crate::query::{Party, Path, Sharing};
use crate::quota::MonotonicClock;

/// A piece of the query of this number, which goes nowhere.
struct Stuck(u64);

impl Piece for Stuck {
    fn path(&self) -> Path {
        [Party::Application, Party::Application, Party::Query(self.0)]
    }

    fn run(&mut self, _quota: Quota<'_>) -> Progress {
        Progress::Blocked
    }

    fn left_behind(&self) -> usize {
        0
    }

    fn fail(self: Box<Self>, _error: QueryError) {}
}

/// A piece of a query that is over and has held much. Says which thread frees it.
struct Last(Sender<ThreadId>);

impl Piece for Last {
    fn path(&self) -> Path {
        Stuck(0).path()
    }

    fn run(&mut self, _quota: Quota<'_>) -> Progress {
        Progress::Complete
    }

    fn left_behind(&self) -> usize {
        reclaim::LARGE
    }

    fn fail(self: Box<Self>, _error: QueryError) {}
}

impl Drop for Last {
    fn drop(&mut self) {
        self.0.send(thread::current().id()).unwrap();
    }
}

fn peers() -> Peers {
    Peers::new(1, Sharing::default(), Arc::new(MonotonicClock::default()))
}

#[test]
fn a_piece_that_cannot_go_on_gives_way_to_those_that_were_begun_in_their_order() {
    let peers = peers();
    let mut executor = Executor::new(0, &peers);
    let number = |piece: &Option<Box<dyn Piece>>| piece.as_ref().map(|piece| piece.path()[2]);
    let query = |number| Some(Party::Query(number));
    executor.keep(Some(Box::new(Stuck(1))), true, &peers);
    assert_eq!(number(&executor.piece), query(1), "there is no other");
    peers.give_back(Box::new(Stuck(2)));
    peers.give_back(Box::new(Stuck(3)));
    for next in [2, 3, 1, 2] {
        let piece = executor.piece.take();
        executor.keep(piece, true, &peers);
        assert_eq!(number(&executor.piece), query(next));
    }
    let piece = executor.piece.take();
    executor.keep(piece, false, &peers);
    assert_eq!(number(&executor.piece), query(2), "one that goes on stays");
    executor.keep(None, false, &peers);
    assert!(executor.piece.is_none() && peers.take_begun().is_some() && peers.take_begun().is_some());
    assert!(peers.take_begun().is_none());
}

#[test]
fn the_last_piece_of_a_large_query_that_is_over_is_freed_off_the_executor() {
    let (send, receive) = channel();
    let executor = thread::spawn(move || {
        reclaim::on_this_thread();
        let clock = MonotonicClock::default();
        let (left, is_blocked) = work_on(Box::new(Last(send)), Quota::new(&clock, TURN));
        assert!(left.is_none() && !is_blocked);
        thread::current().id()
    });
    let executor = executor.join().unwrap();
    assert_ne!(receive.recv_timeout(Duration::from_secs(10)).unwrap(), executor);
}
