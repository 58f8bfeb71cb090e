"""gremlinpython 3.5 has camelCase names only: gives its classes the names that came with 3.6, so that the same suites run."""

import re

from gremlin_python.process import anonymous_traversal, graph_traversal, traversal

CLASSES = [anonymous_traversal.AnonymousTraversalSource, traversal.Traversal, traversal.P, traversal.TextP,
           graph_traversal.GraphTraversalSource, graph_traversal.GraphTraversal, graph_traversal.__,
           graph_traversal.Transaction]


def give():
    for which in CLASSES:
        # Not getattr: a static or a class method stays one.
        for name, method in list(vars(which).items()):
            later = re.sub("(?<=[a-z])[A-Z]", lambda capital: "_" + capital.group().lower(), name)
            if later != name and callable(getattr(which, name)):
                setattr(which, later, method)
