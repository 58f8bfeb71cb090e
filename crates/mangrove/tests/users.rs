//! Users of a server, as whoever runs it makes them.

mod program;

use std::{fs, io::Write, process::Stdio};

use program::{Serving, complaint, curl, mangrove, output, text};

#[test]
fn users_are_made_without_a_server_and_asked_for_by_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("g").display().to_string();
    let password = dir.path().join("password").display().to_string();
    fs::write(&password, "the root of it\n").unwrap();
    let user = |args: &[&str]| output(&[&["--data", &data, "user"], args].concat());
    let refused = |args: &[&str]| complaint(&[&["--data", &data, "user"], args].concat());
    assert!(refused(&["list"]).contains("there is no graph in"));
    let first = ["add", "root", "--role", "schema", "--password-file", &password, "--create"];
    assert!(refused(&first).contains("the first user must be one who may look after the others"));
    user(&["add", "root", "--role", "admin", "--password-file", &password]);
    assert!(
        refused(&["add", "root", "--role", "read", "--no-password"])
            .contains("there is a user \"root\" already")
    );
    assert!(refused(&["add", "ada", "--role", "king", "--no-password"]).contains("`king` is no role"));
    user(&["add", "ada", "--role", "read", "--role", "write@other", "--no-password"]);
    assert_eq!(user(&["role", "ada", "write@g", "none@other"]), "ada: read write@g\n");
    let token = user(&["token", "ada", "--label", "ci", "--expires", "2h"]);
    let listed = user(&["list"]);
    assert!(
        listed.starts_with("ada: read write@g, no password\n  token ") && listed.ends_with("root: admin\n"),
        "{listed}"
    );
    assert!(listed.contains("\"ci\", expires in 120 minutes"), "{listed}");
    assert!(refused(&["remove", "root"]).contains("the only one who may look after users"));
    {
        let serving = Serving::start(&["--data", &data, "serve", "--port", "0"]);
        assert!(curl(&serving, "", "g.V().count()").ends_with(" 401"));
        assert!(curl(&serving, "root:the root of it", "g.addV('x')").ends_with(" 200"));
        assert!(curl(&serving, &token, "g.addV('x')").ends_with(" 200"));
        assert!(curl(&serving, &token, "g.call('mangrove.users.list')").ends_with(" 403"));
        let made = curl(
            &serving,
            "root:the root of it",
            "g.call('mangrove.users.add', ['name': 'bob', 'role': 'read', 'password': 'bob bob bob'])",
        );
        assert!(made.ends_with(" 200"), "{made}");
        assert!(curl(&serving, "bob:bob bob bob", "g.V().count()").ends_with(" 200"));
        assert!(curl(&serving, "bob:bob bob bob", "g.V().drop()").ends_with(" 403"));
        let log = serving.stop("-TERM");
        assert!(log.contains("request refused user=Some(\"bob\") from=Some(127.0.0.1)"), "{log}");
        assert!(!log.contains("bob bob bob"), "{log}");
    }
    let id = listed.split_whitespace().skip_while(|word| *word != "token").nth(1).unwrap().to_owned();
    user(&["token", "--revoke", &id]);
    user(&["password", "bob", "--password-file", &password]);
    user(&["remove", "ada"]);
    assert_eq!(user(&["list"]), "bob: read\nroot: admin\n");
}

#[test]
fn whoever_starts_a_server_makes_the_first_admin() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("g").display().to_string();
    let password = dir.path().join("password").display().to_string();
    fs::write(&password, "from a file\n").unwrap();
    let beyond =
        ["--data", &data, "--set", "server.users_required=true", "serve", "--port", "0", "--host", "0.0.0.0"];
    let message = complaint(&beyond);
    for way in ["--admin-password-file", "MANGROVE_ADMIN_PASSWORD_FILE", "MANGROVE_ADMIN_PASSWORD"] {
        assert!(message.contains(way), "{message}");
    }
    let short = dir.path().join("short").display().to_string();
    fs::write(&short, "short").unwrap();
    assert!(
        complaint(&[&beyond[..], &["--admin-password-file", &short]].concat())
            .contains("at least 8 characters")
    );
    let mut serving = Serving::start(&[&beyond[..], &["--admin-password-file", &password]].concat());
    serving.address = serving.address.replace("0.0.0.0", "127.0.0.1");
    assert!(curl(&serving, "", "g.V()").ends_with(" 401"));
    assert!(curl(&serving, "admin:from a file", "g.V()").ends_with(" 200"));
    let log = serving.stop("-TERM");
    assert!(log.contains("listening without TLS") && !log.contains("from a file"), "{log}");
    // It is looked at only where there are no users.
    fs::write(&password, "another one\n").unwrap();
    let serving =
        Serving::start(&["--data", &data, "serve", "--port", "0", "--admin-password-file", &password]);
    assert!(curl(&serving, "admin:another one", "g.V()").ends_with(" 401"));
    assert!(curl(&serving, "admin:from a file", "g.V()").ends_with(" 200"));
    serving.stop("-TERM");
}

#[test]
fn a_password_comes_from_the_environment_or_standard_input_too() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("g").display().to_string();
    let add = ["--data", &data, "user", "add", "root", "--role", "admin", "--create"];
    let nothing = mangrove(&add).stdin(Stdio::null()).output().unwrap();
    assert!(!nothing.status.success() && text(&nothing.stderr).contains("there is no password"));
    let added = mangrove(&add).env("MANGROVE_PASSWORD", "from a variable").output().unwrap();
    assert!(added.status.success(), "{}", text(&added.stderr));
    let mut child = mangrove(&["--data", &data, "user", "password", "root", "--password-file", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"from standard input\n").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    let serving = Serving::start(&["--data", &data, "serve", "--port", "0"]);
    assert!(curl(&serving, "root:from a variable", "g.V()").ends_with(" 401"));
    assert!(curl(&serving, "root:from standard input", "g.V()").ends_with(" 200"));
}
