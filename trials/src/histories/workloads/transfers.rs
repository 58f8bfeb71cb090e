//! Transfers between accounts, and the sum of all, which no transfer changes. Each account has the mark of the transfer
//! that changed it last, so the order of its versions is known, too.

use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::{Marks, Step, Workload, answer};

const ACCOUNTS: usize = 6;
const EACH: i64 = 100;

/// The workload; its marks are those of the round.
pub(crate) struct Transfers {
    marks: Arc<Marks>,
}

fn account(number: usize) -> String {
    format!("transfers:account{number}")
}

fn read(register: String, mark: Element) -> Operation {
    Operation::ReadRegister { register, value: Some(mark).filter(|mark| *mark != 0) }
}

impl Transfers {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks }
    }

    fn transfer(&self, rng: &mut Rng) -> Step {
        let first = rng.usize(..ACCOUNTS);
        let pair = [first, (first + rng.usize(1..ACCOUNTS)) % ACCOUNTS].map(account);
        let (mark, amount) = (self.marks.next(), rng.i64(1..=40));
        let script = format!(
            "g.V(a).has('balance', gte({amount})).as('a').values('mark').as('ma').select('a').values('balance').as('xa')\
             .V(b).as('b').values('mark').as('mb').select('b').values('balance').as('xb')\
             .select('a').property('balance', __.select('xa').math('_ - {amount}')).property('mark', m)\
             .select('b').property('balance', __.select('xb').math('_ + {amount}')).property('mark', m)\
             .select('ma', 'mb', 'xa')"
        );
        let writes = pair.clone().map(|register| Operation::Write { register, value: mark });
        let request = Request::of(script).with("a", &*pair[0]).with("b", &*pair[1]).with("m", mark);
        Step::new(request, writes.to_vec(), move |results| {
            // Without an answer there was too little.
            let Some(result) = answer::at_most_one(results)? else { return Ok(Vec::new()) };
            let had = answer::number(answer::entry(result, "xa")?)?;
            if had < amount {
                return Err(format!("{amount} were taken from {had}"));
            }
            let mut operations = Vec::new();
            for (register, name) in pair.into_iter().zip(["ma", "mb"]) {
                operations.push(read(register, answer::number(answer::entry(result, name)?)?));
            }
            operations.extend(writes);
            Ok(operations)
        })
    }
}

/// Reads all accounts, one by one.
fn all() -> Step {
    let script =
        "g.V().hasLabel('account').project('id', 'mark', 'balance').by(T.id).by('mark').by('balance').fold()";
    Step::new(Request::of(script), Vec::new(), |results| {
        let (mut sum, mut reads) = (0, Vec::new());
        for account in answer::list(answer::one(results)?)? {
            sum += answer::number(answer::entry(account, "balance")?)?;
            let register = answer::entry(account, "id")?.as_str().unwrap_or_default().to_owned();
            reads.push(read(register, answer::number(answer::entry(account, "mark")?)?));
        }
        check(sum)?;
        Ok(reads)
    })
}

/// Reads the sum alone.
fn sum() -> Step {
    let script = "g.V().hasLabel('account').values('balance').sum()";
    Step::new(Request::of(script), Vec::new(), |results: &[Value]| {
        check(answer::number(answer::one(results)?)?)?;
        Ok(Vec::new())
    })
}

fn check(sum: i64) -> Result<(), String> {
    let right = EACH * ACCOUNTS as i64;
    if sum == right { Ok(()) } else { Err(format!("the sum of all accounts is {sum} and not {right}")) }
}

impl Workload for Transfers {
    fn name(&self) -> &'static str {
        "transfers"
    }

    fn prepare(&self) -> Vec<Request> {
        let open = "g.addV('account').property(id, x).property('balance', b).property('mark', 0)";
        (0..ACCOUNTS).map(|n| Request::of(open).with("x", &*account(n)).with("b", EACH)).collect()
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        match rng.u32(..10) {
            0..7 => self.transfer(rng),
            7..9 => all(),
            _ => sum(),
        }
    }

    fn last_reads(&self) -> Vec<Step> {
        vec![all(), sum()]
    }
}
