//! TinkerPop's own grammar cases: what must parse, and what must not.

use gremlin::{Bindings, ParseErrorKind, parse};

fn cases(file: &str) -> Vec<String> {
    let path = format!(
        "{}/../../../shared/tinkerpop/grammar-cases/{file}",
        std::env::var("CARGO_MANIFEST_DIR").unwrap()
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.lines().map(str::to_owned).collect()
}

/// What the grammar takes for a literal although it means nothing: TinkerPop refuses it when it makes the value, and
/// so does the parser here.
const MEANINGLESS: [&str; 9] = [
    "-789b",
    r#"datetime("2023-Apr-15")"#,
    r#"datetime("")"#,
    "datetime('')",
    r#"datetime("1682424645000")"#,
    r#"datetime("2023-W15-3")"#,
    r#"datetime("20230415T103045")"#,
    r#"datetime("2023-04-15 10:30:45")"#,
    r#"datetime("10:30:45")"#,
];

#[test]
fn every_value_of_the_grammar_parses() {
    // One case uses a word as a variable.
    let bindings: Bindings = [("value".into(), values::Value::from(1).into())].into();
    let values: Vec<String> = cases("gremlin-values.txt")
        .into_iter()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    assert!(values.len() > 350, "only {} cases", values.len());
    for value in values {
        let text = format!("g.inject({value})");
        match parse(&text, &bindings) {
            Ok(_) => assert!(!MEANINGLESS.contains(&value.as_str()), "{text}"),
            Err(error) => {
                let meaningless = matches!(error.kind, ParseErrorKind::Literal { .. });
                assert!(meaningless && MEANINGLESS.contains(&value.as_str()), "{text}: {error}");
            }
        }
    }
}

#[test]
fn what_is_no_value_does_not_parse() {
    for value in cases("incorrect-gremlin-values.txt") {
        let text = format!("g.inject({value})");
        assert!(parse(&text, &Bindings::new()).is_err(), "{text}");
    }
}

#[test]
fn what_is_no_traversal_does_not_parse() {
    for text in cases("incorrect-traversals.txt") {
        assert!(parse(&text, &Bindings::new()).is_err(), "{text:?}");
    }
}
