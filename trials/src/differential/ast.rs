//! Traversals as trees that can be printed, walked and made smaller.
//!
//! No more is known of a step than its name, its arguments and its modulators: what fits together is the generator's
//! business, and the shrinker may try anything, for what makes no sense is refused by both sides alike.

use std::fmt::{self, Display, Formatter};

/// The steps of a traversal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Traversal {
    /// First to last.
    pub steps: Vec<Step>,
}

/// A step with its modulators.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Its name in Gremlin.
    pub name: &'static str,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// Modulators before it: the conditions of a `repeat`.
    pub before: Vec<Step>,
    /// Modulators after it: `by`, `as`, `from`, `option`, …
    pub after: Vec<Step>,
}

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// A literal, a token or a predicate, as Gremlin writes it.
    Text(String),
    /// A child traversal.
    Child(Traversal),
}

impl Step {
    /// A step without arguments.
    pub fn new(name: &'static str) -> Self {
        Self { name, args: Vec::new(), before: Vec::new(), after: Vec::new() }
    }

    /// The step with one more argument, as Gremlin writes it.
    #[must_use]
    pub fn arg(mut self, text: impl Into<String>) -> Self {
        self.args.push(Arg::Text(text.into()));
        self
    }

    /// The step with one more argument: a string.
    #[must_use]
    pub fn name_arg(self, name: &str) -> Self {
        self.arg(format!("'{name}'"))
    }

    /// The step with one more argument: a traversal.
    #[must_use]
    pub fn child(mut self, child: impl Into<Traversal>) -> Self {
        self.args.push(Arg::Child(child.into()));
        self
    }

    /// The step with a modulator after it.
    #[must_use]
    pub fn with(mut self, modulator: Step) -> Self {
        self.after.push(modulator);
        self
    }

    /// The step with a modulator before it.
    #[must_use]
    pub fn after(mut self, modulator: Step) -> Self {
        self.before.push(modulator);
        self
    }

    /// Number of steps, modulators and those of children included.
    pub fn size(&self) -> usize {
        let children = self.args.iter().map(|arg| match arg {
            Arg::Text(_) => 0,
            Arg::Child(child) => child.size(),
        });
        let modulators = self.before.iter().chain(&self.after).map(Step::size);
        1 + children.sum::<usize>() + modulators.sum::<usize>()
    }
}

impl Step {
    fn for_each_mut(&mut self, visit: &mut impl FnMut(&mut Self)) {
        visit(self);
        self.before.iter_mut().chain(&mut self.after).for_each(|modulator| modulator.for_each_mut(visit));
        for arg in &mut self.args {
            if let Arg::Child(child) = arg {
                child.for_each_step_mut(visit);
            }
        }
    }
}

impl Traversal {
    /// Number of steps, those of children included.
    pub fn size(&self) -> usize {
        self.steps.iter().map(Step::size).sum()
    }

    /// Visits all steps, those of children and the modulators included.
    pub fn for_each_step_mut(&mut self, visit: &mut impl FnMut(&mut Step)) {
        self.steps.iter_mut().for_each(|step| step.for_each_mut(visit));
    }

    /// Puts others in the place of each step, of those in children first.
    pub fn rewrite(&mut self, with: &mut impl FnMut(Step) -> Vec<Step>) {
        self.for_each_step_mut(&mut |step| {
            for arg in &mut step.args {
                if let Arg::Child(child) = arg {
                    child.steps = std::mem::take(&mut child.steps).into_iter().flat_map(&mut *with).collect();
                }
            }
        });
        self.steps = std::mem::take(&mut self.steps).into_iter().flat_map(with).collect();
    }
}

impl From<Vec<Step>> for Traversal {
    fn from(steps: Vec<Step>) -> Self {
        Self { steps }
    }
}

impl From<Step> for Traversal {
    fn from(step: Step) -> Self {
        Self { steps: vec![step] }
    }
}

impl Display for Traversal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("__.identity()");
        }
        let mut between = "__.";
        for step in &self.steps {
            write!(f, "{between}{step}")?;
            between = ".";
        }
        Ok(())
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for modulator in &self.before {
            write!(f, "{modulator}.")?;
        }
        write!(f, "{}(", self.name)?;
        for (index, arg) in self.args.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            match arg {
                Arg::Text(text) => f.write_str(text)?,
                Arg::Child(child) => child.fmt(f)?,
            }
        }
        f.write_str(")")?;
        for modulator in &self.after {
            write!(f, ".{modulator}")?;
        }
        Ok(())
    }
}

impl Traversal {
    /// The names of the steps alone: cases with one skeleton are mostly of one kind.
    pub fn skeleton(&self) -> String {
        self.steps.iter().map(Step::skeleton).collect::<Vec<_>>().join(".")
    }
}

impl Step {
    fn skeleton(&self) -> String {
        let mut text = String::new();
        self.before.iter().for_each(|modulator| text += &format!("{}.", modulator.skeleton()));
        text += self.name;
        let children = self.args.iter().filter_map(|arg| match arg {
            Arg::Child(child) => Some(child.skeleton()),
            Arg::Text(_) => None,
        });
        let children = children.collect::<Vec<_>>();
        if !children.is_empty() {
            text += &format!("({})", children.join(", "));
        }
        self.after.iter().for_each(|modulator| text += &format!(".{}", modulator.skeleton()));
        text
    }
}

/// A whole traversal: `g` with its source instructions, and the steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Script {
    /// `with…` before the first step.
    pub source: Vec<Step>,
    /// The steps.
    pub body: Traversal,
}

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("g")?;
        for step in self.source.iter().chain(&self.body.steps) {
            write!(f, ".{step}")?;
        }
        Ok(())
    }
}
