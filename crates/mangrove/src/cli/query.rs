//! `mangrove query`.

use std::{io, path::PathBuf};

use clap::Args;
use mangrove::config::Config;

use super::{Failure, reached};
use crate::{
    far::Far,
    output::{Format, Printer, complain, say, width},
    target::Interrupts,
};

/// The arguments of `mangrove query`.
#[derive(Args, Debug)]
pub struct Query {
    /// The traversal, such as g.V().count()
    #[arg(required_unless_present = "file")]
    traversal: Option<String>,
    /// Read the traversal from a file instead; `-` for standard input
    #[arg(long, short, value_name = "FILE", conflicts_with = "traversal")]
    file: Option<PathBuf>,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Show how it would be run, and do not run it
    #[arg(long, conflicts_with = "profile")]
    explain: bool,
    /// Run it, and show where the time went
    #[arg(long)]
    profile: bool,
}

impl Query {
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        let text = self.text()?;
        let target = reached::target(config, far, false)?;
        let stop = Interrupts::listen()?.stop();
        if self.explain {
            say(target.explain(&text, &[], &stop)?)?;
            return Ok(());
        }
        if self.profile {
            say(target.profile(&text, &[], &stop)?)?;
            return Ok(());
        }
        let mut printer = Printer::new(io::stdout().lock(), self.format).cut_to(width(), "--format plain");
        let ran = target.run(&text, &[], &stop, &mut |value| Ok(printer.print(value)?));
        printer.finish()?;
        ran?.warnings.iter().for_each(complain);
        Ok(())
    }

    fn text(&self) -> Result<String, Failure> {
        match (&self.traversal, &self.file) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(file)) if file.as_os_str() == "-" => Ok(io::read_to_string(io::stdin())?),
            (None, Some(file)) => std::fs::read_to_string(file)
                .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", file.display()))),
            (None, None) => Err(Failure::Usage("a traversal is missing".into())),
        }
    }
}
