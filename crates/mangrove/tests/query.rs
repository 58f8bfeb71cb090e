//! `mangrove query`, as a user types it: scripts, variables, formats, and its end by Ctrl-C.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

mod program;

use program::{complaint, mangrove, output, text};
use tempfile::TempDir;

/// A directory with the modern graph in `modern`.
fn modern() -> (TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("modern").display().to_string();
    let json = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../../shared/tinkerpop/data/tinkerpop-modern.json");
    output(&["--data", &data, "import", &json.display().to_string()]);
    (dir, data)
}

/// What a query of the modern graph prints.
fn asked(data: &str, args: &[&str]) -> String {
    output(&[&["--data", data, "query"], args].concat())
}

#[test]
fn a_script_of_several_statements_answers_with_the_last() {
    let (dir, data) = modern();
    let script = "x = g.V().has('name', 'marko').next()\ng.V(x).out('knows').values('name').order()";
    assert_eq!(asked(&data, &["--format", "plain", script]), "josh\nvadas\n");
    let file = dir.path().join("script.groovy");
    std::fs::write(&file, format!("// Whom he knows\n{script}\n")).unwrap();
    assert_eq!(asked(&data, &["--format", "plain", "-f", &file.display().to_string()]), "josh\nvadas\n");
    let mut child = mangrove(&["--data", &data, "query", "--format", "plain", "-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"g.addV('a'); g.addV('a'); g.V().hasLabel('a').count()").unwrap();
    assert_eq!(text(&child.wait_with_output().unwrap().stdout), "2\n");
}

#[test]
fn elements_and_plans_are_drawn_and_what_has_none_is_refused() {
    let (_dir, data) = modern();
    let paths = "g.V().outE().inV().path()";
    let svg = asked(&data, &["--format", "svg", paths]);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert_eq!((svg.matches("<circle ").count(), svg.matches("class=\"arc\"").count()), (6, 6), "{svg}");
    assert!(
        svg.contains(">marko</text>") && svg.contains(">knows</text>") && svg.contains("age: 29"),
        "{svg}"
    );
    assert_eq!(svg, asked(&data, &["--format", "svg", paths]), "the same each time");
    let dot = asked(&data, &["--format", "dot", "g.E().subgraph('x').cap('x')"]);
    assert_eq!((dot.matches(" -> ").count(), dot.matches("tooltip").count()), (6, 6), "{dot}");
    for kind in ["--explain", "--profile"] {
        let svg = asked(&data, &["--format", "svg", kind, "g.V().local(out().order()).next()"]);
        assert!(svg.starts_with("<svg ") && svg.contains("order()"), "{svg}");
        assert!(asked(&data, &["--format", "dot", kind, "g.V().out()"]).starts_with("digraph"));
    }
    let refused = complaint(&["--data", &data, "query", "--format", "svg", "g.V().count()"]);
    assert!(refused.contains("no vertex, edge, path or subgraph"), "{refused}");
}

#[test]
fn a_script_that_fails_is_as_if_it_had_not_begun() {
    let (_dir, data) = modern();
    let complained = complaint(&["--data", &data, "query", "g.addV('a'); g.V().fail('no more')"]);
    assert!(complained.contains("no more"), "{complained}");
    assert_eq!(asked(&data, &["--format", "plain", "g.V().count()"]), "6\n");
}

#[test]
fn variables_have_the_values_that_are_bound() {
    let (_dir, data) = modern();
    let bound = |binding: &str| asked(&data, &["--format", "json", "--bind", binding, "g.inject(x)"]);
    assert_eq!(bound("x=1"), "1\n");
    assert_eq!(bound("x='a b'"), "\"a b\"\n");
    assert_eq!(bound("x=marko"), "\"marko\"\n");
    assert_eq!(bound("x=true"), "true\n");
    assert_eq!(bound("x=['a', 2]"), "[\"a\",2]\n");
    let two = [
        "--format",
        "plain",
        "-b",
        "name=marko",
        "-b",
        "n=1",
        "g.V().has('name', name).out().limit(n).count()",
    ];
    assert_eq!(asked(&data, &two), "1\n");
    assert!(asked(&data, &["-b", "x=1", "--explain", "g.V(x)"]).contains("physical plan"));
    let refused = complaint(&["--data", &data, "query", "--bind", "x=[1", "g.inject(x)"]);
    assert!(refused.contains("the value of x is no literal of Gremlin"), "{refused}");
}

#[test]
fn tables_and_csv_have_a_column_for_each_name() {
    let (_dir, data) = modern();
    let software = "g.V().hasLabel('software').order().by('name')";
    let table = "\
┌────┬──────────┬────────┬──────┐
│ id ┆ label    ┆ name   ┆ lang │
╞════╪══════════╪════════╪══════╡
│ 3  ┆ software ┆ lop    ┆ java │
│ 5  ┆ software ┆ ripple ┆ java │
└────┴──────────┴────────┴──────┘
";
    assert_eq!(asked(&data, &[software]), table);
    assert_eq!(
        asked(&data, &["--format", "csv", software]),
        "id,label,name,lang\n3,software,lop,java\n5,software,ripple,java\n"
    );
    let edges = "g.E(7, 8).project('of', 'weight').by(outV().values('name')).by('weight')";
    assert_eq!(asked(&data, &["--format", "csv", edges]), "of,weight\nmarko,0.5\nmarko,1.0\n");
    assert_eq!(asked(&data, &["--format", "plain", "g.V(1).out().path().limit(1)"]), "path[v[1], v[3]]\n");
}

#[test]
fn one_map_alone_is_rows_of_key_and_value() {
    let (_dir, data) = modern();
    let expected = "\
┌──────────┬───────┐
│ key      ┆ value │
╞══════════╪═══════╡
│ person   ┆ 4     │
│ software ┆ 2     │
└──────────┴───────┘
";
    assert_eq!(asked(&data, &["g.V().groupCount().by(label).order(local).by(keys)"]), expected);
}

/// Waits for the thread that listens for Ctrl-C: before, an interrupt ends the process, too, but by the signal.
fn until_it_listens(process: u32) {
    let deadline = Instant::now() + Duration::from_secs(60);
    let tasks = format!("/proc/{process}/task");
    if !Path::new(&tasks).is_dir() {
        // A system that does not tell.
        return thread::sleep(Duration::from_secs(5));
    }
    let is_it = |task: std::io::Result<std::fs::DirEntry>| {
        task.and_then(|task| std::fs::read_to_string(task.path().join("comm")))
            .is_ok_and(|name| name == "interrupts\n")
    };
    while !std::fs::read_dir(&tasks).unwrap().any(is_it) {
        assert!(Instant::now() < deadline, "it does not listen");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interrupt_ends_a_query_with_status_130() {
    let (_dir, data) = modern();
    let endless = "g.V().repeat(both()).until(constant(1).is(2)).count()";
    let mut child = mangrove(&["--data", &data, "query", endless])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until_it_listens(child.id());
    let pressed = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert!(pressed.elapsed() < Duration::from_secs(20), "{:?}", pressed.elapsed());
    let complained = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    assert_eq!((status.code(), complained.as_str()), (Some(130), "mangrove: interrupted\n"));
}
