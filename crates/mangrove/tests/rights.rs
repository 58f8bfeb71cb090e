//! Each role at each door: who may not change something does not, however it is written.

mod clients;

use std::sync::{Arc, mpsc};

use access::{Rights, Role};
use clients::{Sink, query, submit};
use gremlin::{Bindings, Effect, StepName, parse_traversal};
use mangrove::{Database, DatabaseOptions, ErrorKind};
use server::{Client, Database as _, Input, Query, QueryError};
use tempfile::TempDir;

/// A traversal for each step that writes, with what a step needs around it.
const WRITES: &[(StepName, &str)] = &[
    (StepName::AddE, "g.addE('knows').from(__.V(1)).to(__.V(2))"),
    (StepName::AddV, "g.addV('person')"),
    (StepName::Drop, "g.V(1).drop()"),
    (StepName::MergeE, "g.mergeE([(T.label): 'knows', (Direction.OUT): 1, (Direction.IN): 2, 'new': 1])"),
    (StepName::MergeV, "g.mergeV([(T.label): 'person', 'name': 'new'])"),
    (StepName::Property, "g.V(1).property('name', 'other')"),
    (StepName::Read, "g.io('more.json').read()"),
    (StepName::Write, "g.io('written.json').write()"),
];

/// The same inside of others.
const NESTED: &[&str] = &[
    "g.V(1).map(__.addV('x'))",
    "g.V(1).sideEffect(__.addV('x'))",
    "g.V(1).where(__.addV('x'))",
    "g.V(1).union(__.identity(), __.addV('x'))",
    "g.V(1).repeat(__.addV('x')).times(2)",
    "g.V(1).coalesce(__.out('none'), __.addV('x'))",
    "g.V(1).choose(__.hasLabel('person'), __.addV('x'), __.identity())",
    "g.V(1).optional(__.addV('x'))",
    "g.V(1).local(__.addV('x'))",
    "g.V(1).group().by(__.addV('x').id())",
    "g.V(1).project('a').by(__.addV('x'))",
    "g.V(1).order().by(__.addV('x').id())",
    "g.V(1).properties('name').drop()",
    "g.E().drop()",
    "g.V(1).outE().property('weight', 7)",
    "g.V(1).property('name', __.constant('y'))",
    "g.inject(1).addV('x').iterate()",
    "g.V(1).match(__.as('a').sideEffect(__.addV('x')).as('b'))",
    "g.mergeV(__.inject([(T.label): 'x']))",
    "g.V(1).mergeV([(T.id): 1]).option(onMatch, ['name': 'y'])",
    "g.V(1).as('a').addE('knows').to('a')",
    "g.union(__.addV('x'), __.addV('y'))",
    "g.withStrategies(ReadOnlyStrategy).withoutStrategies(ReadOnlyStrategy).addV('x')",
    "g.V(1).sideEffect(__.addV('x')).profile()",
    "g.inject([1]).unfold().addV('x').fold().count(local)",
    "g.call('tinker.search', ['search': 'marko']).addV('x')",
];

/// Parameters with which services are called.
fn call(service: &str) -> String {
    let parameters = match service {
        "mangrove.index.create" | "mangrove.index.drop" => "['label': 'person', 'key': 'name', 'wait': true]",
        "mangrove.schema.declare" => "['vertices': ['robot': [:]]]",
        "mangrove.users.add" => "['name': 'eve', 'role': 'admin', 'password': 'evil evil']",
        "mangrove.users.role" => "['name': 'root', 'role': 'none']",
        "mangrove.users.remove" | "mangrove.users.password" | "mangrove.users.token" => "['name': 'root']",
        "mangrove.users.revoke" => "['id': '0']",
        _ => "[:]",
    };
    format!("g.call('{service}', {parameters})")
}

struct World {
    db: Database,
    _files: TempDir,
}

impl World {
    fn new() -> Self {
        let files = tempfile::tempdir().unwrap();
        let backups = Some(files.path().join("backups"));
        let io_directory = Some(files.path().to_path_buf());
        let options = DatabaseOptions { backups, io_directory, ..DatabaseOptions::default() };
        let db = Database::in_memory_with(options).unwrap();
        for script in [
            "g.addV('person').property(T.id, 1).property('name', 'marko')",
            "g.addV('person').property(T.id, 2).property('name', 'vadas')",
            "g.addE('knows').from(__.V(1)).to(__.V(2)).property('weight', 0.5)",
        ] {
            db.query(script).unwrap();
        }
        let more = r#"{"id":{"@type":"g:Int64","@value":7},"label":"person"}"#;
        std::fs::write(files.path().join("more.json"), more).unwrap();
        db.users().add_user("root", None, access::Grants::everywhere(Role::Admin)).unwrap();
        Self { db, _files: files }
    }

    /// All that there is to change.
    fn state(&self) -> String {
        let text = |script: &str| {
            let all: Vec<_> =
                self.db.query(script).unwrap().map(|value| value.unwrap().to_string()).collect();
            all.join(" ")
        };
        let mut files: Vec<_> =
            std::fs::read_dir(self._files.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        files.sort();
        let graph =
            text("g.V().order().by(T.id).valueMap(true)") + &text("g.E().order().by(T.id).valueMap(true)");
        let schema = text("g.call('mangrove.schema.show')");
        format!("{graph} {schema} {files:?} {:?}", self.db.users().registry().users())
    }
}

/// A way for a request to come in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Door {
    Text,
    Bytecode,
    Statements,
    Keyed,
    /// In a session, as a part of its transaction, which is committed then.
    Session,
    SessionBytecode,
    /// The same as a transaction of its own.
    Managed,
}

const DOORS: [Door; 7] = [
    Door::Text,
    Door::Bytecode,
    Door::Statements,
    Door::Keyed,
    Door::Session,
    Door::SessionBytecode,
    Door::Managed,
];

fn rights(role: Option<Role>) -> Rights {
    Rights { here: role, everywhere: role }
}

/// Asks by a door; an error if the door does not take such a text.
fn ask(world: &World, door: Door, script: &str, rights: Rights) -> Result<(), QueryError> {
    let asked = |script: &str| Query { rights, client: client(), ..query(script) };
    let bytecode = || {
        // What the door itself cannot take was not let in.
        let other = |_| QueryError::new(ErrorKind::Forbidden, "no bytecode");
        let traversal = parse_traversal(script, &Bindings::new()).map_err(other)?;
        Ok(Query { input: Input::Bytecode(traversal), ..asked("") })
    };
    let end = |query: Query| submit(&world.db, query, usize::MAX).outcome().map(|_| ());
    match door {
        Door::Text => end(asked(script)),
        Door::Bytecode => end(bytecode()?),
        Door::Statements => end(asked(&format!("x = 1; {script}"))),
        Door::Keyed => end(Query {
            key: Some(format!("{script}{rights:?}").chars().take(100).collect::<String>().into()),
            ..asked(script)
        }),
        Door::Session => in_session(world, asked(script), false, rights),
        Door::SessionBytecode => in_session(world, bytecode()?, false, rights),
        Door::Managed => in_session(world, asked(script), true, rights),
    }
}

fn client() -> Client {
    Client { user: Some("ada".into()), tenant: None, address: [10, 0, 0, 1].into(), connection: 1 }
}

fn in_session(world: &World, query: Query, manages: bool, rights: Rights) -> Result<(), QueryError> {
    let session = world.db.session(client())?;
    let submit = |query: Query, manages: bool| {
        let (send, outcome) = mpsc::channel();
        let running = session.submit(query, manages, Arc::new(Sink::new(send)));
        let ended = outcome.recv_timeout(std::time::Duration::from_secs(60)).expect("it ends");
        drop(running);
        ended.map(|_| ())
    };
    let done = submit(query, manages);
    if !manages {
        let commit =
            Query { rights, client: client(), input: Input::End(server::End::Commit), ..clients::query("") };
        submit(commit, false)?;
    }
    done
}

#[test]
fn every_step_that_writes_is_tried() {
    for step in StepName::ALL {
        let is_tried = WRITES.iter().any(|(tried, _)| tried == step);
        let writes = matches!(step.effect(), Effect::Graph | Effect::Files);
        assert_eq!(is_tried, writes, "{}: say in this test how it writes", step.as_str());
    }
}

#[test]
fn who_may_not_write_changes_nothing_by_any_door() {
    let world = World::new();
    let before = world.state();
    let scripts: Vec<_> = WRITES.iter().map(|(_, script)| *script).chain(NESTED.iter().copied()).collect();
    for role in [None, Some(Role::Read)] {
        for door in DOORS {
            for script in &scripts {
                let refused = ask(&world, door, script, rights(role)).expect_err(script);
                let is_files = script.contains("write()");
                // A service has no key.
                let is_elsewhere = door == Door::Keyed && script.starts_with("g.call(");
                let is_forbidden = refused.kind == ErrorKind::Forbidden;
                assert!(is_forbidden || is_files || is_elsewhere, "{door:?} {script}: {refused:?}");
                assert_eq!(world.state(), before, "{door:?} {script}");
            }
        }
    }
}

#[test]
fn who_has_no_role_reads_nothing() {
    let world = World::new();
    for script in
        ["g.V().count()", "g.inject(1)", "g.V().explain()", "g.call('mangrove.schema.show')", "g.call()"]
    {
        for door in DOORS {
            let refused = ask(&world, door, script, rights(None)).expect_err(script);
            let is_elsewhere =
                door == Door::Keyed && script.starts_with("g.call(") || script.ends_with("explain()");
            assert!(refused.kind == ErrorKind::Forbidden || is_elsewhere, "{door:?} {script}: {refused:?}");
        }
    }
}

#[test]
fn who_may_write_does_by_every_door() {
    for door in DOORS {
        for (step, script) in WRITES {
            let world = World::new();
            let before = world.state();
            ask(&world, door, script, rights(Some(Role::Write)))
                .unwrap_or_else(|error| panic!("{door:?} {script}: {error}"));
            assert_ne!(world.state(), before, "{door:?} {}", step.as_str());
        }
    }
}

#[test]
fn services_are_for_those_who_may_call_them() {
    let world = World::new();
    let all = world.db.query("g.call('mangrove.services')").unwrap();
    let all: Vec<_> = all.map(|name| name.unwrap().to_string()).collect();
    assert!(all.len() > 20, "{all:?}");
    let before = world.state();
    let changing = |name: &str| {
        let reads = [
            "list",
            "loads",
            "check",
            "show",
            "sorting",
            "secondary",
            "services",
            "statistics",
            "queries",
            "names",
        ];
        !reads.iter().any(|read| name.ends_with(read))
    };
    for name in &all {
        let needs = match name.as_str() {
            name if name.starts_with("mangrove.users.") => Role::Admin,
            "mangrove.backup" => Role::Admin,
            // Everybody may stop his own.
            "mangrove.queries.stop" => Role::Read,
            // And look at what he has exported.
            "mangrove.export" | "mangrove.transfer.end" | "mangrove.transfer.get" => Role::Read,
            "mangrove.transfer.list" | "mangrove.transfer.status" => Role::Read,
            "mangrove.import" | "mangrove.transfer.begin" | "mangrove.transfer.put" => Role::Write,
            "mangrove.graphs.create" | "mangrove.graphs.drop" => Role::Admin,
            name if changing(name) => Role::Schema,
            _ => Role::Read,
        };
        for role in [None].into_iter().chain(Role::ALL.map(Some)).filter(|role| *role < Some(needs)) {
            for door in DOORS {
                let refused = ask(&world, door, &call(name), rights(role)).expect_err(name);
                // Where no service is taken, nobody asks for rights.
                let is_elsewhere = matches!(door, Door::Keyed);
                assert!(
                    refused.kind == ErrorKind::Forbidden || is_elsewhere,
                    "{door:?} {name} {role:?}: {refused:?}"
                );
                assert_eq!(world.state(), before, "{door:?} {name} {role:?}");
            }
        }
        let of_all = ["mangrove.graphs.create", "mangrove.graphs.drop"];
        if name.starts_with("mangrove.users.") || of_all.contains(&name.as_str()) {
            let here_alone = Rights { here: Some(Role::Admin), everywhere: Some(Role::Schema) };
            for rights in [here_alone, Rights::OF_ANYBODY] {
                let refused = ask(&world, Door::Text, &call(name), rights).expect_err(name);
                assert_eq!(refused.kind, ErrorKind::Forbidden, "{name}: it needs all graphs");
            }
        }
    }
    assert_eq!(world.state(), before);
}

#[test]
fn a_call_amid_a_request_is_a_call() {
    let world = World::new();
    let before = world.state();
    for script in [
        "g.call(__.constant('mangrove.analyze'))",
        "g.call('mangrove.index.create', __.inject(['label': 'person', 'key': 'name']))",
        "g.call('mangrove.index.create').with('label', 'person').with('key', __.constant('name'))",
        "g.call('mangrove.index.create', ['label': 'person', 'key': 'name']).count()",
        "g.V(1).call('mangrove.index.create', ['label': 'person', 'key': 'name'])",
        "g.V(1).map(__.call('mangrove.index.create', ['label': 'person', 'key': 'name']))",
        "g.call('tinker.search', __.call('mangrove.index.create', ['label': 'person', 'key': 'name']))",
        "g.call('mangrove.index.create', ['label': 'person', 'key': 'name']).explain()",
    ] {
        for role in [Role::Read, Role::Write] {
            let _ = ask(&world, Door::Text, script, rights(Some(role)));
            assert_eq!(world.state(), before, "{script} {role}");
        }
    }
}

#[test]
fn an_answer_that_is_remembered_is_for_its_user_alone() {
    let world = World::new();
    let keyed = |user: &str, script: &str| {
        let client = Client { user: Some(user.into()), ..client() };
        let asked = submit(&world.db, Query { client, key: Some("k".into()), ..query(script) }, usize::MAX);
        asked.texts_at_end()
    };
    assert_eq!(keyed("ada", "g.addV('x').property('p', 1).values('p')"), ["1"]);
    assert_eq!(keyed("ada", "g.addV('x').property('p', 1).values('p')"), ["1"]);
    assert_eq!(
        keyed("bob", "g.addV('y').property('p', 2).values('p')"),
        ["2"],
        "another one's key is another key"
    );
    assert_eq!(clients::ask(&world.db, "g.V().hasLabel('x', 'y').count()").texts_at_end(), ["2"]);
}
