//! Commands that ask a server: by its address, or by the directory that it has open.

mod program;

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use program::{Serving, complaint, curl, mangrove, output, text};
use tempfile::TempDir;

/// A directory with a certificate for localhost, and a server with TLS if that is wanted, with an admin.
fn serving(secure: bool) -> (TempDir, Serving, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    fs::write(path("password"), "the password\n").unwrap();
    let (data, password) = (path("g"), path("password"));
    let (certificate, key) = (path("certificate.pem"), path("key.pem"));
    let mut args = vec!["--data".to_owned(), data.clone()];
    if secure {
        let made = Command::new("openssl")
            .args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
            ])
            .args([
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost",
                "-addext",
                "basicConstraints=critical,CA:FALSE",
                "-out",
                &certificate,
                "-keyout",
                &key,
            ])
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(made.success());
        for setting in [format!("server.tls_certificate={certificate}"), format!("server.tls_key={key}")] {
            args.extend(["--set".to_owned(), setting]);
        }
    }
    args.extend(["serve", "--port", "0", "--admin-password-file", &password].map(str::to_owned));
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let serving = Serving::start(&args);
    (dir, serving, data)
}

#[test]
fn every_kind_of_result_is_the_same_from_a_server_as_from_a_directory() {
    let (_dir, serving, data) = serving(false);
    let near = |format: &str, query: &str| output(&["--data", &data, "query", "--format", format, query]);
    near(
        "plain",
        "g.addV('a').property('n', 1).as('a').addE('e').property('w', 0.5).to(addV('b')).iterate()",
    );
    let queries = [
        "g.V().hasLabel('a').out().tree()",
        "g.E().subgraph('x').cap('x')",
        "g.V().hasLabel('a').outE().inV().path()",
        "g.V().order().by(T.label).elementMap()",
        "g.V().properties()",
        "g.V().groupCount().by(T.label)",
        "g.inject(1, 2.5d, 3L, 1.0f, 'text', true, null, UUID('41d2e28a-20a4-4ab0-b379-d810dede3786'), datetime('2024-02-29'))",
        "g.inject(1, 1, 2).aggregate('x').cap('x')",
        "g.V().out().explain()",
    ];
    let ask = || -> Vec<String> {
        let formats = ["plain", "json", "csv", "table"];
        queries.iter().flat_map(|query| formats.map(|format| near(format, query))).collect()
    };
    let far = ask();
    let profile = near("table", "g.V().out().profile()");
    assert!(profile.starts_with("Traversal Metrics\nStep "), "{profile}");
    serving.stop("-TERM");
    for (far, near) in far.iter().zip(ask()) {
        assert_eq!(*far, near);
    }
}

#[test]
fn a_directory_that_a_server_has_open_is_asked_through_it() {
    let (_dir, serving, data) = serving(false);
    let near = |args: &[&str]| output(&[&["--data", &data], args].concat());
    near(&["query", "g.addV('person').property('name', 'ada')"]);
    assert_eq!(near(&["query", "--format", "plain", "g.V().values('name')"]), "ada\n");
    assert!(near(&["stats"]).contains("1 vertices person"), "{}", near(&["stats"]));
    assert!(near(&["query", "--explain", "g.V()"]).contains("physical plan"));
    // Whoever runs the server looks after its users without logging in.
    let password = fs::read_to_string(_dir.path().join("password")).unwrap();
    assert_eq!(password, "the password\n");
    near(&["user", "add", "ada", "--role", "read", "--no-password"]);
    let token = near(&["user", "token", "ada", "--expires", "1h"]);
    assert!(curl(&serving, token.trim(), "g.V().count()").ends_with(" 200"));
    assert!(near(&["user", "list"]).contains("ada"));
    near(&["user", "role", "ada", "none"]);
    assert!(curl(&serving, token.trim(), "g.V().count()").ends_with(" 403"));
    near(&["user", "remove", "ada"]);
    let file = fs::metadata(format!("{data}/server.json")).unwrap();
    let socket = fs::metadata(format!("{data}/server.sock")).unwrap();
    assert_eq!((file.permissions().mode() & 0o777, socket.permissions().mode() & 0o777), (0o600, 0o600));
    serving.stop("-TERM");
    assert!(
        !fs::exists(format!("{data}/server.json")).unwrap()
            && !fs::exists(format!("{data}/server.sock")).unwrap()
    );
    assert_eq!(output(&["--data", &data, "query", "--format", "plain", "g.V().count()"]), "1\n");
}

#[test]
fn what_a_killed_server_has_left_is_in_nobodys_way() {
    let (_dir, serving, data) = serving(false);
    let id = serving.id();
    assert!(Command::new("kill").args(["-KILL", &id]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(300));
    assert!(fs::exists(format!("{data}/server.sock")).unwrap());
    assert_eq!(output(&["--data", &data, "query", "--format", "plain", "g.V().count()"]), "0\n");
    let again = Serving::start(&["--data", &data, "serve", "--port", "0"]);
    assert_eq!(output(&["--data", &data, "query", "--format", "plain", "g.V().count()"]), "0\n");
    again.stop("-TERM");
}

#[test]
fn a_server_elsewhere_is_asked_by_its_address_with_a_password_or_a_token() {
    let (dir, serving, _) = serving(true);
    let port = serving.address.rsplit_once(':').unwrap().1;
    let url = format!("wss://localhost:{port}");
    let ca = dir.path().join("certificate.pem").display().to_string();
    let far = |args: &[&str], password: Option<&str>| {
        let mut command = mangrove(&[&["--url", &url, "--ca", &ca], args].concat());
        if let Some(password) = password {
            command.env("MANGROVE_PASSWORD", password);
        }
        command.stdin(Stdio::null()).output().unwrap()
    };
    let query = ["query", "--format", "plain", "g.inject(1, 2)"];
    let asked = far(&[&["--user", "admin"], &query[..]].concat(), Some("the password"));
    assert_eq!(text(&asked.stdout), "1\n2\n", "{}", text(&asked.stderr));
    let nobody = far(&query, None);
    assert!(
        !nobody.status.success() && text(&nobody.stderr).contains("--user NAME"),
        "{}",
        text(&nobody.stderr)
    );
    let wrong = far(&[&["--user", "admin"], &query[..]].concat(), Some("another one"));
    assert!(text(&wrong.stderr).contains("incorrect"), "{}", text(&wrong.stderr));
    let token = far(&["--user", "admin", "user", "token", "admin", "--role", "read"], Some("the password"));
    let file = dir.path().join("token").display().to_string();
    fs::write(&file, token.stdout).unwrap();
    let asked = far(&[&["--token-file", &file], &query[..]].concat(), None);
    assert_eq!(text(&asked.stdout), "1\n2\n", "{}", text(&asked.stderr));
    let refused = far(&["--token-file", &file, "query", "g.addV('x')"], None);
    assert!(text(&refused.stderr).contains("needs the role write"), "{}", text(&refused.stderr));
    // The password that logs in is nobody else's.
    let add = ["--user", "admin", "user", "add", "ada", "--role", "read"];
    let none = far(&add, Some("the password"));
    assert!(text(&none.stderr).contains("MANGROVE_NEW_PASSWORD"), "{}", text(&none.stderr));
    let mut added = mangrove(&[&["--url", &url, "--ca", &ca], &add[..]].concat());
    let added =
        added.env("MANGROVE_PASSWORD", "the password").env("MANGROVE_NEW_PASSWORD", "her own one").output();
    assert!(added.as_ref().unwrap().status.success(), "{}", text(&added.unwrap().stderr));
    let asked = far(&[&["--user", "ada"], &query[..]].concat(), Some("her own one"));
    assert_eq!(text(&asked.stdout), "1\n2\n", "{}", text(&asked.stderr));
    // The schema, there and back.
    let shown = far(&["--user", "admin", "schema", "show"], Some("the password"));
    let schema = dir.path().join("schema.toml").display().to_string();
    fs::write(&schema, &shown.stdout).unwrap();
    let applied = far(&["--user", "admin", "schema", "apply", &schema], Some("the password"));
    assert!(applied.status.success(), "{}", text(&applied.stderr));
    // Nobody vouches for it.
    let unknown = mangrove(&["--url", &url, "query", "g.V()"]).output().unwrap();
    assert!(text(&unknown.stderr).to_lowercase().contains("certificate"), "{}", text(&unknown.stderr));
}

#[test]
fn addresses_and_servers_that_are_none_are_complained_about() {
    assert!(complaint(&["--url", "ftp://x", "query", "g.V()"]).contains("there is no scheme ftp"));
    assert!(complaint(&["--url", "ws://ada:secret@x", "query", "g.V()"]).contains("use --user"));
    assert!(
        complaint(&["--url", "ws://127.0.0.1:1", "query", "g.V()"]).contains("ws://127.0.0.1:1/gremlin: ")
    );
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("g").display().to_string();
    output(&["--data", &data, "--create", "query", "g.V()"]);
    assert!(complaint(&["--data", &data, "top"]).contains("no server has this directory open"));
}

#[test]
fn a_console_keeps_variables_on_the_server() {
    let (_dir, serving, data) = serving(false);
    let mut child = mangrove(&["--data", &data, "console"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let script = b":format plain\nx = 7\ng.inject(x)\ng.addV('a'); g.V().count()\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script).unwrap();
    let said = child.wait_with_output().unwrap();
    assert!(text(&said.stdout).ends_with("7\n1\n"), "{} {}", text(&said.stdout), text(&said.stderr));
    serving.stop("-TERM");
}

#[test]
fn top_shows_what_runs_and_an_interrupt_ends_it() {
    let (_dir, serving, data) = serving(false);
    output(&["--data", &data, "query", "g.addV('a').as('x').addE('e').to('x').iterate()"]);
    let endless = "g.V().repeat(both()).until(constant(1).is(2)).count()";
    let child = mangrove(&["--data", &data, "query", endless])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let top = || output(&["--data", &data, "top", "--once"]);
    let begun = Instant::now();
    while !top().contains("1 running") {
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", top());
    }
    assert!(top().contains("repeat(both())") && top().contains("running"), "{}", top());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let said = child.wait_with_output().unwrap();
    assert!(!said.status.success(), "{}", text(&said.stdout));
    let begun = Instant::now();
    while !top().contains("0 running") {
        assert!(begun.elapsed() < Duration::from_secs(5), "{}", top());
    }
    serving.stop("-TERM");
}
