//! What a step does, and what it takes: `:help out`.

use gremlin::{FormWords, SourceName, StepName, forms, source_forms};

use super::steps::{does, source_does};

/// What there is to say of a step, or of what stands before the first.
///
/// # Errors
/// For the user, if there is none of that name.
pub(super) fn with(name: &str) -> Result<String, String> {
    let name = name.trim_matches(|c| matches!(c, '.' | '(' | ')'));
    let step = StepName::ALL.iter().find(|step| step.as_str().eq_ignore_ascii_case(name));
    let step = step.map(|step| text(step.as_str(), does(*step), &forms(*step)));
    let source = SourceName::ALL.iter().find(|source| source.as_str().eq_ignore_ascii_case(name));
    let source = source.map(|it| text(&format!("g.{}", it.as_str()), source_does(*it), &source_forms(*it)));
    let all: Vec<String> = step.into_iter().chain(source).collect();
    if all.is_empty() {
        return Err(format!(
            "there is no step {name}{}; :help lists the commands, and Tab the steps",
            nearest(name)
        ));
    }
    Ok(all.concat())
}

fn text(name: &str, does: &str, forms: &[FormWords]) -> String {
    let mut text = format!("{name}: {does}\n");
    for FormWords { params, rest } in forms {
        let more = rest.iter().map(|rest| format!("{rest}…"));
        let arguments: Vec<_> = params.iter().cloned().chain(more).collect();
        text.push_str(&format!("  {name}({})\n", arguments.join(", ")));
    }
    text
}

/// The step that was meant, perhaps.
fn nearest(name: &str) -> String {
    let distance =
        |step: &&StepName| strsim::damerau_levenshtein(&step.as_str().to_lowercase(), &name.to_lowercase());
    let nearest = StepName::ALL.iter().min_by_key(distance).filter(|step| distance(step) <= 2);
    nearest.map_or_else(String::new, |step| format!("; did you mean {}?", step.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_a_line_and_its_forms() {
        let range = with("range").unwrap();
        let mut lines = range.lines();
        assert!(lines.next().unwrap().starts_with("range: "), "{range}");
        assert_eq!(lines.next().unwrap(), "  range(integer, integer)");
        assert!(with("out()").unwrap().contains("\n  out(string…)\n"));
        assert!(with("with").unwrap().contains("\ng.with: "), "one behind a step, and one before the first");
        assert!(with("HASLABEL").unwrap().starts_with("hasLabel: "));
        assert!(with("withSack").unwrap().contains("g.withSack(value, operator)"));
    }

    #[test]
    fn what_is_no_step_is_answered_with_the_nearest() {
        assert!(with("hasLable").unwrap_err().contains("did you mean hasLabel?"));
        assert!(with("nonsense").unwrap_err().contains(":help lists"));
    }

    #[test]
    fn every_step_is_told_of_in_one_line_of_its_own() {
        let all = StepName::ALL.iter().map(|step| does(*step));
        let all: Vec<_> = all.chain(SourceName::ALL.iter().map(|source| source_does(*source))).collect();
        for line in &all {
            assert!(!line.is_empty() && !line.contains('\n') && line.chars().count() <= 110, "{line}");
            assert_eq!(all.iter().filter(|other| *other == line).count(), 1, "{line}");
        }
    }
}
