//! The syntax tree.

use values::{Direction, GType, Str, T, Value};

use crate::name_index::NameIndex;

/// A whole traversal (`g.V().out()`), or an anonymous one (`__.out()`), as it was written.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Traversal {
    /// Source instructions (`withSideEffect`, `with`, `withStrategies`, …), in order. Empty for an anonymous traversal.
    pub source: Vec<Instruction<SourceName>>,
    /// Steps, in order.
    pub steps: Vec<Instruction<StepName>>,
}

/// One call: a step or a source instruction with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<N> {
    /// What is called.
    pub name: N,
    /// The arguments as given; variable arguments are flattened.
    pub args: Vec<Argument>,
    /// Where the call stands in the text; `None` when it came as bytecode.
    pub at: Option<Position>,
}

impl<N> Instruction<N> {
    /// A call that stands where another one was written.
    pub fn new(name: N, args: Vec<Argument>, at: Option<Position>) -> Self {
        Self { name, args, at }
    }
}

impl Traversal {
    /// An anonymous traversal.
    pub fn anonymous(steps: Vec<Instruction<StepName>>) -> Self {
        Self { source: Vec::new(), steps }
    }
}

/// A place in Gremlin text. Both count from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A literal or bound value; also the tokens that are values (`T.id`, `Direction.OUT`).
    Value(Value),
    /// A bytecode binding: a named value that may change between runs of the same traversal.
    Binding(Str, Box<Argument>),
    /// An anonymous traversal.
    Traversal(Traversal),
    /// A predicate.
    Predicate(Predicate),
    /// `Order.asc` and its kin.
    Order(Order),
    /// `Pop.first` and its kin.
    Pop(Pop),
    /// `Scope.local` and its kin.
    Scope(Scope),
    /// `Column.keys` and its kin.
    Column(Column),
    /// `Pick.any` and its kin.
    Pick(Pick),
    /// `Operator.sum` and its kin.
    Operator(Operator),
    /// `Barrier.normSack`.
    Barrier(Barrier),
    /// `Cardinality.single` and its kin, alone.
    Cardinality(Cardinality),
    /// `Cardinality.list(value)`: a cardinality with the value it is for.
    CardinalityValue(Cardinality, Value),
    /// `Merge.onCreate` and its kin.
    Merge(Merge),
    /// A traversal strategy, by its simple class name, with its configuration.
    Strategy(Strategy),
    /// A lambda in another language; parsed and transported, never run.
    Lambda(Lambda),
    /// A collection literal that holds something which is not a value (a traversal, a token).
    List(Vec<Argument>),
    /// A map literal that holds something which is not a value.
    Map(Vec<(Argument, Argument)>),
    /// A set literal that holds something which is not a value.
    Set(Vec<Argument>),
    /// `GType.INT` and its kin: what `typeOf` and `asNumber` ask for.
    GType(GType),
    /// `DT.hour` and its kin: the units of `dateAdd`.
    Dt(Dt),
    /// A literal that [`crate::parameterize`] lifted out of the traversal's shape: its number and its value in this
    /// run. Traversals of one shape differ in these values alone.
    Parameter(u32, Value),
}

impl Argument {
    /// The value inside, also when it is bound to a name or lifted into a parameter.
    pub fn as_value(&self) -> Option<&Value> {
        match self {
            Self::Value(v) | Self::Parameter(_, v) => Some(v),
            Self::Binding(_, inner) => inner.as_value(),
            _ => None,
        }
    }

    /// Whether a traversal, a strategy or a lambda is in it: more than a value, a token or a predicate of such.
    pub fn acts(&self) -> bool {
        match self {
            Self::Traversal(_) | Self::Strategy(_) | Self::Lambda(_) => true,
            Self::Binding(_, inner) => inner.acts(),
            Self::Predicate(predicate) => predicate.acts(),
            Self::List(members) | Self::Set(members) => members.iter().any(Self::acts),
            Self::Map(entries) => entries.iter().any(|(key, value)| key.acts() || value.acts()),
            _ => false,
        }
    }

    /// How many arguments and calls are in it, however deep: a copy of it makes so many anew. What is in a value is shared.
    pub(crate) fn contained(&self) -> usize {
        match self {
            Self::Binding(_, inner) => 1 + inner.contained(),
            Self::Traversal(traversal) => {
                let in_source = traversal.source.iter().map(|call| 1 + contained_in(&call.args));
                let in_steps = traversal.steps.iter().map(|call| 1 + contained_in(&call.args));
                in_source.chain(in_steps).sum()
            }
            Self::Predicate(predicate) => predicate.contained(),
            Self::Strategy(strategy) => contained_in(strategy.configuration.iter().map(|(_, value)| value)),
            Self::List(members) | Self::Set(members) => contained_in(members),
            Self::Map(entries) => contained_in(entries.iter().flat_map(|(key, value)| [key, value])),
            _ => 0,
        }
    }

    /// About how many bytes of memory it takes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Value(value) | Self::Parameter(_, value) | Self::CardinalityValue(_, value) => {
                value.extent().expanded
            }
            other => crate::memory_of(&other.to_string()) as u64,
        }
    }
}

/// As [`Argument::contained`], with these themselves.
fn contained_in<'a>(arguments: impl IntoIterator<Item = &'a Argument>) -> usize {
    arguments.into_iter().map(|argument| 1 + argument.contained()).sum()
}

impl Predicate {
    fn contained(&self) -> usize {
        let inner: usize = self.inner().iter().map(|inner| 1 + inner.contained()).sum();
        inner + contained_in(self.operands())
    }

    fn acts(&self) -> bool {
        match self {
            Self::Compare(_, operand) | Self::TypeOf(operand) | Self::Text(_, operand) => operand.acts(),
            Self::Within(operands) | Self::Without(operands) => operands.iter().any(Argument::acts),
            Self::Inside(low, high) | Self::Outside(low, high) | Self::Between(low, high) => {
                low.acts() || high.acts()
            }
            Self::And(several) | Self::Or(several) => several.iter().any(Self::acts),
            Self::Not(inner) => inner.acts(),
        }
    }
}

/// A predicate over one value.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// `P.eq` and its kin, with one operand (a value, or a traversal where TinkerPop allows one).
    Compare(PredicateOp, Box<Argument>),
    /// `P.within(…)`. A single collection argument is already spread; but a lone [`Argument::Parameter`] holds the
    /// *list* of all the operands, so that lists of any length share one shape.
    Within(Vec<Argument>),
    /// `P.without(…)`.
    Without(Vec<Argument>),
    /// `P.inside(low, high)`: both ends excluded.
    Inside(Box<Argument>, Box<Argument>),
    /// `P.outside(low, high)`: below low or above high.
    Outside(Box<Argument>, Box<Argument>),
    /// `P.between(low, high)`: low included, high excluded.
    Between(Box<Argument>, Box<Argument>),
    /// `P.typeOf(name)`.
    TypeOf(Box<Argument>),
    /// `TextP.…`.
    Text(TextOp, Box<Argument>),
    /// `a.and(b)`.
    And(Vec<Predicate>),
    /// `a.or(b)`.
    Or(Vec<Predicate>),
    /// `P.not(a)`.
    Not(Box<Predicate>),
}

impl Predicate {
    /// The name of the predicate in Gremlin.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Compare(op, _) => op.as_str(),
            Self::Text(op, _) => op.as_str(),
            Self::Within(_) => "within",
            Self::Without(_) => "without",
            Self::Inside(..) => "inside",
            Self::Outside(..) => "outside",
            Self::Between(..) => "between",
            Self::TypeOf(_) => "typeOf",
            Self::And(_) => "and",
            Self::Or(_) => "or",
            Self::Not(_) => "not",
        }
    }

    /// Its own operands, without those of the predicates inside it.
    pub fn operands(&self) -> impl Iterator<Item = &Argument> {
        let (one, two, many) = match self {
            Self::Compare(_, a) | Self::TypeOf(a) | Self::Text(_, a) => (Some(&**a), None, [].as_slice()),
            Self::Inside(a, b) | Self::Outside(a, b) | Self::Between(a, b) => {
                (Some(&**a), Some(&**b), [].as_slice())
            }
            Self::Within(many) | Self::Without(many) => (None, None, many.as_slice()),
            Self::And(_) | Self::Or(_) | Self::Not(_) => (None, None, [].as_slice()),
        };
        one.into_iter().chain(two).chain(many)
    }

    /// Its negation; that of a negation is what was negated, as `NotP.negate()` in TinkerPop.
    #[must_use]
    pub fn negate(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// The predicates that it combines.
    pub fn inner(&self) -> &[Predicate] {
        match self {
            Self::And(inner) | Self::Or(inner) => inner,
            Self::Not(inner) => std::slice::from_ref(inner),
            _ => &[],
        }
    }
}

/// A traversal strategy named in `withStrategies` or `withoutStrategies`.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// Simple class name, such as `ReadOnlyStrategy`.
    pub name: Str,
    /// Configuration entries, in order.
    pub configuration: Vec<(Str, Argument)>,
}

/// A script of another language.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// Language name, such as `gremlin-groovy`.
    pub language: Str,
    /// The script.
    pub script: Str,
    /// Number of arguments; -1 when unknown.
    pub arguments: i32,
}

macro_rules! tokens {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are the documentation")]
        pub enum $name { $($variant),* }
        impl $name {
            /// Every token, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];
            /// The name Gremlin uses.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
            /// The token of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                const NAMES: &[&str] = &[$($text),*];
                const SLOTS: usize = (NAMES.len() * 2).next_power_of_two();
                static INDEX: NameIndex<SLOTS> = NameIndex::new(NAMES);
                INDEX.find(NAMES, name).map(|place| Self::ALL[place])
            }
        }
    };
}

tokens!(/// The comparison of a [`Predicate::Compare`].
    PredicateOp { Eq = "eq", Neq = "neq", Lt = "lt", Lte = "lte", Gt = "gt", Gte = "gte" });
tokens!(/// The test of a [`Predicate::Text`].
TextOp {
    StartingWith = "startingWith", NotStartingWith = "notStartingWith", EndingWith = "endingWith",
    NotEndingWith = "notEndingWith", Containing = "containing", NotContaining = "notContaining",
    Regex = "regex", NotRegex = "notRegex",
});
tokens!(/// Sort order.
    Order { Asc = "asc", Desc = "desc", Shuffle = "shuffle" });
tokens!(/// Which of several objects under one label.
    Pop { First = "first", Last = "last", All = "all", Mixed = "mixed" });
tokens!(/// Whether a step looks at the stream or inside one object.
    Scope { Global = "global", Local = "local" });
tokens!(/// The keys or the values of a map.
    Column { Keys = "keys", Values = "values" });
tokens!(/// Special branches of `choose`.
    Pick { Any = "any", None = "none", Unproductive = "unproductive" });
tokens!(/// Binary operators for sacks, folds and side-effects.
Operator {
    Sum = "sum", Minus = "minus", Mult = "mult", Div = "div", Min = "min", Max = "max", Assign = "assign",
    And = "and", Or = "or", AddAll = "addAll", SumLong = "sumLong",
});
tokens!(/// Barrier behaviour of sacks.
    Barrier { NormSack = "normSack" });
tokens!(/// How many values a property key may have.
    Cardinality { Single = "single", List = "list", Set = "set" });
tokens!(/// Units of time.
    Dt { Second = "second", Minute = "minute", Hour = "hour", Day = "day" });
tokens!(/// Parts of a `mergeV` or `mergeE`.
    Merge { OnCreate = "onCreate", OnMatch = "onMatch", OutV = "outV", InV = "inV" });

tokens!(/// Instructions that configure a traversal source.
SourceName {
    With = "with", WithBulk = "withBulk", WithPath = "withPath", WithSack = "withSack",
    WithSideEffect = "withSideEffect", WithStrategies = "withStrategies",
    WithoutStrategies = "withoutStrategies", WithComputer = "withComputer",
});

tokens!(/// Every step of Gremlin 3.8, including those that start a traversal.
StepName {
    AddE = "addE", AddV = "addV", Aggregate = "aggregate", All = "all", And = "and", Any = "any", As = "as",
    AsBool = "asBool", AsDate = "asDate", AsNumber = "asNumber", AsString = "asString", Barrier = "barrier",
    Both = "both", BothE = "bothE", BothV = "bothV", Branch = "branch", By = "by", Call = "call", Cap = "cap",
    Choose = "choose", Coalesce = "coalesce", Coin = "coin", Combine = "combine", Concat = "concat",
    Conjoin = "conjoin", ConnectedComponent = "connectedComponent", Constant = "constant", Count = "count",
    CyclicPath = "cyclicPath", DateAdd = "dateAdd", DateDiff = "dateDiff", Dedup = "dedup",
    Difference = "difference", Discard = "discard", Disjunct = "disjunct", Drop = "drop", E = "E",
    Element = "element", ElementMap = "elementMap", Emit = "emit", Fail = "fail", Filter = "filter",
    FlatMap = "flatMap", Fold = "fold", Format = "format", From = "from", Group = "group",
    GroupCount = "groupCount", Has = "has", HasId = "hasId", HasKey = "hasKey", HasLabel = "hasLabel",
    HasNot = "hasNot", HasValue = "hasValue", Id = "id", Identity = "identity", In = "in", InE = "inE",
    InV = "inV", Index = "index", Inject = "inject", Intersect = "intersect", Io = "io", Is = "is", Key = "key",
    Label = "label", LTrim = "lTrim", Length = "length", Limit = "limit", Local = "local", Loops = "loops",
    Map = "map", Match = "match", Math = "math", Max = "max", Mean = "mean", Merge = "merge", MergeE = "mergeE",
    MergeV = "mergeV", Min = "min", None = "none", Not = "not", Option = "option", Optional = "optional",
    Or = "or", Order = "order", OtherV = "otherV", Out = "out", OutE = "outE", OutV = "outV",
    PageRank = "pageRank", Path = "path", PeerPressure = "peerPressure", Product = "product",
    Profile = "profile", Project = "project", Properties = "properties", Property = "property",
    PropertyMap = "propertyMap", RTrim = "rTrim", Range = "range", Read = "read", Repeat = "repeat",
    Replace = "replace", Reverse = "reverse", Sack = "sack", Sample = "sample", Select = "select",
    ShortestPath = "shortestPath", SideEffect = "sideEffect", SimplePath = "simplePath", Skip = "skip",
    Split = "split", Store = "store", Subgraph = "subgraph", Substring = "substring", Sum = "sum", Tail = "tail",
    TimeLimit = "timeLimit", Times = "times", To = "to", ToE = "toE", ToLower = "toLower", ToUpper = "toUpper",
    ToV = "toV", Tree = "tree", Trim = "trim", Unfold = "unfold", Union = "union", Until = "until", V = "V",
    Value = "value", ValueMap = "valueMap", Values = "values", Where = "where", With = "with", Write = "write",
    Explain = "explain",
});

/// Direction and T tokens travel as values; this says so where an [`Argument`] is built.
impl From<T> for Argument {
    fn from(t: T) -> Self {
        Self::Value(Value::T(t))
    }
}
impl From<Direction> for Argument {
    fn from(d: Direction) -> Self {
        Self::Value(Value::Direction(d))
    }
}
impl From<Value> for Argument {
    fn from(v: Value) -> Self {
        Self::Value(v)
    }
}
