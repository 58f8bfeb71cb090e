"""gremlinpython over a database in this process: what ``Database.g`` gives.

A traversal is handed over as bytecode, in the form in which it would go to a server (GraphBinary), and its results come back so, too: what
they are in Python is decided by gremlinpython alone. So code moves between server and process as it is::

    g = traversal().with_(DriverRemoteConnection("ws://localhost:8182/gremlin", "g"))
    g = db.g
"""

from __future__ import annotations

from concurrent.futures import Future
from io import BytesIO

try:
    from gremlin_python.driver.remote_connection import RemoteConnection, RemoteTraversal
    from gremlin_python.process.anonymous_traversal import traversal
    from gremlin_python.structure.io.graphbinaryV1 import GraphBinaryReader, GraphBinaryWriter
except ImportError as error:
    raise ImportError("db.g needs gremlinpython: pip install gremlinpython==3.8.2") from error

from ._errors import ClosedError

__all__ = ["EmbeddedConnection", "source"]


def source(db):
    """gremlinpython's traversal source over a database: what ``db.g`` is."""
    return traversal().with_(EmbeddedConnection(db))


class EmbeddedConnection(RemoteConnection):
    """A connection of gremlinpython's that leads into this process."""

    def __init__(self, db):
        super().__init__(f"mangrove:{db.path}", "g")
        self._db = db
        self._sessions = []
        self._closed = False

    def submit(self, bytecode):
        """Runs a traversal. What only reads runs as its results are asked for."""
        return RemoteTraversal(_traversers(self._asked()._execute(_bytes(bytecode))))

    def submit_async(self, bytecode):
        """The same as a future, which is done when this returns: it has all results, or the error that ended the traversal."""
        return _done(lambda: RemoteTraversal(iter(list(self.submit(bytecode).traversers))))

    submitAsync = submit_async

    def create_session(self):
        """Begins a transaction: what ``g.tx().begin()`` asks for."""
        session = _Session(self._asked())
        self._sessions.append(session)
        return session

    def remove_session(self, session):
        """Ends a transaction; one that was not committed is rolled back."""
        session.close()
        self._sessions.remove(session)

    def is_closed(self):
        """Whether this connection is closed, or its database."""
        return self._closed or self._db.is_closed

    def close(self):
        """Rolls open transactions back. The database stays open: it is not this connection's."""
        self._closed = True
        while self._sessions:
            self._sessions.pop().close()

    def _asked(self):
        if self._closed:
            raise ClosedError("the connection is closed: take another one with db.g")
        return self._db


class _Session(EmbeddedConnection):
    """A transaction, as gremlinpython has one: a connection of its own."""

    def __init__(self, db):
        super().__init__(db)
        self._transaction = db.transaction()

    def create_session(self):
        raise ClosedError("a transaction has none inside it; begin one with g.tx() of the database")

    def is_session_bound(self):
        return True

    def is_closed(self):
        return self._db.is_closed or not self._transaction.is_open

    def commit(self):
        return _Ended(self._transaction.commit)

    def rollback(self):
        return _Ended(self._transaction.rollback)

    def close(self):
        self._transaction.rollback()

    def _asked(self):
        return self._transaction


class _Ended:
    """What a driver returns for a transaction that has ended; code that waits for a server's answer finds one."""

    def __init__(self, end):
        end()

    def all(self):
        return _done(list)

    def one(self):
        return []


def _done(work):
    future = Future()
    try:
        future.set_result(work())
    except Exception as error:
        future.set_exception(error)
    return future


_WRITER, _READER = GraphBinaryWriter(), GraphBinaryReader()
# Before gremlinpython 3.8 they were called otherwise.
_write = getattr(_WRITER, "write_object", None) or _WRITER.writeObject
_read = getattr(_READER, "read_object", None) or _READER.readObject


def _bytes(bytecode):
    return bytes(_write(bytecode))


def _traversers(results):
    while (batch := results._graphbinary()) is not None:
        yield from _read(BytesIO(batch))
