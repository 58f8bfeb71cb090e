//! The engine's failures, in the words of the contract.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::StoreError;

/// What an error of the engine means to the caller of a store in the directory `path`.
pub(super) fn translate(path: &Path, error: fjall::Error) -> StoreError {
    use fjall::Error as E;
    match error {
        E::Io(source) => input_output(path, source),
        E::Storage(error) => translate_tree(path, error),
        E::Locked => StoreError::Locked {
            path: path.to_owned(),
            pid: None,
            hint: "a process that does not use Mangrove holds it",
        },
        E::Poisoned => StoreError::Halted { cause: "a write could not be made durable".into() },
        E::InvalidVersion(version) => {
            StoreError::Format { path: path.to_owned(), detail: format!("version {version:?}") }
        }
        other => corrupt(path, format!("{other:?}")),
    }
}

fn translate_tree(path: &Path, error: fjall::LsmError) -> StoreError {
    use fjall::LsmError as E;
    match error {
        E::Io(source) => input_output(path, source),
        E::InvalidVersion(version) => {
            StoreError::Format { path: path.to_owned(), detail: format!("tree version {version}") }
        }
        other => corrupt(path, format!("{other:?}")),
    }
}

/// An error of the operating system. Data that ends too early, or is no data, is damage.
pub(crate) fn input_output(path: &Path, source: io::Error) -> StoreError {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            StoreError::DiskFull { path: path.to_owned() }
        }
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => corrupt(path, source.to_string()),
        _ => StoreError::Io { path: path.to_owned(), source },
    }
}

/// The directory holds something that cannot have been written.
pub(super) fn corrupt(path: &Path, detail: String) -> StoreError {
    StoreError::Corrupt { path: path.to_owned(), detail }
}

/// Runs a call that reads files whose bytes may be damaged: where the engine would panic, that is the finding.
pub(super) fn guarded<T>(path: &Path, call: impl FnOnce() -> fjall::Result<T>) -> Result<T, StoreError> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(outcome) => outcome.map_err(|error| translate(path, error)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(corrupt(path, format!("reading it failed: {}", text.unwrap_or("for no stated reason"))))
        }
    }
}
