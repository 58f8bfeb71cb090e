//! The results of one response message.

use values::Value;
use wire::Results;

use crate::request::Form;

/// Results as their client wants to see them.
///
/// Bytecode clients receive each result with its bulk. Script clients receive it that many times.
#[derive(Debug)]
pub(crate) enum Page {
    Values(Vec<Value>),
    Traversers(Vec<(Value, u64)>),
}

impl Page {
    pub(crate) fn new(form: Form) -> Self {
        match form {
            Form::Script => Self::Values(Vec::new()),
            Form::Bytecode => Self::Traversers(Vec::new()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Values(values) => values.len(),
            Self::Traversers(traversers) => traversers.len(),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Values(values) => values.clear(),
            Self::Traversers(traversers) => traversers.clear(),
        }
    }

    pub(crate) fn results(&self) -> Results<'_> {
        match self {
            Self::Values(values) => Results::Values(values),
            Self::Traversers(traversers) => Results::Traversers(traversers),
        }
    }

    /// Moves results from `source` until the page has `size` of them or the source has no more.
    pub(crate) fn fill(&mut self, source: &mut Source, size: usize) {
        match self {
            Self::Values(values) => {
                while values.len() < size
                    && let Some(value) = source.next_copy()
                {
                    values.push(value);
                }
            }
            Self::Traversers(traversers) => {
                traversers.extend(source.items.by_ref().take(size.saturating_sub(traversers.len())));
            }
        }
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
        assert!(matches!(&page, Page::Values(v) if *v == [Value::Int(1), Value::Int(1), Value::Int(3)]));
        let mut page = Page::new(Form::Bytecode);
        page.fill(&mut source(), 10);
        assert_eq!(page.len(), 3);
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
}
