//! Strategies: `ReadOnlyStrategy`, `new SubgraphStrategy(vertices: hasLabel('person'))`.

use values::watch;

use super::{Parser, Result};
use crate::{Argument, Strategy};

impl Parser<'_, '_> {
    /// `(`, strategies, `)`.
    pub(super) fn strategies(&mut self) -> Result<Vec<Argument>> {
        self.expect(b'(', "`(`")?;
        let mut strategies = Vec::new();
        loop {
            let (word, _) = self.expect_word("a strategy's class")?;
            let strategy = match word {
                "new" => self.strategy_after_new()?,
                class => self.strategy(class)?,
            };
            strategies.push(Argument::Strategy(strategy));
            if !self.cursor.eat(b',') {
                self.expect(b')', "`,` or `)`")?;
                return Ok(strategies);
            }
        }
    }

    /// A strategy; the cursor is behind `new`.
    pub(super) fn strategy_after_new(&mut self) -> Result<Strategy> {
        let (class, _) = self.expect_word("a strategy's class")?;
        self.strategy(class)
    }

    /// A strategy; the cursor is behind its class.
    fn strategy(&mut self, class: &str) -> Result<Strategy> {
        watch::tick();
        let mut configuration = Vec::new();
        if self.cursor.eat(b'(') && !self.cursor.eat(b')') {
            loop {
                let (key, _) = self.expect_word("a configuration key")?;
                self.expect(b':', "`:` and a value")?;
                configuration.push((key.into(), self.element()?));
                if !self.cursor.eat(b',') {
                    self.expect(b')', "`,` or `)`")?;
                    break;
                }
            }
        }
        Ok(Strategy { name: class.into(), configuration })
    }
}
