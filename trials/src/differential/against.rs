//! Many cases against the reference, one after another.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use fastrand::Rng;

use super::accidents;
use super::answer::{Answer, Detail, Outcome};
use super::ask::ask;
use super::case::{CASES_PER_GRAPH, Case};
use super::coverage::has_children;
use super::engine::{Engine, executors, keep_panics_quiet};
use super::faults;
use super::files::Files;
use super::patterns::{any_step, limits};
use super::reference::{Branches, Form, Jars, Merging, Reference, compile};
use super::rewrites::{
    Apart, with_conditions_reversed, with_filters_reversed, with_first_for_last, with_parts_of_any,
    with_plain_zeros, with_what_is_injected_at_last, with_whole_barriers, without_idle_names,
    without_part_of_unordered, writes_apart, writes_for_each,
};
use super::shrink::{shrink, smaller_traversals};
use super::tally::Tally;
use super::verdict::{Verdict, judge};
use crate::Problem;

/// Random traversals, against TinkerGraph.
#[derive(Args)]
pub struct Arguments {
    /// Cases of each seed
    #[arg(long, default_value_t = 5_000)]
    cases: u64,
    /// The first seed; the same seed and number are the same case
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many seeds, one after another
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// The number of the first case of each seed
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// The share of cases that may write, in percent
    #[arg(long, default_value_t = 20)]
    writes: u64,
    /// Folder with the jars of Gremlin Server 3.8.1
    #[arg(long)]
    jars: PathBuf,
    /// Folder for compiled classes
    #[arg(long, default_value = "target/reference")]
    classes: PathBuf,
    /// Folder for differential.json
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Stop after so many differences of different kinds
    #[arg(long, default_value_t = 20)]
    most: usize,
    /// Smaller cases that are tried for each that differs, or that a known fault explains
    #[arg(long, default_value_t = 3_000)]
    tries: usize,
    /// Run only the cases whose traversal contains this text
    #[arg(long)]
    only: Option<String>,
    /// Print each case and what came of it
    #[arg(long)]
    verbose: bool,
    /// Print the cases that this known fault explains, so that one can judge whether it explains too much
    #[arg(long)]
    tell: Option<String>,
    /// Run no cases, but print what both answer to this traversal, on the modern graph or, with --case, that case's
    #[arg(long)]
    ask: Option<String>,
    /// The case whose graph --ask is asked on
    #[arg(long)]
    case: Option<u64>,
}

/// Orders in which the reference runs what seems to differ, before it counts as different.
const ORDERS: u64 = 24;
/// Orders in which it runs with traversers merged elsewhere.
const MERGING_ORDERS: u64 = 12;
/// The same of parts that may be any.
const PARTS: u64 = 100;
/// Smaller cases that are compared where a known fault explains a difference: the first times that it does, and later.
const LOOKS_BEHIND: (usize, usize) = (100, 10);
/// How often the more of them are.
const FIRST_TIMES: u64 = 10;
/// Cases between two signs of life.
const SIGN_OF_LIFE: u64 = 1_000;

/// Runs the cases; `false` if something differs that nobody can explain.
///
/// # Errors
/// If a system cannot be started, or the figures cannot be written.
pub fn run(arguments: &Arguments) -> Result<bool, Problem> {
    keep_panics_quiet();
    let jars = Jars { jars: arguments.jars.clone(), classes: arguments.classes.clone() };
    let sources = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/java"));
    compile(&sources, &jars)?;
    if let Some(text) = &arguments.ask {
        ask(text, (arguments.seed, arguments.case), jars)?;
        return Ok(true);
    }
    let mut trial = Trial {
        executors: executors(1)?,
        reference: Reference::new(jars),
        folder: tempfile::tempdir()?,
        loaded: None,
        kinds: BTreeMap::new(),
        tries: arguments.tries,
        looked_at: HashSet::new(),
        verbose: arguments.verbose,
        tell: arguments.tell.clone(),
    };
    let mut tally = Tally::default();
    'all: for seed in arguments.seed..arguments.seed + arguments.seeds {
        tally.seeds.push(seed);
        for number in arguments.first..arguments.first + arguments.cases {
            let case = Case::random(seed, number, arguments.writes);
            let of_files = arguments.only.as_ref().is_none_or(|only| only.contains("io("));
            if of_files && number % CASES_PER_GRAPH == 0 {
                trial.compare_files(&case, (seed, number), &mut tally)?;
            }
            if arguments.only.as_ref().is_some_and(|only| !case.script.to_string().contains(only)) {
                continue;
            }
            trial.run(&case, (seed, number), &mut tally)?;
            if tally.cases() % SIGN_OF_LIFE == 0 {
                eprintln!("{} cases, {} kinds of differences", tally.cases(), trial.kinds.len());
            }
            if trial.kinds.len() >= arguments.most {
                break 'all;
            }
        }
    }
    for (kind, count) in &trial.kinds {
        println!("{count:5} {kind}");
    }
    tally.print();
    tally.write(&arguments.out).map_err(|error| format!("cannot write the figures: {error}"))?;
    Ok(trial.kinds.is_empty())
}

/// The kinds of two answers that differ.
fn kinds(ours: &Answer, runs: &[Answer]) -> String {
    let theirs = match ours.kind() {
        "panic" => "anything",
        _ => runs.first().map_or("nothing", Answer::kind),
    };
    format!("{} / {theirs}", coarse(ours))
}

/// Our own messages have no classes.
fn coarse(ours: &Answer) -> &str {
    let kind = ours.kind();
    if matches!(kind, "results" | "refused" | "late" | "panic") { kind } else { "error" }
}

/// The two systems, and what was found so far.
struct Trial {
    executors: Arc<dataflow::Engine>,
    reference: Reference,
    /// Where files are written.
    folder: tempfile::TempDir,
    /// The graph of some cases in a row, by seed and number.
    loaded: Option<((u64, u64), Engine)>,
    /// How often what kind of difference was found.
    kinds: BTreeMap<String, u64>,
    /// Smaller cases that are tried for each that differs.
    tries: usize,
    /// Skeletons of smaller cases that have been compared to look behind a known fault.
    looked_at: HashSet<String>,
    /// Whether every case is told.
    verbose: bool,
    /// The known fault whose cases are told.
    tell: Option<String>,
}

/// How carefully a difference is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Known faults are asked for only when the reference has one answer in many orders.
    Full,
    /// Known faults are asked for at once, and many orders only if there is none.
    FaultsFirst,
}

/// What a comparison came to, our answer, and those of the reference.
type Compared = (Verdict, Answer, Vec<Answer>);

impl Trial {
    fn run(&mut self, case: &Case, (seed, number): (u64, u64), tally: &mut Tally) -> Result<(), String> {
        let of = (seed, number / CASES_PER_GRAPH);
        let engine = match self.loaded.take() {
            Some((known, engine)) if known == of => engine,
            _ => self.load(case)?,
        };
        let (verdict, ours, runs) = self.compare(&engine, case)?;
        self.loaded = Some((of, engine));
        if self.verbose {
            eprintln!("{seed}/{number} {verdict:?}: {}", case.script);
        }
        if matches!(verdict, Verdict::Explained(fault) if self.tell.as_deref() == Some(fault)) {
            println!("-- seed {seed}, case {number}: {}", case.script);
            println!("   mangrove:  {ours}");
            runs.first().iter().for_each(|run| println!("   reference: {run}"));
        }
        tally.add(&verdict);
        match verdict {
            Verdict::Same(_) => {
                let bulks = match case.script.body.steps.iter().any(has_children) {
                    true => self.reference.bulks(&case.graph, &case.script.to_string())?,
                    false => Vec::new(),
                };
                // Where steps were taken together, which bulk is whose is not known.
                let known = bulks.len() == case.script.body.steps.len();
                tally.coverage.add(&case.script, if known { &bulks } else { &[] });
                Ok(())
            }
            Verdict::Different(_) => self.report(case.clone(), (seed, number), &kinds(&ours, &runs)),
            Verdict::Explained(fault) if fault != faults::ACCIDENT => {
                self.look_behind(case, (seed, number), tally.times(fault) <= FIRST_TIMES)
            }
            _ => Ok(()),
        }
    }

    /// Whether a fault of the reference hides a difference: smaller cases that it does not explain must not differ. Of those of
    /// one form one is enough.
    fn look_behind(&mut self, case: &Case, place: (u64, u64), is_new: bool) -> Result<(), String> {
        let most = if is_new { LOOKS_BEHIND.0 } else { LOOKS_BEHIND.1 };
        let engine = self.load(case)?;
        for script in smaller_traversals(&case.script).into_iter().take(most.min(self.tries)) {
            if !self.looked_at.insert(script.body.skeleton()) {
                continue;
            }
            let smaller = case.with(script);
            let (verdict, ours, runs) = self.compare_if(&engine, &smaller, Care::FaultsFirst, |_| true)?;
            if matches!(verdict, Verdict::Different(_)) {
                return self.report(smaller, place, &kinds(&ours, &runs));
            }
        }
        Ok(())
    }

    /// What becomes of the case's graph in files.
    fn compare_files(
        &mut self,
        case: &Case,
        (seed, number): (u64, u64),
        tally: &mut Tally,
    ) -> Result<(), Problem> {
        let mut files =
            Files { reference: &mut self.reference, executors: &self.executors, folder: self.folder.path() };
        for difference in files.compare(&case.graph, &mut Rng::with_seed(seed ^ number), tally)? {
            let count = self.kinds.entry(difference.kind).or_default();
            *count += 1;
            if *count == 1 {
                println!("== seed {seed}, files of the graph of case {number}: {}", case.graph.gremlin());
                difference.told.iter().for_each(|line| println!("   {line}"));
            }
        }
        Ok(())
    }

    fn load(&self, case: &Case) -> Result<Engine, String> {
        Engine::load(&case.graph, &self.executors).map_err(|error| error.to_string())
    }

    /// Compares, and asks the reference in more orders before anything counts as different.
    fn compare(&mut self, engine: &Engine, case: &Case) -> Result<Compared, String> {
        self.compare_if(engine, case, Care::Full, |_| true)
    }

    /// As [`Self::compare`]; the reference is asked only if our answer is worth it.
    fn compare_if(
        &mut self,
        engine: &Engine,
        case: &Case,
        care: Care,
        worth: impl Fn(&Answer) -> bool,
    ) -> Result<Compared, String> {
        let text = case.script.to_string();
        let answer = engine.answer(&text, case.writes);
        if !worth(&answer) {
            return Ok((Verdict::Undetermined, answer, Vec::new()));
        }
        let few = [Form::plain(0), Form::plain(1), Form::unoptimised(2), Form::unoptimised(0)];
        let mut runs = self.patiently(case, &text, &few)?;
        let mut verdict = judge(&answer, &runs, case.is_ordered());
        if matches!(verdict, Verdict::Different(_)) && care == Care::FaultsFirst {
            verdict = self.explained(case, &answer, &runs)?.map_or(verdict, Verdict::Explained);
        }
        if matches!(verdict, Verdict::Different(_)) {
            let optimised = |order: u64| order.is_multiple_of(2);
            let more: Vec<Form> = (3..3 + ORDERS)
                .map(|order| if optimised(order) { Form::plain(order) } else { Form::unoptimised(order) })
                .collect();
            runs.extend(self.reference.ask(&case.graph, &text, &more, case.writes)?);
            verdict = judge(&answer, &runs, case.is_ordered());
        }
        if matches!(verdict, Verdict::Different(_)) {
            verdict = self.explained(case, &answer, &runs)?.map_or(verdict, Verdict::Explained);
        }
        Ok((verdict, answer, runs))
    }

    /// The known fault that explains a difference.
    fn explained(
        &mut self,
        case: &Case,
        ours: &Answer,
        runs: &[Answer],
    ) -> Result<Option<&'static str>, String> {
        match faults::explain(case, ours, runs) {
            Some(fault) => Ok(Some(fault.name)),
            None if self.is_another_part(case, ours, runs)? => Ok(Some(faults::ANOTHER_PART)),
            None => match self.merging(case, &case.script.to_string(), ours)? {
                None if self.is_of_another_part(case, ours)? => Ok(Some(faults::ANOTHER_PART)),
                explained => Ok(explained),
            },
        }
    }

    /// Whether an answer is as many results as the reference's, and others of the same stream, of which the traversal's end takes a part
    /// though nothing has put it in order.
    fn is_another_part(&mut self, case: &Case, ours: &Answer, runs: &[Answer]) -> Result<bool, String> {
        let Some(whole) = without_part_of_unordered(&case.script) else { return Ok(false) };
        let as_many = |run: &Answer| run.text(Detail::Count) == ours.text(Detail::Count);
        if case.writes || !runs.iter().all(as_many) {
            return Ok(false);
        }
        let forms = [Form::plain(0), Form::plain(1), Form::unoptimised(2), Form::unoptimised(0)];
        let wholes = self.patiently(case, &whole.to_string(), &forms)?;
        Ok(wholes.iter().all(|whole| ours.is_part_of(whole)))
    }

    /// Whether an answer is one of those of the reference if it takes any part where no order is promised.
    fn is_of_another_part(&mut self, case: &Case, ours: &Answer) -> Result<bool, String> {
        let Some(any) = with_parts_of_any(&case.script).filter(|_| !case.writes) else { return Ok(false) };
        let closest = if case.is_ordered() { Detail::Sequence } else { Detail::Bag };
        // What travels merged stays together when it is shuffled.
        let merging =
            |order: u64| if order.is_multiple_of(2) { Merging::Everywhere } else { Merging::Nowhere };
        let form = |order| Form { merging: merging(order), ..Form::unoptimised(order) };
        let forms: Vec<Form> = (0..PARTS).map(form).collect();
        let runs = self.patiently(case, &any.to_string(), &forms)?;
        Ok(runs.iter().any(|run| run.text(closest) == ours.text(closest)))
    }

    /// Whether an answer is the reference's if it is mended, if no zero is negative, if it merges traversers only where it is asked to, or
    /// nowhere, if it besides reads everything before it writes, or if its limits ask for no more than they need.
    fn merging(&mut self, case: &Case, text: &str, answer: &Answer) -> Result<Option<&'static str>, String> {
        let nowhere = if case.writes { faults::WRITES_OVER_A_BULK } else { faults::MERGING };
        let parts =
            |behind, inside, held| writes_apart(&case.script, Apart { behind, inside, held }).to_string();
        let (apart, after_reading) = (parts(true, false, false), parts(false, false, false));
        let (apart_inside, after_reading_inside) = (parts(true, true, false), parts(false, true, false));
        let [held, held_inside] = [false, true].map(|inside| parts(false, inside, true));
        let for_each = writes_for_each(&case.script).to_string();
        let nameless = without_idle_names(&case.script).to_string();
        let before = text;
        let plain_zeros =
            with_plain_zeros(&case.script).map_or_else(|| text.to_owned(), |plain| plain.to_string());
        let conditions = with_conditions_reversed(&case.script).to_string();
        let whole_barriers = with_whole_barriers(&case.script).to_string();
        let first = with_first_for_last(&case.script).to_string();
        let conditions_for_each = writes_for_each(&with_conditions_reversed(&case.script)).to_string();
        let filters = with_filters_reversed(&case.script).to_string();
        let injected = with_what_is_injected_at_last(&case.script).to_string();
        let with_paths = |text: &str| text.replacen("g.", "g.withPath().", 1);
        let all_paths = with_paths(text);
        // Barriers that merge nothing but what has come the same way.
        let ways_apart = with_paths(&after_reading);
        let ways_apart_inside = with_paths(&after_reading_inside);
        let lazy = [
            (Merging::Everywhere, text, faults::MENDED),
            (Merging::Everywhere, all_paths.as_str(), faults::NAMES_ALONE),
            (Merging::Everywhere, plain_zeros.as_str(), faults::NEGATIVE_ZERO),
            (Merging::WhereAsked, plain_zeros.as_str(), faults::NEGATIVE_ZERO),
            (Merging::Everywhere, &conditions, faults::CONDITIONS),
            (Merging::Everywhere, &filters, faults::CONDITIONS),
            (Merging::Everywhere, &first, faults::CONDITIONS),
            (Merging::Everywhere, &whole_barriers, faults::WHOLE_BARRIERS),
            (Merging::Nowhere, &injected, faults::INJECTED),
            (Merging::WhereAsked, text, faults::MERGING),
            (Merging::Nowhere, text, nowhere),
            (Merging::WhereAsked, &for_each, faults::WRITES_OVER_A_BULK),
            (Merging::Everywhere, &for_each, faults::WRITES_OVER_A_BULK),
            (Merging::Everywhere, &nameless, nowhere),
            (Merging::WhereAsked, &conditions_for_each, faults::CONDITIONS),
            (Merging::Everywhere, &after_reading, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &after_reading, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &apart, faults::WRITES_WHILE_READING),
            (Merging::Nowhere, &apart, faults::WRITES_WHILE_READING),
            (Merging::Nowhere, &after_reading, faults::WRITES_WHILE_READING),
            (Merging::Nowhere, &apart_inside, faults::WRITES_WHILE_READING),
            (Merging::Nowhere, &after_reading_inside, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &apart_inside, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &after_reading_inside, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &ways_apart, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &ways_apart_inside, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &held, faults::WRITES_WHILE_READING),
            (Merging::WhereAsked, &held_inside, faults::WRITES_WHILE_READING),
        ]
        .map(|(merging, text, name)| (merging, false, text, name));
        let exact = [(Merging::Everywhere, text), (Merging::WhereAsked, text), (Merging::Nowhere, &for_each)]
            .map(|(merging, text)| (merging, true, text, faults::PAST_THE_LIMIT));
        let exact = exact.into_iter().filter(|_| any_step(&case.script.body.steps, &limits));
        let ways: Vec<_> = lazy.into_iter().chain(exact).collect();
        // As it stands, the traversal has been asked in more orders than these.
        let mut asked = vec![(Merging::Everywhere, false, before, (false, Branches::AsTheyAre))];
        let hows = [
            (false, Branches::AsTheyAre),
            (true, Branches::AsTheyAre),
            (true, Branches::OneByOne),
            (true, Branches::AtOnce),
        ];
        for (mended, branches) in hows {
            for &(merging, exact, text, name) in &ways {
                let way = (merging, exact, text, (mended, branches));
                if asked.contains(&way) {
                    continue;
                }
                asked.push(way);
                let forms: Vec<Form> = (0..MERGING_ORDERS)
                    .map(|order| Form {
                        merging,
                        exact,
                        mended,
                        branches,
                        ..if order % 3 == 2 { Form::plain(order) } else { Form::unoptimised(order) }
                    })
                    .collect();
                let runs = self.patiently(case, text, &forms)?;
                if accidents::is_by_accident(case, answer, &runs) {
                    return Ok(Some(faults::ACCIDENT));
                }
                // One of the optional strategies puts barriers in; where its answers are others, it must be without it.
                let bare = runs.iter().zip(&forms).filter(|(_, form)| !form.optimised);
                let bare: Vec<Answer> = match merging {
                    Merging::Everywhere => Vec::new(),
                    Merging::WhereAsked | Merging::Nowhere => bare.map(|(run, _)| run.clone()).collect(),
                };
                let is_it = |runs: &[Answer]| {
                    let verdict = judge(answer, runs, case.is_ordered());
                    matches!(verdict, Verdict::Same(_) | Verdict::BothFail)
                        || faults::is_of_an_order(case, answer, runs, mended)
                };
                if is_it(&runs) || !bare.is_empty() && is_it(&bare) {
                    return Ok(Some(match (mended, branches) {
                        (false, _) => name,
                        (true, Branches::AsTheyAre) => faults::MENDED,
                        (true, _) if case.writes => faults::WRITES_WHILE_READING,
                        (true, _) => faults::BRANCHES,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// Asks the reference once more where it was late: a machine with much else to do must not make a difference of it.
    fn patiently(&mut self, case: &Case, text: &str, forms: &[Form]) -> Result<Vec<Answer>, String> {
        let runs = self.reference.ask(&case.graph, text, forms, case.writes)?;
        match runs.iter().any(|run| run.outcome == Outcome::Late) {
            true => self.reference.ask(&case.graph, text, forms, case.writes),
            false => Ok(runs),
        }
    }

    /// Makes a case smaller for as long as it differs in the same way, and prints it if its kind is new.
    fn report(&mut self, case: Case, (seed, number): (u64, u64), wanted: &str) -> Result<(), String> {
        let before = case.script.to_string();
        let (ours_wanted, _) = wanted.split_once(" / ").unwrap_or((wanted, ""));
        let small = shrink(case, self.tries, |case| {
            let Ok(engine) = self.load(case) else { return false };
            let compared = self.compare_if(&engine, case, Care::Full, |ours| coarse(ours) == ours_wanted);
            matches!(compared, Ok((Verdict::Different(_), ours, runs)) if kinds(&ours, &runs) == wanted)
        });
        let kind = format!("{wanted}  {}", small.script.body.skeleton());
        let count = self.kinds.entry(kind).or_default();
        *count += 1;
        if *count > 1 {
            return Ok(());
        }
        println!("== seed {seed}, case {number}: {before}");
        println!("   {}", small.script);
        println!("   graph: {}", small.graph.gremlin());
        let engine = self.load(&small)?;
        let (verdict, ours, runs) = self.compare(&engine, &small)?;
        println!("   mangrove:  {ours}");
        if let Some(run) = runs.first() {
            println!("   reference: {run}  {verdict:?}");
            if let (Some(ours), Some(theirs)) = (&ours.state, &run.state) {
                ours.beyond(theirs).for_each(|line| println!("   only mangrove:  {line}"));
                theirs.beyond(ours).for_each(|line| println!("   only reference: {line}"));
            }
        }
        Ok(())
    }
}
