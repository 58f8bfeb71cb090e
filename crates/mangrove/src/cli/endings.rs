//! Signals that end an import or an export as an error does: nothing stays that is not whole.

use std::{fs, io, process, thread};

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::output::complain;

/// From now on Ctrl-C, SIGTERM and SIGHUP end the process, once what is not whole is removed. One that whoever started the process wants
/// to be ignored (`nohup`, a shell's `&`) stays so.
///
/// # Errors
/// When the operating system refuses a thread or a signal.
pub(super) fn end_cleanly() -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let ignored = ignored();
    let within = runtime.enter();
    let listening = kinds.into_iter().filter(|kind| (ignored >> (kind.as_raw_value() - 1)) & 1 == 0);
    let listening: Vec<(SignalKind, Signal)> =
        listening.map(|kind| Ok((kind, signal(kind)?))).collect::<io::Result<_>>()?;
    drop(within);
    thread::Builder::new().name("endings".into()).spawn(move || {
        let mut listening = listening;
        let number = runtime.block_on(std::future::poll_fn(|context| {
            let came = listening
                .iter_mut()
                .find_map(|(kind, signal)| signal.poll_recv(context).is_ready().then(|| kind.as_raw_value()));
            came.map_or(std::task::Poll::Pending, std::task::Poll::Ready)
        }));
        mangrove::remove_temporaries();
        complain("mangrove: interrupted");
        // What a shell says of a command that a signal has ended.
        process::exit(128 + number);
    })?;
    Ok(())
}

/// The signals that are ignored, one in each bit, where the system tells (Linux).
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
