//! From the logical plan to the physical one.
//!
//! Modulators become slots that are filled before the step that reads them; subqueries become scopes, with a grain and
//! a policy each; then dead slots go ([`liveness`]), and parts that are worth it may spread over executors
//! ([`exchange`]).
//!
//! It must never know how a traversal was written: all that it meant is in the logical plan.

mod branch;
mod cost;
mod end_test;
mod exchange;
mod expand_into;
mod in_order;
mod isolation;
mod label_mix;
mod liveness;
mod modulate;
mod pipeline;
mod repeat;
mod split;
mod step;
mod write;

use indexmap::IndexSet;
use values::{Str, watch};

use crate::TICKS;
use crate::logical::{
    Chain, Footprint, Kind, Logical, Seen, Step, begins_as_a_whole, each_ends_early, each_is_limited,
    each_is_listed, each_looks_ahead, each_wants_few, gathers_before, met_alone,
};
use crate::physical::{OpKind, Pipeline, Plan, Slot};
use crate::words::Words;
use crate::{Options, PlanError, Schema, Statistics};
pub(crate) use cost::Cost;
pub(crate) use label_mix::Mix;
use pipeline::{Expected, Ops};

/// Most letters of a step's name.
const MOST_LETTERS: usize = 200;

/// Lowers a logical plan.
///
/// # Errors
/// [`PlanError::TooLarge`] if the traversal needs more slots than traversers can have.
pub(crate) fn lower(
    logical: Logical,
    schema: &dyn Schema,
    statistics: &dyn Statistics,
    options: &Options,
) -> Result<Plan, PlanError> {
    let mut lowering = Lowering {
        schema,
        options,
        cost: Cost::new(statistics),
        slots: u32::from(logical.slots),
        side_effects: logical.side_effects.keys().cloned().collect(),
        paths: logical.history.is_kept(),
        seen: logical.seen(),
        writes: logical.writes,
        mix: Mix::Unknown,
        spreads: options.usable_executors() > 1
            && !logical.writes
            && !options.disabled_rules.contains("exchange"),
    };
    let mut root = lowering.chain(&logical.root, Place::ROOT, Ops::default());
    if lowering.slots > u32::from(u16::MAX) {
        return Err(PlanError::TooLarge { what: "intermediate values", limit: usize::from(u16::MAX) });
    }
    // At a barrier that is asked for, what nobody reads any more must not keep traversers apart.
    let forgets = !options.disabled_rules.contains("forget") || has_barrier(&logical.root);
    let slots = match lowering.slots {
        0 => 0,
        _ => liveness::settle(&mut root, forgets),
    };
    split::split(&mut root);
    let ops = number(&mut root);
    Ok(Plan {
        root,
        ops,
        slots,
        side_effects: logical.side_effects.into_values().collect(),
        history: logical.history,
        computed: logical.computed,
        seed: logical.seed,
        unknown: Vec::new(),
        writes: logical.writes,
        params: logical.params,
        profile: logical.profile,
        parallelism: options.parallelism,
        batch: options.batch,
    })
}

/// Gives the operators their numbers, upstream first.
fn number(root: &mut Pipeline) -> u32 {
    let mut next = 0;
    root.for_each_op(&mut |op| {
        op.id = next;
        next += 1;
    });
    next
}

/// What lowering knows.
struct Lowering<'a> {
    schema: &'a dyn Schema,
    options: &'a Options,
    cost: Cost<'a>,
    /// Slots given out so far. One too many is told at the end.
    slots: u32,
    side_effects: IndexSet<Str>,
    paths: bool,
    /// Which of its effects the query may see itself.
    seen: Seen,
    /// Whether the query changes the graph.
    writes: bool,
    /// What enters the step that is being lowered, and the subqueries in it.
    mix: Mix,
    /// Whether the plan may use several executors.
    spreads: bool,
}

/// Where a chain stands.
#[derive(Clone, Copy)]
struct Place {
    /// Traversers that enter it, as a guess: of one that runs for a single traverser, those of one run.
    rows: f64,
    /// How often it runs, as a guess.
    times: f64,
    /// Whether only the first few of its results are wanted.
    few: bool,
    /// Whether its stream is one of the query's own and not that of a single traverser: there it may spread.
    stream: bool,
    /// Whether the seed enters it, which is one traverser for sure.
    seed: bool,
    /// Whether it ends with its first result.
    ends_early: bool,
    /// Whether its stream may end behind it before all of it has come.
    limited: bool,
    /// Whether the order shows in which its results come (`each_is_listed`).
    listed: bool,
    /// Whether several that enter it may travel as one.
    merged: bool,
    /// Whether a step behind it fills a side-effect before all of its stream has come there.
    fills_behind: bool,
    /// Whether a step behind it can tell how many travel as one (`Kind::shows_merging`).
    shown: bool,
    /// Whether all that enter the step must have been chosen for before any of them goes on.
    chooses: bool,
}

impl Place {
    const ROOT: Self = Self {
        rows: 1.0,
        times: 1.0,
        few: false,
        stream: true,
        seed: true,
        ends_early: false,
        limited: false,
        listed: false,
        merged: false,
        fills_behind: false,
        shown: false,
        chooses: false,
    };

    /// Inside a subquery that runs for one traverser, and whose results beyond the first are not wanted.
    fn inside_of_first(self) -> Self {
        Self { ends_early: true, ..self.inside(true) }
    }

    /// Inside a subquery that runs for one traverser.
    fn inside(self, few: bool) -> Self {
        let times = self.rows * self.times;
        Self {
            rows: 1.0,
            times,
            few,
            stream: false,
            seed: false,
            ends_early: false,
            limited: false,
            listed: false,
            merged: true,
            fills_behind: false,
            shown: false,
            chooses: false,
        }
    }

    /// The same for one whose results go on: where the chain around it ends early, so does this; and what is shown of its results
    /// is shown of those inside.
    fn inside_of_each(self, few: bool) -> Self {
        let Self { ends_early, limited, listed, shown, .. } = self;
        Self { ends_early, limited, listed, shown, ..self.inside(few) }
    }
}

/// Whether traversers are merged somewhere because the traversal asks for it.
fn has_barrier(chain: &Chain) -> bool {
    chain.steps.iter().any(|step| {
        let mut found = matches!(step.kind, Kind::Barrier | Kind::MergeSacks(_));
        step.kind.for_each_child(&mut |chain, _| found = found || has_barrier(chain));
        found
    })
}

impl Lowering<'_> {
    fn new_slot(&mut self) -> Slot {
        let slot = Slot(self.slots as u16);
        self.slots += 1;
        slot
    }

    /// Lowers a chain, behind what `ops` holds already.
    fn chain(&mut self, chain: &Chain, place: Place, mut ops: Ops) -> Pipeline {
        let entering = self.mix.clone();
        let (mut rows, mut mix) = (place.rows, entering.clone());
        let few = each_wants_few(&chain.steps, place.few);
        let gathers = match self.writes {
            true => gathers_before(&chain.steps, place.seed, place.ends_early),
            false => Vec::new(),
        };
        let ahead = each_looks_ahead(&chain.steps, place.fills_behind);
        let limited = each_is_limited(&chain.steps, place.limited);
        let listed = each_is_listed(&chain.steps, place.listed, place.seed);
        let alone = if place.seed { met_alone(&chain.steps) } else { 0 };
        let ends_early = each_ends_early(&chain.steps, place.ends_early);
        let last_shows = chain.steps.iter().rposition(|step| step.kind.shows_merging());
        for ((index, step), few) in chain.steps.iter().enumerate().zip(few) {
            watch::ticks(TICKS);
            let (before, first) = (rows, ops.ops.len());
            let guess = self.cost.of_step(step, rows, &mix);
            self.mix = std::mem::replace(&mut mix, guess.mix);
            rows = guess.rows;
            let at_once = if few { 0.0 } else { self.cost.most_at_once(step, &self.mix) };
            let shown = place.shown || last_shows.is_some_and(|last| last > index);
            ops.expecting = Expected { rows: before.max(rows), at_once, shown };
            ops.step = self.name(step);
            // The seed is one traverser.
            let fills_until = limited[index] && step.fills_on_the_way();
            let one_by_one = !(place.seed && index == 0)
                && (step.wants_one_by_one(self.seen, place.ends_early)
                    || ahead[index].looked_at
                    || fills_until);
            let as_a_whole = one_by_one && begins_as_a_whole(step);
            // What a branch goes by is found out for one after the other, and all of it is before any of them goes on.
            let chooses = as_a_whole && matches!(step.kind, Kind::Choose(_));
            // What is in front of an inject() has come when it is answered.
            let injects = matches!(step.kind, Kind::Inject(..))
                && chain.steps[..index].iter().any(|step| step.wants_one_by_one(self.seen, place.ends_early));
            if injects || as_a_whole && !chooses || gathers.get(index) == Some(&true) {
                ops.stay(OpKind::Gather);
            }
            // What acts for each of those that travel as one may be seen by the next of them.
            let acts = match &step.kind {
                Kind::Write(_) | Kind::Local(_) => true,
                // Which of them get an answer is known of each for itself.
                Kind::Optional(chain) => chain.footprint().touches(Footprint::WRITES),
                _ => false,
            };
            let often = one_by_one && (fills_until || acts);
            if often || step.kind.acts_for_what_it_writes() {
                ops.stay(OpKind::Unmerge);
            }
            if one_by_one && (chooses || !as_a_whole) {
                ops.stay(OpKind::OneByOne);
            }
            let fills_behind = ahead[index].fills;
            self.step(
                step,
                Place {
                    rows: before,
                    few,
                    seed: false,
                    ends_early: ends_early[index],
                    limited: limited[index],
                    listed: listed[index],
                    merged: index >= alone,
                    fills_behind,
                    shown,
                    chooses,
                    ..place
                },
                &mut ops,
            );
            ops.expect(first, before * place.times, rows * place.times);
        }
        self.mix = entering;
        if !self.options.disabled_rules.contains("expand-into") {
            expand_into::fuse(&mut ops);
        }
        if !self.options.disabled_rules.contains("end-test") {
            end_test::fuse(&mut ops);
        }
        in_order::keep(&mut ops);
        if self.spreads && place.stream {
            exchange::spread(&mut ops, self.options.eager);
        }
        ops.finish()
    }

    /// What a step is called in plans and profiles. Each of its operators says it, which are thousands for a step of a thousand
    /// children, so it is cut where nobody would read on.
    fn name(&self, step: &Step) -> Str {
        let mut words = Words::brief(self.schema);
        step.write_head(&mut words);
        let mut name = words.text;
        if let Some((end, _)) = name.char_indices().nth(MOST_LETTERS) {
            name.truncate(end);
            name.push('…');
        }
        Str::from(name)
    }
}
