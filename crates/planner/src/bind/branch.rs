//! `branch`: a union of options, each for the traversers whose choice it is for.
//!
//! ```text
//! branch({b}).option(1, {x}).option(none, {y})  ─►  keep({b} → s1) ─ union {no other option ─ y}
//!                                                                          {is(s1, 1) ─ x}
//! ```
//!
//! Those for a `Pick` come first, as in TinkerPop: where an option has a barrier, results come option by option.
//!
//! An option that has an answer for nothing (`count()`) has none where nobody has chosen it, so it is entered through a `choose()`, which
//! knows that.

use gremlin::{Argument, Pick, StepName, Traversal};

use super::call::Call;
use super::filters::equal_to;
use super::{Binder, Bound, Shape};
use crate::PlanError;
use crate::logical::{Chain, Choice, Choose, Exists, Flow, Kind, Modulator, Origin, Step};
use crate::physical::{Formula, Slot, Test};

/// The options of a branch by what they are for; of each its traversal.
#[derive(Default)]
struct Options<'t> {
    any: Vec<&'t Traversal>,
    none: Vec<&'t Traversal>,
    unproductive: Vec<&'t Traversal>,
    /// With what the choice must satisfy.
    tested: Vec<(Chain, &'t Traversal)>,
}

impl Binder<'_> {
    pub(super) fn branch(&mut self, call: &Call<'_>, shape: &Shape, out: &mut Chain) -> Bound {
        let choice = self.child(call.traversal_at(0)?, shape.clone())?.0;
        let into = self.plan.new_slot();
        let by = Modulator::Chain(choice);
        Self::push(out, Kind::Keep { into, origin: Origin::Current, by }, call);
        let options = self.options(call, into, out)?;
        let tests: Vec<Chain> = options.tested.iter().map(|(test, _)| test.clone()).collect();
        let mut branches = Vec::new();
        let mut common: Option<Shape> = None;
        let mut add = |binder: &mut Self, test: Option<Step>, option: &Traversal| {
            let (chain, result) = binder.stream_child(option, shape.clone())?;
            branches.push(tested(test, chain));
            common = Some(match common.take() {
                Some(known) => known.or(result),
                None => result,
            });
            Ok::<_, PlanError>(())
        };
        for option in options.any {
            add(self, None, option)?;
        }
        let absent = || Step::new(Kind::Filter(Test::Not(Box::new(Test::Present(into)))), StepName::Branch);
        let has_unproductive = !options.unproductive.is_empty();
        for option in options.unproductive {
            add(self, Some(absent()), option)?;
        }
        for option in options.none {
            let mut chosen = tests.clone();
            if has_unproductive {
                chosen.push(Chain { steps: vec![absent()] });
            }
            // Of nothing, none.
            let test = (!chosen.is_empty()).then(|| exists(chosen, Formula::None));
            add(self, test, option)?;
        }
        for (test, option) in options.tested {
            add(self, Some(exists(vec![test], Formula::All)), option)?;
        }
        let kind = if branches.is_empty() { Kind::Discard } else { Kind::Union(branches) };
        Self::push(out, kind, call);
        Ok(common.unwrap_or_default())
    }

    /// What each option is for. Traversals among that are asked before anybody enters an option, and once: they may have effects.
    fn options<'t>(
        &mut self,
        call: &Call<'t>,
        choice: Slot,
        out: &mut Chain,
    ) -> Result<Options<'t>, PlanError> {
        let mut options = Options::default();
        for option in call.modulators(StepName::Option) {
            let option = Call::alone(option);
            let traversal = option.traversal_at(option.args.len().saturating_sub(1))?;
            let first = option.args.first().filter(|_| option.args.len() > 1);
            let test = match first {
                None | Some(Argument::Pick(Pick::Any)) => {
                    options.any.push(traversal);
                    continue;
                }
                Some(Argument::Pick(Pick::None)) => {
                    options.none.push(traversal);
                    continue;
                }
                Some(Argument::Pick(Pick::Unproductive)) => {
                    options.unproductive.push(traversal);
                    continue;
                }
                Some(Argument::Traversal(of_choice)) => {
                    let bound = self.without_past(|binder| binder.child(of_choice, Shape::unknown()));
                    let holds = self.plan.new_slot();
                    let by = Modulator::Chain(bound?.0);
                    Self::push(out, Kind::Keep { into: holds, origin: Origin::Slot(choice), by }, call);
                    Chain::of(Kind::Filter(Test::Present(holds)), StepName::Branch)
                }
                Some(Argument::Predicate(predicate)) => Chain::of(
                    Kind::Filter(Test::SlotIs(choice, self.predicate(&option, predicate)?)),
                    StepName::Branch,
                ),
                Some(value) => {
                    let same = equal_to(self.operand(&option, value)?);
                    Chain::of(Kind::Filter(Test::SlotIs(choice, same)), StepName::Branch)
                }
            };
            options.tested.push((test, traversal));
        }
        Ok(options)
    }
}

/// An option for those that a test lets through.
fn tested(test: Option<Step>, mut option: Chain) -> Chain {
    let Some(test) = test else { return option };
    if !answers_nothing(&option) {
        option.steps.insert(0, test);
        return option;
    }
    let exists = match test.kind {
        Kind::Exists(exists) => exists,
        kind => Exists { branches: vec![Chain::of(kind, StepName::Branch)], formula: Formula::All },
    };
    let choice = Choice::If(exists, option);
    let nobody = Some(Chain::of(Kind::Discard, StepName::Branch));
    Chain::of(
        Kind::Choose(Box::new(Choose { choice, otherwise: nobody, unproductive: None })),
        StepName::Branch,
    )
}

/// Whether a chain, or a branch that its stream goes through, may have a result for a stream without traversers.
fn answers_nothing(chain: &Chain) -> bool {
    chain
        .steps
        .iter()
        .any(|step| step.kind.makes_traversers() || !matches!(step.kind.flow(), Flow::Sequential))
}

fn exists(branches: Vec<Chain>, formula: Formula) -> Step {
    Step::new(Kind::Exists(Exists { branches, formula }), StepName::Branch)
}
