//! Several objects in one: `select`, `group`, `groupCount`.

use gremlin::Pop;
use values::Str;

use super::{Chain, Modulator, Origin};
use crate::physical::{SelectForm, SideEffectId};
use crate::words::{InWords, Words};

/// `select()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// What is selected.
    pub selections: Vec<Selected>,
    /// In what form.
    pub form: SelectForm,
}

/// One selected object.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// Its name.
    pub name: Str,
    /// Where it comes from.
    pub origin: Origin,
    /// Which of several.
    pub pop: Pop,
    /// What is made of it.
    pub by: Modulator,
}

/// `group()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The key.
    pub key: Modulator,
    /// The values of one key become one value.
    pub value: Chain,
    /// Where the map goes, instead of into the stream.
    pub side_effect: Option<SideEffectId>,
}

/// `groupCount()`.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupCount {
    /// The key.
    pub key: Modulator,
    /// Where the map goes, instead of into the stream.
    pub side_effect: Option<SideEffectId>,
}

impl InWords for Select {
    fn write(&self, words: &mut Words<'_>) {
        words.call("select", |w| {
            w.list(&self.selections, ", ", |w, one| {
                w.raw(&one.name);
                w.raw(": ");
                one.origin.write_by(&one.by, w);
            });
        });
    }
}

/// Without its value traversal.
impl InWords for Group {
    fn write(&self, words: &mut Words<'_>) {
        words.call("group", |w| w.say(&self.key));
        words.collecting_in(self.side_effect);
    }
}

impl InWords for GroupCount {
    fn write(&self, words: &mut Words<'_>) {
        words.call("groupCount", |w| w.say(&self.key));
        words.collecting_in(self.side_effect);
    }
}
