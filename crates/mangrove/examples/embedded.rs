//! Mangrove inside a program: no server, no network.
//!
//! `cargo run -p mangrove --example embedded`

use mangrove::{Database, Error, values::Value};

fn main() -> Result<(), Error> {
    let db = Database::in_memory()?;

    // A script is a transaction of its own.
    db.query(
        "g.addV('person').property('name', 'ada').as('a').
           addV('person').property('name', 'grace').as('g').
           addE('admires').from('g').to('a')",
    )?;

    // Values go in as variables: the plan is made once, whatever they are.
    for name in ["ada", "grace"] {
        let admirers =
            db.query_with("g.V().has('name', x).in('admires').values('name').fold()", [("x", name.into())])?;
        for result in admirers {
            println!("{name} is admired by {}", result?);
        }
    }

    // Several scripts as one transaction: all of it or nothing.
    let tx = db.transaction();
    tx.query("g.V().has('name', 'ada').property('born', 1815)")?;
    tx.query("g.V().has('name', 'grace').property('born', 1906)")?;
    tx.commit()?;

    let born: Vec<Value> = db.query("g.V().values('born').order()")?.collect::<Result<_, _>>()?;
    println!("born in {}", Value::from(born));

    // How it is run, and where the time goes.
    println!("\n{}", db.profile("g.V().where(__.in('admires')).values('name')")?);
    Ok(())
}
