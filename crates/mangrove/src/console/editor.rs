//! Line editing: history, completion, several lines.

use std::{path::PathBuf, sync::Arc};

use parking_lot::RwLock;
use rustyline::{
    CompletionType, Config, Context, Editor, Helper, Highlighter, Hinter,
    completion::{Completer, Pair},
    error::ReadlineError,
    history::DefaultHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};

use super::{completion::complete, multiline::is_complete};
use crate::target::Vocabulary;

/// Lines kept between sessions.
const HISTORY: usize = 5_000;

/// Reads what the user types.
pub struct Prompt {
    editor: Editor<Assistant, DefaultHistory>,
    history: Option<PathBuf>,
}

/// What the user typed.
pub enum Typed {
    /// A complete traversal or command.
    Text(String),
    /// Ctrl-C: forget the line.
    Nothing,
    /// Ctrl-D: leave.
    End,
}

impl Prompt {
    /// A prompt that completes from `vocabulary` and keeps its history in the user's home directory.
    ///
    /// # Errors
    /// When there is no usable terminal.
    pub fn new(vocabulary: Arc<RwLock<Vocabulary>>) -> rustyline::Result<Self> {
        let config = Config::builder()
            .max_history_size(HISTORY)?
            .completion_type(CompletionType::List)
            .auto_add_history(true)
            .build();
        let mut editor = Editor::with_config(config)?;
        editor.set_helper(Some(Assistant { vocabulary }));
        let history = std::env::home_dir().map(|home| home.join(".mangrove_history"));
        if let Some(path) = &history {
            // There is none the first time.
            let _ = editor.load_history(path);
        }
        Ok(Self { editor, history })
    }

    /// Waits for the user.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn read(&mut self, prompt: &str) -> rustyline::Result<Typed> {
        match self.editor.readline(prompt) {
            Ok(line) => Ok(Typed::Text(line)),
            Err(ReadlineError::Interrupted) => Ok(Typed::Nothing),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(error),
        }
    }

    /// Clears the screen.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn clear(&mut self) -> rustyline::Result<()> {
        self.editor.clear_screen()
    }
}

impl Drop for Prompt {
    fn drop(&mut self) {
        if let Some(path) = &self.history
            && let Err(error) = self.editor.save_history(path)
        {
            tracing::debug!(%error, path = %path.display(), "the history is not kept");
        }
    }
}

/// Helps while the user types.
#[derive(Helper, Highlighter, Hinter)]
struct Assistant {
    vocabulary: Arc<RwLock<Vocabulary>>,
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let completion = complete(&line[..at], &self.vocabulary.read());
        let pair = |name: String| Pair { display: name.clone(), replacement: name };
        Ok((completion.start, completion.candidates.into_iter().map(pair).collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let complete = text.trim_start().starts_with(':') || is_complete(text);
        Ok(if complete { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}
