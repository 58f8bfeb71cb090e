//! Upserts: several clients look for the same key, and add what has it if there is none; by hand, or by a merge.
//!
//! The objects are sets: what has the key. Whoever adds has read that there was nothing; so has whoever adds without
//! looking, where the id or a unique index says that nothing was there.

use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::super::operator::Indexed;
use super::{Marks, Races, Step, Workload, answer};

/// How something is looked for and added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// By the id of a vertex.
    Id,
    /// By a key that may have an index or not, and may get one amid it all.
    Plain,
    /// By a key with an index of this kind.
    Equality,
    Unique,
    Range,
    /// By a property of the edges of a vertex.
    Edge,
    /// By the id of an edge.
    EdgeId,
}

const FORMS: [Form; 7] =
    [Form::Id, Form::Plain, Form::Equality, Form::Unique, Form::Range, Form::Edge, Form::EdgeId];

/// The end of an upsert of a vertex.
fn or_add(label: &str) -> String {
    format!(
        ".fold().coalesce(__.unfold(), __.addV('{label}').property('k', x).property('mark', m)).values('mark')"
    )
}

impl Form {
    /// The same without looking first, where the id or an index says whether there is anything.
    fn blind_script(self) -> Option<&'static str> {
        match self {
            Self::Id => Some(
                "g.addV('upsert_id').property(id, i).property('k', x).property('mark', m).values('mark')",
            ),
            Self::Unique => {
                Some("g.addV('upsert_unique').property('k', x).property('mark', m).values('mark')")
            }
            _ => None,
        }
    }

    /// The same by a merge.
    fn merge_script(self) -> String {
        let by_key = |label: &str| {
            format!("g.mergeV([(T.label): '{label}', k: x]).option(onCreate, [mark: m]).values('mark')")
        };
        match self {
            Self::Id => "g.mergeV([(T.id): i]).option(onCreate, [(T.label): 'upsert_id', k: x, mark: m]).values('mark')"
                .to_owned(),
            Self::Plain => by_key("upsert_plain"),
            Self::Equality => by_key("upsert_equality"),
            Self::Unique => by_key("upsert_unique"),
            Self::Range => by_key("upsert_range"),
            Self::Edge => "g.mergeE([(T.label): 'upsert', (OUT): 'upsert:hub', (IN): 'upsert:leaf', k: x])\
                           .option(onCreate, [mark: m]).values('mark')"
                .to_owned(),
            Self::EdgeId => "g.mergeE([(T.id): i]).option(onCreate, [(T.label): 'upsert_by_id', (OUT): 'upsert:hub', \
                             (IN): 'upsert:leaf', k: x, mark: m]).values('mark')"
                .to_owned(),
        }
    }

    fn script(self) -> String {
        match self {
            Self::Id => "g.V(i).fold().coalesce(__.unfold(), \
                         __.addV('upsert_id').property(id, i).property('k', x).property('mark', m)).values('mark')"
                .to_owned(),
            Self::Plain => "g.V().has('upsert_plain', 'k', x)".to_owned() + &or_add("upsert_plain"),
            Self::Equality => "g.V().has('upsert_equality', 'k', x)".to_owned() + &or_add("upsert_equality"),
            Self::Unique => "g.V().has('upsert_unique', 'k', x)".to_owned() + &or_add("upsert_unique"),
            Self::Range => "g.V().has('upsert_range', 'k', between(x, y))".to_owned() + &or_add("upsert_range"),
            Self::Edge => "g.V('upsert:hub').outE('upsert').has('k', x).fold().coalesce(__.unfold(), \
                           __.V('upsert:hub').addE('upsert').to(__.V('upsert:leaf')).property('k', x)\
                           .property('mark', m)).values('mark')"
                .to_owned(),
            Self::EdgeId => "g.E(i).fold().coalesce(__.unfold(), \
                             __.V('upsert:hub').addE('upsert_by_id').to(__.V('upsert:leaf')).property(id, i)\
                             .property('k', x).property('mark', m)).values('mark')"
                .to_owned(),
        }
    }

    /// All elements of its objects.
    fn everything(self) -> &'static str {
        match self {
            Self::Id => "g.V().hasLabel('upsert_id')",
            Self::Plain => "g.V().hasLabel('upsert_plain')",
            Self::Equality => "g.V().hasLabel('upsert_equality')",
            Self::Unique => "g.V().hasLabel('upsert_unique')",
            Self::Range => "g.V().hasLabel('upsert_range')",
            Self::Edge => "g.V('upsert:hub').outE('upsert')",
            Self::EdgeId => "g.V('upsert:hub').outE('upsert_by_id')",
        }
    }

    fn set(self, key: u64) -> String {
        format!("upsert:{self:?}:{key}")
    }
}

/// The workload; its marks are those of the round.
pub(crate) struct Upserts {
    marks: Arc<Marks>,
    /// The forms take turns.
    races: Races,
}

impl Upserts {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks, races: Races::default() }
    }

    fn upsert(&self, rng: &mut Rng) -> Step {
        let (race, all) = (self.races.join(rng), FORMS.len() as u64);
        let (form, key) = (FORMS[(race % all) as usize], race / all);
        let mark = self.marks.next();
        let blind = form.blind_script().filter(|_| rng.u32(..4) == 0);
        let merges = blind.is_none() && rng.bool();
        let script = match blind {
            Some(blind) => blind.to_owned(),
            None if merges => form.merge_script(),
            None => form.script(),
        };
        let request = Request::of(script)
            .with("i", &*form.set(key))
            .with("x", key as i64)
            .with("y", key as i64 + 1)
            .with("m", mark);
        let step = super::race(request, form.set(key), mark);
        match form {
            _ if blind.is_some() => Step { is_blind: true, ..step.of_kind("inserts") },
            _ if merges => step.of_kind("merges"),
            Form::Id => step.of_kind("upserts by id"),
            _ => step,
        }
    }

    fn read_all(&self, place: usize) -> Step {
        let form = FORMS[place];
        let script = format!("{}.project('k', 'mark').by('k').by('mark').fold()", form.everything());
        let keys = self.races.begun(place, FORMS.len());
        Step::new(Request::of(script), Vec::new(), move |results| decode_all(results, form, keys))
    }
}

fn decode_all(results: &[Value], form: Form, keys: u64) -> Result<Vec<Operation>, String> {
    let mut marks: Vec<Vec<Element>> = vec![Vec::new(); keys as usize];
    for found in answer::list(answer::one(results)?)? {
        let key = answer::length(answer::entry(found, "k")?)?;
        // Others go on with further keys.
        if let Some(of_key) = marks.get_mut(key) {
            of_key.push(answer::number(answer::entry(found, "mark")?)?);
        }
    }
    let sets = marks.into_iter().zip(0..);
    Ok(sets.map(|(elements, key)| Operation::ReadSet { set: form.set(key), elements }).collect())
}

impl Workload for Upserts {
    fn name(&self) -> &'static str {
        "upserts"
    }

    fn prepare(&self) -> Vec<Request> {
        let index = |kind: &str| {
            Request::of(format!(
                "g.call('mangrove.index.create', [label: 'upsert_{kind}', key: 'k', kind: '{kind}', wait: true])"
            ))
        };
        let ends = "g.addV('upsert').property(id, 'upsert:hub').addV('upsert').property(id, 'upsert:leaf')";
        ["equality", "unique", "range"].map(index).into_iter().chain([Request::of(ends)]).collect()
    }

    fn indexed(&self) -> Vec<Indexed> {
        vec![Indexed { label: "upsert_plain", key: "k", is_unique: false }]
    }

    fn hubs(&self) -> Vec<&'static str> {
        vec!["upsert", "upsert_by_id"]
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        if rng.u32(..20) == 0 { self.read_all(rng.usize(..FORMS.len())) } else { self.upsert(rng) }
    }

    fn last_reads(&self) -> Vec<Step> {
        (0..FORMS.len()).map(|place| self.read_all(place)).collect()
    }
}
