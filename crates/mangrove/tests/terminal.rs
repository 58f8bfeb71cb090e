//! The console and `mangrove query` at a terminal, which is tmux: what stands on its screen is compared. Without tmux (`apt-get install
//! tmux`) these tests say so and do nothing.

use std::{
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

mod program;

use program::output;
use tempfile::TempDir;

/// A terminal with the modern graph in a directory.
struct Terminal {
    dir: TempDir,
    socket: String,
}

impl Terminal {
    /// One of so many columns and lines, with a shell; `None` where there is no tmux.
    fn open(columns: u32, lines: u32) -> Option<Self> {
        static OPENED: AtomicU32 = AtomicU32::new(0);
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("skipped: there is no tmux");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let json = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
            .join("../../../shared/tinkerpop/data/tinkerpop-modern.json");
        let data = dir.path().join("modern");
        output(&["--data", &data.display().to_string(), "import", &json.display().to_string()]);
        let socket = format!("mangrove-{}-{}", std::process::id(), OPENED.fetch_add(1, Ordering::Relaxed));
        let terminal = Self { dir, socket };
        let home = terminal.dir.path().display().to_string();
        let (columns, lines) = (columns.to_string(), lines.to_string());
        let shell = format!(
            "cd {home}; exec env -u PAGER -u LESS -u XDG_STATE_HOME -u MANGROVE_CONFIG HOME={home} LC_ALL=C.UTF-8 PS1='$ ' ENV= sh -i"
        );
        terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &lines, &shell]);
        terminal.until("the shell's prompt", |screen| screen.ends_with('$'));
        Some(terminal)
    }

    /// One on which a console has begun.
    fn with_console(columns: u32, lines: u32, environment: &str) -> Option<Self> {
        let terminal = Self::open(columns, lines)?;
        terminal.command(&format!(
            "clear; {environment} {} --data modern console",
            env!("CARGO_BIN_EXE_mangrove")
        ));
        terminal.until("the console's prompt", |screen| screen.ends_with("gremlin>"));
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").args(["-u", "-L", &self.socket]).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", program::text(&output.stderr));
        program::text(&output.stdout)
    }

    /// Types a line.
    fn command(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.key("Enter");
    }

    fn key(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// What is on the screen, blanks at the ends aside.
    fn screen(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p"]);
        let lines: Vec<_> = screen.trim_end().lines().map(str::trim_end).collect();
        lines.join("\n")
    }

    /// Waits until there is something on the screen; gives all of it.
    fn until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(Instant::now() < deadline, "{what} is not on the screen:\n{screen}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Types a line on a clear screen of the console, and waits for the next prompt; what is then on the screen, without times.
    fn ask(&self, line: &str) -> String {
        self.clear();
        self.command(line);
        self.until("the answer", |screen| screen.contains('\n') && screen.ends_with("gremlin>"))
            .without_times()
    }

    /// Clears the screen, as Ctrl-L does while a line is edited.
    fn clear(&self) {
        self.key("C-l");
        self.until("a clear screen", |screen| screen == "gremlin>");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // There may be none any more.
        let _ = Command::new("tmux").args(["-L", &self.socket, "kill-server"]).output();
    }
}

trait Screen {
    /// The same with `TIME` for how long something took.
    fn without_times(&self) -> String;
}

impl Screen for str {
    fn without_times(&self) -> String {
        let masked =
            self.lines().map(|line| match line.split_once(" rows, ").or(line.split_once(" row, ")) {
                Some((rows, _)) if rows.bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("{rows} rows, TIME")
                }
                _ => line.to_owned(),
            });
        masked.collect::<Vec<_>>().join("\n")
    }
}

const ENDLESS: &str = "g.V().repeat(both()).until(constant(1).is(2)).count()";

#[test]
fn several_statements_and_what_is_kept_from_line_to_line() {
    let Some(terminal) = Terminal::with_console(80, 24, "") else { return };
    let expected = "\
gremlin> x = g.V(1).next(); g.V(x).outE('knows').inV().path()
┌────────────────────┐
│ result             │
╞════════════════════╡
│ v[1] -knows-> v[2] │
│ v[1] -knows-> v[4] │
└────────────────────┘
2 rows, TIME
gremlin>";
    assert_eq!(terminal.ask("x = g.V(1).next(); g.V(x).outE('knows').inV().path()"), expected);
    let expected = "\
gremlin> g.V(x)
┌────┬────────┬───────┬─────┐
│ id ┆ label  ┆ name  ┆ age │
╞════╪════════╪═══════╪═════╡
│ 1  ┆ person ┆ marko ┆ 29  │
└────┴────────┴───────┴─────┘
1 rows, TIME
gremlin>";
    assert_eq!(terminal.ask("g.V(x)"), expected);
    assert_eq!(terminal.ask(":bind y=ripple"), "gremlin> :bind y=ripple\ngremlin>");
    assert!(terminal.ask("g.V().has('name', y).id()").contains("│ 5 "));
}

#[test]
fn unfinished_lines_have_a_prompt_of_their_own() {
    let Some(terminal) = Terminal::with_console(80, 24, "") else { return };
    terminal.clear();
    terminal.command("g.V().has('name',");
    terminal.until("a line that goes on", |screen| screen.ends_with("    ...>"));
    terminal.command("'josh').");
    terminal
        .until("another", |screen| screen.matches("    ...>").count() == 2 && screen.ends_with("    ...>"));
    terminal.command("out('created').values('name').order()");
    let expected = "\
gremlin> g.V().has('name',
    ...> 'josh').
    ...> out('created').values('name').order()
┌────────┐
│ result │
╞════════╡
│ lop    │
│ ripple │
└────────┘
2 rows, TIME
gremlin>";
    let screen = terminal.until("the answer", |screen| screen.ends_with("gremlin>"));
    assert_eq!(screen.without_times(), expected);
    terminal.clear();
    terminal.command("g.V(");
    terminal.until("a line that goes on", |screen| screen.ends_with("    ...>"));
    terminal.key("C-c");
    terminal.until("the console's prompt", |screen| screen.ends_with("gremlin>"));
    assert!(terminal.ask("g.V().count()").contains("│ 6 "), "what was unfinished is forgotten");
}

#[test]
fn lines_that_are_pasted_together_are_read_one_after_the_other() {
    let Some(terminal) = Terminal::with_console(80, 24, "") else { return };
    terminal.clear();
    terminal.tmux(&["set-buffer", "x = 7\ng.inject(x).\n  math('_ * 6')\n"]);
    terminal.tmux(&["paste-buffer"]);
    let screen =
        terminal.until("the answer", |screen| screen.ends_with("gremlin>") && screen.contains("│ 42.0 "));
    assert!(screen.contains("│ 7 "), "{screen}");
}

#[test]
fn an_interrupt_ends_the_query_and_not_the_console() {
    let Some(terminal) = Terminal::with_console(80, 24, "") else { return };
    terminal.clear();
    terminal.command(ENDLESS);
    let going_on = format!("gremlin> {ENDLESS}\n0 rows so far, ");
    let goes_on = |screen: &str| screen.starts_with(&going_on) && screen.ends_with(" s; Ctrl-C ends it");
    terminal.until("the progress", goes_on);
    terminal.key("C-c");
    let screen = terminal.until("the console's prompt", |screen| screen.ends_with("gremlin>"));
    assert_eq!(screen, format!("gremlin> {ENDLESS}\ninterrupted\ngremlin>"));
    let expected = "\
gremlin> g.V().count()
┌────────┐
│ result │
╞════════╡
│ 6      │
└────────┘
1 rows, TIME
gremlin>";
    assert_eq!(terminal.ask("g.V().count()"), expected);
    terminal.command(":quit");
    terminal.until("the shell's prompt", |screen| screen.ends_with('$'));
}

#[test]
fn a_query_that_takes_long_says_so_and_can_be_interrupted() {
    let Some(terminal) = Terminal::open(80, 24) else { return };
    let program = env!("CARGO_BIN_EXE_mangrove");
    terminal.command(&format!("clear; {program} --data modern query \"{ENDLESS}\"; echo status $?"));
    let goes_on =
        |screen: &str| screen.starts_with("0 rows so far, ") && screen.ends_with(" s; Ctrl-C ends it");
    let first = terminal.until("the progress", goes_on);
    terminal.until("its next second", |screen| goes_on(screen) && screen != first);
    terminal.key("C-c");
    let screen = terminal.until("the status", |screen| screen.ends_with('$'));
    // The terminal writes ^C where the cursor is, and that line is erased.
    assert_eq!(screen.trim_start_matches("^C"), "mangrove: interrupted\nstatus 130\n$");
}

#[test]
fn maps_and_elements_are_laid_out() {
    let Some(terminal) = Terminal::with_console(80, 24, "") else { return };
    let expected = "\
gremlin> g.V().groupCount().by(label).order(local).by(keys)
┌──────────┬───────┐
│ key      ┆ value │
╞══════════╪═══════╡
│ person   ┆ 4     │
│ software ┆ 2     │
└──────────┴───────┘
1 rows, TIME
gremlin>";
    assert_eq!(terminal.ask("g.V().groupCount().by(label).order(local).by(keys)"), expected);
    let expected = "\
gremlin> g.E().hasLabel('knows')
┌────┬───────┬──────┬──────┬────────┐
│ id ┆ label ┆ OUT  ┆ IN   ┆ weight │
╞════╪═══════╪══════╪══════╪════════╡
│ 7  ┆ knows ┆ v[1] ┆ v[2] ┆ 0.5    │
│ 8  ┆ knows ┆ v[1] ┆ v[4] ┆ 1.0    │
└────┴───────┴──────┴──────┴────────┘
2 rows, TIME
gremlin>";
    assert_eq!(terminal.ask("g.E().hasLabel('knows')"), expected);
    let expected = "\
gremlin> g.V(1, 3).group().by(id).by('name').inject([:])
┌───┬─────┬───────┐
│ # ┆ key ┆ value │
╞═══╪═════╪═══════╡
│ 1 ┆     ┆       │
│ 2 ┆ 1   ┆ marko │
│ 2 ┆ 3   ┆ lop   │
└───┴─────┴───────┘
2 rows, TIME
gremlin>";
    assert_eq!(terminal.ask("g.V(1, 3).group().by(id).by('name').inject([:])"), expected);
}

#[test]
fn what_is_too_wide_is_cut_with_a_note() {
    let Some(terminal) = Terminal::with_console(40, 24, "") else { return };
    let expected = "\
gremlin> g.V().hasLabel('software')
┌────┬──────────┬────────┬──────┐
│ id ┆ label    ┆ name   ┆ lang │
╞════╪══════════╪════════╪══════╡
│ 3  ┆ software ┆ lop    ┆ java │
│ 5  ┆ software ┆ ripple ┆ java │
└────┴──────────┴────────┴──────┘
2 rows, TIME
gremlin>";
    assert_eq!(terminal.ask("g.V().hasLabel('software')"), expected);
    let wide = "g.inject(['a':'0123456789ab','b':'0123456789ab','c':'0123456789ab','d':'0123456789ab','e':1],['a':2])";
    let screen = terminal.ask(wide);
    let table = screen.split_once('┌').map(|(_, table)| format!("┌{table}")).unwrap_or_default();
    let expected = "\
┌────────────┬────────────┬────────────┐
│ a          ┆ b          ┆ c          │
╞════════════╪════════════╪════════════╡
│ 012345678… ┆ 012345678… ┆ 012345678… │
│ 2          ┆            ┆            │
└────────────┴────────────┴────────────┘
left out to fit: 2 columns (d, e) and 9
characters; :format plain shows all
2 rows, TIME
gremlin>";
    assert_eq!(table, expected);
    terminal.ask(":format plain");
    let screen = terminal.ask("g.inject('0123456789'.concat('x'))");
    assert!(!screen.contains('┌'), "{screen}");
}

#[test]
fn what_is_longer_than_the_screen_goes_through_the_pager() {
    let Some(terminal) = Terminal::with_console(60, 12, "PAGER='head -n 4 | sed s/^/paged:/'") else {
        return;
    };
    let long = "g.inject(1, 2, 3, 4, 5, 6, 7, 8, 9)";
    let expected = "\
gremlin> g.inject(1, 2, 3, 4, 5, 6, 7, 8, 9)
paged:┌────────┐
paged:│ result │
paged:╞════════╡
paged:│ 1      │
9 rows, TIME
gremlin>";
    assert_eq!(terminal.ask(long), expected);
    assert!(!terminal.ask("g.inject(1, 2)").contains("paged"), "what fits does without it");
    terminal.ask(":pager off");
    let screen = terminal.ask(long);
    assert!(!screen.contains("paged") && screen.contains("│ 9 "), "{screen}");
}

#[test]
fn the_pager_is_less_where_nothing_else_is_said() {
    if Command::new("less").arg("--version").output().is_err() {
        eprintln!("skipped: there is no less");
        return;
    }
    let Some(terminal) = Terminal::with_console(60, 12, "") else { return };
    terminal.clear();
    terminal.command("g.V().both().both().both().values('name')");
    let screen = terminal.until("the pager's prompt", |screen| screen.ends_with("\n:"));
    assert!(screen.contains("│ result │") && !screen.contains("72 rows"), "{screen}");
    terminal.key("q");
    terminal
        .until("the console's prompt", |screen| screen.ends_with("gremlin>") && screen.contains("72 rows"));
}

#[test]
fn transactions_are_seen_in_the_prompt() {
    let Some(terminal) = Terminal::with_console(100, 24, "") else { return };
    terminal.clear();
    terminal.command("g.tx().begin()");
    terminal.until("the prompt of a transaction", |screen| screen.ends_with("gremlin*>"));
    terminal.command("g.addV('a')");
    terminal.until("a vertex", |screen| screen.ends_with("gremlin*>") && screen.contains("┆ a "));
    terminal.command(":quit");
    let screen = terminal.until("the shell's prompt", |screen| screen.ends_with('$'));
    assert!(screen.contains("the transaction that was open is rolled back"), "{screen}");
}

#[test]
fn steps_are_explained() {
    let Some(terminal) = Terminal::with_console(100, 24, "") else { return };
    let expected = "\
gremlin> :help range
range: lets those through from one place up to another
  range(integer, integer)
  range(scope, integer, integer)
gremlin>";
    assert_eq!(terminal.ask(":help range"), expected);
    let refused = terminal.ask(":help hasLable");
    assert!(refused.contains("there is no step hasLable; did you mean hasLabel?"), "{refused}");
}

#[test]
fn what_was_typed_is_remembered_for_nobody_else_and_without_passwords() {
    let Some(terminal) = Terminal::with_console(100, 24, "") else { return };
    terminal.ask("g.V().count()");
    terminal.ask("g.call('mangrove.users.add', [name: 'ada', password: 'secret-words'])");
    terminal.command(":quit");
    terminal.until("the shell's prompt", |screen| screen.ends_with('$'));
    let file = terminal.dir.path().join(".local/state/mangrove/history");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.contains("g.V().count()") && !kept.contains("secret"), "{kept}");
    terminal.command(&format!("clear; {} --data modern console", env!("CARGO_BIN_EXE_mangrove")));
    terminal.until("the console's prompt", |screen| screen.ends_with("gremlin>"));
    terminal.key("Up");
    terminal.key("Up");
    terminal.until("a line of before", |screen| screen.ends_with("gremlin> g.V().count()"));
}
