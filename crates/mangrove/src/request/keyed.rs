//! The results of a request with a key on their way to its client: they are remembered, and so is how it ended.

use parking_lot::Mutex;
use server::{Push, QueryError, ResultBatch, ResultSink, Summary};
use values::Value;

use super::{
    answer::ServerSink,
    keys::{Items, Kept, UnderWay},
};

/// Bytes of an answer that is kept, written out.
const ANSWER_BYTES: u64 = 4 << 10;

/// See the module.
pub(super) struct Keyed {
    under_way: UnderWay,
    sink: ServerSink,
    answer: Mutex<Answer>,
}

/// What a request has answered until now.
struct Answer {
    /// All of it, while that is little.
    items: Option<Items>,
    bytes: u64,
    /// Whether something was not taken, and has not been offered again.
    is_behind: bool,
}

impl Answer {
    fn keep(&mut self, more: Items) {
        let size = |(value, _): &(Value, u64)| {
            value.extent().expanded.min(ANSWER_BYTES) + size_of::<(Value, u64)>() as u64
        };
        self.bytes += more.iter().map(size).sum::<u64>();
        match &mut self.items {
            Some(items) if self.bytes <= ANSWER_BYTES => items.extend(more),
            _ => self.items = None,
        }
    }

    /// All of it, with its bytes, if it is known.
    fn take(&mut self) -> Kept {
        self.items.take().filter(|_| !self.is_behind).map(|items| (items, self.bytes))
    }
}

impl Keyed {
    /// That of a request which begins, in front of its client's.
    pub(super) fn new(under_way: UnderWay, sink: ServerSink) -> Self {
        let answer = Answer { items: Some(Items::new()), bytes: 0, is_behind: false };
        Self { under_way, sink, answer: Mutex::new(answer) }
    }

    fn end(&self, is_done: bool) {
        let answer = is_done.then(|| self.answer.lock().take());
        self.under_way.end(answer);
    }
}

impl ResultSink for Keyed {
    fn push(&self, batch: ResultBatch) -> Push {
        let mut answer = self.answer.lock();
        let is_little = batch.items.len() as u64 <= ANSWER_BYTES && answer.items.is_some();
        let copy = is_little.then(|| batch.items.clone());
        let pushed = self.sink.push(batch);
        answer.is_behind = matches!(pushed, Push::Full(_));
        // What nobody listens to is just what will be asked for again.
        if !answer.is_behind {
            match copy {
                Some(items) => answer.keep(items),
                None => answer.items = None,
            }
        }
        pushed
    }

    fn finish(&self, outcome: Result<Summary, QueryError>) {
        // First, so that who has its answer and asks again is told the same.
        self.end(outcome.is_ok());
        self.sink.finish(outcome);
    }
}
