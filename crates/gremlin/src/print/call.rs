//! Calls and lists of arguments as text.

use std::fmt::{self, Display, Formatter};

use values::watch;

use crate::{Instruction, SourceName, StepName};

/// A name that can be called.
pub(super) trait Called: Copy {
    fn name(self) -> &'static str;
}

impl Called for StepName {
    fn name(self) -> &'static str {
        self.as_str()
    }
}

impl Called for SourceName {
    fn name(self) -> &'static str {
        self.as_str()
    }
}

/// `.name(arguments)` for each call.
pub(super) fn write_calls<N: Called>(calls: &[Instruction<N>], f: &mut Formatter<'_>) -> fmt::Result {
    calls.iter().try_for_each(|call| {
        write!(f, ".{}", call.name.name())?;
        write_list("(", &call.args, ")", f)
    })
}

/// The items between brackets, with commas.
pub(super) fn write_list<T: Display>(
    open: &str,
    items: &[T],
    close: &str,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.iter().enumerate() {
        watch::tick();
        if i > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    f.write_str(close)
}
