//! What counts as passed: a door that answers what a test says, and scenarios made for it.

use std::collections::HashMap;

use gremlin::Bindings;
use trials::conformance::{Answer, Door, Failure, Outcome, cases, try_all};
use values::{Map, Path, Value};

/// Answers each traversal with what the test says, and any other with nothing.
#[derive(Default)]
struct Oracle {
    answers: HashMap<String, Answer>,
    asked: Vec<(String, String, Bindings)>,
}

impl Oracle {
    fn says(text: &str, answer: Answer) -> Self {
        Self { answers: [(text.to_owned(), answer)].into(), asked: Vec::new() }
    }
}

impl Door for Oracle {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn ask(&mut self, graph: &str, text: &str, bindings: &Bindings) -> Answer {
        self.asked.push((graph.to_owned(), text.to_owned(), bindings.clone()));
        self.answers.get(text).cloned().unwrap_or(Ok(Vec::new()))
    }
}

/// What becomes of a scenario with these lines.
fn judge(lines: &str, door: &mut Oracle) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("Feature: a feature\n\n  Scenario: g_V\n{lines}\n");
    std::fs::write(folder.path().join("A.feature"), text).unwrap();
    let cases = cases(folder.path()).unwrap();
    assert_eq!(cases.len(), 1);
    try_all(door, &cases).unwrap().remove(0)
}

/// What becomes of `g.V()` on the modern graph if it answers this and the scenario ends with these lines.
fn judge_answer(answer: Answer, iterated: &str, then: &str) -> Outcome {
    let lines = format!(
        "Given the modern graph\nAnd the traversal of\n\"\"\"\ng.V()\n\"\"\"\nWhen iterated {iterated}\n{then}"
    );
    judge(&lines, &mut Oracle::says("g.V()", answer))
}

fn table(how: &str, rows: &[&str]) -> String {
    let rows: String = rows.iter().map(|row| format!("| {row} |\n")).collect();
    format!("Then the result should be {how}\n| result |\n{rows}")
}

fn ints(values: &[i32]) -> Answer {
    Ok(values.iter().copied().map(Value::Int).collect())
}

fn passes(outcome: &Outcome) -> bool {
    *outcome == Outcome::Passed
}

#[test]
fn results_are_compared_with_the_table_in_order_or_not() {
    let rows = ["d[1].i", "d[2].i"];
    assert!(passes(&judge_answer(ints(&[1, 2]), "to list", &table("ordered", &rows))));
    assert!(!passes(&judge_answer(ints(&[2, 1]), "to list", &table("ordered", &rows))));
    assert!(passes(&judge_answer(ints(&[2, 1]), "to list", &table("unordered", &rows))));
    assert!(!passes(&judge_answer(ints(&[2, 1, 1]), "to list", &table("unordered", &rows))));
    assert!(!passes(&judge_answer(ints(&[2]), "to list", &table("unordered", &rows))));
    assert!(passes(&judge_answer(ints(&[2, 2]), "to list", &table("of", &rows))));
    assert!(!passes(&judge_answer(ints(&[2, 3]), "to list", &table("of", &rows))));
}

#[test]
fn results_are_counted() {
    let count = |n| format!("Then the result should have a count of {n}");
    assert!(passes(&judge_answer(ints(&[7, 7]), "to list", &count(2))));
    assert!(!passes(&judge_answer(ints(&[7, 7]), "to list", &count(3))));
    let empty = "Then the result should be empty";
    assert!(passes(&judge_answer(ints(&[]), "to list", empty)));
    assert!(!passes(&judge_answer(ints(&[1]), "to list", empty)));
}

#[test]
fn next_gives_what_is_in_the_first_result() {
    let map: Map = [(Value::str("a"), Value::Int(1))].into_iter().collect();
    let mut path = Path::default();
    path.push(Value::str("a"), Vec::new());
    for (first, row) in [
        (Value::Int(1), "d[1].i"),
        (Value::list([Value::Int(1)]), "d[1].i"),
        (map.into(), r#"m[{"a": 1}]"#),
        (path.into(), "a"),
    ] {
        let outcome = judge_answer(Ok(vec![first]), "next", &table("ordered", &[row]));
        assert!(passes(&outcome), "{row}: {outcome:?}");
    }
    assert!(!passes(&judge_answer(ints(&[]), "next", "Then the result should be empty")));
}

#[test]
fn an_error_passes_where_one_is_expected_and_a_refusal_never() {
    let any = "Then the traversal will raise an error";
    let worded = "Then the traversal will raise an error with message containing text of \"Too \\\"old\\\"\"";
    let error = |text: &str| Err(Failure::Error(text.to_owned()));
    assert!(passes(&judge_answer(error("x"), "to list", any)));
    assert!(passes(&judge_answer(error("step: Too \"old\" by far"), "to list", worded)));
    assert!(!passes(&judge_answer(error("too \"old\""), "to list", worded)));
    assert!(!passes(&judge_answer(ints(&[1]), "to list", any)));
    assert!(!passes(&judge_answer(error("x"), "to list", "Then the result should be empty")));
    let broken = Err(Failure::Broken("timed out".to_owned()));
    assert!(!passes(&judge_answer(broken, "to list", any)));
    let refusal = Failure::Refused { what: "step `x`".to_owned(), message: "Too \"old\"".to_owned() };
    for then in [any, worded, "Then the result should be empty"] {
        let outcome = judge_answer(Err(refusal.clone()), "to list", then);
        assert_eq!(outcome.name(), "refused", "{then}");
    }
}

#[test]
fn a_scenario_that_asserts_nothing_does_not_pass() {
    assert!(!passes(&judge_answer(ints(&[]), "to list", "")));
    let unsupported =
        "Given an unsupported test\nThen nothing should happen because\n\"\"\"\nnobody knows\n\"\"\"";
    assert_eq!(judge(unsupported, &mut Oracle::default()), Outcome::Skipped("nobody knows".to_owned()));
    assert!(!passes(&judge("Given a riddle", &mut Oracle::default())));
}

#[test]
fn the_empty_graph_is_emptied_and_initialized_before_and_counted_after() {
    let mut door = Oracle::says("g.E().count()", Ok(vec![Value::Long(3)]));
    let outcome = judge(
        "Given the empty graph\nAnd the graph initializer of\n\"\"\"\ng.addV()\n\"\"\"\nAnd the traversal of\n\"\"\"\n\
         g.V()\n\"\"\"\nWhen iterated to list\nThen the result should be empty\n\
         And the graph should return 3 for count of \"g.E()\"",
        &mut door,
    );
    assert!(passes(&outcome), "{outcome:?}");
    let on_empty = door.asked.iter().filter(|(graph, ..)| graph == "empty").map(|(_, text, _)| text.as_str());
    assert_eq!(on_empty.collect::<Vec<_>>(), ["g.V().drop()", "g.addV()", "g.V()", "g.E().count()"]);
}

#[test]
fn parameters_are_bound_side_effects_are_named_and_tokens_of_merge_are_written_out() {
    let mut door = Oracle::default();
    let outcome = judge(
        "Given the modern graph\nAnd using the parameter xx1 defined as \"d[1].l\"\n\
         And using the side effect a defined as \"s[x]\"\n\
         And using the parameter xx2 defined as \"m[{\\\"D[OUT]\\\":\\\"M[outV]\\\", \\\"k\\\":\\\"v\\\"}]\"\n\
         And the traversal of\n\"\"\"\ng.mergeE(xx2).is(xx1)\n\"\"\"\nWhen iterated to list\n\
         Then the result should be empty",
        &mut door,
    );
    assert!(passes(&outcome), "{outcome:?}");
    let asked = |text: &&(String, String, Bindings)| text.1.contains("mergeE");
    let (_, text, bindings) = door.asked.iter().find(asked).unwrap();
    assert_eq!(
        text,
        "g.withSideEffect(\"a\", side_effect_a).mergeE([(Direction.OUT):Merge.outV,(\"k\"):\"v\"]).is(xx1)"
    );
    assert_eq!(bindings.get("xx1"), Some(&Value::Long(1).into()));
    assert_eq!(
        bindings.get("side_effect_a").and_then(|bound| bound.as_value()).map(Value::to_string).as_deref(),
        Some("[x]")
    );
}
