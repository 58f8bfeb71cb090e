//! Seeing what a running server does, and stopping it; what it logs and counts.

mod program;

use std::{
    fs,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use program::{Serving, curl, curl_for, text};
use tempfile::TempDir;

/// A server with the users root, ada and bob, some people, and a slow log from 200 ms on.
fn serving(shows_bindings: bool) -> (TempDir, Serving) {
    let dir = tempfile::tempdir().unwrap();
    let password = dir.path().join("password").display().to_string();
    fs::write(&password, "the password\n").unwrap();
    let data = dir.path().join("g").display().to_string();
    let bindings = format!("log.slow_query_bindings={shows_bindings}");
    let args = [
        "--data",
        &data,
        "--set",
        "log.slow_query=200",
        "--set",
        &bindings,
        "serve",
        "--port",
        "0",
        "--admin-password-file",
        &password,
    ];
    let serving = Serving::start(&args);
    for user in ["ada", "bob"] {
        let script = format!(
            "g.call('mangrove.users.add', ['name': '{user}', 'password': 'the password', 'role': 'write'])"
        );
        assert!(curl(&serving, ROOT, &script).ends_with(" 200"));
    }
    for _ in 0..30 {
        curl(
            &serving,
            ADA,
            "g.addV('person').property('name', 'a').as('a').V().limit(20).addE('knows').from('a').iterate()",
        );
    }
    (dir, serving)
}

const ROOT: &str = "admin:the password";
const ADA: &str = "ada:the password";
const BOB: &str = "bob:the password";
const ENDLESS: &str = "g.V().repeat(both()).until(constant(1).is(2)).count()";

/// Asks for something that does not end.
fn endless(serving: &Serving, credentials: &str) -> Child {
    asking(serving, credentials, ENDLESS)
}

/// Asks for something that takes long.
fn asking(serving: &Serving, credentials: &str, script: &str) -> Child {
    let body = serde_json::json!({ "gremlin": script, "evaluationTimeout": 60_000 }).to_string();
    curl_for(serving, credentials, &["/gremlin", "-d", &body]).stdout(Stdio::piped()).spawn().unwrap()
}

fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "in vain: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The id of the endless query that somebody sees.
fn id_of_endless(serving: &Serving, credentials: &str) -> Option<String> {
    let script = "g.call('mangrove.queries').where(__.select('text').is(containing('until'))).select('id')";
    // Not this one, whose text has the word in it, too.
    let script = format!("{script}.order()");
    let seen = curl(serving, credentials, &script);
    let json: serde_json::Value = serde_json::from_str(seen.trim_end_matches(" 200")).ok()?;
    let own = json["requestId"].as_str()?.to_owned();
    let ids = json["result"]["data"]["@value"].as_array()?;
    ids.iter().filter_map(|id| id.as_str()).find(|id| *id != own).map(str::to_owned)
}

#[test]
fn of_a_query_of_thousands_of_operators_a_few_are_told() {
    let (_dir, serving) = serving(false);
    let keys: Vec<String> = (0..1_000).map(|n| format!("'{n}'")).collect();
    let script = format!("{ENDLESS}.project({}).by(__.V().both().fold())", keys.join(","));
    let mut child = asking(&serving, ADA, &script);
    let id = eventually("ada sees it", || id_of_endless(&serving, ADA));
    let service = format!("g.call('mangrove.queries', ['id': '{id}']).select('operators')");
    let by_service = || curl(&serving, ROOT, &service);
    let by_page = || text(&curl_for(&serving, ROOT, &["/gremlin/status"]).output().unwrap().stdout);
    // It has none until it is planned.
    let planned = |seen: String| seen.contains("count()\"").then_some(seen);
    for seen in [eventually("a plan", || planned(by_service())), eventually("a plan", || planned(by_page()))]
    {
        assert!(seen.contains(" more\"") && seen.len() < 100_000, "{} bytes: {}", seen.len(), &seen[..2_000]);
    }
    curl(&serving, ADA, &format!("g.call('mangrove.queries.stop', ['id': '{id}'])"));
    child.wait().unwrap();
}

#[test]
fn queries_are_seen_and_stopped_by_their_users_and_by_admins() {
    let (_dir, serving) = serving(false);
    let child = endless(&serving, ADA);
    let id = eventually("ada sees it", || id_of_endless(&serving, ADA));
    assert_eq!(id_of_endless(&serving, BOB), None);
    assert_eq!(id_of_endless(&serving, ROOT).as_ref(), Some(&id));
    let seen = curl(&serving, ROOT, &format!("g.call('mangrove.queries', ['id': '{id}'])"));
    for part in ["repeat(both())", "running", "\"ada\"", "127.0.0.1", "operators", "both()", "peakMemory"] {
        assert!(seen.to_lowercase().contains(&part.to_lowercase()), "{part}: {seen}");
    }
    let refused = curl(&serving, BOB, &format!("g.call('mangrove.queries.stop', ['id': '{id}'])"));
    assert!(!refused.contains(&id), "{refused}");
    assert!(curl(&serving, BOB, "g.call('mangrove.queries.stop')").contains("say which"));
    let stopped = curl(&serving, ADA, &format!("g.call('mangrove.queries.stop', ['id': '{id}'])"));
    assert!(stopped.contains(&id), "{stopped}");
    let told = text(&child.wait_with_output().unwrap().stdout);
    assert!(told.contains("mangrove.CancelledError") && told.ends_with(" 500"), "{told}");
    // By user, and by age.
    for which in ["['user': 'ada']", "['age': 300]"] {
        let child = endless(&serving, ADA);
        eventually("it is there", || id_of_endless(&serving, ROOT));
        std::thread::sleep(Duration::from_millis(400));
        curl(&serving, ROOT, &format!("g.call('mangrove.queries.stop', {which})"));
        let told = text(&child.wait_with_output().unwrap().stdout);
        assert!(told.ends_with(" 500"), "{told}");
    }
    // Whoever stops all is not among them.
    let all = "g.call('mangrove.queries.stop', ['age': 0]).fold().count(local).is(0).constant('nobody')";
    let told = curl(&serving, ROOT, all);
    assert!(told.contains("nobody") && told.ends_with(" 200"), "{told}");
    serving.stop("-TERM");
}

#[test]
fn a_stopped_write_has_not_happened() {
    let (_dir, serving) = serving(false);
    let before = curl(&serving, ADA, "g.V().count()");
    let script =
        "g.addV('late').sideEffect(__.V().repeat(both()).until(constant(1).is(2)).count()).iterate()";
    let body = serde_json::json!({ "gremlin": script }).to_string();
    let child = curl_for(&serving, ADA, &["/gremlin", "-d", &body]).stdout(Stdio::piped()).spawn().unwrap();
    let id = eventually("it runs", || id_of_endless(&serving, ADA));
    curl(&serving, ROOT, &format!("g.call('mangrove.queries.stop', ['id': '{id}'])"));
    assert!(text(&child.wait_with_output().unwrap().stdout).ends_with(" 500"));
    let count = |seen: &str| seen.split("g:Int64").nth(1).map(str::to_owned);
    assert_eq!(count(&curl(&serving, ADA, "g.V().count()")), count(&before));
    serving.stop("-TERM");
}

#[test]
fn slow_and_failed_queries_are_logged_and_no_client_forges_a_line() {
    let (_dir, serving) = serving(true);
    let slow =
        format!("g.with('evaluationTimeout', 400).{}.as('slow one')", ENDLESS.trim_start_matches("g."));
    assert!(curl(&serving, ADA, &slow).ends_with(" 500"));
    let body = serde_json::json!({
        "gremlin": "g.V(x).repeat(both()).until(constant(1).is(2)).count()\n2026-01-01 INFO forged",
        "bindings": { "x": "a\nforged too" },
    });
    let _ = curl_for(&serving, BOB, &["/gremlin", "-d", &body.to_string()]).output().unwrap();
    curl(&serving, "ev\ne\nforged:nobody", "g.V()");
    assert!(!curl(&serving, ADA, "g.V().values(").ends_with(" 200"));
    let log = serving.stop("-TERM");
    let line =
        |part: &str| log.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}: {log}"));
    // On a busy machine others are slow, too.
    let slow = line("slow one");
    for part in [
        "slow query",
        "user=Some(\"ada\")",
        "queue_ms=",
        "run_ms=",
        "send_ms=",
        "rows=",
        "peak_memory=",
        "plan=",
    ] {
        assert!(slow.contains(part), "{part}: {slow}");
    }
    assert!(line("kind=\"mangrove.SyntaxError\"").contains("query failed"), "{log}");
    assert!(log.lines().all(|line| !line.starts_with("2026-01-01") && !line.starts_with("forged")), "{log}");
}

#[test]
fn a_slow_query_shows_no_bindings_unless_that_is_wanted() {
    let (_dir, serving) = serving(false);
    let body = serde_json::json!({ "gremlin": "g.V().has('name', neq(x)).repeat(both()).until(constant(1).is(2)).count()", "evaluationTimeout": 400, "bindings": { "x": "secret" } });
    let _ = curl_for(&serving, ADA, &["/gremlin", "-d", &body.to_string()]).output().unwrap();
    let log = serving.stop("-TERM");
    assert!(log.contains("slow query") && !log.contains("secret"), "{log}");
}

#[test]
fn nobody_waits_for_a_log_that_nobody_takes() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("g").display().to_string();
    // A pipe that nobody reads is full after 64 KiB; `/dev/full` is a disk that is.
    for full in [false, true] {
        let mut command =
            program::mangrove(&["--data", &data, "--log-level", "debug", "serve", "--port", "0"]);
        let stderr = if full {
            Stdio::from(fs::File::options().write(true).open("/dev/full").unwrap())
        } else {
            Stdio::piped()
        };
        let mut server = command.stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.take().unwrap()), &mut line)
            .unwrap();
        let url = line.trim().replace("listening on ws", "http");
        // Each is a failed query of half a kilobyte.
        let urls = dir.path().join("urls");
        let one = format!(
            "url = \"{url}\"\ndata = \"{{\\\"gremlin\\\":\\\"g.V().nothing('{}')\\\"}}\"\noutput = /dev/null\n",
            "x".repeat(500)
        );
        fs::write(&urls, (0..1_000).map(|_| one.as_str()).collect::<Vec<_>>().join("next\n")).unwrap();
        let begun = Instant::now();
        let status = Command::new("curl").args(["-s", "-K", &urls.display().to_string()]).status().unwrap();
        assert!(status.success());
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        server.kill().unwrap();
        server.wait().unwrap();
    }
}

#[test]
fn the_summary_tells_labels_and_keys_with_counts() {
    let (_dir, serving) = serving(false);
    let seen =
        text(&curl_for(&serving, ADA, &["/pg/statistics/summary?mode=detailed"]).output().unwrap().stdout);
    let json: serde_json::Value = serde_json::from_str(seen.trim_end_matches(" 200")).unwrap();
    let graph = &json["payload"]["graphSummary"];
    assert_eq!((&graph["numNodes"], &graph["nodeLabels"]), (&30.into(), &serde_json::json!(["person"])));
    assert_eq!(graph["nodeProperties"], serde_json::json!([{ "name": 30 }]));
    assert_eq!(graph["nodeStructures"][0]["distinctOutgoingEdgeLabels"], serde_json::json!(["knows"]));
    let explained =
        curl_for(&serving, ADA, &["/gremlin/explain", "-d", r#"{"gremlin":"g.V().out()"}"#]).output();
    assert!(text(&explained.unwrap().stdout).contains("physical plan"));
    // What is only explained does not happen, whatever it ends with.
    let body = r#"{"gremlin":"g.addV('ghost') // just looking"}"#;
    let explained = curl_for(&serving, ADA, &["/gremlin/explain", "-d", body]).output().unwrap();
    assert!(text(&explained.stdout).contains("physical plan"), "{}", text(&explained.stdout));
    let body = r#"{"gremlin":"g.V().hasLabel('ghost').count()"}"#;
    let ghosts =
        curl_for(&serving, ADA, &["/gremlin", "-H", "Accept: application/json;types=false", "-d", body]);
    assert!(text(&{ ghosts }.output().unwrap().stdout).contains("[0]"));
    let profiled =
        curl_for(&serving, ADA, &["/gremlin/profile", "-d", r#"{"gremlin":"g.V().out()"}"#]).output();
    assert!(text(&profiled.unwrap().stdout).contains("Traversers"));
    serving.stop("-TERM");
}

#[test]
fn metrics_are_read_by_prometheus_client() {
    let python =
        std::path::Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../.venv/bin/python");
    let (_dir, serving) = serving(false);
    let page = text(&curl_for(&serving, ROOT, &["/metrics"]).output().unwrap().stdout);
    for name in [
        "mangrove_requests_total{",
        "mangrove_request_seconds_bucket{",
        "mangrove_tenant_connections{",
        "mangrove_tenant_memory_bytes{",
        "process_resident_memory_bytes{",
        "process_cpu_seconds_total{",
        "process_open_fds{",
        "process_start_time_seconds{",
    ] {
        assert!(page.contains(name), "{name}: {page}");
    }
    if python.exists() {
        let read = "import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as f; \
                    print(len(list(f(sys.stdin.read()))))";
        let mut child = Command::new(python)
            .args(["-c", read])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), page.trim_end_matches(" 200").as_bytes())
            .unwrap();
        let read = child.wait_with_output().unwrap();
        let said = text(&read.stderr);
        // Where its package is there, as in `make test`.
        assert!(read.status.success() || said.contains("No module named"), "{said}");
    }
    serving.stop("-TERM");
}

#[test]
fn what_can_be_reloaded_is_and_the_rest_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let write = |text: &str| fs::write(path("mangrove.toml"), text).unwrap();
    write("[log]\nslow_query = 60000\n");
    fs::write(path("password"), "the password\n").unwrap();
    let serving = Serving::start(&[
        "--data",
        &path("g"),
        "--config",
        &path("mangrove.toml"),
        "serve",
        "--port",
        "0",
        "--admin-password-file",
        &path("password"),
    ]);
    let hang_up = || {
        assert!(Command::new("kill").args(["-HUP", &serving.id()]).status().unwrap().success());
        std::thread::sleep(Duration::from_millis(500));
    };
    write("[log]\nslow_query = 1\n[server]\nbatch_size = 1\n[tenant]\nmax_rate = 1\n");
    hang_up();
    curl(&serving, ROOT, "g.inject(1).repeat(identity()).times(200000).count()");
    let refused =
        (0..4).map(|_| curl(&serving, ROOT, "g.V().count()")).any(|answer| answer.ends_with(" 429"));
    assert!(
        refused || curl(&serving, ROOT, "g.V().count()").ends_with(" 200"),
        "it waits for its turn, or is refused"
    );
    write("[log]\nslow_query = 'no'\n");
    hang_up();
    let log = serving.stop("-TERM");
    assert!(log.contains("slow query"), "{log}");
    let reloaded = log.lines().find(|line| line.contains("reloaded")).unwrap_or_else(|| panic!("{log}"));
    assert!(reloaded.contains(r#"changed=["log.slow_query", "tenant.max_rate"]"#), "{reloaded}");
    assert!(reloaded.contains(r#"needs_a_new_start=["server.batch_size"]"#), "{reloaded}");
    assert!(
        log.contains("the configuration of before stays in force") && log.contains("mangrove.toml:2"),
        "{log}"
    );
}
