//! Queries of an embedded database, and what they answer.

use mangrove::Database;

/// The results as texts.
pub fn texts(db: &Database, query: &str) -> Vec<String> {
    let results = db.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    results.map(|value| value.unwrap_or_else(|error| panic!("{query}: {error}")).to_string()).collect()
}

/// The error of a query, whenever it comes.
pub fn refusal(db: &Database, query: &str) -> String {
    match db.query(query) {
        Err(error) => error.to_string(),
        Ok(results) => {
            let error = results.into_iter().find_map(Result::err);
            error.unwrap_or_else(|| panic!("{query} was accepted")).to_string()
        }
    }
}
