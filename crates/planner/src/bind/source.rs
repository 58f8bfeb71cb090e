//! The source of a traversal: `with`, `withSideEffect`, `withStrategies` and their kin.

use gremlin::{Argument, Instruction, Operator, SourceName, Strategy};
use indexmap::IndexMap;
use values::{Str, Value};

use super::call::is_parameter;
use crate::PlanError;
use crate::options::is_planner_key;
use crate::physical::{History, SideEffect};
use crate::strategies::Strategies;

/// Strategies of TinkerPop that choose how a traversal runs and never what it answers. Mangrove has its own.
const OPTIMISATIONS: &[&str] = &[
    "AdjacentToIncidentStrategy",
    "ByModulatorOptimizationStrategy",
    "ComputerFinalizationStrategy",
    "CountStrategy",
    "EarlyLimitStrategy",
    "FilterRankingStrategy",
    "GraphFilterStrategy",
    "IdentityRemovalStrategy",
    "IncidentToAdjacentStrategy",
    "InlineFilterStrategy",
    "LambdaRestrictionStrategy",
    "LazyBarrierStrategy",
    "MatchAlgorithmStrategy",
    "MatchPredicateStrategy",
    "MessagePassingReductionStrategy",
    "OrderLimitStrategy",
    "PathProcessorStrategy",
    "PathRetractionStrategy",
    "ProfileStrategy",
    "ReferenceElementStrategy",
    "RemoteStrategy",
    "RepeatUnrollStrategy",
    "StandardVerificationStrategy",
    "ComputerVerificationStrategy",
    "SackStrategy",
    "SideEffectStrategy",
    "TinkerGraphCountStrategy",
    "TinkerGraphStepStrategy",
];

/// Strategies that change answers only for traversals that Mangrove refuses anyway, or that are always in force.
const SATISFIED: &[&str] = &["HaltedTraverserStrategy"];

/// Whether a strategy is accepted and changes nothing: Mangrove plans in its own way.
pub fn has_no_effect(strategy: &str) -> bool {
    OPTIMISATIONS.contains(&strategy) || SATISFIED.contains(&strategy)
}

/// What `withSack` says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SackSettings {
    /// What is in a sack at first.
    pub initial: Value,
    /// What makes one of two sacks, where traversers are merged.
    pub merge: Option<Operator>,
}

/// What the source of a traversal says about its plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SourceSettings {
    /// Side-effects with initial values. Of several with one name the last counts.
    pub side_effects: IndexMap<Str, SideEffect>,
    /// `withPath()`.
    pub history: History,
    /// `withSack()`.
    pub sack: Option<SackSettings>,
    /// `withBulk(false)`.
    pub no_bulk: bool,
    /// What rewrites the traversal.
    pub strategies: Strategies,
    /// `ProductiveByStrategy`: a `by` without a result gives null. The keys that are known to give one, if any are; then others
    /// are not.
    pub productive_by: Option<Vec<Str>>,
    /// `ReadOnlyStrategy`.
    pub read_only: bool,
    /// `SeedStrategy`.
    pub seed: Option<i64>,
    /// Whether `ConnectiveStrategy` is taken away: then `and()` and `or()` between steps are steps as any other.
    pub unconnected: bool,
    /// `VertexProgramStrategy` or `withComputer()`: graph algorithms run without it, and all else as ever.
    computer: bool,
    /// `VertexProgramRestrictionStrategy`.
    forbids_computer: bool,
    /// Everything in `with` that is not the planner's, for the engine.
    pub settings: Vec<(Str, Value)>,
    /// Whether a literal that plans of one shape may differ in was used.
    pub pinned: bool,
}

impl SourceSettings {
    /// Reads the source instructions.
    ///
    /// # Errors
    /// [`PlanError::Unsupported`] for what would change answers and is not supported.
    pub fn of(source: &[Instruction<SourceName>]) -> Result<Self, PlanError> {
        let mut settings = Self::default();
        for instruction in source {
            settings.read(instruction)?;
        }
        if settings.computer && settings.forbids_computer {
            return Err(PlanError::NoComputer);
        }
        Ok(settings)
    }

    fn read(&mut self, instruction: &Instruction<SourceName>) -> Result<(), PlanError> {
        let args = &instruction.args;
        let shapes = matches!(instruction.name, SourceName::WithSideEffect | SourceName::WithSack);
        self.pinned |= shapes && args.iter().any(is_parameter);
        match instruction.name {
            SourceName::With => {
                if let Some(Value::String(key)) = args.first().and_then(Argument::as_value)
                    && !is_planner_key(key)
                {
                    let value =
                        args.get(1).and_then(Argument::as_value).cloned().unwrap_or(Value::Bool(true));
                    self.settings.push((key.clone(), value));
                }
            }
            SourceName::WithPath => self.history = History::Whole,
            SourceName::WithBulk => {
                if let Some(Value::Bool(false)) = args.first().and_then(Argument::as_value) {
                    self.no_bulk = true;
                }
            }
            SourceName::WithSack => self.sack(instruction)?,
            SourceName::WithSideEffect => self.side_effect(instruction)?,
            SourceName::WithStrategies => {
                for argument in args {
                    if let Argument::Strategy(strategy) = argument {
                        self.strategy(strategy, instruction)?;
                    }
                }
            }
            SourceName::WithoutStrategies => {
                for argument in args {
                    if let Argument::Strategy(strategy) = argument {
                        self.without(&strategy.name);
                    }
                }
            }
            SourceName::WithComputer => self.computer(instruction)?,
        }
        Ok(())
    }

    fn computer(&mut self, instruction: &Instruction<SourceName>) -> Result<(), PlanError> {
        self.computer = true;
        match instruction.args.first() {
            Some(Argument::Strategy(strategy)) => self.strategies.take_computer(strategy, instruction.at),
            // The class of a computer, say.
            None | Some(Argument::Value(Value::Null | Value::String(_))) => Ok(()),
            Some(_) => Err(PlanError::form("`withComputer` with such an argument", instruction.at)),
        }
    }

    fn sack(&mut self, instruction: &Instruction<SourceName>) -> Result<(), PlanError> {
        let refuse = |what: &str| Err(PlanError::form(what, instruction.at));
        let Some(initial) = instruction.args.first().and_then(Argument::as_value) else {
            return refuse("`withSack` with a lambda, or with a value that is no literal");
        };
        let merge = match instruction.args.get(1) {
            None => None,
            Some(Argument::Operator(operator)) if instruction.args.len() == 2 => Some(*operator),
            Some(_) => return refuse("`withSack` with a lambda"),
        };
        self.sack = Some(SackSettings { initial: initial.clone(), merge });
        Ok(())
    }

    fn side_effect(&mut self, instruction: &Instruction<SourceName>) -> Result<(), PlanError> {
        let refuse = |what: &str| Err(PlanError::form(what, instruction.at));
        let Some(Value::String(name)) = instruction.args.first().and_then(Argument::as_value) else {
            return refuse("`withSideEffect` without a name");
        };
        let Some(initial) = instruction.args.get(1).and_then(Argument::as_value) else {
            return refuse("`withSideEffect` with a value that is no literal");
        };
        let reducer = match instruction.args.get(2) {
            None => None,
            Some(Argument::Operator(operator)) => Some(*operator),
            Some(_) => return refuse("`withSideEffect` with a lambda"),
        };
        // What is not said again stays.
        let reducer = reducer.or_else(|| self.side_effects.get(name)?.reducer);
        let given = SideEffect { name: name.clone(), initial: Some(initial.clone()), reducer };
        self.side_effects.insert(name.clone(), given);
        Ok(())
    }

    fn strategy(
        &mut self,
        strategy: &Strategy,
        instruction: &Instruction<SourceName>,
    ) -> Result<(), PlanError> {
        match strategy.name.as_str() {
            "ReadOnlyStrategy" => self.read_only = true,
            "SeedStrategy" => self.seed = Some(seed_of(strategy)?),
            "VertexProgramStrategy" => {
                self.strategies.take_computer(strategy, instruction.at)?;
                self.computer = true;
            }
            "VertexProgramRestrictionStrategy" => self.forbids_computer = true,
            "ConnectiveStrategy" => self.unconnected = false,
            "OptionsStrategy" => {
                for (key, value) in &strategy.configuration {
                    if let Some(value) = value.as_value() {
                        self.settings.push((key.clone(), value.clone()));
                    }
                }
            }
            "ProductiveByStrategy" => self.productive_by = Some(productive_keys(strategy)),
            _ if self.strategies.take(strategy, instruction.at)? => {}
            // What listens to events is code of the client's process, and cannot be sent.
            "EventStrategy" if strategy.configuration.is_empty() => {}
            "EventStrategy" => {
                let what = "strategy `EventStrategy` with listeners, which are code";
                return Err(PlanError::form(what, instruction.at));
            }
            name if has_no_effect(name) => {}
            name => {
                let what = format!("strategy `{}`", values::excerpt(name));
                return Err(PlanError::form(what, instruction.at));
            }
        }
        Ok(())
    }

    /// Takes a strategy away. Others only choose how a traversal runs, or are not there.
    fn without(&mut self, name: &str) {
        match name {
            "ReadOnlyStrategy" => self.read_only = false,
            "OptionsStrategy" => self.settings.clear(),
            "SideEffectStrategy" => self.side_effects.clear(),
            "SackStrategy" => self.sack = None,
            "SeedStrategy" => self.seed = None,
            "VertexProgramStrategy" => self.computer = false,
            "VertexProgramRestrictionStrategy" => self.forbids_computer = false,
            "ConnectiveStrategy" => self.unconnected = true,
            "ProductiveByStrategy" => self.productive_by = None,
            name => self.strategies.without(name),
        }
    }
}

/// The seed of `SeedStrategy`.
fn seed_of(strategy: &Strategy) -> Result<i64, PlanError> {
    let given = strategy.configuration.iter().find(|(key, _)| key == "seed");
    let value = given.and_then(|(_, seed)| seed.as_value());
    let seed = value.and_then(|seed| seed.as_i64().or_else(|| seed.as_str()?.parse().ok()));
    seed.ok_or_else(|| PlanError::BadOption {
        key: "seed".into(),
        problem: "of SeedStrategy must be given as a whole number".into(),
    })
}

/// The keys that `ProductiveByStrategy` is told about.
fn productive_keys(strategy: &Strategy) -> Vec<Str> {
    let given = strategy.configuration.iter().find(|(key, _)| key == "productiveKeys");
    let members: Vec<Value> = match given.and_then(|(_, keys)| keys.as_value()) {
        Some(Value::List(keys)) => keys.iter().cloned().collect(),
        Some(Value::Set(keys)) => keys.iter().cloned().collect(),
        _ => Vec::new(),
    };
    members.iter().filter_map(Value::as_str).map(Str::from).collect()
}
