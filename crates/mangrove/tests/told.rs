//! `docs/steps.md` is made from the tables of the code, and from what the planner says to a traversal for each form. RENEW=1 writes it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use gremlin::{FormWords, GType, PredicateOp, SourceName, StepName, TextOp, forms, source_forms};
use mangrove::{Database, DatabaseOptions};

/// An argument of each kind; none of those that text cannot say.
fn sample(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "string" => "'a'",
        "number" => "0.5",
        "integer" => "1",
        "value" => "'b'",
        "boolean" => "true",
        "traversal" => "__.out()",
        "predicate" => "P.neq('c')",
        "order" => "Order.desc",
        "pop" => "Pop.last",
        "scope" => "Scope.local",
        "column" => "Column.keys",
        "operator" => "Operator.sum",
        "barrier or lambda" => "Barrier.normSack",
        "cardinality" => "Cardinality.single",
        "merge" => "Merge.onCreate",
        "map" => "[:]",
        "T or column" => "T.id",
        "T" => "T.id",
        "direction" => "Direction.OUT",
        "date-time" => "datetime('2026-11-26T00:00:00Z')",
        "unit of time" => "DT.second",
        "type" => "GType.INT",
        "strategy" => "ReadOnlyStrategy",
        "element" | "lambda" => return None,
        other => panic!("there is no sample of a {other}"),
    })
}

/// Traversals of samples that make no sense, and what is asked instead.
const INSTEAD: &[(&str, &str)] = &[
    ("g.io('a').read()", "g.io('a.json').read()"),
    ("g.V().profile('a')", "g.V().profile('a').cap('a')"),
    ("g.call('a')", "g.call('mangrove.statistics')"),
    ("g.call('a', [:])", "g.call('mangrove.statistics', [:])"),
    ("g.call('a', __.out())", "g.call('--list', __.inject([:]))"),
    ("g.call('a', [:], __.out())", "g.call('--list', __.inject([:]))"),
    ("g.V().dedup('a')", "g.V().as('a').out().dedup('a')"),
    ("g.addE('k').from('a')", "g.V().as('a').addE('k').from('a')"),
    ("g.addE('k').from(__.out())", "g.V().addE('k').from(__.out())"),
    ("g.addE('k').to('a')", "g.V().as('a').addE('k').to('a')"),
    ("g.addE('k').to(__.out())", "g.V().addE('k').to(__.out())"),
    ("g.addE('k').to(Direction.OUT, 'a')", "g.V().to(Direction.OUT, 'a')"),
    ("g.V().match(__.out())", "g.V().match(__.as('a').out().as('b'))"),
    ("g.V().math('a')", "g.V().as('a').math('a + 1')"),
    ("g.mergeV()", "g.inject([:]).mergeV()"),
    ("g.V().choose(T.label).option(__.out())", "g.V().branch(label()).option(__.out())"),
    ("g.V().choose(T.label).option(Merge.onCreate, [:])", "g.mergeV([:]).option(Merge.onCreate, [:])"),
    (
        "g.V().choose(T.label).option(Merge.onCreate, [:], Cardinality.single)",
        "g.mergeV([:]).option(Merge.onCreate, [:], Cardinality.single)",
    ),
    ("g.V().project('a', 'a')", "g.V().project('a', 'b')"),
    ("g.V().property('b', 'b', 'b')", "g.V().property('b', 'b', 'c', 'd')"),
    (
        "g.V().property(Cardinality.single, 'b', 'b', 'b')",
        "g.V().property(Cardinality.single, 'b', 'b', 'c', 'd')",
    ),
    ("g.V().where(P.neq('c'))", "g.V().as('c').out().where(P.neq('c'))"),
    ("g.V().where('a', P.neq('c'))", "g.V().as('a').out().as('c').where('a', P.neq('c'))"),
];

/// Strategies that there are in TinkerPop, each with a configuration that makes sense.
const STRATEGIES: &[(&str, &str)] = &[
    ("AdjacentToIncidentStrategy", ""),
    ("ByModulatorOptimizationStrategy", ""),
    ("ComputerFinalizationStrategy", ""),
    ("ComputerVerificationStrategy", ""),
    ("ConnectiveStrategy", ""),
    ("CountStrategy", ""),
    ("EarlyLimitStrategy", ""),
    ("EdgeLabelVerificationStrategy", "(throwException: true)"),
    ("ElementIdStrategy", "(idPropertyKey: 'key')"),
    ("EventStrategy", ""),
    ("FilterRankingStrategy", ""),
    ("GraphFilterStrategy", ""),
    ("HaltedTraverserStrategy", ""),
    ("IdentityRemovalStrategy", ""),
    ("IncidentToAdjacentStrategy", ""),
    ("InlineFilterStrategy", ""),
    ("LambdaRestrictionStrategy", ""),
    ("LazyBarrierStrategy", ""),
    ("MatchAlgorithmStrategy", ""),
    ("MatchPredicateStrategy", ""),
    ("MessagePassingReductionStrategy", ""),
    ("OptionsStrategy", "(evaluationTimeout: 1000)"),
    ("OrderLimitStrategy", ""),
    ("PartitionStrategy", "(partitionKey: 'p', writePartition: 'a', readPartitions: {'a'})"),
    ("PathProcessorStrategy", ""),
    ("PathRetractionStrategy", ""),
    ("ProductiveByStrategy", "(productiveKeys: ['name'])"),
    ("ProfileStrategy", ""),
    ("ReadOnlyStrategy", ""),
    ("ReferenceElementStrategy", ""),
    ("RemoteStrategy", ""),
    ("RepeatUnrollStrategy", ""),
    ("ReservedKeysVerificationStrategy", "(keys: {'id'}, throwException: true)"),
    ("SackStrategy", ""),
    ("SeedStrategy", "(seed: 42)"),
    ("SideEffectStrategy", ""),
    ("StandardVerificationStrategy", ""),
    ("SubgraphStrategy", "(vertices: hasLabel('person'))"),
    ("TinkerGraphCountStrategy", ""),
    ("TinkerGraphStepStrategy", ""),
    ("VertexProgramRestrictionStrategy", ""),
    ("VertexProgramStrategy", ""),
];

/// A traversal in which a step of that name makes sense: what is before it, and what behind.
fn around(step: StepName) -> (&'static str, &'static str) {
    use StepName as S;
    match step {
        S::Io => ("g.", ".read()"),
        S::V | S::E | S::AddV | S::MergeV | S::Inject | S::Union | S::Call => ("g.", ""),
        S::MergeE => ("g.inject([(T.label): 'k', (Direction.OUT): 1, (Direction.IN): 2]).", ""),
        S::By => ("g.V().order().", ""),
        S::With => ("g.V().valueMap().", ""),
        S::From | S::To => ("g.addE('k').", ""),
        S::Option => ("g.V().choose(T.label).", ""),
        S::Until | S::Emit | S::Times => ("g.V().repeat(out()).", ""),
        S::Read | S::Write => ("g.io('a.json').", ""),
        S::Cap => ("g.V().aggregate('a').", ""),
        S::InV | S::OutV | S::BothV | S::OtherV | S::ToV => ("g.V().outE().", ""),
        S::Key | S::Value | S::Element | S::HasKey | S::HasValue => ("g.V().properties().", ""),
        S::Repeat => ("g.V().", ".times(1)"),
        S::AddE => ("g.V().", ".to(__.V())"),
        S::Loops => ("g.V().repeat('a', out().where(", ".is(1))).times(1)"),
        _ => ("g.V().", ""),
    }
}

/// The call of a form with samples; none where text cannot say one of them.
fn call(name: &str, form: &FormWords) -> Option<String> {
    let args: Option<Vec<&str>> = form.params.iter().chain(&form.rest).map(|kind| sample(kind)).collect();
    Some(format!("{name}({})", args?.join(", ")))
}

fn words(form: &FormWords) -> String {
    let rest = form.rest.iter().map(|rest| format!("{rest}…"));
    let all: Vec<String> = form.params.iter().cloned().chain(rest).collect();
    format!("({})", all.join(", ").replace(" or lambda", ""))
}

/// What the planner says of a traversal.
enum Says {
    Yes,
    /// The form is refused: what by.
    No(String),
}

fn ask(db: &Database, text: &str) -> Says {
    match db.explain(text) {
        Ok(_) => Says::Yes,
        Err(mangrove::Error::Plan(planner::PlanError::Unsupported { what, .. })) => {
            Says::No(what.to_string())
        }
        Err(error) => panic!("{text} shows nothing of what is supported: {error}"),
    }
}

fn table_of_steps(db: &Database, told: &mut String) {
    told.push_str("| step | forms | refused |\n|---|---|---|\n");
    let mut steps: BTreeMap<String, StepName> = BTreeMap::new();
    steps.extend(StepName::ALL.iter().map(|step| (step.as_str().to_lowercase(), *step)));
    for step in steps.values() {
        let (mut all, mut refused) = (Vec::new(), Vec::new());
        for form in forms(*step) {
            let written = match call(step.as_str(), &form) {
                Some(call) => {
                    let (before, behind) = around(*step);
                    let text = format!("{before}{call}{behind}");
                    let other = INSTEAD.iter().find(|(known, _)| *known == text);
                    match ask(db, other.map_or(&text, |(_, other)| *other)) {
                        Says::Yes => words(&form),
                        Says::No(what) => {
                            refused.push(what);
                            format!("~~{}~~", words(&form))
                        }
                    }
                }
                None => format!("{} [^1]", words(&form)),
            };
            all.push(written);
        }
        refused.sort();
        refused.dedup();
        writeln!(told, "| `{}` | {} | {} |", step.as_str(), all.join(" "), refused.join("; ")).unwrap();
    }
}

fn table_of_sources(told: &mut String) {
    told.push_str("| instruction | forms |\n|---|---|\n");
    for source in SourceName::ALL {
        let all: Vec<String> = source_forms(*source).iter().map(words).collect();
        writeln!(told, "| `{}` | {} |", source.as_str(), all.join(" ")).unwrap();
    }
}

fn table_of_strategies(db: &Database, told: &mut String) {
    told.push_str("| strategy | here |\n|---|---|\n");
    for (name, configuration) in STRATEGIES {
        let here = match ask(db, &format!("g.withStrategies(new {name}{configuration}).V()")) {
            Says::No(what) => format!("refused: {what}"),
            Says::Yes if planner::has_no_effect(name) => "accepted, without effect".into(),
            Says::Yes => "does what it does in TinkerPop".into(),
        };
        writeln!(told, "| `{name}` | {here} |").unwrap();
    }
}

fn list(told: &mut String, names: impl Iterator<Item = String>) {
    told.push_str(&names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "));
    told.push('\n');
}

/// What stands in the guide.
fn told() -> String {
    let db = Database::in_memory_with(DatabaseOptions::default()).unwrap();
    let mut told = String::from(
        "# Steps, sources, strategies, predicates, types\n\n\
         Made by `crates/mangrove/tests/told.rs` from the tables of the code, and from what the planner says to each form. A form that is\n\
         crossed out is refused, by the name beside it. `…` stands for any number of arguments. Where Mangrove answers otherwise than\n\
         TinkerPop is in [gremlin.md](gremlin.md). Lambdas are refused wherever they stand. All of it is there since 0.1.\n\n\
         [^1]: what only bytecode or a variable can say.\n\n## Steps\n\n",
    );
    table_of_steps(&db, &mut told);
    told.push_str("\n## Sources\n\n");
    table_of_sources(&mut told);
    told.push_str("\n## Strategies\n\n");
    table_of_strategies(&db, &mut told);
    told.push_str("\n## Predicates\n\n`P`: ");
    let compared = PredicateOp::ALL.iter().map(|op| op.as_str());
    let others = ["within", "without", "inside", "outside", "between", "typeOf", "not", "and", "or"];
    list(&mut told, compared.chain(others).map(str::to_owned));
    told.push_str("\n`TextP`: ");
    list(&mut told, TextOp::ALL.iter().map(|op| op.as_str().to_owned()));
    told.push_str("\n## Types\n\nKept in properties: ");
    let (kept, others): (Vec<GType>, Vec<GType>) =
        GType::ALL.iter().partition(|ty| graph::is_storable_type(**ty));
    list(&mut told, kept.iter().map(|ty| format!("GType.{}", ty.as_str())));
    told.push_str("\nKnown to `typeOf` and in answers: ");
    list(&mut told, others.iter().map(|ty| format!("GType.{}", ty.as_str())));
    told
}

#[test]
fn the_guide_tells_what_the_code_does() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..");
    let file = root.join("docs/steps.md");
    let told = told();
    if std::env::var_os("RENEW").is_some() {
        std::fs::write(&file, &told).unwrap();
    }
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        known == told,
        "docs/steps.md is not what the code says: RENEW=1 cargo test -p mangrove --test told writes it"
    );
}
