//! Standard output for people: what is longer than the screen goes through a pager.
//!
//! Until the screen would be full, what is written waits here; so short output is printed as it is, and the pager is started only if it
//! is needed. It is what `$PAGER` says, by way of the shell; `less -FRX` if that says nothing; and none if it is empty or `cat`.

use std::{
    io::{self, Write},
    process::{Child, Command, Stdio},
};

use super::{Progress, screen};

/// See the module.
pub struct Pager<'a> {
    /// What waits, and how many lines may.
    held: Option<(Vec<u8>, usize)>,
    child: Option<Child>,
    /// What is on the screen until something is printed.
    progress: Option<&'a Progress>,
}

impl<'a> Pager<'a> {
    /// Standard output; through a pager where `wanted`, and it is a terminal.
    pub fn new(wanted: bool) -> Self {
        // A line of the screen is for the prompt, and one for what is said of the time.
        let lines =
            screen::height().filter(|_| wanted && command().is_some()).map(|lines| lines.saturating_sub(2));
        Self { held: lines.map(|lines| (Vec::new(), lines)), child: None, progress: None }
    }

    /// Ends this line when anything is printed: a pager has the whole screen.
    #[must_use]
    pub fn instead_of(self, progress: &'a Progress) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Writes what waits, and waits until the user has left the pager, if there is one.
    ///
    /// # Errors
    /// When the terminal fails. A pager that was left early is none.
    pub fn finish(mut self) -> io::Result<()> {
        let flushed = self.release().and_then(|()| self.flush());
        let Some(mut child) = self.child.take() else { return flushed };
        drop(child.stdin.take());
        child.wait()?;
        match flushed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    /// Lets go of what waits.
    fn release(&mut self) -> io::Result<()> {
        match self.held.take() {
            Some((held, _)) => self.pass(&held),
            None => Ok(()),
        }
    }

    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.progress.take().into_iter().for_each(Progress::end);
        match self.child.as_mut().and_then(|child| child.stdin.as_mut()) {
            Some(stdin) => stdin.write_all(bytes),
            None => io::stdout().lock().write_all(bytes),
        }
    }
}

impl Write for Pager<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some((held, lines)) = &mut self.held else { return self.pass(bytes).map(|()| bytes.len()) };
        held.extend_from_slice(bytes);
        if held.iter().filter(|byte| **byte == b'\n').count() > *lines {
            self.progress.take().into_iter().for_each(Progress::end);
            // One that cannot be started is none.
            self.child = command().and_then(|mut command| command.stdin(Stdio::piped()).spawn().ok());
            self.release()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match (&self.held, self.child.as_mut().and_then(|child| child.stdin.as_mut())) {
            (Some(_), _) => Ok(()),
            (None, Some(stdin)) => stdin.flush(),
            (None, None) => io::stdout().lock().flush(),
        }
    }
}

/// The pager that the user wants, if he wants one.
fn command() -> Option<Command> {
    let Ok(wanted) = std::env::var("PAGER") else {
        let mut less = Command::new("less");
        less.arg("-FRX");
        return Some(less);
    };
    if matches!(wanted.trim(), "" | "cat") {
        return None;
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", &wanted]);
    Some(shell)
}
