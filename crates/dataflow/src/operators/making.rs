//! Values in the making: what an operator makes of a batch before anybody can weigh the batch.

use graph::ValueRef;
use values::Value;

use crate::batch::Weight;
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;

/// Weighs values as they are made, and charges them while the others are.
pub(super) struct Making<'a> {
    cx: &'a Context<'a>,
    weight: Weight,
    held: StateMemory,
    charged: usize,
}

/// Bytes after which they are charged.
const CHARGED_AT_ONCE: usize = 1 << 20;

impl<'a> Making<'a> {
    pub(super) fn new(cx: &'a Context<'a>) -> Self {
        Self { cx, weight: Weight::default(), held: StateMemory::default(), charged: 0 }
    }

    /// Adds a value that was made.
    ///
    /// # Errors
    /// If it is too large, or all of them are; or if the query must end: many large values take their time.
    #[inline]
    pub(super) fn add(&mut self, value: &Value) -> Result<(), QueryError> {
        self.weight.add(value);
        if self.weight.bytes >= self.charged + CHARGED_AT_ONCE { self.charge() } else { Ok(()) }
    }

    /// Adds what becomes a value of its own when it is copied: a text. Others share what they have behind them.
    ///
    /// # Errors
    /// Likewise.
    #[inline]
    pub(super) fn add_copy(&mut self, value: Option<ValueRef<'_>>) -> Result<(), QueryError> {
        let Some(ValueRef::Str(text)) = value else { return Ok(()) };
        self.weight.bytes += text.len();
        if self.weight.bytes >= self.charged + CHARGED_AT_ONCE { self.charge() } else { Ok(()) }
    }

    #[cold]
    fn charge(&mut self) -> Result<(), QueryError> {
        self.charged = self.weight.bytes;
        self.weight.admit(self.cx.query.memory.limit())?;
        self.held.set(&self.cx.query.memory, self.charged)?;
        self.cx.query.check()
    }
}
