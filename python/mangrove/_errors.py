"""What goes wrong, by kind. All of it is an :class:`Error`."""


class Error(Exception):
    """What Mangrove refuses, or fails with."""


class QuerySyntaxError(Error):
    """The text is not Gremlin; the message says where."""


class UnsupportedError(Error):
    """It is Gremlin that Mangrove does not do."""


class EvaluationError(Error):
    """A step, a service or a file met a value that it cannot use."""


class FailStepError(Error):
    """The query's own ``fail()``."""


class ConflictError(Error):
    """What a transaction has read was changed meanwhile: nothing of it has happened, and it may be tried again."""


class TransactionError(Error):
    """A transaction ended before it was asked to."""


class QueryTimeoutError(Error, TimeoutError):
    """The query took longer than it may."""


class ReadOnlyError(Error):
    """The graph was opened for reading alone."""


class ForbiddenError(Error):
    """Whoever asks may not do that."""


class BusyError(Error):
    """Others hold the memory, or the transactions, that this would need. Later it may work."""


class TooFastError(Error):
    """More is asked than is allowed."""


class LimitError(Error):
    """Something is larger than it may be."""


class CancelledError(Error):
    """The query was ended."""


class InternalError(Error):
    """The disk failed, or the graph is damaged."""


class OpenError(Error):
    """The directory cannot be opened: another process has it open, most often; or this process was forked from one that had."""


class ClosedError(Error):
    """The database or the results are closed, or the transaction is over."""


class ConversionError(Error, TypeError):
    """A value has no counterpart: in Gremlin, in Python, or in a column."""


class PanicError(Error):
    """A mistake in Mangrove itself. The query has ended; the database goes on."""
