//! Files that a command sends to a server, and gets from it.
//!
//! ```text
//!   import: begin ─▶ put, put … ─▶ mangrove.import ─▶ status, status … ─▶ end
//!   export:                        mangrove.export ─▶ status, status … ─▶ list, get, get … ─▶ end
//! ```

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Component, Path, PathBuf},
    thread,
    time::Duration,
};

use indicatif::ProgressBar;
use mangrove::Temporary;
use values::{Map, Str, Value};

use super::Failure;
use crate::far::Client;

/// Bytes that are sent at once: less than any server takes as one request.
const PIECE: usize = 1 << 20;

/// How often a server is asked how far it is.
const OFTEN: Duration = Duration::from_millis(200);

/// An import or export that a server does.
pub(super) struct Carried<'a> {
    client: &'a mut Client,
    id: Value,
}

impl<'a> Carried<'a> {
    /// Begins to send files.
    pub(super) fn begin(client: &'a mut Client) -> Result<Self, Failure> {
        Self::of(client, "g.call('mangrove.transfer.begin')", &[])
    }

    /// What a script begins, which gives its id.
    pub(super) fn of(client: &'a mut Client, script: &str, given: &[(Str, Value)]) -> Result<Self, Failure> {
        let id = client.ask(script, given)?.into_iter().next();
        let id = id.ok_or_else(|| Failure::Refused("the server began nothing".into()))?;
        Ok(Self { client, id })
    }

    /// Sends all of a file.
    pub(super) fn send(&mut self, name: &str, mut file: impl Read, bar: &ProgressBar) -> Result<(), Failure> {
        let mut piece = vec![0; PIECE];
        let mut offset = 0;
        loop {
            let length = fill(&mut file, &mut piece)?;
            // An empty file is one, too.
            if length == 0 && offset > 0 {
                return Ok(());
            }
            let given = [
                ("file", name.into()),
                ("offset", Value::from(offset as i64)),
                ("bytes", Value::Binary(piece[..length].into())),
            ];
            self.ask("mangrove.transfer.put", given)?;
            offset += length;
            bar.inc(length as u64);
            if length < PIECE {
                return Ok(());
            }
        }
    }

    /// Asks for something that is done with the files.
    pub(super) fn ask<const N: usize>(
        &mut self,
        service: &str,
        given: [(&str, Value); N],
    ) -> Result<Vec<Value>, Failure> {
        let mut parameters: Map = given.into_iter().map(|(name, value)| (name.into(), value)).collect();
        parameters.insert("transfer", self.id.clone());
        self.client.ask(&format!("g.call('{service}', p)"), &[("p".into(), parameters.into())])
    }

    /// Waits until it is done; what the server says of it.
    pub(super) fn wait(&mut self, bar: &ProgressBar) -> Result<String, Failure> {
        loop {
            let rows = self.ask("mangrove.transfer.status", [])?;
            let status = rows.first().and_then(Value::as_map).cloned().unwrap_or_default();
            let text =
                |name: &str| status.get(&Value::from(name)).and_then(Value::as_str).unwrap_or_default();
            let number = |name: &str| {
                let number = status.get(&Value::from(name)).and_then(Value::as_i64);
                number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default()
            };
            match text("state") {
                "done" => return Ok(text("said").to_owned()),
                "failed" => return Err(Failure::Refused(text("said").to_owned())),
                _ => {
                    bar.set_length(number("total").max(1));
                    bar.set_position(number("done"));
                    bar.set_prefix(format!("{} rows", number("rows")));
                    bar.set_message(text("doing").to_owned());
                }
            }
            thread::sleep(OFTEN);
        }
    }

    /// The files, with how many bytes they have.
    pub(super) fn files(&mut self) -> Result<Vec<(String, u64)>, Failure> {
        let read = |row: &Value| {
            let row = row.as_map()?;
            let name = row.get(&Value::from("file")).and_then(Value::as_str)?.to_owned();
            let bytes = row.get(&Value::from("bytes")).and_then(Value::as_i64)?;
            Some((name, u64::try_from(bytes).ok()?))
        };
        let rows = self.ask("mangrove.transfer.list", [])?;
        rows.iter()
            .map(read)
            .collect::<Option<_>>()
            .ok_or_else(|| Failure::Refused("the server lists no files".into()))
    }

    /// Gets all of a file.
    pub(super) fn get(&mut self, name: &str, mut into: impl Write, bar: &ProgressBar) -> Result<(), Failure> {
        let mut offset = 0;
        loop {
            let given = [("file", name.into()), ("offset", Value::from(offset as i64))];
            let Some(piece) = self.ask("mangrove.transfer.get", given)?.into_iter().next() else {
                return Ok(());
            };
            let Value::Binary(bytes) = piece else {
                return Err(Failure::Refused("the server sent what is no piece of a file".into()));
            };
            into.write_all(&bytes)?;
            offset += bytes.len();
            bar.inc(bytes.len() as u64);
        }
    }
}

impl Drop for Carried<'_> {
    /// It is not needed any more, however it went: the server need not wait until it forgets it.
    fn drop(&mut self) {
        if !self.client.is_broken() {
            let _ = self.ask("mangrove.transfer.end", []);
        }
    }
}

fn fill(file: &mut impl Read, piece: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < piece.len() {
        match file.read(&mut piece[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// A file, or a directory of files, that is written: it has its name once it is whole.
pub(super) struct NewFiles {
    target: PathBuf,
    part: PathBuf,
    is_directory: bool,
    temporary: Temporary,
}

impl NewFiles {
    /// Refuses to write over what is there, unless that is wanted; of a directory, only what holds files of an export and nothing else.
    pub(super) fn create(target: &Path, is_directory: bool, overwrite: bool) -> Result<Self, Failure> {
        let refused =
            |problem: &str| Err(Failure::Usage(format!("{} cannot be written: {problem}", target.display())));
        let Some(name) = target.file_name() else { return refused("this is no name of a file") };
        let mut part = name.to_owned();
        part.push(".part");
        let part = target.with_file_name(part);
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        if folder.is_some_and(|folder| !folder.is_dir()) {
            return refused("there is no such folder; make it first");
        }
        // Of what is there, and not of what a link leads to.
        if let Ok(there) = fs::symlink_metadata(target) {
            if if is_directory { !there.is_dir() } else { !there.is_file() } {
                return refused("there is something else of that name");
            }
            if !overwrite {
                return refused("it is there; add --overwrite to replace it");
            }
            if is_directory && !holds_exports_alone(target)? {
                return refused("it is a directory with other than files of CSV or Parquet");
            }
        }
        if fs::symlink_metadata(&part).is_ok() {
            return Err(Failure::Usage(format!(
                "{} is there, perhaps of an export that was interrupted; remove it first",
                part.display()
            )));
        }
        let temporary = Temporary::at(&part);
        Ok(Self { target: target.into(), part, is_directory, temporary })
    }

    /// A new file, as a server calls it: the one that is written, or (by a path below it) one of the directory. What a server says is
    /// not believed: it could name any file of this machine.
    pub(super) fn file(&self, listed: &str) -> Result<File, Failure> {
        let below = self.target.file_name().and_then(|name| Path::new(listed).strip_prefix(name).ok());
        let is_within = |below: &&Path| {
            let is_plain = below.components().all(|part| matches!(part, Component::Normal(_)));
            is_plain && self.is_directory != below.as_os_str().is_empty()
        };
        let Some(below) = below.filter(is_within) else {
            return Err(Failure::Refused(format!(
                "the server calls a file {listed:?}, which is none of this export"
            )));
        };
        let path = if self.is_directory { self.part.join(below) } else { self.part.clone() };
        if let Some(folder) = path.parent().filter(|_| self.is_directory) {
            fs::create_dir_all(folder)?;
        }
        Ok(File::create_new(path)?)
    }

    /// Gives it its name.
    pub(super) fn publish(self) -> io::Result<()> {
        self.temporary.publish(|| {
            if self.target.is_dir() {
                fs::remove_dir_all(&self.target)?;
            }
            fs::rename(&self.part, &self.target)
        })
    }
}

impl Drop for NewFiles {
    fn drop(&mut self) {
        // Of what was published, nothing is left under that name.
        let _ = if self.part.is_dir() { fs::remove_dir_all(&self.part) } else { fs::remove_file(&self.part) };
    }
}

fn holds_exports_alone(directory: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_written =
            entry.path().extension().is_some_and(|ending| ending == "csv" || ending == "parquet");
        if !entry.file_type()?.is_file() || !is_written {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_names_no_file_but_those_of_the_export() {
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        let absolute = outside.display().to_string();
        let folder = NewFiles::create(&dir.path().join("all"), true, false).unwrap();
        for name in
            [&absolute, "../outside", "all/../../outside", "outside", "all", "all/..", "", "allx/a.csv"]
        {
            assert!(folder.file(name).is_err(), "{name}");
        }
        assert!(folder.file("all/people.csv").is_ok());
        let file = NewFiles::create(&dir.path().join("all.json"), false, false).unwrap();
        for name in [&absolute, "../outside", "all.json/../outside", "all.json/x", "outside", ""] {
            assert!(file.file(name).is_err(), "{name}");
        }
        assert!(file.file("all.json").is_ok() && file.file("all.json").is_err());
        let there: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(there.len() == 2 && !outside.exists(), "{there:?}");
    }
}
