//! Line editing: history, completion, several lines.

use std::{path::PathBuf, sync::Arc};

use parking_lot::RwLock;
use rustyline::{
    CompletionType, Config, Context, Editor, Helper, Highlighter, Hinter, Validator,
    completion::{Completer, Pair},
    error::ReadlineError,
    history::DefaultHistory,
};

use super::{completion::complete, history, multiline::is_complete};
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
    /// A complete script or command, perhaps of several lines.
    Text(String),
    /// Ctrl-C: forget what was typed.
    Nothing,
    /// Ctrl-D: leave.
    End,
}

impl Prompt {
    /// A prompt that completes from `vocabulary` and remembers what was typed before.
    ///
    /// # Errors
    /// When there is no usable terminal.
    pub fn new(vocabulary: Arc<RwLock<Vocabulary>>) -> rustyline::Result<Self> {
        let config = Config::builder()
            .max_history_size(HISTORY)?
            .completion_type(CompletionType::List)
            .auto_add_history(false)
            .build();
        let mut editor = Editor::with_config(config)?;
        editor.set_helper(Some(Assistant { vocabulary }));
        let history = history::file();
        if let Some(path) = &history {
            // There is none the first time.
            let _ = editor.load_history(path);
        }
        Ok(Self { editor, history })
    }

    /// Waits until the user has typed something complete. Where a line is not, the next prompt says so: as many blanks as the first has
    /// characters, and `...`.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn read(&mut self, prompt: &str) -> rustyline::Result<Typed> {
        let mut text = String::new();
        loop {
            let read = match text.is_empty() {
                true => self.editor.readline(prompt),
                false => self.editor.readline(&continued(prompt)),
            };
            match read {
                Ok(line) => text.push_str(&line),
                Err(ReadlineError::Interrupted) => return Ok(Typed::Nothing),
                // What is not complete is run as it is: it says best itself what is missing.
                Err(ReadlineError::Eof) if !text.is_empty() => return Ok(self.typed(text)),
                Err(ReadlineError::Eof) => return Ok(Typed::End),
                Err(error) => return Err(error),
            }
            if is_complete(&text) {
                return Ok(self.typed(text));
            }
            text.push('\n');
        }
    }

    fn typed(&mut self, text: String) -> Typed {
        if history::may_keep(&text)
            && let Err(error) = self.editor.add_history_entry(text.trim_end())
        {
            tracing::debug!(%error, "a line is not remembered");
        }
        Typed::Text(text)
    }

    /// Clears the screen.
    ///
    /// # Errors
    /// When the terminal fails.
    pub fn clear(&mut self) -> rustyline::Result<()> {
        self.editor.clear_screen()
    }
}

/// The prompt of a line that goes on: `gremlin> ` becomes `    ...> `.
fn continued(prompt: &str) -> String {
    format!("{:>width$}", "...> ", width = prompt.chars().count())
}

impl Drop for Prompt {
    fn drop(&mut self) {
        let Some(path) = &self.history else { return };
        // Another console may have written meanwhile: the file gets what is new.
        let kept = history::make(path).map_err(Into::into).and_then(|()| self.editor.append_history(path));
        if let Err(error) = kept {
            tracing::debug!(%error, path = %path.display(), "the history is not kept");
        }
    }
}

/// Helps while the user types.
#[derive(Helper, Highlighter, Hinter, Validator)]
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

#[cfg(test)]
mod tests {
    use super::continued;

    #[test]
    fn the_prompt_of_a_line_that_goes_on_is_as_long_as_the_first() {
        assert_eq!(continued("gremlin> "), "    ...> ");
        assert_eq!(continued("gremlin*> ").len(), "gremlin*> ".len());
    }
}
