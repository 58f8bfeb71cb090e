//! Which slots an operator reads and which it fills.

use std::sync::Arc;

use super::{
    By, Condition, Control, EdgeEnd, ExpandTo, Op, OpKind, Operand, Pipeline, Predicate, Scope, ScopeKind,
    Slot, Target, Test, WriteKind, WriteProperty,
};

/// What an operator does with a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It reads it.
    Read,
    /// It fills it.
    Fill,
}

type Visit<'v> = &'v mut dyn FnMut(&mut Slot, Use);

impl Operand {
    pub(crate) fn for_each_slot(&mut self, visit: Visit<'_>) {
        if let Self::Slot(slot) = self {
            visit(slot, Use::Read);
        }
    }
}

impl By {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        if let Self::Slot(slot) = self {
            visit(slot, Use::Read);
        }
    }
}

impl Predicate {
    pub(crate) fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::Compare(_, operand) | Self::Text(_, operand) => operand.for_each_slot(visit),
            Self::Within { members, .. } => members.iter_mut().for_each(|member| member.for_each_slot(visit)),
            Self::TypeOf(_) => {}
            Self::And(parts) | Self::Or(parts) => parts.iter_mut().for_each(|part| part.for_each_slot(visit)),
            Self::Not(inner) => inner.for_each_slot(visit),
        }
    }
}

impl Test {
    pub(crate) fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::SlotIs(slot, predicate) => {
                visit(slot, Use::Read);
                predicate.for_each_slot(visit);
            }
            Self::Is(predicate)
            | Self::Has(_, predicate)
            | Self::HasNamed(_, predicate)
            | Self::HasId(predicate)
            | Self::LabelIs(predicate)
            | Self::PropertyKey(predicate)
            | Self::PropertyValue(predicate)
            | Self::Members(_, predicate)
            | Self::Loops(predicate) => predicate.for_each_slot(visit),
            Self::Mark(slot) | Self::Present(slot) | Self::Given(slot, _) => visit(slot, Use::Read),
            Self::HasKey(_) | Self::Label { .. } | Self::SimplePath(..) | Self::Constant(_) => {}
            Self::And(parts) | Self::Or(parts) => parts.iter_mut().for_each(|part| part.for_each_slot(visit)),
            Self::Not(inner) => inner.for_each_slot(visit),
        }
    }
}

impl Condition {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::Test(test) => test.for_each_slot(visit),
            Self::Either(a, b) => {
                a.for_each_slot(visit);
                b.for_each_slot(visit);
            }
            Self::Never | Self::Always | Self::Times(_) => {}
        }
    }
}

impl Control {
    /// The slots of the conditions; not those of the tests before them.
    pub(crate) fn for_each_condition_slot(&mut self, visit: Visit<'_>) {
        self.until.for_each_slot(visit);
        self.emit.for_each_slot(visit);
    }
}

impl WriteProperty {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.key.for_each_slot(visit);
        self.value.for_each_slot(visit);
        for (key, value) in &mut self.meta {
            key.for_each_slot(visit);
            value.for_each_slot(visit);
        }
    }
}

impl WriteKind {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::AddVertex { label, id, properties } => {
                label.for_each_slot(visit);
                id.iter_mut().for_each(|id| id.for_each_slot(visit));
                properties.iter_mut().for_each(|property| property.for_each_slot(visit));
            }
            Self::AddEdge { label, id, from, to, properties } => {
                label.for_each_slot(visit);
                [id, from, to].into_iter().flatten().for_each(|operand| operand.for_each_slot(visit));
                properties.iter_mut().for_each(|property| property.for_each_slot(visit));
            }
            Self::SetProperty(property) => property.for_each_slot(visit),
            Self::Drop => {}
        }
    }
}

impl OpKind {
    /// Visits the slots that the operator itself names; of a scope those of the scope, not of its pipelines.
    pub(crate) fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::ById { ids, .. } => ids.0.iter_mut().for_each(|id| id.for_each_slot(visit)),
            Self::IndexLookup { values, .. } => {
                values.iter_mut().for_each(|value| value.for_each_slot(visit))
            }
            Self::IndexRange { range, .. } => {
                range.operands().for_each(|operand| operand.for_each_slot(visit))
            }
            Self::Inject(operands) => operands.iter_mut().for_each(|operand| operand.for_each_slot(visit)),
            Self::BulkByEnds { test, .. } => test.for_each_slot(visit),
            Self::ExpandInto { target: Target::Id(id), .. } => id.for_each_slot(visit),
            Self::ExpandInto { target: Target::Slot(slot), .. } => visit(slot, Use::Read),
            Self::Expand { to, edge_test, end_test, fetch, .. } => {
                edge_test.iter_mut().chain(end_test).for_each(|test| test.for_each_slot(visit));
                if let ExpandTo::Edges { from: Some(from) } = to {
                    visit(from, Use::Fill);
                }
                fetch.iter_mut().for_each(|(_, slot)| visit(slot, Use::Fill));
            }
            Self::EdgeVertex(EdgeEnd::Other(slot)) | Self::Load(slot) => visit(slot, Use::Read),
            Self::Degree { into, .. } => into.iter_mut().for_each(|slot| visit(slot, Use::Fill)),
            Self::Filter(test) => test.for_each_slot(visit),
            Self::Fetch { from, into, .. } => {
                from.for_each_slot(visit);
                visit(into, Use::Fill);
            }
            Self::Store(slot) => visit(slot, Use::Fill),
            Self::Local(super::LocalFn::Constant(operand)) => operand.for_each_slot(visit),
            Self::Math { variables, .. } => {
                variables
                    .iter_mut()
                    .filter_map(|(_, slot)| slot.as_mut())
                    .for_each(|slot| visit(slot, Use::Read));
            }
            Self::Project { entries } => entries.iter_mut().for_each(|(_, by)| by.for_each_slot(visit)),
            Self::Select { selections, .. } => {
                for selection in selections {
                    selection.slot.iter_mut().for_each(|slot| visit(slot, Use::Read));
                    selection.by.iter_mut().for_each(|slot| visit(slot, Use::Read));
                }
            }
            Self::Dedup { by, .. } => by.iter_mut().for_each(|by| by.for_each_slot(visit)),
            Self::Order { keys, .. } => keys.iter_mut().for_each(|key| key.by.for_each_slot(visit)),
            Self::GroupCount { key, .. } => key.for_each_slot(visit),
            Self::Collect { by, .. } => by.for_each_slot(visit),
            Self::Sample(_, Some(weight)) => visit(weight, Use::Read),
            Self::Write(write) => write.for_each_slot(visit),
            Self::LoopControl { until, emit } => {
                until.for_each_slot(visit);
                emit.for_each_slot(visit);
            }
            Self::Scope(scope) => scope.for_each_slot(visit),
            Self::Scan { .. }
            | Self::EdgeVertex(_)
            | Self::BulkByDegree { .. }
            | Self::BulkByWalks { .. }
            | Self::Forget(_)
            | Self::Properties { .. }
            | Self::Local(_)
            | Self::Unfold
            | Self::Path { .. }
            | Self::Range { .. }
            | Self::Tail(_)
            | Self::Aggregate(_)
            | Self::Barrier { .. }
            | Self::Coin(_)
            | Self::Unmerge
            | Self::Gather
            | Self::OneByOne
            | Self::Sample(_, None)
            | Self::Cap(_)
            | Self::Discard
            | Self::Fail(_) => {}
        }
    }
}

impl Scope {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match &mut self.kind {
            ScopeKind::Filter { mark, .. } => mark.iter_mut().for_each(|slot| visit(slot, Use::Fill)),
            ScopeKind::Apply { from, into, .. } => {
                from.for_each_slot(visit);
                into.iter_mut().for_each(|slot| visit(slot, Use::Fill));
            }
            ScopeKind::If { mark, .. } => visit(mark, Use::Read),
            ScopeKind::Switch { choice, options, .. } => {
                visit(choice, Use::Read);
                options.iter_mut().for_each(|(predicate, _)| predicate.for_each_slot(visit));
            }
            ScopeKind::Group { key, .. } => key.for_each_slot(visit),
            ScopeKind::Repeat { head, tail, .. } => {
                head.iter_mut().chain(tail).for_each(|control| control.for_each_condition_slot(visit));
            }
            _ => {}
        }
    }

    /// Visits the scope's pipelines, those of loop controls included.
    pub(crate) fn for_each_pipeline(&mut self, visit: &mut dyn FnMut(&mut Pipeline)) {
        match &mut self.kind {
            ScopeKind::Filter { branches, .. }
            | ScopeKind::Coalesce { branches }
            | ScopeKind::Union { branches } => {
                branches.iter_mut().for_each(visit);
            }
            ScopeKind::Apply { child, .. }
            | ScopeKind::FlatMap { child }
            | ScopeKind::SideEffect { child }
            | ScopeKind::Group { value: child, .. }
            | ScopeKind::Inline { child }
            | ScopeKind::Exchange { child, .. } => visit(child),
            ScopeKind::If { then, otherwise, .. } => [then].into_iter().chain(otherwise).for_each(visit),
            ScopeKind::Switch { options, otherwise, unproductive, .. } => {
                options.iter_mut().for_each(|(_, branch)| visit(branch));
                otherwise.iter_mut().chain(unproductive).for_each(visit);
            }
            ScopeKind::Repeat { head, body, tail } => {
                head.iter_mut().for_each(|control| visit(&mut control.tests));
                visit(body);
                tail.iter_mut().for_each(|control| visit(&mut control.tests));
            }
        }
    }
}

impl Pipeline {
    /// Visits every operator of the pipeline and of the pipelines inside it.
    pub(crate) fn for_each_op(&mut self, visit: &mut dyn FnMut(&mut Op)) {
        // Plans under construction are not shared, so nothing is copied here.
        for op in Arc::make_mut(&mut self.ops) {
            visit(op);
            if let OpKind::Scope(scope) = &mut op.kind {
                scope.for_each_pipeline(&mut |pipeline| pipeline.for_each_op(visit));
            }
        }
    }
}
