//! The words for what logical and physical plans share: tests, predicates, operands, labels.

use std::fmt::Write as _;

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use gremlin::{Order, PredicateOp, TextOp};
use values::{Direction, Str, T, Value, watch};

use crate::Schema;
use crate::physical::{
    Aggregation, EdgeLabels, FetchKind, Hop, IndexedRange, LocalFn, LocalSort, MapKeys, Operand, Predicate,
    PropertyForm, Quantifier, SideEffectId, Slot, SortedPart, Test,
};

/// Writes plans down.
pub(crate) struct Words<'a> {
    /// Names of ids.
    pub schema: &'a dyn Schema,
    /// What has been written.
    pub text: String,
    /// Whether subqueries and slots are left out: names of steps say neither.
    brief: bool,
}

impl<'a> Words<'a> {
    /// Nothing written yet.
    pub fn new(schema: &'a dyn Schema) -> Self {
        Self { schema, text: String::with_capacity(64), brief: false }
    }

    /// As [`Words::new`], for the name of a step.
    pub fn brief(schema: &'a dyn Schema) -> Self {
        Self { brief: true, ..Self::new(schema) }
    }

    /// Whether subqueries and slots are left out.
    pub fn is_brief(&self) -> bool {
        self.brief
    }

    /// Writes text as it is.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes something with a text of its own.
    pub fn show(&mut self, what: impl std::fmt::Display) {
        // Writing into a string cannot fail.
        let _ = write!(self.text, "{what}");
    }

    /// Writes items with a separator between them.
    pub fn list<I: IntoIterator>(
        &mut self,
        items: I,
        separator: &str,
        mut one: impl FnMut(&mut Self, I::Item),
    ) {
        for (i, item) in items.into_iter().enumerate() {
            watch::tick();
            if i > 0 {
                self.raw(separator);
            }
            one(self, item);
        }
    }

    pub fn slot(&mut self, slot: Slot) {
        if self.brief {
            return self.raw("…");
        }
        self.raw("s");
        self.show(slot.0);
    }

    pub fn side_effect(&mut self, id: SideEffectId) {
        self.raw("side-effect ");
        self.show(id.0);
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::String(s) => {
                self.raw("'");
                self.raw(s);
                self.raw("'");
            }
            Value::Null => self.raw("null"),
            Value::Bool(v) => self.show(v),
            Value::Float(v) => self.show(v),
            Value::Double(v) => self.show(v),
            Value::T(t) => self.token(*t),
            Value::List(items) => {
                self.raw("[");
                self.list(items.iter(), ", ", |w, item| w.value(item));
                self.raw("]");
            }
            other => match other.as_i64() {
                Some(number) => self.show(number),
                None => self.show(format_args!("{other:?}")),
            },
        }
    }

    pub fn token(&mut self, token: T) {
        self.raw(match token {
            T::Id => "T.id",
            T::Label => "T.label",
            T::Key => "T.key",
            T::Value => "T.value",
        });
    }

    pub fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Const(value) => self.value(value),
            Operand::Param(index) => {
                self.raw("$");
                self.show(index);
            }
            Operand::Slot(slot) => self.slot(*slot),
            Operand::SideEffect(id) => self.side_effect(*id),
        }
    }

    /// Which part of ordered lists is wanted.
    pub(crate) fn sorted_part(&mut self, part: &SortedPart) {
        if let Some(top) = part.top {
            self.raw(if top.descending { "last " } else { "first " });
            self.raw(&top.limit.to_string());
            self.raw(" by ");
            self.key(part.key);
        }
        if part.top.is_some() && (part.low.is_some() || part.high.is_some()) {
            self.raw("; ");
        }
        if part.low.is_some() || part.high.is_some() {
            self.key(part.key);
        }
        if let Some(low) = &part.low {
            self.raw(" from ");
            self.operand(low);
        }
        if let Some(high) = &part.high {
            self.raw(" to ");
            self.operand(high);
        }
    }

    /// By which keys a secondary edge-tree would be of use.
    pub(crate) fn secondary_parts(&mut self, parts: &[SortedPart]) {
        if !parts.is_empty() {
            self.raw("; secondary by ");
            self.list(parts, " or ", |w, part| w.key(part.key));
        }
    }

    pub fn operands(&mut self, operands: &[Operand]) {
        self.list(operands, ", ", |w, operand| w.operand(operand));
    }

    /// The range of an index: `city = 'x', age from 3 to 9`.
    pub fn indexed_range(&mut self, range: &IndexedRange) {
        for (place, (key, operand)) in range.keys.iter().zip(&range.equal).enumerate() {
            self.raw(if place > 0 { ", " } else { "" });
            self.key(*key);
            self.raw(" = ");
            self.operand(operand);
        }
        let Some(next) = range.keys.get(range.equal.len()) else { return };
        if range.low.is_some() || range.high.is_some() || range.order.is_some() {
            self.raw(if range.equal.is_empty() { "" } else { ", " });
            self.key(*next);
        }
        for (word, end) in [(" from ", &range.low), (" to ", &range.high)] {
            if let Some(operand) = end {
                self.raw(word);
                self.operand(operand);
            }
        }
        match range.order {
            Some(Order::Desc) => self.raw(" descending"),
            Some(_) => self.raw(" ascending"),
            None => {}
        }
    }

    /// A predicate as what follows its subject: `> 3`.
    pub fn predicate(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::Compare(op, operand) => {
                self.raw(comparison(*op));
                self.raw(" ");
                self.operand(operand);
            }
            Predicate::Within { members, spread } => {
                self.raw(if *spread { "within all of (" } else { "within (" });
                self.operands(members);
                self.raw(")");
            }
            Predicate::Text(op, operand) => {
                self.raw(text_test(*op));
                self.raw(" ");
                self.operand(operand);
            }
            Predicate::TypeOf(name) => {
                self.raw("is a ");
                self.raw(name);
            }
            Predicate::And(parts) => self.parts(parts, " and ", Self::predicate),
            Predicate::Or(parts) => self.parts(parts, " or ", Self::predicate),
            Predicate::Not(inner) => {
                self.raw("not (");
                self.predicate(inner);
                self.raw(")");
            }
        }
    }

    fn parts<P>(&mut self, parts: &[P], separator: &str, one: impl Fn(&mut Self, &P)) {
        self.raw("(");
        self.list(parts, separator, |w, part| one(w, part));
        self.raw(")");
    }

    fn about(&mut self, subject: &str, predicate: &Predicate) {
        self.raw(subject);
        self.raw(" ");
        self.predicate(predicate);
    }

    pub fn test(&mut self, test: &Test) {
        match test {
            Test::Is(predicate) => self.about("it", predicate),
            Test::SlotIs(slot, predicate) => {
                self.slot(*slot);
                self.raw(" ");
                self.predicate(predicate);
            }
            Test::Has(key, predicate) => {
                let name = self.schema.key_name(*key);
                self.about(&name, predicate);
            }
            Test::HasKey(key) => {
                self.raw("has ");
                self.key(*key);
            }
            Test::HasNamed(name, predicate) => self.about(name, predicate),
            Test::HasId(predicate) => self.about("T.id", predicate),
            Test::Label { vertex, edge } => {
                self.raw("label in (");
                self.vertex_labels(vertex);
                if !edge.is_empty() {
                    self.raw("; edges: ");
                    self.edge_label_list(edge);
                }
                self.raw(")");
            }
            Test::LabelIs(predicate) => self.about("T.label", predicate),
            Test::PropertyKey(predicate) => self.about("T.key", predicate),
            Test::PropertyValue(predicate) => self.about("T.value", predicate),
            Test::Members(quantifier, predicate) => {
                let subject = match quantifier {
                    Quantifier::Any => "any member",
                    Quantifier::All => "all members",
                    Quantifier::None => "no member",
                };
                self.about(subject, predicate);
            }
            Test::Mark(slot) => {
                self.raw("mark ");
                self.slot(*slot);
            }
            Test::Present(slot) => {
                self.raw("present ");
                self.slot(*slot);
            }
            Test::Given(slot, name) => {
                self.raw(&format!("given {name} "));
                self.slot(*slot);
            }
            Test::SimplePath(from, to) => {
                self.raw("simple path");
                self.path_ends(from.as_ref(), to.as_ref());
            }
            Test::Loops(predicate) => self.about("loops", predicate),
            Test::Constant(value) => self.show(value),
            Test::And(parts) => self.parts(parts, " and ", Self::test),
            Test::Or(parts) => self.parts(parts, " or ", Self::test),
            Test::Not(inner) => {
                self.raw("not (");
                self.test(inner);
                self.raw(")");
            }
        }
    }

    pub fn path_ends(&mut self, from: Option<&Str>, to: Option<&Str>) {
        for (word, end) in [(" from '", from), (" to '", to)] {
            if let Some(name) = end {
                self.raw(word);
                self.raw(name);
                self.raw("'");
            }
        }
    }

    pub fn key(&mut self, key: KeyId) {
        let name = self.schema.key_name(key);
        self.raw(&name);
    }

    pub fn vertex_labels(&mut self, labels: &[VertexLabelId]) {
        self.list(labels, ", ", |w, label| {
            let name = w.schema.vertex_label_name(*label);
            w.raw(&name);
        });
    }

    pub fn edge_label_list(&mut self, labels: &[EdgeLabelId]) {
        self.list(labels, ", ", |w, label| {
            let name = w.schema.edge_label_name(*label);
            w.raw(&name);
        });
    }

    /// A step along edges, such as `out knows`.
    pub fn hop(&mut self, hop: &Hop) {
        self.raw(move_name(hop.direction, false));
        self.raw(" ");
        self.edge_labels(&hop.labels);
    }

    pub fn edge_labels(&mut self, labels: &EdgeLabels) {
        match labels {
            EdgeLabels::All => {}
            EdgeLabels::Only(labels) if labels.is_empty() => self.raw("no label"),
            EdgeLabels::Only(labels) => self.edge_label_list(labels),
        }
    }

    pub fn fetch_kind(&mut self, what: &FetchKind) {
        match what {
            FetchKind::This => self.raw("it"),
            FetchKind::Property(name, _) | FetchKind::Only(name, _) => self.raw(name),
            FetchKind::Token(token) => self.token(*token),
            FetchKind::Column(column) => self.raw(column.as_str()),
        }
    }

    pub fn keys(&mut self, keys: &MapKeys) {
        self.list(&keys.names, ", ", |w, name| w.raw(name));
    }

    pub fn local(&mut self, function: &LocalFn) {
        let name = match function {
            LocalFn::Count => "count(local)",
            LocalFn::Sum => "sum(local)",
            LocalFn::Min => "min(local)",
            LocalFn::Max => "max(local)",
            LocalFn::Mean => "mean(local)",
            LocalFn::Dedup => "dedup(local)",
            LocalFn::Id => "id()",
            LocalFn::Label => "label()",
            LocalFn::Key => "key()",
            LocalFn::Value => "value()",
            LocalFn::Loops => "loops()",
            LocalFn::Range(low, high) => return self.show(format_args!("range(local, {low}, {high})")),
            LocalFn::Tail(n) => return self.show(format_args!("tail(local, {n})")),
            LocalFn::Order(keys) => {
                self.raw("order(local)");
                return keys.iter().for_each(|(sort, order)| {
                    self.raw(" by ");
                    match sort {
                        LocalSort::Member => self.raw("it"),
                        LocalSort::Column(column) => self.raw(column.as_str()),
                        LocalSort::Property(name, _) => self.raw(name),
                        LocalSort::Token(token) => self.token(*token),
                    }
                    self.raw(" ");
                    self.raw(order.as_str());
                });
            }
            LocalFn::Constant(operand) => {
                self.raw("constant(");
                self.operand(operand);
                return self.raw(")");
            }
            LocalFn::Column(column) => return self.show(format_args!("select({})", column.as_str())),
            LocalFn::MapEntry(key) => {
                self.raw("select(");
                self.value(key);
                return self.raw(")");
            }
            LocalFn::Named(name, args) | LocalFn::Each(name, args) => {
                self.raw(name.as_str());
                self.raw(if matches!(function, LocalFn::Each(..)) { "(local; " } else { "(" });
                self.list(args, ", ", |w, arg| w.value(arg));
                return self.raw(")");
            }
        };
        self.raw(name);
    }
}

/// The sign of a comparison.
fn comparison(op: PredicateOp) -> &'static str {
    match op {
        PredicateOp::Eq => "=",
        PredicateOp::Neq => "!=",
        PredicateOp::Lt => "<",
        PredicateOp::Lte => "<=",
        PredicateOp::Gt => ">",
        PredicateOp::Gte => ">=",
    }
}

fn text_test(op: TextOp) -> &'static str {
    match op {
        TextOp::StartingWith => "starts with",
        TextOp::NotStartingWith => "does not start with",
        TextOp::EndingWith => "ends with",
        TextOp::NotEndingWith => "does not end with",
        TextOp::Containing => "contains",
        TextOp::NotContaining => "does not contain",
        TextOp::Regex => "matches",
        TextOp::NotRegex => "does not match",
    }
}

/// The name of a vertex step: `out`, `bothE`, …
pub(crate) fn move_name(direction: Direction, edges: bool) -> &'static str {
    match (direction, edges) {
        (Direction::Out, false) => "out",
        (Direction::In, false) => "in",
        (Direction::Both, false) => "both",
        (Direction::Out, true) => "outE",
        (Direction::In, true) => "inE",
        (Direction::Both, true) => "bothE",
    }
}

/// The name of an aggregation.
pub(crate) fn aggregation(aggregation: Aggregation) -> &'static str {
    match aggregation {
        Aggregation::Count => "count",
        Aggregation::Sum => "sum",
        Aggregation::Min => "min",
        Aggregation::Max => "max",
        Aggregation::Mean => "mean",
        Aggregation::Fold => "fold",
    }
}

/// The name of a property step.
pub(crate) fn property_form(form: &PropertyForm) -> &'static str {
    match form {
        PropertyForm::Values => "values",
        PropertyForm::Properties => "properties",
        PropertyForm::ValueMap { .. } => "valueMap",
        PropertyForm::ElementMap => "elementMap",
        PropertyForm::PropertyMap => "propertyMap",
    }
}
