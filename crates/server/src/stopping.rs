//! The end of the server, as its connections learn of it.

use tokio::sync::watch;

/// Resolves when the server is to stop.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the server is gone altogether.
    let _ = stopping.wait_for(|stop| *stop).await;
}
