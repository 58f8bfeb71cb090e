//! What bounds the reading of Gremlin text.

/// Bounds on what a text may cost to read. The defaults are generous for people and tight for attackers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseLimits {
    /// Largest text, in bytes.
    pub text_bytes: usize,
    /// Deepest nesting of arguments in arguments. Reading, printing and dropping a traversal use the stack in
    /// proportion: under 2 KiB a level in release builds.
    pub depth: u32,
    /// Most values that ranges (`1..9`), the collections spread into `within`, and what is copied of a bound predicate or collection
    /// of tokens where a variable stands for it, may come to, all together; those of ranges also in all the statements of a text that
    /// is read one by one. A string of a range counts as more if it is long.
    pub values: usize,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self { text_bytes: 64 * 1024, depth: 200, values: 1_000_000 }
    }
}

/// How to read Gremlin text.
#[derive(Clone, Copy, Debug)]
pub struct ParseOptions<'a> {
    /// The bounds.
    pub limits: ParseLimits,
    /// The names that a statement may begin with: the traversal sources there are.
    pub sources: &'a [&'a str],
}

impl Default for ParseOptions<'_> {
    fn default() -> Self {
        Self { limits: ParseLimits::default(), sources: &["g"] }
    }
}
