//! A hostile client: sends one query after the other, and looks at the clock.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::time::timeout;

use super::alarm::Alarm;
use super::connection::{self, Connection};
use super::kinds::{self, Kind};
use super::query::{self, Form, Hostile, Limit};
use super::server::{TIMEOUT, bounds};
use super::verdict::{self, Fate, Verdict};

/// A query that has not ended so long after its deadline is stuck.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);
/// After so long a client leaves whose query has no deadline.
const STAY: Duration = Duration::from_millis(1_000);
/// How long queries may take, in milliseconds.
const TIMEOUTS: [u64; 4] = [100, 200, 300, 500];

/// Where queries come from: a number and the seed say all about one.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// What everything random comes from.
    pub seed: u64,
    /// The kinds that are drawn from.
    pub kinds: Vec<Kind>,
    /// This text, and nothing else.
    pub only_text: Option<String>,
}

impl Source {
    /// The query of a number, with the generator that drew it.
    pub fn query(&self, number: u64) -> (Hostile, Rng) {
        let mut rng = Rng::with_seed(self.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let query = match &self.only_text {
            Some(text) => Hostile { kind: "given", ..Hostile::script(text.clone()) },
            None => kinds::draw(&self.kinds, &mut rng),
        };
        (query, rng)
    }
}

/// A query as it is sent. It is made before its time comes: thousands of steps are not written down in no time, and all clients and
/// their clocks are on one thread.
#[derive(Debug)]
pub(crate) struct Ready {
    number: u64,
    kind: &'static str,
    /// As people read it.
    shown: String,
    /// The bound that it would pass.
    passes: Option<&'static str>,
    message: Vec<u8>,
    form: Form,
    deadline: Option<Duration>,
}

impl Source {
    /// The query of a number as it is sent to a server that has a ceiling for time-outs, or none.
    pub fn ready(&self, number: u64, has_ceiling: bool) -> Ready {
        let (query, mut rng) = self.query(number);
        let (argument, deadline) = limits(&query, has_ceiling, &mut rng);
        let (message, form) = message(&query, argument, &mut rng);
        let passes = deadline.and_then(|deadline| verdict::passes(&query, message.len(), &bounds(deadline)));
        let shown = verdict::shown(&query, form, argument);
        Ready { number, kind: query.kind, shown, passes, message, form, deadline }
    }
}

/// The argument that says how long a query may take, and its deadline.
fn limits(query: &Hostile, has_ceiling: bool, rng: &mut Rng) -> (Option<i64>, Option<Duration>) {
    match query.limit {
        Limit::Usual => {
            let millis = TIMEOUTS[rng.usize(..TIMEOUTS.len())];
            (Some(millis as i64), Some(Duration::from_millis(millis)))
        }
        Limit::Own { argument, deadline: Some(deadline) } => (argument, Some(deadline)),
        Limit::Own { argument, deadline: None } => (argument, has_ceiling.then_some(TIMEOUT)),
    }
}

/// One client.
#[derive(Debug)]
pub(crate) struct Client<'a> {
    /// Its number among the clients.
    pub number: usize,
    /// Where the server listens.
    pub address: SocketAddr,
    /// What is under way.
    pub alarm: &'a Alarm,
    /// Its connection, if it has one.
    pub connection: Option<Connection>,
}

impl Client<'_> {
    /// Asks a query and waits until it has ended, one way or the other.
    pub async fn ask(&mut self, ready: Ready) -> Verdict {
        let Ready { number, kind, shown, passes, message, form, deadline } = ready;
        self.alarm.begin(self.number, kind, shown.clone());
        let (fate, late) = self.run(message, form, deadline).await;
        self.alarm.end(self.number);
        Verdict { kind, number, shown, fate, late, passes }
    }

    async fn run(
        &mut self,
        message: Vec<u8>,
        form: Form,
        deadline: Option<Duration>,
    ) -> (Fate, Option<Duration>) {
        if form != Form::Http && self.connection.is_none() {
            match Connection::open(self.address).await {
                Ok(connection) => self.connection = Some(connection),
                Err(_) => return (self.lost(Fate::Closed(None)), None),
            }
        }
        let patience = deadline.map_or(STAY, |deadline| deadline + PATIENCE);
        let mut asked = Instant::now();
        let answer = async {
            let Some(connection) = self.connection.as_mut().filter(|_| form != Form::Http) else {
                return connection::http(self.address, &message).await;
            };
            // A server may refuse a large message before it has all of it; what it says can be read nevertheless.
            let _ = connection.send(message).await;
            asked = Instant::now();
            connection.end().await
        };
        let end = tokio::select! {
            end = timeout(patience, answer) => end,
            () = self.alarm.wait() => {
                self.connection = None;
                return (Fate::Lost, None);
            }
        };
        let took = asked.elapsed();
        let fate = match end {
            Ok(end) => verdict::fate_of(end),
            Err(_) if deadline.is_none() => Fate::Left,
            Err(_) => {
                self.alarm
                    .raise(format!("a query has not ended {} s after its deadline", PATIENCE.as_secs()));
                Fate::Stuck
            }
        };
        if matches!(fate, Fate::Left | Fate::Stuck | Fate::Closed(_))
            || fate == Fate::Bound("closed with 1009".into())
        {
            self.connection = None;
        }
        let late = deadline.and_then(|deadline| took.checked_sub(deadline));
        (self.lost(fate), late)
    }

    /// A connection that ends since the server does is no fault of the query's own.
    fn lost(&self, fate: Fate) -> Fate {
        if matches!(fate, Fate::Closed(_)) && self.alarm.is_raised() { Fate::Lost } else { fate }
    }
}

/// Makes the message, in the query's own form or in one of all.
fn message(query: &Hostile, argument: Option<i64>, rng: &mut Rng) -> (Vec<u8>, Form) {
    const FORMS: [Form; 6] =
        [Form::Binary, Form::Binary, Form::Json, Form::Bytecode, Form::Bytecode, Form::Http];
    let form = query.form.unwrap_or_else(|| FORMS[rng.usize(..FORMS.len())]);
    if form == Form::Http
        && let Some(message) = query::http(query, argument)
    {
        return (message, form);
    }
    let form = if form == Form::Http { Form::Binary } else { form };
    // What a format cannot express is sent as nothing at all, which the server must stand, too.
    (query::message(query, form, argument).unwrap_or_default(), form)
}
