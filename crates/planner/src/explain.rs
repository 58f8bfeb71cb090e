//! Plans in words.

use std::fmt::{self, Write};

use gremlin::Traversal;

use crate::words::Bounded;

/// Most bytes of all stages together, but for a few.
const MOST_BYTES: usize = 8 << 20;

/// The stages of a plan, in words: the traversal as written, the logical plan, what each rule made of it that changed
/// anything, and the physical plan. What is longer than anybody reads is cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    stages: Vec<(&'static str, String)>,
}

impl Explanation {
    pub(crate) fn of(traversal: &Traversal) -> Self {
        let mut explanation = Self::default();
        explanation.add_traversal("traversal", traversal);
        explanation
    }

    /// Adds what has been made of the traversal.
    pub(crate) fn add_traversal(&mut self, stage: &'static str, traversal: &Traversal) {
        let mut text = String::new();
        // What there is no room for is left out.
        let _ = write!(Bounded { text: &mut text, most: self.room() }, "{traversal}");
        text.push('\n');
        self.add(stage, text);
    }

    /// Adds a stage, which had as much [room](Self::room) as there was.
    pub(crate) fn add(&mut self, stage: &'static str, text: String) {
        self.stages.push((stage, text));
    }

    /// Bytes that the next stage may have: a part of those that are left, so that the last one, which matters most, has some, too.
    pub(crate) fn room(&self) -> usize {
        let taken: usize = self.stages.iter().map(|(_, text)| text.len()).sum();
        MOST_BYTES.saturating_sub(taken) / 4
    }

    /// The stages: the name of each (of a rule, or `traversal`, `logical plan`, `physical plan`), and the plan then.
    pub fn stages(&self) -> impl Iterator<Item = (&str, &str)> {
        self.stages.iter().map(|(stage, text)| (*stage, text.as_str()))
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (stage, text) in &self.stages {
            writeln!(f, "== {stage}")?;
            f.write_str(text)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gremlin::{Argument, Bindings};
    use values::{Value, watch};

    use super::*;
    use crate::{Options, plan, rules::testing::Network};

    /// Mentions a text of 1 MiB two hundred times.
    fn repetitive() -> Traversal {
        let large = Argument::from(Value::from("x".repeat(1 << 20)));
        let text = format!("g.inject({})", vec!["x"; 200].join(", "));
        gremlin::parse_traversal(&text, &Bindings::from([("x".into(), large)])).unwrap()
    }

    #[test]
    fn what_stands_at_many_places_is_not_written_as_often() {
        let options = Options { explain: true, ..Options::default() };
        let planned = plan(&repetitive(), &Network, &Network, &options).unwrap();
        let explanation = planned.explanation.unwrap();
        let stages: Vec<_> = explanation.stages().collect();
        assert!(stages[0].1.ends_with("…\n") && stages[0].1.len() <= MOST_BYTES / 4 + 8);
        let (last, text) = stages[stages.len() - 1];
        assert!(last == "physical plan" && text.contains("…"), "{} bytes", text.len());
        assert!(explanation.to_string().len() <= MOST_BYTES);
    }

    #[test]
    fn what_is_cut_leaves_room_for_what_comes_after_it() {
        let mut explanation = Explanation::default();
        for _ in 0..20 {
            let room = explanation.room();
            assert!(room > 1_000);
            explanation.add("a rule", "x".repeat(room));
        }
        assert!(explanation.to_string().len() <= MOST_BYTES);
    }

    #[test]
    fn a_bound_is_kept_in_the_middle_of_letters_and_what_is_over_is_not_begun() {
        let mut text = String::new();
        let mut bounded = Bounded { text: &mut text, most: 3 };
        assert!(bounded.write_str("aä").is_ok() && bounded.write_str("").is_ok());
        assert!(bounded.write_str("ä").is_err() && bounded.write_str("b").is_err());
        assert_eq!(text, "aä…");
        let mut text = String::new();
        assert!(write!(Bounded { text: &mut text, most: 2 }, "aäb").is_err());
        assert_eq!(text, "aä…");
    }

    #[test]
    fn it_ends_when_nobody_wants_it() {
        struct Unwanted;
        impl watch::Watch for Unwanted {
            fn must_end(&self) -> bool {
                true
            }
        }
        let traversal = repetitive();
        let explained = watch::watched(Arc::new(Unwanted), || Explanation::of(&traversal));
        assert_eq!(explained, Err(watch::Ended));
    }
}
