//! Guards: a transaction writes if it finds nothing, and several look at the same time. At most one may have found nothing.
//!
//! What is looked for is a label, a key, edges along a label, edges along any label, in one direction or both, a property;
//! labels and keys are often new: nobody has used them before, and whoever looks finds that there is no such name.

use std::sync::Arc;

use fastrand::Rng;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::super::operator::Indexed;
use super::{Marks, Races, Step, Workload, answer};

/// So many guards of each form that needs one have a vertex without edges. Later ones find the edges of earlier ones.
const SPOTS: u64 = 64;

/// What a guard looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Vertices of a new label.
    NewLabel,
    /// How many vertices a new label has.
    CountOfNewLabel,
    /// Vertices with a value under a key that may be indexed.
    Key,
    /// The same values by range.
    KeyRange,
    /// Edges of a new label at a vertex.
    EdgesOfNewLabel,
    /// Edges of a label that others use, too.
    EdgesOfLabel,
    /// All edges of a new label.
    AllEdgesOfNewLabel,
    /// A new key of a vertex.
    NewKey,
    /// Edges of any label out of a vertex, by an alternative.
    AnyOut,
    /// The same, by `not`.
    NotOut,
    /// The same, by their number.
    CountOfOut,
    /// Edges of any label into a vertex.
    NotIn,
    /// Edges of any label either way.
    CountOfBoth,
    /// Neighbours along any label.
    NotNeighbours,
}

/// Kinds of guards that follow each other are on at the same time, so they are mixed: whoever looks for a new label of vertices
/// does so while others bring new labels of edges.
const FORMS: [Form; 14] = [
    Form::NewLabel,
    Form::AnyOut,
    Form::Key,
    Form::EdgesOfNewLabel,
    Form::NotOut,
    Form::CountOfNewLabel,
    Form::NotIn,
    Form::KeyRange,
    Form::CountOfOut,
    Form::AllEdgesOfNewLabel,
    Form::CountOfBoth,
    Form::NewKey,
    Form::NotNeighbours,
    Form::EdgesOfLabel,
];

/// The end of most guards: adds an edge of label `label` to the other end.
fn add_edge(label: &str) -> String {
    format!("addE('{label}').to(__.V('guard:end')).property('mark', m)")
}

impl Form {
    /// Whether it needs a vertex without edges.
    fn needs_spot(self) -> bool {
        use Form::{AnyOut, CountOfBoth, CountOfOut, EdgesOfLabel, NotIn, NotNeighbours, NotOut};
        matches!(self, EdgesOfLabel | AnyOut | NotOut | CountOfOut | NotIn | CountOfBoth | NotNeighbours)
    }

    fn set(self, number: u64) -> String {
        format!("guard:{self:?}:{number}")
    }

    fn spot(self, number: u64) -> String {
        format!("guard:spot:{self:?}:{number}")
    }

    /// Looks, and adds with a label of which there may be none yet.
    fn script(self, n: u64, label: &str) -> String {
        let end = "values('mark')";
        match self {
            Self::NewLabel => format!(
                "g.V().hasLabel('guard_{n}').fold()\
                 .coalesce(__.unfold(), __.addV('guard_{n}').property('mark', m)).{end}"
            ),
            Self::CountOfNewLabel => {
                format!(
                    "g.V().hasLabel('guarded_{n}').count().is(0).addV('guarded_{n}').property('mark', m).{end}"
                )
            }
            Self::Key => format!(
                "g.V().has('guard', 'key', n).fold()\
                 .coalesce(__.unfold(), __.addV('guard').property('key', n).property('mark', m)).{end}"
            ),
            Self::KeyRange => format!(
                "g.V().has('guard_range', 'key', between(n, o)).fold()\
                 .coalesce(__.unfold(), __.addV('guard_range').property('key', n).property('mark', m)).{end}"
            ),
            Self::EdgesOfNewLabel => {
                format!(
                    "g.V('guard:end').coalesce(__.outE('guard_{n}'), __.{}).{end}",
                    add_edge(&format!("guard_{n}"))
                )
            }
            Self::EdgesOfLabel => {
                format!("g.V(v).coalesce(__.outE('guard_known'), __.{}).{end}", add_edge("guard_known"))
            }
            Self::AllEdgesOfNewLabel => format!(
                "g.E().hasLabel('guard_all_{n}').fold().coalesce(__.unfold(), __.V('guard:end').{}).{end}",
                add_edge(&format!("guard_all_{n}"))
            ),
            Self::NewKey => {
                format!("g.V('guard:end').hasNot('key_{n}').property('key_{n}', m).values('key_{n}')")
            }
            Self::AnyOut => format!("g.V(v).coalesce(__.outE(), __.{}).{end}", add_edge(label)),
            Self::NotOut => format!("g.V(v).not(__.outE()).{}.{end}", add_edge(label)),
            Self::CountOfOut => format!("g.V(v).where(__.outE().count().is(0)).{}.{end}", add_edge(label)),
            Self::NotIn => format!(
                "g.V(v).not(__.inE()).addE('{label}').from(__.V('guard:end')).property('mark', m).{end}"
            ),
            Self::CountOfBoth => format!("g.V(v).where(__.bothE().count().is(0)).{}.{end}", add_edge(label)),
            Self::NotNeighbours => format!("g.V(v).not(__.out()).{}.{end}", add_edge(label)),
        }
    }

    /// Reads the marks of what a guard looks for.
    fn everything(self, n: u64) -> String {
        match self {
            Self::NewLabel => format!("g.V().hasLabel('guard_{n}').values('mark')"),
            Self::CountOfNewLabel => format!("g.V().hasLabel('guarded_{n}').values('mark')"),
            Self::Key => "g.V().has('guard', 'key', n).values('mark')".to_owned(),
            Self::KeyRange => "g.V().has('guard_range', 'key', between(n, o)).values('mark')".to_owned(),
            Self::EdgesOfNewLabel => format!("g.V('guard:end').outE('guard_{n}').values('mark')"),
            Self::AllEdgesOfNewLabel => format!("g.E().hasLabel('guard_all_{n}').values('mark')"),
            Self::NewKey => format!("g.V('guard:end').values('key_{n}')"),
            _ => "g.V(v).bothE().values('mark')".to_owned(),
        }
    }

    fn bind(self, request: Request, n: u64) -> Request {
        match self {
            Self::Key => request.with("n", n as i64),
            Self::KeyRange => request.with("n", n as i64).with("o", n as i64 + 1),
            _ if self.needs_spot() => request.with("v", &*self.spot(n)),
            _ => request,
        }
    }

    fn read(self, n: u64) -> Step {
        let request = self.bind(Request::of(self.everything(n)), n);
        Step::new(request, Vec::new(), move |results| {
            let elements = results.iter().map(answer::number).collect::<Result<Vec<Element>, _>>()?;
            Ok(vec![Operation::ReadSet { set: self.set(n), elements }])
        })
    }
}

/// The workload; its marks are those of the round.
pub(crate) struct Guards {
    marks: Arc<Marks>,
    /// The forms take turns.
    races: Races,
}

impl Guards {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks, races: Races::default() }
    }

    /// How many guards of a form have been tried.
    fn tried(&self, place: usize) -> u64 {
        let tried = self.races.begun(place, FORMS.len());
        if FORMS[place].needs_spot() { tried.min(SPOTS) } else { tried }
    }

    fn guard(&self, rng: &mut Rng) -> Step {
        let (race, all) = (self.races.join(rng), FORMS.len() as u64);
        let (form, n) = (FORMS[(race % all) as usize], race / all);
        let n = if form.needs_spot() { n % SPOTS } else { n };
        let mark = self.marks.next();
        // Mostly a label of its own, so that it is new; sometimes one that everybody knows.
        let label = if rng.u32(..4) == 0 { "guard_known".to_owned() } else { format!("guard_of_{mark}") };
        let request = form.bind(Request::of(form.script(n, &label)), n);
        super::race(request.with("m", mark), form.set(n), mark)
    }
}

impl Workload for Guards {
    fn name(&self) -> &'static str {
        "guards"
    }

    fn prepare(&self) -> Vec<Request> {
        let spots = FORMS.into_iter().filter(|form| form.needs_spot());
        let of_form = |form: Form| {
            let spots = (0..SPOTS).map(|n| format!(".addV('guard_spot').property(id, '{}')", form.spot(n)));
            Request::of(format!("g{}", spots.collect::<String>()))
        };
        let end = Request::of("g.addV('guard_spot').property(id, 'guard:end')");
        spots.map(of_form).chain([end]).collect()
    }

    fn indexed(&self) -> Vec<Indexed> {
        ["guard", "guard_range"].map(|label| Indexed { label, key: "key", is_unique: false }).into()
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        let place = rng.usize(..FORMS.len());
        match self.tried(place) {
            tried if tried > 0 && rng.u32(..10) == 0 => FORMS[place].read(tried - 1),
            _ => self.guard(rng),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        let of_form = |place: usize| (0..self.tried(place)).map(move |n| FORMS[place].read(n));
        (0..FORMS.len()).flat_map(of_form).collect()
    }
}
