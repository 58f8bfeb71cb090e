//! The interactive console.
//!
//! ```text
//!   editor: lines ─▶ a whole script or command ─▶ Console ─▶ Target ─▶ printer ─▶ pager, if it is longer than the screen
//!                                                    ▲ Ctrl-C ends what runs
//! ```
//!
//! It must never know how a query is planned or run: it reads lines, asks a `Target`, and prints.

mod command;
mod completion;
mod editor;
mod help;
mod history;
mod multiline;
mod steps;

use std::{
    io::{self, IsTerminal, Write},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::RwLock;
use values::{Str, Value};

use crate::{
    failure::Failure,
    output::{Format, Pager, Printer, Progress, complain, rows, say, width},
    target::{Interrupts, Summary, Target, Vocabulary},
};
use command::{Command, HELP};
use editor::{Prompt, Typed};

/// A session of one user with one graph.
pub struct Console {
    target: Box<dyn Target>,
    interrupts: Interrupts,
    format: Format,
    timing: bool,
    pages: bool,
    vocabulary: Arc<RwLock<Vocabulary>>,
}

impl Console {
    /// A console on a graph.
    ///
    /// # Errors
    /// When the operating system refuses a thread that listens for Ctrl-C.
    pub fn new(target: Box<dyn Target>) -> Result<Self, Failure> {
        let (interrupts, vocabulary) = (Interrupts::listen()?, Arc::default());
        Ok(Self { target, interrupts, format: Format::Table, timing: true, pages: true, vocabulary })
    }

    /// Talks with the user until they leave; without a terminal, reads commands from standard input.
    ///
    /// # Errors
    /// When the terminal fails. What the user gets wrong is printed and forgiven.
    pub fn run(mut self) -> Result<(), Failure> {
        if !io::stdin().is_terminal() {
            return self.run_script(&io::read_to_string(io::stdin())?);
        }
        let place = self.target.describe().place;
        say(format_args!("Mangrove {}, {place}. :help helps, :quit leaves.", mangrove::VERSION))?;
        let mut prompt = Prompt::new(self.vocabulary.clone())?;
        loop {
            *self.vocabulary.write() = self.target.vocabulary().unwrap_or_default();
            let in_transaction = self.target.describe().in_transaction;
            match prompt.read(if in_transaction { "gremlin*> " } else { "gremlin> " })? {
                Typed::End => return self.leave(),
                Typed::Nothing => {}
                Typed::Text(text) if text.trim().is_empty() => {}
                Typed::Text(text) => match text.trim().strip_prefix(':').map(Command::parse) {
                    Some(Ok(Command::Quit)) => return self.leave(),
                    Some(Ok(Command::Clear)) => prompt.clear()?,
                    Some(Ok(command)) => self.forgive(|console| console.command(command)),
                    Some(Err(message)) => complain(message),
                    None => self.forgive(|console| console.ask(&text)),
                },
            }
        }
    }

    /// Says what is lost by leaving.
    fn leave(&self) -> Result<(), Failure> {
        if self.target.describe().in_transaction {
            complain(
                "the transaction that was open is rolled back; g.tx().commit() would have kept what it wrote",
            );
        }
        Ok(())
    }

    /// Runs commands and scripts that are not typed; the first failure ends them.
    fn run_script(&mut self, text: &str) -> Result<(), Failure> {
        let mut pending = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            pending.push_str(line);
            pending.push('\n');
            let goes_on = lines.peek().is_some_and(|next| next.trim_start().starts_with('.'));
            if goes_on || !multiline::is_complete(&pending) || pending.trim().is_empty() {
                continue;
            }
            let text = std::mem::take(&mut pending);
            match text.trim().strip_prefix(':').map(Command::parse) {
                Some(Ok(Command::Quit)) => return Ok(()),
                Some(command) => self.command(command.map_err(Failure::Usage)?)?,
                None => self.ask(&text)?,
            }
        }
        if pending.trim().is_empty() { Ok(()) } else { self.ask(&pending) }
    }

    fn forgive(&mut self, action: impl FnOnce(&mut Self) -> Result<(), Failure>) {
        if let Err(failure) = action(self)
            && !failure.is_broken_pipe()
        {
            complain(failure);
        }
    }

    fn command(&mut self, command: Command) -> Result<(), Failure> {
        let stop = self.interrupts.stop();
        match command {
            Command::Explain(text) => self.show(&self.target.explain(&text, &[], &stop)?)?,
            Command::Profile(text) => self.show(&self.target.profile(&text, &[], &stop)?)?,
            Command::Bind(name, value) => self.bind(name, value)?,
            Command::Names => self.show(&names(&self.target.vocabulary()?))?,
            Command::Stats => self.show(&self.target.sizes()?)?,
            Command::Format(format) => self.format = format,
            Command::Pager(pages) => self.pages = pages,
            Command::Timing => self.timing = !self.timing,
            Command::Help => self.show(HELP)?,
            Command::HelpWith(step) => self.show(&help::with(&step).map_err(Failure::Usage)?)?,
            Command::Clear | Command::Quit => {}
        }
        Ok(())
    }

    /// A variable that is asked for with its value has it from then on.
    fn bind(&self, name: Str, value: Value) -> Result<(), Failure> {
        let text = name.to_string();
        self.target.run(&text, &[(name, value)], &self.interrupts.stop(), &mut |_| Ok(())).map(drop)
    }

    /// Runs a script, and prints what it comes to.
    fn ask(&self, text: &str) -> Result<(), Failure> {
        let started = Instant::now();
        let progress = Progress::begin();
        let mut pager = Pager::new(self.pages).instead_of(&progress);
        let mut printer = Printer::new(&mut pager, self.format).cut_to(width(), ":format plain");
        let stop = self.interrupts.stop();
        let ran = self.target.run(text, &[], &stop, &mut |value| {
            progress.count();
            Ok(printer.print(value)?)
        });
        let took = started.elapsed();
        // What there is of an answer that was interrupted is shown, too.
        let printed = printer.finish();
        pager.finish()?;
        drop(progress);
        let Summary { rows: n, warnings } = ran?;
        printed?;
        warnings.iter().for_each(complain);
        if self.timing && io::stdout().is_terminal() {
            say(format_args!("{}, {}", rows(n), in_words(took)))?;
        }
        Ok(())
    }

    /// Shows a text, through the pager if it is long.
    fn show(&self, text: &str) -> Result<(), Failure> {
        let mut pager = Pager::new(self.pages);
        let shown = writeln!(pager, "{}", text.trim_end()).and_then(|()| pager.flush());
        pager.finish()?;
        Ok(shown?)
    }
}

fn names(vocabulary: &Vocabulary) -> String {
    let all = [
        ("vertex labels", &vocabulary.vertex_labels),
        ("edge labels", &vocabulary.edge_labels),
        ("property keys", &vocabulary.keys),
    ];
    let line = |(what, names): (&str, &Vec<String>)| {
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        format!("{what}: {names}\n")
    };
    all.into_iter().map(line).collect()
}

/// A duration with a unit that suits it.
fn in_words(duration: Duration) -> String {
    match duration.as_micros() {
        micros @ 0..1_000 => format!("{micros} µs"),
        micros @ 1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        micros => format!("{:.2} s", micros as f64 / 1e6),
    }
}
