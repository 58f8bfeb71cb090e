//! What `as()` behind a step names stands in the path at that step, whichever step it is: each of Gremlin's has an example here,
//! or is said to have none.

use std::collections::BTreeSet;

use mangrove::gremlin::StepName;
use mangrove::{Database, values::Value};

/// Traversals of which the last step lets something pass, over a vertex that an edge leads to from another one.
const EXAMPLES: &[&str] = &[
    "V(1)",
    "E(3)",
    "inject(1)",
    "addV('b')",
    "V(1).addE('e').to(V(2))",
    "V(1).out()",
    "V(2).in()",
    "V(1).both()",
    "V(1).outE()",
    "V(2).inE()",
    "V(1).bothE()",
    "V(1).toE(OUT)",
    "E(3).outV()",
    "E(3).inV()",
    "E(3).bothV()",
    "E(3).toV(IN)",
    "V(1).to(OUT)",
    "V(1).outE().otherV()",
    "V(1).aggregate('x')",
    "inject([1]).any(eq(1))",
    "inject([1]).none(eq(2))",
    "inject([1]).all(eq(1))",
    "V(1).and(identity())",
    "V(1).or(identity())",
    "V(1).not(out().out())",
    "inject('true').asBool()",
    "inject('2020-01-01').asDate()",
    "inject('1').asNumber()",
    "inject(1).asString()",
    "V(1).barrier()",
    "V(1).barrier(normSack)",
    "V(1).branch(id()).option(1, identity())",
    "V(1).branch(id()).option(1, fold())",
    "V(1).call('tinker.degree.centrality')",
    "V(1).aggregate('x').cap('x')",
    "V(1).choose(out(), identity())",
    "V(1).choose(id()).option(1, out())",
    "V(1).coalesce(out())",
    "V(1).coin(1.0)",
    "inject([1]).combine([2])",
    "inject('a').concat('b')",
    "inject(['a']).conjoin('b')",
    "V(1).connectedComponent()",
    "V(1).constant(1)",
    "V(1).count()",
    "V(1).out().in().cyclicPath()",
    "inject('2020-01-01').asDate().dateAdd(DT.day, 1)",
    "inject('2020-01-01').asDate().dateDiff(datetime('2020-01-02T00:00:00Z'))",
    "V(1).dedup()",
    "inject([1]).difference([2])",
    "inject([1]).disjunct([2])",
    "V(1).properties().element()",
    "V(1).elementMap()",
    "V(1).filter(identity())",
    "V(1).flatMap(out())",
    "V(1).fold()",
    "inject(1).fold(0, sum)",
    "V(1).format('a')",
    "V(1).group()",
    "V(1).group('x')",
    "V(1).groupCount()",
    "V(1).groupCount('x')",
    "V(1).has('name')",
    "V(1).has('name', 'n')",
    "V(1).hasId(1)",
    "V(1).properties().hasKey('name')",
    "V(1).hasLabel('a')",
    "V(1).hasNot('nope')",
    "V(1).properties().hasValue('n')",
    "V(1).id()",
    "V(1).identity()",
    "inject([1]).index()",
    "inject([1]).intersect([1])",
    "V(1).is(neq(1))",
    "V(1).properties().key()",
    "V(1).label()",
    "inject(' a').lTrim()",
    "inject(' a').rTrim()",
    "inject(' a').trim()",
    "inject('a').length()",
    "V(1).limit(1)",
    "inject([1]).limit(local, 1)",
    "V(1).local(out())",
    "V(1).repeat(identity().loops()).times(1)",
    "V(1).map(out())",
    "V(1).match(__.as('p').out().as('q'))",
    "inject(1).math('_ + 1')",
    "inject(1).max()",
    "inject(1).mean()",
    "inject(1).min()",
    "inject(1).sum()",
    "inject([1]).max(local)",
    "inject([1]).merge([2])",
    "mergeE([(T.label): 'e', (OUT): 1, (IN): 2])",
    "V(1).mergeE([(T.label): 'e', (OUT): 1, (IN): 2])",
    "mergeV([name: 'n'])",
    "inject(1).mergeV([name: 'new'])",
    "V(1).optional(out())",
    "V(1).optional(out().out())",
    "V(1).order()",
    "inject([1]).order(local)",
    "V(1).pageRank()",
    "V(1).path()",
    "V(1).peerPressure()",
    "inject([1]).product([2])",
    "V(1).project('p').by()",
    "V(1).properties()",
    "V(1).property('x', 1)",
    "V(1).properties().property('m', 1)",
    "V(1).propertyMap()",
    "V(1).range(0, 1)",
    "inject([1]).range(local, 0, 1)",
    "V(1).repeat(out()).times(1)",
    "V(1).emit().repeat(out().out())",
    "inject('a').replace('a', 'b')",
    "inject('a').reverse()",
    "withSack(1).V(1).sack()",
    "withSack(1).V(1).sack(assign).by(id())",
    "V(1).sample(1)",
    "V(1).select('y')",
    "V(1).aggregate('x').select('x')",
    "V(1).shortestPath()",
    "V(1).sideEffect(out())",
    "V(1).simplePath()",
    "V(1).skip(0)",
    "inject('a b').split(' ')",
    "V(1).outE().subgraph('x')",
    "inject('ab').substring(0, 1)",
    "V(1).tail(1)",
    "V(1).tail()",
    "V(1).timeLimit(60000)",
    "inject('a').toLower()",
    "inject('a').toUpper()",
    "V(1).tree()",
    "V(1).tree('x')",
    "inject([1]).unfold()",
    "V(1).union(out())",
    "V(1).union(out(), identity().count())",
    "V(1).properties().value()",
    "V(1).valueMap()",
    "V(1).values()",
    "V(1).where(out())",
    "V(1).out().where(neq('y'))",
    "V(1).local(timeLimit(60000))",
    "V(1).local(out().limit(1))",
    "V(1).unfold()",
];

/// Steps that change the one before them, let nothing pass, or stand alone.
const WITHOUT: &[&str] = &[
    "as",
    "by",
    "discard",
    "drop",
    "emit",
    "explain",
    "fail",
    "from",
    "io",
    "option",
    "profile",
    "read",
    "store",
    "times",
    "until",
    "with",
    "write",
    "withBulk",
    "withPath",
    "withSack",
    "withSideEffect",
    "withStrategies",
    "withoutStrategies",
    "withComputer",
];

#[test]
fn what_is_named_behind_a_step_stands_there_in_the_path() {
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    for example in EXAMPLES {
        let example = match example.strip_prefix("V(1).") {
            Some(rest) => format!("V(1).as('y').{rest}"),
            None => (*example).to_owned(),
        };
        let db = Database::in_memory().unwrap();
        let setup = "g.addV('a').property(T.id, 1).property('name', 'n').as('a').addV('a').property(T.id, 2).addE('e').from('a').property(T.id, 3)";
        db.query(setup).unwrap().for_each(|made| drop(made.unwrap()));
        let text = format!("g.{example}.as('z').path()");
        let found: Result<Vec<_>, _> = db.query(&text).and_then(|results| results.collect());
        let is_named = |path: &Value| {
            let Value::Path(path) = path else { return false };
            path.labels.last().is_some_and(|labels| labels.iter().any(|label| &**label == "z"))
        };
        match found {
            Ok(paths) if !paths.is_empty() && paths.iter().all(is_named) => {}
            other => wrong.push(format!("{text}: {other:?}")),
        }
        seen.extend(
            StepName::ALL
                .iter()
                .filter(|step| {
                    let call = format!("{}(", step.as_str());
                    example.starts_with(&call) || example.contains(&format!(".{call}"))
                })
                .map(|step| step.as_str()),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing = |step: &&str| !seen.contains(step) && !WITHOUT.contains(step);
    let missing: Vec<_> = StepName::ALL.iter().map(|step| step.as_str()).filter(missing).collect();
    assert!(missing.is_empty(), "no example of {missing:?}");
}
