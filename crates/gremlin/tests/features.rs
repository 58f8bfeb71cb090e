//! Every traversal of TinkerPop's feature suite parses, prints, and parses again to the same.

mod feature_file;

use feature_file::{Scenario, scenarios};
use gremlin::{Action, ParseLimits, Query, parse, validate};

/// Scenarios whose traversal is not Gremlin on purpose: they assert that it is refused.
fn must_be_refused(scenario: &Scenario) -> bool {
    scenario.text.contains("the traversal will raise an error") && scenario.traversals.len() == 1
}

#[test]
fn every_traversal_of_the_feature_suite_parses() {
    let all = scenarios();
    assert!(all.len() >= 2_000, "only {} scenarios found", all.len());
    let mut refused = Vec::new();
    for scenario in &all {
        for text in &scenario.traversals {
            if let Err(error) = parse(text, &scenario.bindings) {
                assert!(must_be_refused(scenario), "{}: {error}\n{text}", scenario.name);
                refused.push(&scenario.name);
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn what_is_printed_parses_to_the_same() {
    for scenario in scenarios() {
        for text in &scenario.traversals {
            let Ok(query) = parse(text, &scenario.bindings) else { continue };
            let printed = query.to_string();
            let again = parse(&printed, &scenario.bindings)
                .unwrap_or_else(|error| panic!("{}: {error}\n{text}\n{printed}", scenario.name));
            assert_eq!(again.to_string(), printed, "{}", scenario.name);
            assert_eq!(without_positions(again), without_positions(query), "{}\n{printed}", scenario.name);
        }
    }
}

#[test]
fn what_text_may_say_bytecode_may_say_too() {
    for scenario in scenarios() {
        for text in &scenario.traversals {
            let Ok(query) = parse(text, &scenario.bindings) else { continue };
            for statement in query.statements {
                if let Action::Traverse(traversal, _) = statement.action {
                    validate(&traversal, &ParseLimits::default())
                        .unwrap_or_else(|error| panic!("{}: {error}\n{text}", scenario.name));
                }
            }
        }
    }
}

/// The debug form of a query, which tells apart what Gremlin's equality does not, without its positions.
fn without_positions(query: Query) -> String {
    let text = format!("{query:?}");
    let mut kept = String::with_capacity(text.len());
    for (i, part) in text.split("at: Some(Position {").enumerate() {
        let part = if i == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) };
        kept.push_str(part);
    }
    kept
}
