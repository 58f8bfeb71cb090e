//! One connection and its place among the others.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use access::{Identity, Rights};
use hyper::HeaderMap;
use opentelemetry::Context;
use parking_lot::Mutex;

use super::{
    presence::Presence,
    table::{Full, Place, counted_under},
};
use crate::{
    Client, Materialize, StatusCode, door,
    host::Host,
    intake::Receipt,
    outgoing::Room,
    request::Refusal,
    tenants::{Desk, Slot},
};

/// A client's connection, for as long as it is open.
pub(crate) struct Guest {
    pub(crate) host: Arc<Host>,
    pub(crate) peer: SocketAddr,
    /// Its number among all connections to this server.
    number: u64,
    pub(crate) presence: Arc<Presence>,
    /// What it has sent of a request that is not complete.
    pub(crate) receipt: Arc<Receipt>,
    /// Whether it is the user who runs the server, and has come by the socket of its directory.
    is_of_the_machine: bool,
    /// Whether its driver cannot read elements with properties.
    reads_references_alone: AtomicBool,
    standing: Mutex<Standing>,
    who: Mutex<Who>,
}

/// What is known of who asks.
struct Who {
    /// Where he is: not the address of a proxy that is trusted.
    address: IpAddr,
    /// Once he has proved who he is, with what his tenant has here.
    identity: Option<(Identity, Slot)>,
    /// What the client says that its request is a part of.
    parent: Option<Context>,
}

/// What its place is good for.
enum Standing {
    /// Queries.
    Admitted { _place: Place },
    /// There was no place for it when it came, so it must first say what it wants: `/health` and `/metrics` need none.
    Waiting { _place: Place },
}

impl Guest {
    /// A client that has just come; `None` if there is no room even to listen to it.
    pub(crate) fn arrive(host: Arc<Host>, peer: SocketAddr) -> Option<Self> {
        let presence = Arc::new(Presence::new());
        let free = host.connections.take_free(peer.ip(), &presence);
        let standing = match free {
            Some(place) => Standing::Admitted { _place: place },
            None => Standing::Waiting { _place: host.waiting.take(peer.ip(), &presence).ok()? },
        };
        let receipt = Arc::new(Receipt::new(host.intake.clone()));
        let number = host.arrivals.fetch_add(1, Ordering::Relaxed);
        let (reads_references_alone, standing) = (AtomicBool::new(false), Mutex::new(standing));
        let who = Mutex::new(Who { address: peer.ip(), identity: None, parent: None });
        Some(Self {
            host,
            peer,
            number,
            presence,
            receipt,
            is_of_the_machine: false,
            reads_references_alone,
            standing,
            who,
        })
    }

    /// The same, as the user who runs the server: nobody has to say that he is, and he may do everything.
    pub(crate) fn of_the_machine(self) -> Self {
        Self { is_of_the_machine: true, ..self }
    }

    /// Learns what the client says of its driver (the header `User-Agent`). gremlinpython and gremlin-go before 3.7 skip two
    /// bytes where elements have their properties, whatever is there.
    pub(crate) fn note_driver(&self, named: &str) {
        let is_old = ["Gremlin-Python.3.5.", "Gremlin-Python.3.6.", "Gremlin-Go.3.5.", "Gremlin-Go.3.6."]
            .iter()
            .any(|old| named.contains(old));
        self.reads_references_alone.store(is_old, Ordering::Relaxed);
    }

    /// How elements are shown to it, unless it says so itself.
    pub(crate) fn materialize(&self) -> Materialize {
        if self.reads_references_alone.load(Ordering::Relaxed) {
            Materialize::Tokens
        } else {
            Materialize::All
        }
    }

    /// On whose behalf its requests are run.
    pub(crate) fn client(&self) -> Client {
        let who = self.who.lock();
        let user = who.identity.as_ref().map(|(identity, _)| identity.user().clone());
        let tenant = user.as_ref().map(|user| self.host.desks.of(user).tenant().clone());
        Client { user, tenant, address: counted_under(who.address), connection: self.number }
    }

    /// A request has come with these headers: who asks now may be somebody else than before.
    pub(crate) fn come(&self, headers: &HeaderMap) {
        let address = door::origin_of_request(self.peer.ip(), headers, &self.host.options.trusted_proxies);
        let parent = self.host.queries.tracer().map(|tracer| tracer.parent(headers));
        *self.who.lock() = Who { address, identity: None, parent };
    }

    /// What its request is a part of, for who traces requests.
    pub(crate) fn parent(&self) -> Option<Context> {
        self.who.lock().parent.clone()
    }

    /// It becomes a WebSocket: what its handshake was a part of says nothing of the requests that come on it.
    pub(crate) fn is_on_its_own(&self) {
        self.who.lock().parent = None;
    }

    /// What is sent of its answer has to be taken by the deadline of its query; but it has as long as one write may take, also if the
    /// query took all the time there was, and for what takes [room](Room) from others as long as that takes, and no longer.
    pub(crate) fn answer_by(&self, deadline: Option<Instant>, room: &Room) {
        let least = Instant::now() + self.host.options.write_timeout;
        let most = room.time_to_take().map(|time| least + time);
        let by_query = deadline.map(|deadline| deadline.max(least));
        if let Some(due) = by_query.into_iter().chain(most).min() {
            self.presence.answer_by(due);
        }
    }

    /// Somebody has proved who he is.
    ///
    /// # Errors
    /// If his tenant has too many connections.
    pub(crate) fn is_now(&self, identity: Identity) -> Result<(), Refusal> {
        let desk = self.host.desks.of(identity.user());
        let slot = desk.connect().ok_or_else(|| {
            let tenant = desk.tenant();
            let message = format!(
                "the tenant {} has {} connections, as many as its max_connections allows; close one of them first",
                tenant.name, tenant.bounds().max_connections
            );
            Refusal::new(StatusCode::Temporary, message)
        })?;
        self.who.lock().identity = Some((identity, slot));
        Ok(())
    }

    /// What his tenant has here.
    pub(crate) fn desk(&self) -> Option<Arc<Desk>> {
        // He may be of another tenant than when he logged in.
        self.who.lock().identity.as_ref().map(|(identity, _)| self.host.desks.of(identity.user()))
    }

    /// Whether it is known who asks, as far as somebody has to be known.
    pub(crate) fn is_known(&self) -> bool {
        self.rights("").is_some()
    }

    /// What whoever asks may do with a graph; `None`: it is not known who it is.
    pub(crate) fn rights(&self, source: &str) -> Option<Rights> {
        if self.is_of_the_machine {
            return Some(Rights::ALL);
        }
        if !self.host.gate.is_closed() {
            return Some(Rights::OF_ANYBODY);
        }
        let who = self.who.lock();
        let (identity, _) = who.identity.as_ref()?;
        self.host.gate.rights(identity, source)
    }

    /// Whether it has no place among the connections.
    pub(crate) fn is_waiting(&self) -> bool {
        matches!(*self.standing.lock(), Standing::Waiting { .. })
    }

    /// Takes a place among the connections, if it has none yet; somebody who does nothing may have to give way.
    pub(crate) fn take_place(&self) -> Result<(), Full> {
        let mut standing = self.standing.lock();
        if let Standing::Waiting { .. } = *standing {
            let place = self.host.connections.take(self.peer.ip(), &self.presence)?;
            *standing = Standing::Admitted { _place: place };
        }
        Ok(())
    }
}
