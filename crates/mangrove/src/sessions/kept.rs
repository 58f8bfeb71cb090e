//! What a statement came to, for the variable that it is kept in.

use gremlin::Terminal;
use values::{Set, Value, excerpt};

use crate::Error;

/// Results on their way into a variable.
#[derive(Debug)]
pub(super) struct Kept {
    terminal: Terminal,
    values: Vec<Value>,
    bytes: u64,
    most: u64,
}

impl Kept {
    /// Room for so many bytes of what a traversal with that terminal comes to.
    ///
    /// # Errors
    /// If it comes to nothing that can be kept.
    pub(super) fn new(terminal: Terminal, variable: &str, most: u64) -> Result<Self, Error> {
        match terminal {
            Terminal::Unsaid => Err(Error::Script(format!(
                "{} would be a traversal that has not run; end it with next() to keep its first result, or toList() to \
                 keep all",
                excerpt(variable)
            ))),
            Terminal::Iterate => {
                let variable = excerpt(variable);
                Err(Error::Script(format!("iterate() has no result that {variable} could keep")))
            }
            _ => Ok(Self { terminal, values: Vec::new(), bytes: 0, most }),
        }
    }

    /// Adds a result, as often as it occurs.
    pub(super) fn add(&mut self, value: &Value, times: u64) {
        let bytes = value.extent().expanded.saturating_add(size_of::<Value>() as u64);
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(times));
        if self.bytes <= self.most {
            self.values.extend((0..times).map(|_| value.clone()));
        } else {
            self.values = Vec::new();
        }
    }

    /// The variable's value.
    ///
    /// # Errors
    /// If it is too large.
    pub(super) fn value(self, variable: &str) -> Result<Value, Error> {
        let Self { terminal, mut values, bytes, most } = self;
        if bytes > most {
            return Err(too_large(variable, most));
        }
        Ok(match terminal {
            Terminal::Next | Terminal::TryNext | Terminal::HasNext | Terminal::Explain => {
                values.pop().unwrap_or(Value::Null)
            }
            Terminal::ToSet => Value::from(values.into_iter().collect::<Set>()),
            _ => Value::from(values),
        })
    }
}

/// Why a variable is not kept.
pub(super) fn too_large(variable: &str, most: u64) -> Error {
    let variable = excerpt(variable);
    Error::SessionLimit(format!(
        "{variable} would have more than {most} bytes, or the variables of all sessions too many \
         (sessions.max_variable_bytes, sessions.max_bytes_per_address); keep ids instead, or fewer results"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(terminal: Terminal, most: u64) -> Result<Value, Error> {
        let mut kept = Kept::new(terminal, "x", most)?;
        kept.add(&Value::Int(1), 2);
        kept.value("x")
    }

    #[test]
    fn the_terminal_says_what_is_kept() {
        assert_eq!(kept(Terminal::Next, 1_000).unwrap(), Value::Int(1));
        let list = Value::from(vec![Value::Int(1), Value::Int(1)]);
        assert_eq!(kept(Terminal::ToList, 1_000).unwrap(), list);
        assert_eq!(kept(Terminal::NextMany(2), 1_000).unwrap(), list);
        assert!(kept(Terminal::ToList, 10).unwrap_err().to_string().contains("10 bytes"));
        assert!(kept(Terminal::Unsaid, 1_000).unwrap_err().to_string().contains("toList()"));
        let nothing = Kept::new(Terminal::TryNext, "x", 1_000).unwrap().value("x");
        assert_eq!(nothing.unwrap(), Value::Null);
    }
}
