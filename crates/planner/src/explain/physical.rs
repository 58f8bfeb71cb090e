//! The physical plan in words: one line for each operator, with its step where it came from; scopes with their grain
//! and policy, and their pipelines further in.

use super::words::{Words, aggregation, move_name, property_form};
use crate::physical::{
    By, Condition, Control, EdgeEnd, ElementKind, ExpandTo, FetchKind, Formula, Grain, InterPolicy,
    IntraPolicy, Op, OpKind, Pipeline, Plan, Policy, Scope, ScopeKind, SelectForm, Selection, Target,
    WriteKind, WriteProperty,
};
use crate::{Rounded, Schema};

/// The text of a physical plan.
pub(crate) fn physical_text(plan: &Plan, schema: &dyn Schema) -> String {
    let mut words = Words::new(schema);
    let paths = if plan.paths { ", paths" } else { "" };
    let writes = if plan.writes { ", writes" } else { "" };
    words.show(format_args!("slots {}, parameters {}{paths}{writes}\n", plan.slots, plan.params));
    words.pipeline(&plan.root, 0);
    words.text
}

impl Words<'_> {
    fn pipeline(&mut self, pipeline: &Pipeline, indent: usize) {
        for op in pipeline.ops.iter() {
            self.show(format_args!("{:indent$}", ""));
            self.op(op);
            self.raw("\n");
            if let OpKind::Scope(scope) = &op.kind {
                self.scope_pipelines(scope, indent + 2);
            }
        }
    }

    fn op(&mut self, op: &Op) {
        self.op_kind(&op.kind);
        for label in &op.labels {
            self.raw(" as ");
            self.raw(label);
        }
        if let OpKind::Scope(scope) = &op.kind {
            self.raw(" [");
            self.raw(grain(scope.grain));
            self.policy(scope.policy);
            self.raw("]");
        }
        if op.rows > 0.0 {
            self.show(format_args!("  ~{}", Rounded(op.rows)));
        }
        if !op.step.is_empty() {
            self.raw("    ← ");
            self.raw(&op.step);
        }
    }

    fn policy(&mut self, policy: Policy) {
        let inter = match policy.inter {
            InterPolicy::BreadthFirst => "bfs",
            InterPolicy::DepthFirst => "dfs",
            InterPolicy::BothEnds => "both ends",
        };
        let intra = if policy.intra == IntraPolicy::BreadthFirst { "bfs" } else { "dfs" };
        self.show(format_args!(", inter {inter}, intra {intra}, max {}", policy.max_instances));
        if policy.ordered {
            self.raw(", in order");
        }
    }

    fn op_kind(&mut self, kind: &OpKind) {
        match kind {
            OpKind::Scan { kind, vertex_labels, edge_labels } => {
                self.raw(if *kind == ElementKind::Vertex { "ScanVertices(" } else { "ScanEdges(" });
                if let Some(labels) = vertex_labels {
                    self.vertex_labels(labels);
                }
                if let Some(labels) = edge_labels {
                    self.edge_label_list(labels);
                }
                self.raw(")");
            }
            OpKind::ById { kind, ids } => {
                self.raw(if *kind == ElementKind::Vertex { "VerticesById(" } else { "EdgesById(" });
                self.operands(&ids.0);
                self.raw(")");
            }
            OpKind::IndexLookup { label, key, values, spread } => {
                self.raw("IndexLookup(");
                self.vertex_labels(&[*label]);
                self.raw(".");
                self.key(*key);
                self.raw(if *spread { " = all of " } else { " = " });
                self.operands(values);
                self.raw(")");
            }
            OpKind::IndexRange { label, range } => {
                self.raw("IndexRange(");
                self.vertex_labels(&[*label]);
                self.raw(": ");
                self.indexed_range(range);
                self.raw(")");
            }
            OpKind::Inject(operands) => {
                self.raw("Inject(");
                self.operands(operands);
                self.raw(")");
            }
            OpKind::Expand {
                direction,
                labels,
                to,
                edge_test,
                end_test,
                fetch,
                distinct,
                sorted,
                secondary,
            } => {
                let edges = matches!(to, ExpandTo::Edges { .. });
                self.raw("Expand(");
                self.raw(move_name(*direction, edges));
                self.raw(" ");
                self.edge_labels(labels);
                if let Some(test) = edge_test {
                    self.raw("; edges with ");
                    self.test(test);
                }
                if let Some(test) = end_test {
                    self.raw("; ends with ");
                    self.test(test);
                }
                if let ExpandTo::Edges { from: Some(slot) } = to {
                    self.raw("; from ");
                    self.slot(*slot);
                }
                for (key, slot) in fetch {
                    self.raw("; ");
                    self.key(*key);
                    self.raw(" → ");
                    self.slot(*slot);
                }
                self.raw(if *distinct { "; distinct" } else { "" });
                if let Some(sorted) = sorted {
                    self.raw("; ");
                    self.sorted_part(sorted);
                }
                self.secondary_parts(secondary);
                self.raw(")");
            }
            OpKind::EdgeVertex(end) => {
                self.raw("EdgeVertex(");
                match end {
                    EdgeEnd::Out => self.raw("out"),
                    EdgeEnd::In => self.raw("in"),
                    EdgeEnd::Both => self.raw("both"),
                    EdgeEnd::Other(slot) => {
                        self.raw("other than ");
                        self.slot(*slot);
                    }
                }
                self.raw(")");
            }
            OpKind::Degree { direction, labels, into } => {
                self.raw("Degree(");
                self.raw(move_name(*direction, false));
                self.raw(" ");
                self.edge_labels(labels);
                self.raw(")");
                if let Some(slot) = into {
                    self.raw(" → ");
                    self.slot(*slot);
                }
            }
            OpKind::BulkByDegree { direction, labels } => {
                self.raw("BulkByDegree(");
                self.raw(move_name(*direction, false));
                self.raw(" ");
                self.edge_labels(labels);
                self.raw(")");
            }
            OpKind::BulkByEnds { hop, test } => {
                self.raw("BulkByEnds(");
                self.hop(hop);
                self.raw("; ends with ");
                self.test(test);
                self.raw(")");
            }
            OpKind::ExpandInto { hop, target } => {
                self.raw("ExpandInto(");
                self.hop(hop);
                match target {
                    Target::Id(id) => {
                        self.raw("; T.id = ");
                        self.operand(id);
                    }
                    Target::Slot(slot) => {
                        self.raw("; it = ");
                        self.slot(*slot);
                    }
                }
                self.raw(")");
            }
            OpKind::BulkByWalks { first, then } => {
                self.raw("BulkByWalks(");
                self.hop(first);
                self.raw(", ");
                self.hop(then);
                self.raw(")");
            }
            OpKind::Forget(slots) => {
                self.raw("Forget(");
                self.list(slots, ", ", |w, slot| w.slot(*slot));
                self.raw(")");
            }
            OpKind::Filter(test) => {
                self.raw("Filter(");
                self.test(test);
                self.raw(")");
            }
            OpKind::Properties { keys, form } => {
                self.raw("Properties(");
                self.raw(property_form(form));
                self.raw(" ");
                self.keys(keys);
                self.raw(")");
            }
            OpKind::Fetch { from, what, into } => {
                self.raw("Fetch(");
                self.by_of(from, what);
                self.raw(") → ");
                self.slot(*into);
            }
            OpKind::Store(slot) => {
                self.raw("Store → ");
                self.slot(*slot);
            }
            OpKind::Load(slot) => {
                self.raw("Load(");
                self.slot(*slot);
                self.raw(")");
            }
            _ => self.other_op(kind),
        }
    }

    fn other_op(&mut self, kind: &OpKind) {
        match kind {
            OpKind::Local(function) => {
                self.raw("Local(");
                self.local(function);
                self.raw(")");
            }
            OpKind::Unfold => self.raw("Unfold"),
            OpKind::Math { expression, variables } => {
                self.raw("Math(");
                self.raw(expression.text());
                for (name, slot) in variables {
                    if let Some(slot) = slot {
                        self.raw("; ");
                        self.raw(name);
                        self.raw(" in ");
                        self.slot(*slot);
                    }
                }
                self.raw(")");
            }
            OpKind::Project { entries } => {
                self.raw("Project(");
                self.list(entries, ", ", |w, (key, by)| {
                    w.raw(key);
                    w.raw(": ");
                    w.by(by);
                });
                self.raw(")");
            }
            OpKind::Select { selections, form } => {
                self.raw(if *form == SelectForm::One { "SelectOne(" } else { "Select(" });
                self.list(selections, ", ", Self::selection);
                self.raw(")");
            }
            OpKind::Path { by, from, to } => {
                self.raw("Path(");
                self.list(by, ", ", |w, what| w.fetch_kind(what));
                self.raw(")");
                self.path_ends(from.as_ref(), to.as_ref());
            }
            OpKind::Dedup { by, across_iterations, in_pieces } => {
                self.raw("Dedup(");
                self.list(by, ", ", |w, by| w.by(by));
                self.raw(if *across_iterations { "; across iterations" } else { "" });
                self.raw(if *in_pieces { "; done in pieces)" } else { ")" });
            }
            OpKind::Range { low, high } => {
                self.raw("Range ");
                self.range(*low, *high);
            }
            OpKind::Tail(n) => self.show(format_args!("Tail({n})")),
            OpKind::Order { keys, limit } => {
                self.raw("Order(");
                self.list(keys, ", ", |w, key| {
                    w.by(&key.by);
                    w.raw(" ");
                    w.raw(key.order.as_str());
                });
                self.raw(")");
                if let Some(limit) = limit {
                    self.show(format_args!(" first {limit}"));
                }
            }
            OpKind::Aggregate(what) => {
                self.raw("Aggregate(");
                self.raw(aggregation(*what));
                self.raw(")");
            }
            OpKind::GroupCount { key, side_effect } => {
                self.raw("GroupCount(");
                self.by(key);
                self.raw(")");
                if let Some(id) = side_effect {
                    self.raw(" into ");
                    self.side_effect(*id);
                }
            }
            OpKind::Barrier { first_passes: false } => self.raw("Barrier"),
            OpKind::Barrier { first_passes: true } => self.raw("Barrier(of repeats)"),
            OpKind::Collect { side_effect, by, eager } => {
                self.raw(if *eager { "Collect(" } else { "CollectLazily(" });
                self.by(by);
                self.raw(") into ");
                self.side_effect(*side_effect);
            }
            OpKind::Unmerge => self.raw("Unmerge"),
            OpKind::Gather => self.raw("Gather"),
            OpKind::OneByOne => self.raw("OneByOne"),
            OpKind::Coin(p) => self.show(format_args!("Coin({p})")),
            OpKind::Sample(n, weight) => {
                self.show(format_args!("Sample({n})"));
                if let Some(slot) = weight {
                    self.raw(" by ");
                    self.slot(*slot);
                }
            }
            OpKind::Cap(ids) => {
                self.raw("Cap(");
                self.list(ids, ", ", |w, id| w.side_effect(*id));
                self.raw(")");
            }
            OpKind::Discard => self.raw("Discard"),
            OpKind::Write(write) => self.write_op(write),
            OpKind::Fail(message) => {
                self.raw("Fail(");
                self.raw(message);
                self.raw(")");
            }
            OpKind::Scope(scope) => self.scope(scope),
            OpKind::LoopControl { until, emit } => {
                self.raw("LoopControl");
                self.conditions(until, emit);
            }
            _ => {}
        }
    }

    fn by(&mut self, by: &By) {
        match by {
            By::Current => self.raw("it"),
            By::Slot(slot) => self.slot(*slot),
        }
    }

    fn by_of(&mut self, by: &By, what: &FetchKind) {
        self.by(by);
        if *what != FetchKind::This {
            self.raw(".");
            self.fetch_kind(what);
        }
    }

    fn selection(&mut self, selection: &Selection) {
        self.raw(&selection.name);
        self.raw(": ");
        match (selection.by, selection.slot) {
            (Some(slot), _) | (None, Some(slot)) => self.slot(slot),
            (None, None) => self.raw(selection.pop.as_str()),
        }
    }

    fn scope(&mut self, scope: &Scope) {
        match &scope.kind {
            ScopeKind::Filter { formula, mark, .. } => {
                self.raw(match formula {
                    Formula::All => "FilterScope(all)",
                    Formula::Any => "FilterScope(any)",
                    Formula::None => "FilterScope(none)",
                });
                if let Some(slot) = mark {
                    self.raw(" → ");
                    self.slot(*slot);
                }
            }
            ScopeKind::Apply { from, into, .. } => {
                self.raw("ApplyScope");
                if *from != By::Current {
                    self.raw("(");
                    self.by(from);
                    self.raw(")");
                }
                if let Some(slot) = into {
                    self.raw(" → ");
                    self.slot(*slot);
                }
            }
            ScopeKind::FlatMap { .. } => self.raw("FlatMapScope"),
            ScopeKind::SideEffect { .. } => self.raw("SideEffectScope"),
            ScopeKind::Coalesce { .. } => self.raw("CoalesceScope"),
            ScopeKind::Union { .. } => self.raw("UnionScope"),
            ScopeKind::If { mark: by, .. } | ScopeKind::Switch { choice: by, .. } => {
                self.raw("ChooseScope(");
                self.slot(*by);
                self.raw(")");
            }
            ScopeKind::Repeat { head, tail, .. } => {
                self.raw("RepeatScope");
                head.iter().for_each(|point| self.loop_control(" before:", point));
                tail.iter().for_each(|point| self.loop_control(" after:", point));
            }
            ScopeKind::Group { key, side_effect, .. } => {
                self.raw("GroupScope(");
                self.by(key);
                self.raw(")");
                if let Some(id) = side_effect {
                    self.raw(" into ");
                    self.side_effect(*id);
                }
            }
            ScopeKind::Inline { .. } => self.raw("InlineScope"),
            ScopeKind::Exchange { .. } => self.raw("ExchangeScope"),
        }
    }

    fn loop_control(&mut self, when: &str, control: &Control) {
        self.raw(when);
        self.conditions(&control.until, &control.emit);
    }

    fn conditions(&mut self, until: &Condition, emit: &Condition) {
        for (word, condition) in [(" until ", until), (" emit ", emit)] {
            if *condition != Condition::Never {
                self.raw(word);
                self.condition(condition);
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Never => self.raw("never"),
            Condition::Always => self.raw("always"),
            Condition::Times(n) => self.show(format_args!("{n} times")),
            Condition::Test(test) => self.test(test),
            Condition::Either(a, b) => {
                self.condition(a);
                self.raw(" or ");
                self.condition(b);
            }
        }
    }

    fn scope_pipelines(&mut self, scope: &Scope, indent: usize) {
        let named = |words: &mut Self, name: &str, pipeline: &Pipeline| {
            words.show(format_args!("{:indent$}{name}\n", ""));
            words.pipeline(pipeline, indent + 2);
        };
        match &scope.kind {
            ScopeKind::Filter { branches, .. }
            | ScopeKind::Coalesce { branches }
            | ScopeKind::Union { branches } => {
                if let [branch] = &branches[..] {
                    return self.pipeline(branch, indent);
                }
                for branch in branches {
                    named(self, "branch:", branch);
                }
            }
            ScopeKind::Apply { child, .. }
            | ScopeKind::FlatMap { child }
            | ScopeKind::SideEffect { child }
            | ScopeKind::Group { value: child, .. }
            | ScopeKind::Inline { child }
            | ScopeKind::Exchange { child, .. } => self.pipeline(child, indent),
            ScopeKind::If { then, otherwise, .. } => {
                named(self, "then:", then);
                otherwise.iter().for_each(|branch| named(self, "else:", branch));
            }
            ScopeKind::Switch { options, otherwise, unproductive, .. } => {
                for (option, branch) in options {
                    self.show(format_args!("{:indent$}if it ", ""));
                    self.predicate(option);
                    self.raw(":\n");
                    self.pipeline(branch, indent + 2);
                }
                for (name, branch) in [("else:", otherwise), ("unproductive:", unproductive)] {
                    if let Some(branch) = branch {
                        named(self, name, branch);
                    }
                }
            }
            ScopeKind::Repeat { head, body, tail } => {
                for (name, control) in [("tests before:", head), ("tests after:", tail)] {
                    for point in control.iter().filter(|point| !point.tests.ops.is_empty()) {
                        named(self, name, &point.tests);
                    }
                }
                self.pipeline(body, indent);
            }
        }
    }

    fn write_op(&mut self, write: &WriteKind) {
        match write {
            WriteKind::AddVertex { label, properties, .. } => {
                self.raw("AddVertex(");
                self.operand(label);
                self.write_properties(properties);
            }
            WriteKind::AddEdge { label, from, to, properties, .. } => {
                self.raw("AddEdge(");
                self.operand(label);
                for (word, end) in [("; from ", from), ("; to ", to)] {
                    if let Some(operand) = end {
                        self.raw(word);
                        self.operand(operand);
                    }
                }
                self.write_properties(properties);
            }
            WriteKind::SetProperty(property) => {
                self.raw("SetProperty(");
                self.write_property(property);
            }
            WriteKind::Drop => self.raw("Drop("),
        }
        self.raw(")");
    }

    fn write_properties(&mut self, properties: &[WriteProperty]) {
        for property in properties {
            self.raw("; ");
            self.write_property(property);
        }
    }

    fn write_property(&mut self, property: &WriteProperty) {
        self.operand(&property.key);
        self.raw(" = ");
        self.operand(&property.value);
    }
}

fn grain(grain: Grain) -> &'static str {
    match grain {
        Grain::Traverser => "per traverser",
        Grain::Batch => "per batch",
        Grain::Stream => "per stream",
        Grain::Iteration => "per iteration",
    }
}
