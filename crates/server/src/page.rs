//! The results of one response message.

use std::fmt::{self, Write};

use values::Value;
use wire::{EncodeError, MAX_RESULTS, Results};

use crate::request::Form;

/// Results as their client wants to see them.
///
/// Bytecode clients receive each result with its bulk. Script clients receive it that many times.
#[derive(Debug)]
pub(crate) struct Page {
    items: Items,
    /// Bytes of the results, written out, roughly.
    bytes: u64,
}

#[derive(Debug)]
enum Items {
    Values(Vec<Value>),
    Traversers(Vec<(Value, u64)>),
}

/// Bytes of results, written out, after which a message is sent whatever the number of its results.
const PAGE_BYTES: u64 = 1 << 20;

/// Most bytes of results, written out, in one message: of a result that is larger, or of all results over HTTP.
pub(crate) const MOST_BYTES: u64 = 128 << 20;

impl Page {
    pub(crate) fn new(form: Form) -> Self {
        let items = match form {
            Form::Script => Items::Values(Vec::new()),
            Form::Bytecode => Items::Traversers(Vec::new()),
        };
        Self { items, bytes: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.items {
            Items::Values(values) => values.len(),
            Items::Traversers(traversers) => traversers.len(),
        }
    }

    /// Whether it has `size` results, or enough bytes.
    pub(crate) fn is_full(&self, size: usize) -> bool {
        self.len() >= size || self.bytes >= PAGE_BYTES
    }

    /// Whether its results are more than one message may have.
    pub(crate) fn is_too_large(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    /// Bytes of its results, written out, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn clear(&mut self) {
        self.bytes = 0;
        match &mut self.items {
            Items::Values(values) => values.clear(),
            Items::Traversers(traversers) => traversers.clear(),
        }
    }

    pub(crate) fn results(&self) -> Results<'_> {
        match &self.items {
            Items::Values(values) => Results::Values(values),
            Items::Traversers(traversers) => Results::Traversers(traversers),
        }
    }

    /// The results as lines that people read, such as `==>v[1]`, as TinkerPop prints them. Each as often as it is there.
    ///
    /// # Errors
    /// If they come to more than one message may have.
    pub(crate) fn text(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Bounded { text: String::new(), most: MAX_RESULTS };
        let mut line = |value: &Value| {
            values::watch::tick();
            let start = if out.text.is_empty() { "==>" } else { "\n==>" };
            write!(out, "{start}{value}").map_err(|_| EncodeError::TooLarge)
        };
        match &self.items {
            Items::Values(values) => values.iter().try_for_each(line)?,
            Items::Traversers(traversers) => traversers.iter().try_for_each(|(value, _)| line(value))?,
        }
        Ok(out.text.into_bytes())
    }

    /// Moves results from `source` until the page is full or the source has no more.
    pub(crate) fn fill(&mut self, source: &mut Source, size: usize) {
        while !self.is_full(size) && self.take(source) {}
    }

    /// Moves results from `source` until the page has `size` of them or too many bytes, or the source has no more.
    pub(crate) fn fill_whole(&mut self, source: &mut Source, size: usize) {
        while self.len() < size && !self.is_too_large() && self.take(source) {}
    }

    /// Moves a result; whether there was one.
    fn take(&mut self, source: &mut Source) -> bool {
        let value = match &mut self.items {
            Items::Values(values) => source.next_copy().map(|value| {
                values.push(value);
                values.last()
            }),
            Items::Traversers(traversers) => source.items.next().map(|traverser| {
                traversers.push(traverser);
                traversers.last().map(|(value, _)| value)
            }),
        };
        let Some(value) = value else { return false };
        self.bytes = self.bytes.saturating_add(value.map_or(0, |value| value.extent().expanded));
        true
    }
}

/// A text that becomes no longer than so many bytes.
struct Bounded {
    text: String,
    most: usize,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.text.len() + more.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

/// The rest of a batch. Copies are made one by one as they are sent, so a bulk of billions costs no memory.
#[derive(Debug, Default)]
pub(crate) struct Source {
    items: std::vec::IntoIter<(Value, u64)>,
    /// A result of which copies are still due.
    repeated: Option<(Value, u64)>,
}

impl Source {
    pub(crate) fn new(items: Vec<(Value, u64)>) -> Self {
        Self { items: items.into_iter(), repeated: None }
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.repeated.is_none() && self.items.len() == 0
    }

    fn next_copy(&mut self) -> Option<Value> {
        let (value, copies) = match self.repeated.take() {
            Some(item) => item,
            // A bulk of zero stands for nothing.
            None => self.items.find(|(_, bulk)| *bulk > 0)?,
        };
        if copies > 1 {
            self.repeated = Some((value.clone(), copies - 1));
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source::new(vec![(Value::Int(1), 2), (Value::Int(2), 0), (Value::Int(3), 1)])
    }

    #[test]
    fn a_script_sees_copies_and_bytecode_sees_bulks() {
        let mut page = Page::new(Form::Script);
        page.fill(&mut source(), 10);
        assert!(
            matches!(&page.items, Items::Values(v) if *v == [Value::Int(1), Value::Int(1), Value::Int(3)])
        );
        let mut page = Page::new(Form::Bytecode);
        page.fill(&mut source(), 10);
        assert_eq!(page.len(), 3);
    }

    #[test]
    fn a_text_is_no_longer_than_it_may_be() {
        let mut out = Bounded { text: String::new(), most: 10 };
        assert!(write!(out, "{}", Value::from("x".repeat(10))).is_ok());
        assert!(write!(out, "y").is_err());
        assert_eq!(out.text.len(), 10);
    }

    #[test]
    fn a_full_page_leaves_the_rest_even_within_one_bulk() {
        let mut source = source();
        let mut page = Page::new(Form::Script);
        page.fill(&mut source, 1);
        assert_eq!(page.len(), 1);
        assert!(!source.is_empty());
        page.clear();
        page.fill(&mut source, 10);
        assert_eq!(page.len(), 2);
        assert!(source.is_empty());
    }

    #[test]
    fn a_page_is_full_of_bytes_before_it_is_full_of_results() {
        let text = Value::from("x".repeat(300 << 10));
        let mut source = Source::new(vec![(text, 1_000_000)]);
        let mut page = Page::new(Form::Script);
        page.fill(&mut source, 64);
        assert_eq!(page.len(), 4);
        assert!(page.is_full(64) && !page.is_too_large());
        page.clear();
        page.fill_whole(&mut source, 1_000_000);
        assert!(page.is_too_large());
        assert!(page.len() < 500, "{}", page.len());
    }
}
