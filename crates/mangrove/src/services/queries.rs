//! `mangrove.queries` and `mangrove.queries.stop`: everybody sees and stops his own, who looks after all graphs those of all.

use std::{sync::Arc, time::Duration};

use server::{Holder, Queries, QueryInfo, UnderWay};
use values::{Map, Value, watch};

use super::failed;
use crate::{
    Error,
    asker::Asker,
    database::Inner,
    transfers::{Transfer, Work},
};

/// What the texts of queries may have together before they are cut: thousands of clients may ask for thousands of them.
const TOLD_BYTES: usize = 4 << 20;

/// What each may have all the same.
const LEAST_BYTES: usize = 256;

/// What is under way: a map each, the oldest first.
pub(super) fn show(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let which = Which::read("mangrove.queries", parameters)?;
    // Only of these more is looked at, and nothing of the others.
    let meant = ledger(inner, "mangrove.queries")?.those(|query| asker.may_see(query) && which.means(query));
    let most = (TOLD_BYTES / meant.len().max(1)).max(LEAST_BYTES);
    let queries = meant.iter().map(|query| {
        // To read the bytecode of thousands once more takes seconds.
        watch::look();
        told(&query.info(), most)
    });
    let transfers = at_work(inner, &which, asker);
    Ok(queries.chain(transfers.iter().map(|(transfer, work)| told_of(transfer, work))).collect())
}

/// Imports and exports that are meant, and may be seen.
fn at_work(inner: &Inner, which: &Which<'_>, asker: &Asker) -> Vec<(Arc<Transfer>, Work)> {
    let at_work = inner.options.transfers.as_ref().map(|transfers| transfers.at_work()).unwrap_or_default();
    let is_meant = |(transfer, _): &(Arc<Transfer>, Work)| {
        let user = transfer.holder().as_ref().and_then(Holder::user);
        asker.may_see_of(user)
            && which.id.is_none_or(|id| transfer.id().to_string() == id)
            && which.user.is_none_or(|wanted| user == Some(wanted))
            && which.age.is_none_or(|age| transfer.age() >= age)
    };
    at_work.into_iter().filter(is_meant).collect()
}

fn told_of(transfer: &Transfer, work: &Work) -> Value {
    let mut row = Map::new();
    row.insert("id", transfer.id().to_string());
    row.insert("text", format!("an import or export: {}", work.doing));
    let user = transfer.holder().as_ref().and_then(Holder::user);
    row.insert("user", user.map_or(Value::Null, Value::from));
    row.insert("state", "running");
    row.insert("age", i64::try_from(transfer.age().as_millis()).unwrap_or(i64::MAX));
    row.insert("rows", i64::try_from(work.rows).unwrap_or(i64::MAX));
    row.into()
}

/// Stops queries; their ids.
pub(super) fn stop(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.queries.stop";
    let which = Which::read(service, parameters)?;
    if which.means_all() {
        return Err(failed(service, "say which: `id`, `user`, or an `age` in milliseconds"));
    }
    let ledger = ledger(inner, service)?;
    // Those that stop others are stopped by their ids alone: the one that asks is among them.
    let may_stop = |query: &UnderWay| which.id.is_some() || !query.text().contains(service);
    let stopped =
        ledger.stop(&asker.name(), |query| asker.may_see(query) && which.means(query) && may_stop(query));
    let mut stopped: Vec<_> = stopped.into_iter().map(Value::String).collect();
    for (transfer, _) in at_work(inner, &which, asker) {
        transfer.stop();
        stopped.push(transfer.id().to_string().into());
    }
    Ok(stopped)
}

fn ledger<'a>(inner: &'a Inner, service: &str) -> Result<&'a Queries, Error> {
    let queries = inner.options.queries.as_ref();
    queries.ok_or_else(|| {
        failed(service, "it is about the queries of a server, and this graph is no part of one")
    })
}

/// Which queries are meant.
struct Which<'a> {
    id: Option<&'a str>,
    user: Option<&'a str>,
    age: Option<Duration>,
}

impl<'a> Which<'a> {
    fn read(service: &str, parameters: &'a Map) -> Result<Self, Error> {
        let text = |name: &str| match parameters.get(&Value::from(name)) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(other) => {
                Err(failed(service, &format!("`{name}` must be a string, but is a {}", other.type_name())))
            }
        };
        let age = match parameters.get(&Value::from("age")) {
            None | Some(Value::Null) => None,
            Some(age) => {
                let millis = age.as_i64().and_then(|age| u64::try_from(age).ok());
                let millis =
                    millis.ok_or_else(|| failed(service, "`age` must be a whole number of milliseconds"))?;
                Some(Duration::from_millis(millis))
            }
        };
        Ok(Self { id: text("id")?, user: text("user")?, age })
    }

    fn means_all(&self) -> bool {
        self.id.is_none() && self.user.is_none() && self.age.is_none()
    }

    fn means(&self, query: &UnderWay) -> bool {
        self.id.is_none_or(|id| query.id == *id)
            && self.user.is_none_or(|user| query.user.as_deref() == Some(user))
            && self.age.is_none_or(|age| query.age >= age)
    }
}

/// What is said of a query, with so many bytes of its text.
fn told(query: &QueryInfo, most: usize) -> Value {
    let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut row = Map::new();
    row.insert("id", query.id.as_str());
    row.insert("graph", query.source.as_str());
    row.insert("text", &query.text[..query.text.floor_char_boundary(most)]);
    row.insert("user", query.user.as_deref().map_or(Value::Null, Value::from));
    row.insert("client", query.address.to_string());
    row.insert("connection", whole(query.connection));
    row.insert("state", if query.is_stopped { "stopped" } else { query.phase.name() });
    row.insert("age", millis(query.age));
    row.insert("waited", millis(query.waited));
    row.insert("ran", millis(query.ran));
    row.insert("rows", whole(query.rows));
    row.insert("memory", whole(query.memory));
    row.insert("peakMemory", whole(query.peak_memory));
    let operators = query.operators.iter().map(|line| Value::from(line.as_str()));
    row.insert("operators", Value::list(operators.collect::<Vec<_>>()));
    row.into()
}
