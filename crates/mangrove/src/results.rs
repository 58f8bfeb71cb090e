//! Results of an embedded query.

use dataflow::LocalQuery;
use values::Value;

use crate::Error;

/// The results of a query, one by one. Equal results that the engine found together come as often as they were found.
///
/// Reading queries run as this is iterated, on the calling thread and whatever executors help; dropping it ends them.
#[derive(Debug)]
pub struct Results<'db> {
    rest: Rest<'db>,
    batch: std::vec::IntoIter<(Value, u64)>,
    /// A result of which copies are still due.
    repeated: Option<(Value, u64)>,
    /// No result at all would be an error.
    needs_one: bool,
}

#[derive(Debug)]
enum Rest<'db> {
    /// More comes from a running query.
    Running(Box<LocalQuery<'db>>),
    /// Nothing more comes.
    Ended,
}

/// Copies of one result that are handed out between two looks at the clock.
const LOOK: u64 = 1 << 10;

impl<'db> Results<'db> {
    pub(crate) fn running(query: LocalQuery<'db>, needs_one: bool) -> Self {
        Self {
            rest: Rest::Running(Box::new(query)),
            batch: Vec::new().into_iter(),
            repeated: None,
            needs_one,
        }
    }

    pub(crate) fn complete(results: Vec<(Value, u64)>, needs_one: bool) -> Self {
        Self { rest: Rest::Ended, batch: results.into_iter(), repeated: None, needs_one }
    }

    /// A text and nothing else.
    pub(crate) fn one(value: impl Into<Value>) -> Self {
        Self::complete(vec![(value.into(), 1)], false)
    }

    /// Whether the query may go on: also while copies of one result are handed out, for there may be billions.
    fn check(&self) -> Result<(), Error> {
        match &self.rest {
            Rest::Running(query) => query.state().map_or(Ok(()), |state| state.check()).map_err(Error::from),
            Rest::Ended => Ok(()),
        }
    }

    fn end(&mut self) {
        self.rest = Rest::Ended;
        self.repeated = None;
        self.batch = Vec::new().into_iter();
        self.needs_one = false;
    }

    /// The next result where there are several copies, or none is at hand.
    fn next_copy(&mut self) -> Option<Result<Value, Error>> {
        // Copies of a result, of which there may be many, leave without moving it about.
        if let Some((value, copies)) = &mut self.repeated
            && *copies > 1
            && *copies % LOOK != 0
        {
            *copies -= 1;
            return Some(Ok(value.clone()));
        }
        match self.next_bulk().transpose()? {
            Ok((value, 1)) => Some(Ok(value)),
            Ok((_, copies))
                if copies % LOOK == 0
                    && let Err(error) = self.check() =>
            {
                self.end();
                Some(Err(error))
            }
            Ok((value, copies)) => {
                self.repeated = Some((value.clone(), copies - 1));
                Some(Ok(value))
            }
            Err(error) => Some(Err(error)),
        }
    }

    /// The next result with how often it stands there.
    ///
    /// # Errors
    /// The error that ended the query; there are no results after it.
    pub fn next_bulk(&mut self) -> Result<Option<(Value, u64)>, Error> {
        if let Some(repeated) = self.repeated.take() {
            return Ok(Some(repeated));
        }
        loop {
            if let Some(item) = self.batch.find(|(_, bulk)| *bulk > 0) {
                self.needs_one = false;
                return Ok(Some(item));
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    /// The results that are at hand, each with how often it stands there; where none are, the next ones that the query has, as many as
    /// come together. None: there are no more.
    ///
    /// # Errors
    /// As [`Results::next_bulk`].
    pub fn next_batch(&mut self) -> Result<Vec<(Value, u64)>, Error> {
        let mut batch: Vec<_> = self.repeated.take().into_iter().collect();
        loop {
            batch.extend(std::mem::take(&mut self.batch));
            batch.retain(|(_, bulk)| *bulk > 0);
            if !batch.is_empty() {
                self.needs_one = false;
                return Ok(batch);
            }
            if !self.fill()? {
                return Ok(batch);
            }
        }
    }

    /// Gets more results, where none are at hand; whether there may be some.
    fn fill(&mut self) -> Result<bool, Error> {
        match &mut self.rest {
            Rest::Running(query) => match query.next_batch() {
                Ok(Some(batch)) => self.batch = batch.into_iter(),
                Ok(None) => self.rest = Rest::Ended,
                Err(error) => {
                    self.end();
                    return Err(error.into());
                }
            },
            Rest::Ended if std::mem::take(&mut self.needs_one) => return Err(Error::NoResult),
            Rest::Ended => return Ok(false),
        }
        Ok(true)
    }
}

impl Iterator for Results<'_> {
    type Item = Result<Value, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.repeated.is_none()
            && let Some((_, 1)) = self.batch.as_slice().first()
        {
            // Nearly always.
            self.needs_one = false;
            return self.batch.next().map(|(value, _)| Ok(value));
        }
        self.next_copy()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_comes_as_often_as_its_bulk_says() {
        let results =
            Results::complete(vec![(Value::Int(1), 2), (Value::Int(2), 0), (Value::Int(3), 1)], false);
        let all: Vec<_> = results.map(Result::unwrap).collect();
        assert_eq!(all, [Value::Int(1), Value::Int(1), Value::Int(3)]);
    }

    #[test]
    fn a_batch_has_all_that_is_at_hand_and_the_rest_of_a_result_that_stands_there_several_times() {
        let three = vec![(Value::Int(1), 3), (Value::Int(2), 0), (Value::Int(3), 1)];
        let mut results = Results::complete(three, false);
        assert_eq!(results.next().unwrap().unwrap(), Value::Int(1));
        assert_eq!(results.next_batch().unwrap(), [(Value::Int(1), 2), (Value::Int(3), 1)]);
        assert!(results.next_batch().unwrap().is_empty());
        assert!(matches!(Results::complete(Vec::new(), true).next_batch(), Err(Error::NoResult)));
    }

    #[test]
    fn where_one_result_is_needed_none_is_an_error() {
        let mut none = Results::complete(Vec::new(), true);
        assert!(matches!(none.next(), Some(Err(Error::NoResult))));
        assert!(none.next().is_none());
        let mut one = Results::complete(vec![(Value::Int(1), 1)], true);
        assert!(one.next().unwrap().is_ok());
        assert!(one.next().is_none());
    }
}
