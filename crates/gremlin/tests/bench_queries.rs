//! Every query of the benchmark is one traversal that only reads, and prints to itself.

use gremlin::{Bindings, parameterize, parse};
use values::Value;

/// Every parameter that a query may name, with a value of its type.
fn bindings() -> Bindings {
    let longs = [
        "personId",
        "person1Id",
        "person2Id",
        "messageId",
        "maxDate",
        "minDate",
        "startDate",
        "endDate",
        "workFromYear",
        "firstDay",
        "endDay",
        "wrapDay",
        "n",
        "steps",
    ];
    let strings = [
        "firstName",
        "countryXName",
        "countryYName",
        "countryName",
        "tagName",
        "tagClassName",
        "classSubstring",
    ];
    let longs = longs.into_iter().map(|name| (name.into(), Value::Long(3).into()));
    longs.chain(strings.into_iter().map(|name| (name.into(), Value::from("x").into()))).collect()
}

#[test]
fn every_query_of_the_benchmark_is_one_traversal() {
    let folder = format!("{}/../../bench/queries", std::env::var("CARGO_MANIFEST_DIR").unwrap());
    let mut queries = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_none_or(|extension| extension != "gremlin") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("queries are UTF-8");
        let (mut traversal, _) = parse(&text, &bindings())
            .and_then(gremlin::Query::into_traversal)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(traversal.is_read_only(), "{}", path.display());
        let printed = traversal.to_string();
        let again = gremlin::parse_traversal(&printed, &bindings())
            .unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(again.to_string(), printed);
        assert!(!parameterize(&mut traversal).literals.is_empty(), "{}", path.display());
        queries += 1;
    }
    assert!(queries >= 39, "only {queries} queries found");
}
