//! The requests with a key that are under way or were done, so that none is done twice.
//!
//! ```text
//!  key ─▶ under way ──▶ done, with what it answered ──▶ forgotten, after a time, or when there are many later ones
//!   ▲        └─ failed, or given up before it was committed: forgotten at once
//!   └── sent again: refused as busy │ answered as before
//! ```
//!
//! What is kept is in memory: it does not outlive the process.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use server::Holder;
use values::{Str, Value};

use super::{answer::ServerSink, keyed::Keyed, once::Once};
use crate::Error;

/// Bytes of the answers to one address that are kept, written out,
const ADDRESS_BYTES: u64 = 4 << 20;
/// and of all that are kept.
const ALL_BYTES: u64 = 16 << 20;

/// Results, each with how often it stands there.
pub(super) type Items = Vec<(Value, u64)>;

/// An answer and its bytes, if it is kept.
pub(super) type Kept = Option<(Items, u64)>;

/// How many requests with a key are remembered, and for how long: one that is sent again meanwhile is not done twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestKeyOptions {
    /// In all, those that are under way included. The oldest that was done is forgotten for one more.
    pub most: usize,
    /// The same of one client's address.
    pub most_per_address: usize,
    /// They are forgotten so long after they were done.
    pub time: Duration,
}

impl Default for RequestKeyOptions {
    fn default() -> Self {
        Self { most: 50_000, most_per_address: 25_000, time: Duration::from_secs(600) }
    }
}

/// A key, and whose it is: what one user was answered is not for others. Where there are no users, it is known to whoever has it, from
/// wherever.
type Key = (Option<Arc<str>>, Str);

fn key_of(once: &Once) -> Key {
    match &once.holder {
        Some(Holder::User(user)) => (Some(user.clone()), once.key.clone()),
        Some(Holder::Address(_)) | None => (None, once.key.clone()),
    }
}

/// The keys of a graph.
pub(crate) struct RequestKeys {
    bounds: RequestKeyOptions,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    by_key: HashMap<Key, Entry>,
    /// Those that were done, with when that was, in that order.
    done: BTreeMap<u64, (Instant, Key)>,
    by_holder: HashMap<Option<Holder>, Share>,
    bytes: u64,
    next: u64,
}

struct Entry {
    once: Once,
    /// No other has it: of two requests that had one key in turn, one must not end the other.
    number: u64,
    phase: Phase,
}

enum Phase {
    UnderWay,
    /// With its results, if they are few, and their bytes.
    Done(Kept),
}

/// What is remembered on one account.
#[derive(Default)]
struct Share {
    under_way: usize,
    /// Those that were done, by their places in [`State::done`].
    done: VecDeque<u64>,
    bytes: u64,
}

/// What a key says of a request.
pub(super) enum Known {
    /// It is new: it is to be run, with this sink.
    New(ServerSink),
    /// It was done: these were its results, if they are still known.
    Done(Option<Items>),
}

impl RequestKeys {
    /// Remembers none yet.
    pub(crate) fn new(bounds: RequestKeyOptions) -> Self {
        Self { bounds, state: Arc::default() }
    }

    /// What is known of a request; if nothing, it is under way from now on.
    ///
    /// # Errors
    /// If it is under way already, another request has its key, or too many are under way.
    pub(super) fn begin(&self, once: Once, sink: &ServerSink) -> Result<Known, Error> {
        let mut state = self.state.lock();
        state.forget_old(self.bounds.time);
        if let Some(entry) = state.by_key.get(&key_of(&once)) {
            return entry.tell(&once);
        }
        if !state.make_room(&once, self.bounds) {
            return Err(Error::UnderWay(
                "as many requests with a key are under way as engine.request_keys, or engine.request_keys_per_address, allows; send \
                 this one again in a moment"
                    .into(),
            ));
        }
        let number = state.number();
        state.by_holder.entry(once.holder.clone()).or_default().under_way += 1;
        state.by_key.insert(key_of(&once), Entry { once: once.clone(), number, phase: Phase::UnderWay });
        let under_way = UnderWay { once, number, state: self.state.clone() };
        Ok(Known::New(Arc::new(Keyed::new(under_way, sink.clone()))))
    }

    /// Requests that are remembered or under way.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.state.lock().by_key.len()
    }
}

impl Entry {
    /// What a request with this key is told.
    fn tell(&self, once: &Once) -> Result<Known, Error> {
        let key = &once.key;
        if self.once.asked != once.asked {
            return Err(Error::RequestKey(format!(
                "the key {key} is that of another request, which is not done again and not replaced: a request that is sent again \
                 must be the same, and a new one needs a key of its own"
            )));
        }
        match &self.phase {
            Phase::Done(answer) => Ok(Known::Done(answer.as_ref().map(|(items, _)| items.clone()))),
            Phase::UnderWay => Err(Error::UnderWay(format!(
                "the request with the key {key} is under way; send it again in a moment to learn how it ended"
            ))),
        }
    }
}

impl State {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Forgets those that were done long ago.
    fn forget_old(&mut self, time: Duration) {
        let now = Instant::now();
        while self
            .done
            .first_key_value()
            .is_some_and(|(_, (at, _))| now.saturating_duration_since(*at) >= time)
        {
            self.forget_oldest(None);
        }
    }

    /// Forgets the oldest that are more than the bounds allow, for one more; whether there is room then.
    fn make_room(&mut self, once: &Once, bounds: RequestKeyOptions) -> bool {
        let own = |state: &Self| {
            state.by_holder.get(&once.holder).map_or(0, |share| share.under_way + share.done.len())
        };
        while own(self) >= bounds.most_per_address {
            if !self.forget_oldest(Some(&once.holder)) {
                return false;
            }
        }
        while self.by_key.len() >= bounds.most {
            if !self.forget_oldest(None) {
                return false;
            }
        }
        true
    }

    /// Forgets the one that was done first, of an account if one is named; whether there was one. The first of all is the first of its
    /// account.
    fn forget_oldest(&mut self, holder: Option<&Option<Holder>>) -> bool {
        let place = match holder {
            Some(holder) => self.by_holder.get(holder).and_then(|share| share.done.front().copied()),
            None => self.done.first_key_value().map(|(place, _)| *place),
        };
        let Some((_, key)) = place.and_then(|place| self.done.remove(&place)) else { return false };
        let Some(Entry { once, phase, .. }) = self.by_key.remove(&key) else { return true };
        let bytes = if let Phase::Done(Some((_, bytes))) = phase { bytes } else { 0 };
        self.bytes -= bytes;
        self.change(&once.holder, |share| {
            share.done.pop_front();
            share.bytes -= bytes;
        });
        true
    }

    /// A request has ended: with this answer, if it was done. Said again, it says nothing.
    fn end(&mut self, once: &Once, number: u64, done: Option<Kept>) {
        let is_it = |entry: &&mut Entry| entry.number == number && matches!(entry.phase, Phase::UnderWay);
        let place = self.number();
        let Some(entry) = self.by_key.get_mut(&key_of(once)).filter(is_it) else { return };
        let Some(mut answer) = done else {
            self.by_key.remove(&key_of(once));
            return self.change(&once.holder, |share| share.under_way -= 1);
        };
        let held = self.by_holder.get(&once.holder).map_or(0, |share| share.bytes);
        answer = answer.filter(|(_, bytes)| held + bytes <= ADDRESS_BYTES && self.bytes + bytes <= ALL_BYTES);
        let bytes = answer.as_ref().map_or(0, |(_, bytes)| *bytes);
        entry.phase = Phase::Done(answer);
        self.bytes += bytes;
        self.done.insert(place, (Instant::now(), key_of(once)));
        self.change(&once.holder, |share| {
            share.under_way -= 1;
            share.done.push_back(place);
            share.bytes += bytes;
        });
    }

    /// Changes what an account has; nothing is left of one that has nothing.
    fn change(&mut self, holder: &Option<Holder>, change: impl FnOnce(&mut Share)) {
        let Some(share) = self.by_holder.get_mut(holder) else { return };
        change(share);
        if share.under_way == 0 && share.done.is_empty() {
            self.by_holder.remove(holder);
        }
    }
}

/// A request that is under way. Dropped, it was given up: nothing of it has happened.
pub(super) struct UnderWay {
    once: Once,
    number: u64,
    state: Arc<Mutex<State>>,
}

impl UnderWay {
    /// It has ended: with this answer, if it was done. Said again, it says nothing.
    pub(super) fn end(&self, done: Option<Kept>) {
        self.state.lock().end(&self.once, self.number, done);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.end(None);
    }
}

#[cfg(test)]
mod tests {
    use server::{Push, QueryError, ResultBatch, ResultSink, Summary};

    use super::*;

    struct Client;

    impl ResultSink for Client {
        fn push(&self, _: ResultBatch) -> Push {
            Push::Taken
        }
        fn finish(&self, _: Result<Summary, QueryError>) {}
    }

    fn client() -> ServerSink {
        Arc::new(Client)
    }

    fn keys(most: usize, most_per_address: usize, time: Duration) -> RequestKeys {
        RequestKeys::new(RequestKeyOptions { most, most_per_address, time })
    }

    const LONG: Duration = Duration::from_secs(60);

    fn of(key: &str, last: u8) -> Once {
        Once { key: key.into(), asked: 1, holder: Some(Holder::Address([10, 0, 0, last].into())) }
    }

    fn new(keys: &RequestKeys, once: Once) -> ServerSink {
        let key = once.key.clone();
        match keys.begin(once, &client()).unwrap() {
            Known::New(sink) => sink,
            Known::Done(_) => panic!("{key} is done"),
        }
    }

    fn is_done(keys: &RequestKeys, once: Once) -> bool {
        matches!(keys.begin(once, &client()).unwrap(), Known::Done(_))
    }

    fn done(keys: &RequestKeys, once: Once) {
        new(keys, once).finish(Ok(Summary::default()));
    }

    fn answer(value: Value) -> ResultBatch {
        ResultBatch::of(vec![(value, 1)])
    }

    fn message(begun: Result<Known, Error>) -> String {
        begun.err().unwrap().to_string()
    }

    #[test]
    fn what_was_done_is_told_again_and_what_failed_is_forgotten() {
        let keys = keys(10, 10, LONG);
        let sink = new(&keys, of("a", 1));
        assert!(message(keys.begin(of("a", 1), &client())).contains("under way"));
        assert!(matches!(sink.push(answer(7.into())), Push::Taken));
        sink.finish(Ok(Summary::default()));
        drop(sink);
        let Known::Done(Some(results)) = keys.begin(of("a", 2), &client()).unwrap() else { panic!() };
        assert_eq!(results, [(Value::Int(7), 1)]);
        assert!(message(keys.begin(Once { asked: 2, ..of("a", 1) }, &client())).contains("another request"));
        let failed = new(&keys, of("b", 1));
        failed.finish(Err(QueryError::new(crate::ErrorKind::Conflict, "no")));
        let again = new(&keys, of("b", 1));
        drop(failed);
        assert!(keys.begin(of("b", 1), &client()).is_err(), "the first has ended and cannot end the second");
        drop(again);
        assert_eq!(keys.len(), 1, "given up, and so forgotten");
    }

    #[test]
    fn large_answers_are_not_kept_nor_more_than_an_address_may_have() {
        let keys = keys(10_000, 10_000, LONG);
        let push = |key: &str, last, bytes: usize| {
            let sink = new(&keys, of(key, last));
            let _ = sink.push(answer(Value::from("x".repeat(bytes))));
            sink.finish(Ok(Summary::default()));
            let Known::Done(results) = keys.begin(of(key, last), &client()).unwrap() else { panic!() };
            results.is_some()
        };
        assert!(!push("large", 1, 5_000));
        let kept = (0..2_400).filter(|n| push(&n.to_string(), 1, 2_000)).count();
        assert!((1_700..2_200).contains(&kept), "{kept}");
        assert!(push("other", 2, 2_000));
    }

    #[test]
    fn the_oldest_of_an_address_or_of_all_are_forgotten_when_there_are_many() {
        let keys = keys(5, 3, LONG);
        (0..10).for_each(|n| done(&keys, of(&n.to_string(), 1)));
        assert!(is_done(&keys, of("7", 1)) && is_done(&keys, of("9", 1)));
        assert_eq!(keys.len(), 3);
        (10..14).for_each(|n| done(&keys, of(&n.to_string(), n)));
        assert_eq!(keys.len(), 5);
        assert!(is_done(&keys, of("13", 13)) && is_done(&keys, of("9", 1)));
        drop(new(&keys, of("7", 1)));
        let state = keys.state.lock();
        assert_eq!(
            (state.by_key.len(), state.done.len()),
            (4, 4),
            "one was forgotten for the last, which was given up"
        );
        assert_eq!(state.by_holder.values().map(|share| share.done.len()).sum::<usize>(), 4);
    }

    #[test]
    fn those_under_way_are_not_forgotten_and_too_many_are_refused() {
        let keys = keys(3, 2, LONG);
        let _under_way = [new(&keys, of("a", 1)), new(&keys, of("b", 1))];
        assert!(message(keys.begin(of("c", 1), &client())).contains("per_address"));
        let other = new(&keys, of("c", 2));
        assert!(keys.begin(of("d", 3), &client()).is_err());
        other.finish(Ok(Summary::default()));
        drop(new(&keys, of("d", 3)));
    }

    #[test]
    fn they_are_remembered_for_a_time_and_nothing_is_left_of_them() {
        let keys = keys(10, 10, Duration::ZERO);
        done(&keys, of("a", 1));
        drop(new(&keys, of("a", 1)));
        let state = keys.state.lock();
        assert!(
            state.by_key.is_empty()
                && state.done.is_empty()
                && state.by_holder.is_empty()
                && state.bytes == 0
        );
    }
}
