//! A request that carries a key: what it is known by, and whether it is to be run.

use std::{
    fmt::{Debug, Write},
    hash::{BuildHasher, DefaultHasher, Hasher, RandomState},
    sync::LazyLock,
};

use gremlin::{Argument, SourceName, Traversal};
use server::{Holder, Query, ResultBatch, Running};
use values::{Str, Value, watch};

use super::{answer::ServerSink, keys::Known, script::Request, wishes::Wishes};
use crate::{Error, database::Inner, time_limit::TimeLimit};

/// The option of a traversal that is its key.
const OPTION: &str = "mangrove.requestKey";

/// Bytes of a key.
const LONGEST: usize = 128;

/// What a request with a key is known by.
#[derive(Clone, Debug)]
pub(crate) struct Once {
    /// What the client calls it.
    pub(super) key: Str,
    /// What it asks for, as a number: another request with the same key is a mistake.
    pub(super) asked: u64,
    /// On whose account; `None`: the application asks itself.
    pub(super) holder: Option<Holder>,
}

impl Once {
    /// That of a request, if it has a key.
    ///
    /// # Errors
    /// If the key is none, or the request's time is over before it is known what it asks for.
    pub(crate) fn of(inner: &Inner, query: &Query) -> Result<Option<Self>, Error> {
        let Some(key) = &query.key else { return Ok(None) };
        let time = Wishes::of_query(query).time(inner);
        Self::new(key.clone(), &query.input, Some(query.client.holder()), &time).map(Some)
    }

    /// That of a traversal which says its key itself (`with('mangrove.requestKey', …)`), if it does; the option is taken out.
    ///
    /// # Errors
    /// If the key is none, or the request has another one, or its time is over before it is known what it asks for.
    pub(crate) fn taken_from(
        request: &mut Request,
        wishes: &Wishes,
        time: &TimeLimit,
    ) -> Result<Option<Self>, Error> {
        let Some(at) = place_of_key(&request.traversal) else { return Ok(None) };
        if wishes.is_keyed() {
            return Err(Error::RequestKey(format!(
                "the request has a key already, and its traversal says {OPTION}; keep one"
            )));
        }
        let call = request.traversal.source.remove(at);
        let key = match call.args.get(1).and_then(Argument::as_value) {
            Some(Value::String(key)) => key.clone(),
            Some(Value::Uuid(key)) => key.to_string().into(),
            _ => return Err(Error::RequestKey(format!("{OPTION} must be a string or a UUID"))),
        };
        Self::new(key, &(&request.traversal, request.mode), wishes.asker().holder(), time).map(Some)
    }

    fn new(key: Str, asked: &dyn Debug, holder: Option<Holder>, time: &TimeLimit) -> Result<Self, Error> {
        if key.is_empty() || key.len() > LONGEST {
            let bytes = key.len();
            return Err(Error::RequestKey(format!(
                "a request key has 1 to {LONGEST} bytes, but this one {bytes}"
            )));
        }
        Ok(Self { key, asked: number_of(asked, time)?, holder })
    }
}

/// Starts a request, if it was not done before.
///
/// # Errors
/// As `start`, and if the key is another request's, or its own, which is still under way.
pub(crate) fn once(
    inner: &Inner,
    once: Once,
    sink: &ServerSink,
    start: impl FnOnce(&ServerSink) -> Result<Box<dyn Running>, Error>,
) -> Result<Box<dyn Running>, Error> {
    let results = match inner.request_keys.begin(once, sink)? {
        Known::New(sink) => return start(&sink),
        Known::Done(results) => results,
    };
    let warning = match &results {
        Some(_) => "this request was done before, and is not done again: these are its results of then",
        None => "this request was done before, and is not done again: its results were not kept",
    };
    if let Some(results) = results.filter(|results| !results.is_empty()) {
        // A sink that has seen nothing has room for one batch.
        let _ = sink.push(ResultBatch::of(results));
    }
    sink.finish(Ok(server::Summary { warnings: vec![warning.into()] }));
    Ok(Box::new(Over))
}

/// A request that is over.
pub(crate) struct Over;

impl Running for Over {
    fn resume(&self) {}
    fn cancel(&self) {}
}

/// Refuses a traversal that says a key where none can be kept.
///
/// # Errors
/// If it says one.
pub(super) fn refuse_key(traversal: &Traversal) -> Result<(), Error> {
    match place_of_key(traversal) {
        None => Ok(()),
        Some(_) => Err(Error::RequestKey(format!(
            "{OPTION} is for a request to the server that is one traversal and a transaction of its own; for a script or a commit the \
             request itself carries its key, in the argument requestKey"
        ))),
    }
}

/// Where a traversal says its key.
fn place_of_key(traversal: &Traversal) -> Option<usize> {
    let is_key = |argument: Option<&Argument>| {
        argument.and_then(Argument::as_value).and_then(Value::as_str) == Some(OPTION)
    };
    traversal.source.iter().position(|call| call.name == SourceName::With && is_key(call.args.first()))
}

/// Whether a traversal says a key.
pub(super) fn has_key(traversal: &Traversal) -> bool {
    place_of_key(traversal).is_some()
}

/// A number that two requests have in common only if they ask for the same. What a variable stands for is written out wherever it is
/// said, which may take days: whoever waits for less is told when his time is over.
fn number_of(asked: &dyn Debug, time: &TimeLimit) -> Result<u64, Error> {
    // Of this process, so that nobody can look for two requests of one number.
    static STATE: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    let number = || {
        let mut words = Words(STATE.build_hasher());
        let _ = write!(words, "{asked:?}");
        words.0.finish()
    };
    time.spend(number).map_err(Error::from)
}

/// Words that are hashed as they are written.
struct Words(DefaultHasher);

impl Write for Words {
    fn write_str(&mut self, words: &str) -> std::fmt::Result {
        const BYTES_PER_TICK: usize = 64;
        watch::ticks(words.len() / BYTES_PER_TICK + 1);
        self.0.write(words.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use dataflow::QueryError;
    use gremlin::Bindings;

    use super::*;

    fn taken(text: &str) -> Result<Option<Once>, Error> {
        let mut request = Request::parse(text, "g", &Bindings::new())?;
        let for_ever = TimeLimit::since(Instant::now(), None);
        let once = Once::taken_from(&mut request, &Wishes::of_application(), &for_ever);
        assert!(!has_key(&request.traversal) || once.is_err());
        once
    }

    #[test]
    fn a_traversal_says_its_key_and_is_known_by_the_rest() {
        let once = |text: &str| taken(text).unwrap().unwrap();
        let one = once("g.with('mangrove.requestKey', 'a').addV('x')");
        assert_eq!(one.key, "a");
        assert_eq!(one.asked, once("g.with('mangrove.requestKey', 'a').addV('x')").asked);
        assert_ne!(one.asked, once("g.with('mangrove.requestKey', 'a').addV('y')").asked);
        assert_ne!(one.asked, once("g.with('mangrove.requestKey', 'a').addV('x').next()").asked);
        assert!(taken("g.with('mangrove.batch', 1).addV('x')").unwrap().is_none());
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let long = "x".repeat(LONGEST + 1);
        for key in ["4", "''", &format!("'{long}'"), "['a']"] {
            let text = format!("g.with('mangrove.requestKey', {key}).addV('x')");
            assert!(matches!(taken(&text), Err(Error::RequestKey(_))), "{text}");
        }
    }

    #[test]
    fn to_find_what_is_asked_for_takes_no_longer_than_the_request_may() {
        let large = Value::from("x".repeat(1 << 20));
        let mentions = vec!["x"; 10_000].join(",");
        let text = format!("g.with('mangrove.requestKey', 'a').inject({mentions})");
        let mut request = Request::parse(&text, "g", &Bindings::from([("x".into(), large.into())])).unwrap();
        let begun = Instant::now();
        let soon = TimeLimit::since(begun, Some(Duration::from_millis(5)));
        let once = Once::taken_from(&mut request, &Wishes::of_application(), &soon);
        assert!(matches!(once, Err(Error::Query(QueryError::TimedOut(_)))), "{once:?}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }
}
