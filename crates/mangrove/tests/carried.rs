//! Files to a running server and from it: import, export, backup.

mod program;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use program::{Serving, Site, complaint, curl, mangrove, output, text};

const ROOT: &str = "admin:the password";
const ADA: &str = "ada:the password";
const BOB: &str = "bob:the password";

impl Site {
    fn serve(&self, set: &[&str]) -> Serving {
        let password = self.password();
        let mut args = vec!["--data", &self.data];
        set.iter().for_each(|setting| args.extend(["--set", setting]));
        args.extend(["serve", "--port", "0", "--admin-password-file", &password]);
        let serving = Serving::start(&args);
        for (user, role) in [("ada", "write"), ("bob", "read")] {
            let call = format!(
                "g.call('mangrove.users.add', ['name': '{user}', 'password': 'the password', 'role': '{role}'])"
            );
            assert!(curl(&serving, ROOT, &call).ends_with(" 200"));
        }
        serving
    }

    /// A command that asks the server over the network, as a user.
    fn asked(&self, serving: &Serving, user: &str, args: &[&str]) -> std::process::Output {
        let url = format!("ws://{}", serving.address);
        let mut all = args.to_vec();
        all.extend(["--url", &url, "--user", user]);
        mangrove(&all).env("MANGROVE_PASSWORD", "the password").output().unwrap()
    }

    fn ask(&self, serving: &Serving, user: &str, args: &[&str]) -> String {
        let output = self.asked(serving, user, args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    fn refused(&self, serving: &Serving, user: &str, args: &[&str]) -> String {
        let output = self.asked(serving, user, args);
        assert!(!output.status.success(), "{args:?}: {}", text(&output.stdout));
        text(&output.stderr)
    }

    /// What is left of files on their way.
    fn on_their_way(&self) -> usize {
        fs::read_dir(Path::new(&self.data).with_file_name("g.transfers")).map_or(0, Iterator::count)
    }
}

fn count(serving: &Serving, what: &str) -> String {
    let answer = curl(serving, ROOT, &format!("{what}.count()"));
    answer.rsplit("\"@value\":").nth(1).unwrap_or_default().chars().take_while(char::is_ascii_digit).collect()
}

fn shared(name: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data").join(name)
}

#[test]
fn a_server_is_filled_added_to_and_written_out_over_the_network() {
    let site = Site::new();
    let serving = site.serve(&[]);
    let modern = shared("tinkerpop-modern.json").display().to_string();
    let said = site.ask(&serving, "ada", &["import", &modern]);
    assert!(said.contains("6 vertices") && said.contains("6 edges"), "{said}");
    assert_eq!((count(&serving, "g.V()"), count(&serving, "g.E()")), ("6".into(), "6".into()));
    assert!(site.refused(&serving, "ada", &["import", &modern]).contains("empty"));
    // More of it, from standard input, a directory, and a mapping.
    let people = site.path("people.csv");
    fs::write(&people, "id:ID,name,:LABEL\np1,ada,person\np2,bob,person\n").unwrap();
    let url = format!("ws://{}", serving.address);
    let mut typed = mangrove(&["import", "-", "--add", "--url", &url, "--user", "ada"]);
    let mut typed = typed.env("MANGROVE_PASSWORD", "the password").stdin(Stdio::piped()).spawn().unwrap();
    let input = fs::read(&people).unwrap();
    std::io::Write::write_all(&mut typed.stdin.take().unwrap(), &input).unwrap();
    assert!(typed.wait().unwrap().success());
    assert_eq!(count(&serving, "g.V()"), "8");
    let again = site.ask(&serving, "ada", &["import", &people, "--merge", "id"]);
    assert!(again.contains("that were there"), "{again}");
    assert_eq!(count(&serving, "g.V()"), "8");
    fs::create_dir(site.path("cities")).unwrap();
    fs::write(site.path("cities/c.tsv"), "ulm\nhamburg\n").unwrap();
    let mapping = "[[vertices]]\nfile = \"c.tsv\"\ncolumns = [\"name\"]\nlabel = \"city\"\n";
    fs::write(site.path("cities/m.toml"), mapping).unwrap();
    site.ask(&serving, "ada", &["import", &site.path("cities/m.toml"), "--add"]);
    assert_eq!(count(&serving, "g.V().hasLabel('city')"), "2");
    assert_eq!(site.on_their_way(), 0);

    let graphson = site.path("out.json");
    let said = site.ask(&serving, "bob", &["export", &graphson]);
    assert!(said.contains("10 vertices and 6 edges"), "{said}");
    assert!(site.refused(&serving, "bob", &["export", &graphson]).contains("--overwrite"));
    site.ask(&serving, "bob", &["export", &graphson, "--overwrite"]);
    let csv = site.path("csv");
    site.ask(&serving, "bob", &["export", &csv, "--format", "neo4j"]);
    let parquet = site.path("parquet");
    if cfg!(feature = "parquet") {
        let said = site.ask(&serving, "bob", &["export", &parquet, "--format", "parquet"]);
        assert!(said.contains("10 vertices and 6 edges"), "{said}");
        // Ids of several types are texts in a column, so the edges there are not those of the graph, though their ids are.
        let refused = site.refused(&serving, "ada", &["import", &parquet, "--merge", "id"]);
        assert!(refused.contains("the edge") && refused.contains("of the graph is"), "{refused}");
        assert_eq!(count(&serving, "g.E()"), "6");
    }
    let packed = site.path("part.xml.gz");
    let said = site.ask(&serving, "bob", &["export", &packed, "--query", "g.V().hasLabel('person')"]);
    assert!(said.contains("6 vertices and 2 edges"), "{said}");
    assert_eq!(site.on_their_way(), 0);
    serving.stop("-TERM");

    let copy = site.path("copy");
    assert!(output(&["--data", &copy, "import", &graphson]).contains("10 vertices"));
    let other = site.path("other");
    assert!(output(&["--data", &other, "import", &csv]).contains("10 vertices"));
    if cfg!(feature = "parquet") {
        let of_parquet = site.path("of-parquet");
        assert!(output(&["--data", &of_parquet, "import", &parquet]).contains("10 vertices"));
    }
    let third = site.path("third");
    assert!(output(&["--data", &third, "import", &packed]).contains("6 vertices"));
}

#[test]
fn commands_find_the_server_by_its_directory_and_backups_are_its_own() {
    let site = Site::new();
    let backups = format!("backups={}", site.path("backups"));
    let serving = site.serve(&[&backups]);
    let modern = shared("tinkerpop-modern.json").display().to_string();
    output(&["--data", &site.data, "import", &modern]);
    output(&["--data", &site.data, "export", &site.path("out.json")]);
    assert!(fs::read_to_string(site.path("out.json")).unwrap().contains("marko"));
    let told = output(&["--data", &site.data, "backup"]);
    assert!(told.contains("backups"), "{told}");
    assert!(complaint(&["--data", &site.data, "backup", &site.path("mine")]).contains("leave that out"));
    serving.stop("-TERM");
    let restored = site.path("restored");
    output(&["--data", &restored, "restore", &site.path("backups/default")]);
    assert_eq!(output(&["--data", &restored, "query", "g.V().count()", "--format", "plain"]).trim(), "6");
    assert!(complaint(&["--data", &site.data, "backup"]).contains("name the directory"));
}

#[test]
fn who_may_only_read_imports_nothing_and_no_query_or_file_leads_elsewhere() {
    let site = Site::new();
    let serving = site.serve(&[]);
    let modern = shared("tinkerpop-modern.json").display().to_string();
    assert!(site.refused(&serving, "bob", &["import", &modern]).contains("write"));
    site.ask(&serving, "ada", &["import", &modern]);
    for query in ["g.addV('x')", "g.V().drop()", "g.call('mangrove.users.list')", "g.io('x.json').write()"] {
        let refused = site.refused(&serving, "bob", &["export", &site.path("x.json"), "--query", query]);
        assert!(!refused.is_empty() && !Path::new(&site.path("x.json")).exists(), "{query}: {refused}");
        // Who may write writes not by an export either.
        site.refused(&serving, "ada", &["export", &site.path("x.json"), "--query", query]);
    }
    assert_eq!(count(&serving, "g.V()"), "6");
    // What the command itself would not send: a mapping of a file of the server's.
    let secret = site.path("password");
    let begin = curl(&serving, ADA, "g.call('mangrove.transfer.begin')");
    let id = begin.split('"').find(|part| {
        part.len() == 36
            && part.matches('-').count() == 4
            && !begin.contains(&format!("requestId\":\"{part}"))
    });
    let id = id.expect("an id").to_owned();
    let told = curl(&serving, BOB, &format!("g.call('mangrove.transfer.status', ['transfer': '{id}'])"));
    assert!(told.contains("there is no transfer"), "{told}");
    let folder = Path::new(&site.data).with_file_name("g.transfers").join(&id);
    let mapping = format!("[[vertices]]\nfile = \"{secret}\"\ncolumns = [\"text\"]\nlabel = \"secret\"\n");
    fs::write(folder.join("m.toml"), mapping).unwrap();
    let asked = format!("g.call('mangrove.import', ['transfer': '{id}', 'file': 'm.toml', 'add': true])");
    assert!(curl(&serving, ADA, &asked).ends_with(" 200"));
    let status = format!("g.call('mangrove.transfer.status', ['transfer': '{id}'])");
    let told = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        Some(curl(&serving, ADA, &status)).filter(|told| !told.contains("working"))
    });
    assert!(told.unwrap().contains("not among the files that were sent"));
    for call in [
        format!("put', ['transfer': '{id}', 'file': '../x', 'offset': 0]"),
        format!("get', ['transfer': '{id}', 'file': '../../password', 'offset': 0]"),
        format!("get', ['transfer': '{id}', 'file': '/etc/passwd', 'offset': 0]"),
    ] {
        assert!(
            !curl(&serving, ADA, &format!("g.call('mangrove.transfer.{call})")).ends_with(" 200"),
            "{call}"
        );
    }
    assert_eq!(count(&serving, "g.V().hasLabel('secret')"), "0");
    curl(&serving, ADA, &format!("g.call('mangrove.transfer.end', ['transfer': '{id}'])"));
    assert_eq!(site.on_their_way(), 0);
    serving.stop("-TERM");
}

#[test]
fn mistakes_are_told_by_the_names_of_the_client_and_leave_nothing() {
    let site = Site::new();
    let serving = site.serve(&["max_transfer_bytes=100000"]);
    let wrong = site.path("wrong.csv");
    fs::write(&wrong, "id:ID,age:int\n1,2\n2,many\n").unwrap();
    let refused = site.refused(&serving, "ada", &["import", &wrong]);
    assert!(refused.contains("wrong.csv") && refused.contains('3') && refused.contains("many"), "{refused}");
    assert!(!refused.contains("g.transfers"), "{refused}");
    let large = site.path("large.csv");
    fs::write(&large, format!("id:ID,text\n1,{}\n", "x".repeat(200_000))).unwrap();
    let refused = site.refused(&serving, "ada", &["import", &large]);
    assert!(refused.contains("max_transfer_bytes"), "{refused}");
    let refused = site.refused(&serving, "bob", &["export", &site.path("x.unknown")]);
    assert!(refused.contains("--format"), "{refused}");
    assert!(!Path::new(&site.path("x.unknown.part")).exists());
    assert_eq!(count(&serving, "g.V()"), "0");
    serving.stop("-TERM");
    let serving = Serving::start(&["--data", &site.data, "serve", "--port", "0"]);
    assert_eq!(site.on_their_way(), 0, "what failed is gone with a new start at the latest");
    serving.stop("-TERM");
}

/// Whether something comes true within some seconds, which are asked for it now and then.
fn soon(is_so: impl Fn() -> bool) -> bool {
    (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        is_so()
    })
}

#[test]
fn an_import_that_is_interrupted_on_its_way_to_a_server_removes_no_directory_here() {
    let site = Site::new();
    let serving = site.serve(&[]);
    let here = site.path("here");
    let url = format!("ws://{}", serving.address);
    let mut typed = mangrove(&["--data", &here, "import", "-", "--url", &url, "--user", "ada"]);
    typed.env("MANGROVE_PASSWORD", "the password").stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut typed = typed.spawn().unwrap();
    let begun = soon(|| site.on_their_way() == 1);
    // Somebody else makes a graph of that name meanwhile.
    fs::create_dir(&here).unwrap();
    let id = typed.id().to_string();
    assert!(begun && Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    let input = typed.stdin.take();
    assert!(!typed.wait().unwrap().success());
    assert!(Path::new(&here).is_dir());
    drop(input);
    serving.stop("-TERM");
}

#[test]
fn an_import_ends_with_the_rights_of_its_user_and_is_seen_and_stopped() {
    let site = Site::new();
    let serving = site.serve(&[]);
    let many = site.path("many.csv");
    let rows: String = (0..120_000).map(|n| format!("m{n},name {n}\n")).collect();
    fs::write(&many, format!("id:ID,name\n{rows}")).unwrap();
    let url = format!("ws://{}", serving.address);
    let begin = || {
        let mut import =
            mangrove(&["import", &many, "--add", "--batch", "100", "--url", &url, "--user", "ada"]);
        import.env("MANGROVE_PASSWORD", "the password").stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = import.spawn().unwrap();
        let is_seen = soon(|| {
            let seen = curl(&serving, ROOT, "g.call('mangrove.queries', ['user': 'ada'])");
            seen.contains("import or export: reading")
        });
        (child, is_seen)
    };
    let (first, is_seen) = begin();
    let stopped = curl(&serving, ROOT, "g.call('mangrove.queries.stop', ['user': 'ada'])");
    let told = first.wait_with_output().unwrap();
    assert!(is_seen && stopped.contains('-'), "{stopped}");
    assert!(!told.status.success() && text(&told.stderr).contains("stopped"), "{}", text(&told.stderr));
    let (second, is_seen) = begin();
    assert!(
        curl(&serving, ROOT, "g.call('mangrove.users.role', ['name': 'ada', 'role': 'read'])")
            .ends_with(" 200")
    );
    assert!(!second.wait_with_output().unwrap().status.success() && is_seen);
    let count: u32 = count(&serving, "g.V()").parse().unwrap();
    assert!(count < 120_000, "{count}");
    serving.stop("-TERM");
}

#[test]
fn an_export_has_bounds_and_is_of_its_graph_and_replaces_nothing_else() {
    let site = Site::new();
    let serving = site.serve(&["max_transfer_bytes=200000"]);
    curl(&serving, ROOT, "g.call('mangrove.graphs.create', ['name': 'other'])");
    for _ in 0..5 {
        let script = "g.inject(1).repeat(__.union(identity(), identity())).times(9).addV('x').property('t', 'some text that is rather long, so that it takes room').iterate()";
        assert!(curl(&serving, ADA, script).ends_with(" 200"));
    }
    let refused = site.refused(&serving, "bob", &["export", &site.path("all.json")]);
    assert!(refused.contains("max_transfer_bytes"), "{refused}");
    assert_eq!(site.on_their_way(), 0);
    let part = site.path("part.json");
    site.ask(&serving, "bob", &["export", &part, "--query", "g.V().limit(10)"]);

    // One that is asked for by another graph is none.
    let begun =
        curl(&serving, ADA, "g.call('mangrove.export', ['file': 'x.json', 'query': 'g.V().limit(1)'])");
    let own = begun.split("requestId").next().unwrap_or_default().to_owned()
        + begun.split("\"result\"").nth(1).unwrap_or_default();
    let id = own
        .split('"')
        .find(|part| part.len() == 36 && part.matches('-').count() == 4)
        .expect("an id")
        .to_owned();
    let status = |source: &str| {
        curl(&serving, ADA, &format!("{source}.call('mangrove.transfer.status', ['transfer': '{id}'])"))
    };
    assert!(status("g").ends_with(" 200"), "{}", status("g"));
    assert!(status("other").contains("there is no transfer"), "{}", status("other"));

    // What is there and no file stays, also with --overwrite.
    fs::create_dir(site.path("d.json")).unwrap();
    fs::write(site.path("d.json/x.csv"), "mine").unwrap();
    std::os::unix::fs::symlink(&part, site.path("link.json")).unwrap();
    for target in ["d.json", "link.json"] {
        let refused = site.refused(&serving, "bob", &["export", &site.path(target), "--overwrite"]);
        assert!(refused.contains("something else"), "{refused}");
    }
    assert_eq!(fs::read(site.path("d.json/x.csv")).unwrap(), b"mine");
    assert!(site.refused(&serving, "bob", &["export", &site.path("none/x.json")]).contains("make it first"));
    serving.stop("-TERM");
}
