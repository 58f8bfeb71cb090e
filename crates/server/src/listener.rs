//! Accepts connections and stops cleanly.

use std::{
    fs, io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use socket2::{SockRef, TcpKeepalive};
use tokio::{
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    sync::watch,
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use crate::{Graphs, Security, ServerOptions, Tls, connections::Guest, host::Host, http, stopping::stopped};

/// How often the server looks for transactions that have ended without their clients.
const SWEEP: Duration = Duration::from_secs(1);

/// A server that is bound to its address and not yet serving.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    host: Arc<Host>,
    tls: Option<Arc<Tls>>,
    local: Option<Local>,
}

/// A socket in a directory: whoever may open it is the user who runs the server, and may do everything.
#[derive(Debug)]
struct Local {
    listener: UnixListener,
    path: PathBuf,
}

impl Drop for Local {
    fn drop(&mut self) {
        // There is nothing to be done about one that is gone already.
        let _ = fs::remove_file(&self.path);
    }
}

/// Where those who come by the socket of the directory are said to be.
const HERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

impl Server {
    /// Binds to `address`, for everybody and without TLS; port 0 lets the operating system choose one.
    ///
    /// # Errors
    /// What the operating system says, for instance that the port is taken.
    pub async fn bind(address: SocketAddr, graphs: Graphs, options: ServerOptions) -> io::Result<Self> {
        Self::bind_secured(address, graphs, options, Security::default()).await
    }

    /// The same for those who may come in.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub async fn bind_secured(
        address: SocketAddr,
        graphs: Graphs,
        options: ServerOptions,
        security: Security,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let host = Host::new(graphs, options, &security);
        Ok(Self { listener, host, tls: security.tls, local: None })
    }

    /// Listens at a path in the file system, too, for the user who runs the server alone: who comes there needs no login, and may do
    /// everything. What is left there of a server that was killed is removed; nobody else may serve there.
    ///
    /// # Errors
    /// What the operating system says, for instance that the path is too long.
    pub fn listen_at(&mut self, path: PathBuf) -> io::Result<()> {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        let local = Local { listener, path };
        // Nobody has been let in before: what has connected meanwhile is accepted from now on, and was let through by the directory.
        fs::set_permissions(&local.path, fs::Permissions::from_mode(0o600))?;
        self.local = Some(local);
        Ok(())
    }

    /// The address it is bound to.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` resolves, then lets the requests in flight finish within
    /// [`ServerOptions::shutdown_grace`] and cancels the rest.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let (shutdown, stopping) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut sweeps = interval(SWEEP);
        sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
        tokio::pin!(stop);
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, peer)) => self.admit(stream, peer, &stopping, &mut connections),
                    Err(error) => {
                        // Most likely out of file descriptors; they come back when connections close.
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(Duration::from_millis(100)).await;
                    }
                },
                stream = accept_local(self.local.as_ref()) => self.admit_local(stream, &stopping, &mut connections),
                // Reap what has ended, so that the set holds open connections only.
                Some(_) = connections.join_next() => {}
                _ = sweeps.tick() => {
                    self.host.transactions.sweep();
                    self.host.desks.look_again();
                }
                () = &mut stop => break,
            }
        }
        drop((self.listener, self.local));
        tracing::info!(connections = connections.len(), requests = self.host.requests.taken(), "stopping");
        let _ = shutdown.send(true);
        let all_gone = async { while connections.join_next().await.is_some() {} };
        if timeout(self.host.options.shutdown_grace, all_gone).await.is_err() {
            tracing::warn!(requests = self.host.requests.taken(), "cancelling what is still running");
            connections.shutdown().await;
        }
    }

    fn admit_local(
        &self,
        stream: UnixStream,
        stopping: &watch::Receiver<bool>,
        connections: &mut JoinSet<()>,
    ) {
        // Somebody else's process might have been there before the permissions were set.
        let is_own = stream.peer_cred().is_ok_and(|peer| {
            let uid = rustix::process::getuid().as_raw();
            peer.uid() == uid || peer.uid() == 0
        });
        if !is_own {
            tracing::warn!("refused: somebody else at the socket of the directory");
            return;
        }
        let Some(guest) = Guest::arrive(self.host.clone(), HERE) else { return };
        connections.spawn(http::serve(stream, Arc::new(guest.of_the_machine()), stopping.clone()));
    }

    fn admit(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        stopping: &watch::Receiver<bool>,
        connections: &mut JoinSet<()>,
    ) {
        if let Err(error) = configure(&stream, self.host.options.keep_alive) {
            tracing::debug!(%peer, %error, "cannot configure the socket");
        }
        let Some(guest) = Guest::arrive(self.host.clone(), peer) else {
            tracing::warn!(%peer, "refused: too many connections wait to be heard");
            return;
        };
        let (guest, stopping) = (Arc::new(guest), stopping.clone());
        match self.tls.clone() {
            None => connections.spawn(http::serve(stream, guest, stopping)),
            Some(tls) => connections.spawn(secure(tls, stream, guest, stopping)),
        };
    }
}

/// The next one that comes by the socket of the directory; never if there is none.
async fn accept_local(local: Option<&Local>) -> UnixStream {
    let Some(local) = local else { return std::future::pending().await };
    loop {
        match local.listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection in the directory");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Shakes hands, then serves.
async fn secure(tls: Arc<Tls>, stream: TcpStream, guest: Arc<Guest>, mut stopping: watch::Receiver<bool>) {
    let limit = guest.host.options.read_timeout;
    let shaken = tokio::select! {
        shaken = timeout(limit, tls.acceptor().accept(stream)) => shaken,
        () = guest.presence.dismissed() => return,
        () = stopped(&mut stopping) => return,
    };
    match shaken {
        Ok(Ok(stream)) => http::serve(stream, guest, stopping).await,
        Ok(Err(error)) => tracing::debug!(peer = %guest.peer, %error, "no TLS handshake"),
        Err(_) => tracing::debug!(peer = %guest.peer, "no TLS handshake in time"),
    }
}

fn configure(stream: &TcpStream, keep_alive: Duration) -> io::Result<()> {
    // Answers are small and waited for; never hold them back to fill a packet.
    stream.set_nodelay(true)?;
    let probes = TcpKeepalive::new().with_time(keep_alive).with_interval(keep_alive).with_retries(3);
    SockRef::from(stream).set_tcp_keepalive(&probes)
}
