//! Every form of every step that is supported has a plan; every other step is refused by its name.

mod social_network;

use planner::{Options, PlanError};
use social_network::{physical, planned_with};

/// The steps a first version knows, in all their forms.
const SUPPORTED: &[&str] = &[
    "g.withStrategies(SeedStrategy(seed:1)).V().coin(0.5).sample(3).order().by(shuffle)",
    "g.V().pageRank().with(PageRank.edges, outE().has('w', gt(1))).order().by('gremlin.pageRankVertexProgram.pageRank').limit(3)",
    "g.withComputer().V().hasLabel('Person').peerPressure().with(PeerPressure.propertyName, 'c').group().by('c').by(count())",
    "g.V().connectedComponent().pageRank().valueMap()",
    "g.V().has('age', 3).shortestPath().with(ShortestPath.target, has('age', 4)).with(ShortestPath.distance, values('w'))",
    // sources
    "g.mergeV([:])",
    "g.mergeV([(T.label):'Person',id:1]).option(onCreate,[name:'x']).option(onMatch,__.valueMap('id'))",
    "g.V(1).as('v').mergeE([(OUT):Merge.outV,(IN):2]).option(outV,__.select('v')).option(onMatch,[w:1],list)",
    "g.inject([id:1]).mergeV()",
    "g.withSack(1,sum).V().out().sack(mult).by('id').barrier(normSack).sack()",
    "g.withBulk(false).V().out().barrier().count()",
    "g.V().match(__.as('a').out('knows').as('b'),__.not(__.as('b').out('knows').as('a'))).select('a','b')",
    "g.V().branch(__.label()).option('Person',__.out()).option(none,__.in()).option(__.identity())",
    "g.V().out().tree().by('id').by(T.label)",
    "g.V().out().tree('t').cap('t')",
    "g.E().subgraph('s').cap('s')",
    "g.withStrategies(new PartitionStrategy(partitionKey:'p',writePartition:'a',readPartitions:['a'])).addV('x').V().out()",
    "g.withStrategies(new SubgraphStrategy(vertices:__.has('id',1),edges:__.has('x'))).V().both().values()",
    "g.withStrategies(ProductiveByStrategy).V().group().by('id').by('name')",
    "g.V()",
    "g.V(1)",
    "g.V(1,2,3)",
    "g.V([1,2])",
    "g.E()",
    "g.E(1)",
    "g.V().V(1)",
    "g.V().as('a').V().where(eq('a'))",
    "g.inject(1,2)",
    "g.inject(1).inject(2)",
    "g.union(V(1),V(2))",
    // moves
    "g.V().out()",
    "g.V().out('knows','likes').in('knows').both()",
    "g.V().outE().inV().inE('knows').outV().bothE().bothV()",
    "g.V().outE('knows').otherV()",
    "g.V().bothE('knows').has('since',3).otherV()",
    "g.V().bothE().as('e').otherV().select('e').otherV()",
    "g.V().to(OUT,'knows').toE(IN).toV(BOTH)",
    "g.V().out('unheardof')",
    // filters
    "g.V().has('age')",
    "g.V().has('age',3).has('age',gt(3)).has('Person','age',3).has('Person','age',within(1,2))",
    "g.V().has(T.id,1).has(T.label,'Person').has(T.label,neq('Post')).has(T.id,within(1,2))",
    "g.V().hasId(1).hasId(1,2).hasId([1,2]).hasId(gt(1))",
    "g.V().hasLabel('Person').hasLabel('Person','Post').hasLabel(startingWith('P'))",
    "g.V().hasNot('age').has('unheardof',1).hasNot('unheardof').hasLabel('Unheardof')",
    "g.V().properties().hasKey('age').hasKey('age','name').hasValue(1).hasValue(gt(1)).hasLabel('age')",
    "g.V().values('age').is(3).is(gt(3)).is(between(1,2)).is(inside(1,2)).is(outside(1,2))",
    "g.V().values('age').is(lt(1).or(gt(2))).is(gt(1).and(lt(2))).is(gt(1).negate()).is(P.not(eq(1)))",
    "g.V().values('name').is(startingWith('a')).is(notContaining('b')).is(endingWith('c')).is(regex('d'))",
    "g.V().values('age').is(without(1,2)).is(within([1,2])).is(typeOf(GType.INT)).is(typeOf('Integer'))",
    "g.V().filter(out()).filter(is(3)).not(out()).and(out(),in()).or(out(),in())",
    "g.V().out().and().in().or().both()",
    "g.withStrategies(SeedStrategy(seed:1)).V().count()",
    "g.withStrategies(SeedStrategy(seed:1)).withoutStrategies(SeedStrategy).V().coin(0.5)",
    "g.withStrategies(ReadOnlyStrategy).withoutStrategies(ReadOnlyStrategy).addV()",
    "g.withoutStrategies(ConnectiveStrategy).V().and(out(),in())",
    "g.withoutStrategies(ConnectiveStrategy).withStrategies(ConnectiveStrategy).V().out().and().in()",
    "g.V().values('age').math('ceil _ / 2')",
    "g.V().range(-2,1).skip(-3).tail(-1)",
    "g.V().has('age',1).and().has('name','x')",
    "g.V().as('a').out().where(eq('a')).where(neq('a')).by('age')",
    "g.V().as('a').out().as('b').where('a',eq('b')).where('a',gt('b')).by('age').by(out().count())",
    "g.V().as('a').out().where(__.as('a').out('knows')).where(out('knows').as('a'))",
    "g.V().as('a').out().as('b').where(__.as('a').out('knows').as('b'))",
    "g.V().as('a').out().as('b').where(and(__.as('a').out().as('b'),not(__.as('b').in())))",
    "g.V().as('a').out().as('b').where(__.as('a').out().or().as('b').in())",
    "g.V().project('a','b').by('age').by('name').where('a',eq('b'))",
    "g.V().aggregate('x').out().where(within('x')).where(without('x')).by('name')",
    "g.V().simplePath().cyclicPath().as('a').out().simplePath().from('a').as('b').simplePath().from('a').to('b')",
    "g.V().values('age').fold().any(gt(3)).all(lt(5)).none(eq(4))",
    "g.V().coin(0.5).sample(3).sample(3).by('age')",
    "g.V().path().by(out().count()).by('name').by(out().values('name').fold())",
    "g.V().as('a').out().simplePath().by('name').cyclicPath().by(out().count()).from('a')",
    "g.V().fold().order(local).by(out().count(),desc).by('name').dedup(local,'x').sample(local,2)",
    "g.V().valueMap().by(unfold().count()).with(WithOptions.tokens,WithOptions.ids).propertyMap().by(count(local))",
    "g.V().values('name').concat(constant('x'),out().values('name')).concat('x').format('%{_}').by(constant(1))",
    "g.V().valueMap().merge(constant([:])).fold().combine(V().fold()).product(V().fold())",
    "g.V().fold().intersect(V().fold()).difference(V().fold()).disjunct(V().fold())",
    "g.V().values('date').asDate().dateDiff(V().values('date'))",
    "g.V().values('age').fold(0,sum).fold([],addAll)",
    "g.V().as('a').out().select(constant('a')).select(last,constant('a')).by('name')",
    "g.V().has('age',is(gt(3))).has('Person','age',is(3)).has(T.label,is('Person'))",
    "g.E().map(identity()).otherV()",
    // loops
    "g.V().repeat(out()).times(3)",
    "g.V().times(3).repeat(out())",
    "g.V().repeat(out()).until(has('age',3))",
    "g.V().until(has('age',3)).repeat(out())",
    "g.V().repeat(out()).emit().times(3)",
    "g.V().emit().repeat(out()).times(3)",
    "g.V().emit(has('age')).repeat(out()).until(out().count().is(0))",
    "g.V().repeat(out()).until(is(3)).repeat(in()).times(2)",
    "g.V().repeat(out()).until(loops().is(3)).emit(loops().is(gt(1)))",
    "g.V().repeat('a',out().repeat('b',in()).until(loops('a').is(2))).until(loops('a').is(3))",
    "g.V().repeat(repeat(out()).times(2).map(loops())).times(3)",
    "g.V().repeat(out().dedup().simplePath()).times(3).path()",
    "g.V().repeat(__.as('a').out().where(neq('a'))).times(3).select(all,'a')",
    // branches
    "g.V().union(out(),in(),identity())",
    "g.V().coalesce(out(),constant(1))",
    "g.V().optional(out())",
    "g.V().choose(hasLabel('Person'),out(),in())",
    "g.V().choose(out(),in())",
    "g.V().choose(is(3),identity())",
    "g.V().choose(values('age')).option(1,out()).option(gt(3),in()).option(none,identity()).option(Pick.unproductive,label())",
    "g.V().choose(T.label).option('Person',out())",
    "g.V().local(out().limit(1)).map(out()).flatMap(out()).sideEffect(out().aggregate('x'))",
    // barriers
    "g.V().dedup().dedup().by('age').as('a').out().as('b').dedup('a','b').dedup('a').by('name')",
    "g.V().limit(3).skip(1).range(1,5).tail(2).tail().limit(-1)",
    "g.V().fold().limit(local,3).skip(local,1).range(local,1,5).tail(local,2).tail(local).dedup(local)",
    "g.V().order().order().by('age').order().by('age',desc).by(T.id).by(out().count(),asc).by(shuffle)",
    "g.V().values('age').fold().order(local).order(local).by(desc)",
    "g.V().groupCount().order(local).by(values,desc).by(keys)",
    "g.V().fold().order(local).by(out().count())",
    "g.V().count().sum().min().max().mean().fold().count(local).sum(local).min(local).max(local).mean(local)",
    "g.V().group().group().by('age').group().by('age').by('name').group().by(out().count()).by(count())",
    "g.V().group().by(label()).by(out().order().by('age').limit(3).fold())",
    "g.V().group('m').by('age').groupCount('n').by(label()).cap('m','n')",
    "g.V().groupCount().groupCount().by(T.label).unfold().select(keys)",
    "g.V().aggregate('x').by('age').local(aggregate('y')).cap('x')",
    "g.V().barrier().barrier(100)",
    // maps
    "g.V().values().values('age').values('age','name').properties().properties('age').key()",
    "g.V().properties('age').value()",
    "g.V().valueMap().valueMap('age').valueMap(true).valueMap('age').with(WithOptions.tokens)",
    "g.V().valueMap().with(WithOptions.tokens,WithOptions.ids).valueMap().by(unfold()).elementMap('age').propertyMap()",
    "g.V().id().label().constant(3).identity().path().path().by('age').by(T.id).as('a').path().from('a')",
    "g.V().as('a').out().as('b').select('a').select('a','b').by('age').by(out().count())",
    "g.V().as('a').out().as('a').select(first,'a').select(all,'a').select(mixed,'a').select(last,'a')",
    "g.V().as('a').out().select(all,'a').by(unfold().values('name').fold())",
    "g.V().valueMap().select('age').select(values)",
    "g.V().project('a').by('age').select('a')",
    "g.V().project('a','b','c').by('age').by(out().count()).select('b','c')",
    "g.V().values('age').math('_ * 2').as('a').constant(3).as('b').math('a + b')",
    "g.V().as('a').out().as('b').math('a / b').by('age')",
    "g.V().values('name').toUpper().length().asString().concat('x').substring(1,2).split(',').reverse().index()",
    "g.V().values('name').format('%{_}')",
    // writes
    "g.addV()",
    "g.addV('Person').property('name','x').property(T.id,7).property('age',out().count())",
    "g.addV(constant('Person')).property(list,'name','x','since',3).property(single,'age',4)",
    "g.addV('Person').as('a').addV('Person').as('b').addE('knows').from('a').to('b').property('since',3)",
    "g.V(1).addE('knows').to(V(2))",
    "g.addE('knows').from(V(1)).to(V(2))",
    "g.V(1).property('age',3).property(['name':'x','age':4])",
    "g.V(1).properties('age').drop()",
    "g.V().drop()",
    "g.io('a.json').read()",
    "g.io('a.json').with(IO.writer,IO.gryo).write()",
    "g.V().timeLimit(3)",
    "g.withSack(1, sum).V().barrier(normSack).timeLimit(1)",
    "g.V().repeat(__.timeLimit(2).both()).times(3)",
    // ends
    "g.V().profile()",
    "g.V().out().profile('x').cap('x')",
    "g.V().discard()",
    "g.V().none()",
    "g.V().fail('no')",
    // sources' instructions
    "g.with('evaluationTimeout',500).V()",
    "g.withPath().V()",
    "g.withSideEffect('x',[1,2]).V().values('age').where(within('x'))",
    "g.withStrategies(ReadOnlyStrategy).V()",
    "g.withStrategies(CountStrategy).withoutStrategies(CountStrategy).V()",
];

#[test]
fn every_supported_form_has_a_plan() {
    for text in SUPPORTED {
        for options in [Options::default(), Options { scopes: false, executors: 8, ..Options::default() }] {
            if let Err(error) = planned_with(text, &options) {
                panic!("{text}: {error}");
            }
        }
    }
}

#[test]
fn every_supported_form_has_a_plan_without_any_one_of_the_rules() {
    for rule in planner::RuleSet::known() {
        let mut options = Options::default();
        options.disabled_rules.insert(rule).unwrap();
        for text in SUPPORTED {
            if let Err(error) = planned_with(text, &options) {
                panic!("without {rule}, {text}: {error}");
            }
        }
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    for (text, what) in [
        ("g.call()", "step `call`"),
        ("g.io('x.json').with(IO.registry,'y').read()", "`with(IO.registry, …)`: classes of Java"),
        ("g.V().profile('x')", "step `profile` with a side-effect key that no cap() behind it asks for"),
        (
            "g.withStrategies(new PartitionStrategy(partitionKey:'k',includeMetaProperties:true)).V()",
            "strategy `PartitionStrategy` with includeMetaProperties",
        ),
        (
            "g.withStrategies(new SubgraphStrategy(vertexProperties:has('x'))).V().valueMap()",
            "strategy `SubgraphStrategy` with vertexProperties and step `valueMap`",
        ),
        (
            "g.withStrategies(VertexProgramStrategy(result:'ORIGINAL')).V()",
            "strategy `VertexProgramStrategy` with results that are written into the graph (ResultGraph.ORIGINAL)",
        ),
    ] {
        match planned_with(text, &Options::default()) {
            Err(PlanError::Unsupported { what: refused, at }) => {
                assert_eq!(refused, what, "{text}");
                assert!(at.is_some(), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn what_makes_no_sense_is_told_with_its_place() {
    for (text, problem) in [
        (
            "g.V().times(3)",
            "step `times`: The repeat()-traversal was not defined: it modulates no repeat() here (line 1, column 7)",
        ),
        ("g.io('x.json')", "step `io`: IO mode was not set to read() or write() (line 1, column 3)"),
        ("g.V().range(3,2)", "step `range`: Not a legal range: [3, 2] (line 1, column 7)"),
        (
            "g.V().out().by('x')",
            "step `by`: it modulates nothing here: the step before it does not take it (line 1, column 13)",
        ),
        (
            "g.V().cap('x')",
            "step `cap`: no step of this traversal fills a side-effect called 'x' (line 1, column 7)",
        ),
        (
            "g.V().project('a','a')",
            "step `project`: its keys must be unique, and 'a' is not (line 1, column 7)",
        ),
        (
            "g.V().out().where(eq('zz'))",
            "step `where`: neither an as() label nor a side-effect is called 'zz', and the current object is no map (line 1, column 13)",
        ),
        (
            "g.addE('knows').from(V(1))",
            "step `addE`: The value given to addE(knows).to() must resolve to a Vertex or the ID of a Vertex present in the graph, but null was specified instead: at the start of a traversal it needs both (line 1, column 3)",
        ),
        (
            "g.V().valueMap('name').by(unfold()).by()",
            "step `valueMap`: valueMap()/propertyMap() step can only have one by modulator (line 1, column 7)",
        ),
        (
            "g.V().out().loops()",
            "step `loops`: there is no repeat() around it whose iterations it could count (line 1, column 13)",
        ),
        (
            "g.V().dedup('a')",
            "step `dedup`: neither an as() label nor a side-effect is called 'a', and the current object is no map (line 1, column 7)",
        ),
        (
            "g.V().profile().count()",
            "step `profile`: When specified, the profile()-Step must be the last step (line 1, column 7)",
        ),
        (
            "g.V().map(out().profile())",
            "step `profile`: When specified, the profile()-Step must be the last step (line 1, column 17)",
        ),
        (
            "g.withStrategies(VertexProgramRestrictionStrategy, VertexProgramStrategy).V()",
            "The TraversalSource does not allow the use of a GraphComputer",
        ),
        (
            "g.V().math('1 +')",
            "step `math`: in the expression, character 4: it ends where a number, a variable or '(' was expected (line 1, column 7)",
        ),
        (
            "g.withStrategies(ReadOnlyStrategy).V().drop()",
            "The provided traversal has a mutating step and thus is not read only: `drop` (line 1, column 40)",
        ),
    ] {
        assert_eq!(planned_with(text, &Options::default()).unwrap_err().to_string(), problem, "{text}");
    }
}

#[test]
fn an_absurdly_deep_traversal_is_refused_and_a_very_long_one_is_cut_into_pipelines() {
    let deep = format!("g.V(){}{}", ".map(__.out()".repeat(40), ")".repeat(40));
    assert!(planned_with(&deep, &Options::default()).is_ok());
    let long = format!("g.V(){}", ".out('knows').values('id').identity().constant(1)".repeat(100));
    let text = physical(&long);
    assert!(text.contains("InlineScope"), "{text}");
}

#[test]
fn settings_for_the_engine_are_handed_on() {
    let planned = planned_with(
        "g.with('evaluationTimeout',500).with('mangrove.scopes','off').V()",
        &Options::default(),
    )
    .unwrap();
    assert_eq!(planned.setting("evaluationTimeout").and_then(values::Value::as_i64), Some(500));
    assert_eq!(planned.setting("mangrove.scopes"), None);
}
