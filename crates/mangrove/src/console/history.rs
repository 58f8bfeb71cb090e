//! What was typed before: where it is kept, and what of it is not.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// What is only said where passwords are, or may be: the services that make users, and whatever is called so.
const SECRET: [&str; 2] = ["mangrove.users", "password"];

/// Whether a line may be remembered. One with a password is not, neither in the file nor until the console is left.
pub(super) fn may_keep(line: &str) -> bool {
    let line = line.to_lowercase();
    !line.trim().is_empty() && !SECRET.iter().any(|secret| line.contains(secret))
}

/// The file: `mangrove/history` in the folder for state of the XDG base directory specification. `None` if there is no home.
pub(super) fn file() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    in_folder(state, std::env::home_dir())
}

/// The specification has relative paths ignored.
fn in_folder(state: Option<PathBuf>, home: Option<PathBuf>) -> Option<PathBuf> {
    let folder = state.filter(|folder| folder.is_absolute()).or_else(|| Some(home?.join(".local/state")))?;
    Some(folder.join("mangrove/history"))
}

/// Makes the file if there is none, and its folder, so that nobody else can read it: lines may say what is nobody else's business.
///
/// # Errors
/// Those of the file system.
pub(super) fn make(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    fs::OpenOptions::new().create(true).append(true).mode(0o600).open(file).map(drop)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn lines_with_passwords_are_not_kept() {
        assert!(may_keep("g.V().has('name', 'ada')"));
        assert!(!may_keep("g.call('mangrove.users.add', [name: 'ada', password: 'secret'])"));
        assert!(!may_keep(":bind Password=secret"));
        assert!(!may_keep(" \n"));
    }

    #[test]
    fn the_file_is_where_xdg_has_it() {
        let some = |path: &str| Some(PathBuf::from(path));
        assert_eq!(in_folder(some("/state"), some("/home/ada")), some("/state/mangrove/history"));
        assert_eq!(
            in_folder(some("state"), some("/home/ada")),
            some("/home/ada/.local/state/mangrove/history")
        );
        assert_eq!(in_folder(None, None), None);
    }

    #[test]
    fn nobody_else_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("state/mangrove/history");
        make(&file).unwrap();
        make(&file).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    }
}
