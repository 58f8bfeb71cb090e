//! Keeps the graph that is written to from growing, and from being empty.

use std::time::Duration;

use tokio::time::timeout;

use super::connection::{Connection, End};
use super::query::{Form, Hostile, message};
use crate::Problem;

/// How long each piece of work may take.
const TIMEOUT: i64 = 5_000;
const PATIENCE: Duration = Duration::from_secs(10);

/// Puts a few thousand vertices away, and plants some.
///
/// # Errors
/// If the server does not answer. That it refuses a piece of work is none: there may be less room than it takes.
pub(crate) async fn tend(connection: &mut Connection) -> Result<(), Problem> {
    for work in [
        "g.V().hasLabel('seed').limit(3000).drop()",
        "g.V().limit(3000).drop()",
        "g.inject(1..300).unfold().addV('seed').property('k',1)",
        "g.V().hasLabel('seed').limit(100).as('a').V().hasLabel('seed').limit(5).addE('grows').from('a').count()",
    ] {
        let work = Hostile::script(work).on_scratch();
        connection.send(message(&work, Form::Binary, Some(TIMEOUT))?).await?;
        if let End::Closed(code) = timeout(PATIENCE, connection.end()).await? {
            return Err(format!("the connection was closed ({code:?})").into());
        }
    }
    Ok(())
}
