//! The numbers that plans are decided by, in one table.
//!
//! They decide how a query runs, never what it answers. Most were set when the planner was written, and no measurement of them is on
//! record: the last column names the benchmark that would show a better value, or says what the number follows from.
//!
//! | number | unit | decides | measure by |
//! |---|---|---|---|
//! | [`SHARED_WORK`] | traversers | whether a subquery gets instances of its own | `bench scopes` |
//! | [`SHARED_WORK_FOR_FEW`] | traversers | the same, where few results are wanted | `bench scopes` |
//! | [`MAX_INSTANCES`], [`MAX_INSTANCES_FOR_FEW`] | instances | MAX_SI of branch scopes | `bench scopes` |
//! | [`MAX_ITERATIONS`], [`MAX_ITERATIONS_TO_FAR_END`] | iterations | MAX_SI of loops | `bench scopes`; the second must be more than any path is long |
//! | [`WORTH_SPREADING`] | traversers | whether a part of a plan may run on several executors | `bench limit` |
//! | [`HUB_EDGES`] | edges | whether one list may be shared | follows from `dataflow`'s `Sharing::piece`: two of them |
//! | [`MAX_PIECES`] | pieces for an executor | what an exchange has under way | `bench limit` |
//! | [`TEST_PASSES`], [`EQUALITY_PASSES`], [`RANGE_END_LEAVES`] | share | rows after a test whose values nothing is known about | `explain()` beside `profile()` |
//! | [`PRESENCE_PASSES`] | share | the same of a test whether something is there | the same |
//! | [`UNFOLDED_MEMBERS`] | objects | rows after `unfold` | the same |
//! | [`LOOP_ITERATIONS`], [`MOST_ITERATIONS_GUESSED`] | iterations | work of a loop | the same |
//! | [`ANYWHERE_POWER`] | power of the number of vertices | growth of a pattern of `match()` that leads to anywhere | the same |
//! | [`MATCH_FILTERS`], [`MATCH_CLOSES`], [`MATCH_FINDS`], [`MATCH_WAITS`] | ranks | the order of the patterns of `match()` | follow from each other: only their order counts |
//! | [`FEW_RESULTS`] | results | whether a stream is wanted whole | `bench set` |
//! | [`SORTED_ANYWAY`] | rows | whether an order is read from an index or a list, or made | `bench set` |
//! | [`INDEX_SHARE`] | share of a label | whether a range index or a scan is read | `bench set` |
//! | [`SMALL_LABEL`] | vertices | below, that is not asked | `bench set` |
//! | [`IN_ORDER_COST`], [`IN_ORDER_BEGIN`] | vertices of a scan | whether an index is read in order | `bench set` |
//! | [`ALIKE`], [`FEW_VERTICES`] | factor, vertices | whether a plan serves another literal | `bench ic` |
//! | [`MOST_PAIRS`] | pairs of labels | until where labels are guessed at all | measured: a plan for 2,048 by 2,048 took 34.5 s without it (debug) |

/// Traversers that a subquery may make without being worth an instance of its own.
pub(crate) const SHARED_WORK: f64 = 64.0;
/// The same where only a few results are wanted: what is made for the rest of a batch is wasted then.
pub(crate) const SHARED_WORK_FOR_FEW: f64 = 16.0;

/// MAX_SI of branch scopes: enough to fill batches, few enough to bound what is in flight.
pub(crate) const MAX_INSTANCES: u32 = 64;
/// The same where only a few results are wanted.
pub(crate) const MAX_INSTANCES_FOR_FEW: u32 = 8;

/// MAX_SI of loop scopes: iterations that may be under way at the same time.
pub(crate) const MAX_ITERATIONS: u32 = 64;
/// The same where the highest iteration must not wait for the lowest.
pub(crate) const MAX_ITERATIONS_TO_FAR_END: u32 = 4096;

/// Traversers that a part must expect to make, to be worth spreading.
pub(crate) const WORTH_SPREADING: f64 = 2_000.0;
/// Edges of one vertex from which on executors may share them: what is two pieces when the query runs.
pub(crate) const HUB_EDGES: f64 = 8_192.0;
/// Pieces on their way at the same time, per executor.
pub(crate) const MAX_PIECES: u32 = 16;

/// Share of traversers that a test lets pass.
pub(crate) const TEST_PASSES: f64 = 0.3;
/// Share of vertices that a comparison of a value for equality lets pass.
pub(crate) const EQUALITY_PASSES: f64 = 0.05;
/// The part of the entries that one end of a range leaves, if nothing is known about the values; the equality of a value counts as
/// two ends.
pub(crate) const RANGE_END_LEAVES: f64 = 0.3;
/// Share of traversers that a test lets pass which asks whether something is there: most have what a traversal asks for.
pub(crate) const PRESENCE_PASSES: f64 = 0.9;
/// Members of a list or map that is unfolded.
pub(crate) const UNFOLDED_MEMBERS: f64 = 4.0;
/// Iterations of a loop whose number is not known.
pub(crate) const LOOP_ITERATIONS: i64 = 4;
/// A loop is guessed for so many iterations at most, however many it says: each is gone through when its work is guessed, and what grows
/// has reached every vertex by then.
pub(crate) const MOST_ITERATIONS_GUESSED: i64 = 16;

/// What steps lead to that may lead anywhere (`repeat`, `V()` within a traversal) is the number of vertices to this power: more than a
/// list has, less than all.
pub(crate) const ANYWHERE_POWER: f64 = 0.5;
/// Of the patterns of a `match()` that could be next, the first are those that only look at what is known: they cost nothing. Then those
/// that are filters of one variable, which read little and leave less;
pub(crate) const MATCH_FILTERS: f64 = 0.5;
/// then those that end at a variable that is known, and so leave less: with what they pass through, at most twice this;
pub(crate) const MATCH_CLOSES: f64 = 1.0;
/// then those that find a variable: this and what they grow by.
pub(crate) const MATCH_FINDS: f64 = 2.0;
/// then those that wait for what others find, so that it is known inside of them.
pub(crate) const MATCH_WAITS: f64 = f64::MAX / 2.0;

/// More than so many results are not few: it may take nearly all of a stream to have them.
pub(crate) const FEW_RESULTS: u64 = 10_000;
/// More rows than this are sorted as well as they are read in order.
pub(crate) const SORTED_ANYWAY: u64 = 10_000;

/// What a range index finds of a label costs more than in a scan: it is sorted. Beyond this share a scan is better.
pub(crate) const INDEX_SHARE: f64 = 0.6;
/// Labels with fewer vertices are read at once either way.
pub(crate) const SMALL_LABEL: f64 = 1_000.0;
/// What a vertex costs that is read in order, compared with one of a scan or a range.
pub(crate) const IN_ORDER_COST: f64 = 4.0;
/// What reading in order costs before the first vertex: every partition of the index is asked.
pub(crate) const IN_ORDER_BEGIN: f64 = 100.0;

/// Numbers of vertices that differ by less than this factor are alike,
pub(crate) const ALIKE: f64 = 8.0;
/// and so are all smaller ones: whatever is planned for them is done at once.
pub(crate) const FEW_VERTICES: f64 = 128.0;

/// Pairs of a vertex label and an edge label of one step that are looked at at most; beyond, nothing is known. So planning takes no
/// long time however many names there are.
pub(crate) const MOST_PAIRS: usize = 1 << 16;
