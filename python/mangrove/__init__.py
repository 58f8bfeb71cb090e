"""Mangrove, a graph database that speaks Gremlin, in this process.

>>> import mangrove
>>> db = mangrove.open()
>>> db.query("g.addV('person').property('name', x)", x="ada").one()["name"]
'ada'
>>> db.query("g.V().values('name')").to_list()
['ada']
"""

from ._database import Database, open
from ._errors import (
    BusyError,
    CancelledError,
    ClosedError,
    ConflictError,
    ConversionError,
    Error,
    EvaluationError,
    FailStepError,
    ForbiddenError,
    InternalError,
    LimitError,
    OpenError,
    PanicError,
    QuerySyntaxError,
    QueryTimeoutError,
    ReadOnlyError,
    TooFastError,
    TransactionError,
    UnsupportedError,
)
from ._mangrove import Edge, Graph, Path, Property, Results, Transaction, Vertex, VertexProperty, __version__, restore
from ._notebook import Metrics
from ._tokens import Direction, T

__all__ = [
    "BusyError",
    "CancelledError",
    "ClosedError",
    "ConflictError",
    "ConversionError",
    "Database",
    "Direction",
    "Edge",
    "Error",
    "EvaluationError",
    "FailStepError",
    "ForbiddenError",
    "Graph",
    "InternalError",
    "LimitError",
    "Metrics",
    "OpenError",
    "PanicError",
    "Path",
    "Property",
    "QuerySyntaxError",
    "QueryTimeoutError",
    "ReadOnlyError",
    "Results",
    "T",
    "TooFastError",
    "Transaction",
    "TransactionError",
    "UnsupportedError",
    "Vertex",
    "VertexProperty",
    "__version__",
    "open",
    "restore",
]
