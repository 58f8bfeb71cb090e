//! Graphs that are made, listed and dropped while a server runs, and while none does.

mod program;

use std::{fs, path::Path, process::Stdio};

use program::{Serving, Site, complaint, curl, curl_for, output, run, text};

const ROOT: &str = "admin:the password";
const ADA: &str = "ada:the password";
const BOB: &str = "bob:the password";

impl Site {
    fn serve(&self) -> Serving {
        let password = self.password();
        Serving::start(&["--data", &self.data, "serve", "--port", "0", "--admin-password-file", &password])
    }

    fn graph(&self, args: &[&str]) -> String {
        output(&[&["--data", &self.data, "graph"], args].concat())
    }

    fn refused(&self, args: &[&str]) -> String {
        complaint(&[&["--data", &self.data, "graph"], args].concat())
    }

    fn folder(&self) -> std::path::PathBuf {
        Path::new(&self.data).with_file_name("g.graphs")
    }
}

fn with_users(serving: &Serving) {
    for user in ["ada", "bob"] {
        let call = format!(
            "g.call('mangrove.users.add', ['name': '{user}', 'password': 'the password', 'role': 'read@g'])"
        );
        assert!(curl(serving, ROOT, &call).ends_with(" 200"));
    }
}

#[test]
fn a_graph_is_made_with_roles_is_there_after_a_new_start_and_goes_with_its_roles() {
    let site = Site::new();
    let serving = site.serve();
    with_users(&serving);
    assert!(site.graph(&["create", "people", "--grant", "ada=write"]).contains("people.V()"));
    let written = curl(&serving, ADA, "people.addV('person').property('name', 'ada')");
    assert!(written.ends_with(" 200"), "{written}");
    assert!(curl(&serving, BOB, "people.V()").ends_with(" 403"));
    assert!(curl(&serving, ADA, "g.addV('x')").ends_with(" 403"), "the role is on the new graph alone");
    let listed = site.graph(&["list"]);
    assert!(listed.contains("people") && listed.contains("g.graphs"), "{listed}");
    // Commands find the server by the directory of the new graph, too.
    let own = site.folder().join("people").display().to_string();
    let counted = output(&["--data", &own, "query", "g.V().count()", "--format", "plain"]);
    assert_eq!(counted.trim(), "1", "the graph in that directory");
    assert!(site.refused(&["create", "people"]).contains("already"));
    serving.stop("-TERM");

    assert!(site.graph(&["list"]).contains("people"));
    let serving = site.serve();
    let seen = curl(&serving, ADA, "people.V().values('name')");
    assert!(seen.contains("ada") && seen.ends_with(" 200"), "{seen}");
    // Somebody is at work when it goes.
    let endless =
        serde_json::json!({ "gremlin": "people.V().repeat(identity()).until(constant(1).is(2)).count()" });
    let body = endless.to_string();
    let busy = curl_for(&serving, ADA, &["/gremlin", "-d", &body]).stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(site.refused(&["drop", "people"]).contains("--yes"));
    site.graph(&["drop", "people", "--yes"]);
    let told = text(&busy.wait_with_output().unwrap().stdout);
    assert!(told.ends_with(" 500") && told.contains("mangrove.CancelledError"), "{told}");
    assert!(!curl(&serving, ROOT, "people.V()").ends_with(" 200"));
    assert!(fs::read_dir(site.folder()).unwrap().next().is_none());
    // Another one of that name is nobody's.
    site.graph(&["create", "people"]);
    assert!(curl(&serving, ADA, "people.V()").ends_with(" 403"));
    let empty = curl(&serving, ROOT, "people.V().count()");
    assert!(empty.contains("\"@value\":0"), "{empty}");
    serving.stop("-TERM");
}

#[test]
fn only_admins_of_all_graphs_make_and_drop_some_and_none_that_the_configuration_has() {
    let site = Site::new();
    let serving = site.serve();
    with_users(&serving);
    let admin_of_g = "g.call('mangrove.users.role', ['name': 'ada', 'role': 'admin@g'])";
    assert!(curl(&serving, ROOT, admin_of_g).ends_with(" 200"));
    for call in ["create', ['name': 'x']", "drop', ['name': 'g']", "list'"] {
        let call = format!("g.call('mangrove.graphs.{call})");
        assert!(curl(&serving, ADA, &call).ends_with(" 403"), "{call}");
        assert!(curl(&serving, BOB, &call).ends_with(" 403"), "{call}");
    }
    let asked = |call: &str| curl(&serving, ROOT, &format!("g.call('mangrove.graphs.{call})"));
    assert!(asked("drop', ['name': 'g']").contains("the configuration has"));
    assert!(asked("drop', ['name': 'nothing']").contains("there is no graph nothing"));
    for name in ["../x", "", "2x", "__", "a b"] {
        let told = asked(&format!("create', ['name': '{name}']"));
        assert!(told.contains("is no name for a graph"), "{name}: {told}");
    }
    // Its backups would be those of g.
    assert!(asked("create', ['name': 'default']").contains("choose another name"));
    assert!(asked("create', ['nme': 'x']").contains("no parameter nme"));
    let told = asked("create', ['name': 'x', 'users': ['carl': 'read']]");
    assert!(told.contains("there is no user carl"), "{told}");
    let told = asked("create', ['name': 'x', 'users': ['ada': 'read@g']]");
    assert!(told.contains("is no role on the new graph"), "{told}");
    assert!(!site.folder().exists(), "nothing was made");
    serving.stop("-TERM");
}

#[test]
fn without_a_server_the_same_is_done_in_the_folder() {
    let site = Site::new();
    assert!(site.refused(&["list"]).contains("there is no graph in"));
    output(&["--data", &site.data, "--create", "query", "g.addV('x')"]);
    site.graph(&["create", "cities"]);
    assert!(site.refused(&["create", "cities"]).contains("already"));
    assert!(site.refused(&["create", "g"]).contains("already"));
    assert!(site.graph(&["list"]).contains("cities"));
    assert!(site.refused(&["drop", "towns", "--yes"]).contains("towns"));
    fs::create_dir(site.folder().join(".making-ghosts")).unwrap();
    site.graph(&["drop", "cities", "--yes"]);
    assert!(fs::read_dir(site.folder()).unwrap().next().is_none(), "nothing is left, also of other attempts");
}

#[test]
fn a_server_in_memory_makes_graphs_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let password = dir.path().join("password").display().to_string();
    fs::write(&password, "the password\n").unwrap();
    let serving =
        Serving::start(&["--data", ":memory:", "serve", "--port", "0", "--admin-password-file", &password]);
    assert!(curl(&serving, ROOT, "g.call('mangrove.graphs.create', ['name': 'x'])").ends_with(" 200"));
    assert!(curl(&serving, ROOT, "x.addV('a').iterate()").ends_with(" 200"));
    assert!(curl(&serving, ROOT, "g.V().count()").contains("\"@value\":0"));
    assert!(curl(&serving, ROOT, "x.V().count()").contains("\"@value\":1"));
    assert!(curl(&serving, ROOT, "g.call('mangrove.graphs.drop', ['name': 'x'])").ends_with(" 200"));
    assert!(!curl(&serving, ROOT, "x.V()").ends_with(" 200"));
    serving.stop("-TERM");
}

#[test]
fn a_graph_that_cannot_be_made_leaves_nothing() {
    let site = Site::new();
    output(&["--data", &site.data, "--create", "query", "g.addV('x')"]);
    fs::write(site.folder(), "no directory").unwrap();
    let refused = site.refused(&["create", "x"]);
    assert!(refused.contains("graphs_directory"), "{refused}");
    let list = run(&["--data", &site.data, "graph", "list"]);
    assert!(!list.status.success(), "{}", text(&list.stdout));
}
