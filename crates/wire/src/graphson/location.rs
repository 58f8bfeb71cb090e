//! Where in a document the reader is.

use crate::error::Problem;
use crate::{DecodeError, Place};

/// A step from the root of a document to the place being read; kept on the stack, spelled out only in errors.
#[derive(Clone, Copy)]
pub(super) struct Location<'a> {
    parent: Option<&'a Location<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    Field(&'a str),
    Index(usize),
}

impl<'a> Location<'a> {
    pub const ROOT: Location<'static> = Location { parent: None, step: Step::Root };

    pub fn field(&'a self, name: &'a str) -> Location<'a> {
        Location { parent: Some(self), step: Step::Field(name) }
    }

    pub fn index(&'a self, index: usize) -> Location<'a> {
        Location { parent: Some(self), step: Step::Index(index) }
    }

    /// The error that something is wrong here.
    pub fn error(&self, problem: Problem) -> DecodeError {
        let mut path = String::new();
        self.spell(&mut path);
        DecodeError { place: Place::Path(path), problem }
    }

    fn spell(&self, path: &mut String) {
        if let Some(parent) = self.parent {
            parent.spell(path);
        }
        match self.step {
            Step::Root => path.push('$'),
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            Step::Field(name) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => {
                path.push('.');
                path.push_str(name);
            }
            Step::Field(name) => path.push_str(&format!("['{}']", crate::error::excerpt(name))),
        }
    }
}
