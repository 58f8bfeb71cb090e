//! The console's own commands.

use crate::output::Format;
use clap::ValueEnum;

/// The commands' names.
pub const NAMES: [&str; 9] =
    ["clear", "explain", "format", "help", "names", "profile", "quit", "stats", "timing"];

/// What `:help` prints.
pub const HELP: &str = "\
Type a traversal, such as g.V().limit(3); it may span lines. Tab completes steps, labels and keys.

  :explain TRAVERSAL    how a traversal would be run
  :profile TRAVERSAL    run it and show where the time went
  :names                labels and property keys of this graph
  :stats                sizes of this graph
  :format table|json|csv|plain
                        how results are printed
  :timing               switch the line with rows and time on or off
  :clear                clear the screen
  :help                 this text
  :quit                 leave (also Ctrl-D)";

/// A line that is not Gremlin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Show how a traversal would be run.
    Explain(String),
    /// Run a traversal and show where the time went.
    Profile(String),
    /// Show labels and keys.
    Names,
    /// Show sizes.
    Stats,
    /// Print results differently.
    Format(Format),
    /// Toggle the line with rows and time.
    Timing,
    /// Clear the screen.
    Clear,
    /// Show the commands.
    Help,
    /// Leave.
    Quit,
}

impl Command {
    /// Reads the text after the colon.
    ///
    /// # Errors
    /// For the user.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let traversal = || match rest {
            "" => Err(format!(":{name} needs a traversal, such as :{name} g.V().out().count()")),
            traversal => Ok(traversal.to_owned()),
        };
        Ok(match name {
            "explain" => Self::Explain(traversal()?),
            "profile" => Self::Profile(traversal()?),
            "names" | "schema" => Self::Names,
            "stats" => Self::Stats,
            "format" => Self::Format(
                Format::from_str(rest, true)
                    .map_err(|_| format!("`{rest}` is no format; there are table, json, csv and plain"))?,
            ),
            "timing" => Self::Timing,
            "clear" => Self::Clear,
            "help" | "h" | "?" => Self::Help,
            "quit" | "q" | "x" | "exit" => Self::Quit,
            other => return Err(format!("there is no command :{other}; :help lists them")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_arguments() {
        assert_eq!(Command::parse("explain  g.V() "), Ok(Command::Explain("g.V()".into())));
        assert_eq!(Command::parse("format JSON"), Ok(Command::Format(Format::Json)));
        assert_eq!(Command::parse("q"), Ok(Command::Quit));
    }

    #[test]
    fn what_is_missing_or_unknown_is_said() {
        assert!(Command::parse("profile").unwrap_err().contains("needs a traversal"));
        assert!(Command::parse("format xml").unwrap_err().contains("table, json, csv and plain"));
        assert!(Command::parse("nope").unwrap_err().contains(":help"));
    }

    #[test]
    fn every_name_that_is_completed_is_a_command() {
        for name in NAMES {
            let argument = if name == "format" { "plain" } else { "g.V()" };
            assert!(Command::parse(&format!("{name} {argument}")).is_ok(), "{name}");
        }
    }
}
