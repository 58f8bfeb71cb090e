//! The folder of the graphs that were made while a server ran: a directory for each, which is called as the graph is.
//!
//! ```text
//!   graphs/people          a graph
//!   graphs/.making-cities  not yet a graph: made in full, it gets its name
//!   graphs/.dropped-dogs   a graph no more: it goes when there is time
//! ```
//!
//! So what is there after a crash is a graph or is none. Which graphs there are is what is in the folder.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use mangrove::{config::Config, store::FjallStore};

/// Characters of a name.
const LONGEST: usize = 63;

const MAKING: &str = ".making-";
const DROPPED: &str = ".dropped-";

/// See the module.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// That of a configuration; `None` if such graphs are in memory, as the default one is.
    pub fn of(config: &Config) -> Option<Self> {
        if !config.graphs_directory.as_os_str().is_empty() {
            return Some(Self(config.graphs_directory.clone()));
        }
        let default = config.default_graph();
        let mut name = default.path.file_name()?.to_owned();
        name.push(".graphs");
        (!default.is_memory()).then(|| Self(default.path.with_file_name(name)))
    }

    /// The graphs in it, in the order of their names.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().into_string().ok().filter(|name| check_name(name).is_ok());
            names.extend(name.filter(|_| FjallStore::is_in(entry.path())));
        }
        names.sort();
        Ok(names)
    }

    /// The directory of a graph.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Removes what a crash has left of graphs that were being made or removed. Only for who has the default graph open: nobody else
    /// makes or removes any.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn clean(&self) -> io::Result<()> {
        let Ok(entries) = fs::read_dir(&self.0) else { return Ok(()) };
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(MAKING) || name.starts_with(DROPPED) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    /// Refuses a name that no graph has.
    ///
    /// # Errors
    /// In words.
    pub fn there_is(&self, name: &str) -> Result<(), String> {
        check_name(name)?;
        if FjallStore::is_in(self.path_of(name)) { Ok(()) } else { Err(format!("there is no graph {name}")) }
    }

    /// Makes the directory of a graph, which `fill` makes in another one, and closes.
    ///
    /// # Errors
    /// Why not, in words; then there is nothing.
    pub fn make(
        &self,
        name: &str,
        fill: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        check_name(name)?;
        let (path, made_in) = (self.path_of(name), self.0.join(format!("{MAKING}{name}")));
        match path.try_exists() {
            Ok(false) => {}
            Ok(true) if FjallStore::is_in(&path) => return Err(format!("there is a graph {name} already")),
            Ok(true) => return Err(format!("{} is there, and is no graph", path.display())),
            Err(error) => return Err(told(&path, &error)),
        }
        fs::create_dir_all(&self.0).map_err(|error| told(&self.0, &error))?;
        // What a failed attempt has left.
        let _ = fs::remove_dir_all(&made_in);
        let made = fill(&made_in).and_then(|()| self.rename(&made_in, &path));
        if made.is_err() {
            let _ = fs::remove_dir_all(&made_in);
        }
        made.map(|()| path)
    }

    /// Removes the directory of a graph that nobody has open.
    ///
    /// # Errors
    /// Why not, in words; then it is still there.
    pub fn remove(&self, name: &str) -> Result<(), String> {
        self.there_is(name)?;
        let path = self.path_of(name);
        let gone = self.0.join(format!("{DROPPED}{name}"));
        let _ = fs::remove_dir_all(&gone);
        self.rename(&path, &gone)?;
        // What is left of it goes with the next start.
        let _ = fs::remove_dir_all(&gone);
        Ok(())
    }

    /// Gives a directory another name, for good.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), String> {
        let renamed = fs::rename(from, to).and_then(|()| File::open(&self.0)?.sync_all());
        renamed.map_err(|error| told(from, &error))
    }
}

/// Refuses what is no name for a traversal source that scripts may begin with.
///
/// # Errors
/// Why.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit());
    if is_name && name != "__" && name.len() <= LONGEST {
        return Ok(());
    }
    Err(format!(
        "{:?} is no name for a graph: it has letters, digits and `_`, begins with none of the digits, and has at most {LONGEST} of them",
        values::excerpt(name)
    ))
}

fn told(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}; graphs_directory says where graphs are made", path.display())
}

#[cfg(test)]
mod tests {
    use mangrove::Database;

    use super::*;

    fn filled(path: &Path) -> Result<(), String> {
        Database::open(path).and_then(Database::close).map_err(|error| error.to_string())
    }

    #[test]
    fn a_graph_is_there_in_full_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder(dir.path().join("graphs"));
        assert!(folder.names().unwrap().is_empty());
        folder.make("people", filled).unwrap();
        assert_eq!(folder.names().unwrap(), ["people"]);
        assert!(folder.make("people", filled).unwrap_err().contains("already"));
        let failed = folder.make("cities", |path| filled(path).and(Err("no room".into())));
        assert_eq!(failed.unwrap_err(), "no room");
        assert_eq!(folder.names().unwrap(), ["people"]);
        folder.remove("people").unwrap();
        assert!(folder.names().unwrap().is_empty() && fs::read_dir(&folder.0).unwrap().next().is_none());
        assert!(folder.remove("people").unwrap_err().contains("no graph people"));
    }

    #[test]
    fn what_a_crash_left_goes_and_what_is_not_ours_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder(dir.path().into());
        for name in [".making-a", ".dropped-b", "mine"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("file"), "").unwrap();
        folder.clean().unwrap();
        let left: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
        assert!(folder.names().unwrap().is_empty());
        assert!(folder.make("mine", filled).unwrap_err().contains("is no graph"));
        assert!(folder.remove("mine").is_err());
    }

    #[test]
    fn names_are_those_of_traversal_sources() {
        for name in ["people", "_x", "G2", &"x".repeat(LONGEST)] {
            assert_eq!(check_name(name), Ok(()));
        }
        for name in ["", "2x", "a-b", "a/b", "..", "__", "ä", ".making-x", "a b", &"x".repeat(LONGEST + 1)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
