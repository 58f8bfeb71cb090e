//! Known faults of the reference: answers that are no model to follow, each with its evidence. And where Mangrove goes its
//! own way on purpose.

use super::accidents::is_by_accident;
use super::answer::{Answer, Detail, Outcome};
use super::ast::Step;
use super::canon::Canon;
use super::case::Case;
use super::orders::{
    folds_a_loop, folds_in_an_optional, is_local, looks_at_order, looks_at_order_inside, sorts_a_loop,
    takes_a_part_of_a_loop,
};
use super::patterns::{
    adds_to_a_set_again, any_child, any_step, changes_to_name_what_it_makes, changes_while_it_makes,
    compares_behind_a_connective, compares_behind_a_filter, compares_new_elements, compares_what_it_fills,
    fills_in_one_by_of_several, fills_inside_a_value, fills_one_with_two_kinds, gathers_in_a_branch_of_one,
    groups_by_a_seed, groups_by_dedup, groups_by_tail, groups_for_nobody, is_called, joins_numbers,
    looks_at_the_path_of_a_match, looks_up_the_end, looks_up_what_may_be_new, matches_and_gathers,
    matches_in_a_match, matches_several, moves_by_equal_labels, names_a_match, names_between_conditions,
    names_the_start_of_a_by, reads_what_it_groups, selects_what_it_matches, sorts_for_nobody,
    sorts_new_elements, sorts_vertex_properties, takes_a_part_behind_a_local, takes_the_first_of_all,
    takes_values, tells_new_ids, tests_the_path_of_a_match, writes_in_a_by,
    writes_in_one_condition_of_several, writes_in_the_condition_of_a_loop,
};

/// A fault of the reference.
pub struct Fault {
    /// What it is called in the report.
    pub name: &'static str,
    /// Why it is one, with an example that anyone can run.
    pub evidence: &'static str,
    /// Whether a difference between Mangrove's answer and the reference's runs is due to it.
    explains: fn(&Case, &Answer, &[Answer]) -> bool,
}

/// The fault of an exception that nobody thought of.
pub const ACCIDENT: &str = "java-accident";

/// Where traversers are merged: not told by what a case looks like, but by the reference itself when it merges elsewhere.
pub const MERGING: &str = "merging-that-nobody-asked-for";

/// The same of what writes.
pub const WRITES_OVER_A_BULK: &str = "writes-over-a-bulk";

/// What is read before, while or after the same traversal writes.
pub const WRITES_WHILE_READING: &str = "writes-while-reading";

/// What a limit asks for that it does not need.
pub const PAST_THE_LIMIT: &str = "asks-past-the-limit";

/// Zeros that formulas come to from below.
pub const NEGATIVE_ZERO: &str = "negative-zero";

/// Paths that remember only what has a name.
pub const NAMES_ALONE: &str = "paths-of-names-alone";

/// What is injected on the way, before or after the rest.
pub const INJECTED: &str = "injected-before-the-rest";

/// The order in which branches take traversers.
pub const BRANCHES: &str = "branches-in-their-own-order";

/// A part of a stream without order.
pub const ANOTHER_PART: &str = "another-part-of-the-stream";

/// Barriers that gather no more than so many.
pub const WHOLE_BARRIERS: &str = "barriers-of-a-size";

/// Conditions in another order.
pub const CONDITIONS: &str = "conditions-in-their-own-order";

/// What the reference says without some of its faults.
pub const MENDED: &str = "mended";

/// All that are known.
pub const FAULTS: &[Fault] = &[
    Fault {
        name: "told-when-planned",
        evidence: "On purpose: `g.V().dedup('a')` and `g.V().loops()` are refused when they are planned, for nothing can be \
                   called 'a', and no loop is there. The reference fails only once a traverser gets there, and so answers \
                   nothing over an empty graph. So it is with `where(neq('a').as('b'))`, of which the reference looks at b only where it \
                   is not a.",
        explains: |case, ours, theirs| {
            // Of no traverser at all, or of one that another condition would have stopped.
            let looks_up = |step: &Step| step.name == "match" || looks_up_the_end(step);
            let of_none = says(ours, "must have a single start label")
                || says(ours, "nor the path has a ") && any_step(&case.script.body.steps, &looks_up);
            let is_none =
                |run: &Answer| matches!(&run.outcome, Outcome::Results(results) if results.is_empty());
            if of_none && theirs.iter().all(is_none) {
                return true;
            }
            let messages = [
                "neither an as() label nor a side-effect is called",
                "what comes here is not in the loop",
                "no step of this traversal fills a side-effect called",
                "no pattern that is left starts at a variable that is known",
                "must have a single start label",
            ];
            let told = |text: &str| messages.iter().any(|message| text.contains(message));
            let is_told = matches!(&ours.outcome, Outcome::Error(text) if told(text));
            is_told && theirs.iter().all(|run| matches!(run.outcome, Outcome::Results(_)))
        },
    },
    Fault {
        name: MERGING,
        evidence: "On purpose: `g.inject(1, 1).optional(sum())` answers 2 once, and with `local(identity())` before the \
                   optional() 1 twice, for nearly every step of the reference has a set in front of it that merges whatever \
                   is there at once. Mangrove shows merging in barrier() alone, and its answer is that of the reference with \
                   sets that merge there alone (trials/java/TraverserSet.java).",
        explains: |_, _, _| false,
    },
    Fault {
        name: WRITES_OVER_A_BULK,
        evidence: "On purpose: `g.inject(1, 1).barrier().addV()` adds one vertex and answers it twice. What writes acts for each \
                   traverser in Mangrove, as in the reference with sets that merge nowhere, or with local(identity()) in front of what writes, \
                   which unrolls what travels merged; and in a child that runs once for many it acts once. A name that no step asks for \
                   keeps none of them apart: `g.E().inV().as('c').both().barrier().map(addV())` adds 5 vertices, and 8 in the reference, \
                   which adds 5 without the name.",
        explains: |_, _, _| false,
    },
    Fault {
        name: WRITES_WHILE_READING,
        evidence: "On purpose: `g.V().addV().limit(1)` adds one vertex in the reference, which makes results only as they are \
                   asked for, and `g.V().bothE().bothV().addE('x')` goes on to the edges that it has just added, or stops with \
                   a ConcurrentModificationException; and `union(limit(1), addE('x'), bothE())` adds all edges before it looks for any. In Mangrove a step that writes acts for all that reach it, and has read \
                   before: as in the reference with barrier() before it, and behind it where nothing there reads the graph.",
        explains: |_, _, _| false,
    },
    Fault {
        name: "conditions-that-write",
        evidence: "On purpose: `g.V().both().and(toE(IN), property('ok', true).drop())` asks about a vertex that it has dropped before whether it has \
                   edges, and so sets no property of it, in the reference, where one traverser at a time comes to the conditions. In Mangrove many \
                   have passed the first one by then, and it says that the vertex is no longer there. \
                   And `g.addV('x').emit(addE('e')).repeat(out()).times(3)` counts edges that a traverser beside it has just added in its emit(), or not, as they take turns.",
        explains: |case, ours, theirs| {
            let fails = |answer: &Answer| matches!(answer.outcome, Outcome::Error(_));
            let steps = &case.script.body.steps;
            says(ours, "does not exist (or no longer does)")
                && any_step(steps, &writes_in_one_condition_of_several)
                || !fails(ours)
                    && !theirs.iter().any(fails)
                    && any_step(steps, &writes_in_the_condition_of_a_loop)
        },
    },
    Fault {
        name: "groups-nobody-asks-for",
        evidence: "`g.inject(0.5).group('m').by(count()).by(order().identity().as('a').where(gt('a')).by(path().by(T.label)))` passes in \
                   the reference, which computes what is behind a value traversal's first barrier when somebody asks for the group, and fails with cap('m') behind it. Mangrove computes it when \
                   all have come. In a child that is asked for one result it computes nothing that nobody asks for: \
                   `g.V().where(group('m').by(label).by(order().by(difference([]))))` passes, and fails in the reference, \
                   whose order() takes the keys of what it gathers at once. Both fail with cap('m') behind it.",
        explains: |case, ours, theirs| {
            let (steps, fails) =
                (&case.script.body.steps, |answer: &Answer| matches!(answer.outcome, Outcome::Error(_)));
            fails(ours) && !theirs.iter().any(fails) && groups_for_nobody(steps)
                || !fails(ours) && theirs.iter().all(fails) && sorts_for_nobody(steps)
        },
    },
    Fault {
        name: PAST_THE_LIMIT,
        evidence: "`g.inject(1, 'x').flatMap(math('_ + 1')).limit(1)` fails at the text, which nobody needs, and \
                   `g.inject(1, 'x').math('_ + 1').limit(1)` answers 2.0, for one strategy turns the two: FilterStep asks for \
                   a traverser before RangeGlobalStep looks whether it has enough. Mangrove's answer is the reference's with \
                   limits that look first (trials/java/FilterStep.java).",
        explains: |_, _, _| false,
    },
    Fault {
        name: NAMES_ALONE,
        evidence: "`g.V(1).local(identity().as('a').select('a')).identity().as('a').select(mixed, 'a')` answers v1, and with \
                   `withPath()` in front a list of it twice: where no step asks for paths, the reference remembers only what has \
                   a name, and takes an object that is named again for the one before. Mangrove's answer is that with withPath().",
        explains: |_, _, _| false,
    },
    Fault {
        name: NEGATIVE_ZERO,
        evidence: "`g.inject(0).math('-_').is(0)` passes nothing, and is(lt(0)) does, for Double.compare() has -0.0 below 0.0; but \
                   docs/src/dev/provider/gremlin-semantics.asciidoc says `-0.0 == 0.0 == +0.0`. Mangrove's answer is the \
                   reference's with formulas that add 0 at the end, which makes a plain zero of a negative one.",
        explains: |_, _, _| false,
    },
    Fault {
        name: MENDED,
        evidence: "Mangrove's answer is that of the reference without these faults, each of which trials/java/Mended.java takes away: \
                   `g.inject(1, 2).optional(count())` answers 0, 1, 1 and `g.V().limit(0).local(fold()).count()` 0 and 1, for \
                   OptionalStep and LocalStep ask their child for results when nobody is in it, and a reducer answers for nobody. \
                   `g.V().not(match(__.as('a').in()))` on the modern graph answers nothing, v1 or v6 alone, as the vertices come, though \
                   neither has an in-edge, for a MatchStep in a child remembers the traverser before. \
                   `g.V(1).repeat(both().as('a').match(__.as('a').in().as('b')).select('b')).times(2).count()` is 13 in a loop and 12 written out, \
                   for who comes to the match() again has found all of its patterns before. \
                   `g.V().group('x').by('name').by(hasLabel('person'))` yields v3 and v5 alone, though a side effect lets everything pass: \
                   GroupSideEffectStep gives the traverser itself to its value traversal, which uses it up or names things on its path. \
                   `g.V().group().by('name').by(limit(0))` answers {josh: {}, …}: where a value traversal yields nothing, \
                   doFinalReduction leaves what its barrier had gathered in the map, of whatever type. \
                   `g.V().map(aggregate('x').cap('x')).order()` answers the full set once per vertex, or once: what cap() and select() \
                   answer is the side effect itself, which goes on growing behind them, and not what it was. \
                   `g.withBulk(false).V(1).union(both(), repeat(both()).times(1)).barrier()` has 3 results, and 6 without optional \
                   strategies: what has left a loop keeps the number of its step, and equals nothing that has not been there.",
        explains: |_, _, _| false,
    },
    Fault {
        name: INJECTED,
        evidence: "On purpose: `g.V().aggregate('x').inject(1).map(cap('x'))` answers an empty set for the 1 in the reference, which lets \
                   it pass before it asks for any vertex. In Mangrove what is in front of inject() has come when it is answered, as in the \
                   reference with barrier() behind it.",
        explains: |_, _, _| false,
    },
    Fault {
        name: "labels-that-a-strategy-drops",
        evidence: "`g.V().values('name').length().as('c').filter(simplePath().from('c'))` fails with `Could not locate path from-label: c`, \
                   and answers six lengths without optional strategies, one of which forgets the name. So it is with \
                   `g.V().match(__.as('d').values('name')).as('a').where(neq('a'))`, which finds no 'a', or answers nothing.",
        explains: |_, _, theirs| {
            let messages = [
                "Could not locate path from-label",
                "Could not locate path to-label",
                "Neither the map, sideEffects, nor path has a ",
            ];
            let is_lost = |run: &&Answer| messages.iter().any(|message| says(run, message));
            (1..theirs.len()).contains(&theirs.iter().filter(is_lost).count())
        },
    },
    Fault {
        name: "meta-properties-of-edges",
        evidence: "`g.E().property('n', 1, 'since', 1)` sets n and says nothing of since, which is nowhere afterwards: AddPropertyStep leaves \
                   out what only properties of vertices have. Mangrove refuses it, rather than lose it in silence. So it is with properties \
                   of vertex properties.",
        explains: |_, ours, theirs| {
            says(ours, " has neither a cardinality nor meta-properties")
                && theirs.iter().all(|run| matches!(run.outcome, Outcome::Results(_)))
        },
    },
    Fault {
        name: "writes-of-an-unproductive-by",
        evidence: "On purpose: `g.V(1).out().path().by(addV().values('nope'))` adds one vertex in the reference, which looks no further once \
                   a by() has yielded nothing, and one for each object of the path in Mangrove. So it is with \
                   `g.E().bothV().path().by(skip(1)).by(aggregate('x')).cap('x')`, which is empty there, and with `g.V().out().path().by(aggregate('x').V('none'))`, \
                   of whose paths only the first object is in x.",
        explains: |case, ours, theirs| {
            let more = |theirs: &Answer| match (&ours.state, &theirs.state) {
                (Some(ours), Some(theirs)) => theirs.beyond(ours).next().is_none(),
                _ => false,
            };
            let contents = |answer: &Answer| Answer::of(answer.outcome.clone()).text(Detail::Contents);
            let alike = |theirs: &Answer| contents(theirs) == contents(ours);
            let as_many = |theirs: &Answer| theirs.text(Detail::Count) == ours.text(Detail::Count);
            any_step(&case.script.body.steps, &fills_in_one_by_of_several) && theirs.iter().all(as_many)
                || any_step(&case.script.body.steps, &writes_in_a_by)
                    && theirs.iter().all(|run| more(run) && alike(run))
        },
    },
    Fault {
        name: "properties-of-the-dropped",
        evidence: "`g.V(1).property('x', V(1).drop().count())` is an error in both: the vertex was removed. With `properties('name')` in front \
                   of property() it is one in Mangrove only: the reference marks a vertex as removed and not its properties, and writes \
                   into one that nobody will find.",
        explains: |case, ours, theirs| {
            let drops = |step: &Step| step.name == "drop";
            let writes = |step: &Step| step.name == "property";
            let steps = &case.script.body.steps;
            says(ours, "the vertex property")
                && says(ours, "does not exist (or no longer does)")
                && any_step(steps, &drops)
                && any_step(steps, &writes)
                && theirs.iter().all(|run| matches!(run.outcome, Outcome::Results(_)))
        },
    },
    Fault {
        name: BRANCHES,
        evidence: "On purpose: `g.V().union(constant('x'), sack()).limit(2)` has one of each in the reference, in whose branches one vertex \
                   is at a time, and the whole stream if something inside gathers. In Mangrove they take many at once, and the order of a \
                   stream that nothing has put in order is no promise.",
        explains: |_, _, _| false,
    },
    Fault {
        name: ANOTHER_PART,
        evidence: "On purpose: `g.V().flatMap(union(count(), sack())).limit(3)` has 1, null, 1 in the reference, where one vertex is in the \
                   flatMap() at a time, and 1, 1, 1 in Mangrove. Which come first of a stream that nothing has put in order is no promise. \
                   So counted only where the answer has as many results, and all are among those of the traversal without its end, or where \
                   it is the reference's with order().by(shuffle) in front of what takes a part of a stream without order, or sorts it; \
                   the first result of a by() or a map() is such a part, too.",
        explains: |_, _, _| false,
    },
    Fault {
        name: "gathers-behind-a-branch",
        evidence: "On purpose: `g.inject(1, 0).match(__.as('f').choose(is(2)).option(none, tail(1)))` has both, for the reference lets \
                   one traverser at a time into a pattern, and what gathers inside of a branch there sees it alone, or what it has counted \
                   before. In Mangrove it sees all of the pattern's.",
        explains: |case, _, _| any_step(&case.script.body.steps, &gathers_in_a_branch_of_one),
    },
    Fault {
        name: "fills-inside-a-group",
        evidence: "On purpose: `g.V().both().barrier().group().by(constant(1)).by(aggregate('x').by(aggregate('x'))).cap('x')` has each vertex \
                   as often as it was met and once more, for the inner by() is asked once for those that are merged. What a group's value \
                   traversal fills inside of another step Mangrove fills for each of them, as the reference does without the barrier().",
        explains: |case, ours, theirs| {
            let as_many = |theirs: &Answer| theirs.text(Detail::Count) == ours.text(Detail::Count);
            any_step(&case.script.body.steps, &fills_inside_a_value) && theirs.iter().all(as_many)
        },
    },
    Fault {
        name: "parts-of-a-local",
        evidence: "On purpose: of `g.inject(1, 1).barrier().local(union(constant('a'), constant('b'))).limit(2)` the reference has a and b, for its \
                   local() takes those that travel merged one after the other, and Mangrove a twice, as it runs once for both. Which come first \
                   of a stream that nothing has put in order is no promise.",
        explains: |case, ours, theirs| {
            let as_many = |theirs: &Answer| theirs.text(Detail::Count) == ours.text(Detail::Count);
            takes_a_part_behind_a_local(&case.script.body.steps) && theirs.iter().all(as_many)
        },
    },
    Fault {
        name: "fractions-are-ids",
        evidence: "`g.V(1.5)` finds the vertex 1, and `g.inject(1.5).addE('knows').to(V(1))` an edge from it: where ids are longs, TinkerGraph \
                   cuts any number off behind the point. In Mangrove 1.5 is no vertex's id, and 1.0 is that of the vertex 1.",
        explains: |_, ours, _| {
            let fraction = |kind: &&str| says(ours, &format!("({kind}) does not"));
            says(ours, "must resolve to a Vertex or the ID of a Vertex")
                && ["Double", "Float", "BigDecimal"].iter().any(fraction)
        },
    },
    Fault {
        name: "side-effects-that-are-alive",
        evidence: "`g.V(1, 2).identity().as('a').where(gte('a')).by(aggregate('x').cap('x'))` answers both vertices: what cap() gives for the \
                   left side is the set itself, which the right side fills further, so that it is compared with itself. In Mangrove it is what \
                   was there when somebody asked.",
        explains: |case, _, _| any_step(&case.script.body.steps, &compares_what_it_fills),
    },
    Fault {
        name: "groups-that-read-themselves",
        evidence: "`g.V().count(local).group('m').by(and(cap('m'))).cap('m')` answers {1: [1]}, and without the cap() in its by() a list of as \
                   many as there are vertices: who asks a group('m') for its result while it is filled ends what it gathers, and a list \
                   then stands where more is to be added. In Mangrove it is what was there, and goes on growing.",
        explains: |case, _, _| any_step(&case.script.body.steps, &reads_what_it_groups),
    },
    Fault {
        name: "path-of-a-match",
        evidence: "`g.V(1, 2).mergeV([(T.label): 'nope']).option(onMatch, project('p').by(path().unfold().label().fold()))` sets [person]: the \
                   traverser is at what was found, and its path ends at what it was at before. In Mangrove the path ends where the traverser \
                   is, at [person, nope], and as('a') names that and not what was before. So with simplePath() behind a by() that is the same for both, which lets pass in the reference, \
                   where a later step may fail. And `g.withPath().V(1).properties().mergeV([(T.label): 'software']).option(onMatch, \
                   project('age').by(identity().as('a').select('a').key()))` sets the key of the property that came, where Mangrove says \
                   that a vertex has no key.",
        explains: |case, ours, theirs| {
            let fails = |answer: &Answer| matches!(answer.outcome, Outcome::Error(_));
            let as_many = |theirs: &Answer| theirs.text(Detail::Count) == ours.text(Detail::Count);
            let steps = &case.script.body.steps;
            any_step(steps, &looks_at_the_path_of_a_match) && theirs.iter().all(as_many)
                || any_step(steps, &tests_the_path_of_a_match) && !fails(ours) && theirs.iter().all(fails)
                || any_step(steps, &names_a_match) && fails(ours) && !theirs.iter().any(fails)
        },
    },
    Fault {
        name: "first-of-all",
        evidence: "`g.V().property('n', mergeV([:]).values('n'))` takes the value of whichever vertex comes first, which is no promise.",
        explains: |case, ours, theirs| {
            let alike = |theirs: &Answer| theirs.text(Detail::Contents) == ours.text(Detail::Contents);
            any_step(&case.script.body.steps, &takes_the_first_of_all) && theirs.iter().all(alike)
        },
    },
    Fault {
        name: "match-in-a-match",
        evidence: "`g.V(1).match(__.as('d').match(__.as('a').out().as('b')).as('e'))` answers an empty map for e, and with \
                   select('b') behind the inner match() nothing but without optional strategies, which forget the names inside.",
        explains: |case, _, _| any_step(&case.script.body.steps, &matches_in_a_match),
    },
    Fault {
        name: "order-of-a-loop",
        evidence: "On purpose: which of `g.V().repeat(both()).times(3)` come last, so that tail(2) keeps them, and whether what emit() lets \
                   out comes before or behind what goes round again, is no promise. Nor is in which order `order()` leaves equals of them, \
                   or `fold()` has them.",
        explains: |case, ours, theirs| {
            let fails = |answer: &Answer| matches!(answer.outcome, Outcome::Error(_));
            let steps = &case.script.body.steps;
            let same = |theirs: &Answer| theirs.text(Detail::Bag) == ours.text(Detail::Bag);
            let sorted = sorts_a_loop(steps) && theirs.iter().all(same);
            let alike = |theirs: &Answer| theirs.text(Detail::Contents) == ours.text(Detail::Contents);
            let folded = folds_a_loop(steps) && theirs.iter().all(alike);
            !fails(ours) && !theirs.iter().all(fails) && (takes_a_part_of_a_loop(steps) || sorted || folded)
        },
    },
    Fault {
        name: "fold-forgets-bulk",
        evidence: "`g.inject(1, 1).barrier().optional(fold(0, sum))` answers 2 in Mangrove, and in the reference without its other faults 1, or, \
                   with sets that merge nowhere, 1 for each: FoldStep folds once what travels merged. Outside of optional() the reference with \
                   sets that merge nowhere says what Mangrove does.",
        explains: |case, _, _| folds_in_an_optional(&case.script.body.steps),
    },
    Fault {
        name: WHOLE_BARRIERS,
        evidence: "On purpose: `g.V(1).path().by(branch(constant('knows')).option(none, constant(1)).option(none, simplePath().to('a')).barrier(1))` \
                   has 1 in the reference, whose barrier(1) asks for no second result, and fails there and in Mangrove with barrier(). Mangrove's \
                   barriers gather everything, whatever size they are given: it bounds how much they hold by bytes.",
        explains: |_, _, _| false,
    },
    Fault {
        name: CONDITIONS,
        evidence: "On purpose: `g.V().and(math('_ + 1'), is(within(0, 3)))` fails at the formula in the reference, and answers nothing in \
                   Mangrove, which asks first what is cheap, as the reference does with `and(is(within(0, 3)), math('_ + 1'))`. So it is with filters that \
                   follow each other, and with `g.E().as('a').where(valueMap().where(simplePath().by(T.label)).as('a'))`, which compares first. And a condition is asked no \
                   further than to its first result: `where(union(count(), path().by(T.id)).tail(1))` is one for any number, as with \
                   limit(1), though T.id is nothing that a number has. No condition is asked before another one that keeps it from failing.",
        explains: |case, ours, theirs| {
            let fails = |answer: &Answer| matches!(answer.outcome, Outcome::Error(_));
            !fails(ours)
                && theirs.iter().all(fails)
                && any_step(&case.script.body.steps, &compares_behind_a_filter)
        },
    },
    Fault {
        name: "sets-by-equals",
        evidence: "On purpose: `g.addV().property(set, 'age', 1.0f).property(set, 'age', 1L)` has two values in the reference (Java's equals), \
                   and one in Mangrove, to which they are equal, as they are to is().",
        explains: |case, _, _| adds_to_a_set_again(&case.script.body.steps, &case.graph),
    },
    Fault {
        name: "order-of-new-ids",
        evidence: "`g.V().as('a').where(lt('a')).by(addE('x'))` compares edges that were just added, by the ids that TinkerGraph \
                   counts up, and `g.V().properties().order()` sorts by such ids. Ids that a system gives out itself are its own affair, \
                   and so is their order.",
        explains: |case, ours, theirs| {
            let steps = &case.script.body.steps;
            let same = |theirs: &Answer| theirs.text(Detail::Bag) == ours.text(Detail::Bag);
            any_step(steps, &compares_new_elements)
                || sorts_vertex_properties(steps)
                || sorts_new_elements(steps) && theirs.iter().all(same)
        },
    },
    Fault {
        name: "ids-of-new-elements",
        evidence: "`g.V(1).mergeV([(T.label): 'person', name: 'kim']).V(4)` finds the new vertex where it got the id 4. Ids that a system \
                   gives out itself are its own affair, and so is how long `g.V(1).addE('in').asString().length()` is.",
        explains: |case, ours, theirs| {
            let steps = &case.script.body.steps;
            let as_many = |run: &Answer| run.text(Detail::Count) == ours.text(Detail::Count);
            looks_up_what_may_be_new(steps, &case.graph) || tells_new_ids(steps) && theirs.iter().all(as_many)
        },
    },
    Fault {
        name: "inject-in-a-child",
        evidence: "`g.V().flatMap(inject(0))` on the modern graph answers seven objects: what inject() holds comes in the \
                   child's first run alone, behind the traverser, and in front of it at the beginning of a traversal.",
        explains: |case, _, _| any_child(&case.script.body.steps, &|step| step.name == "inject"),
    },
    Fault {
        name: ACCIDENT,
        evidence: "An exception of Java's own says that nobody thought of the case: \
                   `g.V().is(startingWith('a'))` casts a vertex to a String (ClassCastException), \
                   `g.E().repeat(sideEffect(tree().loops())).until(times(0).repeat(barrier()))` looks for the loop of what a reducer lets \
                   out, which is in none, in a stack that is empty, while it answers 0 where no repeat() is inside another (EmptyStackException), \
                   `g.V().limit(0).group().skip(local, 1)` makes a map of -1 entries (IllegalArgumentException: Illegal \
                   initial capacity). An answer, or an error with a reason, is better.",
        explains: is_by_accident,
    },
    Fault {
        name: "group-adds-its-seed-again",
        evidence: "`g.V().group().by(constant(1)).by(values('nope').fold(1.0, sum))` answers 1.0 for each vertex, added up: a barrier to \
                   which nothing has come gives its seed, and the seeds are merged. `g.V().values('nope').fold(1.0, sum)` answers 1.0.",
        explains: |case, _, _| any_step(&case.script.body.steps, &groups_by_a_seed),
    },
    Fault {
        name: "tail-of-a-group",
        evidence: "`g.V(1, 3, 4).group().by(constant(1)).by(tail(1))` answers v[1], and `by(tail(2).fold())` v[1] and v[3]: barriers that \
                   are merged let more in than they may hold, and the first leave.",
        explains: |case, ours, theirs| {
            let alike = |theirs: &Answer| theirs.text(Detail::Count) == ours.text(Detail::Count);
            any_step(&case.script.body.steps, &groups_by_tail) && theirs.iter().all(alike)
        },
    },
    Fault {
        name: "one-key-two-kinds",
        evidence: "`g.V().group('m').by(groupCount('m'))` fails with `Objects must be both of Map or Collection: a=Long \
                   b=ArrayList`, but only where both have a value under one key. Mangrove keeps the first kind, or says that \
                   they do not go together.",
        explains: |case, ours, theirs| {
            let message = "Objects must be both of Map or Collection";
            let mixed = "cannot add a value of type";
            let cannot_be = "the side-effect holds a map, into which";
            theirs.iter().any(|run| says(run, message))
                || says(ours, mixed)
                || says(ours, cannot_be)
                || fills_one_with_two_kinds(&case.script.body.steps)
        },
    },
    Fault {
        name: "where-wants-labels",
        evidence: "`g.V().as('a').where(where('a', neq('a')))` fails with `A where()-traversal must have at least a start or end \
                   label`, while `where(filter(where('a', neq('a'))))` is taken; and two labels at the end of a where() are \
                   refused, while two at the end of its and() are not. And `g.V().as('c').where(hasNot('x').as('c'))` passes \
                   nothing, for behind a not(), and() or or() at the start the name is never looked up (configureStartAndEndSteps \
                   adds no WhereStartStep). And `g.V().where(has('age').as('a').hasLabel('person'))` fails for want of an 'a', \
                   since the two filters become one step, at the end of which the name then stands. Mangrove takes what has a meaning.",
        explains: |case, _, theirs| {
            let messages = [
                "A where()-traversal must have at least a start or end label",
                "The end step of a where()-traversal can only have one label",
            ];
            theirs.iter().any(|run| messages.iter().any(|message| says(run, message)))
                || any_step(&case.script.body.steps, &compares_behind_a_connective)
                || any_step(&case.script.body.steps, &names_between_conditions)
        },
    },
    Fault {
        name: "entries-leave-as-maps",
        evidence: "`g.V(1).valueMap('name').union(unfold(), identity()).groupCount()` has two keys in both, an entry and a map, which \
                   no client can tell apart: both leave as a map of one, as which the reference's answer has it twice, and \
                   Mangrove's once.",
        explains: |case, ours, theirs| {
            let is_twice = |answer: &Answer| match &answer.outcome {
                Outcome::Results(results) => results.iter().any(Canon::has_one_key_twice),
                _ => false,
            };
            any_step(&case.script.body.steps, &|step| step.name == "unfold")
                && !is_twice(ours)
                && theirs.iter().all(is_twice)
        },
    },
    Fault {
        name: "names-before-they-are-given",
        evidence: "`g.V(1).as('a').select('a').by(out().as('x').path())` labels v1 as x, too: where a by() is applied to an object, \
                   its traverser begins with the labels of the child's first step, before that step has run. So \
                   `…by(path().from('b').as('b'))` finds its label, and by(identity().path().from('b').as('b')) does or does \
                   not, as the strategies drop the identity() or not.",
        explains: |case, _, _| any_step(&case.script.body.steps, &names_the_start_of_a_by),
    },
    Fault {
        name: "one-value-for-some-strategies",
        evidence: "`g.V().order().by(values('tag'))` fails with `Multiple properties exist for the provided key` where a vertex has \
                   two tags, and takes the first with withoutStrategies(ByModulatorOptimizationStrategy), which makes by('tag') of \
                   it; and another strategy moves filters in front. Mangrove always says so.",
        explains: |case, ours, _| {
            says(ours, "Multiple properties exist for the provided key")
                && any_step(&case.script.body.steps, &takes_values)
        },
    },
    Fault {
        name: "paths-through-match",
        evidence: "On purpose: `g.V(1).match(__.as('d').order()).path()` has the vertex three times in the reference, where it begins, \
                   where the pattern does and where it ends, in the order in which its patterns happened to be tried. Mangrove's has it \
                   where steps have found something.",
        explains: |case, _, _| {
            let steps = &case.script.body.steps;
            let looks = |step: &Step| matches!(step.name, "path" | "simplePath" | "cyclicPath" | "tree");
            any_step(steps, &|step| step.name == "match") && any_step(steps, &looks)
        },
    },
    Fault {
        name: "match-in-its-own-order",
        evidence: "On purpose: `g.V(1).match(__.as('d').math('_ + 1').as('e'), __.as('d').hasLabel('nobody'))` fails in the reference, \
                   which tries the patterns as they stand until it has seen how much each lets pass, and answers nothing in \
                   Mangrove, which tests before it computes. Of a pattern that fails it is only told when it is tried. \
                   `g.E().match(__.as('d').count(local).as('e'), __.as('d').select('e'))` loses the first edge, of which the second pattern \
                   was tried first.",
        explains: |case, ours, theirs| {
            let fails = |answer: &Answer| matches!(answer.outcome, Outcome::Error(_));
            // What says that a variable or a pattern is missing comes from the order itself, and is no error of a pattern; but
            // what nothing is called is missing in every order.
            let is_called = |name: &str| any_step(&case.script.body.steps, &|step| is_called(step, name));
            let of_the_order = looked_up(ours).is_some_and(is_called)
                || ["match()-traversals", "match pattern"].iter().any(|text| says(ours, text));
            !of_the_order
                && any_step(&case.script.body.steps, &matches_several)
                && (theirs.iter().all(|run| fails(run) != fails(ours))
                    || any_step(&case.script.body.steps, &selects_what_it_matches)
                    || any_step(&case.script.body.steps, &matches_and_gathers))
        },
    },
    Fault {
        name: "match-joins-by-equals",
        evidence: "On purpose: `g.inject(20).match(__.as('d').mean().as('e'), __.as('e').asNumber().as('d'))` has 20 and 20.0 for d, \
                   which the reference takes for two (Java's equals), and Mangrove for one, as is(eq(20.0)) does.",
        explains: |case, ours, theirs| {
            const GATHER: &[&str] =
                &["count", "fold", "group", "groupCount", "sum", "max", "min", "mean", "cap"];
            let gathers = case.script.body.steps.iter().any(|step| GATHER.contains(&step.name));
            // What is one to Mangrove and two to the reference is found by Mangrove alone, and may fail where it goes on.
            let more = |theirs: &Answer| match (&ours.outcome, &theirs.outcome) {
                (Outcome::Results(ours), Outcome::Results(theirs)) => {
                    ours.len() > theirs.len() || gathers && ours.len() == theirs.len()
                }
                (Outcome::Error(_), Outcome::Results(_)) => says(ours, "nor the path has a "),
                _ => false,
            };
            any_step(&case.script.body.steps, &joins_numbers) && theirs.iter().all(more)
        },
    },
    Fault {
        name: "unsolvable-match",
        evidence: "`g.V(1).match(__.as('e').union(__.group()))` and a count() at the end of one of two patterns are called unsolvable once a \
                   traverser gets there, for what a reducer inside of a pattern lets out has forgotten where it was.",
        explains: |case, _, theirs| {
            let unsolvable = |run: &Answer| matches!(&run.outcome, Outcome::Error(text) if text.contains("pattern is unsolvable"));
            any_step(&case.script.body.steps, &|step| step.name == "match") && theirs.iter().all(unsolvable)
        },
    },
    Fault {
        name: "merges-over-nothing",
        evidence: "On purpose: `g.V('none').mergeV([name: 'a']).option(onCreate, [name: 'b'])` is an error in the reference although no \
                   traverser gets there. And mergeE() whose option(outV) names a vertex that is not there ends the whole stream in \
                   silence (the NoSuchElementException of its look-up is taken for its end), where Mangrove says so.",
        explains: |case, ours, theirs| {
            let merges = any_step(&case.script.body.steps, &|step| matches!(step.name, "mergeV" | "mergeE"));
            let says = |text: &str| text.contains("cannot override values from merge()");
            let refused = theirs.iter().all(|run| matches!(&run.outcome, Outcome::Error(text) if says(text)));
            let nowhere =
                matches!(&ours.outcome, Outcome::Error(text) if text.contains("Could not resolve vertex"));
            merges && (refused || nowhere)
        },
    },
    Fault {
        name: "labels-twice",
        evidence: "`g.V(3).in('created', 'created')` finds each neighbour twice over TinkerGraph, which adds up the lists of the \
                   labels as they were given, but `inE('created', 'created')` each edge once.",
        explains: |case, _, _| any_step(&case.script.body.steps, &moves_by_equal_labels),
    },
    Fault {
        name: "addE-begins-at-one",
        evidence: "`g.addE('knows').from(V(4)).to(addE('created').inV())` gives the vertex 1 an edge to itself: what begins the children of an \
                   addE() at the start is the number 1, which is taken for an id. In Mangrove nothing begins them, and it says that the \
                   inner addE() needs both ends.",
        explains: |case, ours, theirs| {
            let finds = |theirs: &Answer| matches!(theirs.outcome, Outcome::Results(_));
            let adds = |step: &Step| step.name == "addE";
            let inside = case
                .script
                .body
                .steps
                .first()
                .is_some_and(|first| adds(first) && any_child(std::slice::from_ref(first), &adds));
            inside && says(ours, "at the start of a traversal it needs both") && theirs.iter().all(finds)
        },
    },
    Fault {
        name: "order-of-hashes",
        evidence: "merge(), difference(), disjunct() and intersect() answer a set in the order of Java's hashes, so which member \
                   `g.inject([3, 1]).merge([2]).limit(local, 1)` keeps is no promise. Nor is which object the value traversal \
                   of `g.inject(1, 0).group().by(constant('a')).by(dedup())` yields first. Nor is the order of a new vertex's \
                   properties, of the variables of a match(), or of what is in a tree(), where a step looks into these. Nor is it the order in which \
                   a new vertex's properties are computed, which may change each other: of \
                   `g.V(1).addV().property('age', property('name', 'n').count()).property('name', values('name'))` the name is marko, and \
                   `g.V(3).addV(property('weight', count()).constant('a')).property('x', values('weight'))` sets x, or fails for want of a weight, \
                   as the virtual machine happens to hash T.label.",
        explains: |case, ours, theirs| {
            let steps = &case.script.body.steps;
            let fails = |answer: &Answer| matches!(answer.outcome, Outcome::Error(_));
            let as_many = |theirs: &Answer| theirs.text(Detail::Count) == ours.text(Detail::Count);
            if changes_while_it_makes(steps) && theirs.iter().all(as_many)
                || changes_to_name_what_it_makes(steps) && theirs.iter().all(|run| fails(run) || as_many(run))
            {
                return true;
            }
            let is_in = |names: &[&str]| any_step(steps, &|step| names.contains(&step.name));
            let sets = is_in(&["merge", "intersect", "difference", "disjunct"]);
            let maps = ["valueMap", "propertyMap", "elementMap", "properties", "values"];
            let entries = is_in(&["match", "tree"]) || case.writes && is_in(&maps);
            // What is made of a set member by member is a list, and is or is not another one on the path.
            let looks = sets && any_step(steps, &looks_at_order)
                || is_in(&["difference", "disjunct", "intersect"])
                    && is_in(&["simplePath", "cyclicPath"])
                    && any_step(steps, &is_local)
                || entries && any_step(steps, &looks_at_order_inside);
            let alike = |theirs: &Answer| theirs.text(Detail::Contents) == ours.text(Detail::Contents);
            looks || (sets || entries) && theirs.iter().all(alike) || any_step(steps, &groups_by_dedup)
        },
    },
];

/// Whether nothing but an order that nobody promises sets an answer apart from those that the reference gives in another way: that of
/// hashes, and, if it has been mended, that of what leaves a loop.
pub fn is_of_an_order(case: &Case, ours: &Answer, theirs: &[Answer], mended: bool) -> bool {
    let is_order =
        |fault: &&Fault| fault.name == "order-of-hashes" || mended && fault.name == "order-of-a-loop";
    FAULTS.iter().filter(is_order).any(|fault| (fault.explains)(case, ours, theirs))
}

/// The fault that explains a difference, if one does. Nothing explains a panic.
pub fn explain(case: &Case, ours: &Answer, theirs: &[Answer]) -> Option<&'static Fault> {
    if matches!(ours.outcome, Outcome::Panic(_)) {
        return None;
    }
    FAULTS.iter().find(|fault| (fault.explains)(case, ours, theirs))
}

/// Whether an answer is an error that says so.
fn says(answer: &Answer, message: &str) -> bool {
    matches!(&answer.outcome, Outcome::Error(text) if text.contains(message))
}

/// The name that a traversal fails for, because nothing is called so.
fn looked_up(answer: &Answer) -> Option<&str> {
    let Outcome::Error(message) = &answer.outcome else { return None };
    let (_, name) = message.split_once("neither the map, nor side-effects, nor the path has a ")?;
    name.split_once("-key").map(|(name, _)| name)
}
