//! Properties of elements: as results, and fetched into slots.

use graph::KeyId;
use gremlin::Column;
use values::{Str, T};

use super::By;
use crate::physical::Slot;
use crate::physical::slots::{Slots, Use, Visit};
use crate::words::{InWords, Words};

/// Properties of elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Properties {
    /// Which.
    pub keys: MapKeys,
    /// In what form.
    pub form: PropertyForm,
}

/// How properties are returned.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyForm {
    /// `values`: each value.
    Values,
    /// `properties`: each property, as an object.
    Properties,
    /// `valueMap`: one map per element.
    ValueMap {
        /// What it includes beside properties.
        tokens: Tokens,
        /// Unwraps single-element lists (`by(unfold())`).
        unfold: bool,
    },
    /// `elementMap`.
    ElementMap,
    /// `propertyMap`.
    PropertyMap,
}

/// Which tokens of an element a map includes (`with(WithOptions.tokens, …)`), as a set of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tokens(u8);

impl Tokens {
    /// None.
    pub const NONE: Self = Self(0);
    /// `T.id`.
    pub const IDS: Self = Self(1);
    /// `T.label`.
    pub const LABELS: Self = Self(2);
    /// `T.key`, of a vertex property.
    pub const KEYS: Self = Self(4);
    /// `T.value`, of a vertex property.
    pub const VALUES: Self = Self(8);
    /// All.
    pub const ALL: Self = Self(15);

    /// Those of TinkerPop's bits.
    pub(crate) fn of_bits(bits: i64) -> Self {
        Self((bits & i64::from(Self::ALL.0)) as u8)
    }

    /// Whether it has one of these.
    pub fn has(self, token: Self) -> bool {
        self.0 & token.0 != 0
    }
}

impl std::ops::BitOr for Tokens {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl PropertyForm {
    /// The name of the step.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Properties => "properties",
            Self::ValueMap { .. } => "valueMap",
            Self::ElementMap => "elementMap",
            Self::PropertyMap => "propertyMap",
        }
    }
}

/// Keys of a property step: none means all.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MapKeys {
    /// The keys asked for, known to the catalog or not.
    pub names: Vec<Str>,
    /// Those the catalog knows, in the same order.
    pub ids: Vec<KeyId>,
    /// Whether one was named more than once, or a name stands before them: `by(values('a', 'a'))` and `by(as('x').values('a'))`
    /// take the first of several values, where `by(values('a'))` is `by('a')`, which wants one.
    pub apart: bool,
}

/// Fetches one value of an element (or an entry of a map object) into a slot; absent if there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetch {
    /// The element.
    pub from: By,
    /// What of it.
    pub what: FetchKind,
    /// Where it goes.
    pub into: Slot,
}

/// What a [`Fetch`] fetches.
#[derive(Clone, Debug, PartialEq)]
pub enum FetchKind {
    /// The object itself.
    This,
    /// The first value under a key; of a map object, the entry of that name.
    Property(Str, Option<KeyId>),
    /// The same where a vertex must not have several values: `by('key')`.
    Only(Str, Option<KeyId>),
    /// Id, label, key or value.
    Token(T),
    /// Keys or values of a map.
    Column(Column),
    /// The same of what may be null, which stays null: `select('name').by('key')`.
    OrNull(Box<FetchKind>),
}

impl FetchKind {
    /// The key whose value it fetches, if it does, and the catalog knows it.
    pub fn key(&self) -> Option<KeyId> {
        match self {
            Self::Property(_, key) | Self::Only(_, key) => *key,
            Self::OrNull(what) => what.key(),
            _ => None,
        }
    }

    /// Whether it is the value of a property.
    pub fn is_property(&self) -> bool {
        match self {
            Self::Property(..) | Self::Only(..) => true,
            Self::OrNull(what) => what.is_property(),
            _ => false,
        }
    }
}

impl InWords for Properties {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Properties", |w| {
            w.raw(self.form.name());
            w.raw(" ");
            w.say(&self.keys);
        });
    }
}

impl InWords for MapKeys {
    fn write(&self, words: &mut Words<'_>) {
        words.list(&self.names, ", ", |w, name| w.raw(name));
    }
}

impl InWords for Fetch {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Fetch", |w| {
            w.say(&self.from);
            if self.what != FetchKind::This {
                w.raw(".");
                w.say(&self.what);
            }
        });
        words.filling(Some(self.into));
    }
}

impl InWords for FetchKind {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::This => words.raw("it"),
            Self::Property(name, _) | Self::Only(name, _) => words.raw(name),
            Self::Token(token) => words.token(*token),
            Self::Column(column) => words.raw(column.as_str()),
            Self::OrNull(what) => what.write(words),
        }
    }
}

impl Slots for Properties {
    fn for_each_slot(&mut self, _: Visit<'_>) {}
}

impl Slots for Fetch {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.from.for_each_slot(visit);
        visit(&mut self.into, Use::Fill);
    }
}
