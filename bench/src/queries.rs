//! The query sets under `bench/queries/`, compiled into the program.

/// Name and text of every query, in the order of the sets.
pub const QUERIES: &[(&str, &str)] = &[
    ("IC1", include_str!("../queries/ic1.gremlin")),
    ("IC2", include_str!("../queries/ic2.gremlin")),
    ("IC3", include_str!("../queries/ic3.gremlin")),
    ("IC4", include_str!("../queries/ic4.gremlin")),
    ("IC5", include_str!("../queries/ic5.gremlin")),
    ("IC6", include_str!("../queries/ic6.gremlin")),
    ("IC7", include_str!("../queries/ic7.gremlin")),
    ("IC8", include_str!("../queries/ic8.gremlin")),
    ("IC9", include_str!("../queries/ic9.gremlin")),
    ("IC10", include_str!("../queries/ic10.gremlin")),
    ("IC11", include_str!("../queries/ic11.gremlin")),
    ("IC12", include_str!("../queries/ic12.gremlin")),
    ("IC13", include_str!("../queries/ic13.gremlin")),
    ("IS1", include_str!("../queries/is1.gremlin")),
    ("IS2", include_str!("../queries/is2.gremlin")),
    ("IS3", include_str!("../queries/is3.gremlin")),
    ("IS4", include_str!("../queries/is4.gremlin")),
    ("IS5", include_str!("../queries/is5.gremlin")),
    ("IS6", include_str!("../queries/is6.gremlin")),
    ("IS7", include_str!("../queries/is7.gremlin")),
    ("CQ1", include_str!("../queries/cq1.gremlin")),
    ("CQ2", include_str!("../queries/cq2.gremlin")),
    ("CQ3", include_str!("../queries/cq3.gremlin")),
    ("CQ4", include_str!("../queries/cq4.gremlin")),
    ("CQ5", include_str!("../queries/cq5.gremlin")),
    ("CQ6", include_str!("../queries/cq6.gremlin")),
];

/// Point reads and walks that `../shared/limit` measures too.
pub const WALKS: &[(&str, &str)] = &[
    ("P1", "g.V().has('Person','id',personId).valueMap('firstName','lastName')"),
    ("H1", "g.V().has('Person','id',personId).out('knows').count()"),
    ("H2", "g.V().has('Person','id',personId).out('knows').out('knows').dedup().count()"),
    ("H3", "g.V().has('Person','id',personId).out('knows').out('knows').out('knows').dedup().count()"),
    (
        "HP",
        "g.V().has('Person','id',personId).out('knows').out('knows').has('birthday',lt(473385600000L)).count()",
    ),
];

/// The queries of a set: `walks`, `ic`, `is`, `cq`, or one query by name.
pub fn set(name: &str) -> Vec<(&'static str, &'static str)> {
    let upper = name.to_uppercase();
    if upper == "WALKS" {
        return WALKS.to_vec();
    }
    let exact = WALKS.iter().chain(QUERIES).filter(|(n, _)| *n == upper);
    let mut found: Vec<_> = exact.copied().collect();
    if found.is_empty() {
        let member = |n: &str| n.strip_prefix(upper.as_str()).is_some_and(|rest| rest.parse::<u32>().is_ok());
        found = QUERIES.iter().filter(|(n, _)| member(n)).copied().collect();
    }
    found
}
