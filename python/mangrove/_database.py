"""A database that this process has open."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping

from . import _mangrove
from ._errors import ConflictError, ConversionError

# How long, in seconds, a transaction that has lost waits at most before it is tried again, the first and the last time.
_FIRST_WAIT = 0.001
_LONGEST_WAIT = 0.1

# The graphs that this process has open are not those of its copies.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mangrove._forked)


def open(path=None, **options):
    """Opens the graph in a directory, which is made where there is none; without one, a graph in memory.

    ``read_only``: what would change the graph is refused. ``cache``: bytes of the graph in memory. ``memory_per_query``: bytes that a
    query may hold. ``threads``: how many work on queries, by default one for each core. ``timeout``: seconds that a query may take.
    ``write_retries``: how often a query that lost against a concurrent write is tried again. ``io_directory``: where ``g.io()`` may
    read and write files.

    One process has a directory open at a time; another one gets an OpenError. So does a process that was forked from one that had opened a
    graph: start processes with ``multiprocessing.get_context("spawn")``, or fork first.
    """
    return Database(path, **options)


class Database(_mangrove.Database):
    """A graph, open in this process. Threads may share it; the GIL is free while a query runs.

    >>> import mangrove
    >>> with mangrove.open() as db:
    ...     _ = db.query("g.addV('person').property('name', 'ada')")
    ...     db.query("g.V().count()").one()
    1
    """

    @property
    def g(self):
        """gremlinpython's traversal source over this database: ``db.g.V().has("name", "ada").out().to_list()``.

        Traversals are handed over as bytecode, as to a server, and come back as gremlinpython's objects, so that code moves between
        server and process as it is. Needs ``pip install gremlinpython``.
        """
        from .gremlin import source

        return source(self)

    def write(self, work, *, retries=100):
        """Calls ``work(tx)`` with a transaction and commits it; what ``work`` returns.

        A transaction that loses against a concurrent write is begun again, so ``work`` may be called several times: it should do
        nothing but ask the transaction. After ``retries`` of them the ConflictError is raised. What else ``work`` raises rolls back.
        """
        if retries < 0:
            raise ValueError(f"retries: {retries} is less than none, and work would never be called")
        wait = _FIRST_WAIT
        for left in range(retries, -1, -1):
            try:
                with self.transaction() as tx:
                    return work(tx)
            except ConflictError:
                if left == 0:
                    raise
            time.sleep(random.uniform(0, wait))
            wait = min(2 * wait, _LONGEST_WAIT)

    def explain(self, text, params=None, /, **variables):
        """How a query would be run: every stage of planning, in words."""
        from ._notebook import Told

        return Told(self._explain(text, params, **variables))

    def profile(self, text, params=None, /, **variables):
        """Runs a query and tells where the time went. What it writes is committed."""
        from ._notebook import Profile

        return Profile(self._profile(text, params, **variables))

    def load(self, nodes=None, edges=None, *, id=None, label="label", source="source", target="target"):
        """Loads frames: pandas, Polars, pyarrow, whatever hands its columns over by Arrow's interface.

        ``nodes`` and ``edges`` are each a frame with a column of labels, or ``{label: frame}``. A frame of nodes has a column with
        their ids, if they are to keep some; a frame of edges has two with the ids of the vertices that they come from and lead to. What
        these columns are called is said by ``id``, ``label``, ``source`` and ``target``; all others become properties, and a null is
        none. Edges keep ids of their own if their frame has a column of that name. An ``id`` that is given must be there; without one it is
        ``id``, if there is such a column.

        An empty graph is filled in one go (the bulk path), and has all or nothing afterwards; transactions that are open, and results of
        queries that are under way, are in the way of that. Into a graph with data, or with others in it, goes what it takes after a look at
        all of it, some thousand rows a transaction. Returns how many vertices and edges were added.

        >>> import mangrove, pyarrow
        >>> db = mangrove.open()
        >>> people = pyarrow.table({"id": [1, 2], "name": ["ada", "grace"]})
        >>> knows = pyarrow.table({"source": [1], "target": [2], "since": [1843]})
        >>> db.load(nodes={"person": people}, edges={"knows": knows})
        {'vertices': 2, 'edges': 1}
        """
        return self._load(_frames(nodes), _frames(edges), (id, label, source, target))

    def schema(self):
        """The schema and the indexes, as a dict; see docs/schema.md."""
        return self.query("g.call('mangrove.schema.show')").one()

    def apply_schema(self, schema):
        """Makes the schema what a dict says, as a whole; what exists must obey it."""
        self.query("g.call('mangrove.schema.apply', wanted)", wanted=_schema(schema)).close()

    def declare(self, schema):
        """Adds what a dict says to the schema; the rest stays."""
        self.query("g.call('mangrove.schema.declare', added)", added=_schema(schema)).close()

    def create_index(self, label, *keys, kind="equality"):
        """Makes an index over properties of the vertices with a label, and waits until it is there. Kinds: equality, range, unique."""
        index = {"label": label, "keys": list(keys), "kind": kind, "wait": True}
        self.query("g.call('mangrove.index.create', index)", index=index).close()

    def drop_index(self, label, *keys, kind="equality"):
        """Drops an index."""
        index = {"label": label, "keys": list(keys), "kind": kind}
        self.query("g.call('mangrove.index.drop', index)", index=index).close()

    def indexes(self):
        """The indexes, each a dict, with how far those are that are being built."""
        return self.query("g.call('mangrove.index.list')").to_list()

    def analyze(self):
        """Counts degrees and values anew, for better plans."""
        self.query("g.call('mangrove.analyze')").close()

    def statistics(self):
        """What is known of degrees and values."""
        return self.query("g.call('mangrove.statistics')").to_list()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        # What was raised is to be seen, and not that it was raised in a copy of the process.
        if error is None or not self._is_elsewhere:
            self.close()


def _schema(given):
    if not isinstance(given, Mapping):
        raise ConversionError(f"a schema is a dict, such as {{'vertices': {{'person': {{…}}}}}}, and no {type(given).__name__}")
    return dict(given)


def _frames(given):
    """Frames with the label that all of their rows have, or None."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return [(label, _frame(frame)) for label, frame in given.items()]
    return [(None, _frame(given))]


def _frame(frame):
    """The frame without pandas' index, which is no column."""
    if type(frame).__module__.partition(".")[0] == "pandas" and hasattr(frame, "to_records"):
        from ._frames import of_pandas

        return of_pandas(frame)
    return frame
