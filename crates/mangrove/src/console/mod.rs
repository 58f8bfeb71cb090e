//! The interactive console.
//!
//! It must never know how a query is planned or run: it reads lines, asks a `Target`, and prints.

mod command;
mod completion;
mod editor;
mod multiline;

use std::{
    io::{self, IsTerminal},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::RwLock;

use crate::{
    failure::Failure,
    output::{Format, Printer, complain, rows, say, width},
    target::{Interrupts, Target, Vocabulary},
};
use command::{Command, HELP};
use editor::{Prompt, Typed};

/// A session of one user with one graph.
pub struct Console {
    target: Box<dyn Target>,
    interrupts: Interrupts,
    format: Format,
    timing: bool,
    vocabulary: Arc<RwLock<Vocabulary>>,
}

impl Console {
    /// A console on a graph.
    ///
    /// # Errors
    /// When the operating system refuses a thread that listens for Ctrl-C.
    pub fn new(target: Box<dyn Target>) -> Result<Self, Failure> {
        let interrupts = Interrupts::listen()?;
        Ok(Self { target, interrupts, format: Format::Table, timing: true, vocabulary: Arc::default() })
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
                Typed::End => return Ok(()),
                Typed::Nothing => {}
                Typed::Text(text) if text.trim().is_empty() => {}
                Typed::Text(text) => match text.trim().strip_prefix(':').map(Command::parse) {
                    Some(Ok(Command::Quit)) => return Ok(()),
                    Some(Ok(Command::Clear)) => prompt.clear()?,
                    Some(Ok(command)) => self.forgive(|console| console.command(command)),
                    Some(Err(message)) => complain(message),
                    None => self.forgive(|console| console.traverse(&text)),
                },
            }
        }
    }

    /// Runs commands and traversals that are not typed; the first failure ends them.
    fn run_script(&mut self, text: &str) -> Result<(), Failure> {
        let mut pending = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            pending.push_str(line);
            pending.push('\n');
            let goes_on = lines.peek().is_some_and(|next| next.trim_start().starts_with('.'));
            let complete =
                pending.trim_start().starts_with(':') || (!goes_on && multiline::is_complete(&pending));
            if !complete || pending.trim().is_empty() {
                continue;
            }
            let text = std::mem::take(&mut pending);
            match text.trim().strip_prefix(':').map(Command::parse) {
                Some(Ok(Command::Quit)) => return Ok(()),
                Some(command) => self.command(command.map_err(Failure::Usage)?)?,
                None => self.traverse(&text)?,
            }
        }
        if pending.trim().is_empty() { Ok(()) } else { self.traverse(&pending) }
    }

    fn forgive(&mut self, act: impl FnOnce(&mut Self) -> Result<(), Failure>) {
        if let Err(error) = act(self) {
            complain(error);
        }
    }

    fn command(&mut self, command: Command) -> Result<(), Failure> {
        match command {
            Command::Explain(text) => say(self.target.explain(&text, &[], &self.interrupts.stop())?)?,
            Command::Profile(text) => say(self.target.profile(&text, &[], &self.interrupts.stop())?)?,
            Command::Names => print_names(&self.target.vocabulary()?)?,
            Command::Stats => say(self.target.sizes()?)?,
            Command::Format(format) => self.format = format,
            Command::Timing => self.timing = !self.timing,
            Command::Help => say(HELP)?,
            Command::Clear | Command::Quit => {}
        }
        Ok(())
    }

    fn traverse(&mut self, text: &str) -> Result<(), Failure> {
        let started = Instant::now();
        let mut printer = Printer::new(io::stdout().lock(), self.format).cut_to(width(), ":format plain");
        let stop = self.interrupts.stop();
        let ran = self.target.run(text, &[], &stop, &mut |value| Ok(printer.print(value)?));
        let n = printer.finish()?;
        ran?.warnings.iter().for_each(complain);
        if self.timing && io::stdout().is_terminal() {
            say(format_args!("{}, {}", rows(n), in_words(started.elapsed())))?;
        }
        Ok(())
    }
}

fn print_names(vocabulary: &Vocabulary) -> io::Result<()> {
    let all = [
        ("vertex labels", &vocabulary.vertex_labels),
        ("edge labels", &vocabulary.edge_labels),
        ("property keys", &vocabulary.keys),
    ];
    all.into_iter().try_for_each(|(what, names)| {
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        say(format_args!("{what}: {names}"))
    })
}

/// A duration with a unit that suits it.
pub fn in_words(duration: Duration) -> String {
    match duration.as_micros() {
        micros @ 0..1_000 => format!("{micros} µs"),
        micros @ 1_000..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        micros => format!("{:.2} s", micros as f64 / 1e6),
    }
}
