//! What the README shows of Mangrove inside a program; `make readme` runs it on `data/mine`.

use mangrove::{Database, Error};

fn main() -> Result<(), Error> {
    let db = Database::open("data/mine")?;
    for name in db.query("g.V().has('name', 'marko').out('knows').values('name').order()")? {
        println!("{}", name?); // prints josh, then vadas
    }
    let tx = db.transaction();
    tx.query("g.addV('person').property('name', 'ada')")?;
    tx.commit()
}
