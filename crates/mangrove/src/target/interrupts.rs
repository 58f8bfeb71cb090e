//! Ctrl-C ends what is under way instead of the process.

use std::{io, sync::Arc, thread};

use parking_lot::Mutex;
use tokio::signal::unix::{SignalKind, signal};

use super::Stop;

/// Listens for Ctrl-C from when it is made until the process ends.
#[derive(Debug)]
pub struct Interrupts(Arc<Mutex<Stop>>);

impl Interrupts {
    /// Begins to listen.
    ///
    /// # Errors
    /// When the operating system refuses a thread or the signal.
    pub fn listen() -> io::Result<Self> {
        let latest = Arc::new(Mutex::new(Stop::default()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let mut interrupt = {
            let _within = runtime.enter();
            signal(SignalKind::interrupt())?
        };
        let shared = latest.clone();
        thread::Builder::new().name("interrupts".into()).spawn(move || {
            runtime.block_on(async {
                while interrupt.recv().await.is_some() {
                    shared.lock().set();
                }
            });
        })?;
        Ok(Self(latest))
    }

    /// What the next Ctrl-C sets, unless another one is asked for before: of what is about to begin.
    pub fn stop(&self) -> Stop {
        let stop = Stop::default();
        *self.0.lock() = stop.clone();
        stop
    }
}
