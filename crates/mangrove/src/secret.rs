//! Secrets: from a file, the environment, standard input or a terminal; never from a flag alone, which everybody on the machine sees.

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::failure::Failure;

/// The variable that a password may be in: of who logs in at a server, or else of the user that a command is about.
pub const PASSWORD: &str = "MANGROVE_PASSWORD";

/// A secret that was given: in a file (`-` is standard input), in the file that the variable `NAME_FILE` names, or in the variable.
pub fn given(file: Option<PathBuf>, variable: &str) -> Result<Option<String>, Failure> {
    let named = || std::env::var_os(format!("{variable}_FILE")).map(PathBuf::from);
    if let Some(file) = file.or_else(named) {
        return read(&file).map(Some);
    }
    match std::env::var(variable) {
        // A template without its value, perhaps: that is not to mean that there are none.
        Ok(secret) if secret.is_empty() => {
            Err(Failure::Secret(format!("{variable} is set, and empty; give it a value, or unset it")))
        }
        Ok(secret) => Ok(Some(secret)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(error) => Err(Failure::Secret(format!("{variable}: {error}"))),
    }
}

/// Whether [`given`] would look somewhere.
pub fn is_given(file: Option<&Path>, variable: &str) -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some();
    file.is_some() || is_set(variable) || is_set(&format!("{variable}_FILE"))
}

/// A secret from a file or the first of the variables that has one, or what somebody types.
pub fn given_or_typed(file: Option<PathBuf>, variables: &[&str]) -> Result<String, Failure> {
    let found = variables.iter().find(|variable| is_given(file.as_deref(), variable));
    if let Some(secret) = found.map(|variable| given(file, variable)).transpose()?.flatten() {
        return Ok(secret);
    }
    if !io::stdin().is_terminal() {
        return Err(Failure::Secret(format!(
            "there is no password: give one in a file (--password-file FILE, - for standard input) or in the variable {}",
            variables.join(" or ")
        )));
    }
    let secret = typed("Password: ")?;
    if typed("The same again: ")? != secret {
        return Err(Failure::Secret("these were two passwords; nothing was changed".into()));
    }
    Ok(secret)
}

/// A password that was given in the environment, or is typed once: of somebody who has it already.
pub fn given_or_asked(variable: &str, prompt: &str) -> Result<String, Failure> {
    match given(None, variable)? {
        Some(secret) => Ok(secret),
        None if io::stdin().is_terminal() => typed(prompt),
        None => {
            Err(Failure::Secret(format!("there is no password: give it in {variable} or {variable}_FILE")))
        }
    }
}

/// The first line: editors and `echo` end one, and no password has several.
fn read(file: &Path) -> Result<String, Failure> {
    let text =
        if file == Path::new("-") { io::read_to_string(io::stdin()) } else { fs::read_to_string(file) };
    let text = text.map_err(|error| Failure::Secret(format!("cannot read {}: {error}", file.display())))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(Failure::Secret(format!("{} has no password in its first line", file.display())));
    }
    Ok(line.into())
}

/// Asks at the terminal, which does not show what is typed.
fn typed(prompt: &str) -> Result<String, Failure> {
    let (stdin, mut out) = (io::stdin(), io::stderr());
    out.write_all(prompt.as_bytes())?;
    out.flush()?;
    let before = tcgetattr(&stdin).map_err(io::Error::from)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent).map_err(io::Error::from)?;
    let mut line = String::new();
    let read = stdin.lock().read_line(&mut line);
    tcsetattr(&stdin, OptionalActions::Now, &before).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    read?;
    Ok(line.trim_end_matches(['\r', '\n']).into())
}
