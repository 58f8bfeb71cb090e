//! `mangrove query`.

use std::{io, path::PathBuf};

use clap::Args;
use mangrove::config::Config;
use values::{Str, Value};

use super::{Failure, reached};
use crate::{
    far::Far,
    output::{Format, Outline, Printer, Progress, complain, say, width},
    target::{Interrupts, Stop, Target, binding, profiled},
};

/// The arguments of `mangrove query`.
#[derive(Args, Debug)]
pub struct Query {
    /// The script, such as "g.V().count()", or "x = g.V().next(); g.V(x).out()": the answer is that of its last statement
    #[arg(value_name = "SCRIPT", required_unless_present = "file")]
    script: Option<String>,
    /// Read the script from a file instead; `-` for standard input
    #[arg(long, short, value_name = "FILE", conflicts_with = "script")]
    file: Option<PathBuf>,
    /// A value for a variable of the script, any number of times: x=1, x="'text'", x="[1, 2]", x=true; any other word is a text
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = binding)]
    bind: Vec<(Str, Value)>,
    /// How results are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Show how its last statement would be run, and do not run that
    #[arg(long, conflicts_with = "profile")]
    explain: bool,
    /// Run it, and show where the time of its last statement went
    #[arg(long)]
    profile: bool,
}

impl Query {
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        let text = self.text()?;
        let target = reached::target(config, far, false)?;
        let stop = Interrupts::listen()?.stop();
        if self.explain {
            let plan = target.explain(&text, &self.bind, &stop)?;
            return match (self.format, Outline::of_plan(&plan)) {
                (Format::Svg, Some(outline)) => Ok(say(outline.to_svg())?),
                (Format::Dot, Some(outline)) => Ok(say(outline.to_dot())?),
                _ => Ok(say(plan)?),
            };
        }
        if self.profile {
            return match self.format {
                Format::Svg | Format::Dot => self.print(&*target, &profiled(&text), &stop),
                _ => Ok(say(target.profile(&text, &self.bind, &stop)?)?),
            };
        }
        self.print(&*target, &text, &stop)
    }

    fn print(&self, target: &dyn Target, text: &str, stop: &Stop) -> Result<(), Failure> {
        let mut printer = Printer::new(io::stdout().lock(), self.format).cut_to(width(), "--format plain");
        let progress = Progress::begin();
        let ran = target.run(text, &self.bind, stop, &mut |value| {
            progress.count();
            Ok(progress.pause(|| printer.print(value))?)
        });
        drop(progress);
        // What there is of an answer that was interrupted is shown, too; but why it failed is what matters then.
        let finished = printer.finish();
        ran?.warnings.iter().for_each(complain);
        finished?;
        Ok(())
    }

    fn text(&self) -> Result<String, Failure> {
        match (&self.script, &self.file) {
            (Some(text), _) => Ok(text.clone()),
            (None, Some(file)) if file.as_os_str() == "-" => Ok(io::read_to_string(io::stdin())?),
            (None, Some(file)) => std::fs::read_to_string(file)
                .map_err(|error| Failure::Usage(format!("cannot read {}: {error}", file.display()))),
            (None, None) => Err(Failure::Usage("a script is missing".into())),
        }
    }
}
