//! What shells and `man` are told of the command.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Every command that has a page.
const COMMANDS: [&str; 9] =
    ["serve", "import", "export", "query", "console", "backup", "restore", "completions", "man"];

fn mangrove(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mangrove"));
    command.args(args).env_remove("MANGROVE_CONFIG").output().unwrap()
}

fn output(args: &[&str]) -> String {
    let output = mangrove(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Whether a program that is wanted is there: other tests cannot be made without it.
fn is_there(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
    found.is_ok_and(|found| found.status.success())
}

#[test]
fn every_shell_has_a_script_that_knows_the_commands() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = output(&["completions", shell]);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
    let refused = mangrove(&["completions", "csh"]);
    assert!(!refused.status.success());
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert!(complaint.contains("csh") && complaint.contains("possible values: bash"), "{complaint}");
}

#[test]
fn bash_completes_a_command_and_its_arguments() {
    assert!(is_there("bash"), "this test needs bash");
    let completed = |words: &str, at: usize| {
        let mut bash = Command::new("bash")
            .args(["--norc", "--noprofile", "-s"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut script = output(&["completions", "bash"]);
        script += &format!("\nCOMP_WORDS=({words}); COMP_CWORD={at}\n");
        script += "_mangrove mangrove \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"\n";
        script += "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
        bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        String::from_utf8(bash.wait_with_output().unwrap().stdout).unwrap()
    };
    assert_eq!(completed("mangrove exp", 1), "export\n");
    assert_eq!(completed("mangrove generate mod", 2), "modern\n");
    assert_eq!(completed("mangrove export --over", 2), "--overwrite\n");
}

#[test]
fn there_is_a_page_for_the_command_and_for_each_of_its_commands() {
    let dir = tempfile::tempdir().unwrap();
    let directory = dir.path().join("share/man/man1");
    let shown = directory.display().to_string();
    assert_eq!(
        output(&["man", &shown]),
        format!("mangrove.1, and a page for each command beside it, are in {shown}\n")
    );
    let page = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap();
    let first = page("mangrove.1");
    assert!(first.contains(".TH mangrove 1"), "{first}");
    for command in COMMANDS {
        assert!(first.contains(&format!("mangrove\\-{command}(1)")), "mangrove.1 does not name {command}");
        assert!(
            page(&format!("mangrove-{command}.1")).contains(&format!(".TH mangrove-{command} 1")),
            "{command}"
        );
    }
    assert!(page("mangrove-generate-modern.1").contains("modern graph"));
    assert!(page("mangrove-export.1").contains("\\-\\-overwrite"));
}

#[test]
fn pages_that_cannot_be_written_are_an_error_with_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = mangrove(&["man", &file.join("man1").display().to_string()]);
    assert_eq!(refused.status.code(), Some(1));
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert!(
        complaint.contains("cannot write manual pages to") && complaint.contains("file/man1"),
        "{complaint}"
    );
}
