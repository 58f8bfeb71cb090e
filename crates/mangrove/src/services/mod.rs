//! Services: what `g.call(name, parameters)` does, TinkerPop's way to reach what is no traversal.
//!
//! ```text
//!  g.call('mangrove.index.list').with('label', 'person').select('state')
//!    └─ run before planning, on a thread that may wait ─▶ results
//!  g.inject(results…).select('state')                     └─ planned and run as any traversal
//! ```
//!
//! A service of Mangrove's starts a traversal; what follows it goes on with its results. Changes of schema and indexes are commits
//! of their own: they are no part of a transaction. The services that TinkerGraph has stand for steps (`tinker.rs`), and one of
//! them for steps in mid-traversal (`nested.rs`).
//!
//! It must never know by which door a call came, nor what the traversal does behind it.

mod backup;
mod call;
mod carried;
mod graphs;
mod index;
mod list;
mod loads;
mod nested;
mod queries;
mod schema;
mod statistics;
mod tinker;
mod transfers;
mod users;

use gremlin::Traversal;
use values::{Map, Str, Value, excerpt};

pub(crate) use call::{begins_with_call, calls};

use access::Role;

use crate::{
    Error,
    asker::{Asker, Needs},
    database::Inner,
    time_limit::TimeLimit,
};
use call::Called;

/// One service.
struct Service {
    name: &'static str,
    /// Its parameters and what they mean.
    parameters: &'static [(&'static str, &'static str)],
    /// Whether it changes something.
    changes: bool,
    /// What somebody must be allowed who calls it.
    needs: Needs,
    run: fn(&Inner, &Map, &Asker) -> Result<Vec<Value>, Error>,
}

impl Service {
    /// Whether what it changes is in graphs. What somebody may call who may only read is about his own queries and files, and users are
    /// looked after also where graphs are opened for reading alone.
    fn changes_graphs(&self) -> bool {
        let is_own = self.needs == Needs::Here(Role::Read);
        self.changes && !is_own && !self.name.starts_with("mangrove.users.")
    }
}

/// All there are, in the order of their names.
const SERVICES: &[Service] = &[
    Service {
        name: "mangrove.analyze",
        parameters: &[],
        changes: true,
        needs: Needs::Here(Role::Schema),
        run: statistics::analyze,
    },
    Service {
        name: "mangrove.backup",
        parameters: &[],
        changes: true,
        needs: Needs::Here(Role::Admin),
        run: backup::write,
    },
    Service {
        name: "mangrove.export",
        parameters: &[
            ("file", "the name of the file, or of the directory for CSV and Parquet"),
            ("format", "graphson, graphml, gryo, neo4j, neptune or parquet, where the name does not say it"),
            ("query", "a traversal that yields what is exported (default: the whole graph)"),
            ("noEdgeIds", "whether CSV and Parquet have no column of edges' ids (default: false)"),
        ],
        changes: true,
        needs: Needs::Here(Role::Read),
        run: carried::export,
    },
    Service {
        name: "mangrove.graphs.create",
        parameters: &[
            ("name", "what it is called, and reached by"),
            ("users", "names of users, each with the role that they get on it: read, write, schema or admin"),
        ],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: graphs::create,
    },
    Service {
        name: "mangrove.graphs.drop",
        parameters: &[("name", "the name")],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: graphs::drop,
    },
    Service {
        name: "mangrove.graphs.list",
        parameters: &[],
        changes: false,
        needs: Needs::Everywhere(Role::Read),
        run: graphs::list,
    },
    Service {
        name: "mangrove.import",
        parameters: &[
            ("transfer", "the id of the transfer with the files"),
            ("file", "which of them, where it is not all of them"),
            ("stream", "whether its name says nothing (default: false)"),
            ("add", "whether they are added to what the graph has (default: false)"),
            ("merge", "`id` or a key: what the graph has already gets the properties of the files"),
            (
                "format, skipBadRows, labels, newPropertyIds, newIds, batch, again",
                "as the options of mangrove import",
            ),
        ],
        changes: true,
        needs: Needs::Here(Role::Write),
        run: carried::import,
    },
    Service {
        name: "mangrove.index.create",
        parameters: &[
            ("label", "the vertex label"),
            ("keys", "the property keys, or `key` for one"),
            ("kind", "equality (default), unique or range"),
            ("wait", "whether to wait until it is ready (default: false)"),
        ],
        changes: true,
        needs: Needs::Here(Role::Schema),
        run: index::create,
    },
    Service {
        name: "mangrove.index.drop",
        parameters: &[
            ("label", "the vertex label"),
            ("keys", "the property keys, or `key` for one"),
            ("kind", "equality (default), unique or range"),
        ],
        changes: true,
        needs: Needs::Here(Role::Schema),
        run: index::drop,
    },
    Service {
        name: "mangrove.index.list",
        parameters: &[],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: index::list,
    },
    Service {
        name: "mangrove.loads",
        parameters: &[],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: loads::show,
    },
    Service {
        name: "mangrove.queries",
        parameters: &[("id", "only that of this id"), ("user", "only those of this user")],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: queries::show,
    },
    Service {
        name: "mangrove.queries.stop",
        parameters: &[
            ("id", "the one of this id"),
            ("user", "those of this user"),
            ("age", "those that came so many milliseconds ago, or earlier"),
        ],
        changes: true,
        needs: Needs::Here(Role::Read),
        run: queries::stop,
    },
    Service {
        name: "mangrove.schema.apply",
        parameters: &[("mode, vertices, edges, indexes", "the whole schema: what is not there is forgotten")],
        changes: true,
        needs: Needs::Here(Role::Schema),
        run: schema::apply,
    },
    Service {
        name: "mangrove.schema.check",
        parameters: &[("mode, vertices, edges, indexes", "a whole schema: what would change, a line each")],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: schema::check,
    },
    Service {
        name: "mangrove.schema.declare",
        parameters: &[("mode, vertices, edges, indexes", "what to declare: the rest stays")],
        changes: true,
        needs: Needs::Here(Role::Schema),
        run: schema::declare,
    },
    Service {
        name: "mangrove.schema.names",
        parameters: &[],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: schema::names,
    },
    Service {
        name: "mangrove.schema.show",
        parameters: &[],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: schema::show,
    },
    Service {
        name: "mangrove.schema.sorting",
        parameters: &[],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: schema::sorting,
    },
    Service {
        name: "mangrove.secondary",
        parameters: &[],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: statistics::secondary,
    },
    Service {
        name: "mangrove.services",
        parameters: &[("verbose", "whether with their parameters, as JSON (default: false)")],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: list::own,
    },
    Service {
        name: "mangrove.statistics",
        parameters: &[],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: statistics::show,
    },
    Service {
        name: "mangrove.transfer.begin",
        parameters: &[],
        changes: true,
        needs: Needs::Here(Role::Write),
        run: transfers::begin,
    },
    Service {
        name: "mangrove.transfer.end",
        parameters: &[("transfer", "its id")],
        changes: true,
        needs: Needs::Here(Role::Read),
        run: transfers::end,
    },
    Service {
        name: "mangrove.transfer.get",
        parameters: &[("transfer", "its id"), ("file", "the name of the file"), ("offset", "from where on")],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: transfers::get,
    },
    Service {
        name: "mangrove.transfer.list",
        parameters: &[("transfer", "its id")],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: transfers::list,
    },
    Service {
        name: "mangrove.transfer.put",
        parameters: &[
            ("transfer", "its id"),
            ("file", "the name of the file"),
            ("offset", "how long it is so far"),
            ("bytes", "what follows"),
        ],
        changes: true,
        needs: Needs::Here(Role::Write),
        run: transfers::put,
    },
    Service {
        name: "mangrove.transfer.status",
        parameters: &[("transfer", "its id")],
        changes: false,
        needs: Needs::Here(Role::Read),
        run: transfers::status,
    },
    Service {
        name: "mangrove.users.add",
        parameters: &[
            ("name", "the name"),
            ("password", "the password; without, tokens alone let the user in"),
            (
                "role",
                "read, write, schema or admin: on all graphs, or as role@graph on one; or a list of such",
            ),
        ],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: users::add,
    },
    Service {
        name: "mangrove.users.list",
        parameters: &[],
        changes: false,
        needs: Needs::Everywhere(Role::Admin),
        run: users::list,
    },
    Service {
        name: "mangrove.users.password",
        parameters: &[
            ("name", "the name"),
            ("password", "the new password; without, tokens alone let the user in"),
        ],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: users::password,
    },
    Service {
        name: "mangrove.users.remove",
        parameters: &[("name", "the name")],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: users::remove,
    },
    Service {
        name: "mangrove.users.revoke",
        parameters: &[("id", "the id of the token")],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: users::revoke,
    },
    Service {
        name: "mangrove.users.role",
        parameters: &[
            ("name", "the name"),
            (
                "role",
                "read, write, schema, admin or none: on all graphs, or as role@graph on one; or a list of such",
            ),
        ],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: users::role,
    },
    Service {
        name: "mangrove.users.token",
        parameters: &[
            ("name", "the name of its user"),
            ("label", "what it is for"),
            ("role", "the most that it allows (default: what its user may do)"),
            ("seconds", "how long it is good for (default: 90 days; 0: for ever)"),
        ],
        changes: true,
        needs: Needs::Everywhere(Role::Admin),
        run: users::token,
    },
];

/// Where a call is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// In a request of its own.
    Request,
    /// Among the scripts of a transaction, which can be rolled back.
    Transaction,
    /// In a request of which the traversal says that it reads only.
    ReadOnly,
    /// In a request that may only read, whatever its traversal says.
    Reading,
    /// In a request that must change nothing at all, since a page may have led somebody's browser to it (GET).
    Safe,
    /// In a request to explain.
    Explanation,
}

/// Who calls, where, and until when.
pub(crate) struct Setting<'a> {
    pub(crate) within: Within,
    pub(crate) asker: &'a Asker,
    /// How long a service may take that changes nothing.
    pub(crate) time: &'a TimeLimit,
}

/// Runs the service that a traversal begins with, if it does; the traversal that goes on with its results, and has steps where
/// it called services in its middle.
///
/// `compute` says what a traversal that gives parameters comes to where there is no traverser yet.
///
/// May wait for the disk, and for as long as it takes to look at the whole graph.
pub(crate) fn substitute(
    inner: &Inner,
    mut traversal: Traversal,
    setting: Setting<'_>,
    compute: impl Fn(&Traversal) -> Result<Option<Value>, Error>,
) -> Result<Traversal, Error> {
    if !calls(&traversal) {
        return Ok(traversal);
    }
    if begins_with_call(&traversal) {
        let (call, length) = Called::at(&traversal.steps, 0)?;
        traversal.steps.drain(..length);
        let within = match setting.within {
            Within::Request if call::is_read_only(&traversal) => Within::ReadOnly,
            within => within,
        };
        let start = Start::of(&call.name, within, setting.asker)?;
        let parameters = call.known(|child| {
            let mut child = child.clone();
            nested::rewrite(&mut child)?;
            compute(&child)
        })?;
        match start {
            Start::Search => {
                traversal.steps.splice(0..0, tinker::search(&parameters)?);
            }
            Start::Directory => traversal = call::inject(list::directory(&parameters)?, traversal),
            Start::Own(service) => {
                let results = run(inner, (service, &parameters), Setting { within, ..setting })?;
                traversal = call::inject(results, traversal);
            }
        }
    }
    nested::rewrite(&mut traversal)?;
    Ok(traversal)
}

/// What a traversal may begin with.
enum Start {
    /// [`tinker::SEARCH`]
    Search,
    /// [`LIST`]
    Directory,
    Own(&'static Service),
}

impl Start {
    /// What a name stands for. Asked before its parameters are known: to compute those may take as long as any traversal, and would be
    /// in vain.
    ///
    /// # Errors
    /// If there is no such service, it starts no traversal, or whoever asks may not call it, or not here.
    fn of(name: &str, within: Within, asker: &Asker) -> Result<Self, Error> {
        match name {
            LIST => return Ok(Self::Directory),
            tinker::SEARCH => return Ok(Self::Search),
            tinker::DEGREE => return Err(failed(name, tinker::NO_START)),
            _ => {}
        }
        let Some(service) = SERVICES.iter().find(|service| service.name == name) else {
            return Err(unknown(name));
        };
        asker.check(service.needs, service.name)?;
        check_place(service, within)?;
        Ok(Self::Own(service))
    }
}

/// Refuses a service that changes something where that must not be.
fn check_place(service: &Service, within: Within) -> Result<(), Error> {
    if service.changes && within == Within::Transaction {
        let problem =
            "it commits for itself, so it cannot be part of a transaction; call it in a request of its own";
        return Err(failed(service.name, problem));
    }
    if service.changes && within == Within::ReadOnly {
        return Err(failed(service.name, "it changes something, and the traversal has the ReadOnlyStrategy"));
    }
    if within == Within::Reading && service.changes_graphs() || within == Within::Safe && service.changes {
        return Err(Error::ReadOnly(service.name.into()));
    }
    Ok(())
}

/// Runs a service that whoever asks may call here.
fn run(
    inner: &Inner,
    (service, parameters): (&Service, &Map),
    setting: Setting<'_>,
) -> Result<Vec<Value>, Error> {
    let Setting { within, asker, time } = setting;
    check_names(service, parameters)?;
    if service.changes && within == Within::Explanation {
        return Ok(Vec::new());
    }
    if service.changes {
        // Pieces of files are many, and what becomes of them has a line of its own.
        if service.name != "mangrove.transfer.put" {
            let of = parameters.get(&Value::from("name")).and_then(Value::as_str);
            asker.note(service.name, of);
        }
    }
    if service.changes {
        // It goes on to its end, whoever waits for it.
        return (service.run)(inner, parameters, asker);
    }
    time.spend(|| (service.run)(inner, parameters, asker))?
}

/// Refuses a parameter of a service for users or graphs that it does not have: a password under a misspelt name would be none.
fn check_names(service: &Service, parameters: &Map) -> Result<(), Error> {
    if !["mangrove.users.", "mangrove.graphs."].iter().any(|kind| service.name.starts_with(kind)) {
        return Ok(());
    }
    let is_known = |name: &Value| service.parameters.iter().any(|(known, _)| *name == Value::from(*known));
    match parameters.iter().find(|(name, _)| !is_known(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let name = excerpt(name);
            let known: Vec<_> = service.parameters.iter().map(|(known, _)| *known).collect();
            Err(failed(
                service.name,
                &format!("there is no parameter {name}; there are: {}", known.join(", ")),
            ))
        }
    }
}

/// TinkerPop's name for the directory of services.
const LIST: &str = "--list";

/// The error of a service that there is none of.
fn unknown(name: &str) -> Error {
    let own = SERVICES.iter().map(|service| service.name).collect::<Vec<_>>().join(", ");
    let known = format!("{LIST}, {}, {}, {own}", tinker::SEARCH, tinker::DEGREE);
    let name = &excerpt(name);
    failed(name, &format!("Unrecognized service: {name}; there is no such service; there are {known}"))
}

fn failed(service: &str, problem: &str) -> Error {
    // Whoever calls it says its name, also of one that there is not.
    Error::Service { service: Str::from(excerpt(service)), problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use access::Rights;
    use gremlin::Bindings;
    use server::Client;

    use super::*;
    use crate::Database;

    /// What becomes of a call whose parameters somebody computes, who may only read; and whether they were.
    fn asked_by_a_reader(text: &str, within: Within) -> (Result<Traversal, Error>, bool) {
        let db = Database::in_memory().unwrap();
        let client = Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection: 1 };
        let rights = Rights { here: Some(Role::Read), everywhere: Some(Role::Read) };
        let asker = Asker::client(&client, rights);
        let time = TimeLimit::since(Instant::now(), None);
        let setting = Setting { within, asker: &asker, time: &time };
        let traversal = gremlin::parse_traversal(text, &Bindings::new()).unwrap();
        let is_computed = std::cell::Cell::new(false);
        let compute = |_: &Traversal| {
            is_computed.set(true);
            Ok(Some(Value::from(Map::new())))
        };
        (substitute(&db.inner, traversal, setting, compute), is_computed.get())
    }

    #[test]
    fn nothing_is_computed_for_a_call_that_is_refused() {
        for (name, within, reason) in [
            ("no.such", Within::Request, "Unrecognized service"),
            ("tinker.degree.centrality", Within::Request, tinker::NO_START),
            ("mangrove.index.create", Within::Request, "mangrove.index.create"),
            ("mangrove.queries.stop", Within::Safe, "mangrove.queries.stop"),
            ("mangrove.queries.stop", Within::Transaction, "cannot be part of a transaction"),
        ] {
            let (refused, is_computed) = asked_by_a_reader(&format!("g.call('{name}', __.V())"), within);
            let refused = refused.expect_err(name).to_string();
            assert!(refused.contains(reason) && !is_computed, "{name}: {refused}");
        }
        let (called, is_computed) =
            asked_by_a_reader("g.call('mangrove.index.list', __.V())", Within::Request);
        assert!(called.is_ok() && is_computed);
    }

    #[test]
    fn services_are_listed_in_order() {
        assert!(SERVICES.is_sorted_by_key(|service| service.name));
    }

    #[test]
    fn who_may_only_read_changes_nothing() {
        // What somebody stops or ends is his own, and nothing in the graph; nor is what he exports.
        let own = ["mangrove.queries.stop", "mangrove.export", "mangrove.transfer.end"];
        // These are about elements, which who may write changes.
        let of_elements = ["mangrove.import", "mangrove.transfer.begin", "mangrove.transfer.put"];
        for service in SERVICES.iter().filter(|service| service.changes && !own.contains(&service.name)) {
            let roles: &[_] =
                if of_elements.contains(&service.name) { &[Role::Read] } else { &[Role::Read, Role::Write] };
            for &role in roles {
                let rights = Rights { here: Some(role), everywhere: Some(role) };
                assert!(!service.needs.are_met_by(rights), "{} by {role}", service.name);
            }
        }
    }

    #[test]
    fn where_nobody_is_known_nobody_makes_users() {
        for service in SERVICES.iter().filter(|service| service.name.starts_with("mangrove.users.")) {
            assert!(!service.needs.are_met_by(Rights::OF_ANYBODY), "{}", service.name);
        }
    }
}
