"""Lets gremlinpython's own feature runner ask databases in its process: its driver's connection is one of the package's.

Loaded by Python itself, before the runner, from PYTHONPATH. TINKERPOP_DATA has the sample graphs, TINKERPOP_OUT is where io() writes.
"""

import os
import pathlib

import gremlin_python.driver.driver_remote_connection as driver

import mangrove
from mangrove.gremlin import EmbeddedConnection

FILES = {
    "gmodern": "tinkerpop-modern.json",
    "gclassic": "tinkerpop-classic.json",
    "gcrew": "tinkerpop-crew.json",
    "gsink": "tinkerpop-sink.json",
    "ggrateful": "grateful-dead.json",
}
_open = {}


def database(source):
    """The database of a traversal source; the same one each time."""
    if source not in _open:
        db = _open[source] = mangrove.open(io_directory=os.environ["TINKERPOP_OUT"])
        if source in FILES:
            db.import_files(pathlib.Path(os.environ["TINKERPOP_DATA"]) / FILES[source])
    return _open[source]


class Connection(EmbeddedConnection):
    """What the runner takes for a connection to a server."""

    def __init__(self, url, traversal_source="g", **_):
        super().__init__(database(traversal_source))


driver.DriverRemoteConnection = Connection
