//! The console's own commands.

use crate::{output::Format, target::binding};
use clap::ValueEnum;
use values::{Str, Value};

/// The commands' names.
pub const NAMES: [&str; 11] =
    ["bind", "clear", "explain", "format", "help", "names", "pager", "profile", "quit", "stats", "timing"];

/// What `:help` prints.
pub const HELP: &str = "\
Type a traversal, such as g.V().limit(3), or several statements: x = g.V().next(); g.V(x).out(). Where something is missing
at the end of a line (a bracket, a quote, what follows a dot or a comma), the next line goes on. Tab completes steps, labels
and keys. Ctrl-C forgets what is typed, and ends what runs.

  :explain TRAVERSAL    how a traversal would be run
  :profile TRAVERSAL    run it and show where the time went
  :bind NAME=VALUE      set a variable: a literal of Gremlin, or a text
  :names                labels and property keys of this graph
  :stats                sizes of this graph
  :format table|json|csv|plain
                        how results are printed
  :pager on|off         whether what is longer than the screen goes through $PAGER, or less
  :timing               switch the line with rows and time on or off
  :clear                clear the screen
  :help [STEP]          this text, or what a step does and takes
  :quit                 leave (also Ctrl-D)";

/// A line that is not Gremlin.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Show how a traversal would be run.
    Explain(String),
    /// Run a traversal and show where the time went.
    Profile(String),
    /// Set a variable.
    Bind(Str, Value),
    /// Show labels and keys.
    Names,
    /// Show sizes.
    Stats,
    /// Print results differently.
    Format(Format),
    /// Whether long output goes through a pager.
    Pager(bool),
    /// Toggle the line with rows and time.
    Timing,
    /// Clear the screen.
    Clear,
    /// Show the commands.
    Help,
    /// Show what a step does.
    HelpWith(String),
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
            "bind" => binding(rest).map(|(name, value)| Self::Bind(name, value))?,
            "names" | "schema" => Self::Names,
            "stats" => Self::Stats,
            "format" => Self::Format(
                Format::from_str(rest, true)
                    .map_err(|_| format!("`{rest}` is no format; there are table, json, csv and plain"))?,
            ),
            "pager" => Self::Pager(switch(rest)?),
            "timing" => Self::Timing,
            "clear" => Self::Clear,
            "help" | "h" | "?" if rest.is_empty() => Self::Help,
            "help" | "h" | "?" => Self::HelpWith(rest.to_owned()),
            "quit" | "q" | "x" | "exit" => Self::Quit,
            other => return Err(format!("there is no command :{other}; :help lists them")),
        })
    }
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(format!("`{other}` is neither on nor off")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_arguments() {
        assert_eq!(Command::parse("explain  g.V() "), Ok(Command::Explain("g.V()".into())));
        assert_eq!(Command::parse("format JSON"), Ok(Command::Format(Format::Json)));
        assert_eq!(Command::parse("pager off"), Ok(Command::Pager(false)));
        assert_eq!(Command::parse("bind x = 1"), Ok(Command::Bind("x".into(), Value::Int(1))));
        assert_eq!(Command::parse("help out"), Ok(Command::HelpWith("out".into())));
        assert_eq!(Command::parse("q"), Ok(Command::Quit));
    }

    #[test]
    fn what_is_missing_or_unknown_is_said() {
        assert!(Command::parse("profile").unwrap_err().contains("needs a traversal"));
        assert!(Command::parse("format xml").unwrap_err().contains("table, json, csv and plain"));
        assert!(Command::parse("pager maybe").unwrap_err().contains("neither on nor off"));
        assert!(Command::parse("bind x").unwrap_err().contains("NAME=VALUE"));
        assert!(Command::parse("nope").unwrap_err().contains(":help"));
    }

    #[test]
    fn every_name_that_is_completed_is_a_command_of_which_the_help_tells() {
        for name in NAMES {
            let argument = match name {
                "format" => "plain",
                "pager" => "on",
                "bind" => "x=1",
                _ => "g.V()",
            };
            assert!(Command::parse(&format!("{name} {argument}")).is_ok(), "{name}");
            assert!(HELP.contains(&format!("  :{name}")), "{name}");
        }
    }

    #[test]
    fn the_manual_has_every_command() {
        let manual = std::env::var("CARGO_MANIFEST_DIR").unwrap() + "/../../docs/console.md";
        let manual = std::fs::read_to_string(manual).unwrap();
        for name in NAMES {
            assert!(manual.contains(&format!("| `:{name}")), "{name}");
        }
    }
}
