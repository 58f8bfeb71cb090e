//! A connection that notices when its client takes nothing, when it has taken everything, and when it has gone.

use std::{
    future::Future,
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use crate::{
    connections::{Guest, Presence},
    intake::Receipt,
};

/// A stream of which a write fails when nothing could be written for too long, or not all by the time when it is due, and a read when
/// there is no room for what came. Whoever flushes it has written all there is, which is when a connection comes to rest; and while
/// a request is being answered, it is looked whether its client is still there.
pub(super) struct Socket<S> {
    stream: S,
    presence: Arc<Presence>,
    receipt: Arc<Receipt>,
    write_timeout: Duration,
    /// Ends a write that does not get on.
    stalled: Option<Pin<Box<Sleep>>>,
    /// What came behind a request before that was answered, of which only the first bytes were handed on.
    ahead: Vec<u8>,
    handed: usize,
}

/// Bytes that are taken ahead of a request that is being answered. hyper stops to read once something has come behind it (a line
/// break too many is enough), and then does not learn that the client has gone.
const AHEAD: usize = 64 << 10;

impl<S> Socket<S> {
    pub(super) fn new(stream: S, guest: &Guest, write_timeout: Duration) -> Self {
        let (presence, receipt) = (guest.presence.clone(), guest.receipt.clone());
        Self { stream, presence, receipt, write_timeout, stalled: None, ahead: Vec::new(), handed: 0 }
    }

    fn watch<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let limit = self.write_timeout.min(self.presence.left().unwrap_or(Duration::MAX));
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> Socket<S> {
    /// Looks whether the client of the request that is being answered has gone.
    ///
    /// # Errors
    /// If it has.
    fn look_ahead(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while self.presence.is_alone() && self.ahead.len() < AHEAD {
            let mut bytes = [0; 512];
            let mut buffer = ReadBuf::new(&mut bytes);
            let Poll::Ready(read) = Pin::new(&mut self.stream).poll_read(context, &mut buffer) else { break };
            read?;
            if buffer.filled().is_empty() {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            self.count(buffer.filled().len())?;
            self.ahead.extend_from_slice(buffer.filled());
            // Whoever waits for it knows only of what the stream has.
            context.waker().wake_by_ref();
        }
        Ok(())
    }

    /// Counts what came.
    ///
    /// # Errors
    /// If there is no room for it.
    fn count(&self, bytes: usize) -> io::Result<()> {
        match self.receipt.came(bytes) {
            true => Ok(()),
            false => Err(io::Error::other(
                "more bytes of requests are being received than the server has room for",
            )),
        }
    }

    /// Hands on what was taken ahead; whether there was any.
    fn hand_on(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        if self.ahead.is_empty() {
            return false;
        }
        let rest = &self.ahead[self.handed..];
        let taken = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..taken]);
        self.handed += taken;
        if self.handed == self.ahead.len() {
            (self.ahead, self.handed) = (Vec::new(), 0);
        }
        true
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.hand_on(buffer) {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        Poll::Ready(self.count(buffer.filled().len() - before))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Socket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // With TLS there may be much to send still.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        ready!(self.watch(context, flushed))?;
        self.presence.flushed();
        Poll::Ready(self.look_ahead(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(context, shut)
    }
}
