//! The server's door: requests of a session.

use std::sync::Arc;

use gremlin::{Action, Statement, Terminal, Traversal};
use server::{End, Input, Query};
use values::Str;

use super::{Course, Ground};
use crate::{
    Error,
    hosted::{Ended, single},
    request::{Plot, Request, ServerSink, Wishes, refusal},
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
        let (ground, wishes) = (&self.0, Wishes::of_client(&query));
        ground.begin_request(manages);
        let plot = match query.input {
            Input::End(End::Commit) => Plot::of(statement(Action::Commit)),
            Input::End(End::Rollback) => Plot::of(statement(Action::Rollback)),
            Input::Bytecode(traversal) => Plot::of(statement(traverse(traversal))),
            Input::Text { script, source, bindings } => {
                bindings.into_iter().try_for_each(|(name, value)| ground.set(name, value))?;
                Plot::read(&script, &source, &ground.variables())?
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
                Box::new(Ended)
            }
        }
    }

    fn is_open(&self) -> bool {
        self.0.open_since().is_some()
    }
}

fn statement(action: Action) -> Statement {
    Statement { variable: None, graph: Str::from("g"), action, as_text: false }
}

fn traverse(traversal: Traversal) -> Action {
    Action::Traverse(traversal, Terminal::Unsaid)
}
