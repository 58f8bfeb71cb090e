//! What whoever makes a request wants beside the traversal.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use access::{Role, Tenant};
use dataflow::{Budget, Caller, Charge, GraphFiles, Interrupt};
use server::{Client, Materialize, Part, Query, Trace};

use super::{answer::refusal, prepare::Prepared};
use crate::{
    Error,
    asker::{Asker, Needs},
    database::Inner,
    services::Within,
    time_limit::{TimeLimit, either},
};

/// What a client says about a request beside its traversal; the application itself says nothing.
#[derive(Clone)]
pub(crate) struct Wishes {
    /// On whose behalf it is.
    pub(super) caller: Caller,
    /// Who that is, and what he may do.
    asker: Asker,
    /// The tenant that he is of.
    tenant: Option<Arc<Tenant>>,
    /// When it was made; `None`: its time begins when it is planned, and anew when it runs.
    asked: Option<Instant>,
    timeout: Option<Duration>,
    max_timeout: Option<Duration>,
    read_only: bool,
    /// Whether it must not call what changes anything, whatever that is.
    is_safe: bool,
    materialize: Materialize,
    /// Whether the request has a key: it is done as a whole, and known to be done.
    is_keyed: bool,
    trace: Option<Trace>,
    /// Says whether it is to end, while it is read or if it runs on the calling thread.
    interrupt: Option<Interrupt>,
    /// What is held for its input.
    _input: Option<Arc<Charge>>,
}

impl Wishes {
    /// Those of the application.
    pub(crate) fn of_application() -> Self {
        Self {
            caller: Caller::Application,
            asker: Asker::application(),
            tenant: None,
            asked: None,
            timeout: None,
            max_timeout: None,
            read_only: false,
            is_safe: false,
            materialize: Materialize::default(),
            is_keyed: false,
            trace: None,
            interrupt: None,
            _input: None,
        }
    }

    /// Those of somebody who reads, for so long at most.
    pub(crate) fn of_reader(asker: &Asker, max_timeout: Duration) -> Self {
        let (asker, max_timeout) = (asker.clone(), Some(max_timeout));
        Self { asker, max_timeout, read_only: true, ..Self::of_application() }
    }

    /// The same, of a request that reads and does nothing else.
    pub(crate) fn reading(self) -> Self {
        Self { read_only: true, ..self }
    }

    /// Those of a client. What the input of its request takes in memory is held until the request ends.
    ///
    /// # Errors
    /// If that is more than a query may hold, or all together have.
    pub(crate) fn of_client(inner: &Inner, query: &Query) -> Result<Self, Error> {
        let wishes = Self::of_query(query);
        if query.memory < Query::SMALL_INPUT {
            return Ok(wishes);
        }
        let (limit, tenant) = (inner.options.memory_per_query, wishes.tenant_budget(inner));
        let held = inner.engine.hold(query.memory, limit, tenant.as_ref())?;
        Ok(Self { _input: Some(Arc::new(held)), ..wishes })
    }

    /// The same, before anything is held.
    pub(super) fn of_query(query: &Query) -> Self {
        let Client { address, connection, ref tenant, .. } = query.client;
        let unwanted = query.unwanted.clone();
        let caller = match tenant {
            None => Caller::Client { address, connection },
            Some(tenant) => {
                Caller::Tenant { tenant: tenant.number, weight: tenant.bounds().weight, connection }
            }
        };
        Self {
            caller,
            tenant: tenant.clone(),
            asker: Asker::client(&query.client, query.rights),
            asked: Some(query.asked),
            timeout: query.timeout,
            max_timeout: query.max_timeout,
            read_only: query.read_only,
            is_safe: query.is_safe,
            materialize: query.materialize,
            is_keyed: query.key.is_some(),
            trace: query.trace.clone(),
            interrupt: Some(Arc::new(move || unwanted.load(Ordering::Acquire))),
            _input: None,
        }
    }

    /// Those of the application, which may want it to end in the middle.
    pub(crate) fn of_host(interrupt: Interrupt) -> Self {
        Self { interrupt: Some(interrupt), ..Self::of_application() }
    }

    /// The same, until somebody else says that nobody waits for it any more.
    pub(crate) fn until(self, interrupt: Interrupt) -> Self {
        Self { interrupt: either(self.interrupt, Some(interrupt)), ..self }
    }

    /// Says whether it is to end.
    pub(crate) fn interrupt(&self) -> Option<Interrupt> {
        self.interrupt.clone()
    }

    /// The same of a request whose traversal says its key.
    pub(crate) fn keyed(self) -> Self {
        Self { is_keyed: true, ..self }
    }

    pub(crate) fn is_keyed(&self) -> bool {
        self.is_keyed
    }

    /// Who is told what becomes of the request.
    pub(crate) fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Does a part of the request, which is told.
    pub(crate) fn part<T>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(trace) = &self.trace else { return work() };
        let begun = Instant::now();
        let done = work();
        let mut part = Part::new(name, begun, Instant::now());
        part.error = done.as_ref().err().map(|error| refusal(error).kind.name().to_owned());
        trace.add(part);
        done
    }

    /// What the queries of the tenant may hold together.
    pub(super) fn tenant_budget(&self, inner: &Inner) -> Option<Arc<Budget>> {
        let tenant = self.tenant.as_ref()?;
        Some(inner.options.tenant_memory.of(tenant, inner.options.memory_per_query))
    }

    /// Who asks, and what he may do.
    pub(crate) fn asker(&self) -> &Asker {
        &self.asker
    }

    /// The request as whoever asks may have it.
    pub(super) fn granted(&self, mut prepared: Prepared) -> Result<Prepared, Error> {
        self.check_reading()?;
        if prepared.plan.writes {
            self.asker.check(Needs::Here(Role::Write), "a traversal that writes")?;
        }
        if self.read_only && prepared.plan.writes {
            return Err(Error::ReadOnly("the traversal".into()));
        }
        prepared.timeout = self.timeout(prepared.timeout);
        if self.materialize == Materialize::Tokens {
            prepared.references_only();
        }
        Ok(prepared)
    }

    /// Whether whoever asks may see anything.
    pub(super) fn check_reading(&self) -> Result<(), Error> {
        self.asker.check(Needs::Here(Role::Read), "a traversal")
    }

    /// The files that it may read, and write if it may.
    pub(super) fn files(&self, inner: &Inner) -> Arc<dyn GraphFiles> {
        if self.read_only || !self.asker.may(Role::Write) {
            inner.files.read_only()
        } else {
            inner.files.clone()
        }
    }

    /// How long a query may take that asks for so long itself.
    pub(super) fn timeout(&self, asked: Option<Duration>) -> Option<Duration> {
        let asked = asked.or(self.timeout);
        asked.into_iter().chain(self.max_timeout).min()
    }

    /// How long it may take until the traversal is known, which may say something else.
    pub(crate) fn time(&self, inner: &Inner) -> TimeLimit {
        self.time_of(inner, self.timeout(None))
    }

    /// How long it may take, if it asks for so long.
    pub(crate) fn time_of(&self, inner: &Inner, asked: Option<Duration>) -> TimeLimit {
        let began = self.asked.unwrap_or_else(Instant::now);
        TimeLimit::since(began, asked.or(inner.options.timeout)).unless(self.interrupt())
    }

    /// The same of a request that begins now, if it has not yet: all its attempts have one time.
    pub(crate) fn begun(&self) -> Self {
        Self { asked: self.asked.or_else(|| Some(Instant::now())), ..self.clone() }
    }

    /// How much of its time is over.
    pub(crate) fn spent(&self) -> Duration {
        self.asked.map_or(Duration::ZERO, |asked| asked.elapsed())
    }

    /// Where a service is called.
    pub(super) fn within(&self) -> Within {
        match (self.is_safe, self.read_only) {
            (true, _) => Within::Safe,
            (false, true) => Within::Reading,
            (false, false) => Within::Request,
        }
    }
}
