//! Signals in the midst of an import or an export: nothing stays that is not whole.

mod program;

use std::{
    fs,
    io::Write,
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use program::{Site, complaint, mangrove, output, text};

/// Signals, and what a shell calls the end of a command by them.
const SIGNALS: [(&str, i32); 3] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129)];

/// Those that whoever runs the tests has not told to be ignored, as a shell does with SIGINT for what runs in the background: a command
/// obeys that.
fn signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    SIGNALS.into_iter().filter(|(_, status)| (ignored >> (status - 129)) & 1 == 0).collect()
}

/// A traversal that yields nothing in any time that somebody waits.
const ENDLESS: &str = "g.V().as('a').V().as('b').V().as('c').V().as('d').select('a','b','c','d').by('n')\
                       .filter(__.select('a').is(-1))";

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Waits until something is there.
fn awaited<T>(what: &str, find: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        match find() {
            Some(found) => return found,
            None if Instant::now() > deadline => panic!("no {what}"),
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Sends a signal, and expects the end that it should make of the process.
fn ends(process: Child, (signal, status): (&str, i32)) {
    let id = process.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    let output = process.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!((output.status.code(), output.status.signal()), (Some(status), None), "{signal}: {said}");
    assert!(said.contains("mangrove: interrupted"), "{signal}: {said}");
}

#[test]
fn an_import_leaves_neither_what_it_was_sent_nor_a_new_directory() {
    for signal in signals() {
        let site = Site::new();
        let temporary = site.path("temporary");
        fs::create_dir(&temporary).unwrap();
        let mut command = mangrove(&["--data", &site.data, "import", "-", "--format", "csv"]);
        command.env("TMPDIR", &temporary).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut input = process.stdin.take().unwrap();
        input.write_all(b"id:ID,:LABEL\n1,a\n").unwrap();
        let spool = awaited("copy of what was sent", || entries(Path::new(&temporary)).pop());
        assert_eq!(fs::metadata(&spool).unwrap().permissions().mode() & 0o777, 0o600);
        awaited("graph", || Path::new(&site.data).exists().then_some(()));
        ends(process, signal);
        assert_eq!(entries(Path::new(&temporary)), Vec::<PathBuf>::new(), "{signal:?}");
        assert!(!Path::new(&site.data).exists(), "{signal:?}");
        drop(input);
    }
}

#[test]
fn an_export_leaves_neither_a_file_nor_a_directory_that_is_not_whole() {
    let site = Site::new();
    let rows: String = (0..300).map(|n| format!("{n}\n")).collect();
    fs::write(site.path("x.csv"), format!("n:int\n{rows}")).unwrap();
    output(&["--data", &site.data, "import", &site.path("x.csv")]);
    let into = site.path("into");
    fs::create_dir(&into).unwrap();
    for signal in signals() {
        for format in ["graphson", "neo4j"] {
            let target = format!("{into}/out");
            let command = ["--data", &site.data, "export", &target, "--format", format, "--query", ENDLESS];
            let process = mangrove(&command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            awaited("export", || entries(Path::new(&into)).pop());
            ends(process, signal);
            assert_eq!(entries(Path::new(&into)), Vec::<PathBuf>::new(), "{signal:?} {format}");
        }
    }
    let done = output(&["--data", &site.data, "export", &format!("{into}/out.json")]);
    assert!(done.starts_with("300 vertices"), "{done}");
}

#[test]
fn who_wants_a_signal_ignored_is_obeyed() {
    let site = Site::new();
    let script = format!(
        "trap '' HUP; printf 'id:ID,:LABEL\\n1,a\\n' > {csv}; (cat {csv}; sleep 2) | {mangrove} --data {data} import - --format csv & \
         sleep 1; kill -HUP $!; wait $!",
        csv = site.path("a.csv"),
        mangrove = env!("CARGO_BIN_EXE_mangrove"),
        data = site.data,
    );
    let output =
        Command::new("bash").args(["-c", &script]).env("HOME", std::env::temp_dir()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("1 vertices"), "{}", text(&output.stdout));
}

#[test]
fn options_that_say_two_things_or_nothing_are_refused() {
    let site = Site::new();
    let file = site.path("a.csv");
    fs::write(&file, "id:ID,:LABEL\n1,a\n").unwrap();
    let both = complaint(&["--data", &site.data, "import", &file, "--add", "--merge", "id"]);
    assert!(both.contains("--add") && both.contains("--merge"), "{both}");
    let alone = complaint(&["--data", &site.data, "import", &file, "--batch", "7"]);
    assert!(alone.contains("--batch is for graphs that have data: say --add or --merge, too"), "{alone}");
    assert!(!Path::new(&site.data).exists());
    output(&["--data", &site.data, "import", &file, "--add", "--batch", "7"]);
}
