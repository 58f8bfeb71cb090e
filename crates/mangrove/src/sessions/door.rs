//! The server's door: requests of a session.

use std::sync::Arc;

use gremlin::{Action, Bindings, ParseOptions, Statement, Statements, Terminal, Traversal};
use server::{End, Input, Query};
use values::Str;

use super::{Course, Ground};
use crate::{
    Error,
    hosted::single,
    request::{Once, Over, Plot, Request, ServerSink, Wishes, once, refusal},
};

/// What the server holds of a session.
pub(crate) struct SessionDoor(Arc<Ground>);

impl SessionDoor {
    /// That of a session which begins.
    pub(crate) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }

    fn start(
        &self,
        query: Query,
        manages: bool,
        sink: &ServerSink,
    ) -> Result<Box<dyn server::Running>, Error> {
        let inner = self.0.inner();
        let Some(key) = Once::of(inner, &query)? else { return self.start_now(query, manages, sink) };
        once(inner, key, sink, |sink| {
            self.admit_key(&query, manages)?;
            self.start_now(query, manages, sink)
        })
    }

    /// Whether a request may have a key that was not done before.
    ///
    /// # Errors
    /// If nobody could say whether it is done when it is answered, or there is nothing to do.
    fn admit_key(&self, query: &Query, manages: bool) -> Result<(), Error> {
        if manages {
            return Ok(());
        }
        let is_commit = match &query.input {
            Input::End(end) => *end == End::Commit,
            Input::Text { script, source, .. } => is_commit(script, source),
            Input::Bytecode(_) => false,
        };
        if !is_commit {
            return Err(Error::RequestKey(
                "a request key is for what is done for good when it is answered: a commit, or a request that is a transaction of its \
                 own (manageTransaction)"
                    .into(),
            ));
        }
        if self.0.has_no_transaction() {
            return Err(Error::TransactionOver(
                "nothing was done with this request key: the session has no open transaction that it could commit; begin again and \
                 send all of its requests once more"
                    .into(),
            ));
        }
        Ok(())
    }

    fn start_now(
        &self,
        query: Query,
        manages: bool,
        sink: &ServerSink,
    ) -> Result<Box<dyn server::Running>, Error> {
        let ground = &self.0;
        ground.begin_request(manages);
        let wishes = Wishes::of_client(ground.inner(), &query)?;
        let plot = match query.input {
            Input::End(End::Commit) => Plot::of(statement(Action::Commit)),
            Input::End(End::Rollback) => Plot::of(statement(Action::Rollback)),
            Input::Bytecode(traversal) => Plot::of(statement(traverse(traversal))),
            Input::Text { script, source, bindings } => {
                bindings.into_iter().try_for_each(|(name, value)| ground.set(name, value))?;
                let time = wishes.time(ground.inner());
                time.spend(|| Plot::read(&script, &source, &ground.variables()))??
            }
        };
        if manages && let Some(statement) = plot.lone_traversal() {
            // It is as good as a request without a session, which is tried again when it loses.
            let request = Request::of_statement(statement.clone())?;
            return single(ground.inner(), request, wishes, sink);
        }
        Ok(Course::start(ground.clone(), plot, wishes, manages, sink.clone()))
    }
}

impl server::Session for SessionDoor {
    fn submit(&self, query: Query, manages: bool, sink: ServerSink) -> Box<dyn server::Running> {
        match self.start(query, manages, &sink) {
            Ok(running) => running,
            Err(error) => {
                self.0.end_request();
                sink.finish(Err(refusal(&error)));
                Box::new(Over)
            }
        }
    }

    fn is_open(&self) -> bool {
        self.0.open_since().is_some()
    }
}

/// Whether a script commits and does nothing else. Nobody watches how long that takes, so no more than its first statement is read,
/// and nothing of one that is longer than any commit.
fn is_commit(script: &str, source: &str) -> bool {
    let options = ParseOptions { sources: &[source], ..ParseOptions::default() };
    let mut statements = Statements::new(script);
    let first = statements.next(&Bindings::new(), &options);
    first.is_ok_and(|it| it.is_some_and(|it| it.action == Action::Commit)) && statements.is_done()
}

fn statement(action: Action) -> Statement {
    Statement { variable: None, graph: Str::from("g"), action, as_text: false }
}

fn traverse(traversal: Traversal) -> Action {
    Action::Traverse(traversal, Terminal::Unsaid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_one_statement_and_short() {
        for (script, is) in [
            ("g.tx().commit()", true),
            (" g.tx().commit(); // that is all", true),
            ("g.tx().rollback()", false),
            ("g.tx().commit(); g.V()", false),
            ("''; g.tx().commit()", false),
            ("g.tx().commit(", false),
        ] {
            assert_eq!(is_commit(script, "g"), is, "{script}");
        }
        assert!(!is_commit(&format!("{}g.tx().commit()", " ".repeat(1 << 20)), "g"));
    }
}
