//! What is looked at when all actors have left: what they left behind, and whether all that was acknowledged is there.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::actors::backups;
use super::field::Field;
use super::ledger::Ledger;
use super::sample::{self, Place, Sample};
use super::slots;
use super::stage::Stage;
use crate::Problem;
use crate::histories::client::{Answer, Client};
use crate::process::ServerProcess;

/// What is left open may take so long to end: transactions that were left end when they have been idle for five seconds.
const LINGER: Duration = Duration::from_secs(20);
/// How long the server may take to stop: its grace, and a flush.
const STOP: Duration = Duration::from_secs(120);

/// Waits until nothing is left of the actors; what is left then.
///
/// # Errors
/// If the server does not answer.
pub(crate) async fn left(field: &Field, place: &Place) -> Result<Sample, Problem> {
    let began = Instant::now();
    loop {
        sleep(Duration::from_millis(500)).await;
        let sample = sample::read(field, place)?;
        // Whoever asks for the numbers has a connection.
        let open = sample.connections.max(1.0) - 1.0;
        let left = [
            ("connections", open),
            ("sessions", sample.sessions),
            ("open transactions", sample.transactions),
            ("requests in flight", sample.in_flight),
        ];
        if left.iter().all(|(_, count)| *count == 0.0) {
            return Ok(sample);
        }
        if began.elapsed() > LINGER {
            for (what, count) in left.iter().filter(|(_, count)| *count > 0.0) {
                field.tally.wrong(format!("{count} {what} {} s after all have left", LINGER.as_secs()));
            }
            return Ok(sample);
        }
    }
}

/// Stops the server, opens it again, and compares what is there with what was acknowledged; then checks what is on disk, and the
/// last backup.
///
/// # Errors
/// If the server cannot be started again.
pub(crate) async fn compare(
    field: &Field,
    stage: &Stage,
    mut server: ServerProcess,
    ledger: &Ledger,
    backups: &backups::Done,
) -> Result<(), Problem> {
    stop(field, &mut server);
    let began = Instant::now();
    server.start_again()?;
    println!("opened again in {:.1} s", began.elapsed().as_secs_f64());
    let mut client = Client::connect(server.address()).await.ok_or("no connection")?;
    let found = match client.ask(&slots::read_all()).await {
        Answer::Results(rows) => slots::found(&rows),
        answer => {
            field.tally.wrong(format!("what was written cannot be read: {answer:?}"));
            BTreeMap::new()
        }
    };
    let (slots, full) = ledger.size();
    println!("{} of {slots} slots there, at least {full} should be", found.len());
    ledger.differences(&found).into_iter().for_each(|line| field.tally.wrong(line));
    drop(client);
    stop(field, &mut server);
    for graph in stage.graphs() {
        if let Err(error) = stage.program.run(&graph, &["check".as_ref()]).await {
            field.tally.wrong(format!("{}: {error}", graph.display()));
        }
    }
    if backups.folder.exists() {
        backups::restore(field, &stage.program, &backups.folder).await;
    } else if backups.written == 0 {
        field.tally.wrong("there was no backup");
    }
    Ok(())
}

fn stop(field: &Field, server: &mut ServerProcess) {
    if let Err(error) = server.stop(STOP) {
        field.tally.wrong(error.to_string());
    }
}
