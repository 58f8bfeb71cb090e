//! The `mangrove` command, as a user types it.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

mod program;

use program::{Serving, complaint, mangrove, output, run, text};
use tempfile::TempDir;

fn modern_json() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../../shared/tinkerpop/data/tinkerpop-modern.json")
}

/// A directory with the modern graph in `modern`.
fn modern() -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("modern").display().to_string();
    let summary = output(&["--data", &data, "import", &modern_json().display().to_string()]);
    assert!(summary.starts_with("6 vertices and 6 edges"), "{summary}");
    (dir, data)
}

#[test]
fn results_are_printed_as_table_json_or_plain_text() {
    let (_dir, data) = modern();
    let query = |format: &str, text: &str| output(&["--data", &data, "query", "--format", format, text]);
    let names = "g.V().hasLabel('software').values('name').order()";
    assert_eq!(query("plain", names), "lop\nripple\n");
    assert_eq!(query("json", names), "\"lop\"\n\"ripple\"\n");
    let table = query("table", "g.V().has('name','marko').elementMap('name','age')");
    assert!(table.contains("marko") && table.contains("29") && table.contains("name"), "{table}");
    assert!(output(&["--data", &data, "query", "--explain", "g.V().out()"]).contains("physical plan"));
    assert!(output(&["--data", &data, "query", "--profile", "g.V().out()"]).contains(">TOTAL"));
}

#[test]
fn a_traversal_may_come_from_a_file_or_from_standard_input() {
    let (dir, data) = modern();
    let file = dir.path().join("count.groovy");
    std::fs::write(&file, "g.V()\n  .count()\n").unwrap();
    let file = file.display().to_string();
    assert_eq!(output(&["--data", &data, "query", "--format", "plain", "--file", &file]), "6\n");
    let mut child = mangrove(&["--data", &data, "query", "--format", "plain", "--file", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"g.E().count()").unwrap();
    assert_eq!(text(&child.wait_with_output().unwrap().stdout), "6\n");
}

#[test]
fn a_query_writes_and_reads_files_below_the_directory_for_them() {
    let (dir, graph) = modern();
    let io = format!("io_directory={}", dir.path().display());
    output(&["--data", &graph, "query", "--set", &io, "g.io('out.json').write()"]);
    assert!(dir.path().join("out.json").is_file());
    let refused = complaint(&["--data", &graph, "query", "g.io('out.json').write()"]);
    assert!(refused.contains("no directory for files is configured"), "{refused}");
}

#[test]
fn statistics_count_by_label() {
    let (_dir, data) = modern();
    let stats = output(&["--data", &data, "stats"]);
    assert!(stats.starts_with("6 vertices, 6 edges"), "{stats}");
    assert!(stats.contains("4 vertices person") && stats.contains("2 edges knows"), "{stats}");
}

#[test]
fn a_generated_network_can_be_imported_and_queried() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let generated = output(&["generate", "social", "--persons", "20", "--seed", "3", &path("files")]);
    assert!(generated.contains("20 persons"), "{generated}");
    output(&["--data", &path("graph"), "import", &path("files")]);
    let persons =
        ["--data", &path("graph"), "query", "--format", "plain", "g.V().hasLabel('Person').count()"];
    assert_eq!(output(&persons), "20\n");
}

#[test]
fn the_console_runs_a_script_and_stops_at_the_first_mistake() {
    let (_dir, data) = modern();
    let console = |script: &str| {
        let mut child = mangrove(&["--data", &data, "console"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let done = console(":format plain\ng.V()\n  .count()\n:names\n:quit\ng.E()\n");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let shown = text(&done.stdout);
    assert!(shown.starts_with("6\n"), "{shown}");
    assert!(shown.contains("vertex labels: person, software"), "{shown}");
    let failed = console("g.V().nope()\ng.V().count()\n");
    assert!(!failed.status.success());
    assert!(text(&failed.stderr).contains("nope") && failed.stdout.is_empty());
}

#[test]
fn mistakes_are_complained_about_with_the_way_out() {
    let (dir, data) = modern();
    assert!(complaint(&["--data", &data, "query", "g.V().nope()"]).contains("column 7"));
    assert!(complaint(&["--data", &data, "import", "/nowhere"]).contains("/nowhere"));
    let again = complaint(&["--data", &data, "import", &modern_json().display().to_string()]);
    assert!(again.contains("empty graph"), "{again}");
    assert!(complaint(&["--set", "server.prot=1", "version"]).contains("did you mean `server.port`"));
    let config = dir.path().join("wrong.toml");
    std::fs::write(&config, "[server]\n\nport = -1\n").unwrap();
    let message = complaint(&["--config", &config.display().to_string(), "version"]);
    assert!(message.contains("wrong.toml:3:8"), "{message}");
    let bad = dir.path().join("bad.csv");
    std::fs::write(&bad, "id:ID,age:int\n1,x\n").unwrap();
    let message = complaint(&["--data", ":memory:", "import", &bad.display().to_string()]);
    assert!(message.contains("bad.csv:2:2"), "{message}");
}

#[test]
fn a_server_hosts_several_graphs_and_keeps_what_was_written_when_it_is_stopped() {
    let (dir, modern) = modern();
    let data = dir.path().join("mine").display().to_string();
    let graph = format!("gmodern={modern}");
    let serve = ["--data", &data, "--log-format", "json", "serve", "--port", "0", "--graph", &graph];
    for (round, signal) in [(0, "-TERM"), (1, "-INT")] {
        let serving = Serving::start(&serve);
        let health = serving.http("GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        assert!(health.contains(r#""sources":["g","gmodern"]"#), "{health}");
        assert!(serving.gremlin(r#"{"gremlin":"gmodern.V().count()"}"#).contains(r#""@value":6"#));
        let before = serving.gremlin(r#"{"gremlin":"g.V().count()"}"#);
        assert!(before.contains(&format!(r#""@value":{round}"#)), "{before}");
        assert!(serving.gremlin(r#"{"gremlin":"g.addV('x')"}"#).starts_with("HTTP/1.1 200"));
        let log = serving.stop(signal);
        assert!(log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{log}");
        assert!(log.contains("stopped"), "{log}");
    }
}

#[test]
fn a_port_in_use_is_a_clear_error() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let message = complaint(&["--data", ":memory:", "serve", "--port", &port]);
    assert!(message.contains("another server listens there"), "{message}");
}

#[test]
fn curl_reads_by_get_and_writes_by_post_only() {
    let serving = Serving::start(&["--data", ":memory:", "serve", "--port", "0"]);
    let curl = |args: &[&str]| {
        let url = format!("http://{}/gremlin", serving.address);
        let output =
            Command::new("curl").args(["-s", "-w", " %{http_code}", &url]).args(args).output().unwrap();
        text(&output.stdout)
    };
    let get = |script: &str| curl(&["-G", "--data-urlencode", &format!("gremlin={script}")]);
    for script in
        ["g.addV('x')", "g.V().drop()", "g.inject(1).sideEffect(addV('x'))", "g.call('mangrove.analyze')"]
    {
        let answer = get(script);
        assert!(answer.ends_with(" 405") && answer.contains("POST"), "{script}: {answer}");
        let posted = curl(&["-d", &format!(r#"{{"gremlin":"{script}"}}"#)]);
        assert!(posted.ends_with(" 200"), "{script}: {posted}");
    }
    assert!(get("g.V().count()").contains(r#""@value":1}"#), "of four posts one was left to be counted");
}

#[test]
fn listening_beyond_loopback_must_be_asked_for() {
    for host in ["0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1"] {
        let message = complaint(&["--data", ":memory:", "serve", "--port", "0", "--host", host]);
        assert!(
            message.contains("there are no users") && message.contains("--insecure"),
            "{host}: {message}"
        );
    }
    for args in [
        ["--data", ":memory:", "serve", "--port", "0", "--host", "127.0.0.2"].as_slice(),
        &["--data", ":memory:", "serve", "--port", "0", "--host", "0.0.0.0", "--insecure"],
        &["--data", ":memory:", "--set", "server.insecure=true", "serve", "--port", "0", "--host", "0.0.0.0"],
    ] {
        let serving = Serving::start(args);
        let log = serving.stop("-TERM");
        assert_eq!(log.contains("listening without users"), args.contains(&"0.0.0.0"), "{log}");
    }
}

#[test]
fn a_graph_is_checked_backed_up_and_restored() {
    let (dir, data) = modern();
    assert!(output(&["--data", &data, "check"]).ends_with("modern is sound\n"));
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (backups, restored) = (path("backups"), path("restored"));
    assert!(output(&["--data", &data, "backup", &backups]).starts_with("backup 1: "));
    output(&["--data", &data, "query", "g.addV('late')"]);
    assert!(output(&["--data", &data, "backup", &backups]).starts_with("backup 2: "));
    let count = |data: &str| output(&["--data", data, "query", "--format", "plain", "g.V().count()"]);
    assert!(output(&["--data", &restored, "restore", &backups]).starts_with("restored backup 2: "));
    assert_eq!(count(&restored), "7\n");
    let complaint_of_full = complaint(&["--data", &restored, "restore", &backups]);
    assert!(complaint_of_full.contains("is not empty"), "{complaint_of_full}");
    // Once into a directory that is to be made, once into one that is there, as a volume is.
    for (first, is_there) in [("first", false), ("second", true)] {
        let first = path(first);
        if is_there {
            std::fs::create_dir(&first).unwrap();
        }
        output(&["--data", &format!("{first}/"), "restore", "--number", "1", &backups]);
        assert_eq!(count(&first), "6\n");
        assert!(!Path::new(&first).join("restoring").exists());
    }
    let (third, foreign) = (path("third"), dir.path().join("third.restoring"));
    std::fs::create_dir(&foreign).unwrap();
    let refused = complaint(&["--data", &third, "restore", &backups]);
    assert!(refused.contains("third.restoring is there") && foreign.exists(), "{refused}");
    let none = complaint(&["--data", &path("none"), "restore", &path("nowhere")]);
    assert!(none.contains("there is no backup"), "{none}");
    assert!(!Path::new(&path("none")).exists() && !Path::new(&path("none.restoring")).exists());
}

#[test]
fn a_damaged_graph_is_found_by_check_with_status_1_and_the_file() {
    let (_dir, data) = modern();
    let tables = Path::new(&data).join("keyspaces");
    let mut table = None;
    for tree in std::fs::read_dir(&tables).unwrap() {
        let files = std::fs::read_dir(tree.unwrap().path().join("tables")).unwrap();
        table = table.or(files.map(|file| file.unwrap().path()).next());
    }
    let table = table.expect("an imported graph has tables");
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[20] ^= 4;
    std::fs::write(&table, bytes).unwrap();
    let checked = run(&["--data", &data, "check"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(text(&checked.stdout).contains(&table.display().to_string()), "{}", text(&checked.stdout));
    assert!(text(&checked.stderr).contains("findings: 1"), "{}", text(&checked.stderr));
}

#[test]
fn a_schema_file_is_checked_applied_and_shown() {
    let (dir, data) = modern();
    let file = dir.path().join("schema.toml");
    let path = file.display().to_string();
    let schema = |keys: &str| {
        let text = format!(
            "[vertices.person.keys]\n{keys}\n[edges.knows.keys]\nweight = \"double\"\n[[indexes]]\nlabel = \"person\"\nkeys = [\"name\"]\nkind = \"unique\"\n"
        );
        std::fs::write(&file, text).unwrap();
    };
    schema("age = \"string\"");
    let complained = complaint(&["--data", &data, "schema", "apply", &path, "--check"]);
    assert!(complained.contains("\"age\"") && complained.contains("declared as string"), "{complained}");
    schema("age = { type = \"int\", requried = true }");
    let complained = complaint(&["--data", &data, "schema", "apply", &path]);
    assert!(complained.contains("vertices.person.keys.age.requried: there is no such field"), "{complained}");
    schema("age = { type = \"int\", required = true }");
    let checked = output(&["--data", &data, "schema", "apply", &path, "--check"]);
    assert!(checked.contains("+ vertices.person.keys.age.type = int"), "{checked}");
    assert!(!output(&["--data", &data, "schema", "show"]).contains("age"), "checking changes nothing");
    let applied = output(&["--data", &data, "schema", "apply", &path]);
    assert!(applied.contains("version 1 of the schema is in force"), "{applied}");
    let shown = output(&["--data", &data, "schema", "show"]);
    std::fs::write(&file, &shown).unwrap();
    let again = output(&["--data", &data, "schema", "apply", &path, "--check"]);
    assert_eq!(again.trim(), "nothing would change", "{shown}");
    let refused = complaint(&[
        "--data",
        &data,
        "query",
        "g.addV('person').property('name', 'marko').property('age', 1)",
    ]);
    assert!(refused.contains("is unique"), "{refused}");
}

#[test]
fn no_graph_comes_into_being_by_a_typing_error() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    for command in [
        &["query", "g.V().count()"][..],
        &["console"],
        &["stats"],
        &["analyze"],
        &["check"],
        &["schema", "show"],
        &["backup", &path("backups")],
        &["export", &path("out.json")],
    ] {
        let complained = complaint(&[&["--data", &path("mistyped")], command].concat());
        assert!(
            complained.contains("there is no graph in") && complained.contains("--create"),
            "{complained}"
        );
        assert!(!dir.path().join("mistyped").exists(), "{command:?}");
    }
    assert_eq!(
        output(&["--data", &path("new"), "--create", "query", "--format", "plain", "g.V().count()"]),
        "0\n"
    );
    assert_eq!(output(&["--data", &path("new"), "query", "--format", "plain", "g.V().count()"]), "0\n");
}

#[test]
fn a_graph_is_not_made_among_other_files_and_a_failed_import_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    std::fs::create_dir(path("papers")).unwrap();
    std::fs::write(path("papers/letter.txt"), "Dear Ada").unwrap();
    let sample = modern_json().display().to_string();
    let complained = complaint(&["--data", &path("papers"), "import", &sample]);
    assert!(
        complained.contains("letter.txt") && complained.contains("a directory of its own"),
        "{complained}"
    );
    let left: Vec<_> =
        std::fs::read_dir(path("papers")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["letter.txt"]);
    std::fs::write(path("bad.csv"), ":ID,age:int\n1,old\n").unwrap();
    complaint(&["--data", &path("fresh"), "import", &path("bad.csv")]);
    assert!(!dir.path().join("fresh").exists());
    output(&["--data", &path("fresh"), "import", &sample]);
    complaint(&["--data", &path("fresh"), "import", &path("bad.csv")]);
    assert_eq!(output(&["--data", &path("fresh"), "query", "--format", "plain", "g.V().count()"]), "6\n");
}
