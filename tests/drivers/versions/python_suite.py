"""Runs the Python suites of the folder above with whichever gremlinpython this Python has, and reports by check and format.

usage: python_suite.py MODULE...

A line of output that begins with `check ` is a result, as JSON; `versions.py` reads them.
"""

import importlib
import json
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from gremlin_python.process.graph_traversal import GraphTraversal
from gremlin_python.structure.graph import Vertex

# Tests that are a check of their own. Others of a module are part of what the module is about.
BY_TEST = {
    "test_a_transaction_that_commits": "commit",
    "test_a_transaction_that_rolls_back": "rollback",
    "test_a_transaction_that_is_closed": "rollback",
    "test_a_transaction_that_conflicts": "conflict",
    # TinkerPop 4 has no sessions but these: transactions by id, over several requests.
    "test_an_error_leaves_a_transaction_open_and_a_timeout_ends_it": "session",
}
BY_MODULE = {"getting_started": "getting-started", "sessions": "session", "four": "getting-started"}
FORMATS = {"GraphBinary": "graphbinary1", "GraphBinarySessions": "graphbinary1", "GraphSON3": "graphson3",
           "GraphSonSessions": "graphson3", "Driver": "graphbinary4"}


def inapplicable():
    """Tests of what this driver has no words for."""
    # Elements have properties since 3.7.
    return set() if hasattr(Vertex(1), "properties") else {"test_elements_arrive_with_their_properties"}


def checks(modules):
    """The suite of every check of every class."""
    found = {}
    without = inapplicable()
    for module in map(importlib.import_module, modules):
        for name, format in FORMATS.items():
            case = getattr(module, name, None)
            for test in unittest.TestLoader().getTestCaseNames(case) if case else []:
                check = BY_TEST.get(test, BY_MODULE[module.__name__])
                if test not in without:
                    found.setdefault((check, format), unittest.TestSuite()).addTest(case(test))
    return found


def run(suite):
    """What went wrong, a line for each test, and how many tests there were."""
    result = unittest.TestResult()
    suite.run(result)
    # The last line of a traceback names the error.
    wrong = [f"{getattr(test, '_testMethodName', test)}: {trace.strip().splitlines()[-1]}"
             for test, trace in result.errors + result.failures]
    for _, trace in result.errors + result.failures:
        print(trace, file=sys.stderr)
    return wrong, result.testsRun


def main(modules):
    if not hasattr(GraphTraversal, "add_v"):
        import old_names
        old_names.give()
    for (check, format), suite in checks(modules).items():
        begun = time.monotonic()
        wrong, tests = run(suite)
        passed = not wrong and tests > 0
        message = "; ".join(wrong) or f"{tests} tests"
        row = {"check": check, "format": format, "passed": passed, "seconds": round(time.monotonic() - begun, 3),
               "message": message}
        print("check " + json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
