//! The short form of `make conformance`: every scenario of TinkerPop, embedded and as scripts over WebSocket.

use std::path::PathBuf;

use trials::conformance::{Case, Door, Embedded, Form, Lists, Report, WebSocket, cases, try_all};

fn here() -> PathBuf {
    std::env::var("CARGO_MANIFEST_DIR").unwrap().into()
}

fn tinkerpop(folder: &str) -> PathBuf {
    here().join("../../shared/tinkerpop").join(folder)
}

fn all_cases() -> Vec<Case> {
    let cases = cases(&tinkerpop("features")).unwrap();
    assert_eq!(cases.len(), 2_061, "TinkerPop 3.8.1 has so many scenarios");
    cases
}

/// Nothing fails and nothing is refused but what is listed, and the lists have nothing that is over.
fn check(door: &mut dyn Door) {
    let cases = all_cases();
    let mut report = Report::new(&cases);
    report.add(door.name(), try_all(door, &cases).unwrap());
    let known = Lists::read(&here()).unwrap();
    let mut differences = known.failures.differences(report.failures().map(|(scenario, _)| scenario));
    differences.extend(known.refusals.differences(report.refusals()));
    if !differences.is_empty() {
        report.print();
        panic!("{}\nif that is right: cargo run -p trials -- conformance --renew", differences.join("\n"));
    }
}

#[test]
fn scenarios_pass_in_the_embedded_engine_but_for_those_that_are_listed() {
    check(&mut Embedded::open(&tinkerpop("data")).unwrap());
}

#[test]
fn scenarios_pass_over_websocket_but_for_those_that_are_listed() {
    check(&mut WebSocket::open(&tinkerpop("data"), Form::Script).unwrap());
}
