//! The logical plan in words.
//!
//! ```text
//! seq      V(Person.id = $0)
//! seq      out(knows)
//! branch   where all {out(likes).filter(length > 3)}
//! barrier  count()
//! ```

use super::{
    Chain, Choice, Choose, Comparison, Exists, Flow, Group, Input, Kind, Logical, Lookup, LoopCondition,
    LoopControl, Modulator, Move, Origin, PropertyWrite, Repeat, Step, Write,
};
use crate::explain::words::{Words, aggregation, move_name, property_form};
use crate::physical::{EdgeEnd, ElementKind, FetchKind, Formula};

/// A nested chain is written on lines of its own if it would be longer than this, in bytes.
const LONGEST_INLINE: usize = 100;

impl Words<'_> {
    /// The whole plan, one line for each step of the outermost chain.
    pub fn logical(&mut self, plan: &Logical) {
        self.block(&plan.root, 0);
    }

    fn block(&mut self, chain: &Chain, indent: usize) {
        for step in &chain.steps {
            let start = self.text.len();
            self.show(format_args!("{:indent$}", ""));
            self.raw(match step.kind.flow() {
                Flow::Sequential => "seq      ",
                Flow::Barrier => "barrier  ",
                Flow::Branch => "branch   ",
            });
            let head = self.text.len();
            self.step(step);
            if self.text.len() - start > LONGEST_INLINE && has_blocks(&step.kind) {
                self.text.truncate(head);
                self.step_head(step);
                self.raw("\n");
                step.kind.for_each_child(&mut |child, _| {
                    self.block(child, indent + 4);
                    self.show(format_args!("{:width$}--\n", "", width = indent + 4));
                });
                continue;
            }
            self.raw("\n");
        }
    }

    /// A chain on one line.
    pub fn chain(&mut self, chain: &Chain) {
        if self.is_brief() {
            return self.raw("…");
        }
        self.list(&chain.steps, ".", |w, step| w.step(step));
    }

    /// A step with its subqueries, on one line.
    pub fn step(&mut self, step: &Step) {
        self.step_head(step);
        match &step.kind {
            Kind::Exists(exists) => self.branches(&exists.branches),
            Kind::Coalesce(branches) | Kind::Union(branches) => self.branches(branches),
            Kind::Map(child)
            | Kind::FlatMap(child)
            | Kind::Local(child)
            | Kind::SideEffect(child)
            | Kind::Optional(child) => self.braces(child),
            Kind::Group(group) => self.braces(&group.value),
            Kind::Choose(choose) => self.choose_branches(choose),
            Kind::Repeat(repeat) => self.repeat_parts(repeat),
            _ => {}
        }
    }

    fn braces(&mut self, chain: &Chain) {
        self.raw(" {");
        self.chain(chain);
        self.raw("}");
    }

    fn branches(&mut self, branches: &[Chain]) {
        self.raw(" {");
        self.list(branches, " | ", |w, chain| w.chain(chain));
        self.raw("}");
    }

    fn choose_branches(&mut self, choose: &Choose) {
        match &choose.choice {
            Choice::If(exists, then) => {
                self.raw(" if");
                self.exists(exists);
                self.raw(" then");
                self.braces(then);
            }
            Choice::Switch(by, options) => {
                self.raw(" ");
                self.modulator(by);
                for (predicate, chain) in options {
                    self.raw(" if ");
                    self.predicate(predicate);
                    self.braces(chain);
                }
            }
        }
        for (word, branch) in [(" else", &choose.otherwise), (" unproductive", &choose.unproductive)] {
            if let Some(chain) = branch {
                self.raw(word);
                self.braces(chain);
            }
        }
    }

    fn repeat_parts(&mut self, repeat: &Repeat) {
        self.control(" before", &repeat.head);
        self.braces(&repeat.body);
        self.control("", &repeat.tail);
    }

    fn control(&mut self, when: &str, control: &LoopControl) {
        for (word, condition) in [(" until", &control.until), (" emit", &control.emit)] {
            if *condition != LoopCondition::Never {
                self.raw(when);
                self.raw(word);
                match condition {
                    LoopCondition::Never => {}
                    LoopCondition::Always => self.raw(" always"),
                    LoopCondition::Times(n) => self.show(format_args!(" {n} times")),
                    LoopCondition::Test(test) => {
                        self.raw(" ");
                        self.test(test);
                    }
                    LoopCondition::Exists(exists) => self.exists(exists),
                }
            }
        }
    }

    fn exists(&mut self, exists: &Exists) {
        self.raw(match exists.formula {
            Formula::All => " all",
            Formula::Any => " any",
            Formula::None => " none",
        });
        self.branches(&exists.branches);
    }

    /// A step without its subqueries: what `profile` calls it.
    pub fn step_head(&mut self, step: &Step) {
        self.kind(&step.kind, step.name.as_str());
        for label in &step.labels {
            self.raw(" as ");
            self.raw(&label.name);
            if let (Some(slot), false) = (label.slot, self.is_brief()) {
                self.raw(":");
                self.slot(slot);
            }
        }
    }

    fn kind(&mut self, kind: &Kind, name: &str) {
        match kind {
            Kind::Graph(access) => self.access(access.element, &access.lookup),
            Kind::Move(step) => self.vertex_step(step),
            Kind::EdgeVertex(end) => self.raw(match end {
                EdgeEnd::Out => "outV()",
                EdgeEnd::In => "inV()",
                EdgeEnd::Both => "bothV()",
                EdgeEnd::Other(_) => "otherV()",
            }),
            Kind::Degree { direction, labels } | Kind::BulkByDegree { direction, labels } => {
                self.raw(if matches!(kind, Kind::Degree { .. }) { "degree(" } else { "bulkByDegree(" });
                self.raw(move_name(*direction, false));
                self.raw(" ");
                self.edge_labels(labels);
                self.raw(")");
            }
            Kind::BulkByWalks { first, then } => self.call("bulkByWalks", |w| {
                w.hop(first);
                w.raw(", ");
                w.hop(then);
            }),
            Kind::Inject(operands) => self.call("inject", |w| w.operands(operands)),
            Kind::Identity => self.raw("identity()"),
            Kind::Filter(test) => self.call("filter", |w| w.test(test)),
            Kind::Compare(comparison) => self.call("where", |w| w.comparison(comparison)),
            Kind::Properties { keys, form } => self.call(property_form(form), |w| w.keys(keys)),
            Kind::Take(by) => self.call("take", |w| w.modulator(by)),
            Kind::Keep { into, origin, by } => self.call("keep", |w| {
                w.slot(*into);
                w.raw(": ");
                w.origin(origin, by);
            }),
            Kind::Call(function) => self.local(function),
            Kind::Unfold => self.raw("unfold()"),
            Kind::Math { expression, variables } => self.call("math", |w| {
                w.raw(expression.text());
                for (variable, origin, by) in variables {
                    w.raw("; ");
                    w.raw(variable);
                    w.raw(" is ");
                    w.origin(origin, by);
                }
            }),
            Kind::Project(entries) => self.call("project", |w| {
                w.list(entries, ", ", |w, (key, by)| {
                    w.raw(key);
                    w.raw(": ");
                    w.modulator(by);
                });
            }),
            Kind::Select(select) => self.call("select", |w| {
                w.list(&select.selections, ", ", |w, one| {
                    w.raw(&one.name);
                    w.raw(": ");
                    w.origin(&one.origin, &one.by);
                });
            }),
            Kind::Path { by, from, to } => {
                self.call("path", |w| w.list(by, ", ", |w, what| w.fetch_kind(what)));
                self.path_ends(from.as_ref(), to.as_ref());
            }
            Kind::Load(slot) => self.call("load", |w| w.slot(*slot)),
            Kind::Exists(exists) => {
                self.raw(name);
                self.raw(match exists.formula {
                    Formula::All => " all",
                    Formula::Any => " any",
                    Formula::None => " none",
                });
            }
            Kind::Write(write) => self.write_step(write),
            Kind::Fail(message) => self.call("fail", |w| w.raw(message)),
            _ => self.barrier_or_branch(kind, name),
        }
    }

    fn barrier_or_branch(&mut self, kind: &Kind, name: &str) {
        match kind {
            Kind::Dedup { keys, across_iterations } => {
                self.call("dedup", |w| w.list(keys, ", ", |w, (origin, by)| w.origin(origin, by)));
                if *across_iterations {
                    self.raw(" across iterations");
                }
            }
            Kind::Range { low, high } => self.range(*low, *high),
            Kind::Tail(n) => self.show(format_args!("tail({n})")),
            Kind::Order { keys, limit } => {
                self.call("order", |w| {
                    w.list(keys, ", ", |w, (by, order)| {
                        w.modulator(by);
                        w.raw(" ");
                        w.raw(order.as_str());
                    });
                });
                if let Some(limit) = limit {
                    self.show(format_args!(" first {limit}"));
                }
            }
            Kind::Aggregate(what) => {
                self.raw(aggregation(*what));
                self.raw("()");
            }
            Kind::Group(group) => self.group(group),
            Kind::GroupCount(group) => {
                self.call("groupCount", |w| w.modulator(&group.key));
                if let Some(id) = group.side_effect {
                    self.raw(" into ");
                    self.side_effect(id);
                }
            }
            Kind::Barrier => self.raw("barrier()"),
            Kind::HoldRepeats => self.raw("barrier(of repeats)"),
            Kind::Collect { side_effect, by, eager } => {
                self.raw(if *eager { "aggregate(" } else { "store(" });
                self.modulator(by);
                self.raw(") into ");
                self.side_effect(*side_effect);
            }
            Kind::Coin(p) => self.show(format_args!("coin({p})")),
            Kind::Sample(n, weight) => {
                self.show(format_args!("sample({n})"));
                if let Some(by) = weight {
                    self.raw(" by ");
                    self.modulator(by);
                }
            }
            Kind::Cap(ids) => self.call("cap", |w| w.list(ids, ", ", |w, id| w.side_effect(*id))),
            Kind::Discard => self.raw("discard()"),
            _ => self.raw(name),
        }
    }

    fn call(&mut self, name: &str, args: impl FnOnce(&mut Self)) {
        self.raw(name);
        self.raw("(");
        args(self);
        self.raw(")");
    }

    pub(crate) fn range(&mut self, low: u64, high: Option<u64>) {
        match high {
            Some(high) if low == 0 => self.show(format_args!("limit({high})")),
            Some(high) => self.show(format_args!("range({low}, {high})")),
            None => self.show(format_args!("skip({low})")),
        }
    }

    fn group(&mut self, group: &Group) {
        self.call("group", |w| w.modulator(&group.key));
        if let Some(id) = group.side_effect {
            self.raw(" into ");
            self.side_effect(id);
        }
    }

    fn access(&mut self, element: ElementKind, lookup: &Lookup) {
        self.raw(if element == ElementKind::Vertex { "V(" } else { "E(" });
        match lookup {
            Lookup::All => {}
            Lookup::Ids(ids) => self.operands(ids),
            Lookup::VertexLabels(labels) => {
                self.raw("label ");
                self.vertex_labels(labels);
            }
            Lookup::EdgeLabels(labels) => {
                self.raw("label ");
                self.edge_label_list(labels);
            }
            Lookup::Index { labels, key, values, spread } => {
                self.raw("index ");
                self.list(labels, "|", |w, label| w.vertex_labels(&[*label]));
                self.raw(".");
                self.key(*key);
                self.raw(if *spread { " = all of " } else { " = " });
                self.operands(values);
            }
            Lookup::Range { labels, range } => {
                self.raw("index range ");
                self.list(labels, "|", |w, label| w.vertex_labels(&[*label]));
                self.raw(": ");
                self.indexed_range(range);
            }
        }
        self.raw(")");
    }

    fn vertex_step(&mut self, step: &Move) {
        self.raw(move_name(step.direction, step.edges));
        self.raw("(");
        self.edge_labels(&step.labels);
        if let Some(test) = &step.edge_test {
            self.raw("; edges with ");
            self.test(test);
        }
        for (key, slot) in &step.fetch {
            self.raw("; fetch ");
            self.key(*key);
            self.raw(":");
            self.slot(*slot);
        }
        if step.distinct {
            self.raw("; distinct");
        }
        if let Some(sorted) = &step.sorted {
            self.raw("; ");
            self.sorted_part(sorted);
        }
        self.secondary_parts(&step.secondary);
        self.raw(")");
    }

    fn comparison(&mut self, comparison: &Comparison) {
        self.origin(&comparison.left.0, &comparison.left.1);
        self.raw(" ");
        self.predicate(&comparison.predicate);
        for (slot, origin, by) in &comparison.operands {
            self.raw("; ");
            self.slot(*slot);
            self.raw(" is ");
            self.origin(origin, by);
        }
    }

    /// A modulator, or a named object under it.
    fn origin(&mut self, origin: &Origin, by: &Modulator) {
        match origin {
            Origin::Current => return self.modulator(by),
            Origin::Slot(slot) => self.slot(*slot),
            Origin::Entry(name) => {
                self.raw("entry ");
                self.raw(name);
            }
            Origin::SideEffect(id) => self.side_effect(*id),
            Origin::Named { name, pop, .. } => {
                self.raw(pop.as_str());
                self.raw(" '");
                self.raw(name);
                self.raw("'");
            }
        }
        if !by.is_this() {
            self.raw(" by ");
            self.modulator(by);
        }
    }

    /// What a `by` says.
    pub fn modulator(&mut self, by: &Modulator) {
        match by {
            Modulator::Fetch(what) => self.fetch_kind(what),
            Modulator::FetchFrom(slot, FetchKind::This) => self.slot(*slot),
            Modulator::FetchFrom(slot, what) => {
                self.slot(*slot);
                self.raw(".");
                self.fetch_kind(what);
            }
            Modulator::Degree(direction, labels) => {
                self.raw("degree(");
                self.raw(move_name(*direction, false));
                self.raw(" ");
                self.edge_labels(labels);
                self.raw(")");
            }
            Modulator::Chain(chain) => {
                self.raw("{");
                self.chain(chain);
                self.raw("}");
            }
        }
    }

    fn write_step(&mut self, write: &Write) {
        match write {
            Write::AddVertex(add) => {
                self.raw("addV(");
                self.input(&add.label);
                self.maybe_input("; id ", add.id.as_ref());
                self.property_writes(&add.properties);
            }
            Write::AddEdge(add) => {
                self.raw("addE(");
                self.input(&add.label);
                self.maybe_input("; id ", add.id.as_ref());
                self.maybe_input("; from ", add.from.as_ref());
                self.maybe_input("; to ", add.to.as_ref());
                self.property_writes(&add.properties);
            }
            Write::SetProperty(property) => {
                self.raw("property(");
                self.property_write(property);
            }
            Write::Drop => self.raw("drop("),
        }
        self.raw(")");
    }

    fn property_writes(&mut self, properties: &[PropertyWrite]) {
        for property in properties {
            self.raw("; ");
            self.property_write(property);
        }
    }

    fn property_write(&mut self, property: &PropertyWrite) {
        if let Some(cardinality) = property.cardinality {
            self.raw(cardinality.as_str());
            self.raw(" ");
        }
        self.input(&property.key);
        self.raw(" = ");
        self.input(&property.value);
        for (key, value) in &property.meta {
            self.raw(", ");
            self.input(key);
            self.raw(" = ");
            self.input(value);
        }
    }

    fn maybe_input(&mut self, word: &str, input: Option<&Input>) {
        if let Some(input) = input {
            self.raw(word);
            self.input(input);
        }
    }

    fn input(&mut self, input: &Input) {
        match input {
            Input::Operand(operand) => self.operand(operand),
            Input::Chain(chain) => {
                self.raw("{");
                self.chain(chain);
                self.raw("}");
            }
            Input::Origin(origin) => self.origin(origin, &Modulator::THIS),
        }
    }
}

/// Whether the step's subqueries can be written on lines of their own.
fn has_blocks(kind: &Kind) -> bool {
    matches!(kind.flow(), Flow::Branch) || matches!(kind, Kind::Group(_))
}
