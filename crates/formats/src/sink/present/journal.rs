//! How far an import is, as the graph remembers it.
//!
//! ```text
//! import/NAME               {"rows": 10000, "done": false, "vertices": 9990, …}      replaced by each transaction
//! import/NAME/0…05000       references of vertices, u32 each                         the vertices of one transaction, by the
//! import/NAME/0…10000                                                               number of the first; until it is done
//! ```
//!
//! Rows count in the order in which the reader hands them over, which is the same each time. The references say what the vertices of
//! rows are that are not looked at again, for the edges that come later.

use graph::{Graph, GraphError, Transaction};
use serde_json::{Value as Json, json};

use super::{Position, Tally};
use crate::error::ImportError;

/// What the names of all of them begin with.
const PREFIX: &str = "import/";

/// Notes with references that are forgotten at once.
const PARTS_AT_ONCE: usize = 1_000;

/// See the module.
pub(super) struct Journal<'g> {
    graph: &'g Graph,
    name: String,
    /// What is noted now, as far as this import knows.
    noted: Option<Vec<u8>>,
    pub(super) state: State,
    /// The names of the notes with references.
    parts: Vec<String>,
}

/// What is noted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Rows that are done.
    pub(super) rows: u64,
    pub(super) tally: Tally,
    /// Whether these were all.
    pub(super) done: bool,
}

impl<'g> Journal<'g> {
    pub(super) fn open(graph: &'g Graph, name: &str) -> Result<Self, GraphError> {
        let name = format!("{PREFIX}{name}");
        let noted = graph.note(&name)?;
        let state = match &noted {
            None => State::default(),
            Some(note) => State::decode(note).ok_or_else(|| damaged(&name))?,
        };
        let mut parts = Vec::new();
        graph.each_note(&format!("{name}/"), |part, _| {
            parts.push(part.to_owned());
            Ok(())
        })?;
        Ok(Self { graph, name, noted, state, parts })
    }

    pub(super) fn position(&self) -> Position {
        match (&self.noted, self.state.done) {
            (None, _) => Position::New,
            (Some(_), false) => Position::UnderWay(self.state.tally),
            (Some(_), true) => Position::Done(self.state.tally),
        }
    }

    /// What the vertices are of the rows that are done.
    ///
    /// # Errors
    /// [`ImportError::Twice`] if somebody else has done the rest meanwhile, and forgets them.
    pub(super) fn vertices(&self) -> Result<Vec<u32>, ImportError> {
        let mut vertices = Vec::new();
        for part in &self.parts {
            let note = self.graph.note(part)?.unwrap_or_default();
            let is_next = *part == self.part_from(vertices.len());
            let (words, rest) = note.as_chunks::<4>();
            if !is_next || !rest.is_empty() {
                self.check()?;
                return Err(damaged(part).into());
            }
            vertices.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
        }
        Ok(vertices)
    }

    /// Refuses to go on if somebody else does the same import. Asked when the transaction has begun: whoever notes something later
    /// conflicts with it.
    pub(super) fn check(&self) -> Result<(), ImportError> {
        let is_ours = self.graph.note(&self.name)? == self.noted;
        if is_ours { Ok(()) } else { Err(ImportError::Twice) }
    }

    /// Lets a transaction note that it goes as far as `next`, with the vertices that it adds behind the first so many.
    pub(super) fn note(
        &self,
        transaction: &Transaction,
        next: State,
        (before, vertices): (usize, &[u32]),
    ) -> Result<(), GraphError> {
        if !vertices.is_empty() {
            let bytes = vertices.iter().flat_map(|vertex| vertex.to_le_bytes()).collect();
            transaction.leave_note(&self.part_from(before), Some(bytes))?;
        }
        transaction.leave_note(&self.name, Some(next.encode()))
    }

    /// The transaction is durable.
    pub(super) fn committed(&mut self, next: State, (before, vertices): (usize, &[u32])) {
        if !vertices.is_empty() {
            self.parts.push(self.part_from(before));
        }
        (self.noted, self.state) = (Some(next.encode()), next);
    }

    /// Notes that all is done. What only the edges needed is forgotten.
    pub(super) fn end(&mut self) -> Result<(), ImportError> {
        let done = State { done: true, ..self.state };
        self.replace(Some(done.encode()))?;
        self.state = done;
        Ok(self.forget_parts()?)
    }

    /// Forgets how far it is.
    pub(super) fn forget(mut self) -> Result<(), ImportError> {
        self.forget_parts()?;
        self.replace(None)
    }

    fn replace(&mut self, note: Option<Vec<u8>>) -> Result<(), ImportError> {
        let transaction = self.graph.begin();
        self.check()?;
        transaction.leave_note(&self.name, note.clone())?;
        transaction.commit()?;
        self.noted = note;
        Ok(())
    }

    /// Forgets what the vertices are, as much in each transaction as it has room for. Nobody asks for it once all is done.
    pub(super) fn forget_parts(&mut self) -> Result<(), GraphError> {
        let mut at_once = PARTS_AT_ONCE;
        while !self.parts.is_empty() {
            let some = self.parts.len().saturating_sub(at_once);
            let transaction = self.graph.begin();
            let left = self.parts[some..].iter().try_for_each(|part| transaction.leave_note(part, None));
            match left {
                Err(GraphError::LimitExceeded { .. }) if at_once > 1 => at_once /= 2,
                left => {
                    left?;
                    transaction.commit()?;
                    self.parts.truncate(some);
                }
            }
        }
        Ok(())
    }

    fn part_from(&self, first: usize) -> String {
        format!("{}/{first:010}", self.name)
    }
}

impl State {
    fn encode(self) -> Vec<u8> {
        let Tally { vertices, edges, merged_vertices, merged_edges, refused, before: _ } = self.tally;
        json!({
            "rows": self.rows,
            "done": self.done,
            "vertices": vertices,
            "edges": edges,
            "mergedVertices": merged_vertices,
            "mergedEdges": merged_edges,
            "refused": refused,
        })
        .to_string()
        .into_bytes()
    }

    fn decode(note: &[u8]) -> Option<Self> {
        let json: Json = serde_json::from_slice(note).ok()?;
        let number = |name: &str| json.get(name)?.as_u64();
        let tally = Tally {
            vertices: number("vertices")?,
            edges: number("edges")?,
            merged_vertices: number("mergedVertices")?,
            merged_edges: number("mergedEdges")?,
            refused: number("refused")?,
            before: number("rows")?,
        };
        Some(Self { rows: number("rows")?, tally, done: json.get("done")?.as_bool()? })
    }
}

fn damaged(name: &str) -> GraphError {
    GraphError::Corrupt { what: format!("note {name}"), problem: "it is not what an import notes".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_comes_back_and_anything_else_is_damage() {
        let tally =
            Tally { vertices: 5, edges: 4, merged_vertices: 3, merged_edges: 2, refused: 1, before: 15 };
        for done in [false, true] {
            let state = State { rows: 15, tally, done };
            assert_eq!(State::decode(&state.encode()), Some(state));
        }
        for note in [&b""[..], b"{}", b"{\"rows\":1}", b"[]"] {
            assert_eq!(State::decode(note), None);
        }
    }
}
